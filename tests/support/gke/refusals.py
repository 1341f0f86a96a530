"""What GKE refuses although the provider lets it pass. The beginnings of the texts are those of published answers.

Clusters and node pools are those of requests. ``gcp_standin`` asks about what the provider would send.
"""

import re
from typing import Any

from support.gke.slices import chips, chips_per_host, size_of_slice

_NAME = re.compile(r"[a-z](?:[-a-z0-9]{0,38}[a-z0-9])?")
_TPU_MACHINE = re.compile(r"(?:ct3|ct3p|ct4p|ct5lp|ct5l|ct5p)-hightpu-\d+t|ct6e-standard-\d+t|tpu7x-standard-\d+t")
_WEEK = 7 * 24 * 3600
_CHANNELS = ("RAPID", "REGULAR", "STABLE", "EXTENDED")

Json = dict[str, Any]


class RefusedError(Exception):
    """An answer with an HTTP status of 400 or more."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def size(pool: Json, policy_topology: str | None) -> int | None:
    """Hosts of a multi-host slice, None for every other pool."""
    state = {"placementPolicy": pool.get("placementPolicy") or {}, "nodeConfig": pool["config"]}
    return size_of_slice(state, policy_topology)


def of_cluster(name: str, *, pools: Any, count: Any, autopilot: bool) -> None:
    if not _NAME.fullmatch(name):
        raise RefusedError(400, f'Invalid value for field "cluster.name": "{name}".')
    if pools is None and not count and not autopilot:
        raise RefusedError(400, "Cluster.initial_node_count must be greater than zero.")


def of_pool(pool: Json, cluster: Json, slice_size: int | None) -> None:
    if not _NAME.fullmatch(pool["name"]):
        raise RefusedError(400, f'Invalid value for field "node_pool.name": "{pool["name"]}".')
    of_management(pool, cluster)
    _of_machine(pool)
    _of_capacity(pool)
    of_limits(pool, slice_size)


def of_management(pool: Json, cluster: Json) -> None:
    channel = cluster["releaseChannel"]["channel"]
    if channel in _CHANNELS and not (pool.get("management") or {}).get("autoUpgrade"):
        raise RefusedError(400, f"Auto_upgrade and auto_repair cannot be false when release_channel {channel} is set.")


def of_limits(pool: Json, slice_size: int | None) -> None:
    """A multi-host slice has either no host or all of its hosts."""
    limits = pool.get("autoscaling") or {}
    if slice_size is None or not limits.get("enabled"):
        return
    if limits.get("totalMinNodeCount") or limits.get("totalMaxNodeCount"):
        raise RefusedError(400, "Total node counts are not supported for multi-host TPU node pools.")
    topology = (pool.get("placementPolicy") or {}).get("tpuTopology")
    for word, allowed in (("Minimum", (0, slice_size)), ("Maximum", (slice_size,))):
        count = int(limits.get(f"{word[:3].lower()}NodeCount") or 0)
        if count not in allowed:
            text = f'{word} node count {count} is not a valid size of TPU pod slice with topology "{topology}"'
            raise RefusedError(400, text)


def of_size(pool: Json, slice_size: int | None) -> None:
    if slice_size is not None or pool.get("status") == "ERROR":
        raise RefusedError(501, f"Multi-host TPU pool ({pool['name']}) manual resize is not supported.")


def of_reservation(pool: Json, hosts: int, free: dict[str, int] | None) -> None:
    affinity = pool["config"].get("reservationAffinity") or {}
    if free is None or affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        return
    name = affinity["values"][0].partition("/reservationBlocks")[0].rpartition("/")[2]
    if name not in free:
        text = f'Google Compute Engine: reservation "{name}" not found for node pool "{pool["name"]}"'
        raise RefusedError(404, text)
    if free[name] < hosts:
        raise RefusedError(
            429,
            "Reservation does not have enough resources for the request: specific reservation "
            f'"{name}" is insufficient for node pool "{pool["name"]}": required {hosts} and short of '
            f"{hosts - free[name]} VM count of machine type {pool['config']['machineType']}.",
        )


def failure(pool: Json, hosts: int, slice_size: int | None) -> str | None:
    """Why GKE makes a pool that has the status ERROR."""
    machine = pool["config"]["machineType"]
    if slice_size is None:
        return None
    if machine.startswith("tpu7x") and not (pool.get("placementPolicy") or {}).get("policyName"):
        return (
            f"Creation with {machine} machine type with placement policy is not supported. Use workload policy instead."
        )
    if hosts not in (0, slice_size):
        return f"Requested invalid target size '{hosts}' for a Managed Instance Group in the gang mode of {slice_size}."
    return None


def _of_machine(pool: Json) -> None:
    machine, topology = pool["config"]["machineType"], (pool.get("placementPolicy") or {}).get("tpuTopology")
    if machine.startswith(("ct", "tpu")) and not _TPU_MACHINE.fullmatch(machine):
        raise RefusedError(400, f'Invalid machine type "{machine}" in zone "{pool["locations"][0]}": GCE_NOT_FOUND')
    per_host = chips_per_host(machine)
    if not topology or per_host is None:
        return
    whole = chips(topology)
    if whole is None or (whole % per_host and whole > per_host):
        raise RefusedError(400, f'TPU topology "{topology}" is not valid for machine type "{machine}".')
    if whole <= per_host and topology.count("x") == 1:
        raise RefusedError(400, "TPU topology can't be specified with single-host TPU slice pool")


def _of_capacity(pool: Json) -> None:
    config, queued = pool["config"], (pool.get("queuedProvisioning") or {}).get("enabled")
    affinity = (config.get("reservationAffinity") or {}).get("consumeReservationType")
    if config.get("flexStart"):
        if affinity not in (None, "NO_RESERVATION"):
            raise RefusedError(400, "flex start node pools don't support reservations")
        if not pool.get("autoscaling"):
            raise RefusedError(400, "Flex start node pools require autoscaling enabled.")
        if int(pool.get("initialNodeCount") or 0):
            raise RefusedError(400, "Flex start node pools require initial node count to be set to 0.")
        if int((config.get("maxRunDuration") or "0s").removesuffix("s")) > _WEEK:
            raise RefusedError(400, "Max run duration must be at most 7 days.")
    if queued and affinity != "NO_RESERVATION":
        raise RefusedError(400, "Queued_provisioning requires reservation affinity to be set to none")
    if queued and not pool.get("autoscaling"):
        raise RefusedError(400, "Queued_provisioning requires autoscaling")
