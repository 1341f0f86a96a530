"""Plans and items that are not compared: above the changes, with the meaning."""

import dataclasses

import pytest
from support.change_samples import EMPTY, PLAN, REPORT, page_of

from pulumi_gke_tpu.features.diff.comparison.gates import Gates, exit_code
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import ChangeReport, Unclear
from pulumi_gke_tpu.features.diff.output.comment import change_markdown
from pulumi_gke_tpu.features.diff.output.document import change_text
from pulumi_gke_tpu.features.diff.output.texts import unclear_text

GROUP = Unclear(PLAN, "train/pretrain", "base", "it had errors before this change (TPU112)")
PLANS = Unclear("stacks/dev/plan.yaml", "", "head", "it has errors (TPU404)")
MOVED = Unclear(PLAN, "", "moved", "it was `stacks/old/plan.yaml`")


def with_unclear(*entries: Unclear, report: ChangeReport = REPORT) -> ChangeReport:
    return dataclasses.replace(report, unclear=entries)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ((), ""),
        ((GROUP,), "1 item not compared"),
        ((PLANS, PLANS, GROUP), "2 plans not compared, 1 item not compared"),
        ((MOVED,), "1 plan moved to another folder"),
        ((GROUP, MOVED), "1 item not compared, 1 plan moved to another folder"),
    ],
)
def test_the_headline_counts_it(entries: tuple[Unclear, ...], said: str) -> None:
    assert unclear_text(with_unclear(*entries)) == said


def test_it_is_above_the_changes() -> None:
    page = page_of(with_unclear(GROUP, PLANS))
    text = change_text(page, resources=False, width=100, color=False)
    assert text.index(f"NOT COMPARED {PLAN} · train/pretrain") < text.index("REPLACE ")
    assert "The totals do not include it." in text
    comment = change_markdown(page)
    assert comment.index("- **NOT COMPARED** stacks/dev/plan.yaml: It has errors (TPU404).") < comment.index(
        "- **REPLACE** "
    )


def test_the_comment_names_what_has_an_unknown_effect() -> None:
    comment = change_markdown(page_of(with_unclear(GROUP, PLANS, GROUP)))
    assert "the effect on `train/pretrain` and `stacks/dev` is unknown" in comment


@pytest.mark.parametrize("entry", [GROUP, PLANS, MOVED], ids=lambda entry: entry.kind)
def test_it_needs_a_second_look_and_closes_every_gate(entry: Unclear) -> None:
    report = with_unclear(entry, report=EMPTY)
    assert exit_code(Report(report), by_class=True) == 5
    for gate in ("delete", "metadata", "cost:+500%", "dangerous"):
        (said,) = Gates.parse(gate).closed(Report(report))
        assert said.endswith(f"{entry.plan} {entry.item}".rstrip())
    assert Gates.parse("").closed(Report(report)) == ()


def test_of_several_the_first_is_named() -> None:
    assert Gates.parse("delete").closed(Report(with_unclear(GROUP, GROUP, GROUP, report=EMPTY))) == (
        f"the base cannot be compared: {PLAN} train/pretrain and 2 more",
    )
