"""Explains names of slices: accelerator types, labels or generations with a topology, and a topology alone."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import TpuName, generation_called, resolve, usual_topology
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.catalog.topologies import custom_doubt, custom_step, selectable_rows, topologies_with
from pulumi_gke_tpu.core.fleet import Shape, ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.fleet.shapes.suggestions import Keys, is_meant, keys_of_name
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import Fix, SetKeys, listed, number
from pulumi_gke_tpu.core.text.formats.names import is_region, is_zone
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence, fitting_notes
from pulumi_gke_tpu.features.explain.words.capacity import explain_capacity_of, is_capacity
from pulumi_gke_tpu.features.explain.words.places import explain_place_for

_MODES: tuple[Mode, ...] = ("standard", "autopilot")
_MOST_SHAPES = 6


def explain_pair(catalog: Catalog, first: str, second: str) -> Explanation | None:
    """A generation with a zone or a capacity mode, or the name of a slice in two words; in any order."""
    for one, other in ((first, second), (second, first)):
        name = generation_called(catalog, one)
        if name is not None and (is_zone(other) or is_region(other)):
            return explain_place_for(catalog, name, other)
        if name is not None and is_capacity(other):
            return explain_capacity_of(catalog, name, other)
        explained = explain_slice(catalog, f"{one} {other}")
        if explained is not None:
            return explained
    return None


def explain_topology(catalog: Catalog, word: str) -> Explanation | None:
    """A topology alone: the generations that support it."""
    try:
        topology = Topology.parse(word)
    except ValueError:
        return None
    steps = []
    for name in catalog.generation_names:
        if catalog.generation(name).dimensions == len(topology.dimensions):
            for step in _mode_steps(catalog, TpuName("slice", name, topology=topology, chips=topology.chips)):
                steps.append(Step(f"{name} {step.name}", step.value, step.because, step.evidence))
    return Explanation(
        item=str(topology),
        kind="topology",
        summary=f"a {len(topology.dimensions)}D topology of {number(topology.chips, 'chip')}",
        catalog=catalog.about.version,
        steps=tuple(steps),
    )


def explain_slice(catalog: Catalog, word: str) -> Explanation | None:
    """The name of a slice, such as ``v5p-128``, ``v6e-4x4`` or ``tpu-v5p-slice 4x4x4``, even if it does not exist."""
    name = resolve(catalog, word)
    if name is None or name.kind != "slice":
        return None
    if name.topology is None:
        return _explain_no_slice(catalog, word, name)
    paste = paste_of(catalog, name)
    size = f"{number(name.topology.chips, 'chip')} of {name.generation}"
    what = f"{name.slices} slices of {size} each" if name.slices > 1 else f"a slice of {size}"
    return Explanation(
        item=word,
        kind="slice",
        summary=f"{what}, {name.topology}" if paste else f"GKE does not support this {name.generation} slice",
        catalog=catalog.about.version,
        steps=tuple(_slice_steps(catalog, name)),
        paste=paste,
    )


def _slice_steps(catalog: Catalog, name: TpuName) -> Iterator[Step]:
    topology = name.topology
    if name.numbers is not None:
        yield from _number_steps(catalog, name)
        others = topologies_with(catalog.generation(name.generation), name.chips or 0)
        several = f"the default of {len(others)} topologies with this number of chips"
        yield Step(
            "topology", str(topology), several if len(others) > 1 else "the only topology with this number of chips"
        )
    elif topology is not None:
        sides = " x ".join(map(str, topology.dimensions))
        yield Step("chips", number(topology.chips, "chip"), f"{sides} in one slice")
    if name.slices > 1:
        value, spellings = number(name.slices, "slice"), catalog.platform.names.spellings
        yield Step("slices", value, "the last number is the number of slices", evidence(catalog, spellings))
    if name.machine_type or name.label:
        wrong = f"; {name.instead_of_label} is misspelled" if name.instead_of_label else ""
        family = catalog.generation(name.generation).families[name.family]
        reason = f"value of {catalog.platform.names.node_labels.accelerator} on its nodes{wrong}"
        yield Step("accelerator label", name.label, reason, evidence(catalog, family))
    yield from _mode_steps(catalog, name)


def _number_steps(catalog: Catalog, name: TpuName) -> Iterator[Step]:
    """The unit of the number, and the resulting number of chips."""
    numbers, amount = name.numbers, name.written_number or 0
    if numbers is None:
        return
    api = "the Cloud TPU API does not use these names"
    if numbers.cloud_tpu_api:
        api = f"accelerator type in the Cloud TPU API: {numbers.prefixes[0]}-{amount}"
    yield Step(
        "number",
        f"{amount:,} {name.unit}",
        f"the number in {name.generation} names counts {name.unit}"
        + (f", {numbers.per_chip} per chip" if numbers.per_chip > 1 else "")
        + f"; {api}",
        evidence(catalog, numbers),
        details=(numbers.note,) if numbers.note else (),
    )
    if name.chips:
        reason = f"{amount:,} {name.unit} / {numbers.per_chip}" if numbers.per_chip > 1 else "as in the name"
        yield Step("chips", number(name.chips, "chip"), reason)


def _explain_no_slice(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    generation = catalog.generation(name.generation)
    if not name.chips:
        has = f"{name.written_number} {name.unit} are not a whole number of chips"
    elif name.chips > generation.limits.max_slice_chips.standard:
        most = generation.limits.max_slice_chips.standard
        has = f"{number(name.chips, 'chip')}; the largest slice on GKE has {number(most, 'chip')}"
    else:
        has = f"no slice has {number(name.chips, 'chip')}" + (" on one host" if name.numbers is None else "")
    return Explanation(
        item=word,
        kind="slice",
        summary=f"not a valid {name.generation} slice: {has}",
        catalog=catalog.about.version,
        steps=(*_number_steps(catalog, name), *_what_exists(catalog, name)),
        remarks=fitting_notes(catalog, set(), {"names"}),
    )


def _what_exists(catalog: Catalog, name: TpuName) -> Iterator[Step]:
    """The nearest slices, and the meaning of the name in tools that count chips."""
    generation, numbers = catalog.generation(name.generation), name.numbers
    amount = name.written_number or 0
    if numbers is None:
        sizes = sorted({machine.chips for machine in generation.machine_types.values()})
        yield Step("hosts", listed([number(chips, "chip") for chips in sizes], "or"), "chips per host")
        return
    near = [
        f"{numbers.prefixes[0]}-{chips * numbers.per_chip} ({usual_topology(catalog, name.generation, chips)})"
        for chips in _nearest_sizes(generation, amount / numbers.per_chip)
    ]
    yield Step("nearest names", listed(near, "or"), "the next smaller and larger slice")
    if numbers.per_chip > 1:
        shapes = topologies_with(generation, amount)
        shown = listed(list(shapes[:_MOST_SHAPES]), "or") + (" and others" if len(shapes) > _MOST_SHAPES else "")
        reason = "the meaning in tools that count chips"
        yield Step("as chips", f"{number(amount, 'chip')}: {shown or 'no such slice'}", reason)


def _nearest_sizes(generation: Generation, chips: float) -> list[int]:
    """The next smaller and the next larger slice size for a number of chips."""
    sizes = {Topology.parse(row.topology).chips for mode in _MODES for row in selectable_rows(generation, mode)}
    custom = generation.custom_topologies
    if custom is not None:
        step = custom_step(custom)
        sizes.update(range((custom.above_chips // step + 1) * step, custom.max_chips + 1, step))
    below = max((size for size in sizes if size < chips), default=None)
    above = min((size for size in sizes if size > chips), default=None)
    return [size for size in (below, above) if size is not None]


def _mode_steps(catalog: Catalog, name: TpuName) -> Iterator[Step]:
    """The form of a slice in each cluster mode."""
    facts = catalog.generation(name.generation)
    for mode in _MODES:
        shapes, problem = _forms(catalog, mode, name)
        if not shapes:
            value, why = "not supported", "not in GKE's topology tables"
            if problem is not None:
                why = f"{problem.message}; {problem.why or f'{problem.rule} reports it'}"
                why += f"; try {_in_one_line(problem.change)}" if problem.change else ""
            yield Step(mode.title(), value, why, evidence(catalog, facts.topologies))
            continue
        hosts = [
            f"{number(shape.hosts, 'host')} of {shape.machine_type} ({'multi' if shape.multi_host else 'single'}-host)"
            for shape in shapes
        ]
        custom = facts.custom_topologies if any(shape.custom for shape in shapes) else None
        reason = "allowed by the rule for custom topologies" if custom else "in the topology table"
        doubt = custom_doubt(custom, shapes[0].topology) if custom else ""
        reason += f"; only sources other than the GKE documentation list this topology: {doubt}" if doubt else ""
        if len(shapes) > 1:
            reason = f"{len(shapes)} machine types can form it: chips_per_host selects one"
        yield Step(
            mode.title(), listed(hosts, "or"), reason, evidence(catalog, custom or facts.topologies, str(name.topology))
        )


def _in_one_line(fix: Fix) -> str:
    """A fix of several entries, with their comments in brackets."""
    entries = fix.entries if isinstance(fix, SetKeys) else ()
    return ", ".join(f"{each.plain} ({each.remark})" if each.remark else each.plain for each in entries) or fix.text


def _forms(catalog: Catalog, mode: Mode, name: TpuName) -> tuple[list[Shape], ShapeProblem | None]:
    """Every shape that a name can mean in a mode, or why there is none."""

    def shape(**more: object) -> Shape | ShapeProblem:
        keys = {"tpu": name.generation, "topology": str(name.topology), **more}
        return shape_of(catalog, mode, SliceGroupSpec.model_validate(keys))

    plain = shape()
    if isinstance(plain, Shape) and is_meant(name, plain):
        return [plain], None
    machines = catalog.generation(name.generation).machine_types
    found = [shape(chips_per_host=chips) for chips in sorted({item.chips for item in machines.values()}, reverse=True)]
    meant = [item for item in found if isinstance(item, Shape) and is_meant(name, item)]
    if not meant and name.family:
        rows = [row for row in catalog.generation(name.generation).topologies.rows if mode in row.modes]
        forming = [row.machine_type for row in rows if row.topology == str(name.topology)]
        found = [shape(machine_type=machine) for machine in forming if machines[machine].family == name.family]
        meant = [item for item in found if isinstance(item, Shape) and is_meant(name, item)]
    return meant, None if meant or isinstance(plain, Shape) else plain


def paste_of(catalog: Catalog, name: TpuName) -> str:
    """The plan keys for the slice of a name; empty if no cluster mode supports it."""

    def keys_in(mode: Mode) -> Keys | None:
        return keys_of_name(catalog, mode, name, lambda group: shape_of(catalog, mode, group))

    keys = keys_in("standard") or keys_in("autopilot")
    pasted = SetKeys.of(keys)
    if keys is None or pasted is None:
        return ""
    if "chips_per_host" in keys and not name.machine_type:
        meant = TpuName("slice", name.generation, topology=Topology.parse(str(keys["topology"])))
        others = [str(shape.chips_per_host) for shape in _forms(catalog, "standard", meant)[0]]
        rest = [chips for chips in others if chips != str(keys["chips_per_host"])]
        pasted = pasted.with_remark("chips_per_host", f"or {listed(rest, 'or')}") if rest else pasted
    return pasted.text
