"""The use of a reservation or quota by a slice group after a change."""

from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.graph.phrases import amount, bare_amount, counted
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.diff.consent.subject import GroupChange
from pulumi_gke_tpu.features.diff.effects.overlap import two_changes
from pulumi_gke_tpu.features.diff.model import Overlap
from pulumi_gke_tpu.features.diff.sentences import Sentences


def describe_use(item: GroupChange, head: SliceGroup, sentences: Sentences) -> None:
    """How much of which reservation or quota the group uses."""
    taken = item.context.uses.of_group(head)
    if taken is None:
        return
    use, own = taken
    unit = use.unit
    what = f"{use.kind} {quoted(use.name)}" + ("" if use.kind == "reservation" else f" in {quoted(use.place)}")
    shared = f" ({bare_amount(use.will)} with other groups)" if use.will != own else ""
    if use.limit is None:
        sentences.add(f"the group uses {amount(own, unit)}{shared} of {what}")
        return
    limit = f"the {use.kind} has {counted(use.limit, f'available {unit}')}{_over(use.will, use.limit)}"
    sentences.add(f"the group uses {amount(own, unit)}{shared} of {what}; {limit}")
    _describe_overlap(item.overlap, head, sentences)


def _describe_overlap(overlap: Overlap | None, head: SliceGroup, sentences: Sentences) -> None:
    """If the reservation is too small for the new node pools and the old ones, and which two changes work."""
    if overlap is None or not overlap.exceeds:
        return
    needed, fails = amount(overlap.needed, overlap.unit), "fails" if overlap.is_certain else "may fail"
    sentences.add(
        f"until the old node pools are deleted, old and new ones together need {needed} of "
        f"reservation {quoted(overlap.reservation)}, which has {overlap.limit:,} available: the creation of the new "
        f"ones {fails}. Two changes work: {two_changes(overlap, head)}"
    )


def _over(will: Range, limit: int) -> str:
    over = will.maximum - limit
    if over <= 0:
        return ""
    return f", {over:,} too few" + ("" if will.minimum > limit else " if all groups are scaled up")
