"""Says why a group has no shape, and what to write instead."""

import re
from collections.abc import Callable, Sequence

from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.facts import Mode
from pulumi_gke_tpu.catalog.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.catalog.topologies import (
    custom_problem,
    custom_topologies,
    most_cubic,
    nearest_custom,
    selectable_rows,
)
from pulumi_gke_tpu.findings import did_you_mean, printable
from pulumi_gke_tpu.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.fleet.words import Meaning, generation_called, meaning_of
from pulumi_gke_tpu.plan import SliceGroup

Resolve = Callable[[SliceGroup], Shape | ShapeProblem]


def unknown_generation(catalog: Catalog, mode: Mode, group: SliceGroup, resolve: Resolve) -> ShapeProblem:
    """``tpu`` is no generation: announced only (TPU102), a word from elsewhere, or nothing known (TPU101)."""
    word = group.tpu.strip().lower()
    for name, announced in catalog.announced.items():
        if word in (name, *announced.also_called):
            return ShapeProblem(
                "TPU102",
                "tpu",
                f"GKE does not offer {printable(group.tpu)}",
                allowed=catalog.generation_names,
                why=announced.answer.rstrip("."),
            )
    called = generation_called(catalog, word)
    meaning = None if called else meaning_of(catalog, word)
    if meaning:
        return ShapeProblem(
            "TPU101",
            "tpu",
            f"{printable(group.tpu)} is {meaning.what}" + (", not a generation" if meaning.exists else ""),
            allowed=catalog.generation_names,
            fix=_said_by_a_plan(meaning, mode, group, resolve),
            why=meaning.why,
        )
    starts = [name for name in catalog.generation_names if word and name.startswith(word)]
    near = called or (did_you_mean(word, catalog.generation_names) if len(starts) < 2 else None)
    return ShapeProblem(
        "TPU101",
        "tpu",
        f"there is no TPU generation {printable(group.tpu)}" if word else "tpu is empty",
        allowed=tuple(starts) if len(starts) > 1 else catalog.generation_names,
        fix=f"tpu: {near}" if near else "",
    )


def _said_by_a_plan(meaning: Meaning, mode: Mode, group: SliceGroup, resolve: Resolve) -> str:
    """The keys that say what the word means, without any that the group has already or that name no slice."""
    keys = {"tpu": meaning.generation}
    if meaning.topology and group.topology is None and group.chips is None:
        keys["topology"] = meaning.topology
        problem = resolve(group.model_copy(update=keys))
        if isinstance(problem, ShapeProblem) and problem.rule == "TPU114":
            keys["chips_per_host"] = problem.fix.removeprefix("chips_per_host: ")
        elif isinstance(problem, ShapeProblem):
            del keys["topology"]
    if meaning.machine_type and group.machine_type is None and mode == "standard":
        keys["machine_type"] = meaning.machine_type
    return "\n".join(f"{key}: {value}" for key, value in keys.items())


def machine_problem(catalog: Catalog, generation: Generation, group: SliceGroup) -> ShapeProblem | None:
    """``machine_type`` is none of the generation's (TPU103), or has other chips than ``chips_per_host`` (TPU115)."""
    if group.machine_type is None:
        return None
    machine = generation.machine_types.get(group.machine_type)
    if machine is None:
        names = tuple(
            name
            for name, known in generation.machine_types.items()
            if known.documented and not generation.families[known.family].legacy
        )
        meaning = meaning_of(catalog, group.machine_type)
        owner = meaning.generation if meaning and meaning.machine_type else ""
        near = did_you_mean(group.machine_type, names)
        return ShapeProblem(
            "TPU103",
            "machine_type",
            f"{printable(group.machine_type)} is a machine type of {owner}, not of {group.tpu}"
            if owner
            else f"{group.tpu} has no machine type {printable(group.machine_type)}",
            allowed=names,
            fix=f"machine_type: {near}" if near else "",
        )
    if group.chips_per_host not in (None, machine.chips):
        return ShapeProblem(
            "TPU115",
            "chips_per_host",
            f"{group.machine_type} has {machine.chips} chips, not {group.chips_per_host}",
            allowed=(str(machine.chips),),
            fix=f"chips_per_host: {machine.chips}",
        )
    return None


