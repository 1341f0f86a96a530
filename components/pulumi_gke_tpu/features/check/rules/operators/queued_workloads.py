"""Workloads in queues: what they request and what their queue has: TPU392, TPU399, TPU746, TPU754 and TPU759."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import Toleration, flavor_taint
from pulumi_gke_tpu.core.fleet.workloads import flavor_name
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds import queue_at, queue_labels
from pulumi_gke_tpu.core.kinds.pods import toleration
from pulumi_gke_tpu.core.objects import Container, KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.examples import TWO_SLICES, plan_of
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, listed, quoted
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queued_pods import asked_levels, flavors_with_chips, lacks_level
from pulumi_gke_tpu.features.check.queues import different_label, quantity_text, untolerated_taints
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues, ray_cluster
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, is_in_cohort, of_kueue, pods_of
from pulumi_gke_tpu.features.check.serving import Served

_QUEUED = queues() + "---" + job_set("training")
_MOST_SHOWN = 3
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
_TPU_TOLERATION = "[{key: google.com/tpu, operator: Exists, effect: NoSchedule}"
_OF_THE_GROUP = ", {key: gke-tpu/slice-group, operator: Equal, value: main, effect: NoSchedule}"
_QUEUE_PLAN = plan_of(TWO_SLICES).replace("    slices:\n", "    kubernetes: {queues: {research: {}}}\n    slices:\n", 1)


def _queued(context: ManifestContext) -> Iterator[tuple[KubernetesObject, KubernetesObject]]:
    """Every workload whose ClusterQueue is in the files, with this queue."""
    for index in context.pods_by_owner:
        owner = context.pods_by_owner[index][0].owner
        queue = context.cluster_queue(owner)
        if queue is not None and not is_open(queue.spec.get("resourceGroups")):
            yield owner, queue


def _label_path(context: ManifestContext, owner: KubernetesObject) -> Path:
    return owner.at(*queue_at(owner), context.catalog.kubernetes.kueue.labels.queue)


@rule(
    "TPU746",
    title="Workload that requests more than its queue can have",
    why="Kueue admits a workload as a whole, and the Pods of each part on one flavor. A workload above the quota waits "
    "without an error",
    fix="Raise `nominalQuota`, or reduce the number of slices.",
    references=["kueue-clusterqueue-api", "kueue-flavor-assigner", "jobset-multislice"],
    failing=changed(_QUEUED, ("replicas: 1", "replicas: 3")),
    passing=_QUEUED,
)
def quota_below_workload(context: ManifestContext) -> Iterable[Hit]:
    """Queues in a cohort may borrow, so that only a limit of borrowing bounds them."""
    fact = context.catalog.kubernetes.kueue.limits
    for owner, queue in _queued(context):
        if owner.index not in context.tpu_owners:
            continue
        shortages = [found for pod in pods_of(context, owner) if (found := _shortage(context, queue, pod)) is not None]
        if shortages:
            most = max(shortages, key=lambda each: each.needed)
            message = f"{owner.title} requests {most.given} at once, but {most.flavor} of {queue.title} has at most "
            yield Hit(_label_path(context, owner), message + most.available, fact=fact)


@frozen
class _Shortage:
    """A resource of which a flavor has less than Pods request."""

    needed: Fraction
    given: str
    flavor: str
    available: str


def _shortage(context: ManifestContext, queue: KubernetesObject, pod: PodTemplate) -> _Shortage | None:
    """What keeps Kueue from admitting Pods to any of the flavors that they can get; None if one of them suffices.

    If they can get none, which other rules report, all of them are compared.
    """
    chips, count = context.catalog.kubernetes.pods.resource.name, pod.admitted_together
    requests = {} if pod.is_open or count is None else _requests(pod)
    needed = {name: amount * (count or 0) for name, amount in requests.items()}
    for place, group in entries(queue, "spec", "resourceGroups"):
        covered = [str(name) for name in items(group.get("coveredResources"))]
        asked = {name: needed[name] for name in sorted(covered, key=lambda name: name != chips) if needed.get(name)}
        every = [flavor for _, flavor in entries(queue, *place, "flavors")]
        flavors = [flavor for flavor in every if _can_get(context, pod, flavor)] or every
        limits = [_limits(flavor, in_cohort=is_in_cohort(queue)) for flavor in flavors]
        for name, amount in asked.items():
            left = [index for index, limit in enumerate(limits) if (has := limit.get(name)) is None or amount <= has]
            if not left and limits:
                most = max(limit.get(name) or Fraction(0) for limit in limits)
                title = "a flavor" if name == chips else f"flavor {quoted(flavors[0].get('name'))}"
                given = quantity_text(amount, name)
                given = f"{given} chips" if name == chips else quoted(f"{name}: {given}")
                return _Shortage(amount, given, title, quantity_text(most, name))
            flavors, limits = [flavors[index] for index in left], [limits[index] for index in left]
    return None


def _requests(pod: PodTemplate) -> dict[str, Fraction]:
    """What the containers of a Pod request together; none if a request is unknown. Sidecars run beside them."""
    total: dict[str, Fraction] = {}
    for container in pod.containers(init=True):
        if container.open_resources:
            return {}
        if container.init and container.data.get("restartPolicy") != "Always":
            continue
        resources = mapping(container.data.get("resources"))
        for name, amount in {**mapping(resources.get("limits")), **mapping(resources.get("requests"))}.items():
            number = parse_quantity(amount)
            if number is None:
                return {}
            total[str(name)] = total.get(str(name), Fraction(0)) + number
    return total


def _can_get(context: ManifestContext, pod: PodTemplate, flavor: Mapping[str, object]) -> bool:
    """Whether Kueue can admit Pods to a flavor by its taints and labels; also if the files do not have the flavor."""
    kueue = context.catalog.kubernetes.controllers["kueue"].group
    found = context.named("ResourceFlavor", kueue, known_text(flavor.get("name")))
    fitting = (each for each in found if _tolerates_flavor(pod, each) and different_label(pod, each) is None)
    return not found or any(True for _ in fitting)


def _limits(flavor: Mapping[str, object], *, in_cohort: bool) -> dict[str, Fraction | None]:
    """The quota of each resource of a flavor, with what it may borrow; None if nothing bounds it."""
    found: dict[str, Fraction | None] = {}
    for quota in map(mapping, items(flavor.get("resources"))):
        nominal, borrowed = parse_quantity(quota.get("nominalQuota")), parse_quantity(quota.get("borrowingLimit"))
        unbounded = nominal is None or (in_cohort and borrowed is None)
        found[str(quota.get("name"))] = None if unbounded else (nominal or 0) + (borrowed or Fraction(0))
    return found


def _flavors(queue: KubernetesObject) -> Iterator[tuple[Path, dict[str, object]]]:
    for group, _ in entries(queue, "spec", "resourceGroups"):
        yield from entries(queue, *group, "flavors")


@rule(
    "TPU754",
    title="Resource that the queue of a workload does not cover",
    why="Kueue admits a workload only if its queue covers every resource that the Pods request, and reports no error "
    "at the workload",
    fix="Add the resource to `coveredResources`, with a quota in every flavor. Or remove the request.",
    references=["kueue-clusterqueue-api", "xpk-kueue"],
    failing=changed(_QUEUED, ("requests: {google.com/tpu: 4}", "requests: {google.com/tpu: 4, cpu: 8}")),
    passing=_QUEUED,
)
def uncovered_resource(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.kueue.limits
    for owner, queue in _queued(context):
        groups = [group for _, group in entries(queue, "spec", "resourceGroups")]
        covered = {str(name) for group in groups for name in items(group.get("coveredResources"))}
        pods = pods_of(context, owner)
        if any(map(is_open, covered)) or not any(
            pod.chips(context.catalog.kubernetes.pods.resource.name) for pod in pods
        ):
            continue
        if context.mode == "autopilot":
            yield from _written_by_autopilot(context, owner, queue, covered)
        for pod in pods:
            seen: set[str] = set()
            for container in pod.containers(init=True):
                for path, resource in _requested(container):
                    if resource not in covered and resource not in seen and not is_open(resource):
                        seen.add(resource)
                        message = f"{queue.title} does not cover {quoted(resource)}, which {pod.title} requests"
                        yield Hit(owner.at(*path), message, fact=fact)


def _written_by_autopilot(
    context: ManifestContext, owner: KubernetesObject, queue: KubernetesObject, covered: set[str]
) -> Iterator[Hit]:
    """What Autopilot adds to the requests of Pods, if the Pods do not request it themselves."""
    fact = context.catalog.kubernetes.kueue.written_by_autopilot
    requests = [
        name for pod in pods_of(context, owner) for item in pod.containers(init=True) for _, name in _requested(item)
    ]
    for resource in fact.resources:
        if resource not in covered and resource not in requests:
            message = (
                f"{queue.title} does not cover {quoted(resource)}, which Autopilot requests for Pods of {owner.title}"
            )
            yield Hit(_label_path(context, owner), message, fact=fact)


def _requested(container: Container) -> Iterator[tuple[Path, str]]:
    """The resources that a container requests; a limit without a request is one."""
    resources = mapping(container.data.get("resources"))
    for kind in ("requests", "limits"):
        for name, amount in mapping(resources.get(kind)).items():
            if parse_quantity(amount) != 0:
                yield (*container.path, "resources", kind, name), str(name)


@rule(
    "TPU759",
    title="Pods without chips that get the flavor of TPU nodes",
    why="Kueue gives a Pod the node labels of the first flavor with quota for its resources. A head without chips then "
    "selects the TPU nodes of the slice, and cannot run there",
    fix="Put a flavor without TPUs first, with a quota of 0 chips.",
    references=["gke-samples-queued", "kueue-flavor-api"],
    failing=_RAY_QUEUE + "---" + _RAY,
    passing=changed(_RAY_QUEUE, ("      flavors:\n", _HEAD_FIRST)) + _HEADS + "---" + _RAY,
)
def head_on_tpu_flavor(context: ManifestContext) -> Iterable[Hit]:
    resource = context.catalog.kubernetes.pods.resource.name
    label = context.catalog.platform.names.node_labels.accelerator
    flavors = {owner.name: owner for owner in of_kueue(context, "ResourceFlavor")}
    for owner, queue in _queued(context):
        pods = pods_of(context, owner)
        if not any(pod.chips(resource) for pod in pods):
            continue
        for pod in pods:
            if pod.chips(resource) != 0:
                continue
            requested = {name for container in pod.containers() for _, name in _requested(container)}
            tolerated = (name for name in _flavors_of(queue, requested) if _tolerates_flavor(pod, flavors.get(name)))
            flavor = flavors.get(next(tolerated, ""))
            if flavor is not None and label in mapping(flavor.spec.get("nodeLabels")):
                message = f"{pod.title} requests no chips and gets the node labels of flavor {quoted(flavor.name)}"
                yield Hit(pod.at(), message, fact=context.catalog.kubernetes.kueue.limits)


def _flavors_of(queue: KubernetesObject, requested: set[str]) -> Iterator[str]:
    """The names of the flavors with quota for one of the resources; empty for an unknown name."""
    for path, flavor in _flavors(queue):
        quotas = (quota for _, quota in entries(queue, *path, "resources") if str(quota.get("name")) in requested)
        if any(parse_quantity(quota.get("nominalQuota")) != 0 for quota in quotas):
            yield known_text(flavor.get("name"))


def _tolerates_flavor(pod: PodTemplate, flavor: KubernetesObject | None) -> bool:
    """Whether the taints of a flavor let the Pods in; a flavor that no file defines has none that are known."""
    return flavor is None or not any(True for _ in untolerated_taints(pod, flavor))


@rule(
    "TPU392",
    title="No flavor of the queue fits the Pods",
    why="Kueue uses only flavors whose node labels fit the node selector and the required affinity of the Pods. Their "
    "Topology must have the levels in the annotations of the Pods. Kueue never admits the workload to another flavor",
    fix="Add a flavor with the labels of the slice, and with the `topologyName` of a Topology that has the level, to "
    "the ClusterQueue. Or use another queue.",
    references=["kueue-flavor-assigner", "kueue-flavor-topology"],
    failing=changed(queues(), ("gke-tpu-topology: 4x4", "gke-tpu-topology: 2x4")) + "---" + job_set("training"),
    passing=_QUEUED,
)
def flavor_not_selected(context: ManifestContext) -> Iterable[Hit]:
    """Only if the files have all flavors of the queue."""
    resource = context.catalog.kubernetes.pods.resource.name
    for pod in context.tpu_pods:
        queue = context.cluster_queue(pod.owner)
        if queue is None or pod.is_open or not pod.chips(resource):
            continue
        unfit = [_unfit(context, pod, flavor) for flavor in flavors_with_chips(context, queue)]
        known = [item for item in unfit if item is not None]
        if not unfit or len(known) < len(unfit):
            continue
        note, lacks = known[0].note, known[0].lacks
        names = listed([item.text for item in known], most=_MOST_SHOWN)
        message = f"no flavor of {queue.title} has {lacks}: {names}"
        fact = note_by_id(context.catalog.kubernetes.notes, note)
        yield Hit(pod.hit_path(known[0].path), message, fact=fact)


@frozen
class _Unfit:
    """Why a flavor never serves Pods: what no flavor has, the flavor, the place in the Pods, and the fact."""

    lacks: str
    text: str
    path: Path
    note: str


def _unfit(context: ManifestContext, pod: PodTemplate, flavor: KubernetesObject) -> _Unfit | None:
    """Why Kueue does not use a flavor for Pods; None if it may."""
    label = different_label(pod, flavor)
    if label is not None:
        _, key, value, selected = label
        text = f"{quoted(flavor.name)} has {key}: {value}"
        return _Unfit(f"the node labels that {pod.title} selects", text, selected.path, "kueue-flavor-labels")
    for annotation, level in asked_levels(pod):
        text = lacks_level(context, flavor, level)
        if text:
            path = (*pod.path, "metadata", "annotations", annotation)
            return _Unfit(f"the topology level {level}, which {pod.title} names", text, path, "kueue-flavor-topology")
    return None


@rule(
    "TPU399",
    title="Pods that tolerate no flavor of their queue",
    why="Kueue admits a workload to a flavor only if its Pods tolerate the taints of the flavor. In the queues of a "
    "plan, the flavor of each slice group has a taint of its own, so no workload gets the flavor of another group",
    fix="Add the toleration of the slice group to the Pods. No node has this taint. Pods must not select its key.",
    references=["kueue-flavor-assigner", "kueue-flavor-api", "gke-workload-separation"],
    failing=f"{job_set('research').strip()}\n--- plan\n{_QUEUE_PLAN}",
    passing=f"{changed(job_set('research'), (_TPU_TOLERATION, _TPU_TOLERATION + _OF_THE_GROUP)).strip()}\n"
    f"--- plan\n{_QUEUE_PLAN}",
)
def untolerated_flavor(context: ManifestContext) -> Iterable[Hit]:
    """The flavors are those of the files; if the files do not have the queue, those of the plan."""
    facts, resource = context.catalog.kubernetes.kueue.flavors, context.catalog.kubernetes.pods.resource.name
    of_plan = _FlavorsOfPlan(context)
    for pod in context.tpu_pods:
        if pod.is_open or is_open(pod.spec.get("tolerations")) or not pod.chips(resource):
            continue
        missing = _missing(context, of_plan, pod)
        if missing is not None:
            written = items(pod.spec.get("tolerations"))
            yield Hit(
                pod.at("tolerations"),
                f"{pod.title} does not tolerate the taints of {missing.flavors}",
                fact=facts.for_item("taint_effect"),
                allowed=missing.taints,
                fix=SetKeys.of(tolerations=[*written, *map(toleration, missing.first)]),
            )


@frozen
class _Missing:
    """The flavors that can serve Pods and whose taints nothing tolerates, all taints, and those of the first flavor."""

    flavors: str
    taints: tuple[str, ...]
    first: tuple[Toleration, ...]


def _missing_of(flavors: list[tuple[str, tuple[Toleration, ...]]]) -> _Missing | None:
    """The tolerations for flavors with the taints that nothing tolerates; None if the Pods can have one of them."""
    if not flavors or any(not taints for _, taints in flavors):
        return None
    names = listed([quoted(name) for name, _ in flavors], "or", most=_MOST_SHOWN)
    what = "the flavor" if len(flavors) == 1 else "any flavor that serves it:"
    texts = tuple(_taint_text(taint) for _, taints in flavors for taint in taints)
    return _Missing(f"{what} {names}", texts, flavors[0][1])


def _taint_text(taint: Toleration) -> str:
    """A taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _missing(context: ManifestContext, of_plan: "_FlavorsOfPlan", pod: PodTemplate) -> _Missing | None:
    """The flavors with chips that can serve the Pods, if the Pods tolerate none of them.

    A flavor of a slice group that does not serve them is left out: Kueue ignores what the flavor does not have.
    """
    name = known_text(queue_labels(pod.owner).get(context.catalog.kubernetes.kueue.labels.queue))
    if not name:
        return None
    queue = context.cluster_queue(pod.owner)
    served = context.groups.serving(pod, context.shape(pod))
    if queue is None:
        local = context.named("LocalQueue", context.catalog.kubernetes.controllers["kueue"].group, name)
        return of_plan.missing(pod, name, served) if not local else None
    found: list[tuple[str, tuple[Toleration, ...]]] = []
    for flavor in flavors_with_chips(context, queue):
        other = context.groups.has_flavor(flavor.name) and flavor.name not in served.flavors
        if not other and different_label(pod, flavor) is None:
            taints = untolerated_taints(pod, flavor)
            missing = (Toleration(taint["key"], taint["effect"], taint.get("value") or None) for taint in taints)
            found.append((flavor.name, tuple(missing)))
    return _missing_of(found)


