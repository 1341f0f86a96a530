"""The catalog about changed properties, compared with the observed behavior of the real engine and provider."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.provider import PropertyChange, Provider, change_of, known_path, replace_paths

CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ROUTER = "gcp:compute/router:Router"
FIREWALL = "gcp:compute/firewall:Firewall"
NAT = "gcp:compute/routerNat:RouterNat"
ACCOUNT = "gcp:serviceaccount/account:Account"
MEMBER = "gcp:projects/iAMMember:IAMMember"
ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
TYPES = (
    CLUSTER,
    POOL,
    POLICY,
    NETWORK,
    SUBNETWORK,
    ROUTER,
    NAT,
    FIREWALL,
    ACCOUNT,
    MEMBER,
    ACCOUNT_MEMBER,
    BUCKET_MEMBER,
)

GROUP_LABEL = 'nodeConfig.labels["cloud.google.com/gke-nodepool-group-name"]'
WORKLOAD_LABEL = 'nodeConfig.labels["cloud.google.com/gke-workload-type"]'

TOOLS = Path(__file__).parents[3] / "tools"


@pytest.fixture(scope="module")
def provider() -> Provider:
    return read_catalog().provider


def change(provider: Provider, resource_type: str, path: str) -> PropertyChange:
    found = change_of(provider, resource_type, path)
    assert found is not None, f"{resource_type} {path} is not known"
    return found


# What is recorded


def test_every_type_of_our_components_is_there(provider: Provider) -> None:
    assert set(provider.resources) == set(TYPES)


def test_the_section_has_the_form_of_the_catalog() -> None:
    TypeAdapter(Provider).validate_python(read_catalog().section("provider"))


@pytest.mark.parametrize("resource_type", TYPES)
def test_paths_are_the_ones_that_are_looked_up(provider: Provider, resource_type: str) -> None:
    properties = provider.resources[resource_type].properties
    assert properties
    assert [path for path in properties if known_path(provider, resource_type, path) != path] == []


@pytest.mark.parametrize("resource_type", TYPES)
def test_every_property_inside_has_the_one_around_it(provider: Provider, resource_type: str) -> None:
    properties = provider.resources[resource_type].properties
    around = {path.rpartition(".")[0] for path in properties if not path.endswith("]")} - {""}
    assert around <= set(properties)


# The options of the components


@pytest.mark.parametrize(
    ("resource_type", "paths"),
    [
        (
            POOL,
            (GROUP_LABEL, WORKLOAD_LABEL, "nodeConfig.machineType", "nodeLocations", "placementPolicy.tpuTopology"),
        ),
        (POLICY, ("name",)),
        (CLUSTER, ()),
        (NETWORK, ()),
        (SUBNETWORK, ()),
        (ROUTER, ()),
        (NAT, ()),
        (ACCOUNT, ()),
        (MEMBER, ()),
        (ACCOUNT_MEMBER, ()),
        (BUCKET_MEMBER, ()),
    ],
)
def test_replace_paths(provider: Provider, resource_type: str, paths: tuple[str, ...]) -> None:
    assert replace_paths(provider, resource_type) == paths


def test_replace_paths_of_an_unknown_type_are_an_error(provider: Provider) -> None:
    with pytest.raises(KeyError):
        replace_paths(provider, "gcp:container/nodepool:NodePool")


# When values are equal


@pytest.mark.parametrize("resource_type", TYPES)
def test_values_are_in_possible_blocks(provider: Provider, resource_type: str) -> None:
    """A value inside a block is used where the block is there: the block's own value is another block, or none."""
    properties = provider.resources[resource_type].properties
    valued = [path for path, item in properties.items() if item.reported is not None or item.default is not None]
    around = [path.rpartition(".")[0] for path in valued if "." in path]
    assert [path for path in around if properties[path].reported not in (None, {})] == []


@pytest.mark.parametrize("resource_type", TYPES)
def test_a_property_is_dropped_beside_one_that_is_there(provider: Provider, resource_type: str) -> None:
    properties = provider.resources[resource_type].properties
    assert {item.dropped_beside for item in properties.values() if item.dropped_beside} <= set(properties)


