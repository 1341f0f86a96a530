"""Job: Pods that end. A plan writes a JobSet instead where only that holds a slice together."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import Kind, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import program, slice_type, tpu_pod
from pulumi_gke_tpu.core.kinds.templates import HAS_RESTART_POLICY, OF_JOB, template_of_job
from pulumi_gke_tpu.core.kinds.workload import (
    ENDS,
    deadline,
    one_pool_serves,
    pod_failure_policy,
    service,
    time_to_live,
    workload_manifest,
)
from pulumi_gke_tpu.core.kinds.written import jobset
from pulumi_gke_tpu.core.kinds.written.jobset import indexed
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import count

_JOB_NAME_LABEL = "batch.kubernetes.io/job-name"


def _is_plain(workload: Workload) -> bool:
    """Whether a workload of kind ``job`` is a Job and not a JobSet.

    A Job cannot restart all hosts of a slice together, so restarts of a multi-host slice need a JobSet.
    """
    restarts_slices = workload.shape.multi_host and workload.plan.max_restarts > 0
    return one_pool_serves(workload) and not restarts_slices


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """A Job, with a headless Service if its Pods need names; a JobSet if only that holds a slice together."""
    shape = workload.shape
    if not _is_plain(workload):
        yield jobset.jobset(workload, catalog)
        return
    pool = workload.group.pools[0].name if shape.multi_host and not workload.dynamic else None
    subdomain = workload.name if shape.multi_host else None
    if subdomain is not None:
        yield service(workload, subdomain, {_JOB_NAME_LABEL: workload.name}, catalog)
    container = program(workload, slice_type(workload.shape, catalog) if workload.dynamic else {})
    template = tpu_pod(workload, catalog, restart="Never", pool=pool, subdomain=subdomain, container=container)
    # A Pod that is preempted or evicted does not count: the Job creates it again.
    policy = pod_failure_policy("Ignore", workload, template, catalog)
    spec = {
        **time_to_live(workload),
        **deadline(workload),
        **indexed(workload.hosts, workload.plan.max_restarts, policy, template, catalog),
    }
    yield workload_manifest(workload, "job", spec, catalog)


def _pod_name(workload: Workload) -> str:
    return f"{workload.name}-{workload.hosts - 1}" if _is_plain(workload) else jobset.pod_name(workload)


def _controller(workload: Workload) -> str:
    return "" if _is_plain(workload) else jobset.GROUP


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    yield template_of_job(owner, ("spec",), owner.spec, OF_JOB)


def _long_names(owner: KubernetesObject, catalog: Catalog) -> Iterator[tuple[str, Fact]]:
    fact, completions = catalog.kubernetes.built_in, count(owner.spec.get("completions"), 1)
    longest, what, name = fact.longest_names["Job"], "the label of its Pods", owner.name
    if owner.spec.get("completionMode") == "Indexed" and completions:
        what, name = "the host name of its last Pod", f"{owner.name}-{completions - 1}"
    if len(name) > longest:
        yield f"{what} would have {len(name)} characters, and {longest} are allowed", fact


KIND = Kind(
    "batch",
    "Job",
    _templates,
    whole=HAS_RESTART_POLICY,
    fixed_pods=True,
    long_names=_long_names,
    written=Written(
        _objects,
        title="a Job",
        keys=("init_containers", "ports", "sidecars", *ENDS),
        on_cubes="several",
        multislice=True,
        kueue_owns_selector=True,
        controller=_controller,
        pod_name=_pod_name,
    ),
)
