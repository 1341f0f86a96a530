"""What the Google APIs refuse of what the provider sends: ``support/gke/refusals.py`` for clusters and node pools.

Only ``google_apis`` also refuses networks and versions that do not exist, a workload policy with another topology than
its node pool, and reservations that are missing or too small.
"""

from typing import Any

from support.gcp_standin.knowledge import CLUSTER, POOL, Kind
from support.gcp_standin.record import Record
from support.gke import refusals
from support.gke.refusals import RefusedError

Json = dict[str, Any]


def of_creation(kind: Kind, state: Json, cluster: Record | None, topologies: dict[str, str | None]) -> None:
    """Refuse a creation. ``topologies`` are those of the workload policies by name."""
    if kind.token == CLUSTER:
        count, autopilot = state.get("initialNodeCount"), bool(state.get("enableAutopilot"))
        refusals.of_cluster(state["name"], pools=state.get("nodePools") or None, count=count, autopilot=autopilot)
    if kind.token == POOL:
        _of_pool(state, cluster, topologies)


def _of_pool(state: Json, cluster: Record | None, topologies: dict[str, str | None]) -> None:
    if cluster is None:
        raise RefusedError(404, f"Not found: {state['cluster']}.")
    if cluster.state.get("enableAutopilot"):
        raise RefusedError(400, "Autopilot node pools cannot be accessed or modified.")
    policy = (state.get("placementPolicy") or {}).get("policyName")
    if policy and policy not in topologies:
        raise RefusedError(400, f'Resource policy "{policy}" was not found.')
    pool = as_sent(state)
    channel = cluster.state.get("releaseChannel", {}).get("channel")
    refusals.of_pool(pool, {"releaseChannel": {"channel": channel}}, refusals.size(pool, topologies.get(policy)))


def as_sent(state: Json) -> Json:
    """A node pool as the provider sends it, as far as a refusal depends on it."""
    limits = state.get("autoscaling")
    return {
        **{name: state.get(name) for name in ("name", "management", "placementPolicy", "queuedProvisioning")},
        "config": state["nodeConfig"],
        "locations": state.get("nodeLocations") or [""],
        "autoscaling": {**limits, "enabled": True} if limits else None,
        "initialNodeCount": state.get("nodeCount") or state.get("initialNodeCount"),
    }


def of_pool_update(request: str, state: Json, status: str, topology: str | None) -> None:
    """Refuse an update of a node pool. ``topology`` is that of its workload policy."""
    pool = {**as_sent(state), "status": status}
    size = refusals.size(pool, topology)
    if request.endswith(":setSize"):
        refusals.of_size(pool, size)
    if request == "PUT Cluster":
        refusals.of_limits(pool, size)


def of_cluster_update(old: Json, new: Json) -> None:
    """Refuse an update of a cluster: in a fleet, it stays there until it is taken out."""
    before, after = ((state.get("fleet") or {}).get("project") for state in (old, new))
    if before and after and before != after:
        raise RefusedError(400, f"The cluster is registered in the fleet of {before!r}.")


def of_subnetwork_update(old: Json, new: Json, user: str | None) -> None:
    """Refuse an update of a subnetwork: ranges below a cluster stay, others can be added."""
    ranges = {item["rangeName"]: item.get("ipCidrRange") for item in new.get("secondaryIpRanges", [])}
    for item in old.get("secondaryIpRanges", []) if user else ():
        if ranges.get(item["rangeName"]) != item.get("ipCidrRange"):
            raise RefusedError(400, f"The secondary range {item['rangeName']!r} is used by {user}.")
