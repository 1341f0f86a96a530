"""Finds the one shape that the keys of a group describe, or the problem if there is none."""

from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.core.catalog.topologies import (
    custom_problem,
    custom_topologies,
    selectable_rows,
    selectable_with,
    undocumented_rows,
)
from pulumi_gke_tpu.core.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes import problems
from pulumi_gke_tpu.core.fleet.shapes.suggestions import ShapeRequest
from pulumi_gke_tpu.core.plan import SliceGroupSpec

MOST_SLICES = 1_000
"""The most multi-host slices of one group. Each is a node pool, and a typing error must not exhaust memory."""


def shape_of(catalog: Catalog, mode: Mode, group: SliceGroupSpec) -> Shape | ShapeProblem:
    """The shape of the slices of a group in a cluster mode.

    The problems are: an unknown generation (TPU101, TPU102) or machine type (TPU103), both or neither of topology and
    chips (TPU104), a malformed topology or a wrong number of dimensions (TPU111), an unknown topology (TPU112), an
    invalid custom topology (TPU113), a topology with two forms (TPU114), a host that conflicts with the topology
    (TPU115), chips of no topology or of several (TPU116), too many slices (TPU119).
    """
    shape = _shape_of(catalog, mode, group)
    if isinstance(shape, Shape) and shape.multi_host and mode == "standard":
        key, slices = ("max", group.max) if group.max is not None else ("count", group.count)
        if slices is not None and slices > MOST_SLICES:
            return problems.too_many_slices(key, slices, MOST_SLICES)
    return shape


def _shape_of(catalog: Catalog, mode: Mode, group: SliceGroupSpec) -> Shape | ShapeProblem:
    def resolve(other: SliceGroupSpec) -> Shape | ShapeProblem:
        return _shape_of(catalog, mode, other)

    asked = ShapeRequest(catalog, mode, group, resolve)
    if group.tpu not in catalog.generation_names:
        return problems.unknown_generation(asked)
    problem = problems.machine_problem(asked)
    if problem:
        return problem
    rows = selectable_rows(asked.generation, mode, group.machine_type)
    topology = _topology(asked, rows)
    if isinstance(topology, ShapeProblem):
        return topology
    return _listed(asked, rows, topology) or _unlisted(asked, rows, topology)


def _topology(asked: ShapeRequest, rows: Sequence[TopologyRow]) -> Topology | ShapeProblem:
    """The topology of the group, by its key or by its number of chips."""
    group, generation = asked.group, asked.generation
    if group.dynamic:
        facts = asked.catalog.kubernetes.pods.dynamic_slices
        return problems.of_dynamic_group(asked) or Topology.parse(facts.cube_topology)
    written = _written(asked, rows)
    if isinstance(written, ShapeProblem):
        return written
    try:
        topology = Topology.parse(written)
    except ValueError:
        topology = None
    if topology is None or len(topology.dimensions) != generation.dimensions:
        return problems.malformed(asked, rows, written)
    return topology


def _written(asked: ShapeRequest, rows: Sequence[TopologyRow]) -> str | ShapeProblem:
    """The topology as the group states it, or the only one that has its chips."""
    group = asked.group
    match group.topology, group.chips:
        case str(written), None:
            return written
        case None, int(chips):
            shapes = selectable_with(asked.generation, asked.mode, rows, chips)
            if not shapes:
                return problems.no_such_chips(asked, rows, chips)
            return shapes[0] if len(shapes) == 1 else problems.several_topologies(group, shapes)
        case str(written), int(chips):
            return problems.topology_and_chips(asked, rows, written, chips)
        case _:
            return problems.no_topology(asked, rows)


def _listed(asked: ShapeRequest, rows: Sequence[TopologyRow], topology: Topology) -> Shape | ShapeProblem | None:
    """The shape in the generation's table; None if the topology is not there."""
    group, generation = asked.group, asked.generation
    matching = [row for row in rows if row.topology == str(topology)]
    if not matching and group.machine_type is None:
        matching = undocumented_rows(generation, asked.mode, topology)
    fitting = [row for row in matching if _fits(group, generation, row)]
    if len(fitting) == 1:
        return _shape(group, generation, topology, fitting[0].machine_type)
    if fitting:
        return problems.ambiguous(generation, group, topology, fitting)
    return problems.host_mismatch(generation, group, topology, matching) if matching else None


def _unlisted(asked: ShapeRequest, rows: Sequence[TopologyRow], topology: Topology) -> Shape | ShapeProblem:
    """The shape outside of the table, if the generation has custom topologies."""
    custom = custom_topologies(asked.generation, asked.mode)
    if custom is None or topology.chips <= custom.above_chips:
        return problems.no_such_topology(asked, rows, topology)
    reason = custom_problem(custom, topology)
    if reason:
        return problems.against_custom_rule(asked, rows, custom, topology, reason)
    return _custom(asked.group, asked.generation, custom, topology)


def _custom(
    group: SliceGroupSpec, generation: Generation, custom: CustomTopologies, topology: Topology
) -> Shape | ShapeProblem:
    host = generation.machine_types[custom.machine_type]
    given = generation.machine_types[group.machine_type] if group.machine_type else host
    if group.chips_per_host not in (None, host.chips) or (given.family, given.chips) != (host.family, host.chips):
        return problems.custom_host_mismatch(group, topology, custom.machine_type, host.chips)
    return _shape(group, generation, topology, custom.machine_type, custom=True)


def _fits(group: SliceGroupSpec, generation: Generation, row: TopologyRow) -> bool:
    return group.chips_per_host in (None, generation.machine_types[row.machine_type].chips)


def _shape(
    group: SliceGroupSpec, generation: Generation, topology: Topology, machine_type: str, *, custom: bool = False
) -> Shape:
    machine_type = group.machine_type or machine_type
    machine = generation.machine_types[machine_type]
    return Shape(
        generation=group.tpu,
        family=machine.family,
        topology=topology,
        machine_type=machine_type,
        chips_per_host=machine.chips,
        accelerator_label=generation.families[machine.family].accelerator_label,
        placement=generation.multi_host_placement,
        custom=custom,
    )


_TWO_FORMS = "TPU114"


def takes_policies(catalog: Catalog, generation: str) -> bool:
    """Whether multi-host slices of a generation require a workload policy, or can use one."""
    found = catalog.generation(generation)
    return found.multi_host_placement == "workload_policy" or found.named_policy


def policy_generations(catalog: Catalog, mode: Mode, topology: str) -> list[str]:
    """The generations with multi-host slices of this topology that a policy can place."""
    return [
        name
        for name in catalog.generation_names
        if takes_policies(catalog, name) and _is_multi_host(catalog, mode, name, topology)
    ]


def _is_multi_host(catalog: Catalog, mode: Mode, generation: str, topology: str) -> bool:
    """Whether a topology is one of several hosts, in at least one of its forms."""
    shape = shape_of(catalog, mode, SliceGroupSpec(tpu=generation, topology=topology))
    return shape.multi_host if isinstance(shape, Shape) else shape.rule == _TWO_FORMS
