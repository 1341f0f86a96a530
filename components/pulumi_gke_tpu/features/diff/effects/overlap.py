"""The temporary need of reservations: new node pools are created while old ones still hold their VMs.

The engine deletes what the plan no longer has after it has created everything else. It deletes a replaced node pool
before it creates the new one, but it does not wait for that with other node pools: operations on resources that do
not depend on each other run at the same time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import listed, quoted
from pulumi_gke_tpu.features.diff.effects.pools import PoolChanges, hosts_of
from pulumi_gke_tpu.features.diff.effects.uses import UseKey, Uses
from pulumi_gke_tpu.features.diff.model import Overlap


@frozen
class ChangedGroup:
    """A group of a plan, and the changes of its node pools."""

    cluster: ClusterPair
    group: GroupPair
    pool_changes: PoolChanges


@dataclass
class _Held:
    """What old node pools hold of a reservation while new ones are created."""

    until_the_end: Range = Range.ZERO
    """Of deleted node pools, and of replaced ones whose replacements are created first."""
    meanwhile: dict[str, int] = field(default_factory=dict)
    """By group: what replaced node pools hold until they are deleted, beyond the need of their replacements."""


def overlaps(groups: Iterable[ChangedGroup], uses: Uses) -> Mapping[str, Overlap]:
    """Groups of one plan that need capacity of a reservation while old node pools still use some."""
    held: dict[UseKey, _Held] = {}
    asking: dict[str, tuple[UseKey, PoolChanges]] = {}
    for item in groups:
        was, will, changes = item.group.base, item.group.head, item.pool_changes
        key = uses.reservation_of(was)
        if was is not None and key is not None:
            chips, into = uses.by_key[key].in_chips, held.setdefault(key, _Held())
            each = was.shape.chips_per_host if chips else 1
            leaving = (*changes.deleted, *(changes.replaced if changes.created_first else ()))
            into.until_the_end = into.until_the_end.plus(hosts_of(leaving).times(each))
            if will is not None and not changes.created_first:
                stays = uses.reservation_of(will) == key
                again = (will.shape.chips_per_host if chips else 1) if stays else 0
                spare = (
                    pools.base.hosts.maximum * each - pools.head.hosts.maximum * again for pools in changes.replacing
                )
                into.meanwhile[will.key] = sum(max(amount, 0) for amount in spare)
        key = uses.reservation_of(will)
        if key is not None and will is not None and hosts_of(changes.new).maximum:
            asking[will.key] = (key, changes)
    found = {group: _overlap(group, key, changes, held.get(key), uses) for group, (key, changes) in asking.items()}
    return {group: overlap for group, overlap in found.items() if overlap is not None}


def _overlap(group: str, key: UseKey, changes: PoolChanges, held: _Held | None, uses: Uses) -> Overlap | None:
    if held is None:
        return None
    # A node pool that replaces another one waits for its deletion; a group with only such ones needs no spare of them.
    own = held.meanwhile.get(group, 0) if changes.created else 0
    others = {name: spare for name, spare in held.meanwhile.items() if spare and name != group}
    meanwhile = own + sum(others.values())
    if not held.until_the_end.maximum and not meanwhile:
        return None
    use, end = uses.by_key[key], held.until_the_end
    return Overlap(
        use.name,
        use.place,
        use.will.plus(Range(end.minimum, end.maximum + meanwhile)),
        use.limit,
        in_chips=use.in_chips,
        kept_slices=len(changes.replaced) if own else 0,
        after=tuple(sorted(others)),
    )


def two_changes(overlap: Overlap, group: SliceGroup) -> str:
    """Two changes instead of one, in the order in which the reservation suffices: ``first ..., then ...``."""
    first = []
    if overlap.kept_slices:
        key = "max" if group.autoscaled else "count"
        kept = group.plan.indices is None
        first.append(f"`{key}: {overlap.kept_slices}`" if kept else f"only the {overlap.kept_slices} replaced slices")
    if overlap.after:
        first.append(f"the change of {listed([quoted(name) for name in overlap.after])}")
    return f"first {listed(first)}, then the rest" if first else "first delete the old slices, then add the new ones"
