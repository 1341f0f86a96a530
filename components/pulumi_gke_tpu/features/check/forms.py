"""The forms of a slice that node labels stand for: machine types, chips per host and hosts."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import Family, Generation
from pulumi_gke_tpu.core.catalog.topologies import custom_problem
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.text.findings import did_you_mean


@frozen
class LabeledFamily:
    """A machine family with the generation that it belongs to."""

    generation_name: str
    generation: Generation
    name: str
    family: Family


@frozen
class Form:
    """A machine type that slices of a topology can have."""

    machine_type: str
    chips_per_host: int
    hosts: int
    modes: tuple[Mode, ...]


@frozen(eq=False)
class SlicePods:
    """The pods of one template, with the slice that they run on."""

    pod: PodTemplate
    family: LabeledFamily
    topology: str
    form: Form
    chips: int
    """Chips of one pod."""


def family_of_label(catalog: Catalog, label: str) -> LabeledFamily | None:
    """The machine family whose nodes have an accelerator label; None if there is none."""
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        for key, family in generation.families.items():
            if family.accelerator_label == label:
                return LabeledFamily(name, generation, key, family)
    return None


def family_meant(catalog: Catalog, label: str) -> LabeledFamily | None:
    """The machine family that an accelerator label stands for, also if it is wrong; None if it has no meaning."""
    return family_of_label(catalog, label) or family_of_label(catalog, accelerator_label_meant(catalog, label))


def families_meant(catalog: Catalog, label: str) -> tuple[LabeledFamily, ...]:
    """The machine families that an accelerator label can stand for: all of them if it has no meaning.

    None if the accelerator is only announced: its topologies are not known yet.
    """
    found = family_meant(catalog, label)
    if found is not None:
        return (found,)
    name = resolve(catalog, label)
    return () if name is not None and name.kind == "announced" else tuple(all_families(catalog))


def owner_of_slices(families: tuple[LabeledFamily, ...]) -> str:
    """Whose slices a message is about: those of a generation, or of any of several."""
    return families[0].generation_name if len(families) == 1 else "any generation"


def all_families(catalog: Catalog) -> Iterator[LabeledFamily]:
    """Every machine family, in the order of generations."""
    for label in accelerator_labels(catalog):
        found = family_of_label(catalog, label)
        if found is not None:
            yield found


def accelerator_labels(catalog: Catalog) -> tuple[str, ...]:
    """Every accelerator label, in the order of generations."""
    return tuple(
        family.accelerator_label
        for name in catalog.generation_names
        for family in catalog.generation(name).families.values()
    )


def accelerator_label_meant(catalog: Catalog, word: str) -> str:
    """The accelerator label that a wrong one stands for; empty if it has no meaning or several.

    A word that names hardware has the label of this hardware. Only of other words, the label with the nearest letters
    is taken: ``tpu-v5e-slice`` is nearer to ``tpu-v6e-slice`` than to the label of v5e.
    """
    name = resolve(catalog, word)
    if name is None:
        return did_you_mean(word, accelerator_labels(catalog)) or ""
    if name.label or name.kind == "announced":
        return name.label
    families = catalog.generation(name.generation).families.values()
    usual = [family.accelerator_label for family in families if family.documented and not family.legacy]
    return usual[0] if len(usual) == 1 else ""


def forms_of(found: LabeledFamily, topology: str) -> tuple[Form, ...]:
    """Every form that slices of a topology can have; empty if the topology does not exist."""
    return tuple(_forms(found, topology))


def _forms(found: LabeledFamily, topology: str) -> Iterator[Form]:
    generation = found.generation
    try:
        shape = Topology.parse(topology)
    except ValueError:
        return
    for row in generation.topologies.rows:
        machine = generation.machine_types[row.machine_type]
        if row.topology == topology and machine.family == found.name:
            yield Form(row.machine_type, machine.chips, shape.chips // machine.chips, row.modes)
    custom = generation.custom_topologies
    if custom is None or len(shape.dimensions) != generation.dimensions or custom_problem(custom, shape):
        return
    machine = generation.machine_types[custom.machine_type]
    if machine.family == found.name and not any(row.topology == topology for row in generation.topologies.rows):
        yield Form(custom.machine_type, machine.chips, shape.chips // machine.chips, custom.modes)


def topologies_of(found: LabeledFamily, mode: Mode | None) -> tuple[str, ...]:
    """The documented topologies of a machine family, in the order of GKE's table; in one mode if one is given."""
    generation = found.generation
    return tuple(
        dict.fromkeys(
            row.topology
            for row in generation.topologies.rows
            if generation.machine_types[row.machine_type].family == found.name
            and row.documented
            and (mode is None or mode in row.modes)
        )
    )
