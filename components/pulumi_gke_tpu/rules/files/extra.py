"""TPU521, TPU522: provider properties under ``extra``."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.catalog.records.provider import PropertyChange
from pulumi_gke_tpu.catalog.spelling import snake_case
from pulumi_gke_tpu.findings import Path, did_you_mean, printable
from pulumi_gke_tpu.graph.types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.rules.engine.context import PlanContext
from pulumi_gke_tpu.rules.engine.extra import Written, blocks, is_any_reservation, written_properties
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.engine.walk import plan_groups

_OURS = "gke-tpu sets it"
_BY_CLUSTER = "the cluster of the group"

_PLAN_KEYS: dict[str, dict[str, str]] = {
    NODE_POOL: {
        "autoscaling": "count: {min, max}",
        "cluster": _BY_CLUSTER,
        "ignoreNodeCountChanges": _OURS,
        "initialNodeCount": "count",
        "location": _BY_CLUSTER,
        "maintenancePolicies": "maintenance.end_of_support",
        "management.autoRepair": "upgrade.auto_repair",
        "management.autoUpgrade": "upgrade.auto_upgrade",
        "maxPodsPerNode": "max_pods_per_node",
        "name": "name",
        "namePrefix": "name",
        "networkConfig.acceleratorNetworkProfile": "network_profile",
        "networkConfig.additionalNodeNetworkConfigs": "additional_networks",
        "networkConfig.enablePrivateNodes": "private_nodes of the cluster",
        "nodeConfig.bootDisk": "boot_disk",
        "nodeConfig.diskSizeGb": "boot_disk.size_gib",
        "nodeConfig.diskType": "boot_disk.type",
        "nodeConfig.flexStart": "capacity",
        "nodeConfig.guestAccelerators": "tpu",
        "nodeConfig.gvnic": _OURS,
        "nodeConfig.hostMaintenancePolicy.maintenanceInterval": "host_maintenance",
        "nodeConfig.labels": "node_labels",
        "nodeConfig.machineType": "tpu and chips_per_host",
        "nodeConfig.maxRunDuration": "capacity.flex_start.max_run_duration",
        "nodeConfig.oauthScopes": _OURS,
        "nodeConfig.preemptible": "capacity: spot",
        "nodeConfig.reservationAffinity": "capacity.reservation",
        "nodeConfig.resourceLabels": "resource_labels",
        "nodeConfig.serviceAccount": "node_service_account of the cluster",
        "nodeConfig.shieldedInstanceConfig.enableSecureBoot": "security.tpu_secure_boot of the cluster",
        "nodeConfig.spot": "capacity: spot",
        "nodeConfig.taints": "taints",
        "nodeConfig.workloadMetadataConfig": "security.workload_identity of the cluster",
        "nodeCount": "count",
        "nodeLocations": "zone",
        "placementPolicy": "topology and placement",
        "project": "project of the plan",
        "queuedProvisioning": "capacity",
        "upgradeSettings.blueGreenSettings.nodePoolSoakDuration": "upgrade.blue_green.pool_soak",
        "upgradeSettings.blueGreenSettings.standardRolloutPolicy": "upgrade.blue_green",
        "upgradeSettings.maxSurge": "upgrade.max_surge",
        "upgradeSettings.maxUnavailable": "upgrade.max_unavailable",
        "upgradeSettings.strategy": "upgrade.strategy",
    },
    CLUSTER: {
        "addonsConfig.agentSandboxConfig.enabled": "addons: [agent_sandbox]",
        "addonsConfig.dnsCacheConfig.enabled": "addons: [dns_cache]",
        "addonsConfig.gcpFilestoreCsiDriverConfig.enabled": "addons: [filestore]",
        "addonsConfig.gcsFuseCsiDriverConfig.enabled": "addons: [gcs_fuse]",
        "addonsConfig.gkeBackupAgentConfig.enabled": "addons: [gke_backup]",
        "addonsConfig.highScaleCheckpointingConfig.enabled": "addons: [high_scale_checkpointing]",
        "addonsConfig.lustreCsiDriverConfig.enabled": "addons: [lustre]",
        "addonsConfig.nodeReadinessConfig.enabled": "addons: [node_readiness]",
        "addonsConfig.parallelstoreCsiDriverConfig.enabled": "addons: [parallelstore]",
        "addonsConfig.podSnapshotConfig.enabled": "addons: [pod_snapshot]",
        "addonsConfig.rayOperatorConfigs.enabled": "addons: [ray_operator]",
        "addonsConfig.sliceControllerConfig.enabled": "addons: [slice_controller]",
        "addonsConfig.statefulHaConfig.enabled": "addons: [stateful_ha]",
        "clusterAutoscaling.autoProvisioningDefaults.serviceAccount": "node_service_account",
        "clusterAutoscaling.autoProvisioningLocations": "autoprovisioning.zones",
        "clusterAutoscaling.enabled": "autoprovisioning",
        "clusterAutoscaling.resourceLimits": "autoprovisioning",
        "clusterIpv4Cidr": "network.create.pods",
        "controlPlaneEndpointsConfig.dnsEndpointConfig.allowExternalTraffic": "control_plane.dns_endpoint",
        "controlPlaneEndpointsConfig.ipEndpointsConfig.enabled": "control_plane.authorized_networks",
        "databaseEncryption": "kms_key",
        "datapathProvider": "security.dataplane_v2",
        "deletionProtection": "deletion_protection",
        "enableAutopilot": "mode",
        "enableMultiNetworking": "additional_networks of a group",
        "enableShieldedNodes": "security.shielded_nodes",
        "fleet.project": "fleet",
        "initialNodeCount": "system_pool",
        "ipAllocationPolicy.clusterSecondaryRangeName": "network.pods_range",
        "ipAllocationPolicy.servicesSecondaryRangeName": "network.services_range",
        "location": "location",
        "maintenancePolicy.dailyMaintenanceWindow": "maintenance.window",
        "maintenancePolicy.maintenanceExclusions": "maintenance.exclusions",
        "maintenancePolicy.recurringMaintenanceWindow": "maintenance.window",
        "maintenancePolicy.recurringWindow": "maintenance.window",
        "masterAuthorizedNetworksConfig.cidrBlocks": "control_plane.authorized_networks",
        "minMasterVersion": "min_version",
        "name": "name",
        "network": "network",
        "networkingMode": _OURS,
        "nodeConfig": "system_pool and slices",
        "nodePools": "system_pool and slices",
        "notificationConfig.pubsub.enabled": "notifications",
        "notificationConfig.pubsub.topic": "notifications",
        "privateClusterConfig.enablePrivateEndpoint": "control_plane.private",
        "privateClusterConfig.enablePrivateNodes": "private_nodes",
        "project": "project of the plan",
        "releaseChannel": "release_channel",
        "removeDefaultNodePool": _OURS,
        "resourceLabels": "resource_labels",
        "subnetwork": "network",
        "workloadIdentityConfig": "security.workload_identity",
    },
}
"""What says the same in the plan, by property. Properties inside that the plan does not model can be written."""


def _extras(context: PlanContext) -> Iterator[tuple[str, Mapping[str, Any], Path]]:
    for cluster in context.fleet.clusters:
        if cluster.plan.extra:
            yield CLUSTER, cluster.plan.extra, (*cluster.path, "extra")
    for cluster, path, group in plan_groups(context):
        if group.extra and cluster.mode == "standard":
            yield NODE_POOL, group.extra, (*path, "extra")


def written_extras(context: PlanContext) -> Iterator[tuple[str, Mapping[str, PropertyChange], list[Written]]]:
    """The resource type of each ``extra``, the properties that it has, and those that the ``extra`` writes."""
    parents: dict[str, frozenset[str]] = {}
    for resource_type, extra, path in _extras(context):
        known = context.catalog.provider.resources[resource_type].properties
        if resource_type not in parents:
            parents[resource_type] = blocks(known)
        yield resource_type, known, list(written_properties(extra, path, parents[resource_type]))


@rule(
    "TPU521",
    "unknown-property",
    scope=Scope.PLAN,
    since="0.1",
    title="Unknown property",
    why="the provider rejects properties that it does not know",
    fix="Use the property name of pulumi-gcp, in camelCase or snake_case.",
    references=["PULUMI_GCP_SDK", "OBSERVED_2026_11_20", "provider-cluster", "provider-node-pool"],
    source="observed that a preview refuses others",
    basis="observed",
    failing="""
