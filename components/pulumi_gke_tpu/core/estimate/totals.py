"""The size of several plans together: clusters, slice groups, hosts and chips, by generation and place."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen


@frozen
class Size:
    """A number of slice groups, and their hosts and chips."""

    groups: int = 0
    hosts: Range = Range.ZERO
    chips: Range = Range.ZERO

    def plus(self, group: SliceGroup) -> "Size":
        """With one more group."""
        return Size(self.groups + 1, self.hosts.plus(group.hosts), self.chips.plus(group.chips))


@frozen
class Totals:
    """The size of all plans."""

    clusters: int
    size: Size
    by_place: tuple[tuple[str, str, Size], ...]
    """Generation, place and size, in this order."""
    by_fleet: tuple[Size, ...]
    """The size of each plan, in the order of the plans."""


def totals_of(fleets: Iterable[Fleet]) -> Totals:
    """The size of fleets together."""
    clusters, size = 0, Size()
    by_place: dict[tuple[str, str], Size] = {}
    by_fleet: list[Size] = []
    for fleet in fleets:
        clusters += len(fleet.clusters)
        own = Size()
        for cluster, group in fleet.groups():
            key = (group.shape.generation, place_of(cluster, group))
            by_place[key] = by_place.get(key, Size()).plus(group)
            size, own = size.plus(group), own.plus(group)
        by_fleet.append(own)
    return Totals(clusters, size, tuple((*key, by_place[key]) for key in sorted(by_place)), tuple(by_fleet))


def place_of(cluster: Cluster, group: SliceGroup) -> str:
    """The zones of a group; the region if GKE selects the zone."""
    return ", ".join(group.zones) or f"{cluster.region} (any zone)"
