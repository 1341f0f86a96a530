"""Selectors of one Pod that no node can match together: TPU378."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Fact
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.pods import label_value, required_terms
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, listed, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import forms_of

_NONE = ("NotIn", "DoesNotExist")


@rule(
    "TPU378",
    title="Selectors that no node matches together",
    why="a node must match the node selector and a term of the required affinity, and it has one machine type. No node "
    "does, so the Pods stay Pending",
    fix="Select each label once, with the value of the nodes.",
    references=["plan-tpus", "autoscaler-labels"],
    failing=tpu_pod(selector="node.kubernetes.io/instance-type: ct6e-standard-8t"),
    passing=tpu_pod(selector="node.kubernetes.io/instance-type: ct6e-standard-4t"),
)
def contradicting_selectors(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        yield from _against_affinity(context, pod)
        yield from _other_machines(context, pod)


def _against_affinity(context: ManifestContext, pod: PodTemplate) -> Iterator[Hit]:
    """A term of the affinity that excludes the value of the node selector, if all terms do."""
    found: list[tuple[Path, str]] = []
    terms = list(required_terms(pod))
    for path, term in terms:
        excluded = next(_excluded(pod, path, mapping(term)), None)
        if excluded is None:
            return
        found.append(excluded)
    for place, label in found[:1]:
        value = label_value(pod.node_selector[label])
        message = f"the affinity excludes nodes with {quoted(f'{label}: {value}')}, which the node selector requires"
        yield Hit(pod.hit_path(place), message, fact=context.catalog.platform.names.node_labels)


def _excluded(pod: PodTemplate, path: Path, term: dict[str, object]) -> Iterator[tuple[Path, str]]:
    for index, expression in enumerate(items(term.get("matchExpressions"))):
        entry = mapping(expression)
        label, operator = entry.get("key"), entry.get("operator")
        value = pod.node_selector.get(label) if isinstance(label, str) else None
        values = tuple(map(label_value, items(entry.get("values"))))
        if not isinstance(label, str) or value is None or is_open(value) or any(map(is_open, values)):
            continue
        inside = label_value(value) in values
        if (operator == "In" and not inside) or (operator in _NONE and (inside or operator == "DoesNotExist")):
            yield (*path, "matchExpressions", index, "values" if "values" in entry else "operator"), label


def _other_machines(context: ManifestContext, pod: PodTemplate) -> Iterator[Hit]:
    """Chips per host and machine types that slices of the selected topology do not have."""
    shape, labels = context.shape(pod), context.catalog.platform.names.node_labels
    forms = forms_of(shape.family, shape.topology) if shape.family is not None and shape.topology else ()
    if not forms or shape.family is None:
        return
    slice_ = f"slices {shape.topology} of {shape.family.generation_name}"
    nodes = context.catalog.kubernetes.pods.host_name
    for label, allowed, fact in (
        (labels.accelerator_count, {str(form.chips_per_host) for form in forms}, labels.for_item("accelerator_count")),
        (nodes.machine_type_label, {form.machine_type for form in forms}, shape.family.generation.topologies),
    ):
        yield from _unmatched(pod, label, sorted(allowed), slice_, fact)


def _unmatched(pod: PodTemplate, label: str, allowed: list[str], slice_: str, fact: Fact) -> Iterator[Hit]:
    selected = pod.selection(label)
    if selected is None or selected.open or set(selected.values) & set(allowed):
        return
    fix = SetKeys.of({label: allowed[0]}) if len(allowed) == 1 else None
    message = f"{slice_} have no nodes with {quoted(f'{label}: {listed(selected.values)}')}"
    yield Hit(pod.hit_path(selected.path), message, fact=fact, allowed=tuple(allowed), fix=fix)
