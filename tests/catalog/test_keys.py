"""catalog/keys.yaml: complete for the models of a plan, and every property exists in the provider."""

from collections.abc import Iterator

import pytest

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.keys import KeyEffect, PlanKeys, is_within
from pulumi_gke_tpu.plan import Plan
from pulumi_gke_tpu.plan.keys import documented_keys

MODEL_KEYS = [path for path, _, _ in documented_keys(Plan)]


def without_entry(keys: PlanKeys, model_keys: list[str]) -> Iterator[str]:
    """The keys of the models to which no entry applies.

    A mapping may have one entry for all its keys; if any of them has its own, each of them needs one.
    """
    for path in model_keys:
        speaking = [
            key for key, effect in keys.keys.items() if effect.sets or effect.creates or effect.option or effect.nothing
        ]
        below = [key for key in speaking if is_within(key, path)]
        above = [key for key in speaking if is_within(path, key) and key != path]
        split = any(other != key and is_within(other, key) for key in above for other in speaking)
        if not below and (not above or split):
            yield path


def test_every_key_of_the_models_has_an_entry(catalog: Catalog) -> None:
    assert list(without_entry(catalog.keys, MODEL_KEYS)) == []


@pytest.mark.parametrize("path", ["clusters.*.new", "clusters.*.autoprovisioning.new", "clusters.*.network.create.new"])
def test_a_new_key_without_an_entry_is_found(path: str, catalog: Catalog) -> None:
    assert list(without_entry(catalog.keys, [*MODEL_KEYS, path])) == [path]


def test_entries_are_in_the_order_of_the_models(catalog: Catalog) -> None:
    assert list(catalog.keys.keys) == [path for path in MODEL_KEYS if path in catalog.keys.keys]


def test_every_entry_says_what_its_key_sets_or_why_it_sets_nothing(catalog: Catalog) -> None:
    def is_clear(effect: KeyEffect) -> bool:
        return bool(effect.sets or effect.instead_of or effect.creates or effect.option) != bool(effect.nothing)

    assert [path for path, effect in catalog.keys.keys.items() if not is_clear(effect)] == []


def test_every_property_exists_in_the_provider(catalog: Catalog) -> None:
    keys, provider = catalog.keys, catalog.provider
    effects = [(path, part) for path, item in keys.keys.items() for part in (item.sets, item.instead_of)]
    sets = [*effects, ("fixed", keys.fixed), ("unkeyed", keys.unkeyed)]
    assert [
        (path, resource, name)
        for path, resources in sets
        for resource, names in resources.items()
        for name in names
        if name not in provider.resources[keys.resources[resource]].properties
    ] == []


def test_a_property_is_either_set_by_a_key_or_by_none(catalog: Catalog) -> None:
    keys = catalog.keys
    keyed = {
        (resource, name) for effect in keys.keys.values() for resource in effect.sets for name in effect.sets[resource]
    }
    without = [(resource, name) for part in (keys.fixed, keys.unkeyed) for resource in part for name in part[resource]]
    assert len(set(without)) == len(without)
    assert set(without) & keyed == set()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("boot_disk.type", "nodeConfig.bootDisk.diskType"),
        ("placement", "placementPolicy.policyName"),
        ("boot_disk", "nodeConfig.bootDisk"),
        ("collection", "nodeConfig.labels"),
        ("upgrade", "upgradeSettings.strategy"),
        ("min", "autoscaling"),
        ("capacity.reservation.name", "nodeConfig.reservationAffinity"),
        ("capacity.flex_start.queued", "queuedProvisioning.enabled"),
        ("node_labels.team", "nodeConfig.labels"),
        ('node_labels["team/name"]', "nodeConfig.labels"),
        ("count.min", "nodeCount"),
        ("indices", ""),
        ("boot", ""),
    ],
)
def test_the_property_that_a_key_of_a_group_names(key: str, expected: str, catalog: Catalog) -> None:
    assert catalog.keys.property_of(f"clusters.*.slices.*.{key}", "TPU node pool") == expected


def test_a_key_has_a_part_in_what_is_around_it_and_below_it(catalog: Catalog) -> None:
    found = [effect.sets for effect in catalog.keys.around("clusters.*.network.create")]
    assert {"cluster": ("network", "subnetwork")} in found
    assert {"network": ("mtu",)} in found
    inner = [effect.sets for effect in catalog.keys.around("clusters.*.network.create.mtu") if effect.sets]
    assert inner == [{"cluster": ("network", "subnetwork")}, {"network": ("mtu",)}]


def test_every_property_of_a_key_is_closed_to_extra(catalog: Catalog) -> None:
    keys = catalog.keys
    for resource in ("cluster", "TPU node pool"):
        closed = keys.modeled(resource)
        assert {name for effect in keys.keys.values() for name in effect.sets.get(resource, ())} <= closed.keys()
        assert [closed[name] for name in keys.fixed[resource]] == [""] * len(keys.fixed[resource])


def test_the_innermost_key_stands_for_a_property(catalog: Catalog) -> None:
    assert catalog.keys.modeled("cluster")["resourceLabels"] == "clusters.*.resource_labels"
    assert catalog.keys.modeled("TPU node pool")["nodeConfig.resourceLabels"] == "clusters.*.slices.*.resource_labels"
    assert catalog.keys.modeled("TPU node pool")["project"] == "project"