class _FlavorsOfPlan:
    """The flavors of the queues of the plan; each has a taint with a value of its own, which Pods tolerate."""

    def __init__(self, context: ManifestContext) -> None:
        self._context = context
        self._flavors: dict[tuple[str, str, int], dict[str, tuple[str, Toleration]]] = {}
        self._missing: dict[tuple[str, str, int], _Missing | None] = {}

    def missing(self, pod: PodTemplate, name: str, served: Served) -> _Missing | None:
        """What the Pods do not tolerate of the flavors of a queue; only of groups that serve them."""
        signature = name, pod.owner.namespace, id(served)
        if signature not in self._flavors:
            groups = _groups_of(self._context, name, pod.owner.namespace)
            taints = {
                flavor_name(group): flavor_taint(group, self._context.catalog)
                for group in groups
                if group.key in served.keys
            }
            self._flavors[signature] = {taint.value or "": (name, taint) for name, taint in taints.items()}
            self._missing[signature] = _missing_of([(name, (taint,)) for name, taint in taints.items()])
        flavors = self._flavors[signature]
        for entry in map(mapping, items(pod.spec.get("tolerations"))):
            value = entry.get("value")
            named = [flavors[value]] if isinstance(value, str) and value in flavors else list(flavors.values())[:1]
            for _, taint in named:
                if tolerates(pod, taint.key, taint.value, effect=taint.effect):
                    return None
        return self._missing[signature]


def _groups_of(context: ManifestContext, name: str, namespace: str) -> Iterator[SliceGroup]:
    """The slice groups with quota in the queues of the plan with this name that a workload of a namespace can join."""
    for objects in context.objects_of_plan:
        for queue in objects.queues:
            if queue.name == name and namespace in ("", *queue.namespaces):
                yield from (group for quota in queue.quotas for group in quota.flavor.groups)
