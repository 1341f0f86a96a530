"""What GKE adds to clusters and node pools although no request set it, by the facts of the catalog.

Both stand-ins of Google's APIs add it: that for Terraform to its answers, that of the provider to what it stores.
"""

from collections.abc import Collection, Iterator
from typing import Any

from support.gke.slices import chips_per_host

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import GkeAddition
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL

ADDED: tuple[str, ...] = ("tpu", "queued", "no_ip_endpoint", "every")
"""To what GKE adds something without knowing who created it. ``console`` stands for pools of the console."""

Json = dict[str, Any]


def additions_to_pool(config: Json, *, queued: bool, added: Collection[str]) -> Iterator[GkeAddition]:
    """What GKE adds to a node pool of these nodes."""
    machine = config.get("machineType", "")
    true = {"tpu": chips_per_host(machine) is not None, "queued": queued, "console": True, "every": True}
    for addition in read_catalog().gke_adds[NODE_POOL]:
        of_the_family = not addition.families or machine.partition("-")[0] in addition.families
        if (
            addition.added_to in added
            and true.get(addition.added_to)
            and of_the_family
            and addition.confidence != "low"
        ):
            yield addition


def additions_to_cluster(state: Json, added: Collection[str]) -> Iterator[GkeAddition]:
    """What GKE adds to a cluster whose endpoints are these."""
    endpoints = state["controlPlaneEndpointsConfig"].get("ipEndpointsConfig") or {}
    true = {"no_ip_endpoint": endpoints.get("enabled") is False}
    for addition in read_catalog().gke_adds[CLUSTER]:
        if addition.added_to in added and true.get(addition.added_to) and addition.confidence != "low":
            yield addition


def labels(config: Json, *, multi_host: bool, added: Collection[str]) -> dict[str, str]:
    """The resource labels that GKE gives the machines of a node pool."""
    model = "spot" if config.get("spot") else "flex-start" if config.get("flexStart") else "on-demand"
    found = {"goog-gke-node-pool-provisioning-model": model}
    if "tpu" not in added:
        return found
    name = config.get("machineType", "").partition("-")[0]
    for generation in map(read_catalog().generation, read_catalog().generation_names):
        if name in generation.families:
            found["goog-gke-accelerator-type"] = generation.families[name].accelerator_label
    if (config.get("reservationAffinity") or {}).get("consumeReservationType") == "SPECIFIC_RESERVATION":
        found["goog-gke-node-pool-protection-tier"] = "standard"
    return found | ({"goog-gke-tpu-node-pool-type": "multi-host"} if multi_host else {})
