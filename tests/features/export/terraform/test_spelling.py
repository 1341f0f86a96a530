"""Names of resources and properties in Terraform."""

import itertools

import pytest
from support.each import each
from support.plan_corpus import catalog

from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, FIREWALL, NODE_POOL, ROUTER_NAT, SUBNETWORK
from pulumi_gke_tpu.features.export.terraform.spelling import TerraformSpelling, resource_name


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("train-east", "train_east"),
        ("train-east/pretrain", "train_east__pretrain"),
        ("train/cpu_pools/heads", "train__cpu_pools__heads"),
        ("8x8", "_8x8"),
        ("train/roles/container.defaultNodeServiceAccount", "train__container_default_node_service_account"),
    ],
)
def test_names_follow_the_keys_of_the_plan(key: str, name: str) -> None:
    assert resource_name(key) == name


def test_different_keys_have_different_names() -> None:
    keys = ("a-b/c", "a/b-c", "a-b-c", "a--b/c", "a/b/c", "a.b/c", "A/b-c", "a-/b", "a/-b", "a//b")
    keys += ("a${x}", 'a"b', "a\nb", "ä", "")
    names = [resource_name(key) for key in keys]
    assert [(one, two) for one, two in itertools.combinations(names, 2) if one == two] == []
    assert [name for name in names if not name.isascii() or not name.replace("_", "a").isalnum()] == []


@pytest.mark.parametrize(
    ("kind", "path", "written"),
    [
        (NODE_POOL, "nodeConfig.taints", "node_config[0].taint"),
        (NODE_POOL, "placementPolicy.tpuTopology", "placement_policy[0].tpu_topology"),
        (NODE_POOL, 'nodeConfig.labels["a.b/c"]', 'node_config[0].labels["a.b/c"]'),
        (NODE_POOL, "initialNodeCount", "initial_node_count"),
        (CLUSTER, "maintenancePolicy.maintenanceExclusions", "maintenance_policy[0].maintenance_exclusion"),
        (FIREWALL, "allows", "allow"),
        (SUBNETWORK, "secondaryIpRanges", "secondary_ip_range"),
        (ROUTER_NAT, "subnetworks", "subnetwork"),
    ],
)
def test_paths_are_those_of_the_provider(kind: str, path: str, written: str) -> None:
    assert TerraformSpelling(catalog(), kind).traversal(path) == written


@each("kind", catalog().terraform.resources)
def test_every_name_belongs_to_a_property(kind: str) -> None:
    """A name or a property of google-beta that is left over would never be used."""
    item, known = catalog().terraform.resources[kind], catalog().provider.resources[kind].properties
    assert {*item.names, *item.beta} <= known.keys()


def test_every_resource_has_a_type() -> None:
    assert catalog().terraform.resources.keys() == catalog().provider.resources.keys()
