"""The topologies that a plan can choose from: the rows of GKE's tables, and the rule for shapes outside them."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog.facts import Mode
from pulumi_gke_tpu.catalog.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.catalog.topology import Topology


def selectable_rows(generation: Generation, mode: Mode, machine_type: str | None = None) -> list[TopologyRow]:
    """The topology rows a plan can choose from in a mode; undocumented and legacy ones only by their machine type.

    An undocumented machine type without rows of its own stands in for the others of its family and size.
    """
    machines, families = generation.machine_types, generation.families
    if machine_type is None:
        return [
            row
            for row in generation.topologies.rows
            if mode in row.modes and row.documented and not families[machines[row.machine_type].family].legacy
        ]
    machine = machines[machine_type]

    def is_formed(row: TopologyRow) -> bool:
        other = machines[row.machine_type]
        stand_in = not machine.documented and (other.family, other.chips) == (machine.family, machine.chips)
        return row.machine_type == machine_type or stand_in

    return [row for row in generation.topologies.rows if is_formed(row)]


def custom_topologies(generation: Generation, mode: Mode) -> CustomTopologies | None:
    """The rule for shapes outside the table, where a mode has one."""
    custom = generation.custom_topologies
    return custom if custom and mode in custom.modes else None


def custom_problem(custom: CustomTopologies, topology: Topology) -> str:
    """Why a shape outside the table is not allowed by the rule for custom shapes; empty where it is."""
    sides = topology.dimensions
    if topology.chips <= custom.above_chips:
        return f"up to {custom.above_chips} chips only the listed topologies exist"
    if any(side % custom.multiple_of for side in sides):
        return f"each dimension must be a multiple of {custom.multiple_of}"
    if list(sides) != sorted(sides):
        return "dimensions must not decrease: A <= B <= C"
    if topology.chips > custom.max_chips:
        return f"{topology.chips:,} chips are more than the {custom.max_chips:,} of the largest slice"
    return ""


def custom_shapes(custom: CustomTopologies, chips: int) -> Iterator[Topology]:
    """Every custom shape with exactly that many chips, in order."""
    if not custom.above_chips < chips <= custom.max_chips:
        return
    step = custom.multiple_of
    for first in range(step, chips + 1, step):
        if first**3 > chips:
            return
        for second in range(first, chips // first + 1, step):
            if first * second * second > chips:
                break
            third, rest = divmod(chips, first * second)
            if not rest and third % step == 0:
                yield Topology((first, second, third))


def nearest_custom(custom: CustomTopologies, topology: Topology) -> Topology | None:
    """The custom shape that is made by rounding each dimension up and putting them in order; None where too large."""
    step = custom.multiple_of
    rounded = Topology(tuple(sorted(-(-side // step) * step for side in topology.dimensions)))
    return None if custom_problem(custom, rounded) else rounded


def most_cubic(shapes: Iterable[str]) -> str:
    """The shape closest to a cube, which has the shortest paths between its chips.

    Of shapes with the same number of chips that is the one with the smallest sum of its sides.
    """
    return min(shapes, key=lambda shape: (sum(Topology.parse(shape).dimensions), shape))
