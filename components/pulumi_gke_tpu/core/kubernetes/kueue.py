"""Queues of Kueue: flavors of the slice groups, cluster queues with quota in chips, and queued provisioning.

A ClusterQueue limits chips. It also has to cover every other resource that Pods request, because Kueue admits nothing
that requests a resource without quota: CPU and memory, and on Autopilot what Autopilot writes into Pods. Their quota
never limits: a flavor of TPUs has the vCPUs and the memory of the hosts of its chips, and no Pod requests more than its
host has; for other resources, and in a budget, whose hosts have several sizes, it has more than any cluster.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.names import LABEL_VALUE_LIMIT, shortened
from pulumi_gke_tpu.core.fleet.scheduling import flavor_labels, flavor_taint
from pulumi_gke_tpu.core.fleet.workloads import Cohort, Flavor, KubernetesObjects, Queue, QueueQuota, uses_fleet
from pulumi_gke_tpu.core.kinds.manifest import Manifest, manifest
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity

CPU_FLAVOR = "cpu"
"""The flavor of Pods without chips. Flavors of slice groups have another prefix."""
QUEUED_PROVISIONING = "tpu-queued-provisioning"
"""The AdmissionCheck of queued capacity, and its ProvisioningRequestConfig."""
CUBES = "dynamic-slices"
"""The Topology of cubes, and the AdmissionCheck of slices that are formed of them."""
MULTIKUEUE = "multikueue"
"""The AdmissionCheck of a manager cluster, and its MultiKueueConfig."""
_KUBECONFIG = "-kubeconfig"
"""What the name of the Secret of a worker ends with, unless the plan names another one."""
_CPU, _MEMORY = "cpu", "memory"
_WITHIN = {
    "never": "Never",
    "lower_priority": "LowerPriority",
    "lower_or_newer_equal_priority": "LowerOrNewerEqualPriority",
}
_RECLAIM = {"never": "Never", "lower_priority": "LowerPriority", "any": "Any"}


def queues(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The objects of the queues of a cluster, each after those that it refers to; nothing without queues."""
    if not objects.queues:
        return
    kinds = catalog.kubernetes.kinds.objects
    path = (*objects.cluster.path, "kubernetes", "queues")
    used = {quota.flavor.key for owner in objects.quota_owners for quota in owner.quotas}
    flavors = [flavor for flavor in objects.flavors if flavor.key in used]
    if any(flavor.dynamic for flavor in flavors):
        yield from _slices_of_cubes(objects, path, catalog)
    yield manifest("queues", kinds["resource_flavor"], CPU_FLAVOR, path, {"spec": {}})
    for flavor in flavors:
        spec = _flavor_spec(objects, flavor, catalog)
        yield manifest("queues", kinds["resource_flavor"], flavor.name, flavor.path, {"spec": spec})
    if objects.cluster.workers:
        yield from _workers(objects, catalog)
    elif any(map(_is_queued, flavors)):
        yield from _queued_provisioning(path, catalog)
    for cohort in objects.cohorts:
        spec = _cohort(cohort, objects.cluster, catalog)
        yield manifest("queues", kinds["cohort"], cohort.name, cohort.path, {"spec": spec} if spec else {})
    for queue in objects.queues:
        spec = _cluster_queue(queue, objects.cluster, catalog)
        yield manifest("queues", kinds["cluster_queue"], queue.name, queue.path, {"spec": spec})
    for queue in objects.queues:
        local = {"clusterQueue": queue.name}
        for namespace in queue.namespaces:
            yield manifest("queues", kinds["local_queue"], queue.name, queue.path, {"spec": local}, namespace=namespace)


def _is_queued(flavor: Flavor) -> bool:
    """Whether Kueue requests the nodes of a flavor. No budget has queued capacity."""
    return flavor.groups[0].plan.capacity.is_queued


def _flavor_spec(objects: KubernetesObjects, flavor: Flavor, catalog: Catalog) -> dict[str, Any]:
    """The specification of a flavor.

    Kueue adds the labels to the node selectors of Pods; those of one slice group select them anyway. The taint is for
    the choice of the flavor only; no node has it.
    """
    taint = flavor_taint(flavor.groups[0], catalog)
    labels = flavor_labels(flavor.cluster, flavor.groups[0], objects.together(*flavor.groups), catalog)
    return {
        **({"topologyName": CUBES} if flavor.dynamic else {}),
        **({"nodeLabels": labels} if labels else {}),
        "nodeTaints": [{"key": taint.key, "value": taint.value, "effect": taint.effect}],
    }


