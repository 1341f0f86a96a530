"""The problems of groups without a shape: the reason and a fix for each."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Topology, naming
from pulumi_gke_tpu.core.catalog.naming import TpuName, described, stated, why_of
from pulumi_gke_tpu.core.catalog.records.generation import CustomTopologies, Generation, TopologyRow
from pulumi_gke_tpu.core.catalog.topologies import (
    custom_rule,
    custom_step,
    custom_topologies,
    most_cubic,
    selectable_rows,
)
from pulumi_gke_tpu.core.fleet.model import Shape, ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes.suggestions import (
    Keys,
    ShapeRequest,
    allowed_topologies,
    as_fix,
    keys_of_name,
    suggested,
    suggested_chips,
)
from pulumi_gke_tpu.core.plan import SliceGroupSpec
from pulumi_gke_tpu.core.text.findings import (
    EntryText,
    Fix,
    SetKeys,
    as_only,
    did_you_mean,
    listed,
    number,
    printable,
    quoted,
)
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SIDES = lazy_pattern(r"\s*[(\[]?\s*\d{1,5}(?:\s*[x*,\u00d7 -]\s*\d{1,5})*\s*[)\]]?\s*\Z", re.IGNORECASE)
"""Numbers with the separators that people use: text that can only mean a topology or a number of chips."""

_LONGEST = 40
"""The longest text that is read as numbers."""


def unknown_generation(asked: ShapeRequest) -> ShapeProblem:
    """``tpu`` is not a generation of GKE: announced (TPU102), another name of a TPU, or unknown (TPU101)."""
    catalog, group = asked.catalog, asked.group
    name = naming.resolve(catalog, group.tpu)
    if name is not None and name.kind == "announced":
        return ShapeProblem(
            "TPU102",
            "tpu",
            f"GKE does not offer TPU generation {quoted(group.tpu)}",
            allowed=catalog.generation_names,
            why=catalog.announced[name.generation].answer.rstrip("."),
        )
    if name is not None:
        return ShapeProblem(
            "TPU101",
            "tpu",
            stated(catalog, name, quoted(group.tpu), "" if name.kind == "generation" else "a generation"),
            allowed=catalog.generation_names,
            change=_with_size_of_name(_as_plan(asked, name), asked, name),
            why="; ".join(filter(None, (_sizes(group, name), why_of(catalog, name)))),
            behind=_behind(asked, name),
        )
    word = group.tpu.strip().lower()
    starts = [known for known in catalog.generation_names if known.startswith(word)]
    near = did_you_mean(word, catalog.generation_names) if len(starts) <= 1 else None
    return ShapeProblem(
        "TPU101",
        "tpu",
        f"unknown TPU generation {quoted(group.tpu)}" if word else "`tpu` must not be empty",
        allowed=tuple(starts) if len(starts) > 1 else catalog.generation_names,
        change=SetKeys.of(tpu=near) or as_only(SetKeys.of(tpu=_generation_in(catalog, word))),
    )


def _generation_in(catalog: Catalog, text: str) -> str | None:
    """The only generation among the words of a text without other numbers, such as ``cloud-tpu-v6e``."""
    words = re.split(r"[^a-z0-9]+", text)
    named = {word: naming.generation_called(catalog, word) for word in words if any(map(str.isdigit, word))}
    return next(iter(named.values())) if len(named) == 1 else None


def _behind(asked: ShapeRequest, name: TpuName) -> ShapeProblem | None:
    """The problem of the group with the generation that a name means."""
    if asked.group.topology is None and asked.group.chips is None:
        return None
    found = asked.resolve(asked.group.model_copy(update={"tpu": name.generation}))
    return found if isinstance(found, ShapeProblem) else None


def _disagrees(group: SliceGroupSpec, name: TpuName) -> bool:
    """Whether other keys of the group state another slice than the name, so that either can be meant."""
    topology = _parsed(group.topology)
    if name.kind == "slice" and group.topology is not None:
        is_stated = name.written_number is None
        if topology is None or topology.chips != name.chips or (is_stated and topology != name.topology):
            return True
    written = (
        (group.chips, name.chips),
        (group.machine_type, name.machine_type or None),
        (group.chips_per_host, name.chips_per_host),
        (group.count, name.slices if name.slices > 1 else None),
    )
    return any(given is not None and meant is not None and given != meant for given, meant in written)


def _sizes(group: SliceGroupSpec, name: TpuName) -> str:
    """The chips of a name and those of the topology beside it, if they differ; else empty."""
    topology = _parsed(group.topology)
    if topology is None or name.topology is None or topology == name.topology:
        return ""
    named = f"{printable(group.tpu)} has {number(name.topology.chips, 'chip')} ({name.topology})"
    return f"{named}, topology {topology} has {topology.chips:,}: keep one"


def _with_size_of_name(fix: SetKeys | None, asked: ShapeRequest, name: TpuName) -> Fix | None:
    """The fix as the only one; if the group states another slice than the name, a comment with the keys of that one."""
    if fix is None:
        return None
    if not _disagrees(asked.group, name):
        # A name such as v6e-8 does not state the size of the hosts.
        return as_only(fix) if name.chips_per_host else _for_either_host(asked, name.generation, fix)
    keys = keys_of_name(asked.catalog, asked.mode, name, asked.resolve) or {}
    other = ", ".join(f"{key}: {value}" for key, value in keys.items() if key != "tpu")
    shown = printable(asked.group.tpu)
    last = fix.entries[-1].key
    return fix.with_remark(last, f"keep the other keys, or for the slice of {shown} write {other}") if other else fix


def _for_either_host(asked: ShapeRequest, generation: str, fix: SetKeys | None, is_only: bool = True) -> SetKeys | None:
    """The fix for each size of hosts, if it chooses one; else the fix, the only one or not."""
    entries = fix.entries if fix else ()
    keys: dict[str, Any] = {entry.key: entry.value for entry in entries}
    if "chips" in keys:
        topology = naming.usual_topology(asked.catalog, generation, keys["chips"])
    else:
        topology = _parsed(str(keys.get("topology", asked.group.topology)))
    if "chips_per_host" not in keys or topology is None:
        return as_only(fix, is_only)
    forms = naming.forms_of(asked.catalog, generation, topology)
    either = SetKeys.one_of([({**keys, "chips_per_host": chips}, hosts) for chips, hosts in forms.items()])
    for entry in entries:
        if entry.remark and either is not None:
            either = either.with_remark(entry.key, entry.remark)
    return either


def _as_plan(asked: ShapeRequest, name: TpuName) -> SetKeys | None:
    """The keys for the slice that a name means, without those that the group already has."""
    group = asked.group
    if group.topology is None and group.chips is None:
        keys = keys_of_name(asked.catalog, asked.mode, name, asked.resolve)
        if keys is not None:
            return as_fix(_missing_keys(keys, group), name.chips, printable(group.tpu))
        known = dataclasses.replace(asked, group=group.model_copy(update={"tpu": name.generation}))
        near = suggested(known, name.chips, printable(group.tpu)) if name.chips else None
        return SetKeys((EntryText("tpu", name.generation), *(near.entries if near else ())))
    given = dataclasses.replace(name, topology=_parsed(group.topology), chips=None, slices=1)
    keys = keys_of_name(asked.catalog, asked.mode, given, asked.resolve) if given.topology else None
    return SetKeys.of({"tpu": name.generation, **_missing_keys(keys or {}, group)})


def _missing_keys(keys: Keys, group: SliceGroupSpec) -> Keys:
    """The keys that the group does not have, and ``tpu``, which replaces its value."""
    counted = any(value is not None for value in (group.indices, group.min, group.max))
    wanted = (key for key in keys if key == "tpu" or getattr(group, key) is None)
    return {key: keys[key] for key in wanted if not (key == "count" and counted)}


def _parsed(text: str | None) -> Topology | None:
    try:
        return Topology.parse(text or "")
    except ValueError:
        return None


def machine_problem(asked: ShapeRequest) -> ShapeProblem | None:
    """``machine_type`` is not of the generation (TPU103), or conflicts with ``chips_per_host`` (TPU115)."""
    group = asked.group
    if group.machine_type is None:
        return None
    machine = asked.generation.machine_types.get(group.machine_type)
    if machine is None:
        return _unknown_machine(asked, group.machine_type)
    if group.chips_per_host not in (None, machine.chips):
        return ShapeProblem(
            "TPU115",
            "chips_per_host",
            f"`chips_per_host` conflicts with machine type {group.machine_type}: it has "
            f"{number(machine.chips, 'chip')}, not {group.chips_per_host}",
            allowed=(str(machine.chips),),
            change=SetKeys.of(chips_per_host=machine.chips),
            behind=_beside(asked),
        )
    return None


_WITHOUT_A_MACHINE = ("TPU104", "TPU111", "TPU112", "TPU113")
"""Problems of a group that no machine type solves."""


def _unknown_machine(asked: ShapeRequest, written: str) -> ShapeProblem:
    catalog, generation, group = asked.catalog, asked.generation, asked.group
    types = tuple(
        name
        for name, known in generation.machine_types.items()
        if known.documented and not generation.families[known.family].legacy
    )
    name = naming.resolve(catalog, written)
    own = name.machine_type if name is not None and name.machine_type in generation.machine_types else ""
    formed = asked.resolve(group.model_copy(update={"machine_type": None}))
    near = own or (formed.machine_type if isinstance(formed, Shape) else did_you_mean(written, types))
    if not written:
        message = "`machine_type` must not be empty"
    elif name is None or own or name.kind == "announced":
        message = f"unknown machine type {quoted(written)} for {group.tpu}"
    elif name.kind == "machine_type":
        message = f"{quoted(written)} is {described(name)}, not of {group.tpu}"
    else:
        message = stated(catalog, name, quoted(written), "a machine type")
    return ShapeProblem(
        "TPU103",
        "machine_type",
        message,
        allowed=types,
        change=SetKeys.of(machine_type=near),
        why=why_of(catalog, name) if name and name.numbers else "",
        behind=_beside(asked),
    )


def _beside(asked: ShapeRequest) -> ShapeProblem | None:
    """The problem of the group that it has without a machine, so that it stays when the machine is corrected."""
    found = asked.resolve(asked.group.model_copy(update={"machine_type": None, "chips_per_host": None}))
    return found if isinstance(found, ShapeProblem) and found.rule in _WITHOUT_A_MACHINE else None


_BOTH_DETERMINE = "both keys determine the shape of a slice"


def no_topology(asked: ShapeRequest, rows: Sequence[TopologyRow]) -> ShapeProblem:
    """Neither ``topology`` nor ``chips`` is set (TPU104)."""
    allowed = allowed_topologies(asked.generation, asked.mode, rows)
    fix = _smallest(rows, "")
    return ShapeProblem("TPU104", "topology", "missing key `topology`", allowed, fix, _BOTH_DETERMINE)


def topology_and_chips(asked: ShapeRequest, rows: Sequence[TopologyRow], written: str, chips: int) -> ShapeProblem:
    """``topology`` and ``chips`` are both set (TPU104)."""
    topology, other = _parsed(written), naming.usual_topology(asked.catalog, asked.group.tpu, chips)
    is_valid = any(row.topology == written for row in rows)
    same = is_valid and topology is not None and topology.chips == chips
    fix = SetKeys.of(topology=written) if is_valid else SetKeys.of(chips=chips)
    if fix is not None and other is not None and not same:
        fix = fix.with_remark("topology", f"or, for {number(chips, 'chip')}, topology: {other}")
    why = _BOTH_DETERMINE
    if topology and topology.chips != chips:
        why += f": {written} has {number(topology.chips, 'chip')}, not {chips:,}"
    message = "conflicting keys: both `topology` and `chips` are set; keep one of the two keys"
    allowed = allowed_topologies(asked.generation, asked.mode, rows, topology)
    return ShapeProblem("TPU104", "chips", message, allowed, as_only(fix, same), why)


def of_dynamic_group(asked: ShapeRequest) -> ShapeProblem | None:
    """A generation of which GKE forms no slices (TPU106), or keys that a static slice has (TPU107)."""
    group, facts = asked.group, asked.catalog.kubernetes.pods.dynamic_slices
    if group.tpu not in facts.generations:
        message = f"GKE does not form slices of {printable(group.tpu)}: `slicing: dynamic` supports "
        return ShapeProblem("TPU106", "slicing", message + listed(facts.generations, "or"), facts.generations)
    for key in ("topology", "chips"):
        if getattr(group, key) is not None:
            message = (
                f"`{key}` is not a key of a group with `slicing: dynamic`: its `count` cubes have {facts.cube_topology}"
            )
            why = "workloads set the topology of the slices that GKE forms of the cubes"
            return ShapeProblem("TPU107", key, message, (), None, why)
    return None


def _smallest(rows: Sequence[TopologyRow], text: str) -> SetKeys | None:
    """The smallest topology, for a plan without a topology; None for text that resembles no topology."""
    shapes = sorted((row.topology for row in rows), key=lambda shape: Topology.parse(shape).chips)
    return as_fix({"topology": shapes[0]}, None, "") if shapes and not text else None


def malformed(asked: ShapeRequest, rows: Sequence[TopologyRow], text: str) -> ShapeProblem:
    """``topology`` does not have the form of the topologies of the generation (TPU111)."""
    generation = asked.generation
    form = "x".join("ABC"[: generation.dimensions])
    name = naming.resolve(asked.catalog, text)
    if name is not None and name.kind == "announced":
        name = None
    message = (
        f"invalid topology {quoted(text)}: the form is {form} for {asked.group.tpu}"
        if text
        else "`topology` must not be empty"
    )
    why = f"the topologies of {generation.title} have {generation.dimensions} dimensions"
    if name is not None:
        message = stated(asked.catalog, name, quoted(text), "a topology")
        why = "; ".join(filter(None, (why_of(asked.catalog, name), why)))
    why += _of_other_generations(asked, text)
    meant = name.topology if name else _respelled(generation.dimensions, text)
    chips = name.chips if name else _chips_of(text)
    chips = meant.chips if meant else chips
    fix = suggested(asked, chips, printable(text), meant) if chips else _smallest(rows, text)
    is_only = _is_stated(meant, fix) and (name is None or name.generation == asked.group.tpu)
    return ShapeProblem(
        "TPU111",
        "topology",
        message,
        allowed=allowed_topologies(generation, asked.mode, rows, meant),
        change=_for_either_host(asked, asked.group.tpu, fix, is_only),
        why=why,
    )


def _of_other_generations(asked: ShapeRequest, text: str) -> str:
    """The generations that have a topology, which another generation does not have: one of them may be meant."""
    catalog, topology = asked.catalog, _parsed(text)
    found = [
        name
        for name in catalog.generation_names
        if any(row.topology == str(topology) and row.documented for row in catalog.generation(name).topologies.rows)
    ]
    return f"; {topology} is a topology of {listed(found)}" if found else ""


def _is_stated(meant: Topology | None, fix: SetKeys | None) -> bool:
    """Whether a fix has the sides of the topology that is meant, not those of another one with as many chips."""
    found = _parsed(str(fix.entries[0].value)) if fix is not None else None
    return meant is not None and found is not None and sorted(found.dimensions) == sorted(meant.dimensions)


def _respelled(dimensions: int, text: str) -> Topology | None:
    """The topology that the numbers in the text mean: with other separators, or with a 1 too many or too few."""
    sides = _numbers(text)
    if len(sides) == dimensions + 1 and sides[-1] == 1:
        sides.pop()
    if len(sides) == dimensions - 1 and len(sides) > 1:
        sides.append(1)
    return Topology(tuple(sides)) if len(sides) == dimensions and 0 not in sides else None


def _chips_of(text: str) -> int:
    """The product of the numbers in the text; 0 if it contains anything else."""
    numbers = _numbers(text)
    return Topology(tuple(numbers)).chips if numbers else 0


def _numbers(text: str) -> list[int]:
    """The numbers of a short text; empty if it contains anything else."""
    if len(text) > _LONGEST or not _SIDES.match(text):
        return []
    return [int(side) for side in re.findall("[0-9]+", text)]


def ambiguous(
    generation: Generation, group: SliceGroupSpec, topology: Topology, rows: Sequence[TopologyRow]
) -> ShapeProblem:
    """The topology exists on hosts of different sizes (TPU114)."""
    hosts = naming.host_forms(generation, topology, rows)
    forms = tuple(f"chips_per_host: {chips} ({text})" for chips, text in hosts.items())
    key, value = ("chips", group.chips) if group.topology is None else ("topology", group.topology)
    return ShapeProblem(
        "TPU114",
        key,
        f"ambiguous topology {topology}: it is available with {len(forms)} numbers of chips per host",
        allowed=forms,
        change=SetKeys.one_of([({key: value, "chips_per_host": chips}, text) for chips, text in hosts.items()]),
        why="one form is a single host, and the other form spans several hosts. The two forms suit different workloads",
    )


def host_mismatch(
    generation: Generation, group: SliceGroupSpec, topology: Topology, rows: Sequence[TopologyRow]
) -> ShapeProblem:
    """No host with ``chips_per_host`` chips forms the topology (TPU115)."""
    chips = sorted({generation.machine_types[row.machine_type].chips for row in rows})
    return ShapeProblem(
        "TPU115",
        "chips_per_host",
        f"no machine type of {group.tpu} with {number(group.chips_per_host or 0, 'chip')} per host supports "
        f"topology {topology}",
        allowed=tuple(map(str, chips)),
        change=SetKeys.of(chips_per_host=chips[-1]),
    )


def custom_host_mismatch(group: SliceGroupSpec, topology: Topology, machine_type: str, chips: int) -> ShapeProblem:
    """Only one machine type forms custom topologies (TPU115)."""
    by_chips = group.chips_per_host is not None
    return ShapeProblem(
        "TPU115",
        "chips_per_host" if by_chips else "machine_type",
        f"{group.tpu} {topology} requires machine type {machine_type} with {number(chips, 'chip')} per host",
        allowed=(str(chips),) if by_chips else (machine_type,),
        change=SetKeys.of(chips_per_host=chips) if by_chips else SetKeys.of(machine_type=machine_type),
    )


def against_custom_rule(
    asked: ShapeRequest, rows: Sequence[TopologyRow], custom: CustomTopologies, topology: Topology, reason: str
) -> ShapeProblem:
    """A topology outside the table is not a valid custom topology (TPU113)."""
    return ShapeProblem(
        "TPU113",
        "topology",
        f"{asked.group.tpu} has no topology {topology}: {reason}",
        allowed=allowed_topologies(asked.generation, asked.mode, rows, topology),
        change=suggested(asked, topology.chips, str(topology), topology),
        why=f"in addition to the topologies on its list, GKE accepts {custom_rule(custom)}",
    )


def no_such_topology(asked: ShapeRequest, rows: Sequence[TopologyRow], topology: Topology) -> ShapeProblem:
    """The topology is not in the table (TPU112), or another machine type forms it (TPU115)."""
    generation, group, mode = asked.generation, asked.group, asked.mode
    if group.machine_type is not None:
        forming = [row.machine_type for row in selectable_rows(generation, mode) if row.topology == str(topology)]
        if forming:
            return ShapeProblem(
                "TPU115",
                "machine_type",
                f"machine type {group.machine_type} is not available with topology {topology}",
                allowed=tuple(forming),
                change=SetKeys.of(machine_type=forming[0]),
            )
    elsewhere = any(row.topology == str(topology) and row.documented for row in generation.topologies.rows)
    fix = suggested(asked, topology.chips, str(topology), topology)
    return ShapeProblem(
        "TPU112",
        "topology",
        f"{group.tpu} has no topology {topology}" + (f" on {mode.title()}" if elsewhere else ""),
        allowed=allowed_topologies(generation, mode, rows, topology),
        change=_for_either_host(asked, group.tpu, fix, _is_stated(topology, fix)),
        why=f"GKE rejects every topology that `gke-tpu catalog {group.tpu}` does not list",
    )


def no_such_chips(asked: ShapeRequest, rows: Sequence[TopologyRow], wanted: int) -> ShapeProblem:
    """No topology has this number of chips (TPU116)."""
    generation, group, mode = asked.generation, asked.group, asked.mode
    sizes = sorted({Topology.parse(row.topology).chips for row in rows})
    custom = custom_topologies(generation, mode)
    more = f"any multiple of {custom_step(custom)} up to {custom.max_chips:,}" if custom else ""
    return ShapeProblem(
        "TPU116",
        "chips",
        f"{group.tpu} has no slice of {number(wanted, 'chip')} on {mode.title()}",
        allowed=tuple(filter(None, (*map(str, sizes), more))),
        change=_for_either_host(asked, group.tpu, suggested_chips(asked, wanted), is_only=False),
        why="the number of chips in a slice is the product of the dimensions of its topology",
    )


def several_topologies(group: SliceGroupSpec, shapes: Sequence[str]) -> ShapeProblem:
    """Several topologies have this number of chips (TPU116)."""
    return ShapeProblem(
        "TPU116",
        "chips",
        f"ambiguous `chips`: {len(shapes)} topologies of {group.tpu} have {group.chips:,} chips",
        allowed=tuple(shapes),
        change=SetKeys.of(topology=most_cubic(shapes)),
        why="they differ in bandwidth, and only you know the layout that your program needs",
    )


def too_many_slices(key: str, slices: int, most: int) -> ShapeProblem:
    """More slices than a group supports, because each one is a node pool (TPU119)."""
    return ShapeProblem(
        "TPU119",
        key,
        f"{slices:,} slices exceed the limit of {most:,} per group",
        allowed=(f"at most {most:,} in a group",),
        why="each multi-host slice is a separate node pool. This limit is a limit of gke-tpu, not of GKE",
    )
