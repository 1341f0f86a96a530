"""What the kinds of KubeRay share: a head without chips, and worker groups whose replicas are slices."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.kind import Endpoint, Kind, NamedLists, Written, longer_than, no_endpoint
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import environment, head_pod, mounts, tpu_pod, variable_from, without_empty
from pulumi_gke_tpu.core.kinds.workload import together
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import count, items, mapping, text
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import quantities

_API_GROUP = "ray.io"
_GROUP = "slices"


WORKERS = PodTraits(slices="groups", several_pools="only the webhook of the Ray operator adds an affinity")
_OTHERS = PodTraits(slices="")
"""The head and the Pod that submits a run."""


@frozen
class RayTemplates:
    """The templates of a Ray cluster, whose specification is at ``path`` in the object."""

    path: Path

    def __call__(self, owner: KubernetesObject) -> Iterator[PodTemplate]:
        """The head, the worker groups and the Pod that submits a run."""
        spec = mapping(owner.value(*self.path))
        head = mapping(mapping(spec.get("headGroupSpec")).get("template"))
        head_path: Path = (*self.path, "headGroupSpec")
        if head:
            yield PodTemplate(owner, (*head_path, "template"), head, _OTHERS, head_path, "head")
        scales = spec.get("enableInTreeAutoscaling") is True
        for index, group in enumerate(map(mapping, items(spec.get("workerGroupSpecs")))):
            place: Path = (*self.path, "workerGroupSpecs", index)
            yield PodTemplate(
                owner,
                (*place, "template"),
                mapping(group.get("template")),
                WORKERS,
                place,
                text(group.get("groupName")) or f"workerGroupSpecs[{index}]",
                pods=count(group.get("numOfHosts"), 1),
                groups=count(group.get("replicas"), 0),
                grows_at=(*place, "maxReplicas") if scales else (),
            )
        submitter = owner.spec.get("submitterPodTemplate")
        if isinstance(submitter, dict):
            where = ("spec", "submitterPodTemplate")
            yield PodTemplate(owner, where, submitter, _OTHERS, ("spec",), "submitter")


def ray_kind(name: str, path: Path, written: Written | None = None) -> Kind:
    """A kind of KubeRay, with the specification of its cluster at a path."""

    def long_names(owner: KubernetesObject, catalog: Catalog) -> Iterator[tuple[str, Fact]]:
        fact = catalog.kubernetes.ray
        return longer_than(fact.longest_names[name], owner, fact)

    # A part of a RayJob or RayService that is a RayCluster has its lists too.
    lists = {"spec": (NamedLists({"workerGroupSpecs": ""}, name="groupName"),)} if path == ("spec",) else {}
    return Kind(
        _API_GROUP,
        name,
        RayTemplates(path),
        custom=True,
        name_form="service",
        keeps_pods=path == ("spec",),
        named_lists=lists,
        long_names=long_names,
        written=written,
    )


def ray_written(
    word: str,
    objects: Callable[[Workload, Catalog], Iterator[Manifest]],
    *keys: str,
    endpoint: Callable[[Workload, Catalog], Endpoint | None] = no_endpoint,
) -> Written:
    """What gke-tpu writes for a kind of KubeRay; ``word`` is that of the plan."""

    def longest_name(_: Workload, catalog: Catalog) -> tuple[int, Fact | None]:
        return catalog.kubernetes.workloads.ray.longest_names[word], catalog.kubernetes.workloads.ray

    return Written(
        objects,
        title="Ray",
        keys=("head", "init_containers", "sidecars", *keys),
        head=_head,
        always_has_head=True,
        controller=lambda _: _API_GROUP,
        endpoint=endpoint,
        addon=lambda catalog: catalog.kubernetes.workloads.ray.addon,
        affinity_by_webhook=True,
        fact=lambda catalog: catalog.kubernetes.workloads.ray,
        longest_name=longest_name,
    )


def ray_cluster(workload: Workload, catalog: Catalog, *, ports: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The specification of the Ray cluster of a workload; ``ports`` are further ports of the head."""
    return {
        "headGroupSpec": {"rayStartParams": {}, "template": _head(workload, catalog, ports)},
        "workerGroupSpecs": [_worker_group(workload, catalog)],
    }


def head_image(workload: Workload) -> object:
    """The image of the head."""
    head = workload.plan.head
    return (head.image if head else None) or workload.plan.image


def _head(workload: Workload, catalog: Catalog, ports: Mapping[str, int] | None = None) -> dict[str, Any]:
    facts, head = catalog.kubernetes.workloads.ray, workload.plan.head
    cpu, memory = (head.cpu if head else None), (head.memory if head else None)
    requests = quantities({"cpu": cpu or facts.head_cpu, "memory": memory or facts.head_memory})
    container = without_empty(
        name="ray-head",
        image=head_image(workload),
        env=environment(workload.plan),
        ports=[{"containerPort": port, "name": name} for name, port in {**facts.head_ports, **(ports or {})}.items()],
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
        "numOfHosts": workload.shape.hosts,
        "rayStartParams": {},
        "template": tpu_pod(workload, catalog, container=container, affinity=together(workload, "kuberay", catalog)),
    }


def _variables_and_ports(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The variables of the plan, and those that multi-host slices of some families need in addition."""
    facts, shape = catalog.kubernetes.workloads.ray, workload.shape
    env = environment(workload.plan)
    if not shape.multi_host or shape.family not in facts.families:
        return without_empty(env=env)
    ports = [{"containerPort": port, "name": name} for name, port in facts.worker_ports.items()]
    return {
        "env": [variable_from(facts.host_ip, "status.hostIP"), *environment(workload.plan, facts.variables)],
        "ports": ports,
    }
