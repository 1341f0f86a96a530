"""What holds the Pods of a slice in one node pool, and other slices away: affinity and anti-affinity between Pods.

Each operator labels the Pods of a slice with a key of its own. The scheduler compares the values of a Pod with those of
the others (``matchLabelKeys``), so the terms name no value and are the same in every Pod template.
"""

from typing import Any, Literal

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet.workloads import Workload
from pulumi_gke_tpu.kubernetes.builders.pods import extended_run

Operator = Literal["jobset", "leaderworkerset", "ray"]
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_LEADER = "0"


def together(workload: Workload, operator: Operator, catalog: Catalog, *, leader: bool = True) -> dict[str, Any]:
    """The affinity of the Pods of a slice to each other, and the anti-affinity to every other slice.

    Empty for slices of one host, and for Pods that Autopilot must not evict: GKE does not combine these two.
    ``leader``: whether the leader of a LeaderWorkerSet is on a host of the slice.
    """
    if not workload.group.shape.multi_host or extended_run(workload, catalog):
        return {}
    keys = [catalog.kubernetes.workloads.slice_affinity.keys[operator]]
    own = _pods_of(operator, catalog, leader=leader)
    return {
        "podAffinity": {_REQUIRED: [{"labelSelector": own, "matchLabelKeys": keys, **_pool(catalog)}]},
        **apart(operator, catalog, leader=leader),
    }


def apart(operator: Operator, catalog: Catalog, *, leader: bool = True) -> dict[str, Any]:
    """The anti-affinity to every other slice, also where the operator itself holds its slices together.

    Exclusive topology keeps away only slices of the same operator, those of a LeaderWorkerSet only in their own
    namespace: without this, two workloads can each take a part of a node pool, and wait for the rest.
    """
    keys = [catalog.kubernetes.workloads.slice_affinity.keys[operator]]
    own = {"labelSelector": _pods_of(operator, catalog, leader=leader), "mismatchLabelKeys": keys}
    return {"podAntiAffinity": {_REQUIRED: [{**own, **_everywhere(catalog)}, *_others(operator, catalog)]}}


def _pods_of(operator: Operator, catalog: Catalog, *, leader: bool) -> dict[str, Any]:
    """The selector of all Pods on slices of an operator."""
    facts = catalog.kubernetes.workloads.slice_affinity
    expressions: list[dict[str, Any]] = [{"key": facts.marks[operator], "operator": "Exists"}]
    if not leader:
        expressions.append({"key": facts.leader, "operator": "NotIn", "values": [_LEADER]})
    return {"matchExpressions": expressions}


def _others(operator: Operator, catalog: Catalog) -> list[dict[str, Any]]:
    """The terms against the slices of the other operators, in every namespace."""
    keys = catalog.kubernetes.workloads.slice_affinity.keys
    return [
        {
            "labelSelector": {"matchExpressions": [{"key": key, "operator": "Exists"}]},
            **_everywhere(catalog),
        }
        for other, key in keys.items()
        if other != operator
    ]


def _everywhere(catalog: Catalog) -> dict[str, Any]:
    return {"namespaceSelector": {}, **_pool(catalog)}


def _pool(catalog: Catalog) -> dict[str, str]:
    return {"topologyKey": catalog.kubernetes.workloads.nodes.pool}
