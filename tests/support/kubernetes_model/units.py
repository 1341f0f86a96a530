"""The slices of a workload as Kubernetes sees them: equal Pods that belong together, and the pod sets of Kueue.

``support.control_plane.expansion`` says what the controllers make of a workload; its docstring lists what is simpler.
Besides:

- The Pods of one slice differ only by their role in a LeaderWorkerSet: leader or worker.
- A worker group of Ray with one host for each replica is one unit, and so is a Job: their Pods are slices of one host.
- Kueue has one Workload for each object, but one for each group of a LeaderWorkerSet and for each Pod of a Deployment.
- The submitter of a RayJob requests what KubeRay 1.7 gives it by default.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from support.control_plane.client import Object
from support.control_plane.expansion import RayWebhook, expand
from support.kubernetes_model.matching import TPU, requests_of

QUEUE = "kueue.x-k8s.io/queue-name"
_JOBSET_NAME = "jobset.sigs.k8s.io/replicatedjob-name"
_JOB_INDEX = "jobset.sigs.k8s.io/job-index"
_GROUP_INDEX = "leaderworkerset.sigs.k8s.io/group-index"
_RAY_GROUP, _RAY_REPLICA = "ray.io/group", "ray.io/worker-group-replica-name"
_RAY_HOST = "ray.io/replica-host-index"
_SUBMITTER = {"requests": {"cpu": "500m", "memory": "200Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}}


@dataclass(frozen=True)
class Pods:
    """Equal Pods of a unit."""

    pod_set: str
    count: int
    labels: Mapping[str, str]
    spec: Object

    @property
    def chips(self) -> bool:
        """Whether they take chips."""
        return requests_of(self.spec).get(TPU, 0) > 0


@dataclass(frozen=True)
class Unit:
    """What has to run together: a slice, or Pods without chips."""

    name: str
    namespace: str
    admitted_as: str
    """The Workload of Kueue that its Pods belong to."""
    pods: tuple[Pods, ...]

    @property
    def size(self) -> int:
        """The Pods with chips."""
        return sum(one.count for one in self.pods if one.chips)


@dataclass(frozen=True)
class QueuedWorkload:
    """A Workload of Kueue."""

    name: str
    owner: str
    namespace: str
    queue: str
    pod_sets: tuple[Pods, ...]
    """Each with one of its Pods, and their number."""


def units_of(item: Object, *, ray_webhook: RayWebhook = "absent") -> list[Unit]:
    """The units of an object; empty for objects that run nothing."""
    namespace = item["metadata"].get("namespace", "default")
    owner = f"{item['kind']}/{item['metadata']['name']}"
    if item["kind"] == "Deployment":
        template = item["spec"]["template"]
        pods = (Pods("main", 1, template.get("metadata", {}).get("labels", {}), template["spec"]),)
        return [Unit(owner, namespace, f"{owner}#{n}", pods) for n in range(int(item["spec"].get("replicas", 1)))]
    found: dict[str, list[Pods]] = {}
    for part in expand(item, namespace, ray_webhook=ray_webhook):
        if part["kind"] in ("Job", "Pod", "StatefulSet"):
            key, one = _pods(item, part)
            found.setdefault(key, []).append(one)
    per_group = item["kind"] == "LeaderWorkerSet"
    return [
        Unit(_name(owner, key), namespace, f"{owner}#{key}" if per_group else owner, tuple(_together(every)))
        for key, every in found.items()
    ]


def queued_workloads(item: Object) -> list[QueuedWorkload]:
    """The Workloads of Kueue for an object; empty without a queue."""
    queue = item["metadata"].get("labels", {}).get(QUEUE)
    if queue is None:
        return []
    owner = f"{item['kind']}/{item['metadata']['name']}"
    namespace = item["metadata"].get("namespace", "default")
    sets: dict[str, dict[str, Pods]] = {}
    for unit in units_of(item):
        mine = sets.setdefault(unit.admitted_as, {})
        for one in unit.pods:
            known = mine.get(one.pod_set)
            mine[one.pod_set] = Pods(one.pod_set, one.count + (known.count if known else 0), one.labels, one.spec)
    if item["kind"] == "LeaderWorkerSet":  # a group of one host has a pod set of no workers
        template = item["spec"]["leaderWorkerTemplate"]
        for mine in sets.values():
            if "leader" in mine:
                mine.setdefault("worker", Pods("worker", 0, {}, template["workerTemplate"]["spec"]))
    return [QueuedWorkload(name, owner, namespace, queue, tuple(mine.values())) for name, mine in sets.items()]


def _pods(item: Object, part: Object) -> tuple[str, Pods]:
    """The unit of a core object within its workload, and its Pods."""
    template = part if part["kind"] == "Pod" else part["spec"]["template"]
    labels = template["metadata"]["labels"] if "metadata" in template else {}
    labels = {key: value for key, value in labels.items() if key != _RAY_HOST}
    spec = template["spec"]
    match item["kind"]:
        case "JobSet":
            own = part["metadata"]["labels"]
            key = f"{own[_JOBSET_NAME]}-{own[_JOB_INDEX]}"
            return key, Pods(own[_JOBSET_NAME], int(part["spec"].get("parallelism", 1)), labels, spec)
        case "LeaderWorkerSet":
            key, leads = f"group-{labels[_GROUP_INDEX]}", part["kind"] == "Pod"
            own_template = "leaderTemplate" in item["spec"]["leaderWorkerTemplate"]
            pod_set = ("leader" if leads else "worker") if own_template else "main"
            return key, Pods(pod_set, 1 if leads else int(part["spec"]["replicas"]), labels, spec)
        case "RayCluster" | "RayJob" | "RayService" if part["kind"] == "Pod":
            group = labels[_RAY_GROUP]
            key = f"{group}#{labels[_RAY_REPLICA]}" if _RAY_REPLICA in labels else group
            return key, Pods("head" if group == "headgroup" else group, 1, labels, spec)
        case "RayJob":
            spec = copy.deepcopy(spec)
            spec["containers"][0].setdefault("resources", _SUBMITTER)
            return "submitter", Pods("submitter", 1, labels, spec)
    return "", Pods("main", int(part["spec"].get("parallelism", 1)), labels, spec)


def _name(owner: str, key: str) -> str:
    return "/".join(part for part in (owner, key.partition("#")[0]) if part)


def _together(pods: list[Pods]) -> Iterator[Pods]:
    """Equal Pods as one entry."""
    counts: list[tuple[Pods, int]] = []
    for one in pods:
        for index, (other, count) in enumerate(counts):
            if (one.pod_set, one.labels, one.spec) == (other.pod_set, other.labels, other.spec):
                counts[index] = (other, count + one.count)
                break
        else:
            counts.append((one, one.count))
    for one, count in counts:
        yield Pods(one.pod_set, count, one.labels, one.spec)
