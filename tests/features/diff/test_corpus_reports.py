"""Every edit of the corpus as the command reports it: what stops is an error, and every block that is printed helps."""

import re

import pytest
from support.each import each
from support.edited_reports import (
    after_block,
    blocks_in_json,
    blocks_in_markdown,
    blocks_in_text,
    compare_plans,
    compared,
    fixes_of_findings,
    said,
    with_fix,
)
from support.editing import BASES, Edit, edited
from support.edits import EDITS
from support.sampling import sample

from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
from pulumi_gke_tpu.features.diff.comparison.gates import Gates
from pulumi_gke_tpu.features.diff.model import ItemChange

STOPS = ("TPU951", "TPU952", "TPU953", "TPU959", "TPU962", "TPU964", "TPU968")
"""The rules about changes that `pulumi up` does not get through."""
FAILS = re.compile(r"`pulumi up`|\b(?:fails?|rejects?|refuses?|taken|turned down)\b")
"""Words for a run that does not get to its end."""
EXPECTED = "is expected to fail"
RENAMED = [edit for edit in EDITS if "renamed" in str(edit)]


def stopped(comparison: Comparison) -> list[ItemChange]:
    """The items for which the report states that `pulumi up` stops or fails for certain."""
    return [item for item in comparison.report.change.items if item.refused and EXPECTED not in item.refused]


def names_of(item: ItemChange, comparison: Comparison) -> set[str]:
    """The names of an item in findings: its own, that of its cluster, and its new name after a rename."""
    cluster = item.item.partition("/")[0]
    others = (other for other in comparison.report.change.items if other.item == cluster)
    return {item.item, *item.renames, cluster} | {name for other in others for name in other.renames}


def errors_of(comparison: Comparison) -> list[Finding]:
    return [found for found in comparison.findings if found.severity is Severity.ERROR]


@each("edit", lambda: sample(EDITS, 100, lambda edit: edit.base))
def test_what_stops_is_an_error_and_what_is_printed_mends_it(edit: Edit) -> None:
    """One test, since comparing takes most of its time."""
    comparison = compared(edit)
    assert comparison.report.change.unclear == ()
    stops_where_an_error_says_so(comparison)
    speaks_of_failures_only_where_there_are_some(comparison)
    gates_are_closed(comparison)
    every_block_helps(edit, comparison)
    every_fix_of_a_finding_helps(edit, comparison)


def stops_where_an_error_says_so(comparison: Comparison) -> None:
    """Every item that stops has an error, and every error about a stop has an item."""
    errors, items = errors_of(comparison), stopped(comparison)
    for item in items:
        names = names_of(item, comparison)
        assert any(name in re.split(r"[ ,:`]", found.message) for found in errors for name in names), item.item
    assert bool(errors) == bool(items)
    assert {found.rule for found in errors} <= set(STOPS)
    expected = [item for item in comparison.report.change.items if EXPECTED in item.refused]
    warned = [found for found in comparison.findings if EXPECTED in found.message]
    assert [found.severity for found in warned] == [Severity.WARNING] * len(expected)


def speaks_of_failures_only_where_there_are_some(comparison: Comparison) -> None:
    for item in comparison.report.change.items:
        words = "".join(item.consequence.replace("`pulumi up`", "pulumi up fails").split("`")[::2])
        assert not FAILS.search(words) or item.refused, item.consequence


def gates_are_closed(comparison: Comparison) -> None:
    refused = any(item.refused for item in comparison.report.change.items)
    assert bool(Gates.parse("refused").closed(comparison.report)) == (refused or has_refused(comparison))
    assert not refused or Gates.parse("dangerous").closed(comparison.report)


def has_refused(comparison: Comparison) -> bool:
    return any(item.change == "refused" for item in comparison.report.change.items)


