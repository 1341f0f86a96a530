"""The keys of a plan for properties that commands of gcloud set, where an adoption finds them differently."""

from typing import Any

from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.values import UNKNOWN, NotKnownError, Values


def network_keys(values: Values) -> dict[str, Any]:
    """The existing network of a cluster."""
    network, subnetwork = values.text("network"), values.text("subnetwork")
    ranges = {
        "pods_range": values.text("ipAllocationPolicy.clusterSecondaryRangeName"),
        "services_range": values.text("ipAllocationPolicy.servicesSecondaryRangeName"),
    }
    if not network and not subnetwork:
        return {}
    only = network or subnetwork
    keys = {"network": network or only, "subnetwork": subnetwork or only}
    return {"network": {"existing": keys | {name: value for name, value in ranges.items() if value}}}


def control_plane_keys(values: Values) -> dict[str, Any]:
    """Who reaches the control plane."""
    keys: dict[str, Any] = {}
    blocks = values.get("masterAuthorizedNetworksConfig.cidrBlocks")
    if blocks:
        keys["authorized_networks"] = {f"range-{index}": block["cidrBlock"] for index, block in enumerate(blocks, 1)}
    if values.get("privateClusterConfig.enablePrivateEndpoint") is not None:
        keys["private"] = values.flag("privateClusterConfig.enablePrivateEndpoint")
    return {"control_plane": keys} if keys else {}


def policy_keys(values: Values) -> dict[str, Any]:
    """A workload policy."""
    keys = {
        "type": values.text("workloadPolicy.type").lower(),
        "topology": values.text("workloadPolicy.acceleratorTopology"),
        "topology_mode": values.text("workloadPolicy.acceleratorTopologyMode").lower(),
    }
    return {name: value for name, value in keys.items() if value}


def system_pool_keys(values: Values) -> dict[str, Any]:
    """The keys of the system pool: what the script says of the default node pool."""
    keys: dict[str, Any] = {}
    machine = values.text("nodeConfig.machineType")
    if machine:
        keys["machine_type"] = machine
    fewest = values.number("autoscaling.totalMinNodeCount")
    most = values.number("autoscaling.totalMaxNodeCount")
    if fewest:
        keys["min_nodes"] = fewest
    if most:
        keys["max_nodes"] = most
    zones = values.texts("nodeLocations")
    if zones:
        keys["zones"] = sorted(zones)
    named = (
        ("boot_disk_type", "nodeConfig.bootDisk.diskType"),
        ("boot_disk_size_gib", "nodeConfig.bootDisk.sizeGb"),
    )
    keys |= {key: value for key, path in named if (value := values.get(path))}
    return keys


def without_unknown(value: Any) -> Any:
    """A value without the parts that are not known."""
    if isinstance(value, dict):
        return {key: without_unknown(item) for key, item in value.items() if item is not UNKNOWN}
    if isinstance(value, list):
        return [without_unknown(item) for item in value if item is not UNKNOWN]
    return value


def is_unknown(raw: RawResource, path: str) -> bool:
    """Whether a property is not known."""
    try:
        raw.values.get(path)
    except NotKnownError:
        return True
    return False
