"""`explain v6e` and `catalog v6e`: the same facts of a generation, in few words and in full."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.places import flex_pool, presences
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.features.explain.facts.generation import generation_page
from pulumi_gke_tpu.features.explain.facts.pages import overview_page
from pulumi_gke_tpu.features.explain.offers import documented_machines, figures, offered_families, status_text
from pulumi_gke_tpu.features.explain.words.vocabulary import explain_word

CATALOG = read_catalog()


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", CATALOG.generation_names)
def test_an_explanation_and_a_page_show_the_same_facts(name: str) -> None:
    generation = CATALOG.generation(name)
    page: Any = flat(write_text(generation_page(CATALOG, name), width=400, color=False))
    explanation = explain_word(CATALOG, name)
    assert explanation is not None
    steps = {step.name: step.value for step in explanation.steps}
    assert steps["status"] == status_text(generation)
    assert f"status {status_text(generation)}" in page
    for label, value in figures(generation.chip):
        assert f"{label} {value}" in page
        assert value in steps["chip"]
    for machine in documented_machines(generation):
        assert machine in page
        assert machine in steps["machine types"]
    for family, zones in offered_families(CATALOG, generation):
        assert all(zone in page and zone in steps[family] for zone in zones.documented.zones)


def test_the_overview_has_the_machines_and_zones_of_every_generation() -> None:
    text = write_text(overview_page(CATALOG), width=400, color=False)
    for name in CATALOG.generation_names:
        generation = CATALOG.generation(name)
        assert all(machine in text for machine in documented_machines(generation))
        assert all(
            zone in text for _, zones in offered_families(CATALOG, generation) for zone in zones.documented.zones
        )


@pytest.mark.parametrize("name", CATALOG.generation_names)
def test_a_page_explains_every_word_of_its_zone_table(name: str) -> None:
    page = flat(write_text(generation_page(CATALOG, name), width=400, color=False))
    for family, zones in offered_families(CATALOG, CATALOG.generation(name)):
        for item in presences(family, zones):
            assert f"Evidence `{item.certainty.replace('_', ' ')}`: " in page
            state = flex_pool(CATALOG, family, item.zone).state
            assert state == "unknown" or f"Flex-start `{state}`: " in page


def test_a_word_in_lower_case_is_the_key_of_a_plan_before_a_kind_of_kueue() -> None:
    key, kind, only_kind = (explain_word(CATALOG, word) for word in ("topology", "Topology", "clusterqueue"))
    assert key is not None
    assert kind is not None
    assert kind == only_kind
    assert (key.item, kind.item) == ("topology", "kueue")
