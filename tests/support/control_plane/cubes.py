"""What the slice controller for Kueue and Kueue do with workloads on cubes: a model. ``activator.py`` is GKE's part.

It follows the sources of the webhooks of the controller and Kueue's rules for topologies, as far as the recorded cases
need them (``tests/kubernetes/test_slices_of_cubes.py``). Simpler than the real ones:

- One set of Pods for each workload: the replicated Jobs of a JobSet are admitted one after the other. No preemption,
  no order by priority, and nothing ends unless a test ends it.
- One ClusterQueue, to which every name of a queue leads; no cohorts, no namespaces. Quota of chips only.
- Each slice is formed at once, on nodes that are all healthy, and there are no time limits.
- A node that a workload uses is taken as a whole. Tolerations are compared without their effect.
- Of several blocks with enough cubes, Kueue may choose another one.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from support.control_plane.client import Object
from support.control_plane.manifests import ACCELERATOR
from support.control_plane.nodes import NODE_POOL

SLICE, HOST = "cloud.google.com/gke-tpu-slice", "kubernetes.io/hostname"
ANNOTATION = "cloud.google.com/gke-tpu-slice-topology"
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
REQUIRED, SIZE = "kueue.x-k8s.io/podset-slice-required-topology", "kueue.x-k8s.io/podset-slice-size"
_BLOCK, _PARTITION = "cloud.google.com/gce-topology-block", "cloud.google.com/gke-tpu-partition-{}-id"
_QUEUE, _CONTROLLER, _CHIPS = "kueue.x-k8s.io/queue-name", "accelerator.gke.io/slice", "google.com/tpu"
_PARTS, _CUBE = ("2x2x1", "2x2x2", "2x2x4", "2x4x4"), 64
_TOLERATED_EFFECTS = ("NoSchedule", "NoExecute")


@dataclass(frozen=True)
class Outcome:
    """What becomes of a workload: ``slices`` are the nodes of each slice that is formed."""

    state: Literal["runs", "runs without slice", "runs in part", "waits", "refused"]
    reason: str = ""
    slices: tuple[tuple[str, ...], ...] = ()
    topology: str = ""


@dataclass(frozen=True)
class _PodSet:
    """The Pods that Kueue places together."""

    owner: Object
    template: Object
    each: int
    """Pods of a Job or of a group."""
    count: int
    """Jobs."""
    is_group: bool

    @property
    def spec(self) -> Object:
        return self.template["spec"]

    @property
    def annotations(self) -> Object:
        return self.template.get("metadata", {}).get("annotations") or {}

    @property
    def topology(self) -> str:
        return str(self.annotations.get(ANNOTATION, ""))

    @property
    def chips(self) -> int:
        limits = (one.get("resources", {}).get("limits", {}) for one in self.spec["containers"])
        return sum(int(one.get(_CHIPS, 0)) for one in limits)

    @property
    def all_chips(self) -> int:
        return self.chips * self.each * self.count

    @property
    def cubes(self) -> int:
        """The cubes of one slice; 1 also for a part of one."""
        return max(1, math.prod(map(int, self.topology.split("x"))) // _CUBE)


@dataclass
class Cubes:
    """A cluster: its nodes, the objects of its queues, and what is taken. ``submit`` changes it."""

    nodes: Sequence[Object]
    queues: Sequence[Object] = ()
    taken: set[str] = field(default_factory=set)
    used: dict[tuple[str, str], int] = field(default_factory=dict)
    """Queue and flavor -> chips in use."""

    def submit(self, workload: Object) -> list[Outcome]:
        """The outcomes of an object, one for each workload of Kueue in it: each group of a LeaderWorkerSet is one."""
        return [self._submitted(pods) for pods in _pod_sets(workload)]

    def labels(self, name: str) -> Mapping[str, str]:
        """The labels of a node."""
        (found,) = (node for node in self.nodes if node["metadata"]["name"] == name)
        labels: Mapping[str, str] = found["metadata"]["labels"]
        return labels

    def lose(self, pool: str) -> None:
        """The nodes of a cube die."""
        self.nodes = [node for node in self.nodes if node["metadata"]["labels"][NODE_POOL] != pool]

    def release(self, outcome: Outcome, queue: str, flavor: str, chips: int) -> None:
        """A workload ends, or is evicted."""
        self.taken -= {node for nodes in outcome.slices for node in nodes}
        self.used[queue, flavor] -= chips

    def _submitted(self, pods: _PodSet) -> Outcome:
        queue = pods.owner["metadata"].get("labels", {}).get(_QUEUE)
        relevant = bool(re.search("[0-9]+x[0-9]+x[0-9]+", pods.topology)) and (
            pods.spec.get("nodeSelector", {}).get(ACCELERATOR) == "tpu7x"
        )
        if not queue:
            return self._without_queue(pods)
        changed = REQUIRED in pods.annotations  # webhooks see creations only
        if relevant and not changed and (refusal := _refusal(pods)):
            return Outcome("refused", refusal)
        reasons = []
        (queue_object,) = [one for one in self.queues if one["kind"] == "ClusterQueue"]
        for flavor, quota in _flavors(queue_object):
            reason, outcome = self._admitted(pods, queue_object, flavor, quota, relevant=relevant)
            if outcome is not None:
                return outcome
            reasons.append(reason)
        return Outcome("waits", "; ".join(filter(None, reasons)))

    def _without_queue(self, pods: _PodSet) -> Outcome:
        free = self._free(pods, {})
        needed = pods.each * pods.count
        if len(free) < needed:
            return Outcome("waits", "no node")
        nodes = tuple(sorted(free)[:needed])
        self.taken |= set(nodes)
        if pods.spec.get("nodeSelector", {}).get(SLICE):
            return Outcome("runs", "", (nodes,), pods.topology)
        return Outcome("runs without slice", "", (), "")

    def _admitted(
        self, pods: _PodSet, queue: Object, name: str, quota: int, *, relevant: bool
    ) -> tuple[str, Outcome | None]:
        flavor = self._named("ResourceFlavor", name)["spec"]
        chips = pods.all_chips
        if chips > quota:
            return "quota" if quota else "", None
        if any(not _tolerates(pods.spec, taint) for taint in flavor.get("nodeTaints", ())):
            return "untolerated taint", None
        if self.used.get((queue["metadata"]["name"], name), 0) + chips > quota:
            return "quota", None
        placing = flavor.get("topologyName")
        if bool(placing) != relevant:
            return ("supports only TopologyAwareScheduling" if placing else "no topology"), None
        reason, units = self._placed(pods, flavor) if placing else ("", [])
        return reason, None if reason else self._running(pods, queue, name, units)

    def _running(self, pods: _PodSet, queue: Object, name: str, units: list[tuple[str, ...]]) -> Outcome:
        chips, place = pods.all_chips, (queue["metadata"]["name"], name)
        self.used[place] = self.used.get(place, 0) + chips
        self.taken |= {node for unit in units for node in unit}
        checks = queue["spec"].get("admissionChecksStrategy", {}).get("admissionChecks", [])
        formed = any(
            self._named("AdmissionCheck", check["name"])["spec"]["controllerName"] == _CONTROLLER
            and name in check.get("onFlavors", [name])
            for check in checks
        )
        if not formed or not chips:
            return Outcome("runs without slice" if chips else "runs")
        slices = [sum(units[start : start + pods.cubes], ()) for start in range(0, len(units), pods.cubes)]
        exclusive = pods.owner["metadata"].get("annotations", {}).get(EXCLUSIVE)
        state = "runs in part" if exclusive == NODE_POOL and pods.cubes > 1 else "runs"
        return Outcome(state, "", tuple(slices), pods.topology)

    def _placed(self, pods: _PodSet, flavor: Object) -> tuple[str, list[tuple[str, ...]]]:
        """The nodes of each cube or part of one, or why Kueue finds none."""
        levels = [one["nodeLabel"] for one in self._named("Topology", flavor["topologyName"])["spec"]["levels"]]
        part = pods.topology in _PARTS
        level = pods.annotations.get(REQUIRED) or _PARTITION.format(pods.topology if part else "4x4x4")
        if level not in levels or _BLOCK not in levels:
            return "does not contain the requested level", []
        free = self._free(pods, flavor.get("nodeLabels", {}), levels)
        size = int(pods.annotations.get(SIZE) or (pods.each if pods.is_group or part else pods.each // pods.cubes))
        wanted = pods.each * pods.count // size
        best: list[tuple[str, ...]] = []
        domains: dict[str, dict[str, list[str]]] = {}
        for name, node in sorted(free.items()):
            labels = node["metadata"]["labels"]
            places = domains.setdefault(labels[_BLOCK], {}).setdefault(labels[level], [])
            places += [name] * (_chips(node) // pods.chips)
        for block in domains.values():
            units = [tuple(dict.fromkeys(nodes[:size])) for _, nodes in sorted(block.items()) if len(nodes) >= size]
            best = max(best, units, key=len)
        if len(best) >= wanted:
            return "", best[:wanted]
        if pods.is_group:
            most = max((len(nodes) for block in domains.values() for nodes in block.values()), default=0)
            return f"allows to fit only {most} out of {size} pod(s)", []
        return f"allows to fit only {len(best)} out of {wanted} slice(s)", []

    def _free(self, pods: _PodSet, labels: Mapping[str, str], levels: Iterable[str] = ()) -> dict[str, Object]:
        """The free nodes that Pods select, with all levels of a topology, by name."""
        wanted = {**labels, **pods.spec.get("nodeSelector", {})}
        found = {}
        for node in self.nodes:
            own, name = node["metadata"]["labels"], node["metadata"]["name"]
            taints = [taint for taint in node["spec"].get("taints", ()) if not _tolerates(pods.spec, taint)]
            fits = wanted.items() <= own.items() and all(label in own for label in levels) and not taints
            if fits and _chips(node) >= pods.chips and name not in self.taken:
                found[name] = node
        return found

    def _named(self, kind: str, name: str) -> Object:
        (found,) = [one for one in self.queues if (one["kind"], one["metadata"]["name"]) == (kind, name)]
        return found


def _pod_sets(item: Object) -> Iterator[_PodSet]:
    spec = item["spec"]
    if item["kind"] == "Job":
        yield _PodSet(item, spec["template"], spec["parallelism"], 1, is_group=False)
    elif item["kind"] == "JobSet":
        for job in spec["replicatedJobs"]:
            inner = job["template"]["spec"]
            yield _PodSet(item, inner["template"], inner["parallelism"], job["replicas"], is_group=False)
    else:
        group = spec["leaderWorkerTemplate"]
        for _ in range(spec["replicas"]):
            yield _PodSet(item, group["workerTemplate"], group["size"], 1, is_group=True)


def _refusal(pods: _PodSet) -> str:
    """Why the webhook of the controller refuses an object; it checks no number of Pods of a LeaderWorkerSet."""
    edges = [int(edge) for edge in pods.topology.split("x")]
    if pods.topology in _PARTS:
        size, chips = pods.each, math.prod(edges)
    elif any(edge % 4 for edge in edges):
        return "dimensions must be divisible by 4"
    elif edges != sorted(edges):
        return "dimensions must be in non-decreasing order"
    else:
        size, chips = pods.each // (math.prod(edges) // _CUBE), _CUBE
    if pods.is_group or pods.chips * size == chips:
        return ""
    return f"configuration results in {pods.chips * size} TPUs requested, but must be exactly {chips} TPUs"


def _chips(node: Object) -> int:
    return int(node["status"]["allocatable"].get(_CHIPS, 0))


def _flavors(queue: Object) -> Iterator[tuple[str, int]]:
    for group in queue["spec"]["resourceGroups"]:
        for flavor in group["flavors"]:
            (chips,) = [one["nominalQuota"] for one in flavor["resources"] if one["name"] == _CHIPS]
            yield flavor["name"], int(chips)


def _tolerates(spec: Object, taint: Mapping[str, str]) -> bool:
    return taint["effect"] not in _TOLERATED_EFFECTS or any(
        one.get("key") in (None, taint["key"])
        and (one.get("operator") == "Exists" or one.get("value", "") == taint.get("value", ""))
        for one in spec.get("tolerations", ())
    )


def pods_of(workload: Object, outcome: Outcome) -> Iterator[Object]:
    """The Pods of an admitted workload, with the host that Kueue chose for each."""
    (first, *_) = _pod_sets(workload)
    for index, nodes in enumerate(outcome.slices):
        for number, node in enumerate(nodes):
            name = f"{workload['metadata']['name']}-{index}-{number}"
            spec = {**first.spec, "nodeSelector": {**first.spec.get("nodeSelector", {}), HOST: node}}
            spec.pop("subdomain", None)
            labels = {"slice": f"{workload['metadata']['name']}-{index}"}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec}
