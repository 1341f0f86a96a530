"""The kinds of workloads, and the nodes of a cluster as the model sees them."""

from typing import Any, get_args

from support.control_plane.nodes import Pool, pools_of
from support.kubernetes_model.matching import NodePool

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.plan.kubernetes import Kind

KINDS: dict[str, dict[str, Any]] = {kind: {"kind": kind} for kind in get_args(Kind)} | {
    "rayservice": {"kind": "rayservice", "serve_config": "applications: []"},
    "leaderworkerset with a head": {"kind": "leaderworkerset", "port": 8000, "head": {"cpu": 2}},
}
ONE_HOST_KINDS = ("deployment",)
"""The kinds that run only on slices of one host."""

_CLASS = "cloud.google.com/compute-class"
_CAPACITY = {
    "cloud.google.com/gke-spot",
    "cloud.google.com/gke-flex-start",
    "cloud.google.com/reservation-name",
}


def kinds_of(group: dict[str, Any]) -> tuple[str, ...]:
    return tuple(kind for kind in KINDS if group["topology"] == "2x2" or kind not in ONE_HOST_KINDS)


def node_pools(cluster: Cluster) -> list[NodePool]:
    """The nodes of a cluster, from the catalog and not from the code that renders workloads."""

    def node_pool(pool: Pool) -> NodePool:
        node = pool.node(0)
        labels = {key: value for key, value in node["metadata"]["labels"].items() if key != "kubernetes.io/hostname"}
        special = {_CLASS} if _CLASS in labels else _CAPACITY & labels.keys() if cluster.mode == "autopilot" else ()
        return NodePool(
            pool.name, pool.nodes, labels, tuple(pool.taints), node["status"]["allocatable"], frozenset(special)
        )

    return [node_pool(pool) for pool in pools_of(cluster)]


def group_of_pool(name: str) -> str:
    """The group of a node pool by its name."""
    return name.removeprefix("nap-").partition("-")[0]
