"""What the emulated API answers of itself: addresses, versions, zones, counts, and blocks that GKE turns on."""

import copy
import ipaddress
from collections.abc import Collection
from typing import Any

from support.gcp_standin.knowledge import CLUSTER, ROUTER, SUBNETWORK, Kind
from support.gke.additions import ADDED, additions_to_cluster, additions_to_pool, labels
from support.gke.slices import size_of_slice

from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition

COMPUTE = "https://www.googleapis.com/compute/v1/"
_LIMITS = ("minNodeCount", "maxNodeCount", "totalMinNodeCount", "totalMaxNodeCount")


def answer(kind: Kind, resource_id: str, state: dict[str, Any], added: Collection[str] = ADDED) -> None:
    """Complete the state of a resource other than a node pool."""
    values = {**state, "id": resource_id, "compute": COMPUTE}
    for name, made in kind.made.items():
        state.setdefault(name, made.format(**values) if isinstance(made, str) else made)
    if kind.token in (SUBNETWORK, ROUTER):
        state["network"] = _link(state, str(state["network"]))
    if kind.token == SUBNETWORK:
        state.setdefault("gatewayAddress", str(ipaddress.ip_network(state["ipCidrRange"], strict=False)[1]))
    if kind.token == CLUSTER:
        _cluster(state)
        for addition in additions_to_cluster(state, added):
            _store(state, addition, over=True)


def answer_of_pool(state: dict[str, Any], cluster: dict[str, Any], added: Collection[str] = ADDED) -> None:
    """Complete the state of a node pool of a cluster."""
    place = {"project": cluster["project"], "location": cluster["location"]}
    zones = state.setdefault("nodeLocations", cluster.get("nodeLocations") or [place["location"]])
    state.setdefault("version", cluster["masterVersion"])
    state.setdefault("initialNodeCount", state.get("nodeCount", 0))
    network = state.setdefault("networkConfig", {})
    network.setdefault("podRange", f"gke-{cluster['name']}-pods-1a2b3c4d")
    network.setdefault("podIpv4CidrBlock", cluster["clusterIpv4Cidr"])
    network.setdefault("subnetwork", cluster["subnetwork"])
    if cluster.get("privateClusterConfig"):
        network.setdefault("enablePrivateNodes", cluster["privateClusterConfig"].get("enablePrivateNodes", False))
    upgrade = state["upgradeSettings"]
    if upgrade.setdefault("strategy", "SURGE") == "BLUE_GREEN":
        upgrade.update(maxSurge=0, maxUnavailable=0)
    else:
        upgrade.pop("blueGreenSettings", None)
    queued = bool((state.get("queuedProvisioning") or {}).get("enabled"))
    if "queued" in added and (queued or state["nodeConfig"].get("flexStart")):
        upgrade.update(strategy="SHORT_LIVED", maxSurge=0, maxUnavailable=0)
    multi_host = size_of_slice(state) is not None
    config = state["nodeConfig"]
    config["resourceLabels"] = {
        **labels(config, multi_host=multi_host, added=added),
        **config.get("resourceLabels", {}),
    }
    _nodes(config)
    for addition in additions_to_pool(state["nodeConfig"], queued=queued, added=added):
        _store(state, addition)
    if state.get("autoscaling"):
        # GKE reports all four limits of an autoscaled pool, and how nodes are spread.
        state["autoscaling"] = {"locationPolicy": "BALANCED", **dict.fromkeys(_LIMITS, 0), **state["autoscaling"]}
    group = f"gke-{cluster['name']}-{state['name']}-00000000-grp"
    groups = f"{COMPUTE}projects/{place['project']}/zones/{{}}/{{}}/{group}".format
    state["instanceGroupUrls"] = [groups(zone, "instanceGroupManagers") for zone in zones]
    looked_up = () if state.get("ignoreNodeCountChanges") else zones
    state["managedInstanceGroupUrls"] = [groups(zone, "instanceGroups") for zone in looked_up]


