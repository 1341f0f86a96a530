"""Puts the keys that say something else in the order of what they come to, so that the one that matters is first."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from pulumi_gke_tpu.change.effects.pools import NODE_POOL
from pulumi_gke_tpu.change.items.model import CLASSES, ChangeClass, ResourceChange, WrittenChange

Properties = Mapping[str, tuple[str, ...]]
"""Key of the plan -> what it sets, as the engine calls it. Each stands for everything inside it as well."""

CLUSTER_KEYS: Properties = MappingProxyType(
    {
        "project": ("project",),
        "resource_labels": ("resourceLabels", "nodeConfig.resourceLabels"),
        "mode": ("enableAutopilot",),
        "location": ("location", "region"),
        "name": ("name", "accountId"),
        "release_channel": ("releaseChannel",),
        "min_version": ("minMasterVersion",),
        "deletion_protection": ("deletionProtection",),
        "network": ("network", "subnetwork"),
        "network.create.mtu": ("mtu",),
        "network.create.subnet": ("ipCidrRange",),
        "network.create.pods": ("secondaryIpRanges",),
        "network.create.services": ("secondaryIpRanges",),
        "network.existing.pods_range": ("ipAllocationPolicy.clusterSecondaryRangeName",),
        "network.existing.services_range": ("ipAllocationPolicy.servicesSecondaryRangeName",),
        "private_nodes": ("privateClusterConfig.enablePrivateNodes", "networkConfig.enablePrivateNodes"),
        "control_plane": (
            "controlPlaneEndpointsConfig",
            "masterAuthorizedNetworksConfig",
            "privateClusterConfig.enablePrivateEndpoint",
        ),
        "node_service_account": (
            "nodeConfig.serviceAccount",
            "clusterAutoscaling.autoProvisioningDefaults.serviceAccount",
        ),
        "system_pool.machine_type": ("nodeConfig.machineType",),
        "system_pool.min_nodes": ("autoscaling.totalMinNodeCount",),
        "system_pool.max_nodes": ("autoscaling.totalMaxNodeCount",),
        "system_pool.zones": ("nodeLocations",),
        "system_pool.boot_disk_type": ("nodeConfig.bootDisk.diskType",),
        "system_pool.boot_disk_size_gib": ("nodeConfig.bootDisk.sizeGb",),
        "autoprovisioning": (
            "clusterAutoscaling.enabled",
            "clusterAutoscaling.resourceLimits",
            "clusterAutoscaling.autoProvisioningLocations",
        ),
        "addons": ("addonsConfig",),
        "maintenance": ("maintenancePolicy",),
        "maintenance.window": ("maintenancePolicy.recurringWindow",),
        "maintenance.exclusions": ("maintenancePolicy.maintenanceExclusions",),
        "security.shielded_nodes": ("enableShieldedNodes",),
        "security.secure_boot": ("nodeConfig.shieldedInstanceConfig.enableSecureBoot",),
        "security.workload_identity": ("workloadIdentityConfig", "nodeConfig.workloadMetadataConfig"),
        "security.dataplane_v2": ("datapathProvider",),
        "fleet": ("fleet",),
        "kms_key": ("databaseEncryption",),
        "notifications": ("notificationConfig",),
        "timeouts": ("customTimeouts",),
    }
)
GROUP_KEYS: Properties = MappingProxyType(
    {
        "tpu": ("nodeConfig.machineType",),
        "chips_per_host": ("nodeConfig.machineType",),
        "machine_type": ("nodeConfig.machineType",),
        "topology": ("placementPolicy.tpuTopology", "workloadPolicy"),
        "count": ("nodeCount", "autoscaling"),
        "zone": ("nodeLocations",),
        "name": ("name",),
        "capacity": (
            "nodeConfig.spot",
            "nodeConfig.reservationAffinity",
            "nodeConfig.flexStart",
            "nodeConfig.maxRunDuration",
            "queuedProvisioning",
        ),
        "boot_disk": ("nodeConfig.bootDisk",),
        "secondary_boot_disk": ("nodeConfig.secondaryBootDisks",),
        "node_labels": ("nodeConfig.labels",),
        "taints": ("nodeConfig.taints",),
        "resource_labels": ("nodeConfig.resourceLabels",),
        "max_pods_per_node": ("maxPodsPerNode",),
        "upgrade": ("management", "upgradeSettings"),
        "placement": ("placementPolicy",),
        "collection": (
            'nodeConfig.labels["cloud.google.com/gke-nodepool-group-name"]',
            'nodeConfig.labels["cloud.google.com/gke-workload-type"]',
        ),
        "driver_mode": ("nodeConfig.labels",),
        "host_maintenance": ("nodeConfig.hostMaintenancePolicy",),
        "maintenance": ("maintenancePolicies",),
        "network_profile": ("networkConfig.acceleratorNetworkProfile",),
        "additional_networks": ("networkConfig.additionalNodeNetworkConfigs",),
        "protect": ("protect",),
        "timeouts": ("customTimeouts",),
    }
)
_MADE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "network": ("gcp:compute/network:Network", "gcp:compute/subnetwork:Subnetwork"),
        "network.create.nat": ("gcp:compute/routerNat:RouterNat", "gcp:compute/router:Router"),
        "node_service_account": ("gcp:serviceaccount/account:Account", "gcp:projects/iAMMember:IAMMember"),
        "mode": (NODE_POOL,),
        "count": (NODE_POOL,),
        "indices": (NODE_POOL,),
        "min": (NODE_POOL,),
        "max": (NODE_POOL,),
        "name": (NODE_POOL,),
        "placement": ("gcp:compute/resourcePolicy:ResourcePolicy",),
    }
)
"""Key of the plan -> the types of the resources that there are more or fewer of with it."""

_EXTRA = "extra"


def most_dangerous_first(
    written: Sequence[WrittenChange], changes: Iterable[ResourceChange], keys: Properties, effect: ChangeClass
) -> tuple[WrittenChange, ...]:
    """The keys by what the properties that they set come to; otherwise in their order.

    ``effect`` is what all of it comes to: that there are more or fewer resources counts where it makes the class.
    """
    changes = tuple(changes)
    if len(written) < 2:
        return tuple(written)
    by_path: dict[str, int] = {}
    for change in changes:
        for item in change.differences:
            _least(by_path, item.path, item.effect)
    by_type: dict[str, int] = {}
    for change in changes:
        if change.operation in ("create", "delete") and change.effect == effect:
            _least(by_type, change.type, change.effect)
    return tuple(sorted(written, key=lambda item: _rank(item.key, by_path, by_type, keys)))


def _least(ranks: dict[str, int], name: str, effect: ChangeClass) -> None:
    ranks[name] = min(CLASSES.index(effect), ranks.get(name, len(CLASSES)))


def _rank(key: str, by_path: Mapping[str, int], by_type: Mapping[str, int], keys: Properties) -> int:
    properties = (_property(key),) if key.startswith(f"{_EXTRA}.") else _of(key, keys)
    ranks = [rank for path, rank in by_path.items() if any(_alike(path, name) for name in properties)]
    ranks += [by_type[name] for name in _of(key, _MADE) if name in by_type]
    return min(ranks, default=len(CLASSES))


def _of(key: str, among: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What is known of a key, or of the nearest one around it."""
    around = [name for name in among if _within(key, name)]
    return among[max(around, key=len)] if around else ()


def _alike(path: str, name: str) -> bool:
    return _within(path, name) or _within(name, path)


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith((f"{outer}.", f"{outer}["))


def _property(key: str) -> str:
    """The property that a key of ``extra`` sets."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), key.partition(".")[2])
