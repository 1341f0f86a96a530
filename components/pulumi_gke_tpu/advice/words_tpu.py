"""Explains what TPUs are called: generations, machine types, machine families, accelerator labels."""

from collections.abc import Iterator

from pulumi_gke_tpu.advice.notes import fitting_notes, note_named, remark
from pulumi_gke_tpu.advice.steps import Explanation, Step, evidence, listed
from pulumi_gke_tpu.advice.words_capacity import offer_text
from pulumi_gke_tpu.advice.words_place import generation_of
from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.generation import Generation, MachineType
from pulumi_gke_tpu.catalog.topologies import selectable_rows
from pulumi_gke_tpu.findings import number
from pulumi_gke_tpu.fleet.model import ACCELERATOR_LABEL
from pulumi_gke_tpu.fleet.words import generation_called

_COMPUTE_ENGINE_SUFFIX = "-tpu"


def explain_generation(catalog: Catalog, word: str) -> Explanation | None:
    """A generation by its own or another name."""
    name = generation_called(catalog, word)
    if name is None:
        return None
    generation = catalog.generation(name)
    first = selectable_rows(generation, "standard")
    return Explanation(
        item=word,
        kind="generation",
        summary=generation.title if word == name else f"{generation.title}, which a plan calls {name}",
        catalog=catalog.about.version,
        steps=tuple(_generation_steps(catalog, name, generation)),
        remarks=fitting_notes(catalog, {name}, {name}, only_on_subjects=True),
        paste=f"tpu: {name}\ntopology: {first[0].topology}" if first else f"tpu: {name}",
        more=(f"gke-tpu catalog {name}",),
    )


def _generation_steps(catalog: Catalog, name: str, generation: Generation) -> Iterator[Step]:
    yield Step(
        "status",
        generation.status.note.rstrip(".") or "known",
        generation.interconnect,
        evidence(catalog, generation.status),
    )
    chip = generation.chip
    figures = [
        f"{value:g} {unit}"
        for value, unit in (
            (chip.hbm_gib, "GiB of HBM"),
            (chip.hbm_gbps, "GB/s"),
            (chip.bf16_tflops, "TFLOPS in bf16"),
        )
        if value is not None
    ]
    yield Step("chip", listed(figures) or "unknown", "one chip", evidence(catalog, chip))
    machines = [name for name, machine in generation.machine_types.items() if machine.documented]
    yield Step("machine types", listed(machines), "each is one host")
    for mode in ("standard", "autopilot"):
        rows = selectable_rows(generation, "standard" if mode == "standard" else "autopilot")
        shapes = list(dict.fromkeys(row.topology for row in rows))
        custom = generation.custom_topologies
        tail = (
            f"; larger ones by rule, up to {number(custom.max_chips, 'chip')}"
            if custom and mode in custom.modes
            else ""
        )
        yield Step(mode.title(), listed(shapes), f"topologies{tail}", evidence(catalog, generation.topologies))
    for family, facts in generation.families.items():
        zones = catalog.zones.families.get(family)
        if zones is not None and facts.documented and not facts.legacy:
            offers = catalog.capacity.families.get(family, {})
            had = listed([f"{mode} {offer_text(offer)}" for mode, offer in offers.items()])
            yield Step(family, listed(zones.documented.zones), had or "zones", evidence(catalog, zones.documented))


def explain_announced(catalog: Catalog, word: str) -> Explanation | None:
    """A generation that exists by name only."""
    for name, announced in catalog.announced.items():
        if word == name or word in announced.also_called:
            step = Step("on GKE", "not offered", announced.answer, evidence(catalog, announced))
            return Explanation(
                item=word,
                kind="announced",
                summary=f"{announced.title}: cannot be had on GKE yet",
                catalog=catalog.about.version,
                steps=(step,),
            )
    return None


