"""Previews a plan before and after a change, without the parts that cannot be compared."""

from collections.abc import Iterable
from typing import Literal

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.missing import WHOLE, items_from, missing_items, touched_items, without
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.result import PlanPreview
from pulumi_gke_tpu.core.graph.stored import read_stored
from pulumi_gke_tpu.core.plan import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, quoted
from pulumi_gke_tpu.core.workflows.preview import preview_checked, preview_stored
from pulumi_gke_tpu.features.diff.comparison.checked_pair import CheckedPair
from pulumi_gke_tpu.features.diff.comparison.options import DiffOptions
from pulumi_gke_tpu.features.diff.comparison.plan_pair import PlanPair
from pulumi_gke_tpu.features.diff.model import Unclear


@frozen
class PreviewedPair:
    """Both sides of a plan as far as they can be compared; ``plans`` is None if nothing of it can."""

    plans: PlanPair | None
    unclear: tuple[Unclear, ...] = ()
    """What was left out."""
    notes: tuple[str, ...] = ()


def preview_pair(pair: CheckedPair, options: DiffOptions) -> PreviewedPair:
    """Preview both sides. An unchanged plan is previewed once.

    Raises:
        StoredError: a stored preview cannot be used.
    """
    files, errors = pair.files, _rules_of(pair.findings)
    if errors and files.same:
        also = "has errors, also before this change: it is not compared and not in the totals."
        return PreviewedPair(None, notes=(f"{quoted(pair.name)} {also}",))
    if errors:
        return PreviewedPair(None, _left_out(pair, "head", [WHOLE], f"it has errors ({errors})"))
    head = _preview_head(pair, options)
    if files.base is None or files.same:
        return PreviewedPair(PlanPair(None if files.base is None else head, head))
    if files.base.stored:
        base = preview_stored(read_stored(files.base.content), options.catalog, options.today, options.owned)
        if base.fleet.unresolved:
            reason = "this version of gke-tpu cannot reproduce all resources of its stored preview"
            return PreviewedPair(None, _left_out(pair, "base", [WHOLE], reason))
        return PreviewedPair(PlanPair(base, head))
    return _compared_with_base(pair, head, options.owned)


def _preview_head(pair: CheckedPair, options: DiffOptions) -> PlanPreview | None:
    if pair.head is not None:
        return preview_checked(pair.head, pair.findings, options.owned)
    if pair.files.head is None:
        return None
    return preview_stored(read_stored(pair.files.head.content), options.catalog, options.today, options.owned)


def _compared_with_base(pair: CheckedPair, head: PlanPreview | None, owned: Inventory | None) -> PreviewedPair:
    """A plan before the change, which may have errors, beside the one after it."""
    base = pair.base
    errors = _rules_of(base.findings) if base else ""
    before = f"it had errors before this change ({errors})"
    if base is not None and base.plan is None and base.findings:
        first = base.findings[0]
        before = f"it could not be read as a plan before this change ({first.rule}: {first.message})"
    nothing = PreviewedPair(None, _left_out(pair, "base", [WHOLE], before))
    if base is None or base.fleet is None:
        return nothing
    missing = missing_items(base.document, base.fleet)
    for left_out in (missing, missing | touched_items(base.findings)):
        try:
            plans = _without_items(pair, base, head, left_out, owned)
        except Exception:
            # A plan that the rules refuse may be impossible to preview; without errors it is a bug of ours.
            if not errors:
                raise
            continue
        if plans is None:
            break
        after = items_from(head.fleet, left_out) if head is not None else frozenset()
        gone = {item for item in left_out if head is None or not items_from(head.fleet, [item])}
        whole = f"{quoted(pair.name)}: {before}; all of its resources are known, so it is compared."
        notes = (whole,) if errors and not left_out else ()
        return PreviewedPair(plans, _left_out(pair, "base", after | gone, before), notes)
    return nothing


def _without_items(
    pair: CheckedPair, base: CheckedPlan, head: PlanPreview | None, items: frozenset[str], owned: Inventory | None
) -> PlanPair | None:
    """Both sides without some items of the base, regardless of their names in the head; None if nothing is left."""
    if WHOLE in items:
        return None
    reduced = _reduced(base, items) if items else base
    if reduced is None or reduced.fleet is None:
        return None
    after = items_from(head.fleet, items) if head is not None else frozenset()
    if after:
        reduced_head = _reduced(pair.head, after) if pair.head is not None else None
        if reduced_head is None:
            return None
        head = preview_checked(reduced_head, pair.findings, owned)
    return PlanPair(preview_checked(reduced, (), owned), head)


def _reduced(checked: CheckedPlan, items: frozenset[str]) -> CheckedPlan | None:
    """A plan without some of its items; None if nothing is left. It is another plan, and derived anew."""
    document = without(checked.document, items)
    return check_plan(document, checked.catalog, checked.today, rules=()) if document is not None else None


def _left_out(
    pair: CheckedPair, side: Literal["base", "head"], items: Iterable[str], reason: str
) -> tuple[Unclear, ...]:
    """What is not compared. A group is left out with its cluster."""
    names = set(items)
    shown = (item for item in sorted(names) if item.partition("/")[0] not in names - {item})
    return tuple(Unclear(pair.name, item, side, reason) for item in shown)


def _rules_of(findings: Iterable[Finding]) -> str:
    """The rules of the errors, as a list."""
    return ", ".join(sorted({finding.rule for finding in findings if finding.severity is Severity.ERROR}))
