"""Iterates over the Kubernetes objects of a plan."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet.workloads import KubernetesObjects, Workload, kubernetes_objects
from pulumi_gke_tpu.core.rules.engine.context import PlanContext

HEADS = ("leaderworkerset", "raycluster", "rayjob", "pathways")
"""The kinds that have a Pod without chips."""
ONE_POD_SET = ("job", "jobset", "leaderworkerset", "deployment")
"""The kinds whose Pods are all alike, unless a head is set."""


def clusters_with_objects(context: PlanContext) -> Iterator[KubernetesObjects]:
    """What the plan asks for on each cluster with the key `kubernetes`."""
    for cluster in context.fleet.clusters:
        found = kubernetes_objects(cluster)
        if found is not None:
            yield found


def workloads(context: PlanContext) -> Iterator[Workload]:
    """Every workload whose slice group exists."""
    for found in clusters_with_objects(context):
        yield from found.workloads
