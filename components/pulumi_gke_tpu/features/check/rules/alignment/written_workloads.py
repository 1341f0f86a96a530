"""Workloads that gke-tpu wrote before a change of the plan: TPU316."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.fleet.scheduling import pod_tolerations
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, Selection, is_open
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import Path, listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.rules.alignment.sizes import slices_needed

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.check.planned import PlannedWorkload

_MOST_SHOWN = 3
_WRITTEN = """
apiVersion: batch/v1
kind: Job
metadata: {name: tune, labels: {app.kubernetes.io/managed-by: gke-tpu}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: TOPOLOGY
      containers:
        - name: tpu
          image: tune
          resources: {requests: {google.com/tpu: CHIPS}, limits: {google.com/tpu: CHIPS}}
--- plan
version: 1
project: acme-ml
clusters:
  train:
    mode: autopilot
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 2x2, zone: us-east5-b}
    kubernetes:
      workloads:
        tune: {slices: main, image: tune}
"""


@frozen
class PlannedDifference:
    """What differs from the plan, and where it is in the object."""

    text: str
    path: Path


@warning(
    "TPU316",
    title="Workload is older than the plan",
    why="gke-tpu wrote the object before the plan changed. The Pods ask for the nodes, the queue or the priority of "
    "the old plan, so the workload runs on other nodes or stays Pending",
    fix="Run `gke-tpu manifests` again, and apply the new file instead of this one.",
    source="gke-tpu: the objects of workloads follow from the plan",
    failing=_WRITTEN.strip("\n").replace("TOPOLOGY", "1x1").replace("CHIPS", "1"),
    passing=_WRITTEN.strip("\n").replace("TOPOLOGY", "2x2").replace("CHIPS", "4"),
)
def written_workload_differs(context: ManifestContext) -> Iterable[Hit]:
    """Of the objects with the label of gke-tpu, what decides where and when their Pods run; the rest can be edited.

    With several clusters, the object is compared with the workload that differs least.
    """
    for owner in context.written:
        if kind_of(owner) is not None:
            planned = context.planned.workloads(owner.name)
            yield from hit_of(owner, [_differences(context, owner, each) for each in planned])


def hit_of(owner: KubernetesObject, compared: Iterable[Iterable[PlannedDifference]]) -> Iterator[Hit]:
    """What an object differs in from one of several, that with the fewest differences."""
    every = [{item.text: item for item in differences} for differences in compared]
    fewest = min(every, key=len, default={})
    for first in [*fewest.values()][:1]:
        message = f"{owner.title} is out of date: the plan now has {listed([*fewest], most=_MOST_SHOWN)}"
        yield Hit(owner.at(*first.path), message)


def _differences(
    context: ManifestContext, owner: KubernetesObject, planned: "PlannedWorkload"
) -> Iterator[PlannedDifference]:
    """What keeps the Pods of an object from running as those of the workload of the plan."""
    wanted = planned.owner
    if (owner.group, owner.kind) != (wanted.group, wanted.kind):
        yield PlannedDifference(f"the kind {wanted.kind}", ("kind",))
        return
    if owner.namespace and not is_open(owner.namespace) and owner.namespace != wanted.namespace:
        yield PlannedDifference(f"the namespace {quoted(wanted.namespace)}", ("metadata", "namespace"))
    keys = context.catalog.kubernetes.kueue.labels
    for key, what in ((keys.queue, "queue"), (keys.priority_class, "priority class")):
        yield from _other_text(owner.labels.get(key), wanted.labels.get(key), what, ("metadata", "labels", key))
    own = {pod.path: pod for pod in planned.pods}
    for pod in context.pods_by_owner.get(owner.index, ()):
        if pod.path in own and not pod.is_open:
            yield from _different_pods(context, pod, own[pod.path], planned)
    yield from _more_slices(context, owner, planned)


def _other_text(given: object, wanted: object, what: str, path: Path) -> Iterator[PlannedDifference]:
    if is_open(given) or given == wanted:
        return
    text = f"the {what} {quoted(wanted)}" if wanted is not None else f"no {what}"
    yield PlannedDifference(text, path if given is not None else path[:-1])


def _different_pods(
    context: ManifestContext, pod: PodTemplate, own: PodTemplate, planned: "PlannedWorkload"
) -> Iterator[PlannedDifference]:
    resource = context.catalog.kubernetes.pods.resource.name
    key = "priorityClassName"
    yield from _other_text(pod.spec.get(key), own.spec.get(key), "priority class", (*pod.path, "spec", key))
    if id(pod) in context.unserved:
        return  # another rule reports what keeps them from every group
    if not own.chips(resource):
        yield from _other_pool(context, pod, own, planned)
        return
    yield from _selections(context, pod, own, planned)
    slices, at = context.catalog.kubernetes.pods.dynamic_slices.annotation, (*pod.path, "metadata", "annotations")
    topologies = pod.annotations.get(slices), own.annotations.get(slices)
    yield from _other_text(*topologies, "topology of slices", (*at, slices))
    chips = pod.chips(resource), own.chips(resource)
    if chips[0] is not None and chips[0] != chips[1]:
        yield PlannedDifference(f"{number(int(chips[1] or 0), 'chip')} in each Pod", (*pod.path, "spec"))
    taints = (taint for group in planned.workload.groups for taint in pod_tolerations(group, context.catalog))
    for taint in dict.fromkeys(taints):
        tolerated = taint.key == resource or tolerates(pod, taint.key, effect=taint.effect)
        if not tolerated:
            yield PlannedDifference(f"the taint {taint.key} on its nodes", (*pod.path, "spec"))


def _other_pool(
    context: ManifestContext, pod: PodTemplate, own: PodTemplate, planned: "PlannedWorkload"
) -> Iterator[PlannedDifference]:
    """The node pool that Pods without chips select, if the cluster does not have it."""
    key = context.catalog.kubernetes.workloads.nodes.pool
    given, wanted = pod.selection(key), own.selection(key)
    cluster = planned.workload.cluster
    pools = {item.name for item in cluster.cpu_pools} | {pool.name for each in cluster.groups for pool in each.pools}
    if given is not None and not given.open and not cluster.existing and not pools.issuperset(given.values):
        yield PlannedDifference(_selected(key, wanted), given.path)


def _selections(
    context: ManifestContext, pod: PodTemplate, own: PodTemplate, planned: "PlannedWorkload"
) -> Iterator[PlannedDifference]:
    """The labels that Pods with chips select otherwise, or that no node of their slice group has."""
    wanted = {key: found for key, _ in own.selected_keys() if (found := own.selection(key)) is not None}
    for key, value in wanted.items():
        given = pod.selection(key)
        if given is None:
            yield PlannedDifference(_selected(key, value), (*pod.path, "spec"))
        elif not given.open and not set(given.values) <= set(value.values):
            yield PlannedDifference(_selected(key, value), given.path)
    form = context.catalog.kubernetes.compute_classes.form.selector
    of_class = {form: wanted[form]} if form in wanted else {}
    for key in dict.fromkeys(key for key, _ in pod.selected_keys()):
        given = pod.selection(key)
        if given is None or given.open or key in wanted:
            continue
        groups = {group.key for group in planned.workload.groups}
        if not groups & context.groups.with_labels({**of_class, key: given}).keys:
            yield PlannedDifference(_selected(key, None), given.path)


def _selected(key: str, wanted: Selection | None) -> str:
    short = str(key).rpartition("/")[2]
    return f"{short} {listed(wanted.values, 'or')}" if wanted is not None else f"no {short}"


def _more_slices(
    context: ManifestContext, owner: KubernetesObject, planned: "PlannedWorkload"
) -> Iterator[PlannedDifference]:
    """More slices than the group has, if GKE creates nodes for them: otherwise another rule reports them."""
    groups, resource = planned.workload.groups, context.catalog.kubernetes.pods.resource.name
    pods = [pod for pod in context.pods_by_owner.get(owner.index, ()) if pod.chips(resource)]
    needed = [slices_needed(context, pod) for pod in pods]
    known = [each for each in needed if each is not None]
    unlimited = any(
        group.compute_class is not None or context.groups.makes_nodes(group.shape.accelerator_label) for group in groups
    )
    most = sum(group.slices.maximum for group in groups)
    if unlimited and len(known) == len(needed) and sum(known) > most:
        place = pods[0].groups_at or (*pods[0].controlled_by, "replicas")
        yield PlannedDifference(f"{number(most, 'slice')} at most", place)
