"""Workloads in queues: what they request and what their queue has: TPU392, TPU746, TPU754 and TPU759."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from pulumi_gke_tpu.catalog.records.facts import note_by_id
from pulumi_gke_tpu.findings import Path, listed, quoted
from pulumi_gke_tpu.kubernetes.objects import Container, KubernetesObject, PodTemplate, Selection, is_open
from pulumi_gke_tpu.kubernetes.objects.document import items, mapping
from pulumi_gke_tpu.kubernetes.objects.quantity import parse_quantity
from pulumi_gke_tpu.kubernetes.queues import flavor_labels
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.manifests import ManifestContext
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.operators.examples import changed, job_set, queues, ray_cluster
from pulumi_gke_tpu.rules.operators.parts import (
    cluster_queue_of,
    entries,
    is_in_cohort,
    known_text,
    of_kueue,
    pods_of,
)

_QUEUED = queues() + "---" + job_set("training")
_MOST_SHOWN = 3
_POD_BY_POD = frozenset({"deployment", "replicaset", "statefulset", "daemonset", "pod"})
"""Kueue admits each Pod of these separately."""
_CPU_QUEUE = changed(
    queues(),
    ("[google.com/tpu]", "[cpu, memory, google.com/tpu]"),
    (
        "resources: [{name",
        "resources: [{name: cpu, nominalQuota: 64}, {name: memory, nominalQuota: 1Ti}, {name",
    ),
)
_HEAD_FIRST = """      flavors:
        - name: heads
          resources:
            - {name: cpu, nominalQuota: 64}
            - {name: memory, nominalQuota: 1Ti}
            - {name: google.com/tpu, nominalQuota: 0}
"""
_HEADS = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: heads}
"""
_RAY = ray_cluster("training")
_RAY_QUEUE = changed(_CPU_QUEUE, ("gke-tpu-topology: 4x4", "gke-tpu-topology: 2x2"))


def _queued(context: ManifestContext) -> Iterator[tuple[KubernetesObject, KubernetesObject]]:
    """Every workload whose ClusterQueue is in the files, with this queue."""
    for index in context.pods_by_owner:
        owner = context.pods_by_owner[index][0].owner
        queue = cluster_queue_of(context, owner)
        if queue is not None and not is_open(queue.spec.get("resourceGroups")):
            yield owner, queue


def _label_path(context: ManifestContext) -> Path:
    return ("metadata", "labels", context.catalog.kubernetes.kueue.labels.queue)


@rule(
    "TPU746",
    "quota-below-workload",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Workload with more chips than its queue can have",
    why="Kueue admits a workload as a whole, and the Pods of each part on one flavor. A workload above the quota waits "
    "without an error",
    fix="Raise `nominalQuota`, or reduce the number of slices.",
    references=["kueue-clusterqueue-api", "jobset-multislice"],
    basis="catalog",
    failing=changed(_QUEUED, ("replicas: 1", "replicas: 3")),
    passing=_QUEUED,
)
def quota_below_workload(context: ManifestContext) -> Iterable[Hit]:
    """Queues in a cohort may borrow, so that only a limit of borrowing bounds them."""
    resource, fact = context.catalog.kubernetes.pods.resource.name, context.catalog.kubernetes.kueue.limits
    for owner, queue in _queued(context):
        parts = [_chips(pod, resource) for pod in pods_of(context, owner)]
        most = _most(queue, resource)
        known = [chips for chips in parts if chips is not None]
        if most is None or len(known) < len(parts) or not known or max(known) <= most:
            continue
        message = f"{owner.title} requests {max(known)} chips at once, but a flavor of {queue.title} has at most {most}"
        yield Hit(owner.at(*_label_path(context)), message, fact=fact)


def _chips(pod: PodTemplate, resource: str) -> Fraction | None:
    """The chips that Kueue admits together; None if they are unknown."""
    chips = pod.chips(resource)
    if chips is None or not chips or pod.controller in _POD_BY_POD:
        return chips
    groups = 1 if pod.controller == "lws" else pod.groups
    return None if pod.pods is None or groups is None else chips * pod.pods * groups


def _most(queue: KubernetesObject, resource: str) -> Fraction | None:
    """The largest quota of a flavor, with what it may borrow; None if nothing bounds it."""
    in_cohort = is_in_cohort(queue)
    found: list[Fraction] = []
    for path, _ in _flavors(queue):
        for _, quota in entries(queue, *path, "resources"):
            if quota.get("name") != resource:
                continue
            nominal, borrowed = parse_quantity(quota.get("nominalQuota")), parse_quantity(quota.get("borrowingLimit"))
            if nominal is None or (in_cohort and borrowed is None):
                return None
            found.append(nominal + (borrowed or 0))
    return max(found, default=None)


def _flavors(queue: KubernetesObject) -> Iterator[tuple[Path, dict[str, object]]]:
    for group, _ in entries(queue, "spec", "resourceGroups"):
        yield from entries(queue, *group, "flavors")