@pytest.mark.parametrize(
    ("resource_type", "path", "default", "reported"),
    [
        (POOL, "management.autoRepair", True, True),
        (POOL, "maxPodsPerNode", None, 110),
        (POOL, "upgradeSettings", None, {}),
        (POOL, "upgradeSettings.strategy", "SURGE", None),
        (CLUSTER, "deletionProtection", True, None),
        (CLUSTER, "releaseChannel.channel", None, "REGULAR"),
        (NETWORK, "mtu", None, 1460),
    ],
)
def test_values_that_the_program_does_not_set(
    provider: Provider, resource_type: str, path: str, default: Any, reported: Any
) -> None:
    item = change(provider, resource_type, path)
    assert (item.default, item.reported) == (default, reported)


# Looking up engine paths


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("version", "version"),
        ("nodeConfig.taints", "nodeConfig.taints"),
        ("nodeConfig.taints[0]", "nodeConfig.taints"),
        ("nodeConfig.taints[0].value", "nodeConfig.taints.value"),
        ("nodeConfig.taints[*].value", "nodeConfig.taints.value"),
        ('nodeConfig["taints"][0]["value"]', "nodeConfig.taints.value"),
        ("nodeLocations[1]", "nodeLocations"),
        ("nodeConfig.oauthScopes[0]", "nodeConfig.oauthScopes"),
        ("nodeConfig.reservationAffinity.values[0]", "nodeConfig.reservationAffinity.values"),
        ("maintenancePolicies[0].exclusionUntilEndOfSupports[0]", "maintenancePolicies.exclusionUntilEndOfSupports"),
        ("nodeConfig.labels.team", "nodeConfig.labels"),
        ('nodeConfig.labels["team"]', "nodeConfig.labels"),
        ('nodeConfig.labels["example.com/team"]', "nodeConfig.labels"),
        (GROUP_LABEL, GROUP_LABEL),
        ('nodeConfig.linuxNodeConfig.sysctls["net.core.somaxconn"]', "nodeConfig.linuxNodeConfig.sysctls"),
        ("nodeConfig.kubeletConfig.notYetKnown.inside", "nodeConfig.kubeletConfig"),
        ("nodeConfig.notYetKnown", None),
        ("placementPolicy.notYetKnown", None),
        ("networkConfig.notYetKnown[0]", None),
        ("notYetKnown", None),
        ("__meta", None),
        ("node_config.machine_type", None),
        ("", None),
    ],
)
def test_known_path(provider: Provider, path: str, known: str | None) -> None:
    assert known_path(provider, POOL, path) == known
    assert (change_of(provider, POOL, path) is None) == (known is None)


def test_an_unknown_type_has_no_changes(provider: Provider) -> None:
    assert change_of(provider, "kubernetes:core/v1:Namespace", "metadata.name") is None


@pytest.mark.parametrize(
    ("path", "item"),
    [
        ("nodeConfig.labels", 'nodeConfig.labels["team"]'),
        ("nodeConfig.labels", GROUP_LABEL),
        ("nodeLocations", "nodeLocations[1]"),
        ("nodeConfig.oauthScopes", "nodeConfig.oauthScopes[0]"),
        ("nodeConfig.kubeletConfig", "nodeConfig.kubeletConfig.notYetKnown"),
    ],
)
def test_leaving_out_the_whole_changes_nothing_but_one_item_does(provider: Provider, path: str, item: str) -> None:
    assert change(provider, POOL, path).computed
    assert not change(provider, POOL, item).computed
    assert change(provider, POOL, item).change == change(provider, POOL, path).change


def test_a_property_of_an_item_is_as_computed_as_the_catalog_says(provider: Provider) -> None:
    """GKE fills in what is left out inside an item, but not an item that is left out."""
    networks = "networkConfig.additionalNodeNetworkConfigs"
    assert change(provider, POOL, f"{networks}[0].network").computed
    assert not change(provider, POOL, f"{networks}[0]").computed


