"""The keys of workloads: those of the Pod template, and those of each kind."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.fleet.model import SliceGroup
from pulumi_gke_tpu.core.fleet.workloads import flavor_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.kinds.pods import slice_type
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.features.adopt.objects.given import GivenObjects, Relevance
from pulumi_gke_tpu.features.adopt.objects.proposals import NoKeysError, shortest
from pulumi_gke_tpu.features.adopt.objects.templates import TemplateKeys, duration, exit_codes


@frozen(eq=False)
class WorkloadObject:
    """A workload that exists."""

    object: KubernetesObject
    pods: PodTemplate
    """The Pods with chips."""
    leader: PodTemplate | None
    """The template of the leaders, if they have one of their own."""
    beside: GivenObjects

    def of_its_name(self, kind: str) -> KubernetesObject | None:
        """The object of another kind with its namespace and name."""
        own = (self.object.namespace, self.object.name)
        return next((item for item in self.beside.of(*_BESIDE[kind]) if (item.namespace, item.name) == own), None)


_BESIDE = {"autoscaler": ("HorizontalPodAutoscaler", "autoscaling"), "budget": ("PodDisruptionBudget", "policy")}


def workload_object(item: KubernetesObject, given: GivenObjects, relevance: Relevance) -> WorkloadObject:
    """A workload with its Pod templates.

    Raises:
        NoKeysError: it has other Pods, or gke-tpu finds no keys for its kind.
    """
    if item.kind not in _KINDS:
        raise NoKeysError(f"gke-tpu adopts no objects of kind {item.kind}")
    templates = list(pod_templates(item))
    leaders = [one for one in templates if one.traits.leader]
    others = [one for one in templates if not one.traits.leader]
    if len(others) != 1 or len(leaders) > 1 or not relevance.uses_tpus(others[0]):
        raise NoKeysError("it has Pods of several kinds")
    return WorkloadObject(item, others[0], leaders[0] if leaders else None, given)


def keys_of_workload(
    item: WorkloadObject, groups: Sequence[SliceGroup], catalog: Catalog, *, commands: bool
) -> dict[str, Any]:
    """The keys of a workload on the slices of a group, or of one of several.

    Raises:
        NoKeysError: it could hold a secret.
    """
    first, *others = groups
    asked = _topology_of_cubes(item.pods, catalog) if first.dynamic else None
    if asked is not None:
        first = replace(first, shape=replace(first.shape, topology=asked))
    derived = slice_type(first.shape, catalog) if first.dynamic and item.object.kind == "Job" else {}
    template = TemplateKeys(item.pods, catalog, commands=commands, derived=derived)
    pods = template.keys(first)
    image = {"image": pods.pop("image")} if "image" in pods else {}
    queue = _queue(item, catalog)
    return {
        "slices": _key(first),
        **shortest(fallback=[_key(group) for group in others]),
        **image,
        **_KINDS[item.object.kind](item, template, first),
        **_leader(item, image.get("image"), pods, catalog, commands=commands),
        **shortest(topology=str(asked or ""), partitions=_partitions(item, catalog) if first.dynamic else []),
        **shortest(namespace=item.object.namespace, queue=queue),
        **pods,
    }


def groups_for(
    item: WorkloadObject, groups: tuple[SliceGroup, ...], catalog: Catalog
) -> Iterator[tuple[SliceGroup, ...]]:
    """The slice groups whose nodes the Pods can select: each alone, and before that those whose flavors they tolerate.

    Kueue tries several flavors in the order of the queue. The Pods of an admitted workload can select the node pool
    that Kueue has chosen.
    """
    selector = item.pods.node_selector
    labels, pool = catalog.platform.names.node_labels, catalog.kubernetes.workloads.nodes.pool
    taint = catalog.kubernetes.kueue.flavors.taint_key
    tolerated = {
        text(one.get("value"))
        for one in map(mapping, items(item.pods.spec.get("tolerations")))
        if one.get("key") == taint
    }
    asked = _topology_of_cubes(item.pods, catalog)
    found = [
        group
        for group in groups
        if selector.get(labels.accelerator) in (None, group.shape.accelerator_label)
        and group.dynamic == (asked is not None)
        and selector.get(labels.topology) in (None, str(asked or group.shape.topology))
    ]
    order = _flavors(item, catalog)
    together = sorted(
        (group for group in found if group.name in tolerated),
        key=lambda group: order.index(flavor_name(group)) if flavor_name(group) in order else len(order),
    )
    if len(together) > 1:
        yield tuple(together)
    for group in found:
        if selector.get(pool) in (None, *(one.name for one in group.pools)):
            yield (group,)


def _topology_of_cubes(pods: PodTemplate, catalog: Catalog) -> Topology | None:
    """The topology of the slices that GKE forms of cubes for the Pods; None if they ask for none."""
    try:
        return Topology.parse(text(pods.annotations.get(catalog.kubernetes.pods.dynamic_slices.annotation)))
    except ValueError:
        return None


def _partitions(item: WorkloadObject, catalog: Catalog) -> list[list[str]]:
    """The partitions of each slice of a workload, from the slices with its name, or its name and a number."""
    kind, name = catalog.kubernetes.kinds.objects["slice"], item.object.name
    found = {one.name: one for one in item.beside.of(kind.kind, kind.api_version.partition("/")[0])}
    numbered = takewhile(found.__contains__, (f"{name}-{number}" for number in count()))
    names = [name] if name in found else list(numbered)
    return [[text(one) for one in items(found[own].spec.get("partitionIds"))] for own in names]


def _flavors(item: WorkloadObject, catalog: Catalog) -> list[str]:
    """The flavors of the queue of a workload, in its order."""
    kind = catalog.kubernetes.kinds.objects["cluster_queue"]
    queues = item.beside.of(kind.kind, kind.api_version.partition("/")[0])
    queue = next((one for one in queues if one.name == _queue(item, catalog)), None)
    parts = items(queue.spec.get("resourceGroups")) if queue is not None else []
    return [text(mapping(one).get("name")) for part in parts for one in items(mapping(part).get("flavors"))]


def _queue(item: WorkloadObject, catalog: Catalog) -> str | None:
    queue = item.object.labels.get(catalog.kubernetes.kueue.labels.queue)
    return queue if isinstance(queue, str) else None


def _key(group: SliceGroup) -> str:
    return str(group.path[-1])


def _job(item: WorkloadObject, template: TemplateKeys, group: SliceGroup) -> dict[str, Any]:
    spec = item.object.spec
    return {
        **_count(spec.get("completions"), group.shape.hosts),
        **_ends(spec, spec, spec.get("backoffLimit"), template),
    }


def _jobset(item: WorkloadObject, template: TemplateKeys, _: SliceGroup) -> dict[str, Any]:
    job = mapping(item.object.value(*item.pods.controlled_by))
    failure = mapping(item.object.spec.get("failurePolicy"))
    return {
        "kind": "jobset",
        **_count(item.pods.groups, 1),
        **_ends(item.object.spec, job, failure.get("maxRestarts"), template),
    }


def _deployment(item: WorkloadObject, template: TemplateKeys, _: SliceGroup) -> dict[str, Any]:
    return {"kind": "deployment", **_count(item.object.spec.get("replicas"), 1), **_serving(item, template, 1)}


def _leaderworkerset(item: WorkloadObject, template: TemplateKeys, group: SliceGroup) -> dict[str, Any]:
    size = mapping(item.object.spec.get("leaderWorkerTemplate")).get("size")
    pods = size if isinstance(size, int) and size > 0 else group.shape.hosts
    answering = TemplateKeys(item.leader, template.catalog, commands=False) if item.leader is not None else template
    count = _count(item.object.spec.get("replicas"), 1)
    return {"kind": "leaderworkerset", **count, **_serving(item, answering, pods)}


_KINDS: Mapping[str, Callable[[WorkloadObject, TemplateKeys, SliceGroup], dict[str, Any]]] = {
    "Job": _job,
    "JobSet": _jobset,
    "Deployment": _deployment,
    "LeaderWorkerSet": _leaderworkerset,
}


def _leader(
    item: WorkloadObject, image: object, pods: Mapping[str, Any], catalog: Catalog, *, commands: bool
) -> dict[str, Any]:
    """The key `head`, if the leaders are Pods without chips."""
    if item.leader is None or any(
        one.amount("limits", catalog.kubernetes.pods.resource.name) for one in item.leader.containers()
    ):
        return {}
    own = TemplateKeys(item.leader, catalog, commands=commands).head()
    return {
        "head": shortest(
            image=own.get("image") if own.get("image") != image else None,
            command=own.get("command") if own.get("command") != pods.get("command") else None,
            cpu=own.get("cpu"),
            memory=own.get("memory"),
        )
    }


def _ends(owner: Mapping[str, Any], job: Mapping[str, Any], restarts: object, template: TemplateKeys) -> dict[str, Any]:
    rules = items(mapping(job.get("podFailurePolicy")).get("rules"))
    return shortest(
        ports=template.ports()[1],
        max_restarts=restarts or None,
        exit_codes=exit_codes(rules),
        deadline=duration(job.get("activeDeadlineSeconds")),
        ttl=duration(owner.get("ttlSecondsAfterFinished")),
    )


def _serving(item: WorkloadObject, template: TemplateKeys, pods: int) -> dict[str, Any]:
    port, named = template.ports()
    return shortest(
        port=port,
        ports=named,
        probes=template.probes(port),
        autoscale=_autoscale(item.of_its_name("autoscaler")),
        disruption_budget=_budget(item.of_its_name("budget"), pods),
    )


def _autoscale(autoscaler: KubernetesObject | None) -> dict[str, Any]:
    if autoscaler is None:
        return {}
    metric = mapping(next(iter(items(autoscaler.spec.get("metrics"))), None))
    pods = mapping(metric.get("pods"))
    return shortest(
        min=autoscaler.spec.get("minReplicas"),
        max=autoscaler.spec.get("maxReplicas"),
        metric=text(mapping(pods.get("metric")).get("name")),
        target=mapping(pods.get("target")).get("averageValue"),
    )


def _budget(budget: KubernetesObject | None, pods: int) -> dict[str, int]:
    """The limits in slices; see ``core/kinds/serving.py`` for those in Pods."""
    if budget is None:
        return {}
    lost, left = budget.spec.get("maxUnavailable"), budget.spec.get("minAvailable")
    if isinstance(lost, int):
        return {"max_unavailable": (lost - 1) // pods + 1 if lost else 0}
    return {"min_available": (left + 1) // pods - 1} if isinstance(left, int) else {}


def _count(pods: object, hosts: int) -> dict[str, int]:
    """The number of slices, if it is not one."""
    slices = pods // hosts if isinstance(pods, int) and not isinstance(pods, bool) else 1
    return {"count": slices} if slices > 1 else {}
