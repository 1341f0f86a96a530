"""Adds up capacity and cost of all plans, before and after."""

from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.estimate import AutoProvisioned, Usd
from pulumi_gke_tpu.core.estimate.cost_model import GroupCost
from pulumi_gke_tpu.core.estimate.money import NO_MONEY, sum_of
from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.graph.result import PlanPreview
from pulumi_gke_tpu.features.diff.effects.pools import total
from pulumi_gke_tpu.features.diff.effects.uses import Uses
from pulumi_gke_tpu.features.diff.model import (
    AutoChange,
    CapacityChange,
    ChangeTotals,
    CostChange,
    GroupSize,
    SliceCounts,
)

_NONE = SliceCounts(Range.ZERO, Range.ZERO, Range.ZERO)


def totals_of(base: Sequence[PlanPreview], head: Sequence[PlanPreview], uses: Uses) -> ChangeTotals:
    """Capacity, cost, and use of reservations and quotas over all plans."""
    was, will = _by_place(base), _by_place(head)
    places = tuple(
        CapacityChange(generation, place, was.get((generation, place), _NONE), will.get((generation, place), _NONE))
        for generation, place in sorted(was.keys() | will.keys())
    )
    return ChangeTotals(
        capacity=CapacityChange("", "", _sum(was.values()), _sum(will.values())),
        places=places,
        cost=CostChange(
            was=_cost(base), will=_cost(head), incomplete=any(plan.cost.total.unknown for plan in (*base, *head))
        ),
        uses=tuple(uses.by_key.values()),
        auto=_auto(base, head),
    )


def group_size(base: GroupCost | None, head: GroupCost | None) -> GroupSize:
    """The size of one slice group; None for a side that does not have the group."""
    return GroupSize(
        was=base.chips if base else Range.ZERO,
        will=head.chips if head else Range.ZERO,
        cost=CostChange(
            was=base.whole_usd if base else NO_MONEY,
            will=head.whole_usd if head else NO_MONEY,
            incomplete=any(cost is not None and bool(cost.left_out or cost.premium_unknown) for cost in (base, head)),
        ),
    )


def _auto(base: Sequence[PlanPreview], head: Sequence[PlanPreview]) -> tuple[AutoChange, ...]:
    was, will = _auto_by_place(base), _auto_by_place(head)
    changes = []
    for key in sorted(was.keys() | will.keys()):
        before, after = was.get(key, []), will.get(key, [])
        cost = CostChange(
            was=_auto_cost(before), will=_auto_cost(after), incomplete=any(item.unknown for item in (*before, *after))
        )
        changes.append(AutoChange(*key, _auto_chips(before), _auto_chips(after), cost))
    return tuple(changes)


def _auto_by_place(plans: Iterable[PlanPreview]) -> dict[tuple[str, str], list[AutoProvisioned]]:
    found: dict[tuple[str, str], list[AutoProvisioned]] = {}
    for plan in plans:
        for item in plan.autoprovisioned:
            found.setdefault((item.generation, item.region), []).append(item)
    return found


def _auto_chips(items: Iterable[AutoProvisioned]) -> Range:
    return total(item.chips for item in items)


def _auto_cost(items: Sequence[AutoProvisioned]) -> Usd | None:
    """USD per hour at the highest known prices; None if no price is known of any."""
    known = [item.usd for item in items if item.usd is not None]
    return sum_of(known) if known or not items else None


def _by_place(plans: Iterable[PlanPreview]) -> dict[tuple[str, str], SliceCounts]:
    found: dict[tuple[str, str], SliceCounts] = {}
    for plan in plans:
        for cluster, group in plan.fleet.groups():
            key = (group.shape.generation, _place(cluster, group))
            found[key] = _plus(found.get(key, _NONE), SliceCounts(group.slices, group.hosts, group.chips))
    return found


def _place(cluster: Cluster, group: SliceGroup) -> str:
    """The zone, or the region in which Autopilot chooses one."""
    return group.zone or cluster.region


def _plus(one: SliceCounts, other: SliceCounts) -> SliceCounts:
    return SliceCounts(one.slices.plus(other.slices), one.hosts.plus(other.hosts), one.chips.plus(other.chips))


def _sum(parts: Iterable[SliceCounts]) -> SliceCounts:
    summed = _NONE
    for part in parts:
        summed = _plus(summed, part)
    return summed


def _cost(plans: Iterable[PlanPreview]) -> Usd | None:
    """USD per hour of the known prices; None if there are slices without any known price."""
    totals = [plan.cost.total for plan in plans]
    known = [line.usd for line in totals if line.usd is not None]
    if totals and not known:
        return None
    return sum_of(known)
