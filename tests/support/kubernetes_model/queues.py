"""Kueue's choice of flavors for the pod sets of workloads, and what it then adds to their Pods.

Written after the flavor assigner of Kueue 0.19 (``pkg/scheduler/flavorassigner``). For each pod set and resource group,
the flavors are tried in the order of the ClusterQueue. The first one is chosen that

- has no taint that the Pod does not tolerate (``nodeTaints`` are compared with tolerations only here, not on nodes),
- does not contradict node selector and node affinity of the Pod *on the label keys of that flavor*: a label that the
  Pod selects and the flavor does not have counts for nothing, and so does a label of the flavor that no Pod selects,
- has enough quota, for all resources of the group, in the queue or in its cohort.

Then the Pod selects all labels of its flavor. Simpler than Kueue:

- Workloads come one after the other, and none ends, is preempted or is evicted. Every order is tried
  (``admissions``); Kueue orders by priority and by the second of creation.
- No preemption, except in ``preempted``: a workload that would have to preempt others waits. No fair sharing, no
  partial admission, no topology-aware scheduling, no reclaimable Pods. Admission checks succeed.
- Flavor fungibility has its defaults: borrow rather than try the next flavor.
- Namespaces have no labels but their name.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from support.control_plane.client import Object
from support.kubernetes_model.matching import TPU, requests_of, selects, thousandths, tolerates
from support.kubernetes_model.units import Pods, QueuedWorkload, Unit

Flavors = tuple[tuple[str, str], ...]
"""Pod set -> flavor, in the order of the pod sets; a pod set without requests has none."""
Admission = Mapping[str, Flavors | None]
"""Workload -> its flavors; None if it waits."""
_Usage = Mapping[tuple[str, str, str], int]
"""ClusterQueue, flavor, resource -> thousandths in use."""


@dataclass(frozen=True)
class _Quota:
    nominal: int
    borrow: int | None
    lend: int | None


@dataclass(frozen=True)
class _Cohort:
    """A node of the tree in which quota is shared (``pkg/cache/scheduler/resource_node.go``)."""

    name: str
    parent: str | None
    quotas: Mapping[tuple[str, str], _Quota]


@dataclass(frozen=True)
class _ClusterQueue:
    name: str
    parent: str | None
    selector: Object | None
    groups: tuple[tuple[frozenset[str], tuple[str, ...]], ...]
    """Covered resources, and flavors in order."""
    quotas: Mapping[tuple[str, str], _Quota]
    reclaims: bool


class Kueue:
    """The queues and flavors among the objects of a cluster."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._flavors: dict[str, Object] = {}
        self._local: dict[tuple[str, str], str] = {}
        self._queues: dict[str, _ClusterQueue] = {}
        self._cohorts: dict[str, _Cohort] = {}
        for item in objects:
            name = item["metadata"]["name"]
            if item["kind"] == "ResourceFlavor":
                self._flavors[name] = item["spec"]
            elif item["kind"] == "LocalQueue":
                self._local[item["metadata"].get("namespace", "default"), name] = item["spec"]["clusterQueue"]
            elif item["kind"] == "ClusterQueue":
                self._queues[name] = _read(name, item["spec"])
            elif item["kind"] == "Cohort":
                spec = item.get("spec", {})
                quotas = dict(_quotas(spec.get("resourceGroups", ())))
                self._cohorts[name] = _Cohort(name, spec.get("parentName"), quotas)
        for name in [one.parent for one in (*self._queues.values(), *self._cohorts.values())]:
            if name is not None:  # one without an object has only its queues
                self._cohorts.setdefault(name, _Cohort(name, None, {}))

    def admissions(self, workloads: Sequence[QueuedWorkload]) -> list[dict[str, Flavors | None]]:
        """What Kueue decides about workloads, for every order in which they can come."""
        ends: list[dict[str, Flavors | None]] = []
        self._try_orders(tuple(workloads), {}, {}, set(), ends)
        return ends

    def in_order(self, workloads: Iterable[QueuedWorkload]) -> list[Flavors | None]:
        """What Kueue decides about workloads that come in this order."""
        decided: list[Flavors | None] = []
        usage: _Usage = {}
        for workload in workloads:
            flavors, usage = self._assign(workload, usage)
            decided.append(flavors)
        return decided

    def preempted(
        self, running: Sequence[tuple[QueuedWorkload, Flavors]], workload: QueuedWorkload
    ) -> list[str] | None:
        """Which of the running workloads end so that a workload gets the quota of its own queue; None if it waits.

        ``running`` is in the order of admission. Only queues with ``reclaimWithinCohort: Any`` preempt here: workloads
        of other queues of the cohort that borrow chips, the latest first. Kueue also compares priorities and other
        resources, and keeps those that need not end.
        """
        queue = self._queues[self._local[workload.namespace, workload.queue]]
        left, ended = list(running), list[str]()
        for item, flavors in reversed(running):
            usage = self._used(left)
            if self._assign(workload, usage)[0] is not None:
                return ended
            other = self._queues[self._local[item.namespace, item.queue]]
            borrows = any(
                usage.get((other.name, *what), 0) > quota.nominal
                for what, quota in other.quotas.items()
                if what[1] == TPU
            )
            if queue.reclaims and other.parent == queue.parent and other is not queue and borrows:
                left.remove((item, flavors))
                ended.append(item.name)
        return ended if self._assign(workload, self._used(left))[0] is not None else None

    def _used(self, running: Iterable[tuple[QueuedWorkload, Flavors]]) -> dict[tuple[str, str, str], int]:
        used: dict[tuple[str, str, str], int] = {}
        for item, flavors in running:
            name = self._local[item.namespace, item.queue]
            for pods in item.pod_sets:
                for resource, value in requests_of(pods.spec).items():
                    key = (name, dict(flavors)[pods.pod_set], resource)
                    used[key] = used.get(key, 0) + value * pods.count
        return used

    def admitted(self, unit: Unit, admission: Admission) -> Unit:
        """A unit as its workload starts: Pods of a queue select the labels of their flavor."""
        flavors = dict(admission.get(f"{unit.namespace}/{unit.admitted_as}") or ())
        return Unit(
            unit.name, unit.namespace, unit.admitted_as, tuple(self._started(one, flavors) for one in unit.pods)
        )

    def _try_orders(
        self,
        left: tuple[QueuedWorkload, ...],
        decided: dict[str, Flavors | None],
        usage: _Usage,
        seen: set[frozenset[tuple[str, Flavors | None]]],
        ends: list[dict[str, Flavors | None]],
    ) -> None:
        here = frozenset(decided.items())
        if here in seen:
            return
        seen.add(here)
        if not left:
            ends.append(decided)
        alike: list[tuple[object, ...]] = []
        for workload in left:
            kind = (workload.namespace, workload.owner, workload.queue)  # the Workloads of one object are equal
            if kind in alike:
                continue
            alike.append(kind)
            flavors, more = self._assign(workload, usage)
            name = f"{workload.namespace}/{workload.name}"
            rest = tuple(one for one in left if one is not workload)
            self._try_orders(rest, {**decided, name: flavors}, more, seen, ends)

    def _assign(self, workload: QueuedWorkload, usage: _Usage) -> tuple[Flavors | None, _Usage]:
        """The flavors of a workload, and what is in use then."""
        local = self._local.get((workload.namespace, workload.queue))
        if local not in self._queues or not _admits(self._queues[local].selector, workload.namespace):
            return None, usage
        queue, used, chosen = self._queues[local], dict(usage), []
        for pods in workload.pod_sets:
            requests = {name: value * pods.count for name, value in requests_of(pods.spec).items()}
            flavors = set()
            for covered, names in queue.groups:
                part = {name: value for name, value in requests.items() if name in covered}
                found = next((one for one in names if self._fits(queue, one, pods.spec, part, used)), None)
                if part and found is None:
                    return None, usage
                if part and found is not None:
                    flavors.add(found)
                    for name, value in part.items():
                        key = (queue.name, found, name)
                        used[key] = used.get(key, 0) + value
            if any(
                value and not any(name in covered for covered, _ in queue.groups) for name, value in requests.items()
            ):
                return None, usage
            chosen += [(pods.pod_set, flavor) for flavor in sorted(flavors)]
        return tuple(chosen), used

    def _fits(self, queue: _ClusterQueue, name: str, spec: Object, requests: Mapping[str, int], used: _Usage) -> bool:
        flavor = self._flavors.get(name)
        if flavor is None or not tolerates(spec, flavor.get("nodeTaints", ()), flavor.get("tolerations", ())):
            return False
        labels = flavor.get("nodeLabels", {})
        return selects(spec, labels, only=labels) and all(
            value <= self._available(queue, name, resource, used) for resource, value in requests.items()
        )

    def _available(self, queue: _ClusterQueue, flavor: str, resource: str, used: _Usage) -> int:
        """What a workload of a queue can get: what the queue keeps, and up to its limit what its cohort has."""
        return self._free(queue, (flavor, resource), used)

    def _free(self, node: "_ClusterQueue | _Cohort", what: tuple[str, str], used: _Usage) -> int:
        quota, kept, usage = self._subtree(node, what), self._kept(node, what), self._usage(node, what, used)
        if node.parent is None:
            return quota - usage
        above = self._free(self._cohorts[node.parent], what, used)
        limit = node.quotas[what].borrow if what in node.quotas else None
        if limit is not None:
            above = min(above, quota - kept - max(0, usage - kept) + limit)
        return max(0, kept - usage) + above

    def _subtree(self, node: "_ClusterQueue | _Cohort", what: tuple[str, str]) -> int:
        own = node.quotas[what].nominal if what in node.quotas else 0
        return own + sum(self._subtree(part, what) - self._kept(part, what) for part in self._parts(node))

    def _kept(self, node: "_ClusterQueue | _Cohort", what: tuple[str, str]) -> int:
        lend = node.quotas[what].lend if what in node.quotas else None
        return 0 if lend is None else max(0, self._subtree(node, what) - lend)

    def _usage(self, node: "_ClusterQueue | _Cohort", what: tuple[str, str], used: _Usage) -> int:
        if isinstance(node, _ClusterQueue):
            return used.get((node.name, *what), 0)
        return sum(max(0, self._usage(part, what, used) - self._kept(part, what)) for part in self._parts(node))

    def _parts(self, node: "_ClusterQueue | _Cohort") -> Iterator["_ClusterQueue | _Cohort"]:
        if isinstance(node, _Cohort):
            every = (*self._queues.values(), *self._cohorts.values())
            yield from (one for one in every if one.parent == node.name)

    def _started(self, pods: Pods, flavors: Mapping[str, str]) -> Pods:
        if pods.pod_set not in flavors:
            return pods
        flavor = self._flavors[flavors[pods.pod_set]]
        selector = {**pods.spec.get("nodeSelector", {}), **flavor.get("nodeLabels", {})}
        tolerations = [*pods.spec.get("tolerations", ()), *flavor.get("tolerations", ())]
        spec = {**pods.spec, "nodeSelector": selector, "tolerations": tolerations}
        return Pods(pods.pod_set, pods.count, pods.labels, spec)


