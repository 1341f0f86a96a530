"""The capacity that pods select, and labels that no node has: TPU732, TPU733, TPU735 and TPU799."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import resolve
from pulumi_gke_tpu.core.objects import KubernetesObject, Selection, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Rename, SetKeys, Severity, did_you_mean, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import is_misspelled
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import accelerator_label_meant
from pulumi_gke_tpu.features.check.pod_shapes import ClassSlice, class_slices

_OFF = "false"
_ON = "true"
_GOOGLE = "google"
_MOST_COMPARED = 100
"""How many unknown keys are compared with the labels of GKE, because comparing takes time."""
_BESIDE_CLASS = """
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/compute-class: tpu-v6e
SPOT  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


@rule(
    "TPU732",
    title="Selectors of several capacity modes",
    why="a node has one capacity mode: Spot, flex-start or a reservation. No node has the labels of two modes",
    fix="Select one capacity mode.",
    references=["autoscaler-labels", "gke-autopilot-tpus"],
    failing=tpu_pod(selector='cloud.google.com/gke-spot: "true"\ncloud.google.com/gke-flex-start: "true"'),
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
)
def capacity_selectors_exclude_each_other(context: ManifestContext) -> Iterable[Hit]:
    labels = context.catalog.platform.names.capacity_labels
    for pod in context.tpu_pods:
        found = [
            (label, selected)
            for label in (labels.spot, labels.flex_start, labels.reservation)
            if (selected := pod.selection(label)) is not None and not selected.open and selected.values != (_OFF,)
        ]
        for label, selected in found[1:]:
            yield Hit.conflict(pod.hit_path(selected.path), quoted(label), quoted(found[0][0]), fact=labels)


@warning(
    "TPU799",
    title="Value of a capacity label that no node has",
    why="nodes of the capacity mode have this label with the value `true`, and other nodes do not have the label",
    fix='Use `"true"`, or remove the selector.',
    references=["autoscaler-labels", "gke-autopilot-tpus"],
    failing=tpu_pod(selector='cloud.google.com/gke-spot: "false"'),
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
)
def capacity_label_value(context: ManifestContext) -> Iterable[Hit]:
    names = context.catalog.platform.names
    capacity, node = names.capacity_labels, names.node_labels
    for pod in context.tpu_pods:
        for label, fact in ((capacity.spot, capacity), (capacity.flex_start, capacity), (node.queued, node)):
            selected = pod.selection(label)
            if selected is None or selected.open or _ON in selected.values:
                continue
            place, fix = pod.hit_path(selected.path), SetKeys.of({label: _ON})
            value = ", ".join(selected.values)
            yield Hit.invalid(place, f"value of {quoted(label)}", value, fact=fact, allowed=(_ON,), fix=fix)


@warning(
    "TPU733",
    title="Node selector that resembles a label of GKE",
    why="no node has a label with this key, so the Pods stay Pending",
    fix="Use the label of GKE.",
    references=["autoscaler-labels", "gke-compute-class-concept"],
    failing=tpu_pod(selector='cloud.google.com/gke-flexstart: "true"'),
    passing=tpu_pod(selector='cloud.google.com/gke-flex-start: "true"'),
)
def unknown_node_label(context: ManifestContext) -> Iterable[Hit]:
    known = _known_labels(context.catalog)
    seen: dict[str, str] = {}
    yield from _of_gpus(context)
    for owner, key, path in _named_labels(context):
        if key in known or is_open(key) or (key not in seen and len(seen) == _MOST_COMPARED):
            continue
        if key not in seen:
            seen[key] = _meant(key, known)
        if meant := seen[key]:
            fix = Rename.to(meant) if path[-1] == key else SetKeys.of({str(path[-1]): meant})
            fact = context.catalog.kubernetes.pods.labels
            yield Hit.unknown(owner.at(*path), "node label", key, fact=fact, given=key, allowed=(meant,), fix=fix)


def _named_labels(context: ManifestContext) -> Iterator[tuple[KubernetesObject, str, Path]]:
    """Every label of nodes that Pods, flavors and topologies of Kueue name, with its object and its path there."""
    for pod in context.pods:
        yield from ((pod.owner, key, path) for key, path in (*pod.selected_keys(), *pod.topology_keys()))
    kueue = context.catalog.kubernetes.controllers["kueue"].group
    for flavor in context.of_kind("ResourceFlavor", kueue):
        for key in mapping(flavor.spec.get("nodeLabels")):
            yield flavor, str(key), ("spec", "nodeLabels", key)
    for topology in context.of_kind("Topology", kueue):
        for index, level in enumerate(map(mapping, items(topology.spec.get("levels")))):
            if isinstance(label := level.get("nodeLabel"), str):
                yield topology, label, ("spec", "levels", index, "nodeLabel")


