"""The accelerator, topology and zone that pods select: TPU722, TPU723, TPU743, TPU306 and TPU307."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.catalog.topologies import custom_problem, custom_rule
from pulumi_gke_tpu.core.kinds import queue_labels
from pulumi_gke_tpu.core.objects import PodTemplate, Selection, is_open
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, listed, quoted
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import (
    LabeledFamily,
    accelerator_label_meant,
    accelerator_labels,
    all_families,
    family_meant,
    forms_of,
    topologies_of,
)
from pulumi_gke_tpu.features.check.pod_shapes import may_be_any_accelerator, uses_dynamic_slice
from pulumi_gke_tpu.features.check.queued_pods import lacks_slice

_DIMENSIONS_OF_CUBES = 3
_AFFINITY = """
apiVersion: v1
kind: Pod
metadata: {{name: trainer}}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {{key: cloud.google.com/gke-tpu-accelerator, operator: In, values: [tpu-v6e-slice]}}
              - {{key: cloud.google.com/gke-tpu-topology, operator: In, values: {topologies}}}
  containers:
    - name: jax
      image: trainer
      resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""


@rule(
    "TPU722",
    title="Unknown TPU accelerator in a node selector",
    why="no node has this label value, so the Pods stay Pending",
    fix="Use the accelerator label of the generation.",
    references=["autoscaler-labels", "plan-tpus"],
    otherwise={Severity.WARNING: "if Google has announced the accelerator"},
    failing=tpu_pod().replace("v6e-slice", "v6e-podslice"),
    passing=tpu_pod(),
)
def unknown_accelerator_label(context: ManifestContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.node_labels
    known = accelerator_labels(context.catalog)
    for pod in context.tpu_pods:
        selected = pod.selection(labels.accelerator)
        if selected is None or selected.open:
            continue
        for value in selected.values:
            if value not in known:
                name = resolve(context.catalog, value)
                announced = name is not None and name.kind == "announced"
                near = accelerator_label_meant(context.catalog, value)
                yield Hit.unknown(
                    pod.hit_path(selected.path),
                    "accelerator",
                    value,
                    context.catalog.announced[name.generation].answer if name and announced else "",
                    fact=labels.for_item("accelerator"),
                    severity=Severity.WARNING if announced else None,
                    allowed=known,
                    fix=SetKeys.of({labels.accelerator: near}),
                )


@rule(
    "TPU723",
    title="Topology in a node selector that the accelerator does not have",
    why="no node has this combination of labels, so the Pods stay Pending",
    fix="Use a topology of the generation.",
    references=["plan-tpus", "autoscaler-tpu-config"],
    failing=tpu_pod(topology="4x2", chips=8),
    passing=tpu_pod(topology="2x4", chips=8),
)
def unknown_topology_label(context: ManifestContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.node_labels
    for pod in context.tpu_pods:
        accelerator, topology = pod.selection(labels.accelerator), pod.selection(labels.topology)
        if topology is None or topology.open or (accelerator is not None and accelerator.open):
            continue
        if uses_dynamic_slice(pod, context.catalog) and not _is_flat(context, pod):
            continue  # another rule knows which slices the controller forms
        if may_be_any_accelerator(pod, context.catalog):
            yield from _of_no_generation(context, pod, topology)
            continue
        if accelerator is None:
            continue
        families = [family_meant(context.catalog, value) for value in accelerator.values]
        known = [family for family in families if family is not None]
        if not known or len(known) < len(families):
            continue
        for value in topology.values:
            modes = {mode for family in known for form in forms_of(family, value) for mode in form.modes}
            if modes and (context.mode is None or context.mode in modes):
                continue
            names = " and ".join(dict.fromkeys(family.generation_name for family in known))
            on_mode = f" on {context.mode.capitalize()}" if modes and context.mode is not None else ""
            near = _turned(known[0], value)
            yield Hit.unknown(
                pod.hit_path(topology.path),
                "topology",
                value,
                f"{names} does not have it{on_mode}",
                fact=known[0].generation.topologies,
                allowed=_allowed(known, context),
                why=_reason(known[0], value),
                fix=SetKeys.of({labels.topology: near}),
            )


def _is_flat(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether the accelerator has topologies of two dimensions, of which the slice controller forms no slices."""
    family = context.shape(pod).family
    return family is not None and family.generation.dimensions < _DIMENSIONS_OF_CUBES


def _of_no_generation(context: ManifestContext, pod: PodTemplate, topology: Selection) -> Iterable[Hit]:
    """A selected topology that no generation has, if the pods select no accelerator, or one without a meaning."""
    families = tuple(all_families(context.catalog))
    for value in topology.values:
        if not any(forms_of(family, value) for family in families):
            fact = context.catalog.platform.names.node_labels
            yield Hit.unknown(pod.hit_path(topology.path), "topology", value, "no generation has it", fact=fact)


def _allowed(known: list[LabeledFamily], context: ManifestContext) -> tuple[str, ...]:
    shapes = dict.fromkeys(shape for family in known for shape in topologies_of(family, context.mode))
    custom = [family.generation.custom_topologies for family in known]
    return (*shapes, *(custom_rule(item) for item in custom[:1] if item is not None))


def _reason(family: LabeledFamily, value: str) -> str:
    """Why the topology does not exist; empty for the reason of the rule."""
    generation = family.generation
    try:
        shape = Topology.parse(value)
    except ValueError:
        return ""
    if len(shape.dimensions) != generation.dimensions:
        return f"a topology of {family.generation_name} has {generation.dimensions} dimensions"
    return custom_problem(generation.custom_topologies, shape) if generation.custom_topologies is not None else ""


def _turned(family: LabeledFamily, value: str) -> str:
    """The topology with the same dimensions in order, if that one exists."""
    try:
        sides = Topology.parse(value).dimensions
    except ValueError:
        return ""
    ordered = str(Topology(tuple(sorted(sides))))
    return ordered if ordered != value and forms_of(family, ordered) else ""


@warning(
    "TPU743",
    title="Pods with TPUs that do not select both accelerator and topology",
    why="the scheduler can place the Pod on another kind of slice: a host of a larger slice, or another generation",
    fix="Select both labels.",
    references=["plan-tpus", "gke-autopilot-tpus"],
    failing=tpu_pod().replace("    cloud.google.com/gke-tpu-topology: 2x2\n", ""),
    passing=tpu_pod(),
)
def accelerator_without_topology(context: ManifestContext) -> Iterable[Hit]:
    labels, classes = context.catalog.platform.names.node_labels, context.catalog.kubernetes.compute_classes
    pool, host = context.catalog.kubernetes.workloads.nodes.pool, context.catalog.kubernetes.pods.host_name.label
    for pod in context.tpu_pods:
        accelerator, topology = pod.selection(labels.accelerator), pod.selection(labels.topology)
        if (accelerator is not None and topology is not None) or pod.traits.one_per_node or pod.is_open:
            continue
        elsewhere = (classes.form.selector, pool, host)
        if uses_dynamic_slice(pod, context.catalog) or any(pod.selection(label) for label in elsewhere):
            continue
        if lacks_slice(context, pod):
            continue  # another rule reports that, and the topology is an annotation
        if topology is not None:
            yield Hit.missing(pod.hit_path(topology.path), f"selector {labels.accelerator}", fact=labels)
        elif accelerator is not None and len(_topologies_with(context, pod)) > 1:
            shapes = _topologies_with(context, pod)
            reason = "hosts with these chips are in slices of several topologies"
            place = pod.hit_path(accelerator.path)
            yield Hit.missing(place, f"selector {labels.topology}", reason, fact=labels, allowed=shapes)
        elif accelerator is None and _selects_nothing(context, pod):
            names, reason = f"{labels.accelerator} and {labels.topology}", "any host with free chips can take the Pods"
            yield Hit.missing(pod.at("containers"), f"selectors {names}", reason, fact=labels)


def _selects_nothing(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether nothing chooses the nodes of pods that need a certain slice: no label, no name, and no flavor of Kueue.

    On Autopilot, GKE creates the nodes that the labels describe, and only accelerator and topology describe a slice.
    Labels that many nodes have choose none. Pods that find each other by name are one program.
    """
    together = pod.spec.get("subdomain") or pod.traits.names_at or pod.traits.slices == "groups"
    if not pod.has_image or not (context.mode == "autopilot" or (together and (pod.pods or 1) > 1)):
        return False
    label, labels = context.catalog.kubernetes.kueue.labels.queue, mapping(pod.metadata.get("labels"))
    queued = any(label in found or has_open_key(found) for found in (queue_labels(pod.owner), labels))
    affinity, common = pod.spec.get("affinity"), context.catalog.kubernetes.jobset.shared_labels
    chosen = pod.spec.get("nodeName") or is_open(affinity) or is_open(mapping(affinity).get("nodeAffinity"))
    own = any(key not in common for key, _ in pod.selected_keys()) and context.mode != "autopilot"
    return not (queued or chosen or own)


def _topologies_with(context: ManifestContext, pod: PodTemplate) -> tuple[str, ...]:
    """The topologies whose hosts have the chips of a pod; empty if accelerator or chips are unknown."""
    shape = context.shape(pod)
    if shape.family is None or not shape.chips:
        return ()
    found = topologies_of(shape.family, context.mode)
    return tuple(
        value for value in found if any(form.chips_per_host == shape.chips for form in forms_of(shape.family, value))
    )


@warning(
    "TPU306",
    title="Accelerator in a zone that does not have it",
    why="the zones or regions that the Pods select have no machines with the accelerator, as far as the catalog lists "
    "them, so the Pods stay Pending",
    fix="Select a zone of the accelerator, or remove the selector. `gke-tpu catalog` lists the zones.",
    references=["plan-tpus", "tpu-regions-zones"],
    failing=tpu_pod(selector="topology.kubernetes.io/zone: us-west4-b"),
    passing=tpu_pod(selector="topology.kubernetes.io/zone: us-east5-b"),
)
def accelerator_outside_its_zones(context: ManifestContext) -> Iterable[Hit]:
    host = context.catalog.kubernetes.pods.host_name
    for pod in context.tpu_pods:
        family = context.shape(pod).family
        for label in (host.zone_label, host.region_label):
            selected = pod.selection(label)
            if family is None or selected is None or selected.open:
                continue
            zones = context.catalog.zones.of_family(family.name)
            values = zones if label == host.zone_label else tuple(map(region_of, zones))
            if not zones or set(selected.values) & set(values):
                continue
            noun = "zone" if label == host.zone_label else "region"
            message = f"no source lists {family.generation_name} in the {noun} {listed(selected.values, 'or', most=3)}"
            fact = context.catalog.zones.families[family.name].documented
            allowed = tuple(dict.fromkeys(values))
            yield Hit(pod.hit_path(selected.path), message, fact=fact, allowed=allowed)


@warning(
    "TPU307",
    title="Affinity that names several topologies",
    why="the admission of GKE rejects Pods whose affinity names several topologies, and node auto-provisioning "
    "supports one value of a label",
    fix="Name one topology. For a choice of slices, use a ComputeClass with priorities, or one workload for each.",
    references=["cluster-toolkit-admission", "wolfictl-affinity"],
    failing=_AFFINITY.format(topologies="[2x2, 2x4]"),
    passing=_AFFINITY.format(topologies="[2x2]"),
)
def several_topologies(context: ManifestContext) -> Iterable[Hit]:
    labels, fact = context.catalog.platform.names.node_labels, context.catalog.kubernetes.pods.affinity
    for pod in context.tpu_pods:
        selected = pod.selection(labels.topology)
        if selected is not None and len(selected.values) > fact.topologies and not selected.open:
            names = listed([quoted(value) for value in selected.values], most=3)
            yield Hit(pod.hit_path(selected.path), f"the affinity names the topologies {names}", fact=fact)
