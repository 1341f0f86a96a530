"""Environment variables, values that must be text, and values of labels: TPU738, TPU755 and TPU308."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.pods import required_terms
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.texts import metadata_values, values_of, values_that_are_not_text, variables_of

_LONGEST_LABEL = 63
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?\Z", re.ASCII)


@rule(
    "TPU738",
    "variable-that-gke-sets",
    severity=Severity.WARNING,
    title="Environment variable that GKE sets",
    why="GKE or the controller gives each pod of a slice its own value; the same value in all pods keeps the slice "
    "from starting",
    fix="Remove the variable.",
    references=["jobset-multislice", "kubernetes-engine-samples"],
    failing=tpu_job().replace(
        "          image: trainer\n",
        '          image: trainer\n          env: [{name: TPU_WORKER_ID, value: "0"}]\n',
    ),
    passing=tpu_job(),
)
def variable_that_gke_sets(context: ManifestContext) -> Iterable[Hit]:
    """GKE sets the variables of several slices for a JobSet only if all of its Pods have chips: Pathways sets them."""
    fact, resource = context.catalog.kubernetes.pods.variables, context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        hosts, slices = context.shape(pod).hosts or 1, pod.groups or 1 if pod.traits.multislice else 1
        if hosts * slices == 1 or pod.traits.leader:
            continue
        with_head = any(other.chips(resource) == 0 for other in context.pods_by_owner[pod.owner.index])
        names = (*fact.always, *(fact.multislice if pod.traits.multislice and not with_head else ()))
        for path, entry in variables_of(pod):
            if entry.get("name") in names and entry.get("value") not in (None, "") and not is_open(entry["value"]):
                name = quoted(entry["name"])
                yield Hit(pod.hit_path((*path, "name")), f"{name} has a fixed value in all pods", fact=fact)


@rule(
    "TPU755",
    "text-required",
    title="Number, boolean or mapping where Kubernetes requires text",
    why="YAML reads the value as another type, and the API server accepts only strings here",
    fix="Put the value in quotes.",
    source="Kubernetes: selectors, labels, annotations and environment variables are maps of strings",
    basis="format",
    failing=tpu_pod(selector="cloud.google.com/gke-spot: true"),
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
)
def text_required(context: ManifestContext) -> Iterable[Hit]:
    for owner in context.objects:
        for path, value, kind in values_that_are_not_text(owner, context.pods_by_owner.get(owner.index, ())):
            scalar = not isinstance(value, dict | list) and not owner.is_secret
            written = (owner.file.written((*owner.base, *path)) or str(value)) if scalar else ""
            shown = quoted(written) if written else "it"
            message = f"{quoted(path[-1])} must be text, and YAML reads {shown} as a {kind}"
            yield Hit(owner.at(*path), message, given=written, fix=SetKeys.of({path[-1]: written}))


@rule(
    "TPU308",
    "invalid-label-value",
    title="Value that no label can have",
    why="values of labels have at most 63 letters, digits, hyphens, underscores and dots. The API server rejects other "
    "values in labels and selectors, and no node has them",
    fix="Use the name alone, not a path or an address.",
    source="Kubernetes: syntax and character set of labels",
    basis="format",
    failing=tpu_pod(
        selector="cloud.google.com/placement-policy-name: projects/acme/regions/us-east5/resourcePolicies/a"
    ),
    passing=tpu_pod(selector="cloud.google.com/placement-policy-name: a"),
)
def invalid_label_value(context: ManifestContext) -> Iterable[Hit]:
    """Another rule reports annotations in the place of labels."""
    facts = context.catalog.kubernetes
    annotations = (facts.jobset.exclusive_topology, facts.leaderworkerset.exclusive_topology)
    for owner in context.objects:
        pods = context.pods_by_owner.get(owner.index, ())
        for path, value in (*_labels_of_object(owner), *(found for pod in pods for found in _labels_of_pod(pod))):
            if not isinstance(value, str) or is_open(value) or _LABEL_VALUE.match(value) or path[-1] in annotations:
                continue
            last = value.rstrip("/").rpartition("/")[2]
            near = last if last != value and _LABEL_VALUE.match(last) else ""
            fix = SetKeys.of({path[-1]: near}) if isinstance(path[-1], str) else Replace.value(near)
            what = f"value of label {quoted(path[-1])}" if isinstance(path[-1], str) else "value of a label"
            reason = f"it has {len(value)} characters" if len(value) > _LONGEST_LABEL else ""
            yield Hit.invalid(owner.at(*path), what, value, reason, fix=fix)


def _labels_of_object(owner: KubernetesObject) -> Iterator[tuple[Path, object]]:
    yield from metadata_values(owner.data, (), ("labels",))
    if owner.is_a("Service"):
        yield from values_of(owner.value("spec", "selector"), ("spec", "selector"))


def _labels_of_pod(pod: PodTemplate) -> Iterator[tuple[Path, object]]:
    """The labels of a template, and those that it selects; only positive terms of an affinity select something."""
    for length in range(1, len(pod.path) + 1):
        yield from metadata_values(pod.owner.value(*pod.path[:length]), pod.path[:length], ("labels",))
    yield from values_of(pod.spec.get("nodeSelector"), (*pod.path, "spec", "nodeSelector"))
    for path, term in required_terms(pod):
        for index, expression in enumerate(map(mapping, items(mapping(term).get("matchExpressions")))):
            values = items(expression.get("values")) if expression.get("operator") == "In" else []
            yield from (
                ((*path, "matchExpressions", index, "values", place), each) for place, each in enumerate(values)
            )
