"""Pathways: a plan writes it as a plain JobSet, with a head with proxy and resource manager, and workers on the slices.

Users also have PathwaysJobs, whose operator makes such a JobSet.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import HeadNeeds, Kind, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import (
    environment,
    head_pod,
    mounts,
    program,
    tpu_pod,
    variable_from,
    variables,
    without_empty,
)
from pulumi_gke_tpu.core.kinds.workload import ENDS, failure_policy, time_to_live, workload_manifest
from pulumi_gke_tpu.core.kinds.written.jobset import (
    GROUP,
    coordinator_name,
    exclusive_topology,
    job_pod_name,
    network,
    slice_affinity,
    slice_job,
)
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.quantity import quantities

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.kubernetes import Pathways, PathwaysServer, PythonSidecar


_HEAD_JOB, _WORKER_JOB = "head", "worker"
_HEAD_VARIABLE = "PATHWAYS_HEAD"
_SHARED_MEMORY = "sidecar-memory"
"""The volume that worker and sidecar share."""


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The JobSet. It is complete when the program in the head is; without a program, when it is deleted.

    The program is in the head; the workers run the server of Pathways. The head needs no host network, and it shares
    nothing with its node, so it also runs on Autopilot.
    """
    hosts = workload.shape.hosts
    workers = {
        "completionMode": catalog.kubernetes.pods.indexed.completion_mode,
        "completions": hosts,
        "parallelism": hosts,
        "backoffLimit": hosts * _restarts_of_a_host(workload, catalog),
        "template": _worker_pod(workload, catalog),
    }
    head = slice_job(workload, 1, _head(workload, catalog), catalog)
    annotations = exclusive_topology(workload, catalog)
    success = {"operator": "All", "targetReplicatedJobs": [_HEAD_JOB]}
    spec = {
        "network": network(workload),
        **time_to_live(workload),
        "failurePolicy": failure_policy(workload, catalog),
        **without_empty(successPolicy=None if _servers(workload).headless else success),
        "replicatedJobs": [
            {"name": _HEAD_JOB, "replicas": 1, "template": {"spec": head}},
            {
                "name": _WORKER_JOB,
                "replicas": workload.slices,
                "template": {**without_empty(metadata=without_empty(annotations=annotations)), "spec": workers},
            },
        ],
    }
    yield workload_manifest(workload, "jobset", spec, catalog)


def _servers(workload: Workload) -> "Pathways":
    """What the plan says about the servers."""
    from pulumi_gke_tpu.core.plan.kubernetes import Pathways  # checks of manifests need no models of plans

    return workload.plan.pathways or Pathways()


def _stated(server: "PathwaysServer | None") -> "PathwaysServer":
    """What the plan says about one server."""
    from pulumi_gke_tpu.core.plan.kubernetes import PathwaysServer

    return server or PathwaysServer()


def _restarts_of_a_host(workload: Workload, catalog: Catalog) -> int:
    elastic = _servers(workload).elastic
    return elastic.max_restarts if elastic is not None else catalog.kubernetes.workloads.pathways.restarts_per_host


