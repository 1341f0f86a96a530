"""Pods in queues: the flavors that can admit them, and whether they state the slice that they need there."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds import queue_labels
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.text.findings import quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import different_label, flavors_of, untolerated_taints

KUEUE_PLACES = "kueue.x-k8s.io/podset-"
"""The beginning of the annotations by which Pods ask Kueue for places."""
_LEVELS = tuple(f"{KUEUE_PLACES}{name}-topology" for name in ("required", "preferred", "slice-required"))


def is_queued(context: ManifestContext, owner: KubernetesObject) -> bool:
    """Whether an object states the queue of Kueue that it waits in."""
    return queue_labels(owner).get(context.catalog.kubernetes.kueue.labels.queue) not in (None, "")


def flavors_with_chips(context: ManifestContext, queue: KubernetesObject) -> list[KubernetesObject]:
    """The flavors of a ClusterQueue that have chips; none if the files do not have all of its flavors.

    A flavor without chips in any queue, such as one for heads, serves no Pods with chips.
    """
    facts = context.catalog.kubernetes
    resource, kueue = facts.pods.resource.name, facts.controllers["kueue"].group
    found: list[KubernetesObject] = []
    for group in map(mapping, items(queue.spec.get("resourceGroups"))):
        for flavor in items(group.get("flavors")) if resource in items(group.get("coveredResources")) else ():
            name = known_text(mapping(flavor).get("name"))
            objects = context.named("ResourceFlavor", kueue, name)
            if not objects:
                return []
            found += objects if name in context.chip_flavors else ()
    return found


def lacks_slice(context: ManifestContext, pod: PodTemplate) -> str:
    """Why queued Pods need the topology of a slice that they do not state; empty if they state it, or need none.

    Kueue itself places such Pods if every flavor of the queue has a Topology.
    """
    facts = context.catalog.kubernetes.pods.dynamic_slices
    if any(key == facts.annotation or key.startswith(KUEUE_PLACES) for key in pod.annotations) or pod.is_open:
        return ""
    queue = context.cluster_queue(pod.owner)
    if queue is not None and _has_slices_only(context, queue, pod):
        return f"{queue.title} has chips for slices of cubes only"
    if is_queued(context, pod.owner) and selects_cubes(context, pod):
        return f"{pod.title} selects cubes, of which nothing forms its slice"
    return ""


def _has_slices_only(context: ManifestContext, queue: KubernetesObject, pod: PodTemplate) -> bool:
    """Whether all flavors with chips that can admit the Pods have a Topology, and another flavor has none."""
    group = context.catalog.kubernetes.controllers["kueue"].group
    every = [found for name in flavors_of(queue) for found in context.named("ResourceFlavor", group, name)]
    admitting = [
        flavor
        for flavor in flavors_with_chips(context, queue)
        if different_label(pod, flavor) is None and not any(untolerated_taints(pod, flavor))
    ]
    placing = [flavor for flavor in admitting if flavor.spec.get("topologyName")]
    return bool(admitting) and placing == admitting and any(not flavor.spec.get("topologyName") for flavor in every)


def selects_cubes(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether Pods select hosts of cubes by their mode, and neither a slice nor a node pool or topology."""
    facts, pool = context.catalog.kubernetes.pods.dynamic_slices, context.catalog.kubernetes.workloads.nodes.pool
    mode = pod.selection(facts.mode_label)
    others = (facts.slice_label, context.catalog.platform.names.node_labels.topology, pool)
    return mode is not None and mode.values == (facts.mode,) and not any(pod.selection(label) for label in others)


def asked_levels(pod: PodTemplate) -> Iterator[tuple[str, str]]:
    """The annotations of Pods that name a level of a Topology, each with the level."""
    for annotation in _LEVELS:
        level = pod.annotations.get(annotation)
        if isinstance(level, str) and level and not is_open(level):
            yield annotation, level


def levels_of(context: ManifestContext, flavor: KubernetesObject) -> tuple[KubernetesObject, list[str]] | None:
    """The Topology of a flavor and the labels of its levels; None if the files do not have it."""
    group = context.catalog.kubernetes.controllers["kueue"].group
    found = context.named("Topology", group, known_text(flavor.spec.get("topologyName")))
    labels = [mapping(level).get("nodeLabel") for level in items(found[0].spec.get("levels"))] if found else []
    return None if not labels or any(map(is_open, labels)) else (found[0], [*map(known_text, labels)])


def lacks_level(context: ManifestContext, flavor: KubernetesObject, level: str) -> str:
    """Why a flavor does not have a level of a Topology; empty if it has it, or if that is not known."""
    name = flavor.spec.get("topologyName")
    if is_open(name):
        return ""
    if not name:
        return f"{quoted(flavor.name)} has no `topologyName`"
    levels = levels_of(context, flavor)
    if levels is None or level in levels[1]:
        return ""
    return f"{levels[0].title} of {quoted(flavor.name)} has no such level"
