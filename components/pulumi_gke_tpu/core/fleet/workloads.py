"""The values that follow from the Kubernetes keys of a plan: what a slice group offers to workloads, and its users."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.fleet.model import ChipBudget, Cluster, NodePool, Shape, SliceGroup
from pulumi_gke_tpu.core.fleet.names import LABEL_VALUE_LIMIT, compute_class_name, shortened
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
    """The cluster with its slice groups: that of the plan's key, or the first worker of a manager that has most."""
    group: SliceGroup
    """The first of its slice groups."""
    fallback: tuple[SliceGroup, ...]
    """The groups that Kueue tries after the first one, in order: they have the same shape."""
    namespace: str
    """Its own, or that of its queue: Kueue looks for the queue of a workload in the namespace of the workload."""
    plan: "WorkloadSpec"

    shape: Shape
    """Its slices: those of its groups, or those that GKE forms of their cubes."""

    @property
    def groups(self) -> tuple[SliceGroup, ...]:
        """All of its slice groups, in the order in which Kueue tries them."""
        return (self.group, *self.fallback)

    @property
    def groups_by_name(self) -> tuple[SliceGroup, ...]:
        """All of its slice groups by name: what its Pods say must not depend on an order in the plan.

        A JobSet whose Pods change is replaced, and another order is nothing that its Pods have to know.
        """
        return tuple(sorted(self.groups, key=lambda group: group.name))

    @property
    def pools(self) -> tuple[NodePool, ...]:
        """The node pools of all of its slice groups."""
        return tuple(pool for group in self.groups_by_name for pool in group.pools)

    @property
    def dynamic(self) -> bool:
        """Whether GKE forms its slices of cubes."""
        return self.group.dynamic

    @property
    def dispatched(self) -> bool:
        """Whether it is created on a manager of MultiKueue, and its cluster gets a copy."""
        return self.path[: len(self.cluster.path)] != self.cluster.path

    @property
    def cubes(self) -> int:
        """The cubes that its slices take together: several parts of a cube share one."""
        return -(-self.chips // self.group.shape.chips)

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The names of the slices that the plan forms itself, of partitions that it names; empty if Kueue does."""
        if not self.dynamic or not self.plan.partitions:
            return ()
        return tuple(self.name if self.slices == 1 else f"{self.name}-{number}" for number in range(self.slices))

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones of all of its slice groups; empty if one of them can be in any zone."""
        zones = [group.zones for group in self.groups_by_name]
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
        return self.slices * self.shape.hosts

    @property
    def chips(self) -> int:
        """Chips of all slices together."""
        return self.slices * self.shape.chips


@frozen
class Flavor:
    """What queues have quota of: the chips of a slice group, or of a budget that several groups share."""

    key: str
    """How queues and cohorts name it: the key of the slice group, or the name of the budget."""
    name: str
    """The name of the ResourceFlavor."""
    path: Path
    cluster: Cluster
    """The cluster with its slice groups."""
    groups: tuple[SliceGroup, ...]
    budget: ChipBudget | None

    @property
    def dynamic(self) -> bool:
        """Whether its chips are those of cubes, which no budget has."""
        return self.groups[0].dynamic

    @property
    def chips(self) -> int:
        """The most chips that exist together."""
        most = sum(group.chips.maximum for group in self.groups)
        return most if self.budget is None else min(most, self.budget.chips)


@frozen
class Queue:
    """A queue with its nominal quota in chips by flavor, in the order in which Kueue tries them.

    It is the order of the plan, as far as its workloads need no other one.
    """

    name: str
    path: Path
    quotas: tuple["QueueQuota", ...]
    namespaces: tuple[str, ...]
    """Where it has a LocalQueue; the first one is that of its workloads."""
    workers: tuple[Cluster, ...]
    """The workers of a manager that it sends workloads to: those with one of its flavors."""
    plan: "QueueSpec"


@frozen
class QueueQuota:
    """The part of a flavor in a queue or cohort, in chips."""

    flavor: Flavor
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
    """Those of the flavors that it has chips of, or limits."""
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
    flavors: tuple[Flavor, ...]
    """Those of its slice groups, in the order of the plan; of a manager of MultiKueue, those of its workers."""
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

    def together(self, *groups: SliceGroup) -> tuple[SliceGroup, ...]:
        """The groups among which Kueue chooses for workloads on one of some groups, in the order of the plan.

        Empty if each of these workloads has only one group.
        """
        own = {group.key for group in groups}
        several = (item.groups for item in self.workloads if item.fallback)
        keys = {one.key for found in several if any(group.key in own for group in found) for one in found}
        return tuple(group for flavor in self.flavors for group in flavor.groups if group.key in keys)


def uses_fleet(cluster: Cluster) -> bool:
    """Whether Kueue on a manager of MultiKueue reaches its workers by ClusterProfiles of GKE's fleet."""
    multikueue = cluster.plan.kubernetes.multikueue if cluster.plan.kubernetes is not None else None
    return multikueue is not None and multikueue.credentials == "fleet"


def resource_labels(cluster: Cluster, catalog: Catalog) -> dict[str, str]:
    """The labels that a plan sets on a cluster.

    Those for which GKE's fleet writes ClusterProfiles into a manager of MultiKueue are among them.
    """
    profiles = catalog.kubernetes.kueue.cluster_profiles.labels if uses_fleet(cluster) else {}
    return {**profiles, **cluster.resource_labels}


def flavor_key(group: SliceGroup) -> str:
    """How queues name the chips of a slice group: by its key, or by that of its budget."""
    return group.budget.name if group.budget is not None else str(group.path[-1])


def flavor_name(group: SliceGroup) -> str:
    """The name of the ResourceFlavor of a slice group: that of its budget or of its ComputeClass, if it has one."""
    if group.budget is not None:
        return shortened(f"budget-{group.budget.name}", LABEL_VALUE_LIMIT)
    return compute_class_name(group.name)


def flavors_of(cluster: Cluster) -> tuple[Flavor, ...]:
    """The flavors of a cluster; those of a manager of MultiKueue are of the first worker that has them."""
    found: dict[str, Flavor] = {}
    for place in cluster.workers or (cluster,):
        by_key: dict[str, list[SliceGroup]] = {}
        for group in place.groups:
            by_key.setdefault(flavor_key(group), []).append(group)
        for key, groups in by_key.items():
            budget = groups[0].budget
            path = groups[0].path if budget is None else budget.path
            found.setdefault(key, Flavor(key, flavor_name(groups[0]), path, place, tuple(groups), budget))
    return tuple(found.values())


def is_queued(workload: Workload, catalog: Catalog) -> bool:
    """Whether Kueue queues a workload: if the plan names its queue, or if its namespace has a default queue."""
    if workload.plan.queue is not None:
        return True
    plan = workload.cluster.plan.kubernetes
    queue = plan.queues.get(catalog.kubernetes.kueue.flavors.default_queue) if plan is not None else None
    return plan is not None and queue is not None and workload.namespace in _namespaces(queue, plan)


def chips_to_claim(workload: Workload, catalog: Catalog) -> int | None:
    """The chips that a Pod claims by their number, because Kueue counts no other claim; None if it claims all."""
    return workload.shape.chips_per_host if is_queued(workload, catalog) else None


def claim_template_name(workload: Workload, catalog: Catalog) -> str:
    """The name of the ResourceClaimTemplate of the Pods of a workload."""
    chips = chips_to_claim(workload, catalog)
    return "tpu-host" if chips is None else f"tpu-host-{chips}"


def claim_name(workload: Workload, volume: str) -> str:
    """The name of the PersistentVolumeClaim of a new disk of a workload."""
    return f"{workload.name}-{volume}"


def kubernetes_objects(cluster: Cluster) -> KubernetesObjects | None:
    """What the plan asks for on a cluster; None without the key ``kubernetes``.

    Workloads whose slice group does not exist or has no possible shape are left out, and those that ask cubes for no
    topology: a rule reports them.
    """
    plan = cluster.plan.kubernetes
    if plan is None:
        return None
    flavors = flavors_of(cluster)
    places = [(item, {str(group.path[-1]): group for group in item.groups}) for item in cluster.workers or (cluster,)]
    path = (*cluster.path, "kubernetes")

    def place(item: "WorkloadSpec") -> str:
        queue = plan.queues.get(item.queue or "")
        return item.namespace or (_namespaces(queue, plan)[0] if queue is not None else plan.namespace)

    def workload(name: str, item: "WorkloadSpec") -> Workload | None:
        serving = [place for place in places if item.slices in place[1]]
        home, groups = max(
            serving, key=lambda place: sum(other in place[1] for other in item.fallback), default=(cluster, {})
        )
        group = groups.get(item.slices)
        shape = _shape(group, item) if group is not None else None
        if group is None or shape is None:
            return None
        fallback = tuple(groups[other] for other in item.fallback if other in groups)
        return Workload(name, (*path, "workloads", name), home, group, fallback, place(item), item, shape)

    workloads = tuple(filter(None, itertools.starmap(workload, plan.workloads.items())))

    def queue(name: str, item: "QueueSpec") -> Queue:
        quotas = _in_order(_quotas_of_queue(name, item, cluster, flavors), name, workloads)
        return Queue(name, (*path, "queues", name), quotas, _namespaces(item, plan), _workers_of(quotas, cluster), item)

    return KubernetesObjects(
        cluster=cluster,
        flavors=flavors,
        namespace=plan.namespace,
        namespaces=tuple(Namespace(name, (*path, "namespaces", name), item) for name, item in plan.namespaces.items()),
        queues=tuple(queue(name, item) for name, item in plan.queues.items()),
        cohorts=tuple(
            Cohort(name, (*path, "cohorts", name), _quotas_of_cohort(cohort, flavors), cohort)
            for name, cohort in plan.cohorts.items()
        ),
        priority_classes=tuple(
            PriorityClass(name, (*path, "priority_classes", name), item) for name, item in plan.priority_classes.items()
        ),
        workloads=workloads,
    )


def _shape(group: SliceGroup, item: "WorkloadSpec") -> Shape | None:
    """The slices of a workload on a group; None if it asks cubes for no topology of three dimensions."""
    if not group.dynamic:
        return group.shape
    try:
        topology = Topology.parse(item.topology or "")
    except ValueError:
        return None
    same = len(topology.dimensions) == len(group.shape.topology.dimensions)
    return replace(group.shape, topology=topology) if same else None


def _namespaces(queue: "QueueSpec", plan: "Kubernetes") -> tuple[str, ...]:
    """The namespaces in which a queue has a LocalQueue."""
    named = ((queue.namespace,) if queue.namespace is not None else ()) + tuple(queue.namespaces)
    return tuple(dict.fromkeys(named or (plan.namespace,)))


def _quotas_of_queue(name: str, queue: "QueueSpec", cluster: Cluster, flavors: tuple[Flavor, ...]) -> list[QueueQuota]:
    """The quotas of a queue; those of a manager of MultiKueue are what the queues of its workers have together.

    Kueue sends workloads to the workers up to the quota of the manager. Without ``chips``, its queue has the flavors of
    the workers with a queue of the same name, and of their budgets only those that this queue has.
    """
    if not cluster.workers:
        return [
            _quota(queue, flavor, flavor.chips) for flavor in flavors if not queue.chips or flavor.key in queue.chips
        ]
    totals: dict[str, int] = {}
    there: set[str] = set()
    for worker in cluster.workers:
        own = worker.plan.kubernetes.queues.get(name) if worker.plan.kubernetes is not None else None
        if own is not None:
            of_worker = flavors_of(worker)
            there.update(flavor.key for flavor in of_worker if flavor.budget is None)
            for quota in _quotas_of_queue(name, own, worker, of_worker):
                totals[quota.flavor.key] = totals.get(quota.flavor.key, 0) + quota.nominal
    shown = queue.chips or there | totals.keys() or {flavor.key for flavor in flavors}
    return [_quota(queue, flavor, totals.get(flavor.key, 0)) for flavor in flavors if flavor.key in shown]


def _workers_of(quotas: Iterable[QueueQuota], cluster: Cluster) -> tuple[Cluster, ...]:
    """The workers of a manager that have a flavor of a queue."""
    keys = {quota.flavor.key for quota in quotas}
    return tuple(worker for worker in cluster.workers if any(flavor_key(group) in keys for group in worker.groups))


def _quotas_of_cohort(cohort: "CohortSpec", flavors: Iterable[Flavor]) -> tuple[QueueQuota, ...]:
    stated = {*cohort.chips, *cohort.borrow, *cohort.lend}
    return tuple(_quota(cohort, flavor, 0) for flavor in flavors if flavor.key in stated)


def _quota(plan: "QueueSpec | CohortSpec", flavor: Flavor, default: int) -> QueueQuota:
    key = flavor.key
    return QueueQuota(flavor, plan.chips.get(key, default), plan.borrow.get(key), plan.lend.get(key))


def _in_order(quotas: list[QueueQuota], queue: str, workloads: Iterable[Workload]) -> tuple[QueueQuota, ...]:
    """The quotas of a queue in the order of its workloads, and otherwise in the order of the plan.

    A rule reports workloads that contradict each other; the order of the plan is kept then.
    """
    before: dict[str, set[str]] = {}
    for item in workloads:
        for first, then in itertools.pairwise(item.groups) if item.plan.queue == queue else ():
            before.setdefault(flavor_key(then), set()).add(flavor_key(first))
    left, ordered = list(quotas), list[QueueQuota]()
    while left:
        waiting = {quota.flavor.key for quota in left}
        found = next((quota for quota in left if not before.get(quota.flavor.key, set()) & waiting), left[0])
        left.remove(found)
        ordered.append(found)
    return tuple(ordered)