def every_block_helps(edit: Edit, comparison: Comparison) -> None:
    """Each fix alone removes its finding and adds none, wherever it is printed."""
    in_markdown, in_json = blocks_in_markdown(comparison), blocks_in_json(comparison)
    assert blocks_in_text(comparison) == in_markdown
    assert bool(in_markdown) == bool(in_json)
    for block in in_markdown if len(in_markdown) == len(in_json) else [*in_markdown, *in_json]:
        after = after_block(BASES[edit.base](), edited(edit), block)
        assert said(after) < said(comparison), block
        assert len(stopped(after)) < len(stopped(comparison)) or not stopped(comparison) or block in in_json, block


def every_fix_of_a_finding_helps(edit: Edit, comparison: Comparison) -> None:
    for rule, path, fix in fixes_of_findings(comparison):
        after = compare_plans(BASES[edit.base](), with_fix(edited(edit), path, fix))
        problems = {found for found in said(after) if "NOTE" not in found}  # a note reports what the fix changes
        assert problems < said(comparison), (rule, fix)
        assert rules_of(after).count(rule) < rules_of(comparison).count(rule), (rule, fix)


def rules_of(comparison: Comparison) -> list[str]:
    return [found.rule for found in comparison.findings]


@pytest.mark.parametrize("edit", RENAMED, ids=str)
def test_a_rename_offers_its_moves_and_no_acknowledgement(edit: Edit) -> None:
    comparison = compared(edit)
    gone = [item for item in comparison.report.change.items if item.gone]
    assert gone
    for item in gone:
        assert item.renames, item.item
        assert "a rename to `" in item.consequence
    for block in blocks_in_markdown(comparison):
        assert block.text.startswith("moved:")
        assert block.side == "head"
    assert "TPU953" not in rules_of(comparison)


def test_all_candidates_of_a_rename_are_listed() -> None:
    (edit,) = (edit for edit in EDITS if "one of two new ones" in edit.name)
    comparison = compared(edit)
    assert [block.text for block in blocks_in_markdown(comparison)] == [
        f"moved:\n  - {{from: train-east/pretrain, to: train-east/{name}}}" for name in ("main", "next")
    ]
    (finding,) = (found for found in comparison.findings if found.rule == "TPU959")
    assert (finding.severity, finding.fix, len(finding.allowed)) == (Severity.ERROR, "", 2)


def test_a_block_has_the_entries_that_the_plan_has_already() -> None:
    (edit,) = (edit for edit in EDITS if edit.name == "protected group renamed, and another one moved")
    (block,) = blocks_in_markdown(compared(edit))
    moves = [("train-east/sweep", "train-east/trials"), ("train-east/pretrain", "train-east/main")]
    assert block.text == "\n".join(["moved:", *(f"  - {{from: {before}, to: {after}}}" for before, after in moves)])


def test_a_cluster_and_its_renamed_groups_are_one_block() -> None:
    (edit,) = (edit for edit in EDITS if edit.name == "cluster and a group in it renamed")
    (block,) = blocks_in_markdown(compared(edit))
    assert block.text == (
        "moved:\n  - {from: train-east, to: train-west}\n  - {from: train-east/pretrain, to: train-west/main}"
    )
    after = after_block(BASES[edit.base](), edited(edit), block)
    assert {(item.former_item, item.item, item.change) for item in after.report.change.items} == {
        ("train-east", "train-west", "metadata"),
        ("train-east/pretrain", "train-west/main", "metadata"),
    }


@pytest.mark.parametrize("name", ["zone, protected", "one slice less, protected"])
def test_where_only_acknowledgements_of_the_base_count_the_block_belongs_there(name: str) -> None:
    (edit,) = (edit for edit in EDITS if edit.name == name)
    base, head = BASES[edit.base](), edited(edit)
    comparison = compare_plans(base, head, "base")
    (block,) = blocks_in_markdown(comparison)
    assert block.side == "base"
    assert stopped(after_block(base, head, block, "base")) == []


def test_an_acknowledgement_that_came_too_late_is_the_block_for_the_base() -> None:
    (edit,) = (edit for edit in EDITS if edit.name == "one slice less, acknowledged in the same step")
    (block,) = blocks_in_markdown(compared(edit))
    assert block.side == "base"
    assert "reason: wanted" in block.text