@rule(
    "TPU754",
    "uncovered-resource",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Resource that the queue of a workload does not cover",
    why="Kueue admits a workload only if its queue covers every resource that the Pods request, and reports no error "
    "at the workload",
    fix="Add the resource to `coveredResources`, with a quota in every flavor. Or remove the request.",
    references=["kueue-clusterqueue-api", "xpk-kueue"],
    basis="catalog",
    failing=changed(_QUEUED, ("requests: {google.com/tpu: 4}", "requests: {google.com/tpu: 4, cpu: 8}")),
    passing=_QUEUED,
)
def uncovered_resource(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.limits
    for owner, queue in _queued(context):
        groups = [group for _, group in entries(queue, "spec", "resourceGroups")]
        covered = {str(name) for group in groups for name in items(group.get("coveredResources"))}
        if any(map(is_open, covered)):
            continue
        for pod in pods_of(context, owner):
            seen: set[str] = set()
            for container in pod.containers(init=True):
                for path, resource in _requested(container):
                    if resource not in covered and resource not in seen and not is_open(resource):
                        seen.add(resource)
                        message = f"{queue.title} does not cover {quoted(resource)}, which {pod.title} requests"
                        yield Hit(owner.at(*path), message, fact=fact)


def _requested(container: Container) -> Iterator[tuple[Path, str]]:
    """The resources that a container requests; a limit without a request is one."""
    resources = mapping(container.data.get("resources"))
    for kind in ("requests", "limits"):
        for name, amount in mapping(resources.get(kind)).items():
            if parse_quantity(amount) != 0:
                yield (*container.path, "resources", kind, name), str(name)


@rule(
    "TPU759",
    "head-on-tpu-flavor",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Pods without chips that get the flavor of TPU nodes",
    why="Kueue gives a Pod the node labels of the first flavor with quota for its resources. A head without chips then "
    "selects the TPU nodes of the slice, and cannot run there",
    fix="Put a flavor without TPUs first, with a quota of 0 chips.",
    references=["gke-samples-queued", "kueue-flavor-api"],
    basis="catalog",
    failing=_RAY_QUEUE + "---" + _RAY,
    passing=changed(_RAY_QUEUE, ("      flavors:\n", _HEAD_FIRST)) + _HEADS + "---" + _RAY,
)
def head_on_tpu_flavor(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    label = context.catalog.platform.names.node_labels.accelerator
    flavors = {owner.name: mapping(owner.spec.get("nodeLabels")) for owner in of_kueue(context, "ResourceFlavor")}
    for owner, queue in _queued(context):
        pods = pods_of(context, owner)
        if not any(pod.chips(resource) for pod in pods):
            continue
        for pod in pods:
            if pod.chips(resource) != 0:
                continue
            requested = {name for container in pod.containers() for _, name in _requested(container)}
            flavor = _first_flavor(queue, requested)
            if flavor and label in flavors.get(flavor, {}):
                message = f"{pod.title} requests no chips and gets the node labels of flavor {quoted(flavor)}"
                yield Hit(pod.at(), message, fact=context.catalog.kubernetes.kueue.limits)


def _first_flavor(queue: KubernetesObject, requested: set[str]) -> str:
    """The name of the first flavor with quota for one of the resources; empty if there is none, or it is unknown."""
    for path, flavor in _flavors(queue):
        for _, quota in entries(queue, *path, "resources"):
            if str(quota.get("name")) in requested and parse_quantity(quota.get("nominalQuota")) != 0:
                return known_text(flavor.get("name"))
    return ""


@rule(
    "TPU392",
    "flavor-not-selected",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="No flavor of the queue has the node labels that the Pods select",
    why="Kueue uses only flavors whose node labels fit the node selector and the required affinity of the Pods, so it "
    "never admits the workload",
    fix="Add a flavor with the labels of the slice to the ClusterQueue, or use another queue.",
    references=["kueue-flavor-assigner"],
    basis="catalog",
    failing=changed(queues(), ("gke-tpu-topology: 4x4", "gke-tpu-topology: 2x4")) + "---" + job_set("training"),
    passing=_QUEUED,
)
def flavor_not_selected(context: ManifestContext) -> Iterable[Hit]:
    """Only if the files have all flavors of the queue."""
    resource = context.catalog.kubernetes.pods.resource.name
    fact = note_by_id(context.catalog.kubernetes.notes, "kueue-flavor-labels")
    for pod in context.tpu_pods:
        queue = cluster_queue_of(context, pod.owner)
        if queue is None or pod.is_open or not pod.chips(resource):
            continue
        flavors = _flavors_with_chips(context, queue, resource)
        different = [_difference(pod, flavor) for flavor in flavors]
        known = [item for item in different if item is not None]
        if not different or len(known) < len(different):
            continue
        names = listed([f"{quoted(item.name)} has {key}: {value}" for item, key, value, _ in known], most=_MOST_SHOWN)
        message = f"no flavor of {queue.title} has the node labels that {pod.title} selects: {names}"
        yield Hit(pod.hit_path(known[0][3].path), message, fact=fact)


def _flavors_with_chips(context: ManifestContext, queue: KubernetesObject, resource: str) -> list[KubernetesObject]:
    """The flavors with quota for chips; none if the files do not have all of them."""
    kueue = context.catalog.kubernetes.controllers["kueue"].group
    found: list[KubernetesObject] = []
    for place, group in entries(queue, "spec", "resourceGroups"):
        for _, flavor in entries(queue, *place, "flavors") if resource in items(group.get("coveredResources")) else ():
            objects = context.named("ResourceFlavor", kueue, known_text(flavor.get("name")))
            if not objects:
                return []
            found += objects
    return found


def _difference(pod: PodTemplate, flavor: KubernetesObject) -> tuple[KubernetesObject, str, str, Selection] | None:
    """The first label of a flavor that the Pods do not select, with its value; None if the flavor fits."""
    if is_open(mapping(flavor.spec).get("nodeLabels")):
        return None
    for key, label in flavor_labels(flavor).items():
        selected = pod.selection(key)
        if selected is not None and not selected.open and not label.open and label.values[0] not in selected.values:
            return flavor, key, label.values[0], selected
    return None
