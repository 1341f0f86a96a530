"""The properties that Pulumi does not compare, because GKE, the autoscaler or another tool decides them.

What a key or ``extra`` sets is always compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import AT_CREATION, AddedTo
from pulumi_gke_tpu.core.fleet import Cluster, CpuPool, NodePool, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import AutoscalerSettings, autoscaler_settings
from pulumi_gke_tpu.core.graph.builders.properties import merge_extra
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.text.formats.property_path import format_steps, parse_path, value_at

SIZE_OF_AUTOSCALER = ("initialNodeCount", "nodeCount")
_DEFAULT_POOL = ("initialNodeCount", "nodeConfig")
"""Properties of a new cluster that describe its default pool, which exists only while the cluster is created."""
_DEFAULT_POOL_OF_ADOPTED = ("initialNodeCount",)
"""An import stores a ``nodeConfig`` that the provider refuses as an input, and GKE's own value is kept without one."""
_SIZE = "nodeCount"
_SIZE_OF_SLICE = ("ignoreNodeCountChanges", _SIZE)
_AFFINITY = "nodeConfig.reservationAffinity"
_KEPT = (
    "maintenancePolicies",
    "nodeConfig.gvnic",
    "nodeConfig.kubeletConfig",
    "nodeConfig.shieldedInstanceConfig",
    "nodeConfig.taints",
    "nodeConfig.workloadMetadataConfig",
)
"""Properties that adopted node pools keep. An import reads neither the maintenance policy nor taints. New node pools
have defaults of the others: a difference would replace or restart the nodes."""
_HOST_MAINTENANCE = "nodeConfig.hostMaintenancePolicy"
"""Only the beta API answers this policy, and a change of it replaces the node pool."""
_LOCATION_POLICY = "autoscaling.locationPolicy"
_TOPOLOGY = "placementPolicy.tpuTopology"
"""A cube has none, and GKE may answer that of its workload policy."""
_IP_ENDPOINT = ("controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled")


def ignored_of_slices(
    group: SliceGroup, pool: NodePool, properties: Mapping[str, Any], catalog: Catalog
) -> Iterator[str]:
    """Of a node pool with TPUs, which has these properties."""
    if group.dynamic:
        yield from _unset(properties, [_TOPOLOGY])
    if pool.autoscaled:
        yield from SIZE_OF_AUTOSCALER
    elif group.plan.keeps_size:
        yield _SIZE
    elif group.plan.adopted is not None and group.shape.multi_host:
        yield from _SIZE_OF_SLICE
    if group.plan.adopted is None:
        yield from _added(properties, NODE_POOL, ("tpu",), catalog)
        return
    if group.plan.capacity.is_queued:
        yield format_steps(("nodeConfig", "labels", catalog.platform.names.node_labels.queued))
    if pool.autoscaled:
        yield from _location_policy(autoscaler_settings(group))
    yield from _unset(properties, [_HOST_MAINTENANCE])
    yield from _added(properties, NODE_POOL, ("tpu", *AT_CREATION), catalog)
    kept = _KEPT if group.plan.capacity.reservation else (_AFFINITY, *_KEPT)
    yield from _unset(_extra(group.plan.extra, NODE_POOL, catalog), kept)


def ignored_of_cpu_pool(pool: CpuPool, properties: Mapping[str, Any], catalog: Catalog) -> Iterator[str]:
    """Of a node pool in ``cpu_pools``, which has these properties."""
    if pool.plan.autoscaled:
        yield from SIZE_OF_AUTOSCALER
    elif pool.plan.keeps_size:
        yield _SIZE
    if pool.plan.adopted is None:
        return
    if pool.plan.autoscaled:
        yield from _location_policy(autoscaler_settings(pool))
    yield from _added(properties, NODE_POOL, AT_CREATION, catalog)
    yield from _unset(_extra(pool.plan.extra, NODE_POOL, catalog), (_AFFINITY, *_KEPT))


def ignored_of_cluster(cluster: Cluster, properties: Mapping[str, Any], catalog: Catalog) -> Iterator[str]:
    """Of a cluster, which has these properties."""
    if cluster.adopted:
        yield from _DEFAULT_POOL_OF_ADOPTED
    elif cluster.mode == "standard":
        yield from _DEFAULT_POOL
    if cluster.adopted:  # whether it has an IP endpoint is not known
        set_by_plan = properties
    elif value_at(properties, _IP_ENDPOINT) is False:
        set_by_plan = _extra(cluster.plan.extra, CLUSTER, catalog)
    else:
        return
    if "privateClusterConfig" in properties:
        yield from _added(set_by_plan, CLUSTER, ("no_ip_endpoint",), catalog)


def without_defaults(properties: Mapping[str, Any], extra: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The properties of an adopted node pool, without defaults in blocks in which ``extra`` sets something."""
    written = _extra(extra, NODE_POOL, catalog).get("nodeConfig") or {}
    config = properties["nodeConfig"]
    kept = {name: value for name, value in config.items() if name not in written or f"nodeConfig.{name}" not in _KEPT}
    return {**properties, "nodeConfig": kept}


def _location_policy(autoscaler: AutoscalerSettings) -> Iterator[str]:
    """Unless the plan has it."""
    if autoscaler.location_policy.sent is None:
        yield _LOCATION_POLICY


def _added(
    properties: Mapping[str, Any], resource_type: str, added_to: Iterable[AddedTo], catalog: Catalog
) -> Iterator[str]:
    """The properties that GKE adds to such a resource, of those for which the provider would plan a change."""
    items = [item for item in catalog.gke_adds[resource_type] if item.added_to in added_to and item.effect != "none"]
    return _unset(properties, dict.fromkeys(item.path for item in items))


def _extra(extra: Mapping[str, Any], resource_type: str, catalog: Catalog) -> Mapping[str, Any]:
    return merge_extra({}, extra, catalog.provider, resource_type)


def _unset(properties: Mapping[str, Any], paths: Iterable[str]) -> Iterator[str]:
    return (path for path in paths if not is_set(properties, path))


def is_set(properties: Mapping[str, Any], path: str) -> bool:
    """Whether properties set that of a path. A null in ``extra`` sets it, too: it is to be absent."""
    *around, name = parse_path(path)
    block = value_at(properties, around)
    return block is not None and not (isinstance(block, Mapping) and name not in block)
