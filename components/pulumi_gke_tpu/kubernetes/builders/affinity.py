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
    facts, pool = catalog.kubernetes.workloads.slice_affinity, _pool(catalog)
    own: dict[str, Any] = {"matchExpressions": [{"key": facts.marks[operator], "operator": "Exists"}]}
    if not leader:
        own["matchExpressions"].append({"key": facts.leader, "operator": "NotIn", "values": [_LEADER]})
    keys = [facts.keys[operator]]
    same = {"labelSelector": own, "matchLabelKeys": keys, **pool}
    different = {"labelSelector": own, "mismatchLabelKeys": keys, "namespaceSelector": {}, **pool}
    return {
        "podAffinity": {_REQUIRED: [same]},
        "podAntiAffinity": {_REQUIRED: [different, *_others(operator, catalog)]},
    }


def apart(operator: Operator, catalog: Catalog) -> dict[str, Any]:
    """The anti-affinity to the slices of the other operators, where the operator itself holds its slices together.

    Exclusive topology keeps away only slices of the same operator: without this, two workloads can each take a part of
    a node pool, and wait for the rest.
    """
    return {"podAntiAffinity": {_REQUIRED: _others(operator, catalog)}}


def _others(operator: Operator, catalog: Catalog) -> list[dict[str, Any]]:
    """The terms against the slices of the other operators, in every namespace."""
    keys = catalog.kubernetes.workloads.slice_affinity.keys
    return [
        {
            "labelSelector": {"matchExpressions": [{"key": key, "operator": "Exists"}]},
            "namespaceSelector": {},
            **_pool(catalog),
        }
        for other, key in keys.items()
        if other != operator
    ]


def _pool(catalog: Catalog) -> dict[str, str]:
    return {"topologyKey": catalog.kubernetes.workloads.nodes.pool}
