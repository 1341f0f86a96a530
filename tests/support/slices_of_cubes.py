"""Cases of dynamic slicing with the outcomes that the real Kueue 0.19.2 and the real slice controller had.

They ran on nodes of two blocks, with three and two cubes. GKE itself forms slices only on GKE, so its part was faked.
The model (``support/control_plane/cubes.py``) must have the same outcomes, and ``check`` must report what does not run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.control_plane.client import Object
from support.control_plane.cubes import ANNOTATION, EXCLUSIVE, REQUIRED, SIZE, SLICE
from support.control_plane.manifests import ACCELERATOR, TOPOLOGY, pod_spec
from support.control_plane.nodes import NODE_POOL

BLOCKS = {"one": 3, "two": 2}
HOSTS = {"2x2x1": 1, "2x2x2": 2, "2x2x4": 4, "2x4x4": 8, "4x4x4": 16, "4x4x8": 32, "4x8x8": 64}
PARTS = "4x4x4 2x4x4 2x2x4 2x2x2 2x2x1"
_KUEUE, _LABEL = "kueue.x-k8s.io/v1beta2", {"kueue.x-k8s.io/queue-name": "lq"}
_NEVER_LIMITS = {"cpu": "1M", "memory": "1Pi"}


def _object(kind: str, name: str, spec: Object, version: str = _KUEUE, **metadata: Any) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **metadata}, "spec": spec}


def _queue(flavors: Object, checks: list[Object]) -> Object:
    group = {
        "coveredResources": ["google.com/tpu", *_NEVER_LIMITS],
        "flavors": [
            {
                "name": name,
                "resources": [
                    {"name": resource, "nominalQuota": amount}
                    for resource, amount in {"google.com/tpu": chips, **_NEVER_LIMITS}.items()
                ],
            }
            for name, chips in flavors.items()
        ],
    }
    spec = {"namespaceSelector": {}, "resourceGroups": [group], "admissionChecksStrategy": {"admissionChecks": checks}}
    return _object("ClusterQueue", "cq", spec)


def queues(
    *, levels: str = "4x4x4", check: bool = True, quota: int = 320, all_flavors: bool = False, static: int = 0
) -> list[Object]:
    """The objects of a queue with which slices were formed: a flavor without chips first, and one for all cubes.

    ``static`` are the chips of a last flavor, for static slices of 2x2x2.
    """
    shapes = [f"cloud.google.com/gke-tpu-partition-{shape}-id" for shape in levels.split()]
    labels = ["cloud.google.com/gce-topology-block", *shapes, "kubernetes.io/hostname"]
    checks = [{"name": "slices"} if all_flavors else {"name": "slices", "onFlavors": ["cubes"]}] if check else []
    accelerator = {ACCELERATOR: "tpu7x"}
    fixed = {**accelerator, TOPOLOGY: "2x2x2"}
    return [
        _object("Topology", "cubes", {"levels": [{"nodeLabel": one} for one in labels]}),
        _object("ResourceFlavor", "cpu", {}),
        _object("ResourceFlavor", "cubes", {"topologyName": "cubes", "nodeLabels": accelerator}),
        *([_object("ResourceFlavor", "static", {"nodeLabels": fixed})] if static else []),
        _object("AdmissionCheck", "slices", {"controllerName": "accelerator.gke.io/slice"}),
        _queue({"cpu": 0, "cubes": quota, **({"static": static} if static else {})}, checks),
        _object("LocalQueue", "lq", {"clusterQueue": "cq"}),
    ]


def template(topology: str, chips: int = 4, asked: Object | None = None, **selector: str) -> Object:
    pod = pod_spec(chips, {ACCELERATOR: "tpu7x", **selector} if chips else None)
    annotations = {ANNOTATION: topology} if topology else {}
    return {"metadata": {"annotations": annotations | (asked or {})}, "spec": pod}


def _of_set(name: str, replicas: int, pods: int, pod: Object) -> Object:
    policy = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    counts = {"parallelism": pods, "completions": pods, "backoffLimit": 0, "podFailurePolicy": policy}
    return {"name": name, "replicas": replicas, "template": {"spec": {**counts, "template": pod}}}


def job_set(
    name: str, topology: str, slices: int = 1, pods: int = 0, *, queued: bool = True, head: bool = False, **more: Any
) -> Object:
    pod = template(topology, more.pop("chips", 4), more.pop("asked", None), **more.pop("selector", {}))
    jobs = [_of_set("slice", slices, pods or HOSTS[topology], pod)]
    if head:
        jobs.insert(0, _of_set("head", 1, 1, template("", 0)))
    spec = {"failurePolicy": {"maxRestarts": 3}, "replicatedJobs": jobs}
    labels = _LABEL if queued else {}
    return _object("JobSet", name, spec, "jobset.x-k8s.io/v1alpha2", labels=labels, annotations=more)


def job(name: str, topology: str) -> Object:
    pod, policy = (
        template(topology),
        {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
    )
    pod["spec"]["subdomain"] = name
    counts = {"parallelism": HOSTS[topology], "completions": HOSTS[topology], "backoffLimit": 0}
    spec = {**counts, "completionMode": "Indexed", "podFailurePolicy": policy, "template": pod}
    return _object("Job", name, spec, "batch/v1", labels=_LABEL)


def groups(name: str, topology: str, replicas: int = 1) -> Object:
    pod = template(topology)
    del pod["spec"]["restartPolicy"]
    worker = {"size": HOSTS[topology], "restartPolicy": "RecreateGroupOnPodRestart", "workerTemplate": pod}
    spec = {"replicas": replicas, "leaderWorkerTemplate": worker}
    return _object("LeaderWorkerSet", name, spec, "leaderworkerset.x-k8s.io/v1", labels=_LABEL)


def by_hand(topology: str, *partitions: str, name: str = "by-hand") -> Object:
    """A Slice that a person writes."""
    spec = {"type": "tpu7x", "topology": topology, "partitionIds": list(partitions)}
    return _object("Slice", name, spec, "accelerator.gke.io/v1beta1")


def plan_of_cubes(workloads: Mapping[str, Any] | None = None, blocks: Mapping[str, int] | None = None) -> Object:
    """A plan with a group of cubes in each block, and these workloads in a queue of all cubes."""
    slices = {
        name: {
            "tpu": "tpu7x",
            "slicing": "dynamic",
            "count": cubes,
            "zone": "us-central1-c",
            "capacity": {"reservation": {"name": "ironwood", "block": f"block-{name}"}},
            "node_labels": {"block": name},
        }
        for name, cubes in (blocks or BLOCKS).items()
    }
    named = {key: {"image": "train:8", **item} for key, item in (workloads or {}).items()}
    cluster = {
        "mode": "standard",
        "location": "us-central1",
        "network": {"create": {"mtu": 8896}},
        "cpu_pools": {"controllers": {"machine_type": "n2-standard-16", "nodes": 1, "zones": ["us-central1-c"]}},
        "slices": slices,
        "kubernetes": {"queues": {"lq": {}}, "workloads": named},
    }
    return {"version": 1, "project": "acme-ml", "clusters": {"train": cluster}}


@dataclass(frozen=True)
class Case:
    """What was tried, and what became of each workload: its state, and a text that its reason contains."""

    queues: list[Object]
    workloads: list[Object]
    outcomes: list[tuple[str, str]]
    rules: frozenset[str] = frozenset()
    """What ``check`` reports of it against the plan of the cubes."""


def _case(queue: list[Object], workloads: list[Object], outcomes: list[tuple[str, str]], *rules: str) -> Case:
    return Case(queue, workloads, outcomes, frozenset(rules))


RUN = ("runs", "")
_THREE_OF_FOUR = "allows to fit only 3 out of 4 slice(s)"
_TAS = "supports only TopologyAwareScheduling"
_FORMER = {REQUIRED: "cloud.google.com/gke-tpu-partition-4x4x4-id", SIZE: "16"}
CASES = {
    "two JobSets": _case(queues(), [job_set("a", "4x4x4", 2), job_set("b", "4x4x8")], [RUN, RUN]),
    "four cubes over blocks": _case(queues(), [job_set("a", "4x8x8")], [("waits", _THREE_OF_FOUR)], "TPU382"),
    "four slices over blocks": _case(queues(), [job_set("a", "4x4x4", 4)], [("waits", _THREE_OF_FOUR)], "TPU382"),
    "the same as two JobSets": _case(queues(), [job_set("a", "4x4x4", 2), job_set("b", "4x4x4", 2)], [RUN, RUN]),
    "parts of a cube": _case(
        queues(levels=PARTS), [job_set("a", "2x2x2", 3), job_set("b", "2x2x4"), job_set("c", "2x2x1")], [RUN, RUN, RUN]
    ),
    "parts without their level": _case(
        queues(), [job_set("a", "2x2x2")], [("waits", "does not contain the requested level")], "TPU827"
    ),
    "too few Pods for two cubes": _case(
        queues(),
        [job_set("a", "4x4x8", pods=16)],
        [("refused", "results in 32 TPUs requested, but must be exactly 64 TPUs")],
        "TPU760",
    ),
    "too few Pods for a cube": _case(
        queues(), [job_set("a", "4x4x4", pods=12)], [("refused", "48 TPUs requested")], "TPU760"
    ),
    "no multiple of 4": _case(queues(), [job_set("a", "4x4x6", pods=24)], [("refused", "divisible by 4")], "TPU340"),
    "decreasing": _case(queues(), [job_set("a", "8x4x4", pods=32)], [("refused", "non-decreasing order")], "TPU340"),
    "no part of a cube": _case(queues(), [job_set("a", "2x4x2", pods=4)], [("refused", "divisible by 4")], "TPU340"),
    "two dimensions": _case(queues(), [job_set("a", "4x4", pods=4)], [("waits", _TAS)], "TPU340"),
    "LeaderWorkerSet on one cube": _case(queues(), [groups("a", "4x4x4")], [RUN]),
    "LeaderWorkerSet on parts": _case(queues(levels=PARTS), [groups("a", "2x2x2", 2)], [RUN, RUN]),
    "LeaderWorkerSet on two cubes": _case(
        queues(), [groups("a", "4x4x8")], [("waits", "allows to fit only 16 out of 32 pod(s)")], "TPU828"
    ),
    "Jobs": _case(queues(), [job("a", "4x4x4"), job("b", "4x4x8")], [RUN, RUN]),
    "topology selected": _case(
        queues(), [job_set("a", "4x4x4", selector={TOPOLOGY: "4x4x4"})], [("waits", "0 out of 1")], "TPU823"
    ),
    "slice selected": _case(
        queues(), [job_set("a", "4x4x4", selector={SLICE: "a"})], [("waits", "0 out of 1")], "TPU823"
    ),
    "node pool of one cube": _case(queues(), [job_set("a", "4x4x4", selector={NODE_POOL: "one-1"})], [RUN]),
    "exclusive by slice": _case(queues(), [job_set("a", "4x4x8", **{EXCLUSIVE: SLICE})], [RUN]),
    "exclusive by node pool": _case(
        queues(), [job_set("a", "4x4x8", **{EXCLUSIVE: NODE_POOL})], [("runs in part", "")], "TPU824"
    ),
    "exclusive by node pool, one cube": _case(queues(), [job_set("a", "4x4x4", **{EXCLUSIVE: NODE_POOL})], [RUN]),
    "quota of one cube": _case(
        queues(quota=64), [job_set("a", "4x4x4"), job_set("b", "4x4x4")], [RUN, ("waits", "quota")]
    ),
    "no check": _case(queues(check=False), [job_set("a", "4x4x4")], [("runs without slice", "")], "TPU825"),
    "no queue": _case(queues(), [job_set("a", "4x4x8", queued=False)], [("runs without slice", "")], "TPU826"),
    "no annotation": _case(queues(), [job_set("a", "", pods=16)], [("waits", _TAS)], "TPU829"),
    "check on all flavors": _case(queues(all_flavors=True), [job_set("a", "4x4x8")], [RUN]),
    "a head without chips": _case(queues(all_flavors=True), [job_set("a", "4x4x4", head=True)], [RUN, RUN]),
    "topology of a waiting JobSet is changed": _case(
        queues(), [job_set("a", "4x4x8", pods=64, asked=_FORMER)], [("waits", _THREE_OF_FOUR)], "TPU382", "TPU760"
    ),
    "two Pods on each host": _case(queues(), [job_set("a", "4x4x4", pods=32, chips=2)], [RUN], "TPU726", "TPU790"),
    "a static slice after the cubes": _case(
        queues(static=16),
        [job_set("a", "4x4x4"), job_set("b", "", pods=2, selector={TOPOLOGY: "2x2x2"})],
        [RUN, ("runs without slice", "")],
        "TPU790",
    ),
    "a long name": _case(queues(), [job_set("a-long-name-of-a-workload-of-40-letters-a", "4x4x4")], [RUN]),
}
"""A workload that waits for quota is right: another one ends. The last but one is admitted; no static node exists."""
