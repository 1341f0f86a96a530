"""Containers, their variables, and texts: TPU308, TPU729, TPU730, TPU738 and TPU755."""

import fnmatch
import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.workloads import TpuResource
from pulumi_gke_tpu.core.objects import Container, KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.pods import required_terms
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, number, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.texts import metadata_values, values_of, values_that_are_not_text, variables_of


@rule(
    "TPU729",
    title="Several containers of a Pod with chips",
    why="one container uses all chips of a host, except on tpu7x-standard-4t, where two containers can share them",
    fix="Request all chips of the host in one container.",
    references=["about-tpus", "xpk-characteristics"],
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
  containers:
    - name: left
      image: trainer
      resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}
    - name: right
      image: trainer
      resources: {requests: {google.com/tpu: 2}, limits: {google.com/tpu: 2}}
""",
    passing=tpu_pod(),
)
def several_containers_with_chips(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    fact = context.catalog.kubernetes.workloads.containers
    for pod in context.tpu_pods:
        family = context.shape(pod).family
        if family is None:
            continue
        machines = [name for name, machine in family.generation.machine_types.items() if machine.family == family.name]
        most = 2 if any(name in fact.split_machine_types for name in machines) else 1
        with_chips = [container for container in pod.containers() if _has_chips(container, resource)]
        if len(with_chips) > most:
            place = pod.hit_path(with_chips[most].amount_path("limits", resource))
            yield Hit(
                place,
                f"{number(len(with_chips), 'container')} of a Pod request chips, and a host of "
                f"{family.generation_name} gives chips to {number(most, 'container')}",
                fact=fact.for_item("split_machine_types" if most > 1 else "one"),
            )


def _has_chips(container: Container, resource: str) -> bool:
    return any((parse_quantity(amount) or 0) > 0 for amount in container.amounts(resource).values())


@rule(
    "TPU730",
    title="Resource that TPU nodes do not have",
    why="the chips of a TPU node are the resource `google.com/tpu`; a Pod that requests another resource stays Pending",
    fix="Request `google.com/tpu`, and remove the other resource.",
    references=["about-tpus", "device-plugin", "extended-resource-report"],
    otherwise={Severity.WARNING: "if a device plugin of your own can offer the resource"},
    failing="""
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  containers:
    - name: jax
      image: trainer
      resources: {limits: {cloud-tpus.google.com/v3: 8}}
""",
    passing=tpu_pod(),
)
def resource_of_another_accelerator(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.resource
    on_tpus = {id(pod) for pod in context.tpu_pods}
    for pod in context.pods:
        for container, kind, name in _resources(pod):
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in fact.former):
                reason, weight = "it belonged to the TPU Node architecture", fact
            elif any(fnmatch.fnmatchcase(name, pattern) for pattern in fact.misspelt):
                reason, weight = f"the resource of chips is {fact.name}", fact.for_item("misspelt")
            elif name in fact.gpus and id(pod) in on_tpus:
                reason, weight = "TPU nodes have no GPUs", fact
            elif id(pod) in on_tpus and _is_of_a_plugin(name, fact):
                reason = "only a device plugin of your own can offer it, and GKE creates no node for it"
                weight = fact.for_item("of_nodes")
            else:
                continue
            place = pod.hit_path((*container.path, "resources", kind, name))
            message = f"container {quoted(container.name)} requests {quoted(name)}: {reason}"
            yield Hit(place, message, fact=weight, given=name, allowed=(fact.name,))


def _is_of_a_plugin(name: str, fact: TpuResource) -> bool:
    """Whether a resource has a domain, as those of device plugins have, and is none of those of TPU nodes."""
    known = any(fnmatch.fnmatchcase(name, pattern) for pattern in (fact.name, *fact.of_nodes))
    return "/" in name and not is_open(name) and not known


def _resources(pod: PodTemplate) -> Iterator[tuple[Container, str, str]]:
    """Every container with the first place of each resource that it requests."""
    for container in pod.containers(init=True):
        found: dict[str, str] = {}
        for kind in ("limits", "requests"):
            for name in mapping(mapping(container.data.get("resources")).get(kind)):
                found.setdefault(name, kind)
        yield from ((container, kind, name) for name, kind in found.items())


_LONGEST_LABEL = 63
_LABEL_VALUE = lazy_pattern(r"(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?\Z", re.ASCII)


@warning(
    "TPU738",
    title="Environment variable that GKE sets",
    why="GKE or the controller gives each Pod of a slice its own value; the same value in all Pods keeps the slice "
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
        if hosts * slices == 1 or pod.traits.leader or pod.is_pod:
            continue
        with_head = any(other.chips(resource) == 0 for other in context.pods_by_owner[pod.owner.index])
        names = (*fact.always, *(fact.multislice if pod.traits.multislice and not with_head else ()))
        for path, entry in variables_of(pod):
            if entry.get("name") in names and entry.get("value") not in (None, "") and not is_open(entry["value"]):
                name = quoted(entry["name"])
                yield Hit(pod.hit_path((*path, "name")), f"{name} has a fixed value in all Pods", fact=fact)


@rule(
    "TPU755",
    title="Number, boolean or mapping where Kubernetes requires text",
    why="YAML reads the value as another type, and the API server accepts only strings here",
    fix="Put the value in quotes.",
    source="Kubernetes: selectors, labels, annotations and environment variables are maps of strings",
    failing=tpu_pod(selector="cloud.google.com/gke-spot: true"),
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
)
def text_required(context: ManifestContext) -> Iterable[Hit]:
    names = context.catalog.platform.names
    of_capacity = (names.capacity_labels.spot, names.capacity_labels.flex_start, names.node_labels.queued)
    for owner in context.objects:
        for path, value, kind in values_that_are_not_text(owner, context.pods_by_owner.get(owner.index, ())):
            scalar = not isinstance(value, dict | list) and not owner.is_secret
            written = (owner.file.written((*owner.base, *path)) or str(value)) if scalar else ""
            shown = quoted(written) if written else "it"
            message = f"{quoted(path[-1])} must be text, and YAML reads {shown} as a {kind}"
            # The capacity labels of nodes have one value, whatever word for it YAML reads as a boolean.
            text = "true" if path[-1] in of_capacity and value is True else written
            yield Hit(owner.at(*path), message, given=written, fix=SetKeys.of({path[-1]: text}))


@rule(
    "TPU308",
    title="Value that no label can have",
    why="values of labels have at most 63 letters, digits, hyphens, underscores and dots. The API server rejects other "
    "values in labels and selectors, and no node has them",
    fix="Use the name alone, not a path or an address.",
    source="Kubernetes: syntax and character set of labels",
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
