"""Finds the one shape that a group's keys describe, or says why there is none."""

from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.facts import Mode
from pulumi_gke_tpu.catalog.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.findings import did_you_mean, printable
from pulumi_gke_tpu.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.fleet.words import generation_called, meaning_of
from pulumi_gke_tpu.plan import SliceGroup


def shape_of(catalog: Catalog, mode: Mode, group: SliceGroup) -> Shape | ShapeProblem:
    """The shape of a group's slices in a cluster mode.

    Tells apart: unknown generation (TPU101, TPU102), unknown machine type (TPU103), topology and chips both or
    neither (TPU104), a malformed or wrong number of dimensions (TPU111), a topology that does not exist (TPU112),
    a custom topology against the rule (TPU113), one that exists in two forms (TPU114), a contradiction between
    topology and machine (TPU115), chips that fit no or several topologies (TPU116).
    """
    if group.tpu not in catalog.generation_names:
        return _unknown_generation(catalog, group)
    generation = catalog.generation(group.tpu)
    problem = _machine_problem(generation, group)
    if problem:
        return problem
    if (group.topology is None) == (group.chips is None):
        return _topology_or_chips(generation, mode, group)
    rows = selectable_rows(generation, mode, group.machine_type)
    if group.topology is None:
        return _by_chips(group, generation, mode, rows)
    try:
        topology = Topology.parse(group.topology)
    except ValueError:
        return _malformed(generation, group.topology)
    if len(topology.dimensions) != generation.dimensions:
        return _malformed(generation, group.topology)
    return _by_topology(group, generation, mode, rows, topology)


def selectable_rows(generation: Generation, mode: Mode, machine_type: str | None = None) -> list[TopologyRow]:
    """The topology rows a plan can choose from in a mode; undocumented and legacy ones only by their machine type."""
    rows = [row for row in generation.topologies.rows if mode in row.modes]
    if machine_type is None:
        families = generation.families
        return [
            row
            for row in rows
            if row.documented and not families[generation.machine_types[row.machine_type].family].legacy
        ]
    machine = generation.machine_types[machine_type]
    stand_in = not machine.documented
    return [
        row
        for row in generation.topologies.rows
        if row.machine_type == machine_type
        or (
            stand_in
            and generation.machine_types[row.machine_type].family == machine.family
            and generation.machine_types[row.machine_type].chips == machine.chips
        )
    ]


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
    if max(sides) > custom.max_dimension:
        return f"no dimension can be over {custom.max_dimension}"
    return ""


def _by_topology(
    group: SliceGroup, generation: Generation, mode: Mode, rows: list[TopologyRow], topology: Topology
) -> Shape | ShapeProblem:
    matching = [row for row in rows if row.topology == str(topology)]
    fitting = [row for row in matching if _fits(group, generation, row)]
    if len(fitting) == 1:
        return _shape(group, generation, topology, fitting[0].machine_type)
    if len(fitting) > 1:
        return _ambiguous(generation, topology, fitting)
    if matching:
        return _contradiction(generation, group, topology, matching)
    custom = generation.custom_topologies
    if custom and mode in custom.modes and topology.chips > custom.above_chips:
        return _custom(group, generation, custom, topology)
    return _no_such_topology(group, generation, mode, rows, topology)


def _custom(
    group: SliceGroup, generation: Generation, custom: CustomTopologies, topology: Topology
) -> Shape | ShapeProblem:
    reason = custom_problem(custom, topology)
    if reason:
        sides = tuple(sorted(topology.dimensions))
        ordered = Topology(sides)
        fix = f"topology: {ordered}" if not custom_problem(custom, ordered) else ""
        return ShapeProblem("TPU113", "topology", f"{group.tpu} has no topology {topology}: {reason}", fix=fix)
    chips = generation.machine_types[custom.machine_type].chips
    machine = generation.machine_types[group.machine_type] if group.machine_type else None
    if group.chips_per_host not in (None, chips) or (machine and machine.chips != chips):
        return ShapeProblem(
            "TPU115",
            "chips_per_host" if group.chips_per_host is not None else "machine_type",
            f"{group.tpu} {topology} has {chips} chips per host ({custom.machine_type})",
            fix=f"chips_per_host: {chips}",
        )
    return _shape(group, generation, topology, custom.machine_type, custom=True)