def _read(name: str, spec: Object) -> _ClusterQueue:
    groups = spec["resourceGroups"]
    return _ClusterQueue(
        name,
        spec.get("cohortName"),
        spec.get("namespaceSelector"),
        tuple((frozenset(one["coveredResources"]), tuple(it["name"] for it in one["flavors"])) for one in groups),
        dict(_quotas(groups)),
        spec.get("preemption", {}).get("reclaimWithinCohort") == "Any",
    )


def _quotas(groups: Iterable[Object]) -> Iterator[tuple[tuple[str, str], _Quota]]:
    for group in groups:
        for flavor in group["flavors"]:
            for one in flavor["resources"]:
                borrow, lend = (
                    thousandths(one[key]) if key in one else None for key in ("borrowingLimit", "lendingLimit")
                )
                yield (flavor["name"], one["name"]), _Quota(thousandths(one["nominalQuota"]), borrow, lend)


def _admits(selector: Object | None, namespace: str) -> bool:
    """Whether a queue admits a namespace: without a selector, none."""
    if selector is None:
        return False
    labels = {"kubernetes.io/metadata.name": namespace}
    every = [labels.get(key) == value for key, value in selector.get("matchLabels", {}).items()]
    for one in selector.get("matchExpressions", ()):
        assert one["operator"] == "In", one
        every.append(labels.get(one["key"]) in one["values"])
    return all(every)