def _of_gpus(context: ManifestContext) -> Iterable[Hit]:
    """The label of GPU nodes in Pods with chips, or in Pods and flavors with the name of a TPU."""
    fact, names = context.catalog.kubernetes.pods.labels, context.catalog.platform.names.node_labels
    with_chips = {id(pod) for pod in context.tpu_pods}
    for pod in context.pods:
        selected = pod.selection(fact.of_gpus)
        if selected is None or selected.open or len(selected.values) != 1:
            continue
        value = selected.values[0]
        name = resolve(context.catalog, value)
        meant = accelerator_label_meant(context.catalog, value) if name is not None else ""
        if name is not None or id(pod) in with_chips:
            reason = f"nodes with TPUs have {names.accelerator}"
            in_selector = fact.of_gpus in pod.node_selector and pod.selection(names.accelerator) is None
            fix = SetKeys.of({names.accelerator: meant}) if in_selector else None
            place, allowed = pod.hit_path(selected.path), (names.accelerator,)
            what = f"{fact.of_gpus}: {value}"
            yield Hit.unknown(place, "node label", what, reason, fact=fact, given=what, allowed=allowed, fix=fix)
    for flavor in context.of_kind("ResourceFlavor", context.catalog.kubernetes.controllers["kueue"].group):
        value = known_text(mapping(flavor.spec.get("nodeLabels")).get(fact.of_gpus))
        if value and resolve(context.catalog, value) is not None:
            place, what = flavor.at("spec", "nodeLabels", fact.of_gpus), f"{fact.of_gpus}: {value}"
            reason = f"nodes with TPUs have {names.accelerator}"
            fix = SetKeys.of({names.accelerator: accelerator_label_meant(context.catalog, value)})
            yield Hit.unknown(place, "node label", what, reason, fact=fact, given=what, fix=fix)


def _known_labels(catalog: Catalog) -> dict[str, str]:
    """The keys of labels, with their names after the domain."""
    names, kubernetes = catalog.platform.names, catalog.kubernetes
    node, capacity, host = names.node_labels, names.capacity_labels, kubernetes.pods.host_name
    keys = {
        *(kubernetes.workloads.nodes.pool, host.label, host.zone_label, host.region_label),
        *kubernetes.pods.labels.known,
        *kubernetes.compute_classes.labels.labels,
        *(node.accelerator, node.topology, node.accelerator_count, node.collection, node.workload, node.queued),
        *(capacity.spot, capacity.flex_start, capacity.reservation, capacity.reservation_project),
    }
    return {key: key.rpartition("/")[2] for key in sorted(keys)}


def _meant(key: str, known: dict[str, str]) -> str:
    """The label that a key stands for; empty if it resembles none."""
    domain, _, name = key.rpartition("/")
    domains = {label.rpartition("/")[0] for label in known}
    if domain not in domains:
        same = [label for label, label_name in known.items() if label_name == name and _GOOGLE in label]
        return same[0] if same and (not domain or _GOOGLE in domain) else ""
    near = did_you_mean(name, known.values())
    if near is None or not is_misspelled(name, near, known.values()):
        return ""
    return next(label for label, label_name in known.items() if label_name == near)


@rule(
    "TPU735",
    title="Node selector beside a ComputeClass that decides it",
    why="GKE rejects Pods that select a ComputeClass and a label that fields of the class stand for",
    fix="Select only the ComputeClass, and set the rest in its priorities.",
    references=["gke-compute-class-concept"],
    otherwise={
        Severity.WARNING: "if the selector is that of a reservation, about which sources disagree, or if no priority "
        "of the class has the selected accelerator and topology",
        Severity.NOTE: "if the selector is one of accelerator and topology, which recipes of Google use too",
    },
    failing=_BESIDE_CLASS.replace("SPOT", '    cloud.google.com/gke-spot: "true"\n'),
    passing=_BESIDE_CLASS.replace("SPOT", ""),
)
def selector_beside_compute_class(context: ManifestContext) -> Iterable[Hit]:
    classes, node = context.catalog.kubernetes.compute_classes, context.catalog.platform.names.node_labels
    classes_group = context.catalog.kubernetes.controllers["compute_class"].group
    for pod in context.pods:
        selected = pod.selection(classes.form.selector)
        if selected is None or selected.open or set(selected.values) <= set(classes.built_in.names):
            continue
        name = f"the ComputeClass {quoted(selected.values[0])}" if len(selected.values) == 1 else "a ComputeClass"
        keys = dict(pod.selected_keys())
        for key, path in keys.items():
            if key in classes.labels.labels:
                yield Hit.conflict(pod.hit_path(path), quoted(key), name, fact=classes.labels.for_item(key))
        shape = [key for key in (node.accelerator, node.topology) if key in keys]
        if shape:
            place, fact = pod.hit_path(keys[shape[0]]), context.catalog.kubernetes.pods.beside_class
            written = context.named("ComputeClass", classes_group, selected.values[0])
            slices = class_slices(written[0]) if written and len(selected.values) == 1 else frozenset()
            different = [key for key in shape if _differs(pod.selection(key), slices, int(key == node.topology))]
            if different:
                message = f"no priority of {name} has the {quoted(different[0])} that {pod.title} selects"
                why, place = "no node has both labels, so the Pods stay Pending", pod.hit_path(keys[different[0]])
                yield Hit(place, message, fact=fact, severity=Severity.WARNING, why=why)
                continue
            message = f"{quoted(shape[0])} is selected beside {name}, which decides it"
            why = "no documentation states whether GKE accepts this selector beside a class; recipes of Google use it"
            yield Hit(place, message, fact=fact, severity=Severity.NOTE, why=why)


def _differs(selected: Selection | None, slices: Iterable[ClassSlice], part: int) -> bool:
    """Whether the slices of a class are known, and none has the selected accelerator or topology."""
    values = {entry[part] for entry in slices}
    return selected is not None and not selected.open and bool(values) and not values & set(selected.values)
