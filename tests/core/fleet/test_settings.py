"""Effective settings: each value with its origin and its reason."""

import datetime
from typing import Any

import pytest
from support.plan_corpus import catalog, source
from support.shipped import TODAY

from pulumi_gke_tpu.core.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import (
    USUAL_AUTOSCALER,
    ClusterSettings,
    Derived,
    autoscaler_settings,
    boot_disk,
    is_short_lived,
    node_lifetime,
    node_settings,
    oauth_scopes,
    security_settings,
    system_pool,
    upgrade_settings,
)
from pulumi_gke_tpu.core.plan.adoption import Adopted

STANDARD = {"mode": "standard", "location": "us-east5"}
EXISTING = {"mode": "standard", "existing": "projects/acme-ml/locations/us-east5/clusters/shared"}


def cluster(**keys: Any) -> Cluster:
    found = source("plan", {"version": 1, "project": "acme-ml", "clusters": {"train": {**STANDARD, **keys}}}, TODAY)
    assert found is not None
    return found.fleet.clusters[0]


def group(**keys: Any) -> SliceGroup:
    shape = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}
    return cluster(slices={"pretrain": {**shape, **keys}}).groups[0]


def shown(item: Derived[Any]) -> tuple[object, str]:
    return item.value, item.origin


@pytest.mark.parametrize("capacity", ["flex_start", "queued", {"flex_start": {"queued": True}}])
def test_nodes_that_wait_for_capacity_are_neither_repaired_nor_replaced(capacity: object) -> None:
    upgrade = upgrade_settings(group(capacity=capacity))
    assert shown(upgrade.auto_repair) == (False, "capacity_mode")
    assert shown(upgrade.strategy) == ("short_lived", "fact")
    assert upgrade.strategy.sent is None
    assert upgrade.short_lived
    assert not upgrade.upgrades_running_nodes


@pytest.mark.parametrize("capacity", ["on_demand", "spot", {"reservation": "ours"}])
def test_other_nodes_are_repaired_and_upgraded_by_default(capacity: object) -> None:
    upgrade = upgrade_settings(group(capacity=capacity))
    assert shown(upgrade.auto_repair) == shown(upgrade.auto_upgrade) == (True, "default")
    assert upgrade.upgrades_running_nodes


@pytest.mark.parametrize(
    ("written", "surge", "unavailable"),
    [
        ({}, (0, "default"), (1, "default")),
        ({"auto_repair": False}, (0, "default"), (1, "default")),
        ({"max_surge": 2}, (2, "plan"), (0, "default")),
        ({"max_surge": 0}, (0, "plan"), (1, "default")),
        ({"max_unavailable": 3}, (0, "default"), (3, "plan")),
        ({"max_surge": 2, "max_unavailable": 0}, (2, "plan"), (0, "plan")),
    ],
)
def test_an_upgrade_has_an_additional_or_an_unavailable_node(written: Any, surge: Any, unavailable: Any) -> None:
    upgrade = upgrade_settings(group(upgrade=written))
    assert (shown(upgrade.max_surge), shown(upgrade.max_unavailable)) == (surge, unavailable)


def test_a_compute_class_gets_only_what_the_plan_sets() -> None:
    silent = upgrade_settings(group(capacity="spot", fallback=["on_demand"]))
    assert [item.sent for item in (silent.strategy, silent.auto_repair, silent.auto_upgrade)] == [None, None, None]
    assert silent.upgrades_running_nodes
    written = upgrade_settings(group(capacity="spot", fallback=["on_demand"], upgrade={"auto_upgrade": False}))
    assert written.auto_upgrade.sent is False
    assert not written.upgrades_running_nodes


def test_a_group_with_one_mode_that_lasts_is_not_short_lived() -> None:
    assert not is_short_lived(group(capacity="flex_start", fallback=["spot"]))


def test_what_is_not_in_the_plan_is_a_fact_and_not_sent() -> None:
    nodes = node_settings(group(), catalog())
    disks, places = catalog().disks, catalog().platform.nodes
    assert shown(nodes.boot_disk.type) == (disks.families["ct6e"].default_boot, "fact")
    assert shown(nodes.boot_disk.size_gib) == (disks.defaults.standard_gib, "fact")
    assert shown(nodes.max_pods_per_node) == (places.default_pods_per_node, "fact")
    assert not nodes.boot_disk.any_sent
    assert nodes.max_pods_per_node.sent is None


def test_the_plan_decides_about_a_part_of_the_boot_disk() -> None:
    disk = node_settings(group(boot_disk={"iops": 5000}), catalog()).boot_disk
    assert (disk.any_sent, disk.type.sent, disk.size_gib.sent) == (True, None, None)
    assert disk.performance == ("5,000 IOPS",)
    assert boot_disk(None).performance == ()


def test_a_system_pool_exists_only_in_a_standard_cluster_that_is_created() -> None:
    assert system_pool(cluster(mode="autopilot")) is None
    assert system_pool(cluster(**EXISTING)) is None
    usual = system_pool(cluster())
    assert usual is not None
    assert {item.origin for item in (usual.machine_type, usual.min_nodes, usual.max_nodes)} == {"default"}
    assert usual.note == "the default"


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ({"zones": ["us-east5-a"]}, "the default"),
        ({"max_nodes": 9}, "max_nodes from the plan, otherwise the default"),
        ({"min_nodes": 2, "max_nodes": 9}, "min_nodes and max_nodes from the plan, otherwise the default"),
        ({"machine_type": "e2-standard-8", "min_nodes": 2, "max_nodes": 9}, "from the plan"),
    ],
)
def test_the_size_of_the_system_pool_names_the_keys_of_the_plan(written: Any, note: str) -> None:
    found = system_pool(cluster(system_pool=written))
    assert found is not None
    assert found.note == note


