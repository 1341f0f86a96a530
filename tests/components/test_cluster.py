"""Clusters: what each key sends in both modes, and the account, network and system pool that come with them."""

import functools
import pathlib
from typing import Any

import pytest
import yaml
from support.plans import ACCOUNT, CLUSTER, MEMBER, NAT, NETWORK, NODE_POOL, ROUTER, SUBNETWORK, difference, fleet
from support.recording import UNKNOWN, Recording

from pulumi_gke_tpu.core.plan import ClusterSpec
from pulumi_gke_tpu.core.plan.cluster import ControlPlane, Security
from pulumi_gke_tpu.core.plan.copied import copied_keys
from pulumi_gke_tpu.core.plan.networks import CreateNetwork
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Window

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (pathlib.Path(__file__).parent / "data" / "cluster_cases.yaml").read_text(encoding="utf-8")
)
MODES = ("standard", "autopilot")
BOTH = [(name, mode) for name, case in CASES.items() for mode in case["in"]]


@functools.cache
def recorded(mode: str) -> Recording:
    """All cases of a mode as clusters of one plan."""
    clusters = {
        name: {"mode": mode, "location": "us-east5", **case["plan"]}
        for name, case in CASES.items()
        if mode in case["in"]
    }
    return fleet(yaml.safe_dump({"clusters": clusters}))


def only(plan: str, name: str = "c") -> Recording:
    """A plan with one cluster, c, in us-east5."""
    return fleet(yaml.safe_dump({"clusters": {name: {"location": "us-east5", **yaml.safe_load(plan)}}}))


# The cluster itself


@pytest.mark.parametrize(("name", "mode"), BOTH)
def test_a_key_changes_these_properties_and_no_others(name: str, mode: str) -> None:
    """Each case is registered separately, so that only its own tests execute what it needs."""
    base = recorded(mode).one(CLUSTER, "nothing").inputs
    cluster = only(yaml.safe_dump({"mode": mode, **CASES[name]["plan"]}), name).one(CLUSTER, name).inputs
    differing = difference({**base, "name": name}, cluster)
    expected = {path: UNKNOWN if value == "unknown" else value for path, value in CASES[name]["sends"].items()}
    assert differing == expected


@pytest.mark.parametrize("mode", MODES)
def test_every_key_of_a_cluster_has_a_case(mode: str) -> None:
    written = {key for case in CASES.values() if mode in case["in"] for key in case["plan"]} | {"mode"}
    refused = (
        {"system_pool", "cpu_pools", "additional_networks", "multi_networking", "autoprovisioning", "security"}
        if mode == "autopilot"
        else set()
    )
    of_existing_clusters = {"existing", "version"}
    copied = {item.key for item in copied_keys(ClusterSpec)}  # tests/core/graph/test_keys.py has them
    expected = set(ClusterSpec.model_fields) - refused - of_existing_clusters
    assert expected - copied <= written <= expected


def test_every_key_inside_has_a_case() -> None:
    plans = [case["plan"] for case in CASES.values()]
    maintained = [plan["maintenance"] for plan in plans if "maintenance" in plan]
    seen = {
        ControlPlane: {key for plan in plans for key in plan.get("control_plane", {})},
        Security: {key for plan in plans for key in plan.get("security", {})},
        Window: {key for item in maintained for key in item.get("window", {})},
        Exclusion: {key for item in maintained for body in item.get("exclusions", {}).values() for key in body},
    }
    for part, keys in seen.items():
        assert keys | ({"end_of_support"} if part is Exclusion else set()) == set(part.model_fields)


def test_a_standard_cluster_in_full() -> None:
    assert only("mode: standard").one(CLUSTER).inputs == {
        "name": "c",
        "project": "acme-ml",
        "location": "us-east5",
        "deletionProtection": True,
        "releaseChannel": {"channel": "REGULAR"},
        "networkingMode": "VPC_NATIVE",
        "network": "default",
        "ipAllocationPolicy": {"stackType": "IPV4"},
        "datapathProvider": "ADVANCED_DATAPATH",
        "privateClusterConfig": {"enablePrivateNodes": False, "enablePrivateEndpoint": False},
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"allowExternalTraffic": True},
            "ipEndpointsConfig": {"enabled": False},
        },
        "initialNodeCount": 1,
        "removeDefaultNodePool": True,
        "nodeConfig": {
            "machineType": "n2-standard-4",
            "serviceAccount": UNKNOWN,
            "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
        },
        "enableShieldedNodes": True,
        "anonymousAuthenticationConfig": {"mode": "LIMITED"},
        "rbacBindingConfig": {
            "enableInsecureBindingSystemAuthenticated": False,
            "enableInsecureBindingSystemUnauthenticated": False,
        },
        "enableMultiNetworking": False,
        "clusterAutoscaling": {"enabled": False, "autoscalingProfile": "OPTIMIZE_UTILIZATION"},
        "workloadIdentityConfig": {"workloadPool": "acme-ml.svc.id.goog"},
        "addonsConfig": {
            "gcpFilestoreCsiDriverConfig": {"enabled": False},
            "gcsFuseCsiDriverConfig": {"enabled": False},
            "gkeBackupAgentConfig": {"enabled": False},
            "lustreCsiDriverConfig": {"enabled": False},
            "parallelstoreCsiDriverConfig": {"enabled": False},
            "rayOperatorConfigs": [{"enabled": False}],
        },
    }