def _slices_of_cubes(objects: KubernetesObjects, path: Path, catalog: Catalog) -> Iterator[Manifest]:
    """The levels at which Kueue places slices, and the check by which a controller makes a Slice of what it chose.

    Kueue places Pods only on nodes with the label of every level, and does not let a Topology change: with a part of a
    cube, which older versions of GKE do not label, all parts have a level.
    """
    kinds, facts = catalog.kubernetes.kinds.objects, catalog.kubernetes.pods.dynamic_slices
    asked = (str(item.shape.topology) for item in objects.workloads if item.dynamic)
    in_parts = not {*asked, *objects.cluster.sent_topologies}.isdisjoint(facts.parts)
    parts = (facts.cube_topology, *(reversed(facts.parts) if in_parts else ()))
    labels = (facts.block_label, *map(facts.partition_label, parts), catalog.kubernetes.pods.host_name.label)
    levels = [{"nodeLabel": label} for label in labels]
    yield manifest("queues", kinds["topology"], CUBES, path, {"spec": {"levels": levels}})
    check = {"controllerName": catalog.kubernetes.kueue.slices.controller}
    if not objects.cluster.workers:  # those of a manager make the slices
        yield manifest("queues", kinds["admission_check"], CUBES, path, {"spec": check})


def _queued_provisioning(path: Path, catalog: Catalog) -> Iterator[Manifest]:
    """How Kueue requests queued capacity: it admits a workload when GKE has created all of its nodes."""
    kinds = catalog.kubernetes.kinds.objects
    facts = catalog.kubernetes.kueue.queued
    config = {
        "provisioningClassName": facts.provisioning_class,
        "managedResources": [catalog.kubernetes.pods.resource.name],
    }
    kind = kinds["provisioning_request_config"]
    yield manifest("queues", kind, QUEUED_PROVISIONING, path, {"spec": config})
    parameters = {"apiGroup": kind.api_version.partition("/")[0], "kind": kind.kind, "name": QUEUED_PROVISIONING}
    check = {"controllerName": facts.controller, "parameters": parameters}
    yield manifest("queues", kinds["admission_check"], QUEUED_PROVISIONING, path, {"spec": check})


def _workers(objects: KubernetesObjects, catalog: Catalog) -> Iterator[Manifest]:
    """The workers of a manager cluster, and how its queues send workloads to one of those that have their flavors.

    Kueue has one such check for each queue, which applies to all of its flavors. The plan contains no credentials: a
    Secret on the manager has them, or Kueue gets a token for the ClusterProfile that the fleet writes.
    """
    cluster = objects.cluster
    kinds, facts = catalog.kubernetes.kinds.objects, catalog.kubernetes.kueue.multikueue
    path = (*cluster.path, "kubernetes", "multikueue")
    plan = cluster.plan.kubernetes.multikueue if cluster.plan.kubernetes is not None else None
    written = plan.workers if plan is not None else {}
    for worker in cluster.workers:
        secret = written[worker.key].kubeconfig_secret or f"{worker.key}{_KUBECONFIG}"
        source: dict[str, Any] = {"kubeConfig": {"location": secret, "locationType": "Secret"}}
        if uses_fleet(cluster):
            source = {"clusterProfileRef": {"name": f"{worker.name}-{worker.location}"}}
        place = (*path, "workers", worker.key)
        yield manifest("queues", kinds["multikueue_cluster"], worker.key, place, {"spec": {"clusterSource": source}})
    for name, workers in {_check(queue, cluster): queue.workers or cluster.workers for queue in objects.queues}.items():
        config = {"clusters": [worker.key for worker in workers]}
        kind = kinds["multikueue_config"]
        yield manifest("queues", kind, name, path, {"spec": config})
        parameters = {"apiGroup": kind.api_version.partition("/")[0], "kind": kind.kind, "name": name}
        check = {"controllerName": facts.controller, "parameters": parameters}
        yield manifest("queues", kinds["admission_check"], name, path, {"spec": check})


def _check(queue: Queue, cluster: Cluster) -> str:
    """The name of the AdmissionCheck that sends the workloads of a queue to its workers."""
    keys = [worker.key for worker in queue.workers]
    some = bool(keys) and len(keys) < len(cluster.workers)
    return shortened("-".join((MULTIKUEUE, *keys)), LABEL_VALUE_LIMIT) if some else MULTIKUEUE


def _covered(cluster: Cluster, catalog: Catalog) -> tuple[list[str], dict[str, str | int]]:
    """The resources of every flavor, and the quotas of those that never limit."""
    autopilot = "autopilot" in {item.mode for item in (cluster.workers or (cluster,))}
    written = catalog.kubernetes.kueue.written_by_autopilot.resources if autopilot else ()
    covered = [catalog.kubernetes.pods.resource.name, _CPU, _MEMORY, *written]
    return covered, dict.fromkeys(written, f"{catalog.kubernetes.kueue.quotas.unlimited}Gi")