tpu: v6e
topology: 4x4
extra: {node_confg: {tags: [tpu]}}
""",
    passing="""
tpu: v6e
topology: 4x4
extra: {node_config: {tags: [tpu]}}
""",
)
def unknown_property(context: PlanContext) -> Iterable[Hit]:
    for resource_type, known, properties in written_extras(context):
        for written in properties:
            if written.name in known:
                continue
            block, _, last = written.name.rpartition(".")
            siblings = [
                name.rpartition(".")[2] for name in known if name.rpartition(".")[0] == block and "[" not in name
            ]
            near = did_you_mean(snake_case(last), map(snake_case, siblings))
            resource = resource_type.rsplit(":", 1)[-1]
            yield Hit(
                written.path,
                f"unknown property `{printable(written.name, 100)}` of {resource}",
                given=printable(written.path[-1], 100),
                fix=f"{near}:" if near else "",
            )


@rule(
    "TPU522",
    "property-with-plan-key",
    scope=Scope.PLAN,
    since="0.1",
    title="Property conflicts with a plan key",
    why="the rules, the cost and the preview read the keys of the plan; a property would contradict them unnoticed",
    fix="Use the plan key.",
    source="This tool: `extra` is for what the plan does not model",
    basis="format",
    failing="""
tpu: v6e
topology: 4x4
extra: {max_pods_per_node: 32}
""",
    passing="""
tpu: v6e
topology: 4x4
max_pods_per_node: 32
""",
)
def modelled_property(context: PlanContext) -> Iterable[Hit]:
    for resource_type, _, properties in written_extras(context):
        keys = _PLAN_KEYS[resource_type]
        for written in properties:
            key = keys.get(written.name)
            if key is not None and not is_any_reservation(written) and not _excludes_autopilot(context, written):
                own = key == _OURS
                yield Hit(
                    written.path,
                    f"`{printable(written.name)}` is not allowed here: " + (_OURS if own else f"use {key}"),
                    given=printable(written.path[-1], 100),
                    allowed=() if own or key == _BY_CLUSTER else (key,),
                )


def _excludes_autopilot(context: PlanContext, written: Written) -> bool:
    """Whether a rule of its own reports that an Autopilot cluster does not take this at all."""
    cluster = context.plan.clusters[str(written.path[1])]
    return cluster.mode == "autopilot" and written.name in context.catalog.platform.autopilot.conflicts
