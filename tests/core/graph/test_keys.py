"""What the keys of a plan say that they set: complete, and every property exists in the provider."""

from collections.abc import Iterator
from typing import get_args

import pytest
from support.copied_keys import COPIED, sent
from support.tools import tool

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.keys import FIXED, RESOURCES, KeyEffect, PlanKeys, is_within, plan_keys
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.keys import documented_keys

UNKEYED = tool("change_table").UNKEYED
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


def test_every_key_of_the_models_has_an_entry() -> None:
    assert list(without_entry(plan_keys(), MODEL_KEYS)) == []


@pytest.mark.parametrize("path", ["clusters.*.new", "clusters.*.autoprovisioning.new", "clusters.*.network.create.new"])
def test_a_new_key_without_an_entry_is_found(path: str) -> None:
    assert list(without_entry(plan_keys(), [*MODEL_KEYS, path])) == [path]


def test_every_entry_says_what_its_key_sets_or_why_it_sets_nothing() -> None:
    def is_clear(effect: KeyEffect) -> bool:
        return bool(effect.sets or effect.instead_of or effect.creates or effect.option) != bool(effect.nothing)

    assert [path for path, effect in plan_keys().keys.items() if not is_clear(effect)] == []


def test_every_property_exists_in_the_provider() -> None:
    keys, provider = plan_keys(), read_catalog().provider
    effects = [(path, part) for path, item in keys.keys.items() for part in (item.sets, item.instead_of)]
    sets = [*effects, ("fixed", FIXED), ("unkeyed", UNKEYED)]
    assert [
        (path, resource, name)
        for path, resources in sets
        for resource, names in resources.items()
        for name in names
        if name not in provider.resources[RESOURCES[resource]].properties
    ] == []


def test_a_property_is_either_set_by_a_key_or_by_none() -> None:
    keys = plan_keys()
    keyed = {
        (resource, name) for effect in keys.keys.values() for resource in effect.sets for name in effect.sets[resource]
    }
    without = [(resource, name) for part in (FIXED, UNKEYED) for resource in part for name in part[resource]]
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
def test_the_property_that_a_key_of_a_group_names(key: str, expected: str) -> None:
    assert plan_keys().property_of(f"clusters.*.slices.*.{key}", "TPU node pool") == expected


def test_a_key_has_a_part_in_what_is_around_it_and_below_it() -> None:
    found = [effect.sets for effect in plan_keys().around("clusters.*.network.create")]
    assert {"cluster": ("network", "subnetwork")} in found
    assert {"network": ("mtu",)} in found
    inner = [effect.sets for effect in plan_keys().around("clusters.*.network.create.mtu") if effect.sets]
    assert inner == [{"cluster": ("network", "subnetwork")}, {"network": ("mtu",)}]


def test_every_property_of_a_key_is_closed_to_extra() -> None:
    keys = plan_keys()
    for resource in ("cluster", "TPU node pool"):
        closed = keys.modeled(resource)
        assert {name for effect in keys.keys.values() for name in effect.sets.get(resource, ())} <= closed.keys()
        assert [closed[name] for name in FIXED[resource]] == [""] * len(FIXED[resource])


def test_the_innermost_key_stands_for_a_property() -> None:
    assert plan_keys().modeled("cluster")["resourceLabels"] == "clusters.*.resource_labels"
    assert plan_keys().modeled("TPU node pool")["nodeConfig.resourceLabels"] == "clusters.*.slices.*.resource_labels"
    assert plan_keys().modeled("TPU node pool")["project"] == "project"


@pytest.mark.parametrize("path", COPIED)
def test_a_copied_key_sets_its_property(path: str) -> None:
    copied, found = COPIED[path], sent().get(path, [])
    assert found, f"{path} has no value in every_key.yaml, or no resource"
    words = copied.values or {}
    assert [sent for _, sent in found] == [words[value] if words else value for value, _ in found]


@pytest.mark.parametrize("path", [path for path, copied in COPIED.items() if copied.values])
def test_each_word_of_a_copied_key_has_its_value(path: str) -> None:
    copied = COPIED[path]
    assert set(copied.values or {}) == set(get_args(copied.type))
