"""Each explained value leads to a fact of the catalog with source and date, or to a line in a file of the user."""

import functools
import json
from collections.abc import Iterator, Mapping

import pytest
from support.plan_corpus import KINDS, Source, catalog, sources
from support.sampling import sample

from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.features.explain.steps import Explanation, Step
from pulumi_gke_tpu.features.explain.values.explain import explain_item
from pulumi_gke_tpu.features.explain.values.surroundings import Item, Surroundings

NEW = {"price", "quota", "headroom", "maintenance"}


@functools.cache
def explained(kind: str) -> tuple[tuple[str, Explanation], ...]:
    """The items of the plans of one kind, read from text: only a file has lines."""
    return tuple(found for source in sample(sources(kind), 40) for found in _items(source))


def _items(source: Source) -> Iterator[tuple[str, Explanation]]:
    data = {key: value for key, value in source.data.items() if key != "today"}
    document = read_plan_content(json.dumps(data, indent=1).encode(), "plan.yaml")
    if document.content is None:
        return
    fleet = derive(document.content, catalog(), None)
    around = Surroundings(catalog(), document, (PlanInFleet(document, document.content, fleet),))
    paths = [Item(), *(Item(name) for name in document.content.clusters)]
    paths += [Item(name, group) for name, cluster in document.content.clusters.items() for group in cluster.slices]
    for item in paths:
        yield f"{source} {item.key}", explain_item(document.content, fleet, catalog(), item, around=around)


def ends_of(step: Step, steps: Mapping[str, Step], seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """Where the chain of a value ends: sources with their dates, and lines of files."""
    for fact in step.evidence:
        assert fact.as_of
        yield from (f"{source.title}, as of {fact.as_of}" for source in fact.sources)
    yield from (place.text for place in step.written)
    for name in step.follows_from:
        assert name in steps, f"{step.name} follows from {name}, which the item does not have"
        if name not in seen:
            yield from ends_of(steps[name], steps, seen | {step.name})


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_value_leads_to_a_fact_or_to_a_line_of_the_plan(kind: str) -> None:
    loose = {
        f"{step.name} of {name}: {step.value}, {step.because}"
        for name, explanation in explained(kind)
        for step in explanation.steps
        if not list(ends_of(step, {step.name: step for step in explanation.steps}))
    }
    assert sorted(loose) == []


@pytest.mark.parametrize("kind", list(KINDS))
def test_price_quota_headroom_and_maintenance_of_each_item_lead_to_a_fact_with_source_and_date(kind: str) -> None:
    checked = 0
    for name, explanation in explained(kind):
        if explanation.kind not in ("cluster", "group") or explanation.problem:
            continue
        steps = {step.name: step for step in explanation.steps}
        assert steps.keys() >= NEW, name
        for word in NEW:
            facts = steps[word].evidence
            assert facts, f"{word} of {name}: {steps[word].value}"
            assert all(fact.sources and fact.as_of and fact.confidence for fact in facts), f"{word} of {name}"
            checked += 1
    assert checked
