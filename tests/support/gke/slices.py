"""How many hosts a node pool has: slices by topology and machine type, other pools by their counts."""

import math
import re
from typing import Any


def chips_per_host(machine_type: str) -> int | None:
    """Chips of a TPU machine type, None for other machines."""
    match = re.fullmatch(r"(?:ct\w+-\w+|tpu7x-standard)-(\d+)t", machine_type)
    return int(match.group(1)) if match else None


def chips(topology: str) -> int | None:
    """Chips of a topology, None where it is none."""
    if not re.fullmatch(r"\d+(x\d+){1,2}", topology):
        return None
    return math.prod(int(side) for side in topology.split("x"))


def size_of_slice(state: dict[str, Any], policy_topology: str | None = None) -> int | None:
    """Hosts of the multi-host slice that a pool is, None for every other pool."""
    topology = state.get("placementPolicy", {}).get("tpuTopology") or policy_topology
    per_host = chips_per_host(state["nodeConfig"]["machineType"])
    all_chips = chips(topology) if topology else None
    if per_host is None or all_chips is None or all_chips <= per_host:
        return None
    return all_chips // per_host


def hosts_wanted(state: dict[str, Any]) -> int:
    """Hosts that a pool is asked to have at once: fixed or initial count, in every zone."""
    zones = len(state.get("nodeLocations", [])) or 1
    count = state.get("nodeCount")
    if count is None:
        count = state.get("initialNodeCount", 0)
    return int(count) * zones