def test_an_autopilot_cluster_in_full() -> None:
    assert only("mode: autopilot").one(CLUSTER).inputs == {
        "name": "c",
        "project": "acme-ml",
        "location": "us-east5",
        "deletionProtection": True,
        "enableAutopilot": True,
        "releaseChannel": {"channel": "REGULAR"},
        "networkingMode": "VPC_NATIVE",
        "network": "default",
        "ipAllocationPolicy": {"stackType": "IPV4"},
        "privateClusterConfig": {"enablePrivateNodes": False, "enablePrivateEndpoint": False},
        "controlPlaneEndpointsConfig": {
            "dnsEndpointConfig": {"allowExternalTraffic": True},
            "ipEndpointsConfig": {"enabled": False},
        },
        "clusterAutoscaling": {
            "autoProvisioningDefaults": {
                "serviceAccount": UNKNOWN,
                "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
            }
        },
    }


EXCLUDES_AUTOPILOT = (
    "addonsConfig.networkPolicyConfig",
    "addonsConfig.dnsCacheConfig",
    "addonsConfig.statefulHaConfig",
    "addonsConfig.slurmOperatorConfig",
    "autopilotClusterPolicyConfig",
    "binaryAuthorization.enabled",
    "clusterAutoscaling.enabled",
    "clusterAutoscaling.resourceLimits",
    "defaultMaxPodsPerNode",
    "enableIntranodeVisibility",
    "enableShieldedNodes",
    "initialNodeCount",
    "networkPolicy",
    "nodeConfig",
    "nodePools",
    "removeDefaultNodePool",
)


def test_an_autopilot_cluster_sends_nothing_that_excludes_autopilot() -> None:
    for cluster in recorded("autopilot").of_type(CLUSTER):
        assert cluster.inputs["enableAutopilot"] is True
        for path in EXCLUDES_AUTOPILOT:
            value: Any = cluster.inputs
            for step in path.split("."):
                value = value.get(step) if isinstance(value, dict) else None
            assert value is None, f"{cluster.name} sends {path}"


@pytest.mark.parametrize("mode", MODES)
def test_without_maintenance_there_is_no_policy_that_could_remove_anything(mode: str) -> None:
    for written in ("", "maintenance: {}"):
        cluster = only(f"mode: {mode}\n{written}").one(CLUSTER)
        assert "maintenancePolicy" not in cluster.inputs


def test_each_word_of_the_catalog_for_an_addon_turns_one_on() -> None:
    from pulumi_gke_tpu.core.catalog import read_catalog

    base = only("mode: standard").one(CLUSTER).inputs
    for word, addon in read_catalog().platform.addons.items():
        if "standard" in addon.modes and word != "slice_controller":
            differing = difference(base, only(f"mode: standard\naddons: [{word}]").one(CLUSTER).inputs)
            assert list(differing.values()) in ([True], [[{"enabled": True}]]), word


# Options and outputs


@pytest.mark.parametrize(("mode", "ignored"), [("standard", {"initialNodeCount", "nodeConfig"}), ("autopilot", set())])
def test_the_default_pool_is_not_looked_at_again(mode: str, ignored: set[str]) -> None:
    assert ignored <= set(recorded(mode).one(CLUSTER, "nothing").ignore_changes)


@pytest.mark.parametrize(("case", "create"), [("nothing", "2h"), ("timeouts", "10800s")])
@pytest.mark.parametrize("mode", MODES)
def test_timeouts(case: str, create: str, mode: str) -> None:
    cluster = recorded(mode).one(CLUSTER, case)
    assert cluster.timeouts == {"create": create, "update": "2h", "delete": "2h"}


@pytest.mark.parametrize(
    ("plan", "command"),
    [
        (
            "mode: autopilot",
            "gcloud container clusters get-credentials c --location us-east5 --project acme-ml --dns-endpoint",
        ),
        (
            "{mode: standard, location: us-east5-b, name: other, control_plane: {dns_endpoint: false}}",
            "gcloud container clusters get-credentials other --location us-east5-b --project acme-ml",
        ),
    ],
)
def test_the_command_that_writes_credentials(plan: str, command: str) -> None:
    registered = only(plan)
    kind = "Autopilot" if "autopilot" in plan else "Standard"
    assert registered.one(f"gke-tpu:index:{kind}Cluster").outputs["kubeconfig_command"] == command
    assert registered.one("gke-tpu:index:TpuFleet").outputs == {"kubeconfig_commands": {"c": command}}


