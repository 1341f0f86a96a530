"""What TPU names mean: one resolver for the names of GKE, the Cloud TPU API, Compute Engine and other tools."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from pulumi_gke_tpu.core.catalog.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.generation import Generation, NumberedNames, Topology, TopologyRow
from pulumi_gke_tpu.core.catalog.topologies import most_cubic, selectable_rows, topologies_with
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

Kind = Literal["generation", "announced", "machine_type", "accelerator_label", "family", "slice"]

_LONGEST = 100
_SEPARATORS = lazy_pattern(r"[\s_:,/-]+")
_SHAPED = lazy_pattern(r"(?P<base>.+)-(?P<topology>[1-9]\d{0,4}(?:x[1-9]\d{0,4}){1,2})\Z", re.ASCII)
_NUMBERED = lazy_pattern(r"(?P<base>.+?)-0*(?P<number>\d{1,6})(?:-0*(?P<slices>[1-9]\d{0,3}))?\Z", re.ASCII)


def hardware(generation: str, family: str) -> str:
    """A generation with its machine family: ``v6e (ct6e)``, or only ``tpu7x``, whose family has the same name."""
    return generation if generation == family else f"{generation} ({family})"


@frozen
class TpuName:
    """The meaning of a TPU name. A value that the name does not determine is empty or None.

    ``topology`` is the one that the word states, or the usual one of its chips. ``chips`` counts the chips of one
    slice; it is 0 if the number of a name is not a whole number of chips. ``numbers`` is the unit of that number.
    """

    kind: Kind
    generation: str
    family: str = ""
    machine_type: str = ""
    label: str = ""
    instead_of_label: str = ""
    """A wrong accelerator label that people write for ``label``."""
    chips: int | None = None
    topology: Topology | None = None
    chips_per_host: int | None = None
    slices: int = 1
    written_number: int | None = None
    numbers: NumberedNames | None = None

    @property
    def unit(self) -> str:
        """What the number of the name counts."""
        return "chips" if self.numbers is None or self.numbers.unit == "chips" else "TensorCores"


def resolve(catalog: Catalog, word: str) -> TpuName | None:
    """What a word for a TPU means, in any case and with any separators; None for any other word.

    Understands generations and their other names, machine types and families, accelerator labels, and what names a
    slice: one of these with a topology (``v6e-4x4``, ``tpu-v5p-slice 4x4x4``), with a number (``v5p-128``,
    ``tpu-v6e-8``), and with a number of slices behind it (``v6e-256-4``).
    """
    if len(word) > _LONGEST:
        return None
    form = _SEPARATORS.sub("-", word.strip().lower()).strip("-")
    found = (_reading(catalog, spelled) for spelled in _spellings(catalog, form))
    return next((name for name in found if name is not None), None)


def generation_called(catalog: Catalog, word: str) -> str | None:
    """The generation that people also call by this word."""
    name = resolve(catalog, word)
    return name.generation if name and name.kind == "generation" else None


def announced_called(catalog: Catalog, word: str) -> str | None:
    """The generation without an offer on GKE that people call by this word, alone or in a name such as ``v8t-256``."""
    name = resolve(catalog, word)
    return name.generation if name and name.kind == "announced" else None


def usual_topology(catalog: Catalog, generation: str, chips: int) -> Topology | None:
    """The topology that tools mean by a number of chips: the listed one, else the most cube-like; None without any."""
    shapes = topologies_with(catalog.generation(generation), chips)
    return Topology.parse(most_cubic(shapes)) if shapes else None


def _spellings(catalog: Catalog, form: str) -> Iterator[str]:
    """The word, then without what other tools put before and behind names."""
    spellings = catalog.platform.names.spellings
    bare = next((form.removesuffix(suffix) for suffix in spellings.suffixes if form.endswith(suffix)), form)
    yield from dict.fromkeys((form, bare, form.removeprefix(spellings.prefix), bare.removeprefix(spellings.prefix)))


def _reading(catalog: Catalog, form: str) -> TpuName | None:
    plain = _plain(catalog, form)
    if plain is not None:
        return plain
    match = _SHAPED.match(form)
    base = _plain(catalog, match["base"]) if match else None
    if match and base:
        topology = Topology.parse(match["topology"])
        return (
            base if base.kind == "announced" else replace(base, kind="slice", topology=topology, chips=topology.chips)
        )
    match = _NUMBERED.match(form)
    return _numbered(catalog, match["base"], int(match["number"]), int(match["slices"] or 1)) if match else None


def _plain(catalog: Catalog, form: str) -> TpuName | None:
    """A word without a number of chips and without a topology."""
    right = catalog.platform.names.wrong_labels.get(form, "")
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        if form == name or form in generation.also_called:
            return TpuName("generation", name)
        machine = generation.machine_types.get(form)
        if machine is not None:
            label = generation.families[machine.family].accelerator_label
            return TpuName("machine_type", name, machine.family, form, label, chips_per_host=machine.chips)
        for family, facts in generation.families.items():
            label = facts.accelerator_label
            if label in (form, right):
                return TpuName("accelerator_label", name, family, label=label, instead_of_label=right and form)
            if form == family:
                return TpuName("family", name, family, label=label)
    for name, announced in catalog.announced.items():
        if form == name or form in announced.also_called:
            return TpuName("announced", name)
    return None


def _numbered(catalog: Catalog, base: str, amount: int, slices: int) -> TpuName | None:
    plain = _plain(catalog, base)
    if plain is not None and plain.kind == "announced":
        return plain
    if plain is not None and plain.kind == "accelerator_label":
        return replace(_on_one_host(catalog, plain, amount), slices=slices)
    for name in catalog.generation_names:
        numbers = catalog.generation(name).numbered_names
        called = plain is not None and plain.kind == "generation" and plain.generation == name
        if numbers is not None and (base in numbers.prefixes or called):
            chips, rest = divmod(amount, numbers.per_chip)
            found = TpuName("slice", name, chips=0, slices=slices, written_number=amount, numbers=numbers)
            return found if rest else replace(found, chips=chips, topology=usual_topology(catalog, name, chips))
    return None


def _on_one_host(catalog: Catalog, plain: TpuName, amount: int) -> TpuName:
    """An accelerator label with the chips that one host has."""
    generation = catalog.generation(plain.generation)
    host = next(
        (
            row
            for row in generation.topologies.rows
            if row.hosts == "single"
            and row.documented
            and generation.machine_types[row.machine_type].family == plain.family
            and generation.machine_types[row.machine_type].chips == amount
        ),
        None,
    )
    found = replace(plain, kind="slice", chips=amount, written_number=amount)
    if host is None:
        return found
    return replace(found, machine_type=host.machine_type, topology=Topology.parse(host.topology), chips_per_host=amount)


def largest_host(catalog: Catalog, name: TpuName) -> int | None:
    """The chips of the largest host that forms a name's topology, where hosts of different sizes do; None otherwise."""
    forms = forms_of(catalog, name.generation, name.topology) if name.topology else {}
    return max(forms) if len(forms) > 1 else None


