"""Explains names of TPUs: generations, machine types, machine families, accelerator labels."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import TpuName, resolve
from pulumi_gke_tpu.core.catalog.records.generation import Generation, MachineType
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.offers import (
    documented_machines,
    figures,
    offer_text,
    offered_families,
    status_text,
)
from pulumi_gke_tpu.features.explain.steps import Explanation, Remark, Step, evidence, fitting_notes, note_named, remark
from pulumi_gke_tpu.features.explain.words.slices import explain_slice, paste_of


def explain_name(catalog: Catalog, word: str) -> Explanation | None:
    """A name of a TPU: generation, announced generation, machine type, family, accelerator label or slice."""
    name = resolve(catalog, word)
    if name is None:
        return None
    if name.kind == "slice":
        return explain_slice(catalog, word)
    explain = {
        "generation": _explain_generation,
        "announced": _explain_announced,
        "machine_type": _explain_machine_type,
        "accelerator_label": _explain_label,
        "family": _explain_family,
    }
    return explain[name.kind](catalog, word, name)


def _explain_generation(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    generation = catalog.generation(name.generation)
    also = "" if word == name.generation else f"; in a plan: {name.generation}"
    return Explanation(
        item=word,
        kind="generation",
        summary=f"{generation.title}{also}",
        catalog=catalog.about.version,
        steps=tuple(_generation_steps(catalog, generation)),
        remarks=fitting_notes(catalog, {name.generation}, {name.generation}, only_on_subjects=True),
        paste=paste_of(catalog, name),
        more=(f"gke-tpu catalog {name.generation}",),
    )


def _generation_steps(catalog: Catalog, generation: Generation) -> Iterator[Step]:
    yield Step(
        "status",
        status_text(generation),
        f"interconnect: {generation.interconnect}",
        evidence(catalog, generation.status),
    )
    chip = generation.chip
    known = [f"{name} {value}" for name, value in figures(chip)]
    yield Step("chip", listed(known) or "unknown", "values per chip", evidence(catalog, chip))
    yield Step("machine types", listed(documented_machines(generation)), "each VM is one host")
    for mode in ("standard", "autopilot"):
        rows = selectable_rows(generation, "standard" if mode == "standard" else "autopilot")
        shapes = list(dict.fromkeys(row.topology for row in rows))
        custom = generation.custom_topologies
        tail = (
            f"; larger custom topologies have at most {number(custom.max_chips, 'chip')}"
            if custom and mode in custom.modes
            else ""
        )
        yield Step(
            mode.title(), listed(shapes), f"documented topologies{tail}", evidence(catalog, generation.topologies)
        )
    largest = generation.limits.max_slice_chips
    sizes = f"{number(largest.standard, 'chip')} on Standard, {largest.autopilot:,} on Autopilot"
    reason = f"a pod has {number(generation.limits.pod_chips, 'chip')}"
    yield Step("largest slice", sizes, reason, evidence(catalog, generation.limits))
    for family, zones in offered_families(catalog, generation):
        offers = catalog.capacity.families.get(family, {})
        reason = "; ".join(["documented zones", *(f"{mode}: {offer_text(offer)}" for mode, offer in offers.items())])
        yield Step(family, listed(zones.documented.zones), reason, evidence(catalog, zones.documented))


def _explain_announced(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    announced = catalog.announced[name.generation]
    return Explanation(
        item=word,
        kind="announced",
        summary=f"{announced.title}: GKE does not offer it",
        catalog=catalog.about.version,
        steps=(Step("on GKE", "not offered", announced.answer, evidence(catalog, announced)),),
    )


def _explain_machine_type(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    generation = catalog.generation(name.generation)
    machine = generation.machine_types[name.machine_type]
    spelled = word.strip().lower() != name.machine_type
    note = note_named(catalog, "compute-engine-names") if spelled else None
    remarks: tuple[Remark, ...] = (remark(catalog, note),) if note else ()
    if name.machine_type in catalog.platform.names.wrong_labels:
        remarks += fitting_notes(catalog, set(), {"names"})
    doubt = "" if machine.documented else ", not in the GKE documentation"
    return Explanation(
        item=word,
        kind="machine_type",
        summary=f"a {name.generation} machine type with {number(machine.chips, 'chip')}{doubt}"
        + (f"; in GKE: {name.machine_type}" if spelled else ""),
        catalog=catalog.about.version,
        steps=tuple(_machine_steps(catalog, generation, name.machine_type, machine)),
        remarks=tuple(dict.fromkeys(remarks)),
        paste=paste_of(catalog, name),
    )


def _machine_steps(catalog: Catalog, generation: Generation, name: str, machine: MachineType) -> Iterator[Step]:
    sizes = [f"{machine.vcpu} vCPUs", f"{machine.memory_gib:,} GiB of memory"]
    sizes += [f"{machine.hbm_gib:,} GiB of HBM"] if machine.hbm_gib is not None else []
    sizes += [f"{number(machine.numa_nodes, 'NUMA node')}"] if machine.numa_nodes is not None else []
    sizes += [f"{machine.network_gbps} Gbit/s"] if machine.network_gbps is not None else []
    yield Step("VM", listed(sizes), machine.note.rstrip(".") or "one node", evidence(catalog, machine))
    for row in generation.topologies.rows:
        if row.machine_type == name:
            hosts = Topology.parse(row.topology).chips // machine.chips
            modes = listed([mode.title() for mode in row.modes])
            yield Step(row.topology, number(hosts, "host"), f"{row.hosts}-host slice, on {modes}")
    custom = generation.custom_topologies
    if custom is not None and custom.machine_type == name:
        reason = f"custom topologies above {number(custom.above_chips, 'chip')}"
        yield Step("larger", f"up to {number(custom.max_chips, 'chip')}", reason, evidence(catalog, custom))
    label = generation.families[machine.family].accelerator_label
    yield Step(
        "accelerator label",
        label,
        f"value of {catalog.platform.names.node_labels.accelerator} on its nodes; machine family {machine.family}",
    )


def _explain_label(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    family = catalog.generation(name.generation).families[name.family]
    wrong = f"; {name.instead_of_label} is misspelled" if name.instead_of_label else ""
    selector = Step(
        "node selector",
        f"{catalog.platform.names.node_labels.accelerator}: {name.label}",
        f"machine family {name.family} of {name.generation}{wrong}",
        evidence(catalog, family),
    )
    return Explanation(
        item=word,
        kind="accelerator_label",
        summary=f"an invalid accelerator label; the correct label is {name.label}"
        if wrong
        else f"an accelerator label of {name.generation}",
        catalog=catalog.about.version,
        steps=(selector, *_machine_types_of(catalog, name)),
        remarks=fitting_notes(catalog, set(), {"names"}),
        paste=paste_of(catalog, name),
    )


def _explain_family(catalog: Catalog, word: str, name: TpuName) -> Explanation:
    generation = catalog.generation(name.generation)
    family, zones = generation.families[name.family], catalog.zones.families.get(name.family)
    reason = family.summary or "label of the nodes"
    steps = [Step("accelerator label", family.accelerator_label, reason, evidence(catalog, family))]
    steps += _machine_types_of(catalog, name)
    if zones is not None:
        steps.append(Step("zones", listed(zones.documented.zones), "documented", evidence(catalog, zones.documented)))
    return Explanation(
        item=word,
        kind="family",
        summary=f"a machine family of {name.generation}{', legacy' if family.legacy else ''}",
        catalog=catalog.about.version,
        steps=tuple(steps),
        paste=paste_of(catalog, name),
    )


def _machine_types_of(catalog: Catalog, name: TpuName) -> list[Step]:
    """The machine types of a family, and the plan key for a family that is not the default of its generation."""
    generation = catalog.generation(name.generation)
    machines = [machine for machine, facts in generation.machine_types.items() if facts.family == name.family]
    steps = [Step("machine types", listed(machines), "each VM is one host")]
    if generation.families[name.family].legacy:
        modes = dict.fromkeys(
            mode.title() for row in generation.topologies.rows if row.machine_type in machines for mode in row.modes
        )
        reason = "the key tpu selects another family; set machine_type to select this one, also on Autopilot"
        steps.append(
            Step(
                "in a plan",
                "machine_type",
                f"{reason}; the GKE documentation lists the family for {listed(list(modes))}",
            )
        )
    return steps
