"""The comment answers a reviewer in twenty seconds: over the whole corpus of edits, its structure and its words."""

import dataclasses
import re
import textwrap
from collections import Counter

import pytest
from markdown_it import MarkdownIt
from support.change_samples import CHANGED, EMPTY, PLAN, REPLACED, REPORT, USE, page_of
from support.each import each
from support.edited_reports import compared, page
from support.editing import Edit
from support.edits import EDITS
from support.plan_edits import catalog, preview, report
from support.sampling import sample

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.diff.comparison.change_report import PlanPair, diff_pairs
from pulumi_gke_tpu.features.diff.engine.model import Report
from pulumi_gke_tpu.features.diff.model import AutoChange, ChangeReport, Unclear
from pulumi_gke_tpu.features.diff.output.comment import MARKER, change_markdown
from pulumi_gke_tpu.features.diff.output.labels import label, title
from pulumi_gke_tpu.features.diff.output.page import ChangePage
from pulumi_gke_tpu.features.diff.output.texts import headline
from pulumi_gke_tpu.features.diff.output.verdict import LONGEST_HEADLINE

CLUSTER = "mode: standard\nlocation: us-east5\n"
SLICES = f"{CLUSTER}slices:\n  main: {{tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b}}\n"
ERROR = Finding("TPU112", Severity.ERROR, ("clusters",), "no such topology")
WARNING = Finding("TPU605", Severity.WARNING, ("clusters",), "the window is short")


def sections(markdown: str) -> list[str]:
    """The parts of a comment in order."""
    marks = {
        "### TPU plan:": "verdict",
        "> [!": "alert",
        "**Approve": "answer",
        "**Errors:**": "errors",
        "**Warnings:**": "warnings",
        "**Failed gates:**": "gates",
        "**Changes:**": "changes",
        "**All slices:**": "chips and cost",
        "<details><summary>What": "folded",
    }
    found = [name for line in markdown.splitlines() for mark, name in marks.items() if line.startswith(mark)]
    return list(dict.fromkeys(found))


