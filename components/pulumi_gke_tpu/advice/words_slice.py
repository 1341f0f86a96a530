"""Explains slices by other names: Cloud TPU names, topologies, and a generation with a topology, zone or capacity."""

import re
from collections.abc import Iterator

from pulumi_gke_tpu.advice.notes import fitting_notes
from pulumi_gke_tpu.advice.steps import Explanation, Step, evidence, listed
from pulumi_gke_tpu.advice.words_capacity import capacity_called, explain_capacity_of
from pulumi_gke_tpu.advice.words_place import explain_place_for
from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.facts import Mode
from pulumi_gke_tpu.catalog.generation import CloudTpuNames, Generation
from pulumi_gke_tpu.catalog.topologies import custom_shapes, selectable_rows
from pulumi_gke_tpu.findings import number
from pulumi_gke_tpu.fleet import Shape, ShapeProblem
from pulumi_gke_tpu.fleet.location import is_region, is_zone
from pulumi_gke_tpu.fleet.shape import shape_of
from pulumi_gke_tpu.fleet.words import generation_called
from pulumi_gke_tpu.plan import SliceGroup

_NUMBERED = re.compile(r"(?P<prefix>[a-z0-9]+?)-(?P<number>\d{1,6})\Z", re.ASCII)
_MODES: tuple[Mode, ...] = ("standard", "autopilot")
_MOST_SHAPES = 6


def explain_slice(catalog: Catalog, first: str, second: str) -> Explanation | None:
    """A generation with a topology (``v5p``, ``4x4x8``), a zone or a capacity mode; in either order."""
    if generation_called(catalog, first) is None:
        first, second = second, first
    name = generation_called(catalog, first)
    if name is None:
        return None
    if is_zone(second) or is_region(second):
        return explain_place_for(catalog, name, second)
    if capacity_called(second):
        return explain_capacity_of(catalog, name, second)
    try:
        topology = Topology.parse(second)
    except ValueError:
        return None
    steps = [
        Step("chips", number(topology.chips, "chip"), f"{' x '.join(map(str, topology.dimensions))} in one slice"),
        *_mode_steps(catalog, name, topology),
    ]
    exists = any(_forms(catalog, mode, name, topology)[0] for mode in _MODES)
    return Explanation(
        item=f"{name} {topology}",
        kind="topology",
        summary=f"{'a' if exists else 'no'} slice of {catalog.generation(name).title}",
        catalog=catalog.about.version,
        steps=tuple(steps),
        paste=_paste(catalog, name, topology) if exists else "",
    )


def explain_topology(catalog: Catalog, word: str) -> Explanation | None:
    """A topology by itself: which generations have it."""
    try:
        topology = Topology.parse(word)
    except ValueError:
        return None
    steps = []
    for name in catalog.generation_names:
        if catalog.generation(name).dimensions == len(topology.dimensions):
            for step in _mode_steps(catalog, name, topology):
                steps.append(Step(f"{name} {step.name}", step.value, step.because, step.evidence))
    return Explanation(
        item=str(topology),
        kind="topology",
        summary=f"a {len(topology.dimensions)}D topology of {number(topology.chips, 'chip')}",
        catalog=catalog.about.version,
        steps=tuple(steps),
    )


def explain_cloud_tpu_name(catalog: Catalog, word: str) -> Explanation | None:
    """A name of the Cloud TPU API such as v5p-128, also one that does not exist, such as v5p-4."""
    match = _NUMBERED.match(word)
    found = _names_of(catalog, match["prefix"]) if match else None
    if match is None or found is None:
        return None
    generation, names = found
    amount = int(match["number"])
    name = f"{names.prefix}-{match['number']}"
    chips, rest = divmod(amount, names.per_chip)
    spelled = "" if name == word else f"; the Cloud TPU API writes {name}"
    unit = "chips" if names.unit == "chips" else "TensorCores"
    counted = Step(
        "number",
        f"{amount:,} {unit}",
        f"names that begin with {names.prefix} count {unit}"
        + (f", {names.per_chip} per chip" if names.per_chip != 1 else ""),
        evidence(catalog, names),
        details=(names.note,) if names.note else (),
    )
    if name in names.topologies:
        topology = Topology.parse(names.topologies[name])
        steps = [
            counted,
            Step(
                "chips",
                number(chips, "chip"),
                f"{amount:,} {unit} / {names.per_chip}" if names.per_chip > 1 else "as named",
            ),
            Step("topology", str(topology), f"the usual shape of {name}"),
            *_mode_steps(catalog, generation, topology),
        ]
        exists = any(_forms(catalog, mode, generation, topology)[0] for mode in _MODES)
        return Explanation(
            item=word,
            kind="cloud_tpu_name",
            summary=f"a Cloud TPU name for {number(chips, 'chip')} of {generation}{spelled}",
            catalog=catalog.about.version,
            steps=tuple(steps),
            paste=_paste(catalog, generation, topology) if exists else "",
        )
    return Explanation(
        item=word,
        kind="cloud_tpu_name",
        summary=f"no Cloud TPU name that exists; the smallest of {generation} is {_smallest(names)}{spelled}",
        catalog=catalog.about.version,
        steps=(counted, *_what_exists(catalog, generation, names, chips if not rest else None, amount)),
        remarks=fitting_notes(catalog, set(), {"names"}),
    )