@pytest.mark.parametrize("mode", MODES)
def test_the_outputs_of_a_cluster(mode: str) -> None:
    outputs = only(f"mode: {mode}").one(f"gke-tpu:index:{mode.title()}Cluster").outputs
    assert set(outputs) | {"endpoint"} == {
        "cluster_name", "cluster_id", "endpoint", "ca_certificate", "kubeconfig_command", "node_service_account",
        "kubeconfig", "network", "subnetwork",
    }  # fmt: skip
    assert (outputs["cluster_name"], outputs["cluster_id"]) == ("c", UNKNOWN)
    assert outputs["ca_certificate"] == {"secret": UNKNOWN}


# The account of the nodes


@pytest.mark.parametrize("mode", MODES)
def test_the_nodes_get_an_account_with_the_least_roles(mode: str) -> None:
    registered = only(f"{{mode: {mode}, name: train}}")
    account = registered.one(ACCOUNT, "c")
    assert account.inputs == {
        "accountId": "gke-train-d2a7804c",
        "project": "acme-ml",
        "displayName": "Nodes of GKE cluster train",
    }
    grants = registered.of_type(MEMBER)
    assert {grant.name: grant.inputs for grant in grants} == {
        f"c/{role}": {"project": "acme-ml", "role": role, "member": UNKNOWN}
        for role in ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")
    }
    for grant in grants:
        assert list(grant.request.propertyDependencies["member"].urns) == [account.urn]
    assert {grant.urn for grant in grants} <= set(registered.one(CLUSTER).request.dependencies)


def test_the_roles_are_those_of_the_catalog() -> None:
    roles = only("mode: standard").of_type(MEMBER)
    facts = yaml.safe_load((pathlib.Path(__file__).parents[2] / "catalog" / "platform.yaml").read_text())
    assert {role.inputs["role"] for role in roles} == set(facts["hardening"]["node_roles"])


@pytest.mark.parametrize("mode", MODES)
def test_a_given_account_is_used_and_not_touched(mode: str) -> None:
    registered = only(f"{{mode: {mode}, node_service_account: nodes@acme-ml.iam.gserviceaccount.com}}")
    assert (registered.of_type(ACCOUNT), registered.of_type(MEMBER)) == ([], [])
    for pool in registered.of_type(NODE_POOL):
        assert pool.inputs["nodeConfig"]["serviceAccount"] == "nodes@acme-ml.iam.gserviceaccount.com"


# The network


def test_a_created_network_in_full() -> None:
    created = "create: {mtu: 8896, subnet: 10.0.0.0/22, pods: 10.32.0.0/14, services: 10.40.0.0/20}"
    registered = only(f"mode: standard\nname: train\nnetwork:\n  {created}")
    assert registered.one(NETWORK, "c").inputs == {
        "name": "train",
        "project": "acme-ml",
        "autoCreateSubnetworks": False,
        "routingMode": "REGIONAL",
        "mtu": 8896,
    }
    assert registered.one(SUBNETWORK, "c").inputs == {
        "name": "train",
        "project": "acme-ml",
        "region": "us-east5",
        "network": UNKNOWN,
        "ipCidrRange": "10.0.0.0/22",
        "privateIpGoogleAccess": True,
        "secondaryIpRanges": [
            {"rangeName": "pods", "ipCidrRange": "10.32.0.0/14"},
            {"rangeName": "services", "ipCidrRange": "10.40.0.0/20"},
        ],
    }
    assert registered.one(ROUTER, "c").inputs == {
        "name": "train",
        "project": "acme-ml",
        "region": "us-east5",
        "network": UNKNOWN,
    }
    assert registered.one(NAT, "c").inputs == {
        "name": "train",
        "project": "acme-ml",
        "region": "us-east5",
        "router": "train",
        "natIpAllocateOption": "AUTO_ONLY",
        "sourceSubnetworkIpRangesToNat": "LIST_OF_SUBNETWORKS",
        "subnetworks": [{"name": UNKNOWN, "sourceIpRangesToNats": ["ALL_IP_RANGES"]}],
    }


@pytest.mark.parametrize("mode", MODES)
def test_a_cluster_waits_for_the_way_out_of_its_network(mode: str) -> None:
    registered = only(f"mode: {mode}\nname: train\nnetwork: create")
    cluster, network, subnetwork = registered.one(CLUSTER), registered.one(NETWORK), registered.one(SUBNETWORK)
    assert registered.one(NAT).urn in cluster.request.dependencies
    assert list(cluster.request.propertyDependencies["network"].urns) == [network.urn]
    assert subnetwork.urn in cluster.request.propertyDependencies["subnetwork"].urns


