"""JobSet: several Jobs that run together. A plan trains with it, with one Job per slice."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import Kind, NamedLists, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import tpu_pod
from pulumi_gke_tpu.core.kinds.templates import template_of_job
from pulumi_gke_tpu.core.kinds.workload import (
    ENDS,
    deadline,
    exclusive,
    failure_policy,
    pod_failure_policy,
    time_to_live,
    together,
    workload_manifest,
)
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import count, items, known_text, mapping, text
from pulumi_gke_tpu.core.text.findings import Path, quoted

_SLICE = "slice"
"""The name of the replicated Job."""
_POD_SUFFIX = "-" + "x" * 5
"""What Kubernetes appends to the names of the Pods of a Job."""


def jobset(workload: Workload, catalog: Catalog) -> Manifest:
    """A JobSet: as many Jobs as slices, each with as many Pods as a slice has hosts."""
    template = tpu_pod(workload, catalog, restart="Never", affinity=slice_affinity(workload, catalog))
    slices = {
        "name": _SLICE,
        "replicas": workload.slices,
        "template": {"spec": slice_job(workload, workload.shape.hosts, template, catalog)},
    }
    spec = {
        "network": network(workload),
        **time_to_live(workload),
        "failurePolicy": failure_policy(workload, catalog),
        "replicatedJobs": [slices],
    }
    return workload_manifest(workload, "jobset", spec, catalog, annotations=exclusive_topology(workload, catalog))


def slice_job(workload: Workload, pods: int, template: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """A Job whose Pods start and end together: it fails with the first Pod that fails."""
    policy = pod_failure_policy("FailJob", workload, template, catalog)
    return {**deadline(workload), **indexed(pods, 0, policy, template, catalog)}


def network(workload: Workload) -> dict[str, Any]:
    """Names of the Pods in DNS, also of those that are not ready: the hosts of a slice find each other by them."""
    return {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": workload.name}


def slice_affinity(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The affinity of the Pods of each Job where no exclusive topology holds them together."""
    return {} if exclusive(workload) else together(workload, "jobset", catalog)


def exclusive_topology(workload: Workload, catalog: Catalog) -> dict[str, str]:
    """The annotation that gives each Job a node pool of its own, or one of several slices of cubes; else empty."""
    if len(workload.slice_names) > 1:
        return {catalog.kubernetes.jobset.exclusive_topology: catalog.kubernetes.pods.dynamic_slices.slice_label}
    if not exclusive(workload):
        return {}
    return {catalog.kubernetes.jobset.exclusive_topology: catalog.kubernetes.workloads.nodes.pool}


def indexed(
    pods: int, retries: int, policy: dict[str, Any], template: dict[str, Any], catalog: Catalog
) -> dict[str, Any]:
    """The specification of a Job whose Pods have an index."""
    return {
        "completionMode": catalog.kubernetes.pods.indexed.completion_mode,
        "completions": pods,
        "parallelism": pods,
        "backoffLimit": retries,
        "podFailurePolicy": policy,
        "template": template,
    }


def job_pod_name(workload: Workload, job: str) -> str:
    """A text of the length of the longest name of a Pod of a replicated Job."""
    return f"{workload.name}-{job}-{workload.slices - 1}-{workload.shape.hosts - 1}{_POD_SUFFIX}"


def pod_name(workload: Workload) -> str:
    """A text of the length of the longest name of a Pod."""
    return job_pod_name(workload, _SLICE)


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    yield jobset(workload, catalog)


_TRAITS = PodTraits(
    multislice=True,
    job="member",
    restarts="not_always",
    names_at=("spec", "network", "enableDNSHostnames"),
    several_pools="the JobSet has no annotation for exclusive topology",
)


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    for index, job in enumerate(items(owner.spec.get("replicatedJobs"))):
        entry = mapping(job)
        path: Path = ("spec", "replicatedJobs", index, "template", "spec")
        spec = mapping(mapping(entry.get("template")).get("spec"))
        role = text(entry.get("name")) or f"replicatedJobs[{index}]"
        job_template = template_of_job(owner, path, spec, _TRAITS)
        groups, groups_at = count(entry.get("replicas"), 1), (*path[:3], "replicas")
        yield replace(job_template, role=role, groups=groups, groups_at=groups_at)


def _long_names(owner: KubernetesObject, catalog: Catalog) -> Iterator[tuple[str, Fact]]:
    fact = catalog.kubernetes.jobset
    for what, name in _made_names(owner, fact.pod_suffix):
        if len(name) > fact.longest_label:
            yield f"{what} would have {len(name)} characters, and {fact.longest_label} are allowed", fact


def _made_names(owner: KubernetesObject, suffix: int) -> Iterator[tuple[str, str]]:
    """The longest names that JobSet makes for each Job, as far as they are known: what they name, and the names."""
    coordinator = mapping(owner.spec.get("coordinator"))
    subdomain = known_text(mapping(owner.spec.get("network")).get("subdomain")) or owner.name
    for job in map(mapping, items(owner.spec.get("replicatedJobs"))):
        replicas, name = count(job.get("replicas"), 1), known_text(job.get("name"))
        completions = count(mapping(mapping(job.get("template")).get("spec")).get("completions"), 1)
        if not name or not replicas or not completions:
            continue
        last_job = f"{owner.name}-{name}-{replicas - 1}"
        yield f"a Pod of Job {quoted(name)}", f"{last_job}-{completions - 1}" + "x" * suffix
        if coordinator.get("replicatedJob") == name:
            indexes = coordinator.get("jobIndex", 0), coordinator.get("podIndex", 0)
            yield "the label of the coordinator", coordinator_name(owner.name, name, *indexes, subdomain)


def coordinator_name(job_set: str, job: str, job_index: object, pod_index: object, subdomain: str) -> str:
    """The host name of a coordinator, which JobSet writes into a label of every Pod."""
    return f"{job_set}-{job}-{job_index}-{pod_index}.{subdomain}"


GROUP = "jobset.x-k8s.io"

KIND = Kind(
    GROUP,
    "JobSet",
    _templates,
    custom=True,
    name_form="service",
    named_lists={
        "spec": (NamedLists({"replicatedJobs": "Job"}),),
        "spec.failurePolicy": (NamedLists({"rules": ""}),),
    },
    fixed_pods=True,
    exclusive_topology=lambda catalog: (catalog.kubernetes.jobset.exclusive_topology, catalog.kubernetes.jobset),
    long_names=_long_names,
    written=Written(
        _objects,
        title="a JobSet",
        keys=("init_containers", "ports", "sidecars", *ENDS),
        on_cubes="several",
        multislice=True,
        kueue_owns_selector=True,
        controller=lambda _: GROUP,
        pod_name=pod_name,
    ),
)
