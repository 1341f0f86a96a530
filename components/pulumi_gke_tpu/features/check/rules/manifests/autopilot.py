"""What Autopilot refuses in pods: TPU736, TPU737, TPU740 and TPU757."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.scheduling import has_pod_affinity
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Severity, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.pod_shapes import claims_chips

_AUTOPILOT = "--- autopilot\n"
_NOT_EVICTED = """
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
SPOT  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


@rule(
    "TPU736",
    title="Node selector that Autopilot rejects",
    why="on Autopilot, GKE creates and names node pools. It allows only some keys of labels in node selectors, and "
    "rejects Pods with others",
    fix="Select accelerator, topology and capacity only.",
    references=["autopilot-pool-selector", "autopilot-tolerations"],
    otherwise={Severity.WARNING: "if the selector is not that of a node pool"},
    failing=_AUTOPILOT + tpu_pod(selector="cloud.google.com/gke-nodepool: pretrain").strip("\n"),
    passing=_AUTOPILOT + tpu_pod().strip("\n"),
)
def node_pool_on_autopilot(context: ManifestContext) -> Iterable[Hit]:
    if context.mode != "autopilot":
        return
    fact = context.catalog.kubernetes.workloads.nodes
    for pod in context.pods:
        selected = pod.selection(fact.pool)
        if selected is not None:
            yield Hit.unsupported(pod.hit_path(selected.path), quoted(fact.pool), "Autopilot", fact=fact)
        yield from _refused_keys(pod, context)


def _refused_keys(pod: PodTemplate, context: ManifestContext) -> Iterator[Hit]:
    """Other labels that Autopilot does not let pods select, and taints that it does not let them tolerate."""
    fact = context.catalog.kubernetes.pods.refused_on_autopilot
    for key, path in pod.selected_keys():
        if key in fact.selectors:
            yield Hit.unsupported(pod.hit_path(path), quoted(key), "Autopilot", fact=fact.for_item("selectors"))
    if pod.chips(context.catalog.kubernetes.pods.resource.name) != 0 or claims_chips(pod, context.catalog):
        return
    for index, entry in enumerate(map(mapping, items(pod.spec.get("tolerations")))):
        if entry.get("key") in fact.tolerations:
            what = f"a toleration of {quoted(entry['key'])} without a request of chips"
            place = pod.at("tolerations", index, "key")
            yield Hit.unsupported(place, what, "Autopilot", fact=fact.for_item("tolerations"))


@rule(
    "TPU737",
    title="Setting of a Pod that Autopilot rejects",
    why="Autopilot rejects Pods with access to the host; TPUs require none of it",
    fix="Remove the setting. Use an `emptyDir` or a claim instead of a host path.",
    references=["gke-autopilot-security", "google-skills-autopilot-class"],
    failing=_AUTOPILOT + tpu_pod(spec="hostNetwork: true").strip("\n"),
    passing=_AUTOPILOT + tpu_pod().strip("\n"),
)
def refused_on_autopilot(context: ManifestContext) -> Iterable[Hit]:
    if context.mode != "autopilot":
        return
    fact = context.catalog.kubernetes.pods.refused_on_autopilot
    for pod in context.pods:
        for path, what in _refused(pod, fact.host_namespaces, fact.readable_host_paths):
            yield Hit.unsupported(pod.hit_path(path), what, "Autopilot", fact=fact)


def _refused(pod: PodTemplate, namespaces: tuple[str, ...], readable: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """The paths of refused settings in the object, and their names."""
    spec: Path = (*pod.path, "spec")
    yield from (((*spec, key), f"`{key}`") for key in namespaces if pod.spec.get(key) is True)
    mounts = [mount for container in pod.containers(init=True) for mount in items(container.data.get("volumeMounts"))]
    writable = {text(mapping(mount).get("name")) for mount in mounts if mapping(mount).get("readOnly") is not True}
    for index, volume in enumerate(items(pod.spec.get("volumes"))):
        path = text(mapping(mapping(volume).get("hostPath")).get("path"))
        logs = any(path == folder or path.startswith(f"{folder}/") for folder in readable)
        if path and not is_open(path) and (not logs or text(mapping(volume).get("name")) in writable):
            yield (*spec, "volumes", index, "hostPath"), f"the host path {quoted(path)}"
    for container in pod.containers(init=True):
        if mapping(container.data.get("securityContext")).get("privileged") is True:
            yield (*container.path, "securityContext", "privileged"), "`privileged`"
        for index, port in enumerate(items(container.data.get("ports"))):
            number = mapping(port).get("hostPort")
            if number and not is_open(number):
                yield (*container.path, "ports", index, "hostPort"), "`hostPort`"


@warning(
    "TPU740",
    title="Extended run time with Spot, a ComputeClass or affinity on Autopilot",
    why="GKE does not support the extended run time of Autopilot for Spot Pods, for custom ComputeClasses, and with "
    "affinity between Pods",
    fix="Remove the annotation, or what excludes it.",
    references=["autopilot-extended-run"],
    failing=_AUTOPILOT + _NOT_EVICTED.replace("SPOT", '    cloud.google.com/gke-spot: "true"\n').strip("\n"),
    passing=_AUTOPILOT + _NOT_EVICTED.replace("SPOT", "").strip("\n"),
)
def extended_run_conflict(context: ManifestContext) -> Iterable[Hit]:
    if context.mode != "autopilot":
        return
    facts = context.catalog.kubernetes
    run, spot = facts.workloads.extended_run, context.catalog.platform.names.capacity_labels.spot
    for pod in context.pods:
        if pod.annotations.get(run.annotation) != run.value:
            continue
        exclusive = (facts.jobset.exclusive_topology, facts.leaderworkerset.exclusive_topology)
        others = (
            ("spot", "Spot", pod.selection(spot) is not None),
            ("compute_class", "a ComputeClass", pod.selection(facts.compute_classes.form.selector) is not None),
            ("pod_affinity", "affinity between Pods", has_pod_affinity(pod)),
            ("pod_affinity", "exclusive topology", any(key in pod.owner.annotations for key in exclusive)),
        )
        path = pod.hit_path((*pod.path, "metadata", "annotations", run.annotation))
        for item, other, used in others:
            if used and item in run.excludes:
                yield Hit.unsupported(path, "the extended run time of a Pod", other, fact=run.for_item(item))


@warning(
    "TPU757",
    title="Selector of the label behind the extended run time",
    why="GKE sets this label on Autopilot by itself; its autoscaler rejects it in other clusters",
    fix='Set the annotation `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"`, on Autopilot only.',
    references=["autoscaler-labels"],
    failing=tpu_pod(selector='cloud.google.com/extended-duration-pods: "true"'),
    passing=tpu_pod(),
)
def label_of_extended_run(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.workloads.extended_run
    for pod in context.pods:
        selected = pod.selection(fact.label)
        if selected is not None:
            message = f"the Pods select {quoted(fact.label)}, which only GKE sets"
            yield Hit(pod.hit_path(selected.path), message, fact=fact)