@given(key=st.text(alphabet='aA1._[]"\\*\n é', max_size=30) | st.text(max_size=30))
def test_any_label_is_answered_by_the_labels(provider: Provider, key: str) -> None:
    assert known_path(provider, POOL, f"nodeConfig.labels.{key}") == "nodeConfig.labels"
    assert change(provider, POOL, f"nodeConfig.labels.{key}").change == "in-place"


# Executed changes: type, property, what was planned, whether anything was sent

EXECUTED = [
    (POOL, "placementPolicy.tpuTopology", "update", "nothing sent"),
    (POOL, "placementPolicy.type", "update", "nothing sent"),
    (POOL, "placementPolicy.policyName", "replace", "sent"),
    (POOL, "placementPolicy", "replace", "sent"),
    (POOL, "nodeConfig.machineType", "update", "sent"),
    (POOL, "nodeConfig.spot", "replace", "sent"),
    (POOL, "nodeConfig.flexStart", "replace", "sent"),
    (POOL, "nodeConfig.maxRunDuration", "replace", "sent"),
    (POOL, "nodeConfig.reservationAffinity", "replace", "sent"),
    (POOL, "nodeConfig.reservationAffinity.values[0]", "replace", "sent"),
    (POOL, "queuedProvisioning.enabled", "replace", "sent"),
    (POOL, "nodeConfig.diskType", "update", "sent"),
    (POOL, "nodeConfig.bootDisk.sizeGb", "update", "sent"),
    (POOL, "nodeConfig.secondaryBootDisks", "replace", "sent"),
    (POOL, "nodeConfig.serviceAccount", "replace", "sent"),
    (POOL, "nodeConfig.oauthScopes[0]", "replace", "sent"),
    (POOL, "nodeConfig.labels.team", "update", "sent"),
    (POOL, "nodeConfig.taints[0].value", "update", "sent"),
    (POOL, "nodeConfig.kubeletConfig.cpuManagerPolicy", "update", "sent"),
    (POOL, "nodeConfig.shieldedInstanceConfig.enableSecureBoot", "replace", "sent"),
    (POOL, "nodeConfig.hostMaintenancePolicy", "replace", "sent"),
    (POOL, "nodeConfig.advancedMachineFeatures.performanceMonitoringUnit", "update", "nothing sent"),
    (POOL, "nodeCount", "update", "sent"),
    (POOL, "initialNodeCount", "replace", "sent"),
    (POOL, "autoscaling.maxNodeCount", "update", "sent"),
    (POOL, "maxPodsPerNode", "replace", "sent"),
    (POOL, "ignoreNodeCountChanges", "update", "nothing sent"),
    (POOL, "maintenancePolicies[0].exclusionUntilEndOfSupports[0].enabled", "update", "nothing sent"),
    (POOL, "nodeLocations[0]", "update", "sent"),
    (POOL, "networkConfig.acceleratorNetworkProfile", "replace", "sent"),
    (POOL, "networkConfig.podCidrOverprovisionConfig.disabled", "update", "nothing sent"),
    (POOL, "cluster", "replace", "sent"),
    (POOL, "name", "replace", "sent"),
    (CLUSTER, "location", "replace", "sent"),
    (CLUSTER, "network", "replace", "sent"),
    (CLUSTER, "description", "replace", "sent"),
    (CLUSTER, "datapathProvider", "replace", "sent"),
    (CLUSTER, "enableAutopilot", "replace", "sent"),
    (CLUSTER, "releaseChannel.channel", "update", "sent"),
    (CLUSTER, "maintenancePolicy.maintenanceExclusions", "update", "sent"),
    (CLUSTER, "privateClusterConfig.masterIpv4CidrBlock", "replace", "sent"),
    (CLUSTER, "addonsConfig.rayOperatorConfigs", "update", "sent"),
    (CLUSTER, "deletionProtection", "update", "nothing sent"),
    (CLUSTER, "nodeConfig.machineType", "update", "sent"),
    (POLICY, "workloadPolicy", "replace", "sent"),
    (POLICY, "workloadPolicy.acceleratorTopology", "replace", "sent"),
    (POLICY, "description", "update", "sent"),
    (NETWORK, "description", "replace", "sent"),
    (NETWORK, "mtu", "update", "sent"),
    (NETWORK, "deleteDefaultRoutesOnCreate", "update", "nothing sent"),
    (SUBNETWORK, "network", "replace", "sent"),
    (ACCOUNT, "accountId", "replace", "sent"),
    (ACCOUNT, "displayName", "update", "sent"),
    (MEMBER, "member", "replace", "sent"),
]


