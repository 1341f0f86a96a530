"""Environment variables, and values that must be text: TPU738 and TPU755."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext


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
    fact = context.catalog.kubernetes.pods.variables
    for pod in context.tpu_pods:
        hosts, slices = context.shape(pod).hosts or 1, pod.groups or 1 if pod.controller == "jobset" else 1
        if hosts * slices == 1 or pod.role == "leader":
            continue
        names = (*fact.always, *(fact.multislice if pod.controller == "jobset" else ()))
        for path, entry in _variables(pod):
            if entry.get("name") in names and entry.get("value") not in (None, "") and not is_open(entry["value"]):
                name = quoted(entry["name"])
                yield Hit(pod.hit_path((*path, "name")), f"{name} has a fixed value in all pods", fact=fact)


def _variables(pod: PodTemplate) -> Iterator[tuple[Path, dict[str, object]]]:
    """The environment variables of all containers, with their paths in the object."""
    for container in pod.containers(init=True):
        for index, entry in enumerate(items(container.data.get("env"))):
            yield (*container.path, "env", index), mapping(entry)


@rule(
    "TPU755",
    "text-required",
    title="Number or boolean where Kubernetes requires text",
    why="YAML reads the value as a number or a boolean, and the API server accepts only strings here",
    fix="Put the value in quotes.",
    source="Kubernetes: selectors, labels, annotations and environment variables are maps of strings",
    basis="format",
    failing=tpu_pod(selector="cloud.google.com/gke-spot: true"),
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"'),
)
def text_required(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        for path, value in _texts(pod):
            if isinstance(value, bool | int | float):
                written = ("true" if value else "false") if isinstance(value, bool) else str(value)
                kind = "boolean" if isinstance(value, bool) else "number"
                message = f"{quoted(path[-1])} must be text, and YAML reads {quoted(written)} as a {kind}"
                yield Hit(pod.hit_path(path), message, given=written, fix=f'{path[-1]}: "{written}"')


def _texts(pod: PodTemplate) -> Iterator[tuple[Path, object]]:
    """Every value of a pod that must be text, with its path in the object."""
    selector: Path = (*pod.path, "spec", "nodeSelector")
    yield from (((*selector, key), value) for key, value in pod.node_selector.items())
    for key in ("labels", "annotations"):
        path: Path = (*pod.path, "metadata", key)
        yield from (((*path, name), value) for name, value in mapping(pod.metadata.get(key)).items())
    for place, entry in _variables(pod):
        yield (*place, "value"), entry.get("value")