def _by_chips(group: SliceGroup, generation: Generation, mode: Mode, rows: list[TopologyRow]) -> Shape | ShapeProblem:
    assert group.chips is not None
    shapes = {row.topology for row in rows if Topology.parse(row.topology).chips == group.chips}
    custom = generation.custom_topologies
    if custom and mode in custom.modes:
        shapes.update(map(str, custom_shapes(custom, group.chips)))
    if len(shapes) == 1:
        return _by_topology(group, generation, mode, rows, Topology.parse(shapes.pop()))
    if not shapes:
        sizes = sorted({Topology.parse(row.topology).chips for row in rows})
        near = min(sizes, key=lambda size: abs(size - (group.chips or 0)), default=None)
        return ShapeProblem(
            "TPU116",
            "chips",
            f"{group.tpu} has no slice of {group.chips:,} chips on {mode.title()}",
            allowed=tuple(map(str, sizes)),
            fix=f"chips: {near}" if near else "",
        )
    choices = tuple(sorted(shapes, key=lambda shape: Topology.parse(shape).dimensions))
    return ShapeProblem(
        "TPU116",
        "chips",
        f"{len(choices)} topologies of {group.tpu} have {group.chips:,} chips",
        allowed=choices,
        fix=f"topology: {_most_cubic(choices)}",
        why="they differ in bandwidth, so the choice is yours",
    )


