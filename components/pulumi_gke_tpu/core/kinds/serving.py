"""The objects beside a workload that serves: autoscaling, and the budget for interruptions."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.text.formats.quantity import quantities

KEYS = ("autoscale", "disruption_budget", "gateway", "port", "ports", "probes")
"""The keys of the kinds that serve and that the scale subresource can scale."""


def replicas(workload: Workload) -> dict[str, int]:
    """The number of replicas; nothing with autoscaling, because each apply would undo what the autoscaler has done."""
    return {} if workload.plan.autoscale is not None else {"replicas": workload.slices}


def serving(
    workload: Workload, kind: str, selector: Mapping[str, str], pods: int, catalog: Catalog
) -> Iterator[Manifest]:
    """The autoscaler and the disruption budget of a workload, as far as its plan has them.

    ``selector`` are labels of all Pods of the workload, ``pods`` is the number of Pods for each slice.
    """
    yield from _autoscaler(workload, kind, catalog)
    yield from _budget(workload, selector, pods, catalog)


def _autoscaler(workload: Workload, kind: str, catalog: Catalog) -> Iterator[Manifest]:
    plan, scaled = workload.plan.autoscale, catalog.kubernetes.kinds.objects[kind]
    if plan is None:
        return
    target = {"type": "AverageValue", "averageValue": quantities({"target": plan.target})["target"]}
    spec = {
        "scaleTargetRef": {"apiVersion": scaled.api_version, "kind": scaled.kind, "name": workload.name},
        "minReplicas": plan.min,
        "maxReplicas": plan.max,
        "metrics": [{"type": "Pods", "pods": {"metric": {"name": plan.metric}, "target": target}}],
    }
    yield _beside(workload, "horizontal_pod_autoscaler", spec, catalog)


def _budget(workload: Workload, selector: Mapping[str, str], pods: int, catalog: Catalog) -> Iterator[Manifest]:
    """The budget in Pods.

    An eviction of one Pod ends its whole slice. The budget therefore leaves room for the Pods of all slices but the
    last one, and for one Pod of that: with a budget of one slice, no second Pod is evicted before the first slice ends.
    A Pod that is not ready can always be evicted, so that a server that does not start delays no upgrade.
    """
    plan = workload.plan.disruption_budget
    if plan is None:
        return
    limit: dict[str, Any] = {}
    if plan.max_unavailable is not None:
        limit["maxUnavailable"] = max(0, (plan.max_unavailable - 1) * pods + 1)
    elif plan.min_available is not None:
        limit["minAvailable"] = (plan.min_available + 1) * pods - 1
    spec = {**limit, "selector": {"matchLabels": dict(selector)}, "unhealthyPodEvictionPolicy": "AlwaysAllow"}
    yield _beside(workload, "pod_disruption_budget", spec, catalog)


def _beside(workload: Workload, kind: str, spec: Mapping[str, Any], catalog: Catalog) -> Manifest:
    found = catalog.kubernetes.kinds.objects[kind]
    return manifest("workloads", found, workload.name, workload.path, {"spec": spec}, namespace=workload.namespace)
