"""The shapes of slices that have enough chips, and how many slices of each."""

from bisect import bisect_left
from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies, Generation
from pulumi_gke_tpu.core.catalog.topologies import (
    custom_shapes,
    custom_step,
    custom_topologies,
    most_cubic,
    selectable_rows,
)
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, Hidden
from pulumi_gke_tpu.features.cost.recommend.need import Need

MOST_SLICES = 1_000
"""The limit of a slice group. A rule rejects more."""


@frozen
class Slices:
    """A number of equal slices."""

    topology: str
    machine_type: str
    chips_per_host: Count
    count: Count
    ambiguous: Hidden[bool]
    """Whether the topology has several forms, so that a plan has to name the chips per host."""

    @property
    def chips_per_slice(self) -> int:
        """Chips of one slice."""
        return Topology.parse(self.topology).chips

    @property
    def chips(self) -> int:
        """Chips of all slices."""
        return self.chips_per_slice * self.count

    @property
    def hosts_per_slice(self) -> int:
        """Hosts of one slice."""
        return self.chips_per_slice // self.chips_per_host

    @property
    def hosts(self) -> int:
        """Hosts of all slices."""
        return self.hosts_per_slice * self.count


def slices_for(generation: Generation, need: Need, chips: int) -> Iterator[Slices]:
    """One slice of the smallest sufficient size in every form, and several slices of every smaller one.

    Several slices of one training job exchange data over the network of the data center (Multislice), which the
    generation must support; they have several hosts each. Slices that serve are independent of each other.
    """
    for slices in _shapes(generation, need, chips):
        if slices.count == 1 or (
            slices.count <= MOST_SLICES
            and (need.use == "serving" or (generation.multislice and slices.hosts_per_slice > 1))
        ):
            yield slices


def largest_slice(generation: Generation, need: Need) -> int:
    """The chips of the largest slice in the mode of the cluster; 0 if there is none."""
    rows = selectable_rows(generation, need.mode)
    custom = custom_topologies(generation, need.mode)
    listed = max((Topology.parse(row.topology).chips for row in rows), default=0)
    return max(listed, custom.max_chips if custom else 0)


def _shapes(generation: Generation, need: Need, chips: int) -> Iterator[Slices]:
    rows = selectable_rows(generation, need.mode)
    sizes = {Topology.parse(row.topology).chips for row in rows}
    custom = custom_topologies(generation, need.mode)
    enough = min((size for size in {*sizes, *(custom_sizes(custom) if custom else ())} if size >= chips), default=None)
    forms: dict[str, set[int]] = {}
    for row in rows:
        forms.setdefault(row.topology, set()).add(generation.machine_types[row.machine_type].chips)
    for row in rows:
        each = Topology.parse(row.topology).chips
        if each <= (enough or each):
            per_host = generation.machine_types[row.machine_type].chips
            count = -(-chips // each)
            yield Slices(row.topology, row.machine_type, per_host, count, len(forms[row.topology]) > 1)
    if custom is not None:
        per_host = generation.machine_types[custom.machine_type].chips
        for size, count in _custom_slices(custom, chips):
            if size not in sizes and size <= (enough or size):
                shape = most_cubic(map(str, custom_shapes(custom, size)))
                yield Slices(shape, custom.machine_type, per_host, count, ambiguous=False)


def _custom_slices(custom: CustomTopologies, chips: int) -> Iterator[tuple[int, int]]:
    """The smallest sufficient size of a custom topology for each number of slices, each size once."""
    sizes = custom_sizes(custom)
    last = len(sizes)
    for count in range(1, MOST_SLICES + 1):
        place = bisect_left(sizes, -(-chips // count))
        if place < last:
            yield sizes[place], count
            last = place


def custom_sizes(custom: CustomTopologies) -> list[int]:
    """The numbers of chips that custom topologies can have, in order."""
    step = custom_step(custom)
    sizes = range(step, custom.max_chips + 1, step)
    return [size for size in sizes if next(custom_shapes(custom, size), None) is not None]