def test_a_network_without_nat() -> None:
    registered = only("mode: standard\nnetwork: {create: {nat: false}}")
    assert (registered.of_type(ROUTER), registered.of_type(NAT)) == ([], [])
    assert registered.one(SUBNETWORK).inputs["privateIpGoogleAccess"] is True


def test_the_defaults_of_a_created_network() -> None:
    """They reach a resource, so they may never change."""
    registered = only("mode: standard\nname: train\nnetwork: create")
    assert registered.one(NETWORK).inputs["mtu"] == 8896
    subnetwork = registered.one(SUBNETWORK).inputs
    ranges = [item["ipCidrRange"] for item in subnetwork["secondaryIpRanges"]]
    assert (subnetwork["ipCidrRange"], ranges) == ("10.0.0.0/20", ["10.16.0.0/14", "10.20.0.0/20"])
    assert set(CreateNetwork.model_fields) == {"mtu", "subnet", "pods", "services", "nat"}


def test_the_region_of_a_zonal_cluster_has_the_subnetwork() -> None:
    assert (
        only("{mode: standard, location: us-east5-b, name: train, network: create}").one(SUBNETWORK).inputs["region"]
        == "us-east5"
    )


@pytest.mark.parametrize("network", ["", "network: {network: a, subnetwork: b}"])
def test_other_networks_are_not_touched(network: str) -> None:
    registered = only(f"mode: standard\n{network}")
    assert [item.urn for item in registered if ":compute/" in item.type] == []


# The system pool


def system_pool(plan: str) -> dict[str, Any]:
    return only(plan).one(NODE_POOL, "c/system").inputs


def test_the_system_pool_in_full() -> None:
    registered = only("mode: standard")
    pool = registered.one(NODE_POOL)
    assert pool.name == "c/system"
    assert pool.inputs == {
        "name": "system",
        "cluster": UNKNOWN,
        "project": "acme-ml",
        "location": "us-east5",
        "initialNodeCount": 1,
        "autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 3, "locationPolicy": "ANY"},
        "management": {"autoRepair": True, "autoUpgrade": True},
        "networkConfig": {"enablePrivateNodes": False},
        "nodeConfig": {
            "machineType": "n2-standard-4",
            "serviceAccount": UNKNOWN,
            "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
            "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
            "kubeletConfig": {"insecureKubeletReadonlyPortEnabled": "FALSE"},
        },
    }
    assert set(pool.ignore_changes) == {"initialNodeCount", "nodeCount"}
    assert pool.timeouts == {"create": "2h", "update": "2h", "delete": "2h"}


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("system_pool: {machine_type: n2-standard-8}", {"nodeConfig.machineType": "n2-standard-8"}),
        (
            "system_pool: {min_nodes: 3, max_nodes: 9}",
            {"autoscaling.totalMinNodeCount": 3, "autoscaling.totalMaxNodeCount": 9},
        ),
        ("system_pool: {zones: [us-east5-a, us-east5-c]}", {"nodeLocations": ["us-east5-a", "us-east5-c"]}),
        (
            "system_pool: {boot_disk_type: pd-balanced, boot_disk_size_gib: 200}",
            {"nodeConfig.bootDisk.diskType": "pd-balanced", "nodeConfig.bootDisk.sizeGb": 200},
        ),
        ("system_pool: {node_labels: {role: system}}", {"nodeConfig.labels.role": "system"}),
        (
            "system_pool: {taints: [{key: role, value: system, effect: NO_SCHEDULE}]}",
            {"nodeConfig.taints": [{"key": "role", "value": "system", "effect": "NO_SCHEDULE"}]},
        ),
        ("security: {secure_boot: false}", {"nodeConfig.shieldedInstanceConfig.enableSecureBoot": False}),
        ("security: {tpu_secure_boot: true}", {}),
        ("security: {workload_identity: false}", {"nodeConfig.workloadMetadataConfig.mode": None}),
        ("resource_labels: {team: research}", {"nodeConfig.resourceLabels.team": "research"}),
        ("private_nodes: true", {"networkConfig.enablePrivateNodes": True}),
        ("network: {create: {nat: false}}", {"networkConfig.enablePrivateNodes": True}),
        ("location: us-east5-b", {"location": "us-east5-b"}),
    ],
)
def test_what_changes_the_system_pool(plan: str, expected: dict[str, Any]) -> None:
    assert difference(system_pool("mode: standard"), system_pool(f"mode: standard\n{plan}")) == expected


def test_autopilot_has_no_system_pool() -> None:
    assert only("mode: autopilot").of_type(NODE_POOL) == []
