"""Fixes as values: what they print, and when there is none."""

import pytest

from pulumi_gke_tpu.core.text.findings import EntryText, Fix, MoveBelow, Rename, Replace, SetKeys, as_only

LONG = {f"key_{number}": "x" * 40 for number in range(6)}


@pytest.mark.parametrize(
    ("fix", "text"),
    [
        (Replace.value("us-east5-b"), "us-east5-b"),
        (Replace.value("1.30"), '"1.30"'),
        (Rename.to("topology"), "topology:"),
        (Rename.to("on"), '"on":'),
        (SetKeys.of(zone="us-east5-b", count=2), "zone: us-east5-b\ncount: 2"),
        (SetKeys.of(auto_repair=False, min=0), "auto_repair: false\nmin: 0"),
        (SetKeys.of({"cloud.google.com/gke-tpu-topology": "4x4"}), "cloud.google.com/gke-tpu-topology: 4x4"),
        (SetKeys.of(version="1.30", note="a: b"), 'version: "1.30"\nnote: "a: b"'),
        (SetKeys.of(create={}), "create: {}"),
        (SetKeys.of(labels=LONG), "labels:\n" + "\n".join(f"  {key}: {value}" for key, value in LONG.items())),
        (MoveBelow.of("slices", {"main": {"tpu": "v6e"}}, "main", {"tpu": "tpu"}), "slices: {main: {tpu: v6e}}"),
    ],
)
def test_a_fix_prints_what_is_pasted(fix: Fix, text: str) -> None:
    assert fix.text == text


@pytest.mark.parametrize(
    "fix",
    [
        Replace.value(None),
        Replace.value("a\u200bb"),
        Rename.to(""),
        Rename.to("x" * 201),
        SetKeys.of(),
        SetKeys.of(zone=None),
        SetKeys.of(zone=""),
        SetKeys.of(zone="us-east5-b", name="x" * 201),
        SetKeys.of({"\x1b": 1}),
        MoveBelow.of("slices", {"main": "\x1b"}, "main", {"tpu": "tpu"}),
    ],
)
def test_a_value_that_is_missing_or_cannot_be_shown_is_not_offered(fix: Fix | None) -> None:
    assert fix is None


def test_comments_are_behind_their_entry_and_not_between_braces() -> None:
    fix = SetKeys((EntryText("topology", "4x4", "4x4 has 16 chips"), EntryText("count", 2)))
    assert fix.text == "topology: 4x4      # 4x4 has 16 chips\ncount: 2"
    assert fix.remarks == ("4x4 has 16 chips",)
    between = fix.between_braces
    assert between is not None
    assert between.text == "topology: 4x4, count: 2"
    assert SetKeys((EntryText("labels", LONG),)).between_braces is None


@pytest.mark.parametrize(
    "fix", [Replace("a"), Rename("a"), SetKeys((EntryText("a", 1),)), MoveBelow(EntryText("a", {}), "b", frozenset())]
)
def test_a_fix_is_one_of_several_unless_it_is_marked_as_the_only_one(fix: Fix) -> None:
    only = as_only(fix)
    assert only is not None
    assert (fix.is_only, only.is_only, only.text) == (False, True, fix.text)
    assert as_only(only, is_only=False) == fix
    assert as_only(None) is None