def paragraphs(markdown: str) -> list[str]:
    """Every paragraph and entry of a list without the bold lead that names its items, and every row of a table."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    texts = [re.sub(r"^\*\*[^*]+\*\*:? *", "", token.content) for token in tokens if token.type == "inline"]
    lines = [line for text in texts for line in (text.split("\n") if text.startswith("| ") else [text])]
    return [line for line in lines if len(line.split()) > 3 and not line.startswith(("|  |", "| ---", "| resource |"))]


def first_line(shown: ChangePage) -> str:
    lines = change_markdown(shown).splitlines()
    assert lines[0] == MARKER
    return lines[1].removeprefix("### ")


def unfolded(markdown: str) -> str:
    return re.sub(r"<details>.*?</details>", "", markdown, flags=re.DOTALL)


@each("edit", lambda: sample(EDITS, 80))
def test_every_edit_of_the_corpus_has_a_clear_comment(edit: Edit) -> None:
    shown = page(compared(edit))
    markdown = change_markdown(shown)
    verdict = first_line(shown)
    order = ["verdict", "alert", "answer", "errors", "warnings", "gates", "changes", "chips and cost", "folded"]
    assert [name for name in order if name in sections(markdown)] == sections(markdown)
    assert len(verdict) <= LONGEST_HEADLINE
    repeated = [text for text, count in Counter(paragraphs(markdown)).items() if count > 1]
    assert repeated == []
    seen = unfolded(markdown)
    for item in shown.report.change.items:
        assert (
            len(
                re.findall(
                    rf"^- (?:\*\*)?[A-Z -]+(?:\*\*)? {re.escape(title(item, shown.report.change))}: \S", seen, re.M
                )
            )
            == 1
        )
    assert all(found.rule in seen for found in shown.findings if found.severity == "error" and not found.accepted)
    assert ("`pulumi up` will fail" in verdict or "is expected to fail" in verdict) == any(
        item.refused for item in shown.report.change.items
    )
    dangerous = shown.report.dangerous or bool(shown.errors)
    assert ("> [!" in markdown) >= dangerous
    assert ("nothing is deleted, replaced or restarted" in verdict) <= (not dangerous)
    if dangerous:
        assert "**Next:**" in seen
        assert "pprove" in seen.split("**Changes:**")[0]


def test_the_first_line_counts_errors_and_names_what_blocks() -> None:
    error = "TPU plan: 1 error, 1 warning; `pulumi up` will fail; 1 slice group replaced; +504,576 USD/month"
    assert first_line(page_of(REPORT, [ERROR, WARNING])) == error
    both = dataclasses.replace(REPORT, items=(REPLACED, dataclasses.replace(REPLACED, change="delete", gone=True)))
    assert first_line(page_of(both, [ERROR])).endswith(
        "`pulumi up` will fail; 1 slice group deleted and 1 replaced; +504,576 USD/month"
    )
    broken = dataclasses.replace(EMPTY, unclear=(Unclear(PLAN, "", "head", "it has errors (TPU112)"),))
    assert first_line(page_of(broken, [ERROR])) == ("TPU plan: 1 error; `pulumi up` will fail; 1 plan not compared")


def test_the_first_line_has_no_names() -> None:
    item = dataclasses.replace(REPLACED, item=f"train-east/{'x' * 63}")
    line = first_line(page_of(dataclasses.replace(REPORT, items=(item,)), [ERROR]))
    assert line == "TPU plan: 1 error; `pulumi up` will fail; 1 slice group replaced; +504,576 USD/month"


def test_a_safe_change_has_no_box_and_may_be_approved() -> None:
    markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(CHANGED,))))
    first = "no errors or warnings; nothing is lost; 1 cluster changed in place; +504,576 USD/month"
    assert first in markdown
    assert "**Approve if the chips and the cost are intended.**" in markdown
    assert "[!" not in markdown


def test_a_box_answers_whether_to_approve_what_is_lost_and_what_is_next() -> None:
    markdown = change_markdown(page_of(REPORT))
    box = [line for line in markdown.splitlines() if line.startswith(">")]
    assert box == [
        "> [!CAUTION]",
        "> **Do not approve yet:** the replacement of the protected `train-east/pretrain` is not acknowledged. "
        "Until then, `pulumi up` changes nothing.",
        ">",
        "> **Lost when applied after the acknowledgement (jobs on these hosts stop):** `train-east/pretrain`: "
        "64 hosts deleted before 128 new ones are created, no capacity in between.",
        ">",
        "> **Next:** If the loss of `train-east/pretrain` is intended, the author adds the `acknowledge` entry below, "
        "and you can approve. Otherwise the author reverts the change.",
    ]


def test_what_no_protection_prevents_is_named_as_such() -> None:
    item = dataclasses.replace(REPLACED, refused="", fixes=(), resources=())
    markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(item,))))
    assert "> **Approve only if this loss is intended.**" in markdown
    assert "Nothing else stops the loss of `train-east/pretrain`" in markdown


def test_a_removed_plan_of_a_stack_loses_nothing_before_the_stack_is_destroyed() -> None:
    markdown = change_markdown(page_of(report(SLICES, "")))
    box = markdown.split("**Changes:**")[0]
    assert "> **Lost when the stack is destroyed (jobs on these hosts stop):**" in box
    assert "> **Removed plan:** `plan.yaml`. Its stack keeps all resources until `pulumi destroy`." in box
    assert "when applied" not in box


def test_a_removed_plan_beside_another_loss_names_the_losses_of_its_stack() -> None:
    removed, kept = (preview(SLICES, f"stacks/{name}/plan.yaml") for name in ("old", "new"))
    smaller = preview(SLICES.replace("count: 2", "count: 1"), "stacks/new/plan.yaml")
    found = diff_pairs([PlanPair(removed, None), PlanPair(kept, smaller)], catalog())
    box = change_markdown(page_of(found)).split("**Changes:**")[0]
    assert "> **Lost when applied (jobs on these hosts stop):**" in box
    assert "> - `stacks/old · train/main`: 8 hosts deleted when its stack is destroyed" in box
    assert "> - `stacks/new · train/main`: 4 hosts deleted\n" in box


def test_pulumi_destroy_fails_at_the_protection_of_a_removed_plan() -> None:
    protected = SLICES.replace("zone: us-east5-b", "zone: us-east5-b, protect: true")
    line, box = (function(page_of(report(protected, ""))) for function in (first_line, change_markdown))
    assert "TPU plan: `pulumi destroy` will fail; 1 cluster deleted and 1 slice group deleted; -" in line
    assert "Until then, `pulumi destroy` changes nothing." in box


def test_a_renamed_cluster_is_named_without_its_groups() -> None:
    two = SLICES + "  other: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
    before = f"version: 1\nproject: acme-ml\nclusters:\n  train:\n{textwrap.indent(two, '    ')}"
    markdown = change_markdown(page_of(report(before, before.replace("  train:", "  west:"))))
    assert "If `train` is only renamed, the author adds the `moved` entry below, which keeps its nodes." in markdown
    (instead,) = [line for line in markdown.splitlines() if line.startswith("To delete instead")]
    assert instead.count("change: delete") == 1


def test_several_renames_are_named_in_the_plural() -> None:
    two = SLICES + "  other: {tpu: v5e, topology: 4x4, zone: us-east5-b}\n"
    markdown = change_markdown(page_of(report(two, two.replace("main:", "a:").replace("other:", "b:"))))
    assert "are only renamed, the author adds the `moved` entry below, which keeps their nodes." in markdown


def test_one_item_loses_hosts() -> None:
    """Beside an item that blocks the change and loses none."""
    item = dataclasses.replace(REPLACED, refused="", fixes=(), resources=())
    blocked = dataclasses.replace(CHANGED, change="refused", refused="`pulumi up` fails: no.")
    line = first_line(page_of(dataclasses.replace(REPORT, items=(item, blocked))))
    assert "`pulumi up` will fail; 1 slice group replaced and 1 cluster refused; " in line


COUNTS = [
    (2, 3, "SCALE UP", "1 slice group scaled up", "create"),
    (3, 2, "SCALE DOWN", "1 slice group scaled down", "delete"),
]


@pytest.mark.parametrize(("was", "will", "shown", "said", "change"), COUNTS)
def test_another_count_neither_creates_nor_deletes_a_group(
    was: int, will: int, shown: str, said: str, change: str
) -> None:
    before, after = (SLICES.replace("count: 2", f"count: {count}") for count in (was, will))
    found = report(before, after)
    item = found.items[0]
    assert (label(item), item.change) == (shown, change)
    assert headline(Report(found), 0).startswith(f"{said} · ")
    markdown = change_markdown(page_of(found))
    assert said in first_line(page_of(found))
    assert f"count: {was} → {will} · chips {16 * was} → {16 * will} · USD per hour" in markdown


def test_a_new_group_is_created_and_a_removed_one_deleted() -> None:
    for before, after, shown in ((CLUSTER, SLICES, "CREATE"), (SLICES, CLUSTER, "DELETE")):
        assert label(report(before, after).items[0]) == shown


def test_a_new_part_of_a_cluster_does_not_read_as_a_new_cluster() -> None:
    pool = "cpu_pools: {head: {machine_type: n2-standard-64, max_nodes: 2}}\n"
    found: ChangeReport = report(CLUSTER, CLUSTER + pool)
    assert "- CREATE train (CPU pool): " in change_markdown(page_of(found))


def test_details_and_all_sums_but_chips_and_cost_are_folded() -> None:
    seen = unfolded(change_markdown(page_of(REPORT, [WARNING])))
    assert "\n\n- chips 256 → 512 (+256)\n- USD per hour 691.20 → 1,382.40 (+691.20)\n" in seen
    for folded in ("| hosts |", "reservation v6e-pretrain", "NodePool", "confidence medium"):
        assert folded not in seen


def test_the_classes_of_a_comment_are_explained_in_it_and_no_others() -> None:
    markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(REPLACED, CHANGED))))
    words = markdown.split("Words in this comment</summary>")[1].split("</details>")[0]
    assert re.findall(r"^- \*\*(.+?)\*\*: ", words, re.M) == ["REPLACE", "IN PLACE"]


@each("edit", lambda: sample(EDITS, 80))
def test_every_class_has_an_explanation(edit: Edit) -> None:
    report = compared(edit)
    markdown = change_markdown(page(report))
    for item in page(report).report.change.items:
        assert f"- **{label(item)}**: " in markdown


def test_a_shape_on_autopilot_changes_nothing_until_pods_request_it() -> None:
    (edit,) = [edit for edit in EDITS if str(edit).endswith("topology on Autopilot")]
    line = next(line for line in change_markdown(page(compared(edit))).splitlines() if line.startswith("- METADATA"))
    assert "no change until Pods request this shape; GKE then creates the nodes" in line


def test_an_acknowledged_replacement_also_allows_a_restart() -> None:
    for change, words in (("restart", "also allows this restart"), ("replace", "matches this change")):
        item = dataclasses.replace(REPLACED, change=change, acknowledged=USE)
        markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(item,), acknowledgements=(USE,))))
        assert words in markdown


def test_the_group_with_an_unknown_price_is_named() -> None:
    priced = f"{CLUSTER}slices:\n  main: {{tpu: v5p, topology: 4x4x4, zone: us-east5-a, capacity: flex_start}}\n"
    (note,) = [note for note in report(priced, priced.replace("4x4x4", "4x4x8")).notes if "Cost is incomplete" in note]
    assert note.endswith("is known (`train/main`).")


@pytest.mark.parametrize("capacity", ["spot", "on_demand", "flex_start"])
def test_an_unprotected_group_is_deleted_without_an_entry(capacity: str) -> None:
    group = f"{{tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {capacity}}}"
    before = f"{CLUSTER}slices:\n  old: {group}\n"
    markdown = change_markdown(page_of(report(before, before.replace("old", "new"))))
    assert "To delete `train/old` instead, this change is enough: nothing protects it." in markdown
    assert "To delete instead, no entry is required." in markdown
    assert "acknowledge" not in markdown


def test_a_real_deletion_has_its_entry_beside_the_rename() -> None:
    before = f"{CLUSTER}slices:\n  old: {{tpu: v6e, topology: 4x4, zone: us-east5-b, protect: true}}\n"
    markdown = change_markdown(page_of(report(before, before.replace("old", "new"))))
    entry = "{change: delete, of: train/old, reason: WHY, until: YYYY-MM-DD}"
    assert f"To delete instead, first apply a separate change on the base branch that adds `{entry}`" in markdown


def test_a_higher_version_says_that_the_control_plane_is_upgraded() -> None:
    plan = "mode: autopilot\nlocation: us-east5\nmin_version: '%s'\n"
    raised = change_markdown(page_of(report(plan % "1.34", plan % "1.35")))
    assert "the control plane is upgraded now, and GKE can re-create nodes for their upgrade later" in raised
    assert "no known restart" not in raised
    lowered = change_markdown(page_of(report(plan % "1.35", plan % "1.34")))
    assert "the control plane is upgraded now" not in lowered


def test_a_loss_that_pulumi_up_carries_out_is_lost_when_applied() -> None:
    gone = dataclasses.replace(REPLACED, refused="", fixes=())
    markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(gone, REPLACED))))
    assert "**Lost when applied (jobs on these hosts stop):**" in markdown


def test_the_loss_of_a_probable_rename_depends_on_what_it_is() -> None:
    renamed = dataclasses.replace(REPLACED, renames=("train-east/main",))
    markdown = change_markdown(page_of(dataclasses.replace(REPORT, items=(renamed,))))
    assert (
        "**Lost when applied after the acknowledgement, unless it is a rename (jobs on these hosts stop):**" in markdown
    )


def test_many_steps_have_a_line_each() -> None:
    free = dataclasses.replace(REPLACED, item="train-east/free", refused="", fixes=())
    useless = dataclasses.replace(CHANGED, item="other", change="no-op")
    few = change_markdown(page_of(dataclasses.replace(REPORT, items=(REPLACED, free))))
    assert "> **Next:** If the loss" in few
    many = change_markdown(page_of(dataclasses.replace(REPORT, items=(REPLACED, free, useless))))
    steps = many.split("**Next:**")[1].split("\n\n")[0]
    assert steps.count("\n> - ") == 3


def test_the_line_about_cost_says_that_auto_provisioned_nodes_are_not_in_it() -> None:
    auto = AutoChange("v6e", "us-east5", Range(0, 0), Range(0, 256), REPORT.totals.cost)
    totals = dataclasses.replace(REPORT.totals, auto=(auto,))
    assert "without auto-provisioned nodes" in change_markdown(page_of(dataclasses.replace(REPORT, totals=totals)))
    assert "without auto-provisioned nodes" not in change_markdown(page_of(REPORT))
