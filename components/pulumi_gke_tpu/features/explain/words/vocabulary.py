"""All names that gke-tpu explains, for suggestions."""

import difflib
from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.places import known_regions, known_zones
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.plan.key_table import plan_keys
from pulumi_gke_tpu.features.explain.words.capacity import CAPACITY_WORDS
from pulumi_gke_tpu.features.explain.words.controllers import controller_words

_MOST = 5


def vocabulary(catalog: Catalog) -> tuple[str, ...]:
    """All names, without duplicates."""
    return tuple(dict.fromkeys(_words(catalog)))


def _words(catalog: Catalog) -> Iterator[str]:
    for name in catalog.generation_names:
        generation = catalog.generation(name)
        yield name
        yield from generation.also_called
        yield from generation.families
        yield from generation.machine_types
        yield from (family.accelerator_label for family in generation.families.values())
        yield from _numbered(generation)
    for name, announced in catalog.announced.items():
        yield name
        yield from announced.also_called
    yield from catalog.platform.names.wrong_labels
    yield from known_zones(catalog)
    yield from known_regions(catalog)
    yield from CAPACITY_WORDS
    yield from catalog.versions.features
    yield from catalog.platform.addons
    yield from controller_words(catalog)
    for disks in catalog.disks.families.values():
        yield from disks.boot
        yield from disks.attach
    yield from (key.name.removesuffix("[]") for key in plan_keys() if key.name != "*")


def _numbered(generation: Generation) -> Iterator[str]:
    """Names such as v5p-128 for each listed topology, with each prefix."""
    names = generation.numbered_names
    sizes = dict.fromkeys(Topology.parse(row.topology).chips for row in generation.topologies.rows if row.documented)
    if names is not None:
        yield from (f"{prefix}-{chips * names.per_chip}" for prefix in names.prefixes for chips in sizes)


def nearest(catalog: Catalog, word: str) -> tuple[str, ...]:
    """The most similar names, best first; empty if none is similar."""
    folded = {known.lower().replace("-", "_"): known for known in vocabulary(catalog)}
    asked = word.strip().lower().replace("-", "_")[:100]
    return tuple(folded[found] for found in difflib.get_close_matches(asked, folded, n=_MOST, cutoff=0.6))
