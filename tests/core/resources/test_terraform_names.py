"""The names of Terraform become those of Pulumi by rule; ``catalog/provider.yaml`` has those of Pulumi."""

from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resources.terraform import _differs
from pulumi_gke_tpu.core.resources.terraform_names import names_of, types_of
from pulumi_gke_tpu.core.resources.values import UNKNOWN

CATALOG = read_catalog()
POOL, HOME = names_of(CATALOG, NODE_POOL), names_of(CATALOG, CLUSTER)


@pytest.mark.parametrize(
    ("attributes", "properties"),
    [
        ({"node_locations": ["us-east5-b"]}, {"nodeLocations": ["us-east5-b"]}),
        ({"node_config": [{"machine_type": "ct6e-standard-4t"}]}, {"nodeConfig": {"machineType": "ct6e-standard-4t"}}),
        ({"node_config": []}, {}),
        ({"node_config": [None]}, {}),
        ({"node_config": UNKNOWN}, {"nodeConfig": UNKNOWN}),
        ({"node_config": [{"taint": [{"key": "a"}]}]}, {"nodeConfig": {"taints": [{"key": "a"}]}}),
        ({"node_config": [{"labels": {"my_key": "x"}}]}, {"nodeConfig": {"labels": {"my_key": "x"}}}),
        (
            {"node_config": [{"guest_accelerator": [{"type": "t", "count": 1}]}]},
            {"nodeConfig": {"guestAccelerators": [{"type": "t", "count": 1}]}},
        ),
        (
            {"network_config": [{"additional_node_network_configs": [{"network": "n"}]}]},
            {"networkConfig": {"additionalNodeNetworkConfigs": [{"network": "n"}]}},
        ),
        ({"name": None, "project": "p"}, {"project": "p"}),
        ({"a_new_attribute": [{"b_c": 1}]}, {"aNewAttribute": [{"bC": 1}]}),
    ],
)
def test_attributes_of_a_node_pool(attributes: dict[str, Any], properties: dict[str, Any]) -> None:
    assert POOL.properties(attributes) == properties


def test_node_pools_inside_a_cluster_are_read_like_separate_ones() -> None:
    inside = {"node_config": [{"machine_type": "ct6e-standard-4t", "taint": [{"key": "a"}]}]}
    assert HOME.properties({"node_pool": [inside]}) == {"nodePools": [POOL.properties(inside)]}


@pytest.mark.parametrize("token", sorted(set(types_of(CATALOG).values()) & CATALOG.provider.resources.keys()))
def test_every_property_comes_back_under_its_name(token: str) -> None:
    names = names_of(CATALOG, token)
    for path in names.types:
        if '"' in path:
            continue
        above, _, last = path.rpartition(".")
        written = names.terraform(path)
        assert names.of(written.rpartition(".")[2], f"{above}." if above else "") == last


@pytest.mark.parametrize(
    ("text", "terraform"),
    [
        ("`nodeCount` conflicts with `initialNodeCount`", "`node_count` conflicts with `initial_node_count`"),
        ("Set `placementPolicy.tpuTopology`.", "Set `placement_policy.tpu_topology`."),
        ("the limit is 1.34.1 or us-east5-b", "the limit is 1.34.1 or us-east5-b"),
        ("see cloud.google.com/gke-queued", "see cloud.google.com/gke-queued"),
        ("deleteBeforeReplace", "deleteBeforeReplace"),
    ],
)
def test_sentences_name_properties_as_terraform_does(text: str, terraform: str) -> None:
    assert POOL.words(text) == terraform


def test_blocks_are_lists_in_a_document() -> None:
    assert POOL.place("nodeConfig.bootDisk.diskType") == ("node_config", 0, "boot_disk", 0, "disk_type")
    assert POOL.place("nodeConfig.taints[1].key") == ("node_config", 0, "taint", 1, "key")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        ("${x}", '"$${x}"'),
        ("%{if}", '"%%{if}"'),
        ("$${x}", '"$\\u0024{x}"'),
        (8, "8"),
        (True, "true"),
        (["b"], '["b"]'),
        ({"c": None}, '{"c" = null}'),
    ],
)
def test_an_entry_is_hcl(value: object, text: str) -> None:
    assert POOL.spelling.entry("diskType", value) == f"disk_type = {text}"


@pytest.mark.parametrize(
    ("path", "was", "will", "drifted"),
    [
        ("nodeConfig.spot", None, True, True),
        ("nodeConfig.spot", None, False, False),
        ("nodeConfig.tags", None, ["a"], True),
        ("nodeConfig.tags", ["b"], ["a"], True),
        ("nodeConfig.labels", {"a": "b"}, {"a": "c"}, True),
        ("nodeConfig.labels", None, {"a": "b"}, False),
        ("maxPodsPerNode", None, 110, False),
        ("maxPodsPerNode", 64, 110, True),
        ("maxPodsPerNode", 110, None, True),
        ("maxPodsPerNode", 110, 110, False),
    ],
)
def test_a_computed_value_that_is_read_for_the_first_time_does_not_count_as_drift(
    path: str, was: object, will: object, drifted: bool
) -> None:
    assert _differs(path, was, will, CATALOG.provider.resources[NODE_POOL].properties) is drifted