def explain_machine_type(catalog: Catalog, word: str) -> Explanation | None:
    """A TPU machine type, also in the spelling of Compute Engine."""
    suffixed = word.endswith(_COMPUTE_ENGINE_SUFFIX)
    name = word[: -len(_COMPUTE_ENGINE_SUFFIX)] if suffixed else word
    for called in catalog.generation_names:
        generation = catalog.generation(called)
        machine = generation.machine_types.get(name)
        if machine is not None:
            remarks = fitting_notes(catalog, set(), {"names"}) if name in catalog.platform.names.wrong_labels else ()
            note = note_named(catalog, "compute-engine-names") if suffixed else None
            doubt = "" if machine.documented else ", in no documentation"
            spelled = f"; GKE calls it {name}" if suffixed else ""
            return Explanation(
                item=word,
                kind="machine_type",
                summary=f"a machine type of {called}: one host of {number(machine.chips, 'chip')}{doubt}{spelled}",
                catalog=catalog.about.version,
                steps=tuple(_machine_steps(catalog, generation, name, machine)),
                remarks=(remark(catalog, note),) if note else remarks,
                paste=f"tpu: {called}\nmachine_type: {name}",
            )
    return None


def _machine_steps(catalog: Catalog, generation: Generation, name: str, machine: MachineType) -> Iterator[Step]:
    sizes = [f"{machine.vcpu} vCPU", f"{machine.memory_gib:,} GiB of memory"]
    sizes += [f"{machine.hbm_gib:,} GiB of HBM"] if machine.hbm_gib is not None else []
    sizes += [f"{number(machine.numa_nodes, 'NUMA node')}"] if machine.numa_nodes is not None else []
    sizes += [f"{machine.network_gbps} Gbit/s"] if machine.network_gbps is not None else []
    yield Step("host", listed(sizes), machine.note.rstrip(".") or "one node", evidence(catalog, machine))
    for row in generation.topologies.rows:
        if row.machine_type == name:
            hosts = Topology.parse(row.topology).chips // machine.chips
            modes = listed([mode.title() for mode in row.modes])
            yield Step(row.topology, number(hosts, "host"), f"{row.hosts}-host, on {modes}")
    custom = generation.custom_topologies
    if custom is not None and custom.machine_type == name:
        reason = f"custom shapes above {number(custom.above_chips, 'chip')}"
        yield Step("larger", f"up to {number(custom.max_chips, 'chip')}", reason, evidence(catalog, custom))
    label = generation.families[machine.family].accelerator_label
    yield Step("accelerator label", label, f"{ACCELERATOR_LABEL} of its nodes, family {machine.family}")


def explain_label(catalog: Catalog, word: str) -> Explanation | None:
    """An accelerator label, right or wrong."""
    right = catalog.platform.names.wrong_labels.get(word, word)
    for called in catalog.generation_names:
        for name, family in catalog.generation(called).families.items():
            if family.accelerator_label != right:
                continue
            wrong = "" if right == word else f"; {word} is a wrong spelling of it"
            selects = Step(
                "node selector",
                f"{ACCELERATOR_LABEL}: {right}",
                f"family {name} of {called}{wrong}",
                evidence(catalog, family),
            )
            kind = "an accelerator label" if right == word else "no accelerator label; it is"
            return Explanation(
                item=word,
                kind="accelerator_label",
                summary=f"{kind} {f'of {called}' if right == word else right}",
                catalog=catalog.about.version,
                steps=(selects,),
                remarks=fitting_notes(catalog, set(), {"names"}),
                paste=f"tpu: {called}",
            )
    return None


def explain_family(catalog: Catalog, word: str) -> Explanation | None:
    """A machine family: the first part of a machine type."""
    called = generation_of(catalog, word)
    if not called:
        return None
    generation = catalog.generation(called)
    family = generation.families[word]
    zones = catalog.zones.families.get(word)
    machines = [name for name, machine in generation.machine_types.items() if machine.family == word]
    steps = [
        Step(
            "accelerator label", family.accelerator_label, family.summary or "of its nodes", evidence(catalog, family)
        ),
        Step("machine types", listed(machines), "each is one host"),
    ]
    if zones is not None:
        steps.append(Step("zones", listed(zones.documented.zones), "documented", evidence(catalog, zones.documented)))
    return Explanation(
        item=word,
        kind="family",
        summary=f"a machine family of {called}{', legacy' if family.legacy else ''}",
        catalog=catalog.about.version,
        steps=tuple(steps),
        paste=f"tpu: {called}",
    )
