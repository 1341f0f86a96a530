"""What the objects of all kinds of workloads share: how Kueue finds them, and whether one node pool can serve them."""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.fleet.workloads import Workload
from pulumi_gke_tpu.kubernetes.builders.manifest import Manifest, manifest


def workload_manifest(
    workload: Workload,
    kind: str,
    spec: Mapping[str, Any],
    catalog: Catalog,
    *,
    annotations: Mapping[str, str] | None = None,
) -> Manifest:
    """The object of a workload, with the labels of its queue."""
    facts = catalog.kubernetes
    plan, labels = workload.plan, {}
    if plan.queue is not None:
        labels[facts.kueue.labels.queue] = plan.queue
        if plan.priority is not None:
            labels[facts.kueue.labels.priority_class] = plan.priority
    return manifest(
        "workloads",
        facts.kinds.objects[kind],
        workload.name,
        workload.path,
        {"spec": spec},
        namespace=workload.namespace,
        labels=labels,
        annotations={**(annotations or {}), **_run_duration(workload, catalog)},
    )


def service(
    workload: Workload, name: str, selector: Mapping[str, str], catalog: Catalog, *, port: int | None = None
) -> Manifest:
    """A Service for the Pods of a workload; without a port it is headless and only gives them names."""
    spec: dict[str, Any] = {"selector": dict(selector)}
    if port is None:
        spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    else:
        spec["ports"] = [{"port": port, "targetPort": port}]
    kind = catalog.kubernetes.kinds.objects["service"]
    return manifest("workloads", kind, name, workload.path, {"spec": spec}, namespace=workload.namespace)


def exclusive(workload: Workload) -> bool:
    """Whether the workload asks for a node pool of its own for each slice.

    JobSet and LeaderWorkerSet then keep the hosts of a slice together and other slices away. On Autopilot, GKE rejects
    the node selector that this leads to.
    """
    return workload.cluster.mode == "standard" and workload.group.shape.multi_host


def one_pool_serves(workload: Workload) -> bool:
    """Whether no slice of the workload can mix hosts of several node pools, so that a plain Job is enough."""
    shape = workload.group.shape
    return not shape.multi_host or (workload.slices == 1 and len(workload.group.pools) == 1)


def _run_duration(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The run duration of queued capacity, which Kueue reads on the workload, not on its Pods."""
    flex_start = workload.group.plan.capacity.flex_start
    if workload.plan.queue is None or flex_start is None or not flex_start.queued or not flex_start.max_run_duration:
        return {}
    seconds = int(flex_start.max_run_duration.total_seconds())
    return {catalog.kubernetes.kueue.labels.run_duration: str(seconds)}
