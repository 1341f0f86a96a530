"""Recorded outcomes: what real controllers and the real scheduler made of rendered objects.

``tests/kubernetes/data/outcomes.json`` has for each case

- ``flavors``, ``queues``, ``local_queues``: the objects of Kueue, in short; the order of flavors in ``quota`` counts,
- ``objects``: the workloads, with what decides about places; ``templates`` has their Pod templates,
- ``pools``: node pool -> its kind of node (in ``nodes``) and its hosts,
- ``workloads``: what Kueue decided: pod set -> its Pods and its flavor, which is null if the workload waits,
- ``slices``: name, Pods, Pods that were bound, the node pools that have them, and what held the slice together there,
- ``other_pods``: Pods without chips: what they belong to, their node pool (null if they wait), and their number.

Names that controllers make up are left out, so several slices can have one name. The parts that the recording had and
did not have are in its ``versions``; nothing there is GKE's own: no webhook, no autoscaler, no kubelet.
"""

import functools
import json
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.control_plane.client import Object
from support.kubernetes_model.matching import NODE_POOL, NodePool

_FILE = pathlib.Path(__file__).parents[2] / "kubernetes" / "data" / "outcomes.json"
_VERSIONS = {
    "ResourceFlavor": "kueue.x-k8s.io/v1beta2",
    "ClusterQueue": "kueue.x-k8s.io/v1beta2",
    "LocalQueue": "kueue.x-k8s.io/v1beta2",
    "Deployment": "apps/v1",
    "Job": "batch/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "RayCluster": "ray.io/v1",
    "RayJob": "ray.io/v1",
    "RayService": "ray.io/v1",
}


@dataclass(frozen=True)
class RecordedWorkload:
    """A Workload of Kueue: pod set -> flavor; None if it waits."""

    owner: str
    flavors: Mapping[str, str] | None


@dataclass(frozen=True)
class RecordedSlice:
    """A slice and where its Pods were."""

    name: str
    pods: int
    bound: int
    pools: tuple[str, ...]
    held_by: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One recorded cluster."""

    objects: tuple[Object, ...]
    pools: tuple[NodePool, ...]
    workloads: tuple[RecordedWorkload, ...]
    slices: tuple[RecordedSlice, ...]
    other_pods: tuple[tuple[str, str | None, int], ...]


@functools.cache
def recorded() -> Mapping[str, Case]:
    """All cases by name."""
    content = json.loads(_FILE.read_text(encoding="utf-8"))
    return {name: _case(case, content["templates"], content["nodes"]) for name, case in content["cases"].items()}


def _case(case: Object, templates: Object, nodes: Object) -> Case:
    objects = [_complete(item, templates) for item in case["objects"]]
    pools = [
        NodePool(
            name,
            hosts,
            {**nodes[node]["labels"], NODE_POOL: name},
            tuple(nodes[node]["taints"]),
            nodes[node]["allocatable"],
        )
        for name, (node, hosts) in case["pools"].items()
    ]
    workloads = [
        RecordedWorkload(item["owner"], {name: flavor for name, (_, flavor) in sets.items() if flavor} or None)
        for item in case["workloads"]
        for sets in [item["pod_sets"]]
    ]
    slices = [RecordedSlice(name, pods, bound, tuple(at), tuple(by)) for name, pods, bound, at, by in case["slices"]]
    others = tuple((name, pool, count) for name, pool, count in case["other_pods"])
    return Case((*_kueue(case), *objects), tuple(pools), tuple(workloads), tuple(slices), others)


def _kueue(case: Object) -> Iterator[Object]:
    """The objects of Kueue in their own form."""
    for name, spec in case.get("flavors", {}).items():
        yield _object("ResourceFlavor", {"name": name}, spec)
    for name, spec in case.get("queues", {}).items():
        flavors = [
            {"name": flavor, "resources": list(_resources(flavor, amounts, spec))}
            for flavor, amounts in spec["quota"].items()
        ]
        cohort = {"cohortName": spec["cohort"]} if "cohort" in spec else {}
        groups = [{"coveredResources": spec["covers"], "flavors": flavors}]
        yield _object("ClusterQueue", {"name": name}, {**cohort, "namespaceSelector": {}, "resourceGroups": groups})
    for place, queue in case.get("local_queues", {}).items():
        namespace, name = place.split("/")
        yield _object("LocalQueue", {"name": name, "namespace": namespace}, {"clusterQueue": queue})


def _object(kind: str, metadata: Object, spec: Object) -> Object:
    return {"apiVersion": _VERSIONS[kind], "kind": kind, "metadata": metadata, "spec": spec}


def _resources(flavor: str, amounts: list[Any], spec: Object) -> Iterator[Object]:
    for index, (resource, amount) in enumerate(zip(spec["covers"], amounts, strict=True)):
        borrow = {"borrowingLimit": spec["borrow"][flavor]} if index == 0 and flavor in spec.get("borrow", {}) else {}
        yield {"name": resource, "nominalQuota": amount, **borrow}


def _complete(item: Any, templates: Object) -> Any:
    """An object with its version and its templates."""
    if isinstance(item, list):
        return [_complete(one, templates) for one in item]
    if not isinstance(item, dict):
        return item
    version = {"apiVersion": _VERSIONS[item["kind"]]} if item.get("kind") in _VERSIONS else {}
    return version | {
        key: templates[value]
        if key.lower().endswith("template") and isinstance(value, str)
        else _complete(value, templates)
        for key, value in item.items()
    }
