"""What GKE adds to its answers, in the form that builders, comparisons and the stand-ins of tests read."""

from collections import Counter

from support.documents import ROOT

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.catalog.records.provider import known_path
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.api_names import properties_of
from pulumi_gke_tpu.core.text.formats.property_path import value_at


def additions(catalog: Catalog) -> list[tuple[str, GkeAddition]]:
    return [(resource_type, item) for resource_type, items in catalog.gke_adds.items() for item in items]


def test_each_addition_is_a_property_that_programs_can_set(catalog: Catalog) -> None:
    assert set(catalog.gke_adds) == {NODE_POOL, CLUSTER}
    for resource_type, item in additions(catalog):
        assert known_path(catalog.provider, resource_type, item.path) == item.path


def test_each_addition_is_listed_once(catalog: Catalog) -> None:
    listed = Counter((resource_type, item.path, item.added_to) for resource_type, item in additions(catalog))
    assert [entry for entry, count in listed.items() if count > 1] == []


def test_an_effect_is_what_the_provider_does_without_the_property(catalog: Catalog) -> None:
    for resource_type, item in additions(catalog):
        change = catalog.provider.resources[resource_type].properties[item.path]
        if item.effect != "none":
            assert not change.computed, item.path
            assert (item.effect == "replace") == (change.change == "replace"), item.path


def test_families_are_tpu_machine_families(catalog: Catalog) -> None:
    families = {family for name in catalog.generation_names for family in catalog.generation(name).families}
    for _, item in additions(catalog):
        assert set(item.families) <= families
        assert not item.families or item.added_to == "tpu"


def test_an_answer_is_read_into_its_property(catalog: Catalog) -> None:
    fields = [entry for entry in additions(catalog) if entry[1].answer and entry[1].added_to != "no_ip_endpoint"]
    assert fields
    for resource_type, item in fields:
        answer = item.answer
        for name in reversed(item.field.split(".")):
            answer = {name: answer}
        assert value_at(properties_of(resource_type, answer), item.path.split(".")), item.path


def test_the_guide_names_every_addition_that_the_providers_compare(catalog: Catalog) -> None:
    page = (ROOT / "docs" / "gke-adds.md").read_text("utf-8")
    assert [item.path for _, item in additions(catalog) if item.effect != "none" and f"`{item.path}`" not in page] == []
