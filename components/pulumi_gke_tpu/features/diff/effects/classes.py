"""The class of an item's change, and capacity and cost of all plans, before and after."""

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence

from pulumi_gke_tpu.core.estimate import AutoProvisioned, Usd
from pulumi_gke_tpu.core.estimate.cost import GroupCost, total_line
from pulumi_gke_tpu.core.estimate.prices import NO_MONEY, sum_of
from pulumi_gke_tpu.core.estimate.sums import SliceCounts, sizes_of
from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.derive import CPU_POOLS
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.phrases import RESOURCE_WORDS, resource_word
from pulumi_gke_tpu.core.graph.registered import PlanPreview
from pulumi_gke_tpu.core.graph.resource_types import (
    ACCOUNT,
    ACCOUNT_MEMBER,
    BUCKET_MEMBER,
    CLUSTER,
    FIREWALL,
    IAM_MEMBER,
    NETWORK,
    NODE_POOL,
    ROUTER,
    ROUTER_NAT,
    SUBNETWORK,
)
from pulumi_gke_tpu.features.diff.effects.pools import Uses, total
from pulumi_gke_tpu.features.diff.model import (
    CLASSES,
    DANGEROUS,
    AutoChange,
    CapacityChange,
    ChangeClass,
    ChangeTotals,
    CostChange,
    GroupSize,
    ItemChange,
    ResourceChange,
    SourcedReason,
)

CLUSTERS = ("cluster", "clusters")
OTHER_POOLS = ("node pool without TPUs", "node pools without TPUs")
_SYSTEM_POOL = ("system pool", "system pools")
_CPU_POOL = ("CPU pool", "CPU pools")
_ORDER = (
    CLUSTER,
    NODE_POOL,
    NETWORK,
    SUBNETWORK,
    FIREWALL,
    ROUTER_NAT,
    ROUTER,
    ACCOUNT,
    IAM_MEMBER,
    BUCKET_MEMBER,
    ACCOUNT_MEMBER,
)
"""The resources of a cluster, by the damage of their loss."""
_WHOLE: frozenset[ChangeClass] = frozenset({"delete", "replace", "create"})


@frozen
class Affected:
    """The number of changed things of one type."""

    change: ChangeClass
    words: tuple[str, str]
    """Their name in the singular and in the plural."""
    count: int


def class_of(changes: Sequence[ResourceChange], main: str) -> ChangeClass:
    """The class of an item. If ``main`` is deleted or replaced, the other resources do not matter.

    ``main`` is the type of the resource that the item is about: the cluster, or the node pools of a group.
    """
    own = worst((change for change in changes if change.type == main), "metadata")
    return own if own in ("delete", "replace") else worst(_paired(changes, main), "metadata")


def affected(item: ItemChange) -> tuple[Affected, ...]:
    """The changed resources of a cluster by class: the cluster itself, or the most important of its resources.

    For a created, deleted or replaced cluster, this is only the cluster. Otherwise it is every dangerous change, so
    that the loss of a network does not hide the loss of the system pool.
    """
    changes = _paired(item.resources, CLUSTER)
    if item.change in _WHOLE and any(change.type == CLUSTER and change.effect == item.change for change in changes):
        return (Affected(item.change, CLUSTERS, 1),)
    told = [name for name in CLASSES if name == item.change or (name in DANGEROUS and item.change in DANGEROUS)]
    found = [_first(name, [change for change in changes if change.effect == name]) for name in told]
    return tuple(filter(None, found)) or (Affected(item.change, CLUSTERS, 1),)


def subject(item: ItemChange) -> str:
    """The resource of a cluster that determines the class of its change; empty if it is the item itself."""
    if item.kind != "cluster":
        return ""
    first = next((found for found in affected(item) if found.change == item.change), None)
    if first is None or first.words == CLUSTERS:
        return ""
    return first.words[0] if first.count == 1 else f"{first.count:,} {first.words[1]}"


def _first(change: ChangeClass, changes: Sequence[ResourceChange]) -> Affected | None:
    types = {found.type for found in changes}
    if not types:
        return None
    kind = min(types, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    words = RESOURCE_WORDS.get(kind, (resource_word(kind), resource_word(kind)))
    found = [item for item in changes if item.type == kind]
    if kind == NODE_POOL:
        words = _CPU_POOL if any(CPU_POOLS in item.name.split("/") for item in found) else _SYSTEM_POOL
    return Affected(change, words, len(found))


def _paired(changes: Iterable[ResourceChange], main: str) -> list[ResourceChange]:
    """The changes; a deletion and a creation of one type other than ``main`` are one replacement."""
    changes = list(changes)
    made = Counter(change.type for change in changes if change.operation == "create" and change.type != main)
    gone = Counter(change.type for change in changes if change.operation == "delete")
    pairs = made & gone
    to_replace, to_leave_out = Counter(pairs), Counter(pairs)
    found = []
    for change in changes:
        if change.operation == "delete" and to_replace[change.type]:
            to_replace[change.type] -= 1
            found.append(dataclasses.replace(change, effect="replace"))
        elif change.operation == "create" and to_leave_out[change.type]:
            to_leave_out[change.type] -= 1
        else:
            found.append(change)
    return found


def worst(changes: Iterable[ResourceChange], otherwise: ChangeClass) -> ChangeClass:
    """The most dangerous class of the changes of resources."""
    return min((change.effect for change in changes), key=CLASSES.index, default=otherwise)


def facts_of(changes: Iterable[ResourceChange]) -> list[SourcedReason]:
    """The reasons of the changes of resources, the most dangerous first, each reason once.

    For a replaced resource, the effects of its other differences do not matter.
    """
    reasons: dict[SourcedReason, int] = {}
    for change in changes:
        decisive = [item for item in change.differences if item.effect == change.effect] or change.differences
        for item in decisive:
            place = CLASSES.index(item.effect)
            reasons[item.fact] = min(place, reasons.get(item.fact, place))
    return sorted(reasons, key=lambda fact: reasons[fact])


def totals_of(base: Sequence[PlanPreview], head: Sequence[PlanPreview], uses: Uses) -> ChangeTotals:
    """Capacity, cost, and use of reservations and quotas over all plans."""
    was, will = _by_place(base), _by_place(head)
    places = tuple(
        CapacityChange(*key, sizes_of(was.get(key, ())), sizes_of(will.get(key, ())))
        for key in sorted(was.keys() | will.keys())
    )
    before, after = (total_line([cost for plan in side for cost in plan.cost.groups]) for side in (base, head))
    return ChangeTotals(
        capacity=CapacityChange(
            "",
            "",
            SliceCounts(before.slices, before.hosts, before.chips),
            SliceCounts(after.slices, after.hosts, after.chips),
        ),
        places=places,
        cost=CostChange(was=before.usd, will=after.usd, incomplete=bool(before.unknown or after.unknown)),
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


def _by_place(plans: Iterable[PlanPreview]) -> dict[tuple[str, str], list[GroupCost]]:
    found: dict[tuple[str, str], list[GroupCost]] = {}
    for plan in plans:
        for (cluster, group), cost in zip(plan.fleet.groups(), plan.cost.groups, strict=True):
            found.setdefault((group.shape.generation, _place(cluster, group)), []).append(cost)
    return found


def _place(cluster: Cluster, group: SliceGroup) -> str:
    """The zone, or the region in which Autopilot chooses one."""
    return group.zone or cluster.region
