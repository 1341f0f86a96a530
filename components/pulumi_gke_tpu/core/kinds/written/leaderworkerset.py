"""LeaderWorkerSet: groups of Pods with a leader. A plan serves on multi-host slices with it, one group on each."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import LONGEST_NAME, Endpoint, Kind, RollingUpdate, Written
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import head_pod, mounts, server, tpu_pod, without_empty
from pulumi_gke_tpu.core.kinds.serving import KEYS, replicas, serving
from pulumi_gke_tpu.core.kinds.workload import apart, exclusive, service, together, workload_manifest
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, PodTraits
from pulumi_gke_tpu.core.objects.document import count, mapping
from pulumi_gke_tpu.core.text.formats.quantity import quantities

_NAME = "leaderworkerset.sigs.k8s.io/name"
_WORKER = "leaderworkerset.sigs.k8s.io/worker-index"
_LEADER = "0"
_OF_LEADER = "-leader"
"""What the name of the Service of the leaders ends with."""
_REVISION = 11
"""Characters that a StatefulSet appends to its name in a label of its Pods."""


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The LeaderWorkerSet, a Service for the leaders if the plan names a port, and what serving needs beside them.

    Without ``head``, the leader is the first host of its slice, and each group has a node pool of its own. A leader
    without chips is in a CPU pool, so exclusive topology, which ties the workers to the pool of the leader, is not
    possible: affinity between the workers holds the slice together, as on Autopilot.
    """
    plan, hosts = workload.plan, workload.shape.hosts
    tied = exclusive(workload) and not plan.head
    pools = [pool.name for pool in workload.pools]
    pool = pools[0] if exclusive(workload) and plan.head and len(workload.groups) == len(pools) == 1 else None
    held = together(workload, "leaderworkerset", catalog, leader=plan.head is None) if pool is None else {}
    affinity = apart("leaderworkerset", catalog) if tied else held
    worker = tpu_pod(workload, catalog, pool=pool, affinity=affinity)
    size = hosts + 1 if plan.head else hosts
    template = without_empty(
        leaderTemplate=_leader(workload, catalog, affinity),
        size=size,
        workerTemplate=worker,
        # All hosts of a slice start together.
        restartPolicy=catalog.kubernetes.leaderworkerset.restart_as_one,
    )
    topology = {catalog.kubernetes.leaderworkerset.exclusive_topology: catalog.kubernetes.workloads.nodes.pool}
    spec = {**replicas(workload), "startupPolicy": "LeaderCreated", "leaderWorkerTemplate": template}
    yield workload_manifest(workload, "leaderworkerset", spec, catalog, annotations=topology if tied else None)
    if (endpoint := _endpoint(workload, catalog)) is not None:
        yield service(workload, endpoint.service, endpoint.selector, catalog, port=endpoint.port, others=plan.ports)
    yield from serving(workload, "leaderworkerset", {_NAME: workload.name}, size, catalog)


def _endpoint(workload: Workload, _: Catalog) -> Endpoint | None:
    """The leaders, which answer the requests."""
    port, leaders = workload.plan.port, {_NAME: workload.name, _WORKER: _LEADER}
    return None if port is None else Endpoint(f"{workload.name}{_OF_LEADER}", port, leaders)


def _leader(workload: Workload, catalog: Catalog, affinity: dict[str, Any]) -> dict[str, Any] | None:
    """The template of the leader, which answers the requests; None if it is that of the workers.

    ``affinity`` is that of the hosts of the slice, which a leader without chips is not.
    """
    if workload.plan.head is None:
        if workload.plan.port is None:
            return None
        return tpu_pod(workload, catalog, container=server(workload), affinity=affinity)
    return _head(workload, catalog)


def _head(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The template of a leader without chips."""
    from pulumi_gke_tpu.core.plan.kubernetes import Head  # checks of manifests need no models of plans

    head = workload.plan.head or Head()
    requests = quantities({"cpu": head.cpu, "memory": head.memory})
    container = {
        **server(workload),
        **without_empty(image=head.image, command=list(head.command)),
        **without_empty(resources=without_empty(requests=requests), volumeMounts=mounts(workload)),
    }
    return head_pod(workload, catalog, [{"name": "leader", **container}])


def _pod_name(workload: Workload) -> str:
    last = workload.shape.hosts - 1 + (workload.plan.head is not None)
    return f"{workload.name}-{workload.slices - 1}-{last}"


def _second_set(workload: Workload) -> str:
    """The leader answers requests at the port, so it has a template of its own; so has it with every other host."""
    apart = workload.plan.port is not None and workload.plan.head is None
    return "port" if apart and workload.shape.multi_host else ""


def _longest_name(workload: Workload, _: Catalog) -> tuple[int, Fact | None]:
    group = len(f"-{workload.slices - 1}")
    service_name = LONGEST_NAME - len(_OF_LEADER) if workload.plan.port is not None else LONGEST_NAME
    return min(LONGEST_NAME - _REVISION - group, service_name), None


WORKERS = PodTraits(
    slices="groups",
    restarts="always",
    queued_as="group",
    several_pools="the LeaderWorkerSet has no annotation for exclusive topology",
)
LEADER = replace(WORKERS, slices="", leader=True)


def _exclusive_topology(catalog: Catalog) -> tuple[str, Fact]:
    return catalog.kubernetes.leaderworkerset.exclusive_topology, catalog.kubernetes.leaderworkerset


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    path, replicas = ("spec", "leaderWorkerTemplate"), ("spec", "replicas")
    template = mapping(owner.spec.get("leaderWorkerTemplate"))
    size, groups = count(template.get("size"), 1), count(owner.spec.get("replicas"), 1)
    leader = template.get("leaderTemplate")
    if isinstance(leader, dict):
        yield PodTemplate(
            owner, (*path, "leaderTemplate"), leader, LEADER, path, "leader", 1, groups, groups_at=replicas
        )
        size = None if size is None else size - 1
    workers = mapping(template.get("workerTemplate"))
    yield PodTemplate(
        owner, (*path, "workerTemplate"), workers, WORKERS, path, "workers", size, groups, groups_at=replicas
    )


_GROUP = "leaderworkerset.x-k8s.io"

KIND = Kind(
    _GROUP,
    "LeaderWorkerSet",
    _templates,
    custom=True,
    name_form="service",
    exclusive_topology=_exclusive_topology,
    rolling_update=RollingUpdate(
        ("spec", "rolloutStrategy", "rollingUpdateConfiguration"),
        surge="0",
        unavailable="1",
        of="groups",
        always_waits=True,
    ),
    written=Written(
        _objects,
        title="a LeaderWorkerSet",
        keys=("head", "init_containers", "sidecars", *KEYS),
        head=_head,
        controller=lambda _: _GROUP,
        endpoint=_endpoint,
        second_set=_second_set,
        on_cubes="one",
        slices_apart=True,
        pod_name=_pod_name,
        longest_name=_longest_name,
    ),
)
