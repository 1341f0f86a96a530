"""Replacements and updates that come from what GKE reports, and what ends them."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.terraform.plans import CLUSTER, POOL, change, changed, cluster_values, compared, slice_values

from pulumi_gke_tpu.features.diff.model import ItemChange

SLICE = f"{POOL}.slice"
THREADS = {"threads_per_core": 1, "enable_nested_virtualization": False, "performance_monitoring_unit": ""}
NO_THREADS = {"threads_per_core": 0, "enable_nested_virtualization": False, "performance_monitoring_unit": ""}
NO_PLACEMENT = {"type": "", "tpu_topology": "", "policy_name": ""}
HOST = {name: value for name, value in slice_values(node_count=1).items() if name != "placement_policy"}
CPU = slice_values() | {"placement_policy": [], "node_config": [{"machine_type": "n2-standard-8"}]}


def one(before: Mapping[str, Any], after: Mapping[str, Any], path: str, address: str = SLICE) -> ItemChange:
    """The item of a node pool that is replaced for one block."""
    steps = [step for name in path.split(".") for step in (name, 0)][:-1]
    planned = change(address, ["delete", "create"], before, after, replace_paths=[steps])
    (item,) = compared(planned).report.change.items
    return item


def without(values: Mapping[str, Any], path: str, block: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The values with a block in the state, and without it in the configuration."""
    return changed(values, path, [block]), changed(values, path, [])


@pytest.mark.parametrize(
    ("path", "block", "values", "ignored"),
    [
        (
            "node_config.advanced_machine_features",
            THREADS,
            slice_values(),
            "node_config[0].advanced_machine_features",
        ),
        (
            "node_config.advanced_machine_features",
            NO_THREADS,
            slice_values(),
            "node_config[0].advanced_machine_features",
        ),
        ("node_config.advanced_machine_features", NO_THREADS, CPU, "node_config[0].advanced_machine_features"),
        ("queued_provisioning", {"enabled": False}, slice_values(), "queued_provisioning"),
        ("queued_provisioning", {"enabled": False}, CPU, "queued_provisioning"),
        ("placement_policy", NO_PLACEMENT, HOST, "placement_policy"),
        (
            "node_config.ephemeral_storage_local_ssd_config",
            {"local_ssd_count": 0, "data_cache_count": 0},
            slice_values(),
            "node_config[0].ephemeral_storage_local_ssd_config",
        ),
        (
            "node_config.local_nvme_ssd_block_config",
            {"local_ssd_count": 0},
            slice_values(),
            "node_config[0].local_nvme_ssd_block_config",
        ),
    ],
)
def test_a_block_that_gke_reports_can_be_ignored(
    path: str, block: Mapping[str, Any], values: Mapping[str, Any], ignored: str
) -> None:
    item = one(*without(values, path, block), path)
    assert f"GKE itself sets `{path}`" in item.consequence
    assert f"add `lifecycle {{ ignore_changes = [{ignored}] }}` to `{SLICE}`" in item.consequence


def test_one_thread_per_core_can_be_stated_too() -> None:
    path = "node_config.advanced_machine_features"
    item = one(*without(slice_values(), path, THREADS), path)
    assert item.consequence.endswith(f"or set `{path}.threads_per_core = 1`.")


@pytest.mark.parametrize(
    ("path", "block", "values"),
    [
        ("node_config.advanced_machine_features", {**THREADS, "threads_per_core": 2}, slice_values()),
        ("node_config.advanced_machine_features", THREADS, CPU),
        ("queued_provisioning", {"enabled": True}, slice_values()),
        ("placement_policy", {**NO_PLACEMENT, "type": "COMPACT"}, HOST),
        ("node_config.local_nvme_ssd_block_config", {"local_ssd_count": 2}, slice_values()),
    ],
)
def test_what_a_configuration_had_is_not_from_gke(
    path: str, block: Mapping[str, Any], values: Mapping[str, Any]
) -> None:
    assert "GKE itself sets" not in one(*without(values, path, block), path).consequence


def test_another_value_is_not_from_gke() -> None:
    path = "node_config.advanced_machine_features"
    before, after = changed(slice_values(), path, [THREADS]), changed(slice_values(), path, [{"threads_per_core": 2}])
    assert "GKE itself sets" not in one(before, after, path).consequence


@pytest.mark.parametrize(("machine", "low"), [("ct6e-standard-4t", False), ("ct5lp-hightpu-4t", True)])
def test_a_machine_family_without_a_source_is_less_certain(machine: str, low: bool) -> None:
    path = "node_config.advanced_machine_features"
    item = one(*without(changed(slice_values(), "node_config.machine_type", machine), path, THREADS), path)
    assert any(fact.confidence == "low" for fact in item.facts) is low


def test_a_node_pool_in_a_cluster_is_ignored_as_a_whole() -> None:
    path = "node_config.advanced_machine_features"
    before, after = (cluster_values(node_pool=[values]) for values in without(slice_values(), path, THREADS))
    planned = change(f"{CLUSTER}.training", ["update"], before, after)
    (item,) = compared(planned).report.change.items
    assert f"add `lifecycle {{ ignore_changes = [node_pool] }}` to `{CLUSTER}.training`" in item.consequence


def test_an_empty_placement_is_a_node_pool_of_single_hosts() -> None:
    item = one(*without(HOST, "placement_policy", NO_PLACEMENT), "placement_policy")
    assert (item.hosts_gone.maximum, item.hosts_new.maximum) == (1, 1)
    assert item.size is not None
    assert item.size.was == item.size.will