def topology_or_chips(group: SliceGroup, rows: Sequence[TopologyRow]) -> ShapeProblem:
    """Both of them are given, or neither (TPU104)."""
    shapes = _shapes(rows)
    if group.topology is not None:
        message, key = "topology and chips are both given: keep one", "chips"
        fix = f"topology: {group.topology}" if group.topology in shapes else f"chips: {group.chips}"
    else:
        message, key, fix = "topology is missing", "topology", f"topology: {shapes[0]}" if shapes else ""
    return ShapeProblem("TPU104", key, message, shapes, fix, "one of them decides the shape of a slice")


def malformed(generation: Generation, mode: Mode, rows: Sequence[TopologyRow], text: str) -> ShapeProblem:
    """``topology`` is not of the form that the generation's topologies have (TPU111)."""
    form = "AxB" if generation.dimensions == 2 else "AxBxC"
    shapes = _shapes(rows)
    fix = _respelled(generation, mode, shapes, text) or (shapes[0] if shapes else "")
    return ShapeProblem(
        "TPU111",
        "topology",
        f"{printable(text)} is not of the form {form}" if text else "topology is empty",
        allowed=shapes,
        fix=f"topology: {fix}" if fix else "",
        why=f"{generation.title} has {generation.dimensions}D topologies",
    )


def _respelled(generation: Generation, mode: Mode, shapes: Sequence[str], text: str) -> str:
    """The topology that is meant, where the numbers in the text name one, or name its chips."""
    sides = [int(number) for number in re.findall("[0-9]{1,5}", text[:40])]
    if len(sides) == generation.dimensions + 1 and sides[-1] == 1:
        sides.pop()
    if len(sides) == generation.dimensions - 1:
        sides.append(1)
    if not sides or 0 in sides:
        return ""
    meant = Topology(tuple(sides))
    custom = custom_topologies(generation, mode)
    if len(sides) == generation.dimensions and (str(meant) in shapes or (custom and not custom_problem(custom, meant))):
        return str(meant)
    return next((shape for shape in shapes if Topology.parse(shape).chips == meant.chips), "")


def ambiguous(generation: Generation, topology: Topology, rows: Sequence[TopologyRow]) -> ShapeProblem:
    """The topology exists on hosts of different sizes (TPU114)."""
    machines = {generation.machine_types[row.machine_type].chips: row.machine_type for row in rows}
    forms = []
    for chips in sorted(machines, reverse=True):
        hosts = topology.chips // chips
        forms.append(f"chips_per_host: {chips} ({hosts} host{'s' if hosts > 1 else ''} of {machines[chips]})")
    return ShapeProblem(
        "TPU114",
        "topology",
        f"topology {topology} exists in {len(forms)} forms",
        allowed=tuple(forms),
        fix=f"chips_per_host: {max(machines)}",
        why="one form is a node of its own, the other spans nodes: workloads and scaling differ",
    )


def contradiction(
    generation: Generation, group: SliceGroup, topology: Topology, rows: Sequence[TopologyRow]
) -> ShapeProblem:
    """No host of the size that ``chips_per_host`` says forms the topology (TPU115)."""
    chips = sorted({generation.machine_types[row.machine_type].chips for row in rows})
    return ShapeProblem(
        "TPU115",
        "chips_per_host",
        f"{group.tpu} {topology} has no form with {group.chips_per_host} chips per host",
        allowed=tuple(map(str, chips)),
        fix=f"chips_per_host: {chips[-1]}",
    )


def other_host(group: SliceGroup, topology: Topology, machine_type: str, chips: int) -> ShapeProblem:
    """A custom topology is formed by one machine type only (TPU115)."""
    by_chips = group.chips_per_host is not None
    return ShapeProblem(
        "TPU115",
        "chips_per_host" if by_chips else "machine_type",
        f"{group.tpu} {topology} is formed by {machine_type}, {chips} chips per host",
        allowed=(str(chips),) if by_chips else (machine_type,),
        fix=f"chips_per_host: {chips}" if by_chips else f"machine_type: {machine_type}",
    )


