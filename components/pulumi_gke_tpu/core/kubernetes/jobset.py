"""Batch workloads: a JobSet with one Job per slice, or a plain Job where one node pool serves every slice."""

from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kubernetes.manifest import Manifest
from pulumi_gke_tpu.core.kubernetes.pods import tpu_pod
from pulumi_gke_tpu.core.kubernetes.workload import exclusive, one_pool_serves, service, together, workload_manifest

SLICE = "slice"
"""The name of the replicated Job."""
_JOB_NAME_LABEL = "batch.kubernetes.io/job-name"


def is_plain_job(workload: Workload) -> bool:
    """Whether a workload of kind ``job`` is a Job and not a JobSet.

    A Job cannot restart all hosts of a slice together, so restarts of a multi-host slice need a JobSet.
    """
    restarts_slices = workload.group.shape.multi_host and workload.plan.max_restarts > 0
    return one_pool_serves(workload) and not restarts_slices


def job(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """A Job, with a headless Service if its Pods need names; a JobSet if only that holds a slice together."""
    shape = workload.group.shape
    if not is_plain_job(workload):
        yield jobset(workload, catalog)
        return
    pool = workload.group.pools[0].name if shape.multi_host else None
    if shape.multi_host:
        yield service(workload, workload.name, {_JOB_NAME_LABEL: workload.name}, catalog)
    template = tpu_pod(workload, catalog, restart="Never", pool=pool, subdomain=workload.name if pool else None)
    # A Pod that is preempted or evicted does not count: the Job creates it again.
    disruption = _on_disruption("Ignore", catalog)
    spec = _indexed(workload.hosts, workload.plan.max_restarts, disruption, template, catalog)
    yield workload_manifest(workload, "job", spec, catalog)


def jobset(workload: Workload, catalog: Catalog) -> Manifest:
    """A JobSet: as many Jobs as slices, each with as many Pods as a slice has hosts."""
    template = tpu_pod(workload, catalog, restart="Never", affinity=slice_affinity(workload, catalog))
    slices = {
        "name": SLICE,
        "replicas": workload.slices,
        "template": {"spec": slice_job(workload.group.shape.hosts, template, catalog)},
    }
    spec = {
        "network": network(workload),
        "failurePolicy": failure_policy(workload, catalog),
        "replicatedJobs": [slices],
    }
    return workload_manifest(workload, "jobset", spec, catalog, annotations=exclusive_topology(workload, catalog))


def slice_job(pods: int, template: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """A Job whose Pods start and end together: it fails with the first Pod that fails."""
    return _indexed(pods, 0, _on_disruption("FailJob", catalog), template, catalog)


def failure_policy(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """What the JobSet does if a Job fails: restart all slices together.

    A Job fails with the reason ``PodFailurePolicy`` only if its Pod was evicted or preempted, or lost its node: such a
    restart does not count. An error of the application has another reason, and counts.
    """
    rule = {
        "name": "disruption",
        "action": catalog.kubernetes.jobset.uncounted_action,
        "onJobFailureReasons": ["PodFailurePolicy"],
    }
    return {"maxRestarts": workload.plan.max_restarts, "rules": [rule]}


def network(workload: Workload) -> dict[str, Any]:
    """Names of the Pods in DNS, also of those that are not ready: the hosts of a slice find each other by them."""
    return {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": workload.name}


def slice_affinity(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The affinity of the Pods of each Job where no exclusive topology holds them together."""
    return {} if exclusive(workload) else together(workload, "jobset", catalog)


def exclusive_topology(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotation that gives each Job a node pool of its own; empty where nothing needs it."""
    if not exclusive(workload):
        return {}
    return {catalog.kubernetes.jobset.exclusive_topology: catalog.kubernetes.workloads.nodes.pool}


def _indexed(
    pods: int, retries: int, policy: dict[str, Any], template: dict[str, Any], catalog: Catalog
) -> dict[str, Any]:
    return {
        "completionMode": catalog.kubernetes.pods.indexed.completion_mode,
        "completions": pods,
        "parallelism": pods,
        "backoffLimit": retries,
        "podFailurePolicy": policy,
        "template": template,
    }


def _on_disruption(action: str, catalog: Catalog) -> dict[str, Any]:
    condition = {"type": catalog.kubernetes.jobset.disruption_condition, "status": "True"}
    return {"rules": [{"action": action, "onPodConditions": [condition]}]}
