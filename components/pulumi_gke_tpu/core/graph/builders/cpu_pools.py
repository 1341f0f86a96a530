"""Node pools without TPUs: the system pool and those in ``cpu_pools``."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.fleet import Cluster, CpuPool
from pulumi_gke_tpu.core.fleet.settings import SystemPoolSettings, security_settings
from pulumi_gke_tpu.core.graph.builders.account import own_account
from pulumi_gke_tpu.core.graph.builders.properties import (
    ClusterContext,
    former_names,
    initial_count,
    merge_extra,
    node_taints,
    timeouts,
    without_none,
)
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions, Key
from pulumi_gke_tpu.core.graph.types import NODE_POOL
from pulumi_gke_tpu.core.plan.copied import with_copied
from pulumi_gke_tpu.core.text.findings import format_path

SYSTEM_POOL = "system"
_SIZE_OF_AUTOSCALER = ("initialNodeCount", "nodeCount")


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
        "autoscaling": _total_limits(system.min_nodes.value, system.max_nodes.value),
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
            ignore_changes=_SIZE_OF_AUTOSCALER,
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
            **_size(pool),
            **_shared_properties(
                cluster,
                own,
                labels=plan.node_labels or None,
                taints=node_taints(plan.taints),
            ),
            "nodeLocations": list(pool.zones) or None,
        }
        yield Declared(
            NODE_POOL,
            pool.key,
            parent,
            merge_extra(with_copied(properties, plan), plan.extra, context.catalog.provider, NODE_POOL),
            DeclaredOptions(
                delete_before_replace=True,
                ignore_changes=_SIZE_OF_AUTOSCALER if plan.autoscaled else (),
                custom_timeouts=timeouts(plan.timeouts),
                aliases=former_names(pool.former_keys),
                depends_on=own.depends_on,
                checked_update=True,
            ),
            path,
        )


def _shared_properties(cluster: Cluster, context: ClusterContext, **node_config: Any) -> dict[str, Any]:
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
            oauthScopes=[context.catalog.platform.hardening.oauth_scope],
            resourceLabels=context.resource_labels or None,
            reservationAffinity={"consumeReservationType": "NO_RESERVATION"},
            shieldedInstanceConfig={
                "enableSecureBoot": security.secure_boot.value,
                "enableIntegrityMonitoring": True,
            },
            workloadMetadataConfig={"mode": "GKE_METADATA"} if security.workload_identity.value else None,
            kubeletConfig={"insecureKubeletReadonlyPortEnabled": "FALSE"},
        ),
    }


def _size(pool: CpuPool) -> dict[str, Any]:
    """Node counts, which GKE takes per zone, or total limits.

    Every zone of an autoscaled pool starts with its part of the minimum.
    """
    zones = len(pool.zones)
    if not pool.plan.autoscaled:
        return {"nodeCount": pool.nodes.maximum // max(zones, 1)}
    least = pool.nodes.minimum
    return {
        "initialNodeCount": initial_count(least, pool.nodes.maximum, zones) if zones else min(least, 1),
        "autoscaling": _total_limits(least, pool.nodes.maximum),
    }


def _total_limits(least: int, most: int) -> dict[str, Any]:
    return {"totalMinNodeCount": least, "totalMaxNodeCount": most, "locationPolicy": "ANY"}
