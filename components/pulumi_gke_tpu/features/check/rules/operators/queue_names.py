"""Names that queues and workloads refer to: TPU751."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.kubernetes.kueue import CPU_FLAVOR
from pulumi_gke_tpu.core.objects import KubernetesObject
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, Severity, did_you_mean
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, queues
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, of_kueue

_SYSTEM = "system-"
_PRIORITIES = ("PriorityClass", "WorkloadPriorityClass")
_MOST_NAMES = 50
"""With more names, a finding lists and suggests none: the work would grow with the square of their number."""


@warning(
    "TPU751",
    otherwise={Severity.ERROR: "if a ClusterQueue names a flavor that it does not have"},
    title="Name of a queue, flavor or priority class that neither the files nor the plan define",
    why="Kueue reports nothing about a name that does not exist: the queue stays inactive, or no Workload is created. "
    "The files or the plan define other objects of this kind, or those that belong to it",
    fix="Correct the name, or add the object to the files.",
    references=["kueue-clusterqueue-api", "kueue-clusterqueue-webhook", "kueue-constants"],
    failing=changed(queues(), ("- name: v6e\n", "- name: v6e-8x8\n")),
    passing=queues(),
)
def unknown_queue_object(context: ManifestContext) -> Iterable[Hit]:
    """Only kinds of which the files define an object, or the plan a priority class; another rule has LocalQueues."""
    fact = context.catalog.kubernetes.kueue.labels
    known: dict[str, dict[str, None]] = {}
    for owner, path, kind, name in _references(context):
        if kind not in known:
            known[kind] = {found.name: None for found in context.objects if found.kind == kind}
            if known[kind] or kind in _PRIORITIES:
                known[kind] |= dict.fromkeys(_of_plan(context, kind))
        asked = known[kind] or _has_the_rest(context, owner, kind, name)
        if name and asked and name not in known[kind] and "" not in known[kind]:
            allowed = tuple(known[kind]) if len(known[kind]) <= _MOST_NAMES else ()
            near = did_you_mean(name, allowed) or ""
            yield Hit.unknown(owner.at(*path), kind, name, fact=fact, allowed=allowed, fix=Replace.value(near))
    for owner in of_kueue(context, "ClusterQueue"):
        flavors = tuple(known_text(flavor.get("name")) for _, flavor in _flavors(owner))
        for path, check in entries(owner, "spec", "admissionChecksStrategy", "admissionChecks"):
            for index, value in enumerate(items(check.get("onFlavors")) if flavors else ()):
                if known_text(value) and value not in flavors and "" not in flavors:
                    place = owner.at(*path, "onFlavors", index)
                    what = f"flavor of {owner.title}"
                    yield Hit.unknown(place, what, value, fact=fact, severity=Severity.ERROR, allowed=flavors)


def _has_the_rest(context: ManifestContext, owner: KubernetesObject, kind: str, name: str) -> bool:
    """Whether the files have what belongs to a priority class, so that they would have it too.

    For a WorkloadPriorityClass, this is the queue of the workload; for a PriorityClass, that of Kueue with its name.
    """
    if kind == "WorkloadPriorityClass":
        return context.cluster_queue(owner) is not None
    group = context.catalog.kubernetes.controllers["kueue"].group
    return kind == "PriorityClass" and bool(context.named("WorkloadPriorityClass", group, name))


def _of_plan(context: ManifestContext, kind: str) -> Iterator[str]:
    """The names of the objects of a kind that the plan asks for."""
    for objects in context.objects_of_plan:
        if kind == "PriorityClass" or (kind == "WorkloadPriorityClass" and objects.queues):
            yield from (item.name for item in objects.priority_classes)
        elif kind == "ClusterQueue":
            yield from (queue.name for queue in objects.queues)
        elif kind == "ResourceFlavor" and objects.queues:
            yield CPU_FLAVOR
            yield from (quota.flavor.name for queue in objects.queues for quota in queue.quotas)


def _flavors(owner: KubernetesObject) -> Iterator[tuple[Path, dict[str, object]]]:
    for group, _ in entries(owner, "spec", "resourceGroups"):
        yield from entries(owner, *group, "flavors")


def _references(context: ManifestContext) -> Iterator[tuple[KubernetesObject, Path, str, str]]:
    """Every name that refers to another object: its object, its path, and the kind and name that it means."""
    yield from _references_of_queues(context)
    key = context.catalog.kubernetes.kueue.labels.priority_class
    for owner in context.objects:
        if key in owner.labels:
            yield owner, ("metadata", "labels", key), "WorkloadPriorityClass", known_text(owner.labels[key])
    for pod in context.pods:
        name = known_text(pod.spec.get("priorityClassName"))
        if name and not name.startswith(_SYSTEM):
            yield pod.owner, (*pod.path, "spec", "priorityClassName"), "PriorityClass", name


def _references_of_queues(context: ManifestContext) -> Iterator[tuple[KubernetesObject, Path, str, str]]:
    for owner in of_kueue(context, "ClusterQueue"):
        for path, flavor in _flavors(owner):
            yield owner, (*path, "name"), "ResourceFlavor", known_text(flavor.get("name"))
        for path, check in entries(owner, "spec", "admissionChecksStrategy", "admissionChecks"):
            yield owner, (*path, "name"), "AdmissionCheck", known_text(check.get("name"))
    for owner in of_kueue(context, "ResourceFlavor"):
        yield owner, ("spec", "topologyName"), "Topology", known_text(owner.spec.get("topologyName"))
    for owner in of_kueue(context, "LocalQueue"):
        yield owner, ("spec", "clusterQueue"), "ClusterQueue", known_text(owner.spec.get("clusterQueue"))
    for owner in of_kueue(context, "AdmissionCheck"):
        parameters = mapping(owner.spec.get("parameters"))
        if parameters.get("kind") == "ProvisioningRequestConfig":
            name = known_text(parameters.get("name"))
            yield owner, ("spec", "parameters", "name"), "ProvisioningRequestConfig", name