@pytest.mark.parametrize(
    ("keys", "private"),
    [
        ({}, (False, "default")),
        ({"network": "create"}, (True, "default")),
        ({"network": "create", "private_nodes": False}, (False, "plan")),
        (EXISTING, (None, "fact")),
        ({**EXISTING, "private_nodes": True}, (True, "plan")),
    ],
)
def test_nodes_are_private_in_a_network_of_the_plan(keys: Any, private: Any) -> None:
    assert shown(ClusterSettings(cluster(**keys)).private_nodes) == private


@pytest.mark.parametrize(
    ("plane", "enabled"),
    [
        ({}, False),
        ({"dns_endpoint": False}, True),
        ({"private": True}, True),
        ({"authorized_networks": {"office": "203.0.113.0/24"}}, True),
    ],
)
def test_the_ip_endpoint_is_enabled_if_something_needs_it(plane: Any, enabled: bool) -> None:
    assert ClusterSettings(cluster(control_plane=plane)).ip_endpoint.value == enabled


def test_the_channel_of_an_existing_cluster_is_unknown_unless_the_plan_states_it() -> None:
    assert shown(ClusterSettings(cluster(**EXISTING)).release_channel) == (None, "fact")
    assert shown(ClusterSettings(cluster(**EXISTING, release_channel="rapid")).release_channel) == ("rapid", "plan")
    assert shown(ClusterSettings(cluster()).release_channel) == ("regular", "default")


@pytest.mark.parametrize(
    ("keys", "account"),
    [
        ({}, ("create", "default")),
        ({"node_service_account": "create"}, ("create", "plan")),
        (EXISTING, (None, "fact")),
        ({**EXISTING, "node_service_account": "create"}, ("create", "plan")),
    ],
)
def test_the_nodes_of_an_existing_cluster_have_the_default_account_unless_the_plan_sets_one(
    keys: Any, account: Any
) -> None:
    assert shown(ClusterSettings(cluster(**keys)).node_service_account) == account


def test_hardening_that_the_plan_does_not_set_is_sent_and_that_of_an_existing_cluster_is_unknown() -> None:
    made, found = (security_settings(cluster(**keys)) for keys in ({"security": {"tpu_secure_boot": True}}, EXISTING))
    assert shown(made.tpu_secure_boot) == (True, "plan")
    assert shown(made.secure_boot) == (True, "default")
    assert shown(made.dataplane_v2) == (True, "default")
    assert shown(found.dataplane_v2) == (None, "fact")
    stated = security_settings(cluster(**EXISTING, security={"dataplane_v2": False}))
    assert shown(stated.dataplane_v2) == (False, "plan")


@pytest.mark.parametrize(
    ("capacity", "lifetime"),
    [
        ("on_demand", (None, "capacity_mode")),
        ("flex_start", (datetime.timedelta(seconds=catalog().capacity.flex_start.default_run_seconds), "fact")),
        ({"flex_start": {"max_run_duration": "3d"}}, (datetime.timedelta(days=3), "plan")),
    ],
)
def test_only_flex_start_nodes_end_after_a_time(capacity: Any, lifetime: Any) -> None:
    assert shown(node_lifetime(group(capacity=capacity), catalog())) == lifetime


# The autoscaler


@pytest.mark.parametrize(
    ("keys", "limits", "policy"),
    [
        ({}, ("total", "default"), ("any", "default")),
        ({"adopted": True}, ("total", "default"), ("any", "fact")),
        (
            {"adopted": {"limits": "per_zone", "location_policy": "balanced"}},
            ("per_zone", "plan"),
            ("balanced", "plan"),
        ),
        ({"topology": "4x4", "adopted": True}, ("per_zone", "default"), ("any", "fact")),
    ],
    ids=["created", "adopted", "adopted with keys", "adopted multi-host slices"],
)
def test_adopted_node_pools_keep_what_no_key_states(keys: dict[str, Any], limits: object, policy: object) -> None:
    found = autoscaler_settings(group(count={"min": 0, "max": 4}, **keys))
    assert (shown(found.limits), shown(found.location_policy)) == (limits, policy)


def test_limits_for_each_zone_are_a_part_of_all() -> None:
    every, zones = Range(2, 9), ("us-east5-a", "us-east5-b")
    settings = autoscaler_settings(group(count={"min": 0, "max": 4}, adopted={"limits": "per_zone"}))
    assert (settings.nodes(every, zones), settings.nodes(every, ())) == (Range(1, 4), every)
    assert USUAL_AUTOSCALER.nodes(every, zones) == every


def test_scopes_can_be_written_without_the_address_that_all_share() -> None:
    prefix = "https://www.googleapis.com/auth/"
    written = Adopted(oauth_scopes=["logging.write", f"{prefix}devstorage.read_only"])
    assert shown(oauth_scopes(None, catalog())) == ((f"{prefix}cloud-platform",), "default")
    assert shown(oauth_scopes(Adopted(), catalog())) == ((f"{prefix}cloud-platform",), "default")
    scopes = (f"{prefix}logging.write", f"{prefix}devstorage.read_only")
    assert shown(oauth_scopes(written, catalog())) == (scopes, "plan")
