"""What a fix may take out of a file: the value that it replaces, and nothing beside it."""

import pytest

from pulumi_gke_tpu.core.workflows.kept import Mark, is_all_kept

TEXT = """\
resource_labels: {team: ml}   # owner
clusters:
  train:
    mode: Standard
    slices:
      - {name: main, zone: us-east5-b}   # two hosts
      - {name: other, zone: us-east5-b}
    count: {minimum: 0, maximum: 8}
    note: |  # kept
      # no comment
"""


def mark(text: str, *path: str | int) -> Mark:
    return Mark(path, TEXT.index(text), len(text))


FILE = Mark((), 0, 1)
MODE = mark("mode", "clusters", "train", "mode")
SLICES = mark("slices", "clusters", "train", "slices")
COUNT = mark("{minimum: 0, maximum: 8}", "clusters", "train", "count")


@pytest.mark.parametrize(
    ("old", "new", "at", "kept"),
    [
        pytest.param("resource_labels: {team: ml}", "version: 1", FILE, False, id="first entry for a new key"),
        pytest.param("resource_labels", "version: 1\nresource_labels", FILE, True, id="new key before the first entry"),
        pytest.param("Standard", "standard", MODE, True, id="the marked value"),
        pytest.param("mode: Standard", "location: x", MODE, True, id="the marked entry"),
        pytest.param("team: ml", "team: Ml", MODE, False, id="a value elsewhere"),
        pytest.param("Standard", "standard\n    mode: Standard", MODE, True, id="another value beside"),
        pytest.param("      - {name: other, zone: us-east5-b}\n", "", MODE, False, id="an item elsewhere"),
        pytest.param("      - {name: other, zone: us-east5-b}\n", "", SLICES, False, id="an item below the mark"),
        pytest.param("slices", "groups", SLICES, True, id="the marked key"),
        pytest.param("   # owner", "", MODE, False, id="a comment"),
        pytest.param("  # kept", "", MODE, False, id="a comment after the sign of a block"),
        pytest.param("# no comment", "", MODE, False, id="text that looks like a comment"),
        pytest.param("{minimum: 0, maximum: 8}", "{min: 0, max: 8}", COUNT, True, id="other keys with the same values"),
        pytest.param("{minimum: 0, maximum: 8}", "{min: 8, max: 8}", COUNT, False, id="one of two marked values"),
        pytest.param("{minimum: 0, maximum: 8}", "8", COUNT, False, id="one value for two"),
        pytest.param("clusters:", "clusters", MODE, False, id="a syntax error"),
    ],
)
def test_only_the_marked_value_may_go(old: str, new: str, at: Mark, kept: bool) -> None:
    assert is_all_kept(TEXT, TEXT.replace(old, new, 1), [at]) is kept


def test_items_may_move_and_each_of_two_equal_ones_stays() -> None:
    text = "a: [x, y, x]\nb: 1\n"
    at = Mark(("b",), text.index("b"), 1)
    assert is_all_kept(text, text.replace("[x, y, x]", "[y, x, x]"), [at])
    assert not is_all_kept(text, text.replace("[x, y, x]", "[x, y]"), [at])


def test_an_alias_and_its_anchor_stay() -> None:
    text = "a: &a {x: 1, y: 2}\nb: *a\nc: 1\n"
    at = Mark(("c",), text.index("c"), 1)
    assert is_all_kept(text, text.replace("c: 1", "d: 1"), [at])
    assert not is_all_kept(text, text.replace("b: *a\n", ""), [at])
    assert not is_all_kept(text, text.replace("*a", "{x: 1, y: 2}").replace("c", "d"), [at])


def test_of_a_text_with_a_syntax_error_each_word_stays() -> None:
    text = "mode:standard  # here\nreason: @oncall asked\n"
    at = Mark((), 0, 1)
    assert is_all_kept(text, text.replace(":s", ": s").replace("@oncall asked", '"@oncall asked"'), [at])
    assert not is_all_kept(text, text.replace("oncall ", ""), [at])
    assert not is_all_kept(text, text.replace("  # here", ""), [at])


def test_an_alias_below_the_mark_is_not_marked() -> None:
    text = "a: &a {x: 1}\nb: Standard\nc: *a\nd: [*a]\n"
    at = Mark(("b",), text.index("Standard"), len("Standard"))
    assert is_all_kept(text, text.replace("Standard", "standard"), [at])
    assert not is_all_kept(text, text.replace("Standard\nc: *a", "standard"), [at])
    assert not is_all_kept(text, text.replace("Standard", "standard").replace("[*a]", "[]"), [at])


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("trillium", "v6e", True),
        ("trillium", "v5e", False),
        ("tpu-v6e-slice", "v6e", True),
        ("Sat-Sun", "SAT, SUN", True),
        ("Sat-Sun", "SAT", False),
        ("Sat-Mon", "SAT, SUN", False),
        ("2026-12-20 00:00 UTC", "2026-12-20T00:00:00Z", True),
        ("2026-12-20T01:00:00+01:00", "2026-12-20T00:00:00Z", True),
        ("2026-12-20T01:00:00+01:00", "2026-12-20T01:00:00Z", False),
        ("2026-12-20 00:00", "2026-12-20T00:00:00Z", False),
        ("2026-12-20", "2026-12-20T00:00:00Z", False),
        ("20 Dec 2026", "2026-12-20", True),
        ("12 hours", "12h", True),
        ("1d", "24h", True),
        ("12 hours", "24h", False),
        ("NO_SCHEDULE", "NoSchedule", True),
        ("NO_SCHEDULE", "NoExecute", False),
    ],
)
def test_a_value_in_another_spelling_is_kept_also_where_no_finding_is(old: str, new: str, kept: bool) -> None:
    text = f"a: {{name: x, values: [{old}, last]}}\nb: 1\n"
    at = Mark(("b",), text.index("b: "), 1)
    assert is_all_kept(text, text.replace(old, new), [at]) is kept


@pytest.mark.parametrize(("new", "kept"), [("v6e", True), ("v5e", False), ("", False)])
def test_of_several_marked_values_each_is_there_in_some_spelling(new: str, kept: bool) -> None:
    text = "slices: [{name: main, tpu: TPU Trillium, days: Mon-Tue}]\n"
    after = f"slices: {{main: {{tpu: {new}, days: [MON, TUE]}}}}\n"
    assert is_all_kept(text, after, [Mark(("slices",), 0, 6)]) is kept
