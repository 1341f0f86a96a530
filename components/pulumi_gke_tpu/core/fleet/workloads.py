"""The values that follow from the Kubernetes keys of a plan: what a slice group offers to workloads, and its users."""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, NodePool, SliceGroup
from pulumi_gke_tpu.core.fleet.names import compute_class_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import (
        CohortSpec,
        Kubernetes,
        NamespaceSpec,
        PriorityClassSpec,
        QueueSpec,
        WorkloadSpec,
    )


@frozen
class Workload:
    """A workload and the slice groups that serve it: Kueue chooses among several."""

    name: str
    path: Path
    cluster: Cluster
    """The cluster with its slice groups: that of the plan's key, or the first worker of a manager of MultiKueue."""
    group: SliceGroup
    """The first of its slice groups."""
    fallback: tuple[SliceGroup, ...]
    """The groups that Kueue tries after the first one, in order: they have the same shape."""
    namespace: str
    """Its own, or that of its queue: Kueue looks for the queue of a workload in the namespace of the workload."""
    plan: "WorkloadSpec"

    @property
    def groups(self) -> tuple[SliceGroup, ...]:
        """All of its slice groups, in the order in which Kueue tries them."""
        return (self.group, *self.fallback)

    @property
    def groups_of_plan(self) -> tuple[SliceGroup, ...]:
        """All of its slice groups, in the order of the plan: what its Pods say must not depend on ``fallback``.

        A JobSet whose Pods change is replaced, and another order is nothing that its Pods have to know.
        """
        if not self.fallback:
            return self.groups
        keys = {group.key for group in self.groups}
        return tuple(group for group in self.cluster.groups if group.key in keys)

    @property
    def pools(self) -> tuple[NodePool, ...]:
        """The node pools of all of its slice groups."""
        return tuple(pool for group in self.groups_of_plan for pool in group.pools)

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones of all of its slice groups; empty if one of them can be in any zone."""
        zones = [group.zones for group in self.groups_of_plan]
        return tuple(dict.fromkeys(zone for own in zones for zone in own)) if all(zones) else ()

    @property
    def slices(self) -> int:
        """Number of slices, with autoscaling the highest one: what groups and queues must have room for."""
        return self.plan.count if self.plan.autoscale is None else self.plan.autoscale.max

    @property
    def fewest(self) -> int:
        """Number of slices, with autoscaling the lowest one."""
        return self.plan.count if self.plan.autoscale is None else self.plan.autoscale.min

    @property
    def hosts(self) -> int:
        """Pods on TPU hosts of all slices together."""
        return self.slices * self.group.shape.hosts

    @property
    def chips(self) -> int:
        """Chips of all slices together."""
        return self.slices * self.group.shape.chips


@frozen
class Queue:
    """A queue with its nominal quota in chips by slice group, in the order in which Kueue tries them.

    It is the order of the plan, as far as its workloads need no other one.
    """

    name: str
    path: Path
    quotas: tuple["QueueQuota", ...]
    namespaces: tuple[str, ...]
    """Where it has a LocalQueue; the first one is that of its workloads."""
    plan: "QueueSpec"


@frozen
class QueueQuota:
    """The part of a slice group in a queue or cohort, in chips."""

    group: SliceGroup
    nominal: int
    borrow: int | None
    """None: unlimited within the cohort."""
    lend: int | None
    """None: everything that is unused."""


@frozen
class Cohort:
    """A cohort with quotas, limits or a parent. Its own quota is in addition to that of its queues."""

    name: str
    path: Path
    quotas: tuple[QueueQuota, ...]
    """Those of the slice groups that it has chips of, or limits."""
    plan: "CohortSpec"


@frozen
class Namespace:
    """A namespace with a quota or users."""

    name: str
    path: Path
    plan: "NamespaceSpec"


@frozen
class PriorityClass:
    """A priority class."""

    name: str
    path: Path
    plan: "PriorityClassSpec"


@frozen
class KubernetesObjects:
    """What the Kubernetes keys of one cluster ask for."""

    cluster: Cluster
    serving: Cluster
    """The cluster with the slice groups of its queues and workloads: the first worker of a manager of MultiKueue."""
    namespace: str
    namespaces: tuple[Namespace, ...]
    queues: tuple[Queue, ...]
    cohorts: tuple[Cohort, ...]
    priority_classes: tuple[PriorityClass, ...]
    workloads: tuple[Workload, ...]

    @property
    def quota_owners(self) -> tuple[Queue | Cohort, ...]:
        """The queues and cohorts, which both have quotas and share them."""
        return (*self.queues, *self.cohorts)

    def together(self, group: SliceGroup) -> tuple[SliceGroup, ...]:
        """The groups among which Kueue chooses for workloads on a group, in the order of the plan.

        Empty if each of these workloads has only one group.
        """
        keys = {other.key for item in self.workloads if item.fallback and group in item.groups for other in item.groups}
        return tuple(other for other in self.serving.groups if other.key in keys)


def flavor_name(group: SliceGroup) -> str:
    """The name of the ResourceFlavor of a slice group: that of its ComputeClass, if it has one."""
    return compute_class_name(group.name)


def is_queued(workload: Workload, catalog: Catalog) -> bool:
    """Whether Kueue queues a workload: if the plan names its queue, or if its namespace has a default queue."""
    if workload.plan.queue is not None:
        return True
    plan = workload.cluster.plan.kubernetes
    queue = plan.queues.get(catalog.kubernetes.kueue.flavors.default_queue) if plan is not None else None
    return plan is not None and queue is not None and workload.namespace in _namespaces(queue, plan)


def chips_to_claim(workload: Workload, catalog: Catalog) -> int | None:
    """The chips that a Pod claims by their number, because Kueue counts no other claim; None if it claims all."""
    return workload.group.shape.chips_per_host if is_queued(workload, catalog) else None


def claim_template_name(workload: Workload, catalog: Catalog) -> str:
    """The name of the ResourceClaimTemplate of the Pods of a workload."""
    chips = chips_to_claim(workload, catalog)
    return "tpu-host" if chips is None else f"tpu-host-{chips}"


def claim_name(workload: Workload, volume: str) -> str:
    """The name of the PersistentVolumeClaim of a new disk of a workload."""
    return f"{workload.name}-{volume}"


def kubernetes_objects(cluster: Cluster) -> KubernetesObjects | None:
    """What the plan asks for on a cluster; None without the key ``kubernetes``.

    Workloads whose slice group does not exist or has no possible shape are left out: a rule reports them.
    """
    plan = cluster.plan.kubernetes
    if plan is None:
        return None
    serving = cluster.workers[0] if cluster.workers else cluster
    groups = {str(group.path[-1]): group for group in serving.groups}
    path = (*cluster.path, "kubernetes")

    def place(item: "WorkloadSpec") -> str:
        queue = plan.queues.get(item.queue or "")
        return item.namespace or (_namespaces(queue, plan)[0] if queue is not None else plan.namespace)

    workloads = tuple(
        Workload(
            name,
            (*path, "workloads", name),
            serving,
            groups[item.slices],
            tuple(groups[other] for other in item.fallback if other in groups),
            place(item),
            item,
        )
        for name, item in plan.workloads.items()
        if item.slices in groups
    )
    return KubernetesObjects(
        cluster=cluster,
        serving=serving,
        namespace=plan.namespace,
        namespaces=tuple(Namespace(name, (*path, "namespaces", name), item) for name, item in plan.namespaces.items()),
        queues=tuple(
            Queue(
                name,
                (*path, "queues", name),
                _in_order(_quotas_of_queue(name, queue, cluster), name, workloads),
                _namespaces(queue, plan),
                queue,
            )
            for name, queue in plan.queues.items()
        ),
        cohorts=tuple(
            Cohort(name, (*path, "cohorts", name), _quotas_of_cohort(cohort, serving), cohort)
            for name, cohort in plan.cohorts.items()
        ),
        priority_classes=tuple(
            PriorityClass(name, (*path, "priority_classes", name), item) for name, item in plan.priority_classes.items()
        ),
        workloads=workloads,
    )


def _namespaces(queue: "QueueSpec", plan: "Kubernetes") -> tuple[str, ...]:
    """The namespaces in which a queue has a LocalQueue."""
    named = ((queue.namespace,) if queue.namespace is not None else ()) + tuple(queue.namespaces)
    return tuple(dict.fromkeys(named or (plan.namespace,)))


def _quotas_of_queue(name: str, queue: "QueueSpec", cluster: Cluster) -> list[QueueQuota]:
    """The quotas of a queue; those of a manager of MultiKueue are what the queues of its workers have together.

    Kueue sends workloads to the workers up to the quota of the manager.
    """
    if not cluster.workers:
        return _quotas(queue, cluster)
    totals: dict[str, int] = {}
    for worker in cluster.workers:
        own = worker.plan.kubernetes.queues.get(name) if worker.plan.kubernetes is not None else None
        for quota in _quotas(own, worker) if own is not None else ():
            key = str(quota.group.path[-1])
            totals[key] = totals.get(key, 0) + quota.nominal
    return [
        _quota(queue, group, totals.get(str(group.path[-1]), 0))
        for group in cluster.workers[0].groups
        if not queue.chips or group.path[-1] in queue.chips
    ]


def _quotas(queue: "QueueSpec", cluster: Cluster) -> list[QueueQuota]:
    return [
        _quota(queue, group, group.chips.maximum)
        for group in cluster.groups
        if not queue.chips or group.path[-1] in queue.chips
    ]


def _quotas_of_cohort(cohort: "CohortSpec", cluster: Cluster) -> tuple[QueueQuota, ...]:
    stated = {*cohort.chips, *cohort.borrow, *cohort.lend}
    return tuple(_quota(cohort, group, 0) for group in cluster.groups if group.path[-1] in stated)


def _quota(plan: "QueueSpec | CohortSpec", group: SliceGroup, default: int) -> QueueQuota:
    key = str(group.path[-1])
    return QueueQuota(group, plan.chips.get(key, default), plan.borrow.get(key), plan.lend.get(key))


def _in_order(quotas: list[QueueQuota], queue: str, workloads: Iterable[Workload]) -> tuple[QueueQuota, ...]:
    """The quotas of a queue in the order of its workloads, and otherwise in the order of the plan.

    A rule reports workloads that contradict each other; the order of the plan is kept then.
    """
    before: dict[str, set[str]] = {}
    for item in workloads:
        for first, then in itertools.pairwise(item.groups) if item.plan.queue == queue else ():
            before.setdefault(then.key, set()).add(first.key)
    left, ordered = list(quotas), list[QueueQuota]()
    while left:
        waiting = {quota.group.key for quota in left}
        found = next((quota for quota in left if not before.get(quota.group.key, set()) & waiting), left[0])
        left.remove(found)
        ordered.append(found)
    return tuple(ordered)