def operation(item: PropertyChange) -> tuple[str, str]:
    if item.change == "replace":
        return "replace", "sent"
    return "update", "nothing sent" if item.change in ("no-op", "client-side", "create-only") else "sent"


@pytest.mark.parametrize(("resource_type", "path", "planned", "sent"), EXECUTED)
def test_executed_change(provider: Provider, resource_type: str, path: str, planned: str, sent: str) -> None:
    item = change(provider, resource_type, path)
    assert operation(item) == (planned, sent)
    assert item.observed


@pytest.mark.parametrize(
    ("resource_type", "path", "stated"),
    [
        (CLUSTER, "enableL4IlbSubsetting", "replace-off"),
        (CLUSTER, "enableFqdnNetworkPolicy", "replace-off"),
        (SUBNETWORK, "ipCidrRange", "replace-shrink"),
        (POLICY, "name", "broken"),
        (CLUSTER, "minMasterVersion", "no-op-lower"),
        (CLUSTER, "removeDefaultNodePool", "no-op-off"),
    ],
)
def test_executed_change_that_depends_on_the_value(
    provider: Provider, resource_type: str, path: str, stated: str
) -> None:
    item = change(provider, resource_type, path)
    assert (item.change, item.observed) == (stated, True)


@pytest.mark.parametrize(
    ("resource_type", "path", "nothing"),
    [
        (POOL, "nodeConfig.labels", True),
        (POOL, "nodeConfig", True),
        (POOL, "nodeCount", True),
        (POOL, "management", True),
        (POOL, "nodeLocations", True),
        (CLUSTER, "releaseChannel", True),
        (SUBNETWORK, "secondaryIpRanges", True),
        (POOL, "nodeConfig.taints", False),
        (POOL, "autoscaling", False),
        (POOL, "nodeConfig.reservationAffinity", False),
        (POOL, "nodeConfig.spot", False),
        (POOL, "placementPolicy", False),
        (CLUSTER, "maintenancePolicy", False),
        (CLUSTER, "maintenancePolicy.maintenanceExclusions", False),
    ],
)
def test_executed_removal(provider: Provider, resource_type: str, path: str, nothing: bool) -> None:
    assert change(provider, resource_type, path).computed == nothing


@pytest.mark.parametrize(
    ("resource_type", "path"),
    [
        (POOL, "maintenancePolicies"),
        (POOL, "maintenancePolicies.exclusionUntilEndOfSupports"),
        (POOL, "maintenancePolicies.exclusionUntilEndOfSupports.enabled"),
        (POOL, "networkConfig.podCidrOverprovisionConfig.disabled"),
        (POOL, "nodeConfig.advancedMachineFeatures.performanceMonitoringUnit"),
        (POOL, "nodeConfig.gpudirectStrategy"),
        (POOL, "nodeConfig.sandboxConfig.sandboxType"),
        (POOL, "nodeConfig.sandboxConfig.type"),
        (POOL, "nodeConfig.soleTenantConfig.minNodeCpus"),
        (POOL, "placementPolicy.tpuTopology"),
        (POOL, "placementPolicy.type"),
        (CLUSTER, "ipAllocationPolicy.podCidrOverprovisionConfig.disabled"),
        (CLUSTER, "masterAuth"),
        (CLUSTER, "rollbackSafeUpgrade"),
        (CLUSTER, "rollbackSafeUpgrade.controlPlaneSoakDuration"),
        (CLUSTER, "tpuConfig"),
        (ROUTER, "params.resourceManagerTags"),
    ],
)
def test_silent_no_op(provider: Provider, resource_type: str, path: str) -> None:
    assert change(provider, resource_type, path).change == "no-op"