def _names_of(catalog: Catalog, prefix: str) -> tuple[str, CloudTpuNames] | None:
    """The naming scheme of a prefix; the generation's own name counts as one too."""
    for name in catalog.generation_names:
        for names in catalog.generation(name).cloud_tpu_names:
            if names.prefix == prefix:
                return name, names
    called = generation_called(catalog, prefix)
    names_of_it = catalog.generation(called).cloud_tpu_names if called else ()
    return (called, names_of_it[0]) if called and names_of_it else None


def _number_of(name: str) -> int:
    return int(name.rsplit("-", 1)[1])


def _smallest(names: CloudTpuNames) -> str:
    smallest = min(names.topologies, key=_number_of)
    return f"{smallest} ({names.topologies[smallest]})"


def _what_exists(
    catalog: Catalog, generation: str, names: CloudTpuNames, chips: int | None, amount: int
) -> Iterator[Step]:
    """What a name that does not exist may stand for."""
    near = sorted(names.topologies, key=lambda name: (abs(_number_of(name) - amount), _number_of(name)))[:3]
    shapes = [f"{name} ({names.topologies[name]})" for name in sorted(near, key=_number_of)]
    yield Step("nearest names", listed(shapes), "by their number")
    for reading, count in (("read that way", chips), ("read as chips", amount)):
        if count and (count != chips or reading == "read that way"):
            found = _shapes_with(catalog.generation(generation), count)
            value = listed(found, "or") if found else f"no slice of {generation} has that many"
            yield Step(reading, f"{number(count, 'chip')}: {value}", f"topologies of {generation} on Standard")


def _shapes_with(generation: Generation, chips: int) -> list[str]:
    """The topologies with a number of chips, at most a few."""
    rows = selectable_rows(generation, "standard")
    shapes = dict.fromkeys(row.topology for row in rows if Topology.parse(row.topology).chips == chips)
    custom = generation.custom_topologies
    if custom is not None and chips <= custom.max_chips:
        shapes.update(dict.fromkeys(map(str, custom_shapes(custom, chips))))
    return list(shapes)[:_MOST_SHAPES]


def _mode_steps(catalog: Catalog, generation: str, topology: Topology) -> Iterator[Step]:
    """What a topology is in each cluster mode."""
    facts = catalog.generation(generation)
    for mode in _MODES:
        shapes, problem = _forms(catalog, mode, generation, topology)
        if problem is not None:
            why = problem.why or f"{problem.rule} reports it"
            tail = f"; try {problem.fix}" if problem.fix else ""
            yield Step(
                mode.title(), "does not exist", f"{problem.message}; {why}{tail}", evidence(catalog, facts.topologies)
            )
            continue
        hosts = [
            f"{number(shape.hosts, 'host')} of {shape.machine_type} ({'multi' if shape.multi_host else 'single'}-host)"
            for shape in shapes
        ]
        custom = facts.custom_topologies if any(shape.custom for shape in shapes) else None
        reason = "by the rule for custom shapes" if custom else "a row of the table"
        if len(shapes) > 1:
            reason = f"it exists in {len(shapes)} forms: chips_per_host chooses one"
        yield Step(
            mode.title(), listed(hosts, "or"), reason, evidence(catalog, custom or facts.topologies, str(topology))
        )


def _forms(
    catalog: Catalog, mode: Mode, generation: str, topology: Topology
) -> tuple[list[Shape], ShapeProblem | None]:
    """Every shape that a topology has in a mode, or why it has none."""

    def shape(chips_per_host: int | None) -> Shape | ShapeProblem:
        keys = {"tpu": generation, "topology": str(topology), "chips_per_host": chips_per_host}
        return shape_of(catalog, mode, SliceGroup.model_validate(keys))

    plain = shape(None)
    if isinstance(plain, Shape):
        return [plain], None
    machines = catalog.generation(generation).machine_types.values()
    sizes = sorted({machine.chips for machine in machines}, reverse=True)
    shapes = [found for found in map(shape, sizes) if isinstance(found, Shape)]
    return (shapes, None) if shapes else ([], plain)


def _paste(catalog: Catalog, generation: str, topology: Topology) -> str:
    """The keys of a group with this slice."""
    shapes, _ = _forms(catalog, "standard", generation, topology)
    lines = [f"tpu: {generation}", f"topology: {topology}"]
    if len(shapes) > 1:
        others = listed([str(shape.chips_per_host) for shape in shapes[1:]], "or")
        lines.append(f"chips_per_host: {shapes[0].chips_per_host}      # or {others}")
    return "\n".join(lines)
