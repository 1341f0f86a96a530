"""Explains a name from Cloud TPU, GKE, a price list or gke-tpu, and suggests names."""

import difflib
from collections.abc import Callable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.catalog.places import known_regions, known_zones
from pulumi_gke_tpu.core.catalog.records.generation import Generation
from pulumi_gke_tpu.core.plan.key_table import plan_keys
from pulumi_gke_tpu.core.plan.reading.spellings import SEVERAL_MODES
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.features.explain.messages.pages import symptom_words
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence, fitting_notes
from pulumi_gke_tpu.features.explain.words.capacity import CAPACITY_WORDS, explain_capacity
from pulumi_gke_tpu.features.explain.words.places import explain_region, explain_zone
from pulumi_gke_tpu.features.explain.words.plan_keys import explain_addon, explain_disk, explain_feature, explain_key
from pulumi_gke_tpu.features.explain.words.slices import explain_pair, explain_topology
from pulumi_gke_tpu.features.explain.words.tpu import explain_name


def _kinds(catalog: Catalog) -> dict[str, str]:
    """The controllers of kinds, by the kind in lower case, without names of pages about failures."""
    pages = symptom_words(catalog)
    controllers = catalog.kubernetes.controllers.items()
    every = {kind.lower(): name for name, controller in controllers for kind in controller.kinds}
    return {kind: name for kind, name in every.items() if kind not in pages}


def controller_words(catalog: Catalog) -> Iterator[str]:
    """The names of the controllers and of their kinds, in lower case."""
    yield from catalog.kubernetes.controllers
    yield from _kinds(catalog)


def explain_controller(catalog: Catalog, word: str) -> Explanation | None:
    """A controller by its name, or by one of its kinds: its API version, and the releases whose fields are used."""
    controllers = catalog.kubernetes.controllers
    name = word if word in controllers else _kinds(catalog).get(word, word.replace("-", "_"))
    controller = controllers.get(name)
    if controller is None:
        return None
    facts = evidence(catalog, controller)
    deprecated = f"; deprecated: {listed(list(controller.deprecated))}" if controller.deprecated else ""
    api_version = f"{controller.group}/{controller.version}"
    steps = [Step("api_version", api_version, f"the version that gke-tpu writes and checks{deprecated}", facts)]
    if controller.releases:
        reason = "gke-tpu uses only fields that all of these releases have"
        steps.append(Step("releases", listed(list(controller.releases)), reason, facts))
    affinity = catalog.kubernetes.workloads.slice_affinity
    if name in affinity.keys:
        reason = "where the operator does not hold slices together, affinity by this label of their Pods does"
        steps.append(Step("slice_label", affinity.keys[name], reason, evidence(catalog, affinity)))
    classes = catalog.kubernetes.compute_classes.labels
    if "ComputeClass" in controller.kinds:
        reason = (
            "a ComputeClass has fields instead of these labels; GKE rejects Pods that select a class and one of them"
        )
        steps.append(
            Step("labels", listed(list(classes.labels), most=len(classes.labels)), reason, evidence(catalog, classes))
        )
    slices, names = catalog.kubernetes.kueue.slices, catalog.kubernetes.pods.slice_names
    if slices.controller.startswith(f"{controller.group}/"):
        reason = f"what the Pod of the controller for Kueue requests in {slices.manifest.rpartition('/')[2]}"
        proof = evidence(catalog, slices, "cpu")
        steps.append(Step("requests", f"{slices.cpu} vCPUs and {slices.memory}", reason, proof))
        reason = "the longest name of a Slice"
        proof = evidence(catalog, names, "longest")
        steps.append(Step("name", number(names.longest, "character"), reason, proof))
        releases, titles = catalog.kubernetes.kueue.slice_releases, catalog.kubernetes.controllers
        minimums = {"cubes": (releases.cubes, "slices of cubes"), "parts": (releases.parts, "parts of a cube")}
        for item, (lowest, what) in minimums.items():
            least = listed([f"{titles[key].title} {release}" for key, release in lowest.items()])
            reason = f"the lowest releases of operators for {what}"
            steps.append(Step(item, least, reason, evidence(catalog, releases, item)))
    steps.append(Step("kinds", listed(list(controller.kinds), most=len(controller.kinds)), "kinds of objects", facts))
    return Explanation(
        item=name,
        kind="controller",
        summary=f"the objects of {controller.title} on a cluster",
        catalog=catalog.about.version,
        steps=tuple(steps),
        remarks=fitting_notes(catalog, frozenset(), {name}, only_on_subjects=True),
    )


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
    yield from (*CAPACITY_WORDS, *SEVERAL_MODES)
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
    words = (*vocabulary(catalog), *symptom_words(catalog))
    folded = {known.lower().replace("-", "_"): known for known in words}
    asked = word.strip().lower().replace("-", "_")[:100]
    return tuple(folded[found] for found in difflib.get_close_matches(asked, folded, n=_MOST, cutoff=0.6))


_LONGEST = 100

_READINGS: tuple[Callable[[Catalog, str], Explanation | None], ...] = (
    explain_name,
    explain_topology,
    explain_zone,
    explain_region,
    explain_capacity,
    explain_feature,
    explain_addon,
    explain_disk,
    explain_controller,
    explain_key,
)


def explain_word(catalog: Catalog, word: str) -> Explanation | None:
    """The explanation of a name, case-insensitive; None if it is unknown.

    Two names with a colon between them, ``v5p:4x4x8``, are a generation and a topology, a zone or a capacity mode.
    """
    given = word.strip()
    word = given.lower()
    if len(word) > _LONGEST:
        return None
    if ":" in word:
        first, second = (part.strip() for part in word.split(":", 1))
        return explain_pair(catalog, first, second)
    found = next((found for found in (reading(catalog, word) for reading in _READINGS) if found is not None), None)
    if found is not None and found.kind == "controller" and given == word != found.item:
        return explain_key(catalog, word) or found  # topology is a key of a plan, Topology a kind of Kueue
    return found