def against_custom_rule(group: SliceGroup, custom: CustomTopologies, topology: Topology, reason: str) -> ShapeProblem:
    """A shape outside the table breaks the rule for such shapes (TPU113)."""
    near = nearest_custom(custom, topology)
    return ShapeProblem(
        "TPU113",
        "topology",
        f"{group.tpu} has no topology {topology}: {reason}",
        fix=f"topology: {near}" if near else f"topology: {custom.largest_documented}",
        why=f"above {custom.above_chips} chips GKE takes AxBxC with A <= B <= C, each a multiple of "
        f"{custom.multiple_of}, and at most {custom.max_chips:,} chips",
    )


def no_such_topology(
    group: SliceGroup, generation: Generation, mode: Mode, rows: Sequence[TopologyRow], topology: Topology
) -> ShapeProblem:
    """The topology is in no table (TPU112), or another machine type forms it (TPU115)."""
    if group.machine_type is not None:
        makers = [row.machine_type for row in selectable_rows(generation, mode) if row.topology == str(topology)]
        if makers:
            return ShapeProblem(
                "TPU115",
                "machine_type",
                f"{group.machine_type} does not form {topology} slices",
                allowed=tuple(makers),
                fix=f"machine_type: {makers[0]}",
            )
    shapes = _shapes(rows)
    custom = custom_topologies(generation, mode)
    elsewhere = any(row.topology == str(topology) and row.documented for row in generation.topologies.rows)
    sizes = [(Topology.parse(shape).chips, shape) for shape in shapes]
    chips, near = min((entry for entry in sizes if entry[0] >= topology.chips), default=max(sizes, default=(0, "")))
    return ShapeProblem(
        "TPU112",
        "topology",
        f"{group.tpu} has no topology {topology}" + (f" on {mode.title()}" if elsewhere else ""),
        allowed=(*shapes, f"AxBxC above {custom.above_chips} chips") if custom else shapes,
        fix=f"topology: {near}      # {chips:,} chips; {topology} would be {topology.chips:,}" if near else "",
        why="GKE refuses a slice whose topology is not in its table"
        + ("" if generation.custom_topologies else "; custom 2D topologies do not exist"),
    )


def no_such_chips(
    group: SliceGroup, generation: Generation, mode: Mode, rows: Sequence[TopologyRow], resolve: Resolve
) -> ShapeProblem:
    """No topology has that many chips (TPU116)."""
    wanted = group.chips or 0
    sizes = sorted({Topology.parse(row.topology).chips for row in rows})
    usable = (
        size
        for size in sorted(sizes, key=lambda size: (abs(size - wanted), size))
        if isinstance(resolve(group.model_copy(update={"chips": size})), Shape)
    )
    near = next(usable, None)
    custom = custom_topologies(generation, mode)
    most = max(custom.max_chips if custom else 0, *sizes, 0)
    return ShapeProblem(
        "TPU116",
        "chips",
        f"{group.tpu} has no slice of {wanted:,} chips on {mode.title()}",
        allowed=(*map(str, sizes), f"custom shapes up to {most:,}") if custom else tuple(map(str, sizes)),
        fix=f"chips: {near}" if near else "",
        why="the chips of a slice are the product of its topology's dimensions",
    )


def several_topologies(group: SliceGroup, shapes: Sequence[str]) -> ShapeProblem:
    """More than one topology has that many chips (TPU116)."""
    choices = sorted(shapes, key=lambda shape: Topology.parse(shape).dimensions)
    return ShapeProblem(
        "TPU116",
        "chips",
        f"{len(choices)} topologies of {group.tpu} have {group.chips:,} chips",
        allowed=tuple(choices),
        fix=f"topology: {most_cubic(choices)}",
        why="they differ in bandwidth, and only you know which one your program is laid out for",
    )


def too_many_slices(key: str, slices: int, most: int) -> ShapeProblem:
    """Each slice would be a node pool of its own, and no cluster has that many (TPU119)."""
    return ShapeProblem(
        "TPU119",
        key,
        f"{key} asks for {slices:,} slices, and each is a node pool of its own",
        allowed=(f"at most {most:,} in a group",),
        why=f"one group holds at most {most:,} slices of several hosts; the limit is this tool's, not GKE's",
    )


def _shapes(rows: Sequence[TopologyRow]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.topology for row in rows))
