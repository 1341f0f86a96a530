"""Node pools: those of a slice group, the system pool, and CPU pools."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog.records.provider import replace_paths
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, NodePool, Range, SliceGroup
from pulumi_gke_tpu.core.fleet.model import initial_count
from pulumi_gke_tpu.core.fleet.scheduling import labels_of_keys
from pulumi_gke_tpu.core.fleet.settings import (
    USUAL_AUTOSCALER,
    AutoscalerSettings,
    SystemPoolSettings,
    UpgradeSettings,
    autoscaler_settings,
    oauth_scopes,
    security_settings,
    upgrade_settings,
)
from pulumi_gke_tpu.core.graph.builders.account import own_account
from pulumi_gke_tpu.core.graph.builders.ignored import (
    SIZE_OF_AUTOSCALER,
    ignored_of_cpu_pool,
    ignored_of_slices,
    without_defaults,
)
from pulumi_gke_tpu.core.graph.builders.properties import (
    ClusterContext,
    former_names,
    merge_extra,
    node_taints,
    seconds,
    timeouts,
    without_none,
)
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.plan.capacity import Reservation
from pulumi_gke_tpu.core.plan.copied import with_copied
from pulumi_gke_tpu.core.text.findings import format_path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.adoption import AdoptedNodes
    from pulumi_gke_tpu.core.plan.slices import HostMaintenance


_RESERVATION_KEY = "compute.googleapis.com/reservation-name"


def node_pools(
    context: ClusterContext, group: SliceGroup, policy_name: object, parent: Key, plan_path: str
) -> Iterator[Declared]:
    """The node pools of a group. They share the values that are the same for all of them."""
    provider = context.catalog.provider
    replacing = replace_paths(provider, NODE_POOL)
    common, extra = _common_properties(context, group, policy_name), group.plan.extra
    if group.plan.adopted is not None:
        common = without_defaults(common, extra, context.catalog)
    by_size: dict[tuple[Range, bool], tuple[dict[str, Any], tuple[str, ...]]] = {}
    for pool in group.pools:
        size = pool.hosts, pool.autoscaled
        if size not in by_size:
            properties = merge_extra({**common, **_size(group, pool)}, extra, provider, NODE_POOL)
            by_size[size] = properties, tuple(ignored_of_slices(group, pool, properties, context.catalog))
        properties, ignored = by_size[size]
        yield Declared(
            NODE_POOL,
            pool.key,
            parent,
            {"name": pool.name, **properties},
            _options(context, group, pool, replacing, ignored),
            plan_path,
        )


def _common_properties(context: ClusterContext, group: SliceGroup, policy_name: object) -> dict[str, Any]:
    """The properties of every pool of a group. Defaults that must not change later are sent explicitly."""
    plan, upgrade = group.plan, upgrade_settings(group)
    properties = {
        "cluster": context.cluster_name,
        "project": context.project,
        "location": context.location,
        "nodeLocations": list(group.zones),
        "nodeConfig": _node_config(context, group),
        "networkConfig": without_none(
            enablePrivateNodes=context.private_nodes,
            additionalNodeNetworkConfigs=[
                context.interfaces.get(item.name, {})  # a rule reports an unknown name
                if item.name is not None
                else {"network": item.network, "subnetwork": item.subnetwork}
                for item in plan.additional_networks
            ]
            or None,
        )
        or None,
        "management": _management(upgrade),
        "upgradeSettings": _upgrade_settings(upgrade),
    }
    if group.shape.multi_host:
        properties["placementPolicy"] = _placement(group, policy_name)
    if plan.best_effort is not None:
        properties["bestEffortProvisioning"] = {"enabled": True, "minProvisionNodes": plan.best_effort}
    if plan.capacity.is_queued:
        properties["queuedProvisioning"] = {"enabled": True}
    if plan.maintenance and plan.maintenance.end_of_support:
        properties["maintenancePolicies"] = [{"exclusionUntilEndOfSupports": [{"enabled": True}]}]
    return with_copied(properties, plan)


def _options(
    context: ClusterContext, group: SliceGroup, pool: NodePool, replacing: tuple[str, ...], ignored: tuple[str, ...]
) -> DeclaredOptions:
    """The options of a pool.

    ``replacing`` names what GKE fixes at creation although the provider plans an update. ``delete_before_replace``
    belongs to it, since the replacement keeps the explicit name. A static multi-host pool is replaced too when it
    stops being autoscaled: GKE refuses to resize it by hand, and it would stay at zero nodes.
    """
    static_slice = group.shape.multi_host and not pool.autoscaled
    return DeclaredOptions(
        protect=group.protect,
        delete_before_replace=True,
        replace_on_changes=(*replacing, "autoscaling") if static_slice else replacing,
        ignore_changes=ignored,
        custom_timeouts=timeouts(group.plan.timeouts),
        aliases=former_names(pool.former_keys),
        depends_on=context.depends_on,
        adopted=group.plan.adopted is not None,
        checked_update=True,
    )


def _node_config(context: ClusterContext, group: SliceGroup) -> dict[str, Any]:
    plan, capacity = group.plan, group.plan.capacity
    return without_none(
        machineType=group.shape.machine_type,
        serviceAccount=context.service_account,
        oauthScopes=list(oauth_scopes(plan.kept, context.catalog).value),
        labels=_labels(context, group) or None,
        taints=node_taints(plan.taints),
        resourceLabels={**context.resource_labels, **plan.resource_labels} or None,
        flexStart=True if capacity.flex_start else None,
        maxRunDuration=_run_duration(group),
        reservationAffinity=_reservation_affinity(capacity.reservation),
        hostMaintenancePolicy=_host_maintenance(plan.host_maintenance),
        secondaryBootDisks=[
            without_none(
                diskImage=plan.secondary_boot_disk.image,
                mode=plan.secondary_boot_disk.mode.upper() if plan.secondary_boot_disk.mode else None,
            )
        ]
        if plan.secondary_boot_disk
        else None,
        gvnic={"enabled": True},
        shieldedInstanceConfig={"enableSecureBoot": context.secure_boot, "enableIntegrityMonitoring": True},
        workloadMetadataConfig={"mode": "GKE_METADATA"} if context.workload_identity else None,
        kubeletConfig={"insecureKubeletReadonlyPortEnabled": "FALSE"},
    )


def _labels(context: ClusterContext, group: SliceGroup) -> dict[str, Any]:
    set_by_keys = {
        label: item.value
        for label, item in labels_of_keys(group.plan, context.catalog.platform.names.node_labels).items()
    }
    return {**group.plan.node_labels, **set_by_keys}


def _run_duration(group: SliceGroup) -> str | None:
    """The longest life of a node. On queued capacity, the ProvisioningRequest of a workload sets it."""
    flex_start = group.plan.capacity.flex_start
    return seconds(flex_start.max_run_duration) if flex_start and not flex_start.queued else None


def _host_maintenance(plan: "HostMaintenance | None") -> dict[str, Any] | None:
    """The strategy for idle hosts; the interval is copied."""
    idle = plan.opportunistic if plan is not None else None
    if idle is None:
        return None
    strategy = {
        "nodeIdleTimeWindow": seconds(idle.idle),
        "maintenanceAvailabilityWindow": seconds(idle.window),
        "minNodesPerPool": idle.min_nodes,
    }
    return {"opportunisticMaintenanceStrategy": strategy}


def _reservation_affinity(reservation: Reservation | None) -> dict[str, Any]:
    """Always send an affinity: adding or removing it later replaces the pool."""
    if reservation is None:
        return {"consumeReservationType": "NO_RESERVATION"}
    path = (
        f"projects/{reservation.project}/reservations/{reservation.name}" if reservation.project else reservation.name
    )
    if reservation.block:
        path += f"/reservationBlocks/{reservation.block}"
    if reservation.sub_block:
        path += f"/reservationSubBlocks/{reservation.sub_block}"
    return {"consumeReservationType": "SPECIFIC_RESERVATION", "key": _RESERVATION_KEY, "values": [path]}


def _placement(group: SliceGroup, policy_name: object) -> dict[str, Any]:
    """A slice bound to a workload policy sends an empty type: with any other, each preview shows a difference.

    A cube has no topology: its chips are connected when GKE forms a slice.
    """
    topology = {} if group.dynamic else {"tpuTopology": str(group.shape.topology)}
    if policy_name is None:
        return {"type": "COMPACT", **topology}
    return {"type": "", "policyName": policy_name, **topology}


def _size(group: SliceGroup, pool: NodePool) -> dict[str, Any]:
    """Node counts.

    A multi-host slice exists as a whole or not at all. The count of a static one changes while GKE repairs a host, and
    no update can set it again, so the provider does not compare it. An autoscaled one takes per-zone limits, because
    GKE rejects total limits, and any zone. Adopted single-host slices keep the kind of limits that they have.
    """
    zones = max(len(group.zones), 1)
    if not pool.autoscaled:
        if group.shape.multi_host:
            return {"nodeCount": pool.hosts.maximum, "ignoreNodeCountChanges": True}
        return {"nodeCount": pool.hosts.maximum // zones}
    first = initial_count(pool.hosts.minimum, pool.hosts.maximum, zones)
    return {
        "initialNodeCount": first,
        "autoscaling": _autoscaling(autoscaler_settings(group), pool.hosts, group.zones),
    }


def _autoscaling(autoscaler: AutoscalerSettings, every: Range, zones: Sequence[str]) -> dict[str, Any]:
    """The autoscaler of a node pool, for a number of nodes in all zones together."""
    nodes, total = autoscaler.nodes(every, zones), autoscaler.limits.value == "total"
    return {
        "totalMinNodeCount" if total else "minNodeCount": nodes.minimum,
        "totalMaxNodeCount" if total else "maxNodeCount": nodes.maximum,
        "locationPolicy": autoscaler.location_policy.value.upper(),
    }


def _management(upgrade: UpgradeSettings) -> dict[str, Any]:
    return {"autoRepair": upgrade.auto_repair.sent, "autoUpgrade": upgrade.auto_upgrade.sent}


def _upgrade_settings(upgrade: UpgradeSettings) -> dict[str, Any] | None:
    """The strategy with its settings; None if GKE itself sets it."""
    strategy = upgrade.strategy.sent
    if strategy is None:
        return None
    if strategy == "blue_green":
        settings = upgrade.blue_green
        rollout = without_none(
            batchPercentage=settings.batch_percentage,
            batchNodeCount=settings.batch_node_count,
            batchSoakDuration=seconds(settings.batch_soak),
        )
        blue_green = without_none(
            standardRolloutPolicy=rollout or None, nodePoolSoakDuration=seconds(settings.pool_soak)
        )
        return {"strategy": "BLUE_GREEN", **({"blueGreenSettings": blue_green} if blue_green else {})}
    return {
        "strategy": "SURGE",
        "maxSurge": upgrade.max_surge.value,
        "maxUnavailable": upgrade.max_unavailable.value,
    }


SYSTEM_POOL = "system"


def system_node_pool(
    cluster: Cluster, system: SystemPoolSettings, context: ClusterContext, parent: Key, plan_path: str
) -> Declared:
    """The pool for the system.

    It starts with one node per zone, because no system Pod runs before. That can exceed the maximum over all zones: no
    source describes what GKE does then.
    """
    properties = {
        "name": SYSTEM_POOL,
        "initialNodeCount": 1,
        "autoscaling": _autoscaling(USUAL_AUTOSCALER, system.nodes, ()),
        **_shared_properties(
            cluster,
            context,
            labels=system.node_labels.value or None,
            taints=node_taints(system.taints.value),
        ),
        "nodeLocations": system.zones.sent,
    }
    return Declared(
        NODE_POOL,
        f"{cluster.key}/{SYSTEM_POOL}",
        parent,
        with_copied(properties, system.keys),
        DeclaredOptions(
            ignore_changes=SIZE_OF_AUTOSCALER,
            custom_timeouts=timeouts(None),
            aliases=former_names(f"{key}/{SYSTEM_POOL}" for key in cluster.former_keys),
            checked_update=True,
        ),
        plan_path,
    )


def cpu_pools(cluster: Cluster, context: ClusterContext, parent: Key) -> Iterator[Declared]:
    """The pools in ``cpu_pools``. They keep their names, so a replacement deletes the old pool first."""
    for pool in cluster.cpu_pools:
        plan, path = pool.plan, format_path(cluster.path)
        own, account = own_account(pool, context, parent, path)
        yield from account
        properties = {
            "name": pool.name,
            **_cpu_pool_size(pool),
            **_shared_properties(
                cluster,
                own,
                plan.kept,
                plan.resource_labels,
                labels=plan.node_labels or None,
                taints=node_taints(plan.taints),
            ),
            "nodeLocations": list(pool.zones) or None,
        }
        if plan.adopted is not None:
            properties = {**without_defaults(properties, plan.extra, context.catalog), "management": None}
        properties = merge_extra(with_copied(properties, plan), plan.extra, context.catalog.provider, NODE_POOL)
        yield Declared(
            NODE_POOL,
            pool.key,
            parent,
            properties,
            DeclaredOptions(
                delete_before_replace=True,
                ignore_changes=tuple(ignored_of_cpu_pool(pool, properties, context.catalog)),
                custom_timeouts=timeouts(plan.timeouts),
                adopted=plan.adopted is not None,
                aliases=former_names(pool.former_keys),
                depends_on=own.depends_on,
                checked_update=True,
            ),
            path,
        )


def _shared_properties(
    cluster: Cluster,
    context: ClusterContext,
    kept: "AdoptedNodes | None" = None,
    resource_labels: Mapping[str, Any] = MappingProxyType({}),
    **node_config: Any,
) -> dict[str, Any]:
    """The properties of every node pool without TPUs; ``node_config`` adds to the configuration of its nodes."""
    security = security_settings(cluster)
    return {
        "cluster": context.cluster_name,
        "project": context.project,
        "location": context.location,
        "management": {"autoRepair": True, "autoUpgrade": True},
        "networkConfig": without_none(enablePrivateNodes=context.private_nodes) or None,
        "nodeConfig": without_none(
            **node_config,
            serviceAccount=context.service_account,
            oauthScopes=list(oauth_scopes(kept, context.catalog).value),
            resourceLabels={**context.resource_labels, **resource_labels} or None,
            reservationAffinity={"consumeReservationType": "NO_RESERVATION"},
            shieldedInstanceConfig={
                "enableSecureBoot": security.secure_boot.value,
                "enableIntegrityMonitoring": True,
            },
            workloadMetadataConfig={"mode": "GKE_METADATA"} if security.workload_identity.value else None,
            kubeletConfig={"insecureKubeletReadonlyPortEnabled": "FALSE"},
        ),
    }


def _cpu_pool_size(pool: CpuPool) -> dict[str, Any]:
    """Node counts, which GKE takes per zone, or total limits.

    Every zone of an autoscaled pool starts with its part of the minimum.
    """
    zones = len(pool.zones)
    if not pool.plan.autoscaled:
        return {"nodeCount": pool.nodes.maximum // max(zones, 1)}
    least, most = pool.nodes.minimum, pool.nodes.maximum
    return {
        "initialNodeCount": initial_count(least, most, zones) if zones else min(least, 1),
        "autoscaling": _autoscaling(autoscaler_settings(pool), pool.nodes, pool.zones),
    }
