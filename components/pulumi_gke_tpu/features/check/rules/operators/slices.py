"""Objects of the kind Slice, which GKE forms of partitions: TPU881, TPU882 and TPU898."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, number, quoted
from pulumi_gke_tpu.core.text.formats.names import is_label_value
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queued_pods import is_queued

_NAME = lazy_pattern(r"[a-z](?:[-a-z0-9]*[a-z0-9])?\Z", re.ASCII)
_SLICE = """
apiVersion: accelerator.gke.io/v1beta1
kind: Slice
metadata: {name: research}
spec: {type: tpu7x, topology: 4x4x8, partitionIds: [p-1, p-2]}
"""


_POD = """
---
apiVersion: v1
kind: Pod
metadata: {name: train-0, annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x8}}
spec:
  nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-slice: research}
  tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
  containers: [{name: train, image: 'train:8', resources: {limits: {google.com/tpu: 4}}}]
"""


@rule(
    "TPU881",
    title="Slice that GKE cannot form",
    why="the API server accepts every topology of the form AxBxC and every list of partitions. GKE forms a slice only "
    "of one partition for each of its cubes, or of one partition for a part of a cube",
    fix="List one partition ID of the nodes for each cube, each once.",
    references=["gke-slice-reference", "gke-dynamic-slicing-scheduler", "slicing-outcomes"],
    failing=_SLICE.replace("[p-1, p-2]", "[p-1]"),
    passing=_SLICE,
)
def slice_that_cannot_form(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.dynamic_slices
    owners: dict[str, tuple[Path, str]] = {}
    for owner in context.slices():
        topology, partitions = known_text(owner.spec.get("topology")), items(owner.spec.get("partitionIds"))
        if known_text(owner.spec.get("type")) not in facts.generations:
            continue
        reason = unformable(facts, topology) if topology else ""
        if reason:
            advice = "Use dimensions that are multiples of 4 and do not decrease, or a part of a cube such as 2x2x4."
            place = owner.at("spec", "topology")
            yield Hit.invalid(place, "slice topology", topology, reason, fact=facts, advice=advice)
        elif topology and isinstance(owner.spec.get("partitionIds"), list) and not any(map(is_open, partitions)):
            needed = facts.cubes(Topology.parse(topology).chips)
            if len(partitions) != needed:
                has = number(len(partitions), "partition")
                message = f"a slice of {topology} has {number(needed, 'partition')}, not {has}"
                yield Hit(owner.at("spec", "partitionIds"), message, fact=facts)
        for index, name in enumerate(partitions):
            place = owner.at("spec", "partitionIds", index)
            if not isinstance(name, str) or is_open(name):
                continue
            if not name or not is_label_value(name):
                yield Hit.invalid(place, "partition ID", name, "nodes have it as the value of a label", fact=facts)
                continue
            first, user = owners.setdefault(name, (place, owner.title))
            if first != place:
                yield Hit(place, f"partition {quoted(name)} is already used by {user}", fact=facts)


@rule(
    "TPU882",
    title="Invalid name of a slice",
    why="GKE appends a hash to the name of a slice, in names of Compute Engine with at most 63 characters, and nodes "
    "have the name in a label",
    fix="Use a shorter name of lower-case letters, digits and hyphens that begins with a letter.",
    references=["gke-slice-reference", "xpk-slice-controller", "slicing-outcomes"],
    otherwise={Severity.WARNING: "if versions of the documentation disagree about the length"},
    failing=_SLICE.replace("research", "research-" * 7 + "a"),
    passing=_SLICE,
)
def invalid_slice_name(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.slice_names
    for owner in context.slices():
        name, path = known_text(owner.metadata.get("name")), owner.at("metadata", "name")
        if len(name) > facts.longest:
            reason = f"it has {len(name)} characters, and {facts.longest} are allowed"
            fact = facts.about_length(len(name))
            yield Hit.invalid(path, "name of a slice", name, reason, fact=fact)
        elif name and not _NAME.match(name):
            reason = "use lower-case letters, digits and hyphens, with a letter first"
            yield Hit.invalid(path, "name of a slice", name, reason, fact=facts.for_item("form"))


@rule(
    "TPU898",
    title="Slice that does not fit the Pods that select it",
    why="nodes of a slice have its topology, and the Pods of a workload need one host each of the whole slice. Pods "
    "for which it has no host stay Pending",
    fix="Use the topology of the slice in the annotation and the selector of the Pods, with one Pod for each host. Or "
    "select another slice. For several slices, remove the selector and let Kueue form them, or write a workload for "
    "each.",
    references=["gke-dynamic-slicing-scheduler", "slicing-outcomes"],
    otherwise={Severity.WARNING: "if several objects select the slice, which can run one after the other"},
    failing=_SLICE.replace("4x4x8, partitionIds: [p-1, p-2]", "4x4x4, partitionIds: [p-1]") + _POD,
    passing=_SLICE + _POD,
)
def selected_slice_does_not_fit(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.dynamic_slices
    topologies = {owner.name: known_text(owner.spec.get("topology")) for owner in context.slices()}
    whole = {owner.name: len(items(owner.spec.get("partitionIds"))) for owner in context.slices()}
    users: dict[str, dict[int, tuple[PodTemplate, int]]] = {}
    for pod in context.tpu_pods:
        selected, wanted = pod.selection(facts.slice_label), context.shape(pod).topology
        if selected is None or selected.open or pod.is_open or len(selected.values) != 1:
            continue
        name = selected.values[0]
        topology = topologies.get(name, wanted)
        if not topology or unformable(facts, topology):
            continue  # another rule reports the slice
        most = Topology.parse(topology).chips
        if whole.get(name) not in (None, facts.cubes(most)):
            continue  # as above
        if wanted not in ("", topology):
            message = f"slice {quoted(name)} has topology {topology}, but {pod.title} is for {wanted}"
            yield Hit(pod.hit_path(selected.path), message, fact=facts)
            continue
        chips = 0 if is_queued(context, pod.owner) else _chips_at_once(context, pod)
        if chips > most:
            message = f"slice {quoted(name)} has {most:,} chips, but {pod.title} needs {chips:,} at once"
            yield Hit(pod.hit_path(selected.path), message, fact=facts)
            continue
        found = users.setdefault(name, {})
        _, before = found.get(pod.owner.index, (pod, 0))
        found[pod.owner.index] = (pod, before + chips)
        if before <= most < before + chips:
            message = f"slice {quoted(name)} has {most:,} chips, but all Pods of {pod.owner.title} need "
            yield Hit(pod.hit_path(selected.path), f"{message}{before + chips:,} at once", fact=facts)
        first, others = next((each for index, each in found.items() if index != pod.owner.index), (pod, 0))
        if not before and others and others + chips > most:
            message = f"slice {quoted(name)} has hosts for {first.owner.title} or for {pod.owner.title}, not for both"
            yield Hit(pod.hit_path(selected.path), message, fact=facts, severity=Severity.WARNING)


def _chips_at_once(context: ManifestContext, pod: PodTemplate) -> int:
    """The chips of all Pods of a template, 0 if they are unknown, or do not start with those of other templates."""
    if pod.owner.spec.get("suspend") is True or "dependsOn" in mapping(value_at(pod.owner.data, pod.groups_at[:-1])):
        return 0
    return (pod.pods or 0) * (pod.groups or 1) * (context.shape(pod).chips or 0)