def custom_shapes(custom: CustomTopologies, chips: int) -> Iterable[Topology]:
    """Every custom shape with exactly that many chips, in order."""
    step = custom.multiple_of
    for first in range(step, round(chips ** (1 / 3)) + step + 1, step):
        for second in range(first, chips // first + 1, step) if chips % first == 0 else ():
            third, rest = divmod(chips, first * second)
            topology = Topology((first, second, third))
            if not rest and not custom_problem(custom, topology):
                yield topology


def _most_cubic(choices: Iterable[str]) -> str:
    return min(choices, key=lambda shape: (max(Topology.parse(shape).dimensions), shape))


def _fits(group: SliceGroup, generation: Generation, row: TopologyRow) -> bool:
    return group.chips_per_host in (None, generation.machine_types[row.machine_type].chips)


def _shape(
    group: SliceGroup, generation: Generation, topology: Topology, machine_type: str, custom: bool = False
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


def _unknown_generation(catalog: Catalog, group: SliceGroup) -> ShapeProblem:
    word = group.tpu.strip().lower()
    for name, announced in catalog.announced.items():
        if word in (name, *announced.also_called):
            return ShapeProblem(
                "TPU102", "tpu", f"{printable(group.tpu)} cannot be had on GKE yet", why=announced.answer
            )
    meaning = meaning_of(catalog, word)
    known = generation_called(catalog, word)
    near = known or did_you_mean(word, catalog.generation_names)
    fix = meaning.as_plan if meaning else f"tpu: {near}" if near else ""
    return ShapeProblem(
        "TPU101",
        "tpu",
        f"{printable(group.tpu)} is {meaning.what}, not a generation"
        if meaning
        else f"no TPU generation {printable(group.tpu)}",
        allowed=catalog.generation_names,
        fix=fix,
        why=meaning.why if meaning else "",
    )


def _machine_problem(generation: Generation, group: SliceGroup) -> ShapeProblem | None:
    if group.machine_type is None:
        return None
    names = tuple(name for name, machine in generation.machine_types.items() if machine.documented)
    machine = generation.machine_types.get(group.machine_type)
    if machine is None:
        near = did_you_mean(group.machine_type, names)
        return ShapeProblem(
            "TPU103",
            "machine_type",
            f"{group.tpu} has no machine type {printable(group.machine_type)}",
            allowed=names,
            fix=f"machine_type: {near}" if near else "",
        )
    if group.chips_per_host not in (None, machine.chips):
        return ShapeProblem(
            "TPU115",
            "chips_per_host",
            f"{group.machine_type} has {machine.chips} chips, not {group.chips_per_host}",
            fix=f"chips_per_host: {machine.chips}",
        )
    return None


def _topology_or_chips(generation: Generation, mode: Mode, group: SliceGroup) -> ShapeProblem:
    both = group.topology is not None
    rows = selectable_rows(generation, mode, group.machine_type)
    shapes = tuple(dict.fromkeys(row.topology for row in rows))
    return ShapeProblem(
        "TPU104",
        "chips" if both else "topology",
        "topology and chips are both given" if both else "topology is missing",
        allowed=shapes,
        fix=f"topology: {group.topology}" if both else f"topology: {shapes[0]}" if shapes else "",
        why="one of them decides the shape of a slice",
    )


def _malformed(generation: Generation, topology: str) -> ShapeProblem:
    form = "AxB" if generation.dimensions == 2 else "AxBxC"
    example = generation.topologies.rows[0].topology
    return ShapeProblem(
        "TPU111",
        "topology",
        f"{printable(topology)} is not of the form {form}",
        fix=f"topology: {example}",
        why=f"{generation.title} has {generation.dimensions}D topologies",
    )


def _ambiguous(generation: Generation, topology: Topology, rows: list[TopologyRow]) -> ShapeProblem:
    def form(row: TopologyRow) -> str:
        chips = generation.machine_types[row.machine_type].chips
        hosts = topology.chips // chips
        return f"chips_per_host: {chips} ({hosts} host{'s' if hosts > 1 else ''} of {row.machine_type})"

    forms = tuple(form(row) for row in sorted(rows, key=lambda row: -generation.machine_types[row.machine_type].chips))
    return ShapeProblem(
        "TPU114",
        "topology",
        f"topology {topology} exists in {len(rows)} forms",
        allowed=forms,
        fix=forms[0].split(" (")[0],
        why="one is a node of its own, the other spans nodes: workloads and scaling differ",
    )


def _contradiction(
    generation: Generation, group: SliceGroup, topology: Topology, rows: list[TopologyRow]
) -> ShapeProblem:
    chips = tuple(sorted({generation.machine_types[row.machine_type].chips for row in rows}))
    return ShapeProblem(
        "TPU115",
        "chips_per_host",
        f"{group.tpu} {topology} has no form with {group.chips_per_host} chips per host",
        allowed=tuple(map(str, chips)),
        fix=f"chips_per_host: {chips[-1]}",
    )


def _no_such_topology(
    group: SliceGroup, generation: Generation, mode: Mode, rows: list[TopologyRow], topology: Topology
) -> ShapeProblem:
    if group.machine_type is not None:
        elsewhere = [row for row in selectable_rows(generation, mode) if row.topology == str(topology)]
        if elsewhere:
            machine = elsewhere[0].machine_type
            return ShapeProblem(
                "TPU115",
                "machine_type",
                f"{group.machine_type} does not form {topology} slices",
                allowed=tuple(row.machine_type for row in elsewhere),
                fix=f"machine_type: {machine}",
            )
    shapes = tuple(dict.fromkeys(row.topology for row in rows))
    sizes = [(Topology.parse(shape).chips, shape) for shape in shapes]
    larger = [entry for entry in sizes if entry[0] >= topology.chips]
    chips, near = min(larger) if larger else max(sizes, default=(0, ""))
    more = ()
    if generation.custom_topologies and mode in generation.custom_topologies.modes:
        more = (f"AxBxC above {generation.custom_topologies.above_chips} chips",)
    where = (
        ""
        if any(row.topology == str(topology) for row in generation.topologies.rows) is False
        else f" on {mode.title()}"
    )
    return ShapeProblem(
        "TPU112",
        "topology",
        f"{group.tpu} has no topology {topology}{where}",
        allowed=(*shapes, *more),
        fix=f"topology: {near}      # {chips} chips; {topology} would be {topology.chips}" if near else "",
        why="GKE refuses the node pool"
        + ("; custom 2D topologies do not exist" if generation.custom_topologies is None else ""),
    )
