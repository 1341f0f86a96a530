"""The pods of manifests and the slice groups of a plan: TPU790 to TPU792."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.rules.engine.examples import OTHER, SPOT, plan_of, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, listed, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.serving import Mismatch, Nearest, Served

_SHOWN = 3


def _with(pod: str, *groups: str) -> str:
    return f"{pod.strip()}\n--- plan\n{plan_of(*groups)}"


@rule(
    "TPU790",
    title="Workload that no slice group of the plan serves",
    why="no node of the plan has the labels and chips that the Pods select, so the Pods stay Pending",
    fix="Change the node selector or the chips of the Pods, or add a slice group to the plan.",
    source="gke-tpu: the labels, chips and taints of the node pools follow from the plan",
    otherwise={
        Severity.WARNING: "if a cluster exists already, with node pools outside the plan, or if a Slice that is not in "
        "the files can have the selected topology"
    },
    failing=_with(tpu_pod(topology="2x4", chips=8), OTHER),
    passing=_with(tpu_pod(), OTHER),
)
def workload_without_node_pool(context: ManifestContext) -> Iterable[Hit]:
    for pod, nearest in context.unserved.values():
        if not _is_about_capacity(nearest):
            yield _hit(context, pod, nearest)


@rule(
    "TPU791",
    title="Selected capacity that no slice group of the plan has",
    why="the plan has slices of this kind in another capacity mode, so the Pods stay Pending",
    fix="Select the capacity of the slice group, or change `capacity` in the plan.",
    source="gke-tpu: the labels of capacity modes follow from `capacity` of each slice group",
    otherwise={Severity.WARNING: "if a cluster exists already, with node pools outside the plan"},
    failing=_with(tpu_pod(selector='cloud.google.com/gke-spot: "true"'), OTHER),
    passing=_with(tpu_pod(), OTHER),
)
def capacity_without_node_pool(context: ManifestContext) -> Iterable[Hit]:
    for pod, nearest in context.unserved.values():
        if _is_about_capacity(nearest):
            yield _hit(context, pod, nearest)


def _is_about_capacity(nearest: Nearest) -> bool:
    return all(item.capacity for item in nearest.mismatches)


def _hit(context: ManifestContext, pod: PodTemplate, nearest: Nearest) -> Hit:
    differences = listed([_difference(item) for item in nearest.mismatches], most=_SHOWN)
    path = next((item.path for item in nearest.mismatches if item.path), ())
    message = f"no slice group of the plan serves {pod.title}: {quoted(nearest.group.key)} {differences}"
    elsewhere = any(cluster.existing for cluster in context.clusters()) or any(
        item.formable for item in nearest.mismatches
    )
    place = pod.hit_path(path) if path else pod.at()
    return Hit(place, message, severity=Severity.WARNING if elsewhere else None, why=_on_cubes(context, nearest))


def _on_cubes(context: ManifestContext, nearest: Nearest) -> str:
    """What Pods that select the topology of a static slice need on cubes."""
    if all((item.what, item.given) != ("slicing", "dynamic") for item in nearest.mismatches):
        return ""
    annotation = context.catalog.kubernetes.pods.dynamic_slices.annotation
    return (
        "nodes of cubes have the label of a topology only while a slice is on them, so the Pods stay Pending. A "
        f"workload on cubes waits in a queue and states its topology in the annotation `{annotation}`"
    )


def _difference(item: Mismatch) -> str:
    name = item.what.rpartition("/")[2] if not item.what.startswith("taint ") else ""
    if not name:
        return f"has the {item.what}, which the Pods do not tolerate"
    if not item.wanted:
        return f"requires the selector {item.what}: {item.given}"
    return f"has {name} {item.given}, not {item.wanted}" if item.given else f"does not have {name} {item.wanted}"


@rule(
    "TPU792",
    severity=Severity.NOTE,
    title="Slice group of the plan that no workload selects",
    why="the slices cost money, and no Pod in the manifests can run on them",
    fix="Add a workload for the slice group, or remove the slice group from the plan.",
    source="gke-tpu: the labels, chips and taints of the node pools follow from the plan",
    failing=_with(tpu_pod(), OTHER, f"batch: {SPOT}"),
    passing=_with(tpu_pod(), OTHER),
)
def slice_group_without_workload(context: ManifestContext) -> Iterable[Hit]:
    pods = context.tpu_pods
    if context.checked is None or not pods or any(pod.is_open for pod in pods):
        return
    served: dict[int, Served] = {}
    for pod in pods:
        shape = context.shape(pod)
        if shape.chips is None and not pod.traits.one_per_node:
            return  # what it selects is unknown
        found = context.groups.serving(pod, shape)
        if not found.groups:
            return  # another rule reports the pods, and they may be for this group
        served[id(found)] = found
    keys = {key for found in served.values() for key in found.keys}
    keys.update(group.key for group in _of_operators(context))
    for cluster in context.clusters():
        for group in cluster.groups:
            if group.key not in keys:
                message = f"no Pod in the manifests selects the slice group {quoted(group.key)}"
                yield Hit(group.path, message, document=context.checked.document)


def _of_operators(context: ManifestContext) -> Iterator[SliceGroup]:
    """The slice groups with the machine type and topology of Pods that an operator creates without a template."""
    kinds = ((owner, kind_of(owner)) for owner in context.objects)
    wanted = {found for owner, kind in kinds if kind is not None for found in kind.operator_slices(owner)}
    for cluster in context.clusters():
        for group in cluster.groups:
            if (group.shape.machine_type, str(group.shape.topology)) in wanted:
                yield group
