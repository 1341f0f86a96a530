"""The values that follow from the Kubernetes keys of a plan: what a slice group offers to workloads, and its users."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.names import compute_class_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.kubernetes import PriorityClassSpec, QueueSpec, WorkloadSpec
from pulumi_gke_tpu.core.text.findings import Path


@frozen
class Workload:
    """A workload and the slice group that serves it."""

    name: str
    path: Path
    cluster: Cluster
    group: SliceGroup
    namespace: str
    """That of its queue, because Kueue looks for the queue of a workload in the namespace of the workload."""
    plan: WorkloadSpec

    @property
    def slices(self) -> int:
        """Number of slices."""
        return self.plan.count

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
    """A queue with its nominal quota in chips by slice group, in the order of the plan."""

    name: str
    path: Path
    quotas: tuple["QueueQuota", ...]
    plan: QueueSpec


@frozen
class QueueQuota:
    """The part of a slice group in a queue, in chips."""

    group: SliceGroup
    nominal: int
    borrow: int | None
    """None: unlimited within the cohort."""


@frozen
class PriorityClass:
    """A priority class."""

    name: str
    path: Path
    plan: PriorityClassSpec


@frozen
class KubernetesObjects:
    """What the Kubernetes keys of one cluster ask for."""

    cluster: Cluster
    namespace: str
    queues: tuple[Queue, ...]
    priority_classes: tuple[PriorityClass, ...]
    workloads: tuple[Workload, ...]


def flavor_name(group: SliceGroup) -> str:
    """The name of the ResourceFlavor of a slice group: that of its ComputeClass, if it has one."""
    return compute_class_name(group.name)


def is_queued(workload: Workload, catalog: Catalog) -> bool:
    """Whether Kueue queues a workload: if the plan names its queue, or if its namespace has a default queue."""
    if workload.plan.queue is not None:
        return True
    plan = workload.cluster.plan.kubernetes
    queue = plan.queues.get(catalog.kubernetes.kueue.flavors.default_queue) if plan is not None else None
    return plan is not None and queue is not None and (queue.namespace or plan.namespace) == workload.namespace


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
    groups = {str(group.path[-1]): group for group in cluster.groups}
    path = (*cluster.path, "kubernetes")

    def place(item: WorkloadSpec) -> str:
        queue = plan.queues.get(item.queue or "")
        return (queue.namespace if queue is not None else None) or plan.namespace

    return KubernetesObjects(
        cluster=cluster,
        namespace=plan.namespace,
        queues=tuple(
            Queue(name, (*path, "queues", name), tuple(_quotas(queue, cluster)), queue)
            for name, queue in plan.queues.items()
        ),
        priority_classes=tuple(
            PriorityClass(name, (*path, "priority_classes", name), item) for name, item in plan.priority_classes.items()
        ),
        workloads=tuple(
            Workload(name, (*path, "workloads", name), cluster, groups[item.slices], place(item), item)
            for name, item in plan.workloads.items()
            if item.slices in groups
        ),
    )


def _quotas(queue: QueueSpec, cluster: Cluster) -> list[QueueQuota]:
    return [
        QueueQuota(
            group, queue.chips.get(str(group.path[-1]), group.chips.maximum), queue.borrow.get(str(group.path[-1]))
        )
        for group in cluster.groups
        if not queue.chips or group.path[-1] in queue.chips
    ]
