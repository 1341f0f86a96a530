"""Where sources disagree, explanations show both positions, with the sources of each."""

import dataclasses
import functools
import itertools
from collections.abc import Iterator

from support.each import each
from support.plan_corpus import catalog, sources

from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.reading.spellings import SEVERAL_MODES
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.explain.output.text import explain_text
from pulumi_gke_tpu.features.explain.steps import Evidence, Explanation
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import find_item, items
from pulumi_gke_tpu.features.explain.words.capacity import CAPACITY_WORDS
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word, vocabulary

SECTIONS = (
    "capacity",
    "disks",
    "kubernetes",
    "maintenance",
    "platform",
    "prices",
    "provider",
    "quota",
    "system_pools",
    "versions",
    "zones",
)


def facts_in(value: object, path: str) -> Iterator[tuple[str, Fact]]:
    if isinstance(value, Fact):
        yield path, value
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from facts_in(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from facts_in(entry, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for index, entry in enumerate(value):
            yield from facts_in(entry, f"{path}[{getattr(entry, 'id', index)}]")


def contested_facts() -> dict[str, Fact]:
    known = catalog()
    roots = {name: getattr(known, name) for name in SECTIONS}
    roots |= {f"generations.{name}": known.generation(name) for name in known.generation_names}
    return {path: fact for root, value in roots.items() for path, fact in facts_in(value, root) if fact.conflict}


def explained_words() -> Iterator[Explanation]:
    known = catalog()
    words = [*vocabulary(known), "calendar"]
    for name in known.generation_names:
        words += [f"{name}:{mode}" for mode in (*CAPACITY_WORDS, *SEVERAL_MODES)]
        words += [f"{name}:{row.topology}" for row in known.generation(name).topologies.rows]
    found = (explain_word(known, word) for word in words)
    return (explanation for explanation in found if explanation is not None)


def explained_items(kind: str) -> Iterator[Explanation]:
    for source in sources(kind):
        plan = parse_plan({key: value for key, value in source.data.items() if key != "today"}).content
        assert plan is not None
        for path in items(plan):
            yield explain_item(plan, source.fleet, catalog(), find_item(plan, path))


def explained_prices() -> Iterator[Explanation]:
    """A group in a zone of each price that sources disagree about."""
    known = catalog()
    families = {family: name for name in known.generation_names for family in known.generation(name).families}
    for price in known.prices.prices:
        zones = [zone for zone in known.zones.of_family(price.family) if region_of(zone) == price.region]
        if not price.conflict or not zones:
            continue
        tpu = families[price.family]
        group = {"tpu": tpu, "topology": "4x4", "zone": zones[0], "capacity": price.model}
        cluster = {"mode": "standard", "location": price.region, "slices": {"a": group}}
        plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
        fleet = check_plan(plan, known).fleet
        assert plan.content is not None
        assert fleet is not None
        yield explain_item(plan.content, fleet, known, find_item(plan.content, "c/a"))


def evidence_in(explanation: Explanation) -> Iterator[Evidence]:
    yield from (fact for step in explanation.steps for fact in step.evidence)
    yield from (remark.evidence for remark in explanation.remarks)


@functools.cache
def shown() -> dict[str, tuple[Explanation, Evidence]]:
    """Each conflict that an explanation shows: by its text, with the first explanation that does."""
    found: dict[str, tuple[Explanation, Evidence]] = {}
    wanted = {fact.conflict for fact in contested_facts().values()}
    every = (explained_words(), explained_prices(), explained_items("stacks"), explained_items("matrix"))
    for explanation in itertools.chain(*every):
        if wanted <= found.keys():
            break
        for fact in evidence_in(explanation):
            if fact.conflict:
                found.setdefault(fact.conflict, (explanation, fact))
    return found


@each("path", sorted(contested_facts()))
def test_both_positions_of_every_contested_fact_are_explained(path: str) -> None:
    fact = contested_facts()[path]
    assert fact.conflict in shown(), "no explanation shows it"
    explanation, evidence = shown()[fact.conflict]
    text = " ".join(explain_text(explanation, width=100, color=False).split())
    second = text.partition("sources disagree")[2]
    assert " ".join(fact.conflict.split()) in second
    for title in (evidence.text, evidence.others):
        assert title in second.split(" sources [1] ", 1)[1], "each position has its sources"
    assert evidence.sources
    assert evidence.as_of
