"""The topologies that a plan can choose from: the rows of GKE's tables, and the rule for shapes outside them."""

import itertools
import math
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies, Generation, Topology, TopologyRow
from pulumi_gke_tpu.core.catalog.records.workloads import DynamicSlices
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MODES: tuple[Mode, ...] = ("standard", "autopilot")


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


def undocumented_rows(generation: Generation, mode: Mode, topology: Topology) -> list[TopologyRow]:
    """The rows of a topology that only machine types outside the documentation of GKE have in a mode."""
    return [
        row
        for row in generation.topologies.rows
        if mode in row.modes and not row.documented and row.topology == str(topology)
    ]


def custom_topologies(generation: Generation, mode: Mode) -> CustomTopologies | None:
    """The rule for shapes outside the table, where a mode has one."""
    custom = generation.custom_topologies
    return custom if custom and mode in custom.modes else None


_CUBIC = lazy_pattern(r"([1-9][0-9]{0,3})x([1-9][0-9]{0,3})x([1-9][0-9]{0,3})\Z", re.ASCII)


def unformable(facts: DynamicSlices, topology: str) -> str:
    """Why the slice controller cannot form a slice of cubes; empty if it can."""
    found = _CUBIC.match(topology)
    if found is None:
        return "it does not have the form AxBxC"
    edges = [int(edge) for edge in found.groups()]
    if topology in facts.parts:
        return ""
    if any(edge % facts.cube for edge in edges):
        return f"it is neither a part of a cube nor made of cubes of {facts.cube_topology} chips"
    if edges != sorted(edges):
        return f"write {'x'.join(map(str, sorted(edges)))}, with dimensions that do not decrease"
    if (chips := math.prod(edges)) > facts.most_chips:
        return f"it has {chips:,} chips; the limit is {facts.most_chips:,}"
    return ""


def custom_problem(custom: CustomTopologies, topology: Topology) -> str:
    """Why every source excludes a shape outside the table; empty where one allows it."""
    sides = topology.dimensions
    if topology.chips <= custom.above_chips:
        return f"up to {custom.above_chips} chips, only the listed topologies exist"
    if any(side % custom.multiple_of for side in sides):
        return f"each dimension must be a multiple of {custom.multiple_of}"
    if list(sides) != sorted(sides) and not custom.any_order:
        return _ORDER
    return _too_many(custom, topology) if topology.chips > _most_chips(custom, disputed=True) else ""


_ORDER = "dimensions must not decrease: A <= B <= C"


def _too_many(custom: CustomTopologies, topology: Topology) -> str:
    return f"{topology.chips:,} chips exceed the limit of {custom.max_chips:,} per slice"


def _most_chips(custom: CustomTopologies, *, disputed: bool) -> int:
    return custom.disputed_chips if disputed and custom.disputed_chips else custom.max_chips


def custom_doubt(custom: CustomTopologies, topology: Topology) -> str:
    """Why the rule excludes a custom shape that other sources list; empty if it does not."""
    if topology.chips > custom.max_chips:
        return _too_many(custom, topology)
    return "" if list(topology.dimensions) == sorted(topology.dimensions) else _ORDER


def custom_shapes(custom: CustomTopologies, chips: int, *, disputed: bool = False) -> Iterator[Topology]:
    """Every custom shape with exactly that many chips, in order; with ``disputed`` also those above ``max_chips``."""
    if not custom.above_chips < chips <= _most_chips(custom, disputed=disputed):
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


def topologies_with(generation: Generation, chips: int) -> tuple[str, ...]:
    """Every topology with exactly that many chips, in either cluster mode, smallest sides first.

    Those that are not documented are left out, but not custom shapes on whose size sources disagree.
    """
    rows = (row for mode in _MODES for row in selectable_rows(generation, mode))
    custom = generation.custom_topologies
    return _with_chips(rows, custom, chips)


def selectable_with(generation: Generation, mode: Mode, rows: Iterable[TopologyRow], chips: int) -> tuple[str, ...]:
    """Of the rows and the custom shapes of a mode those with exactly that many chips, smallest sides first."""
    return _with_chips(rows, custom_topologies(generation, mode), chips)


def _with_chips(rows: Iterable[TopologyRow], custom: CustomTopologies | None, chips: int) -> tuple[str, ...]:
    listed = (row.topology for row in rows if Topology.parse(row.topology).chips == chips)
    ruled = map(str, custom_shapes(custom, chips, disputed=True)) if custom else ()
    return tuple(sorted(dict.fromkeys((*listed, *ruled)), key=lambda shape: Topology.parse(shape).dimensions))


def custom_step(custom: CustomTopologies) -> int:
    """The number of chips by which custom shapes grow: 64 where each dimension is a multiple of 4."""
    return math.prod((custom.multiple_of,) * len(Topology.parse(custom.largest_documented).dimensions))


def custom_rule(custom: CustomTopologies) -> str:
    """The rule for shapes outside the table, in one line."""
    return (
        f"AxBxC with A <= B <= C; each dimension is a multiple of {custom.multiple_of}; "
        f"more than {custom.above_chips:,} and at most {custom.max_chips:,} chips"
    )


def rounded(custom: CustomTopologies, topology: Topology) -> Iterator[str]:
    """The custom shapes that rounding each dimension up or down makes, with the dimensions put in order."""
    step = custom.multiple_of
    sides = [sorted({max(side // step, 1) * step, -(-side // step) * step}) for side in topology.dimensions]
    for choice in itertools.product(*sides):
        shape = Topology(tuple(sorted(choice)))
        if not custom_problem(custom, shape) and not custom_doubt(custom, shape):
            yield str(shape)


def most_cubic(shapes: Iterable[str]) -> str:
    """The shape closest to a cube, which has the shortest paths between its chips.

    Of shapes with the same number of chips that is the one with the smallest sum of its sides.
    """
    return min(shapes, key=lambda shape: (sum(Topology.parse(shape).dimensions), shape))
