"""What the GKE API refuses although the provider lets it pass; texts as short as the real ones are long."""

import re
from typing import Any

from support.gcp_standin.knowledge import CLUSTER, POOL, Kind
from support.gcp_standin.record import Record
from support.gke.slices import chips, chips_per_host, hosts_wanted, size_of_slice

_MACHINE = re.compile(
    r"(?:ct3|ct3p|ct4p|ct5lp|ct5l|ct5p|ct6e|tpu7x)-\w+-\d+t|[acemnz]\d+[a-z]*-(?:standard|highmem|highcpu|medium|small|micro)(?:-\d+)?"
)
_WEEK = 7 * 24 * 3600


def creation(kind: Kind, state: dict[str, Any], cluster: "Record | None", policies: set[str]) -> str | None:
    """Why a creation is refused."""
    if kind.token == CLUSTER:
        return _cluster(state)
    if kind.token == POOL:
        return _pool(state, cluster, policies)
    return None


def error_pool(state: dict[str, Any], policy_topology: str | None) -> str | None:
    """The reason that a pool ends in the status ERROR, which only GKE knows."""
    size = size_of_slice(state, policy_topology)
    if size is None:
        return None
    if state["nodeConfig"]["machineType"].startswith("tpu7x") and not state["placementPolicy"].get("policyName"):
        return "a multi-host tpu7x pool needs a workload policy"
    if hosts_wanted(state) not in (0, size):
        return f"the slice needs {size} nodes"
    return None


def pool_update(request: str, state: dict[str, Any], status: str) -> str | None:
    """Why an update of a pool is refused."""
    size = size_of_slice(state)
    if request.endswith(":setSize") and (size is not None or status == "ERROR"):
        return "googleapi: Error 501: manual resize is not supported for multi-host TPU node pools, notImplemented"
    if request == "PUT Cluster":
        return _slice_limits(state)
    return None


def cluster_update(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Why an update of a cluster is refused: in a fleet, it stays there until it is taken out."""
    before, after = ((state.get("fleet") or {}).get("project") for state in (old, new))
    if before and after and before != after:
        return f"googleapi: Error 400: The cluster is registered in the fleet of {before!r}., failedPrecondition"
    return None


def subnetwork_update(old: dict[str, Any], new: dict[str, Any], user: str | None) -> str | None:
    """Why an update of a subnetwork is refused: ranges below a cluster stay, others can be added."""
    ranges = {item["rangeName"]: item.get("ipCidrRange") for item in new.get("secondaryIpRanges", [])}
    for item in old.get("secondaryIpRanges", []) if user else ():
        if ranges.get(item["rangeName"]) != item.get("ipCidrRange"):
            return f"googleapi: Error 400: The secondary range {item['rangeName']!r} is used by {user}., badRequest"
    return None


def _cluster(state: dict[str, Any]) -> str | None:
    if not state.get("enableAutopilot") and not state.get("initialNodeCount") and not state.get("nodePools"):
        return "googleapi: Error 400: Cluster.initial_node_count must be greater than zero., badRequest"
    return None


def _pool(state: dict[str, Any], cluster: "Record | None", policies: set[str]) -> str | None:
    checks = (_surroundings(state, cluster), _name(state["name"]), _placement(state, policies), _slice_limits(state))
    return next((reason for reason in (*checks, _capacity(state)) if reason), None)


def _surroundings(state: dict[str, Any], cluster: "Record | None") -> str | None:
    if cluster is None:
        return f"googleapi: Error 404: Not found: {state['cluster']}., notFound"
    if cluster.state.get("enableAutopilot"):
        return "googleapi: Error 400: Autopilot clusters do not support mutating node pools., failedPrecondition"
    channel = cluster.state.get("releaseChannel", {}).get("channel", "UNSPECIFIED")
    if channel != "UNSPECIFIED" and not state["management"]["autoUpgrade"]:
        return f"googleapi: Error 400: Auto_upgrade must be true when the release channel is {channel}., badRequest"
    return None


def _name(name: str) -> str | None:
    if len(name) > 40:
        return f"googleapi: Error 400: Invalid node pool name {name!r}: at most 40 characters., badRequest"
    if not re.fullmatch(r"[a-z](?:[a-z0-9-]*[a-z0-9])?", name):
        return f"googleapi: Error 400: Invalid node pool name {name!r}: lower-case letters, digits, dashes., badRequest"
    return None


def _placement(state: dict[str, Any], policies: set[str]) -> str | None:
    machine, placement = state["nodeConfig"]["machineType"], state.get("placementPolicy", {})
    if not _MACHINE.fullmatch(machine):
        return f"googleapi: Error 400: Machine type with name {machine!r} does not exist., badRequest"
    topology, policy = placement.get("tpuTopology"), placement.get("policyName")
    if topology and chips(topology) is None:
        return f"googleapi: Error 400: Invalid TPU topology {topology!r}., badRequest"
    if topology and chips(topology) <= (chips_per_host(machine) or 0):
        return f"googleapi: Error 400: Topology {topology!r} is not allowed for single-host pools., badRequest"
    if policy and policy not in policies:
        return f"googleapi: Error 400: Resource policy {policy!r} does not exist., badRequest"
    return None


def _slice_limits(state: dict[str, Any]) -> str | None:
    """A multi-host slice scales between nothing and all of its hosts, by limits per zone."""
    size, limits = size_of_slice(state), state.get("autoscaling")
    if size is None or not limits:
        return None
    if limits.get("totalMaxNodeCount") or limits.get("totalMinNodeCount"):
        return "googleapi: Error 400: Total node counts are not supported for multi-host TPU node pools., badRequest"
    largest = limits.get("maxNodeCount", 0)
    if largest != size:
        topology = state["placementPolicy"].get("tpuTopology")
        return (
            f"googleapi: Error 400: Maximum node count {largest} is not a valid size for topology {topology!r}."
            ", badRequest"
        )
    return None


def _capacity(state: dict[str, Any]) -> str | None:
    config = state["nodeConfig"]
    reservation = config.get("reservationAffinity", {}).get("consumeReservationType")
    if config.get("flexStart"):
        if reservation == "SPECIFIC_RESERVATION":
            return "googleapi: Error 400: Flex start cannot be used with a reservation., badRequest"
        if _seconds(config.get("maxRunDuration")) > _WEEK:
            return "googleapi: Error 400: Max run duration must be at most 7 days., badRequest"
    if state.get("queuedProvisioning", {}).get("enabled"):
        if reservation != "NO_RESERVATION":
            return "googleapi: Error 400: Queued provisioning needs reservation affinity NO_RESERVATION., badRequest"
        if not state.get("autoscaling"):
            return "googleapi: Error 400: Queued provisioning needs autoscaling., badRequest"
    return None


def _seconds(duration: Any) -> int:
    match = re.fullmatch(r"(\d+)s", str(duration or ""))
    return int(match.group(1)) if match else 0