def default_pool(cluster: dict[str, Any], reported: dict[str, Any]) -> dict[str, Any]:
    """The node pool that GKE makes with a cluster. ``reported`` is what it shows of any pool."""
    count = cluster.get("initialNodeCount") or 1
    sent = {} if cluster.get("enableAutopilot") else cluster.get("nodeConfig", {})
    pool = {
        **reported,
        "name": "default-pool",
        "initialNodeCount": count,
        "nodeCount": count,
        "nodeConfig": {**reported["nodeConfig"], **sent},
    }
    answer_of_pool(pool, cluster)
    if cluster.get("enableAutopilot"):
        pool["nodeConfig"]["kubeletConfig"]["cpuCfsQuota"] = False
    return pool


def _nodes(config: dict[str, Any]) -> None:
    config["effectiveTaints"] = list(config.get("taints", ()))
    config.setdefault("kubeletConfig", {}).setdefault("cpuCfsQuota", True)


def _store(state: dict[str, Any], addition: GkeAddition, *, over: bool = False) -> None:
    """Put into a state what the provider stores of an addition."""
    *blocks, name = addition.path.split(".")
    for step in blocks:
        state = state.setdefault(step, {})
    if name == "taints":
        given = [taint["key"] for taint in state["effectiveTaints"]]
        state["effectiveTaints"] += [taint for taint in addition.answer if taint["key"] not in given]
    elif addition.stored is not None and (over or state.get(name) is None):
        state[name] = copy.deepcopy(addition.stored)


def _cluster(state: dict[str, Any]) -> None:
    project, region = state["project"], "-".join(state["location"].split("-")[:2])
    regional = region == state["location"]
    state.setdefault("nodeLocations", [f"{region}-{zone}" for zone in "abc"] if regional else [])
    network, subnetwork = str(state.get("network", "default")), str(state["subnetwork"])
    if "/" not in network:
        state["network"] = f"projects/{project}/global/networks/{network}"
    if "/" not in subnetwork:
        state["subnetwork"] = f"projects/{project}/regions/{region}/subnetworks/{subnetwork}"
    dns = state["controlPlaneEndpointsConfig"].setdefault("dnsEndpointConfig", {})
    dns.setdefault("endpoint", f"gke-{state['name']}.{region}.gke.goog")
    ranges = state.setdefault("ipAllocationPolicy", {})
    ranges.setdefault("clusterSecondaryRangeName", f"gke-{state['name']}-pods-1a2b3c4d")
    if state.get("masterAuthorizedNetworksConfig"):
        state["masterAuthorizedNetworksConfig"].setdefault("gcpPublicCidrsAccessEnabled", True)
    scaling = state.setdefault("clusterAutoscaling", {})
    if state.get("enableAutopilot"):
        _autopilot(state)
    else:
        scaling.setdefault("autoProvisioningDefaults", {})
    if scaling.get("autoProvisioningDefaults") is not None:
        _provisioning(scaling)


def _autopilot(state: dict[str, Any]) -> None:
    state["datapathProvider"] = "ADVANCED_DATAPATH"
    state.setdefault("workloadIdentityConfig", {"workloadPool": f"{state['project']}.svc.id.goog"})
    state["addonsConfig"].setdefault("dnsCacheConfig", {})["enabled"] = True
    state["verticalPodAutoscaling"] = {"enabled": True}
    scaling = state["clusterAutoscaling"]
    scaling.update(enabled=True, autoscalingProfile="OPTIMIZE_UTILIZATION")
    if scaling.get("autoProvisioningDefaults"):
        scaling["autoProvisioningDefaults"].update(diskSize=0, diskType="", imageType="")


def _provisioning(scaling: dict[str, Any]) -> None:
    """Of node auto-provisioning, GKE reports a few settings that were not sent."""
    defaults = scaling["autoProvisioningDefaults"]
    if scaling.get("enabled"):
        if not defaults.get("minCpuPlatform"):
            defaults["minCpuPlatform"] = "automatic"
        defaults.setdefault("upgradeSettings", {})
    if defaults.get("management"):
        defaults["management"]["upgradeOptions"] = [{}]


def _link(state: dict[str, Any], network: str) -> str:
    if network.startswith("https://"):
        return network
    path = network if "/" in network else f"projects/{state['project']}/global/networks/{network}"
    return f"{COMPUTE}{path}"