def forms_of(catalog: Catalog, generation: str, topology: Topology) -> dict[int, str]:
    """The hosts that form a topology of a Standard cluster, by their chips."""
    facts = catalog.generation(generation)
    rows = (row for row in selectable_rows(facts, "standard") if row.topology == str(topology))
    return host_forms(facts, topology, rows)


def host_forms(generation: Generation, topology: Topology, rows: Iterable[TopologyRow]) -> dict[int, str]:
    """The hosts of each row of a topology, by their chips, the largest first."""
    machines = {generation.machine_types[row.machine_type].chips: row.machine_type for row in rows}
    sizes = sorted(machines, reverse=True)
    return {chips: f"{number(topology.chips // chips, 'host')} of {machines[chips]}" for chips in sizes}


def described(name: TpuName) -> str:
    """What a name is, to complete "WORD is ...": ``an accelerator type (64 chips of v5p)``."""
    generation = name.generation
    if name.kind == "slice":
        if name.numbers is None:
            return f"a slice of {generation} ({name.topology or 'no topology'}, {number(name.chips or 0, 'chip')})"
        return f"an accelerator type ({number(name.chips or 0, 'chip')} of {generation})"
    if name.instead_of_label:
        return f"a wrong accelerator label (the right one is {name.label})"
    kinds = {
        "machine_type": "a machine type of",
        "accelerator_label": "an accelerator label of",
        "family": "a machine family of",
        "generation": "another name of",
    }
    return f"{kinds[name.kind]} {generation}"


def stated(catalog: Catalog, name: TpuName, word: str, other: str) -> str:
    """A sentence on what a word is, and that it is not the ``other`` thing it stands for; ``word`` is printable."""
    generation = name.generation
    if name.numbers is not None and name.topology is None:
        if not name.chips:
            reason = "a whole number of chips" if name.written_number else "a slice"
            return f"invalid name {word}: {name.written_number} {name.unit} are not {reason}"
        if name.chips <= catalog.generation(generation).limits.max_slice_chips.standard:
            return f"invalid name {word}: no slice of {generation} has {number(name.chips, 'chip')}"
    return f"{word} is {described(name)}" + (f", not {other}" if other else "")


def why_of(catalog: Catalog, name: TpuName) -> str:
    """Why a name means that: what its number counts, or how many chips a host has; empty where nothing is to add."""
    if name.numbers is not None:
        counts = f"the number counts {name.unit}"
        if name.topology is not None:
            return counts
        most = catalog.generation(name.generation).limits.max_slice_chips.standard
        if (name.chips or 0) > most:
            return f"{counts}, and the largest slice of {name.generation} on GKE has {number(most, 'chip')}"
        return counts
    if name.kind == "machine_type" and name.chips_per_host:
        return f"a host of {number(name.chips_per_host, 'chip')}"
    return ""
