"""Priority classes of Pods, and of workloads in queues."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest

_PREEMPTION = {"lower_priority": "PreemptLowerPriority", "never": "Never"}


def priority_classes(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The PriorityClasses. With queues, each has a WorkloadPriorityClass of the same name and value.

    The scheduler compares Pods by the former, and Kueue compares workloads by the latter.
    """
    kinds = catalog.kubernetes.kinds.objects
    for item in objects.priority_classes:
        description: dict[str, Any] = {"description": item.plan.description} if item.plan.description else {}
        value = {"value": item.plan.value, **description}
        pods = {"preemptionPolicy": _PREEMPTION[item.plan.preemption], **value}
        yield manifest("priority-classes", kinds["priority_class"], item.name, item.path, pods)
        if objects.queues:
            yield manifest("priority-classes", kinds["workload_priority_class"], item.name, item.path, value)
