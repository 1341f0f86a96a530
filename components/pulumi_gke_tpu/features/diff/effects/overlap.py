"""The temporary need of reservations: the engine creates new node pools before it deletes old ones."""

from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.pairs import ClusterPair, GroupPair
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.features.diff.effects.pools import PoolChanges, hosts_of
from pulumi_gke_tpu.features.diff.effects.uses import UseKey, Uses
from pulumi_gke_tpu.features.diff.model import Overlap


@frozen
class ChangedGroup:
    """A group of a plan, and the changes of its node pools."""

    cluster: ClusterPair
    group: GroupPair
    pool_changes: PoolChanges


def overlaps(groups: Iterable[ChangedGroup], uses: Uses) -> Mapping[str, Overlap]:
    """Groups of one plan that need VMs of a reservation while node pools that are deleted later still use some."""
    held: dict[UseKey, Range] = {}
    asking: dict[str, UseKey] = {}
    for item in groups:
        was, will = item.group.base, item.group.head
        leaving = (*item.pool_changes.deleted, *(item.pool_changes.replaced if item.pool_changes.created_first else ()))
        key = uses.reservation_of(was)
        if key is not None and leaving:
            each = was.shape.chips_per_host if was is not None and uses.by_key[key].in_chips else 1
            held[key] = held.get(key, Range.ZERO).plus(hosts_of(leaving).times(each))
        key = uses.reservation_of(will)
        if key is not None and will is not None and hosts_of(item.pool_changes.new).maximum:
            asking[will.key] = key
    return {
        group: Overlap(use.name, use.place, use.will.plus(held[key]), use.limit, use.in_chips)
        for group, key in asking.items()
        if key in held and held[key].maximum
        for use in [uses.by_key[key]]
    }
