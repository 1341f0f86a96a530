"""Explanations as text: width, numbered sources, and nothing that disturbs a terminal."""

import dataclasses
import unicodedata

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.features.explain.output.json import explain_json
from pulumi_gke_tpu.features.explain.output.text import explain_text
from pulumi_gke_tpu.features.explain.steps import Evidence, Explanation, FileEntry, Remark, Step


def fact(text: str, note: str = "", conflict: str = "") -> Evidence:
    others = (Source(title="an older page (2025)"),) if conflict else ()
    return Evidence(text, (Source(title=text, url="https://example.com"),), "2026", "high", note, conflict, others)


def explanation(*steps: Step, remarks: tuple[Remark, ...] = ()) -> Explanation:
    return Explanation("train/pretrain", "group", "a group", "2026-11-20", steps=steps, remarks=remarks)


ONE = fact("a page, as of 2026", note="with a note", conflict="another page gives 8")
TWO = fact("another page, as of 2026")


def test_sources_are_numbered_once_in_order_of_use() -> None:
    shown = explain_text(
        explanation(
            Step("hosts", "4", "chips / size", (ONE, TWO)),
            Step("zone", "a", "written", (TWO,)),
            remarks=(Remark("n", "Mind this.", ONE),),
        ),
        width=80,
        color=False,
    )
    assert "chips / size [1] [2]" in shown
    assert "written [2]" in shown
    assert "- Mind this. [1]" in shown
    assert shown.endswith("sources\n[1]  a page, as of 2026\n[2]  another page, as of 2026\n[3]  an older page (2025)")
    assert shown.count("another page gives 8") == 1, "once, for the value and for the note"


def test_a_single_value_is_shown_with_note_and_conflict() -> None:
    shown = explain_text(explanation(Step("hosts", "4", "chips / size", (ONE,))), width=80, color=False)
    assert "note: with a note" in shown
    assert "sources disagree\n- hosts: 4 [1]\n  others: another page gives 8 [2]\n" in shown


def test_a_brief_explanation_shows_what_other_sources_say() -> None:
    steps = (Step("hosts", "4", "chips / size", (ONE,)), Step("chips", "16", "4 x 4", (ONE,)))
    shown = explain_text(explanation(*steps), width=80, color=False, brief=True)
    assert shown.endswith("\n\nsources disagree\n- hosts and chips: another page gives 8")


def test_a_value_is_shown_with_the_lines_and_the_values_from_which_it_follows() -> None:
    place = FileEntry("plan.yaml", 7, 5, "clusters.train.slices.pretrain.count")
    step = Step("total", "8 chips", "2 slices x 4 chips", follows_from=("slices",))
    given = dataclasses.replace(explanation(step), chain=(Step("slices", "2", "from the plan", written=(place,)),))
    shown = explain_text(given, width=80, color=False)
    assert "follows from\nslices  2\n        from the plan [1]\n" in shown
    assert shown.endswith("sources\n[1]  plan.yaml:7:5 (clusters.train.slices.pretrain.count)")


def test_lines_keep_to_the_width() -> None:
    step = Step("name", "value " * 40, "because " * 40, (fact("source " * 40),), details=("detail " * 40,))
    shown = explain_text(explanation(step, step), width=50, color=False)
    assert max(map(len, shown.splitlines())) <= 50


def test_nothing_disturbs_a_terminal() -> None:
    bad = "\x1b[31m\u202e##[error]\x07"
    odd = Explanation(
        bad, "word", bad, bad, (Step(bad, bad, bad, (fact(bad),), details=(bad,)),), paste=bad, problem=bad
    )
    shown = explain_text(odd, width=80, color=False)
    assert not [char for char in shown.replace("\n", "") if unicodedata.category(char)[0] == "C"]
    assert "##[error]" not in shown


def test_a_brief_value_has_its_whole_reason_beside_it() -> None:
    reason = "chips / size " * 20 + "end"
    steps = (Step("hosts", "4", reason, (ONE,), details=("a detail",)), Step("plain", "5", ""))
    given = explanation(*steps, remarks=(Remark("n", "Mind this.", ONE),))
    shown = explain_text(given, width=60, color=False, brief=True)
    lines = shown.splitlines()[2:]
    assert lines[0].startswith("hosts  4 · chips / size chips")
    assert max(map(len, lines)) <= 60
    assert f"hosts 4 · {reason} plain 5" in " ".join(shown.split())
    assert lines[-3:] == ["", "sources disagree", "- hosts: another page gives 8"]


def test_color_is_only_where_it_is_wanted() -> None:
    given = explanation(Step("hosts", "4", "chips / size", (ONE,)))
    assert "\x1b[1m4\x1b[0m" in explain_text(given, width=80, color=True)
    assert "\x1b" not in explain_text(given, width=80, color=False)


def test_data_has_every_key() -> None:
    data = explain_json(explanation(Step("hosts", "4", "chips / size", (ONE,))))
    assert data["steps"][0] == {
        "name": "hosts",
        "value": "4",
        "because": "chips / size",
        "details": [],
        "follows_from": [],
        "written": [],
        "evidence": [
            {
                "sources": [{"title": "a page, as of 2026", "url": "https://example.com"}],
                "as_of": "2026",
                "confidence": "high",
                "note": "with a note",
                "conflict": "another page gives 8",
                "conflict_sources": [{"title": "an older page (2025)", "url": ""}],
            }
        ],
    }


def test_a_long_label_has_a_line_of_its_own() -> None:
    path = "clusters.*.slices.*.boot_disk.kms_key"
    page = dataclasses.replace(
        explanation(Step(path, "a key", "text"), Step("zone", "a", "written")), chain=(Step(path, "b", "c"),)
    )
    rows = explain_text(page, width=80, color=False).splitlines()
    for value, reason in (("a key", "text"), ("b", "c")):
        first = rows.index(" " * 26 + value)
        assert (rows[first - 1], rows[first + 1]) == (path, " " * 26 + reason)
    assert "zone                      a" in rows
