"""Plans of Terraform made by hand, in the form that ``terraform show -json`` writes, and what ``diff`` says of them."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.features.diff.comparison.comparison import Comparison
from pulumi_gke_tpu.features.diff.comparison.terraform import compare_terraform

POOL, CLUSTER = "google_container_node_pool", "google_container_cluster"


def slice_values(name: str = "slice", **other: Any) -> dict[str, Any]:
    """The attributes of a node pool that is one v6e slice of four hosts."""
    return {
        "name": name,
        "cluster": "training",
        "location": "us-east5",
        "project": "my-project",
        "node_count": 4,
        "node_locations": ["us-east5-b"],
        "node_config": [{"machine_type": "ct6e-standard-4t", "labels": {"team": "research"}}],
        "placement_policy": [{"type": "COMPACT", "tpu_topology": "4x4", "policy_name": ""}],
        **other,
    }


def cluster_values(name: str = "training", **other: Any) -> dict[str, Any]:
    """The attributes of a cluster."""
    return {"name": name, "location": "us-east5", "project": "my-project", "deletion_protection": False, **other}


def changed(values: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a dotted path; a block is the first element of its list."""
    found: dict[str, Any] = copy.deepcopy(dict(values))
    inside: Any = found
    *above, last = path.split(".")
    for step in above:
        inside = inside[step]
        inside = inside[0] if isinstance(inside, list) else inside
    inside[last] = value
    return found


RESERVED = changed(
    slice_values(),
    "node_config.reservation_affinity",
    [
        {
            "consume_reservation_type": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": ["v6e"],
        }
    ],
)
"""The slice in a reservation."""


def change(
    address: str,
    actions: Sequence[str],
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    *,
    more: Mapping[str, Any] | None = None,
    **of_change: Any,
) -> dict[str, Any]:
    """One entry of ``resource_changes``; ``more`` are its other members, ``of_change`` those of its ``change``."""
    kind = next(part for part in address.partition("[")[0].split(".") if part.startswith("google_"))
    return {
        "address": address,
        "mode": "managed",
        "type": kind,
        "name": address.rpartition(".")[2],
        "change": {
            "actions": list(actions),
            "before": before,
            "after": after,
            "after_unknown": {},
            "before_sensitive": False,
            "after_sensitive": False,
            **of_change,
        },
        **(more or {}),
    }


def plan(*changes: Mapping[str, Any]) -> str:
    """The document with these changes."""
    return json.dumps({"format_version": "1.2", "terraform_version": "1.12.6", "resource_changes": list(changes)})


def compared(*changes: Mapping[str, Any]) -> Comparison:
    """What ``gke-tpu diff --terraform`` says of a plan with these changes."""
    return compared_text(plan(*changes))


def compared_text(text: str) -> Comparison:
    """The same of a whole document."""
    catalog = read_catalog()
    resources = ResourceReader(catalog).read("plan.json", text.encode())
    assert resources is not None
    return compare_terraform({"plan.json": resources}, catalog, None)