def _cohort(cohort: Cohort, cluster: Cluster, catalog: Catalog) -> dict[str, Any]:
    """The specification of a Cohort. Quotas of CPU and memory let its queues use the hosts of its chips."""
    covered, unlimited = _covered(cluster, catalog)
    flavors = [_tpu_flavor(quota, covered, unlimited, catalog) for quota in cohort.quotas]
    return {
        **({"parentName": cohort.plan.parent} if cohort.plan.parent is not None else {}),
        **({"resourceGroups": [{"coveredResources": covered, "flavors": flavors}]} if flavors else {}),
        **_fair_sharing(cohort.plan.weight),
    }


def _fair_sharing(weight: int | None) -> dict[str, Any]:
    return {"fairSharing": {"weight": canonical_quantity(weight)}} if weight is not None else {}


def _cluster_queue(queue: Queue, cluster: Cluster, catalog: Catalog) -> dict[str, Any]:
    """The specification of a ClusterQueue. The empty namespace selector admits every namespace; without it, none is."""
    tpu = catalog.kubernetes.pods.resource.name
    covered, unlimited = _covered(cluster, catalog)
    flavors = [
        _flavor(CPU_FLAVOR, covered, {**_without_chips(tpu, catalog), **unlimited}),
        *(_tpu_flavor(quota, covered, unlimited, catalog) for quota in queue.quotas),
    ]
    queued = [quota.flavor.name for quota in queue.quotas if _is_queued(quota.flavor)]
    cubes = [quota.flavor.name for quota in queue.quotas if quota.flavor.dynamic]
    by_check = {QUEUED_PROVISIONING: queued, CUBES: cubes}
    checks: list[dict[str, Any]] = [{"name": name, "onFlavors": names} for name, names in by_check.items() if names]
    if cluster.workers:
        checks = [{"name": _check(queue, cluster)}]
    return {
        **({"cohortName": queue.plan.cohort} if queue.plan.cohort is not None else {}),
        "namespaceSelector": _namespace_selector(queue, catalog),
        "resourceGroups": [{"coveredResources": covered, "flavors": flavors}],
        "preemption": {
            "withinClusterQueue": _WITHIN[queue.plan.preemption],
            "reclaimWithinCohort": _RECLAIM[queue.plan.reclaim],
        },
        **({"admissionChecksStrategy": {"admissionChecks": checks}} if checks else {}),
        **_fair_sharing(queue.plan.weight),
    }


def _namespace_selector(queue: Queue, catalog: Catalog) -> dict[str, Any]:
    """Every namespace, or those of the queue, by the label that the API server sets."""
    if not queue.plan.namespaces:
        return {}
    key = catalog.kubernetes.kueue.sharing.namespace_label
    return {"matchExpressions": [{"key": key, "operator": "In", "values": list(queue.namespaces)}]}


def _without_chips(tpu: str, catalog: Catalog) -> dict[str, str | int]:
    """The quota of Pods without chips. Without their flavor, a head would get the node labels of a slice group.

    It is the first one, and it has no labels, so the selector of the Pod decides on the node. Kueue tries the next
    flavor for a Pod that requests chips.
    """
    unlimited = catalog.kubernetes.kueue.quotas.unlimited
    return {tpu: 0, _CPU: unlimited, _MEMORY: f"{unlimited}Gi"}


def _tpu_flavor(
    quota: QueueQuota, covered: list[str], unlimited: Mapping[str, str | int], catalog: Catalog
) -> dict[str, Any]:
    """The quota of a flavor with chips, and the vCPUs and memory of their hosts."""
    tpu = catalog.kubernetes.pods.resource.name
    if quota.flavor.budget is not None:
        own = {**_without_chips(tpu, catalog), tpu: quota.nominal}
    else:
        shape = quota.flavor.groups[0].shape
        machine = catalog.generation(shape.generation).machine_types[shape.machine_type]
        hosts = -(-quota.nominal // shape.chips_per_host)
        own = {tpu: quota.nominal, _CPU: machine.vcpu * hosts, _MEMORY: f"{machine.memory_gib * hosts}Gi"}
    flavor = _flavor(quota.flavor.name, covered, {**own, **unlimited})
    for key, limit in (("borrowingLimit", quota.borrow), ("lendingLimit", quota.lend)):
        if limit is not None:
            flavor["resources"][covered.index(tpu)][key] = canonical_quantity(limit)
    return flavor


def _flavor(name: str, covered: list[str], quotas: Mapping[str, str | int]) -> dict[str, Any]:
    """A flavor with its quotas, in the order of the covered resources, which Kueue requires."""
    resources = [{"name": one, "nominalQuota": canonical_quantity(quotas[one])} for one in covered]
    return {"name": name, "resources": resources}
