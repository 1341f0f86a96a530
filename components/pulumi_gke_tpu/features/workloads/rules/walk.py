"""Iterates over the Kubernetes objects of a plan."""

import functools
from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload, kubernetes_objects
from pulumi_gke_tpu.core.plan.pods import AdditionalContainer
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.text.findings import Path


@functools.lru_cache(maxsize=1)
def clusters_with_objects(context: PlanContext) -> tuple[KubernetesObjects, ...]:
    """What the plan asks for on each cluster with the key `kubernetes`.

    Almost every rule about workloads asks for it, and all rules check one plan before they check another one.
    """
    found = map(kubernetes_objects, context.fleet.clusters)
    return tuple(objects for objects in found if objects is not None)


def workloads(context: PlanContext) -> Iterator[Workload]:
    """Every workload whose slice group exists."""
    for found in clusters_with_objects(context):
        yield from found.workloads


def reached(found: KubernetesObjects, workload: Workload) -> tuple[Cluster, ...]:
    """The workers of a manager that the queue of a workload sends it to."""
    queue = next((item for item in found.queues if item.name == workload.plan.queue), None)
    return queue.workers if queue is not None else found.cluster.workers


def workers_with(found: KubernetesObjects, group: SliceGroup) -> tuple[Cluster, ...]:
    """The workers of a manager that have a slice group of the same name."""
    key = group.path[-1]
    return tuple(worker for worker in found.cluster.workers if any(item.path[-1] == key for item in worker.groups))


def place_of(workload: Workload, index: int) -> Path:
    """The path of one of the slice groups of a workload, by its place in the order."""
    return (*workload.path, "slices") if index == 0 else (*workload.path, "fallback", index - 1)


def additional_containers(workload: Workload) -> Iterator[tuple[Path, AdditionalContainer]]:
    """The containers without chips in the Pods on TPU hosts."""
    for key in ("init_containers", "sidecars"):
        for index, item in enumerate(getattr(workload.plan, key)):
            yield (*workload.path, key, index), item