def _head(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The Pod with proxy and resource manager: beside the program, or alone if there is none."""
    servers = [_proxy(workload, catalog), _manager(workload, catalog)]
    headless = _servers(workload).headless
    return head_pod(
        workload,
        catalog,
        servers if headless else [_program(workload, catalog)],
        restart="Never",
        vcpus=catalog.kubernetes.pathways.head_cpu,
        sidecars=() if headless else servers,
        mounted=not headless,
    )


def _program(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    facts, head = catalog.kubernetes.workloads.pathways, workload.plan.head
    target = {
        "XCLOUD_ENVIRONMENT": "GCP",
        "JAX_PLATFORMS": "proxy",
        "JAX_BACKEND_TARGET": f"grpc://$({_HEAD_VARIABLE}):{facts.proxy_port}",
    }
    return {
        "name": "program",
        **program(workload),
        **without_empty(image=head.image if head else None, command=list(head.command) if head else None),
        "env": environment(workload.plan, {**_head_address(workload), **target}),
        **without_empty(
            resources=without_empty(requests=quantities({"cpu": head.cpu, "memory": head.memory})) if head else None,
            volumeMounts=mounts(workload),
        ),
    }


def _proxy(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    facts, servers = catalog.kubernetes.workloads.pathways, _servers(workload)
    plan = _stated(servers.proxy)
    arguments = [
        f"--server_port={facts.proxy_port}",
        _manager_address(catalog),
        *_scratch(workload),
        *([f"{facts.elastic_flag}={servers.elastic.slices}"] if servers.elastic is not None else ()),
        *([catalog.kubernetes.workloads.pathways_sidecar.proxy_flag] if servers.python_sidecar is not None else ()),
        *plan.args,
    ]
    image, size = plan.image or _google(facts.proxy_image, workload, catalog), (facts.proxy_cpu, facts.proxy_memory)
    server = _server(workload, "proxy", image, arguments=arguments, ports=(facts.proxy_port,), size=size)
    return server | {"env": variables({**_head_address(workload), **plan.env})}


def _manager(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    facts, shape = catalog.kubernetes.workloads.pathways, workload.shape
    plan = _stated(_servers(workload).resource_manager)
    arguments = [
        f"--server_port={facts.manager_ports[0]}",
        "--node_type=resource_manager",
        f"--instance_count={workload.slices}",
        f"--instance_type={facts.instance_types.get(shape.generation, shape.generation)}:{shape.topology}",
        *_scratch(workload),
        *plan.args,
    ]
    env = [
        variable_from("REPLICATED_JOB_NAME", "metadata.annotations['jobset.sigs.k8s.io/replicatedjob-name']"),
        variable_from("JOBSET_NAME", "metadata.annotations['jobset.sigs.k8s.io/jobset-name']"),
        *variables({"HOST_ADDRESS": _address(workload), "TPU_SKIP_MDS_QUERY": "true"}),
    ]
    image, size = _manager_image(workload, catalog), (facts.manager_cpu, facts.manager_memory)
    server = _server(workload, "resource-manager", image, arguments=arguments, ports=facts.manager_ports, size=size)
    return server | {"env": _with_own(env, plan.env)}


def _manager_image(workload: Workload, catalog: Catalog) -> str | Unknown:
    plan = _stated(_servers(workload).resource_manager)
    return plan.image or _google(catalog.kubernetes.workloads.pathways.server_image, workload, catalog)


def _google(image: str, workload: Workload, catalog: Catalog) -> str:
    """An image of Google with the tag of the plan."""
    return f"{image}:{_servers(workload).tag or catalog.kubernetes.workloads.pathways.tag}"


def _server(
    workload: Workload,
    name: str,
    image: str | Unknown,
    *,
    arguments: list[str],
    ports: tuple[int, ...],
    size: tuple[str, str],
) -> dict[str, Any]:
    """A container of the head. Beside a program, it is an init container that restarts as long as the Pod runs."""
    amounts = quantities(dict(zip(("cpu", "memory"), size, strict=True)))
    return {
        "name": name,
        "image": image,
        **without_empty(restartPolicy=None if _servers(workload).headless else "Always"),
        "args": arguments,
        "ports": [{"containerPort": port} for port in ports],
        "resources": {"requests": amounts, "limits": amounts},
    }


def _with_own(env: list[dict[str, Any]], own: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Variables, and those of the plan, which replace others of the same name."""
    return [*(item for item in env if item["name"] not in own), *variables(own)]


def _worker_pod(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    sidecar = _servers(workload).python_sidecar
    shared = {_SHARED_MEMORY: catalog.kubernetes.workloads.pathways_sidecar.shared_folder} if sidecar else {}
    return tpu_pod(
        workload,
        catalog,
        restart="OnFailure",
        container=_worker(workload, catalog),
        affinity=slice_affinity(workload, catalog),
        sidecars=[_python_sidecar(sidecar, shared, workload, catalog)] if sidecar else (),
        shared=shared,
    )


def _python_sidecar(
    plan: "PythonSidecar", shared: Mapping[str, str], workload: Workload, catalog: Catalog
) -> dict[str, Any]:
    """The container that runs functions of the program. It exchanges data with the worker in memory."""
    facts = catalog.kubernetes.workloads.pathways_sidecar
    env = {facts.address: f"0.0.0.0:{facts.port}", facts.shared_folder_variable: facts.shared_folder}
    return {
        "name": "python-sidecar",
        "image": plan.image,
        "restartPolicy": "Always",
        **without_empty(args=list(plan.args)),
        "env": variables({**env, **plan.env}),
        "ports": [{"containerPort": facts.port}],
        "volumeMounts": mounts(workload, shared),
    }


def _worker(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The server of Pathways. GKE does not set the variables of several slices for it, because its Job has a head."""
    facts, servers = catalog.kubernetes.workloads.pathways, _servers(workload)
    plan, sidecar = _stated(servers.worker), catalog.kubernetes.workloads.pathways_sidecar
    slices = [
        variable_from("MEGASCALE_NUM_SLICES", "metadata.labels['jobset.sigs.k8s.io/replicatedjob-replicas']"),
        variable_from("MEGASCALE_SLICE_ID", "metadata.labels['jobset.sigs.k8s.io/job-index']"),
        *variables({"MEGASCALE_COORDINATOR_ADDRESS": _address(workload)}),
    ]
    shared, folder = [], {}
    if servers.python_sidecar is not None:
        shared = [f"{sidecar.worker_flag}={sidecar.shared_folder}"]
        folder = {sidecar.shared_folder_variable: sidecar.shared_folder}
    env = [
        *variables({**_head_address(workload), "XCLOUD_ENVIRONMENT": "GCP", **folder}),
        *(slices if workload.slices > 1 else ()),
    ]
    return {
        "image": plan.image or _manager_image(workload, catalog),
        "args": [
            f"--server_port={facts.worker_ports[0]}",
            _manager_address(catalog),
            *_scratch(workload),
            *shared,
            *plan.args,
        ],
        "env": _with_own(env, plan.env),
        "ports": [{"containerPort": port} for port in facts.worker_ports],
    }


def _address(workload: Workload) -> str:
    """The name of the head in DNS. The label of JobSet with it would limit the workload to names of 26 characters."""
    return f"{workload.name}-{_HEAD_JOB}-0-0.{workload.name}"


def _head_address(workload: Workload) -> dict[str, str]:
    return {_HEAD_VARIABLE: _address(workload)}


def _manager_address(catalog: Catalog) -> str:
    port = catalog.kubernetes.workloads.pathways.manager_ports[0]
    return f"--resource_manager_address=$({_HEAD_VARIABLE}):{port}"


def _scratch(workload: Workload) -> list[str]:
    """The place of temporary data."""
    return [f"--gcs_scratch_location={workload.plan.scratch}"] if workload.plan.scratch is not None else []


def _head_needs(catalog: Catalog) -> HeadNeeds:
    facts = catalog.kubernetes.pathways
    return HeadNeeds(facts.head_cpu, facts.head_memory_gib, facts.for_item("head_cpu"))


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    """The template of the main container of a PathwaysJob; the operator makes the workers."""
    path = ("spec", "controller", "template")
    data = owner.value(*path)
    if isinstance(data, dict):
        yield PodTemplate(owner, path, data, PodTraits(slices=""), ("spec", "controller"), "main")


def _long_names(owner: KubernetesObject, catalog: Catalog) -> Iterator[tuple[str, Fact]]:
    fact, longest = catalog.kubernetes.pathways, catalog.kubernetes.jobset.longest_label
    coordinator = coordinator_name(owner.name, fact.head_job, 0, 0, owner.name)
    if len(coordinator) > longest:
        most = len(owner.name) - -(-(len(coordinator) - longest) // 2)
        made = f"the label with the host name of its head would have {len(coordinator)} characters"
        yield f"{made}, and {longest} are allowed: use at most {most} characters", fact


def _operator_slices(owner: KubernetesObject) -> Iterator[tuple[str, str]]:
    for worker in map(mapping, items(owner.spec.get("workers"))):
        yield str(worker.get("type")), str(worker.get("topology"))


KIND = Kind(
    "pathways-job.pathways.domain",
    "PathwaysJob",
    _templates,
    custom=True,
    long_names=_long_names,
    operator_slices=_operator_slices,
    written=Written(
        _objects,
        title="Pathways",
        keys=("head", "pathways", "scratch", *ENDS),
        head=_head,
        always_has_head=True,
        head_needs=_head_needs,
        kueue_owns_selector=True,
        generations=lambda catalog: catalog.kubernetes.workloads.pathways.instance_types,
        instead="jobset",
        controller=lambda _: GROUP,
        unpublished_on_autopilot=True,
        fact=lambda catalog: catalog.kubernetes.workloads.pathways,
        pod_name=lambda workload: job_pod_name(workload, _WORKER_JOB),
    ),
)
