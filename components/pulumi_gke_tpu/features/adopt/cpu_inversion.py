"""From a node pool without TPUs to the keys of an entry in ``cpu_pools``."""

from collections.abc import Callable, Mapping
from typing import Any

from pulumi_gke_tpu.core.against_plan.live import LivePool
from pulumi_gke_tpu.core.graph.differences import PropertyDiff
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan.cpu_pools import CpuPoolSpec
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.features.adopt.inversion import (
    EXTRA,
    CannotAdoptError,
    Inverted,
    account,
    add_keys,
    copied,
    known_nodes,
    labels,
    resource_labels,
    scopes,
    taints,
)

EXTRA_OF_CPU_POOLS = (
    *EXTRA,
    "maxPodsPerNode",
    "nodeConfig.hostMaintenancePolicy",
    "nodeConfig.maxRunDuration",
    "nodeConfig.preemptible",
)


REPAIRS: Mapping[str, Callable[[Inverted, Values], None]] = {
    "nodeConfig.oauthScopes": scopes,
    "nodeConfig.resourceLabels": resource_labels,
    "nodeConfig.serviceAccount": account,
}


def inverted_cpu_pool(live: LivePool, semantics: Semantics) -> Inverted:
    """The keys that the properties of a node pool show.

    Raises:
        CannotAdoptError: no plan describes such a node pool.
    """
    values = Values(dict(live.values))
    if values.has("nodeConfig.guestAccelerators") and values.get("nodeConfig.guestAccelerators"):
        raise CannotAdoptError("it has GPUs, which no key describes")
    machine_type = values.text("nodeConfig.machineType")
    zones = sorted(values.texts("nodeLocations"))
    if not machine_type or not zones:
        raise CannotAdoptError("the source does not contain its machine type and zones")
    found = Inverted(live, {"machine_type": machine_type}, 1)
    found.keys |= _size(found, values, len(zones))
    found.keys["zones"] = zones
    found.keys |= copied(CpuPoolSpec, values, semantics, semantics.untouched(live.values))
    found.keys["machine_type"] = machine_type
    found.keys |= labels(found, values)
    found.keys |= taints(values)
    return found


def _size(found: Inverted, values: Values, zones: int) -> dict[str, Any]:
    if not values.has("autoscaling"):
        nodes = known_nodes(found, values, zones, "nodes")
        return {} if nodes is None else {"nodes": nodes}
    fewest, most = values.number("autoscaling.minNodeCount") or 0, values.number("autoscaling.maxNodeCount") or 0
    all_fewest = values.number("autoscaling.totalMinNodeCount") or 0
    all_most = values.number("autoscaling.totalMaxNodeCount") or 0
    policy = values.text("autoscaling.locationPolicy")
    if policy:
        found.adopted["location_policy"] = policy.lower()
    if not all_most:
        found.adopted["limits"] = "per_zone"
        all_fewest, all_most = fewest * zones, most * zones
    return {**({"min_nodes": all_fewest} if all_fewest else {}), "max_nodes": all_most}


def repair_cpu_pool(found: Inverted, planned: tuple[PropertyDiff, ...]) -> None:
    """Add the keys for properties in which the plan still differs.

    Raises:
        CannotAdoptError: neither a key nor ``extra`` can say a property.
    """
    add_keys(found, planned, REPAIRS, EXTRA_OF_CPU_POOLS)
