"""Ray clusters: a head without chips, and worker groups whose replicas are slices."""

import shlex
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kubernetes.manifest import Manifest
from pulumi_gke_tpu.core.kubernetes.pods import head_pod, mounts, tpu_pod, variable_from, variables, without_empty
from pulumi_gke_tpu.core.kubernetes.workload import together, workload_manifest
from pulumi_gke_tpu.core.text.formats.quantity import quantities

_GROUP = "slices"


def raycluster(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The RayCluster."""
    yield workload_manifest(workload, "raycluster", _cluster(workload, catalog), catalog)


def rayjob(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The RayJob: Ray runs the command of the plan on the head, and the cluster ends with it."""
    plan = workload.plan
    entrypoint = shlex.join([*plan.command, *plan.args])
    spec = {
        **without_empty(entrypoint=entrypoint),
        "backoffLimit": plan.max_restarts,
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": _cluster(workload, catalog),
    }
    yield workload_manifest(workload, "rayjob", spec, catalog)


def _cluster(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    return {
        "headGroupSpec": {"rayStartParams": {}, "template": _head(workload, catalog)},
        "workerGroupSpecs": [_worker_group(workload, catalog)],
    }


def _head(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    facts, head = catalog.kubernetes.workloads.ray, workload.plan.head
    cpu, memory = (head.cpu if head else None), (head.memory if head else None)
    requests = quantities({"cpu": cpu or facts.head_cpu, "memory": memory or facts.head_memory})
    container = without_empty(
        name="ray-head",
        image=(head.image if head else None) or workload.plan.image,
        env=variables(workload.plan.env),
        ports=[{"containerPort": port, "name": name} for name, port in facts.head_ports.items()],
        resources={"requests": requests, "limits": {"memory": requests["memory"]}},
        volumeMounts=mounts(workload),
    )
    return head_pod(workload, catalog, [container])


def _worker_group(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The worker group: its replicas are slices, each in the node pool where its first Pod runs."""
    container = {"image": workload.plan.image, **_variables_and_ports(workload, catalog)}
    return {
        "groupName": _GROUP,
        "replicas": workload.slices,
        "minReplicas": workload.slices,
        "maxReplicas": workload.slices,
        "numOfHosts": workload.group.shape.hosts,
        "rayStartParams": {},
        "template": tpu_pod(workload, catalog, container=container, affinity=together(workload, "kuberay", catalog)),
    }


def _variables_and_ports(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The variables of the plan, and what multi-host slices of some families need besides."""
    facts, shape = catalog.kubernetes.workloads.ray, workload.group.shape
    env = variables(workload.plan.env)
    if not shape.multi_host or shape.family not in facts.families:
        return without_empty(env=env)
    own = {name: value for name, value in facts.variables.items() if name not in workload.plan.env}
    ports = [{"containerPort": port, "name": name} for name, port in facts.worker_ports.items()]
    return {"env": [variable_from(facts.host_ip, "status.hostIP"), *variables(own), *env], "ports": ports}
