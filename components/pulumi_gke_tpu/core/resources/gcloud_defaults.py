"""What gcloud gives a node pool whose command does not state it."""

import math
import re
from typing import Any

from pulumi_gke_tpu.core.catalog.records.gcloud import Gcloud
from pulumi_gke_tpu.core.resources.gcloud_spelling import GcloudMade
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_CHIPS = lazy_pattern(r"-(?P<chips>\d{1,3})t\Z", re.ASCII)


def set_defaults(made: GcloudMade, facts: Gcloud) -> None:
    """Give a node pool the number of nodes and the autoscaling that it has where a command does not state them."""
    data = made.data
    scaling = data.get("autoscaling")
    if isinstance(scaling, dict):
        enabled = scaling.pop("enabled", None)
        if enabled is UNKNOWN:
            data["autoscaling"] = UNKNOWN
        elif enabled is not True and not made.changed_only:
            del data["autoscaling"]
    if not made.changed_only and "nodeCount" not in data:
        data["nodeCount"] = UNKNOWN if made.partial else _usual_nodes(data, facts)
    if isinstance(data.get("autoscaling"), dict) and "nodeCount" in data:
        data["initialNodeCount"] = data.pop("nodeCount")
        if "nodeCount" in made.placed:
            made.placed["initialNodeCount"] = made.placed["nodeCount"]
    affinity = _part(data, "nodeConfig", "reservationAffinity")
    if isinstance(affinity, dict) and affinity.get("consumeReservationType") == "SPECIFIC_RESERVATION":
        affinity.setdefault("key", facts.reservation_key)


def _usual_nodes(data: dict[str, Any], facts: Gcloud) -> Any:
    topology, machine = _part(data, "placementPolicy", "tpuTopology"), _part(data, "nodeConfig", "machineType")
    policy = _part(data, "placementPolicy", "policyName")
    if topology is None and policy is None:
        return facts.default_nodes
    match = _CHIPS.search(machine) if isinstance(machine, str) else None
    sides = topology.split("x") if isinstance(topology, str) else []
    if match is None or not sides or not all(re.fullmatch(r"\d{1,4}", side, re.ASCII) for side in sides):
        return UNKNOWN
    return math.prod(map(int, sides)) // int(match["chips"]) if int(match["chips"]) else UNKNOWN


def _part(data: dict[str, Any], *steps: str) -> Any:
    return value_at(data, steps)
