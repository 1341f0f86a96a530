"""Understands what people call TPUs elsewhere: accelerator types, machine types and families, accelerator labels."""

import re
from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog, Topology
from pulumi_gke_tpu.catalog.generation import CloudTpuNames, Generation

_NUMBERED = re.compile(r"(?P<prefix>[a-z0-9]+)-0*(?P<number>\d{1,6})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word means, and which keys of a plan say the same.

    ``what`` completes "WORD is ..."; ``exists`` is False for words that are formed right and name nothing.
    """

    what: str
    generation: str
    why: str = ""
    machine_type: str = ""
    topology: str = ""
    exists: bool = True

    @property
    def as_plan(self) -> str:
        """The keys of a plan in one line: ``tpu: v5p, topology: 4x4x4``."""
        keys = (("tpu", self.generation), ("machine_type", self.machine_type), ("topology", self.topology))
        return ", ".join(f"{key}: {value}" for key, value in keys if value)


def generation_called(catalog: Catalog, word: str) -> str | None:
    """The generation that people also call by this word, in any case."""
    word = word.strip().lower()
    for name in catalog.generation_names:
        if word == name or word in catalog.generation(name).also_called:
            return name
    return None


def meaning_of(catalog: Catalog, word: str) -> Meaning | None:
    """What an accelerator type, machine type, family or accelerator label stands for; None for any other word."""
    word = word.strip().lower()
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        meaning = _machine_or_label(generation, name, word)
        if meaning:
            return meaning
    wrong = catalog.platform.names.wrong_labels.get(word)
    if wrong:
        right = meaning_of(catalog, wrong)
        generation_name = right.generation if right else generation_called(catalog, wrong) or wrong
        return Meaning(f"a wrong accelerator label (the right one is {wrong})", generation_name)
    return _accelerator_type(catalog, word)


def _machine_or_label(generation: Generation, name: str, word: str) -> Meaning | None:
    machine = generation.machine_types.get(word)
    if machine:
        chips = f"{machine.chips} chip{'s' if machine.chips > 1 else ''}"
        return Meaning(f"a machine type of {name}", name, f"a host of {chips}", machine_type=word)
    for family_name, family in generation.families.items():
        if word == family.accelerator_label != name:
            return Meaning(f"an accelerator label of {name}", name)
        if word == family_name != name:
            return Meaning(f"a machine family of {name}", name)
    return None


def _accelerator_type(catalog: Catalog, word: str) -> Meaning | None:
    """A name such as v5p-128, whose number counts chips or TensorCores."""
    match = _NUMBERED.match(word)
    if not match:
        return None
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        for names in generation.cloud_tpu_names:
            if names.prefix == match["prefix"]:
                return _numbered(generation, name, names, int(match["number"]))
    return None


def _numbered(generation: Generation, name: str, names: CloudTpuNames, number: int) -> Meaning:
    counts = f"the number counts {'chips' if names.unit == 'chips' else 'TensorCores'}"
    most = generation.limits.max_slice_chips.standard
    topology = names.topologies.get(f"{names.prefix}-{number}")
    if topology is None:
        near = _next(names, number, most)
        why = f"{counts}, and {near} is the nearest that exists" if near else counts
        what = "neither a generation nor an accelerator type that exists"
        return Meaning(what, name, why, topology=names.topologies.get(near, ""), exists=False)
    chips = Topology.parse(topology).chips
    what = f"an accelerator type ({chips:,} chip{'s' if chips > 1 else ''} of {name})"
    if chips > most:
        return Meaning(what, name, f"{counts}, and the largest slice of {name} on GKE has {most:,} chips")
    return Meaning(what, name, counts, topology=topology)


def _next(names: CloudTpuNames, number: int, most: int) -> str:
    """The smallest name that is large enough, else the largest that GKE has."""
    sizes = sorted(
        (int(key.rsplit("-", 1)[1]), key)
        for key, topology in names.topologies.items()
        if Topology.parse(topology).chips <= most
    )
    return next((key for size, key in sizes if size >= number), sizes[-1][1] if sizes else "")
