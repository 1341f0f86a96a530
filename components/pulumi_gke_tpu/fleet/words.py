"""Understands what people call TPUs elsewhere: Cloud TPU names, machine types, accelerator labels, marketing names."""

import re
from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog

_NUMBERED = re.compile(r"(?P<prefix>[a-z0-9]+?)-(?P<number>\d{1,6})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a word means, and how a plan says the same."""

    what: str
    as_plan: str
    why: str = ""
    generation: str = ""


def generation_called(catalog: Catalog, word: str) -> str | None:
    """The generation that people also call by this word, in any case."""
    word = word.strip().lower()
    for name in catalog.generation_names:
        if word == name or word in catalog.generation(name).also_called:
            return name
    return None


def meaning_of(catalog: Catalog, word: str) -> Meaning | None:
    """What a Cloud TPU name, machine type or accelerator label stands for; None where it is no such word."""
    word = word.strip().lower()
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        machine = generation.machine_types.get(word)
        if machine:
            return Meaning(
                f"a machine type of {name}",
                f"tpu: {name}, machine_type: {word}",
                f"a host of {machine.chips} chip{'s' if machine.chips > 1 else ''}",
                name,
            )
        for family in generation.families.values():
            if word == family.accelerator_label and word != name:
                return Meaning(f"the accelerator label of {name}", f"tpu: {name}", "", name)
    wrong = catalog.platform.names.wrong_labels.get(word)
    if wrong:
        right = meaning_of(catalog, wrong)
        return Meaning(f"a wrong accelerator label (it is {wrong})", right.as_plan if right else f"tpu: {wrong}")
    return _cloud_tpu_name(catalog, word)


def _cloud_tpu_name(catalog: Catalog, word: str) -> Meaning | None:
    match = _NUMBERED.match(word)
    if not match:
        return None
    for name in catalog.generation_names:
        for names in catalog.generation(name).cloud_tpu_names:
            if names.prefix != match["prefix"]:
                continue
            number = int(match["number"])
            chips, rest = divmod(number, names.per_chip)
            unit = "chips" if names.unit == "chips" else "TensorCores"
            counts = f"the number counts {unit}"
            if word in names.topologies:
                chips_text = f"{chips} chips" if chips != 1 else "1 chip"
                plan = f"tpu: {name}, topology: {names.topologies[word]}"
                return Meaning(f"a Cloud TPU name for {chips_text} of {name}", plan, counts, name)
            smallest = min(names.topologies, key=lambda key: int(key.rsplit("-", 1)[1]), default="")
            plan = f"tpu: {name}, chips: {chips}" if chips and not rest else f"tpu: {name}"
            return Meaning("no Cloud TPU name that exists", plan, f"{counts}; the smallest is {smallest}", name)
    return None