@pytest.mark.parametrize(
    ("resource_type", "path"),
    [
        (POOL, "cluster"),
        (POOL, "nodeConfig.serviceAccount"),
        (POOL, "placementPolicy.policyName"),
        (POOL, "networkConfig.additionalNodeNetworkConfigs[0].network"),
        (CLUSTER, "network"),
        (CLUSTER, "subnetwork"),
        (CLUSTER, "nodeConfig.serviceAccount"),
        (SUBNETWORK, "network"),
        (ROUTER, "network"),
        (NAT, "router"),
        (MEMBER, "member"),
    ],
)
def test_a_replacement_spreads_along_references(provider: Provider, resource_type: str, path: str) -> None:
    item = change(provider, resource_type, path)
    assert item.change == "replace"
    assert item.note.startswith("Refers to ")


# What GKE makes of an update


@pytest.mark.parametrize(
    ("path", "effect"),
    [
        ("version", "restart"),
        ("nodeConfig.bootDisk.sizeGb", "restart"),
        ("nodeConfig.diskType", "restart"),
        ("nodeConfig.imageType", "restart"),
        ("nodeConfig.gcfsConfig.enabled", "restart"),
        ("nodeConfig.gvnic", "restart"),
        ("nodeConfig.linuxNodeConfig.sysctls.any", "restart"),
        ("nodeConfig.confidentialNodes.enabled", "restart"),
        ("networkConfig.networkPerformanceConfig.totalEgressBandwidthTier", "restart"),
        ("nodeConfig.machineType", "fixed"),
        (WORKLOAD_LABEL, "fixed"),
        ("nodeConfig.labels.team", "live"),
        ("nodeConfig.taints[0].effect", "evict"),
        ("nodeConfig.resourceLabels.team", "metadata"),
        ("nodeCount", "drain"),
        ("autoscaling.maxNodeCount", "live"),
        ("upgradeSettings.maxSurge", "live"),
    ],
)
def test_effect_on_the_nodes_of_a_pool(provider: Provider, path: str, effect: str) -> None:
    assert change(provider, POOL, path).gke == effect


def effects() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load((TOOLS / "provider_gke_effects.yaml").read_text())["effects"]
    return loaded


def test_the_catalog_holds_every_effect_with_its_source(provider: Provider) -> None:
    stated = [(name, path, effect) for effect in effects() for name, paths in effect["paths"].items() for path in paths]
    assert stated
    for name, path, effect in stated:
        if effect["confidence"] != "low":
            assert set(effect["source"]) <= set(provider.resources[name].source)
        item = provider.resources[name].properties[path]
        assert item.gke == effect["gke"], path
        assert effect.get("note", "") in item.note


# What follows


def test_what_follows_is_a_sentence_about_known_properties(provider: Provider) -> None:
    assert provider.following
    for item in provider.following:
        assert item.text.endswith(".")
        for name, paths in item.paths.items():
            assert set(paths) <= set(provider.resources[name].properties)


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("autoscaling.totalMaxNodeCount", True),
        ("autoscaling", True),
        ("autoscaling.totalMinNodeCount", False),
        ("autoscalin", False),
    ],
)
def test_a_block_is_spoken_of_with_what_is_inside(provider: Provider, path: str, about: bool) -> None:
    (capped,) = (item for item in provider.following if item.when == "capped")
    assert capped.speaks_of(POOL, path) == about
    assert not capped.speaks_of(CLUSTER, path)


def test_bounds_are_known_properties(provider: Provider) -> None:
    for resource in provider.resources.values():
        assert {bound for item in resource.properties.values() for bound in item.bounded_by} <= set(resource.properties)
