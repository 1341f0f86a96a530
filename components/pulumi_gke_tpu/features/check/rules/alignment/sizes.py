"""How many slices workloads need, and the capacity and classes that they select: TPU382 to TPU384 and TPU397."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from pulumi_gke_tpu.core.catalog.records.platform import CapacityLabels
from pulumi_gke_tpu.core.fleet import SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import capacity_selector
from pulumi_gke_tpu.core.kinds import kind_of, queue_labels
from pulumi_gke_tpu.core.kinds.kind import RollingUpdate
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.rules.engine.examples import OTHER, TWO_SLICES, plan_of, tpu_pod, tpu_server
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, did_you_mean, listed, number, quoted
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queued_pods import is_queued
from pulumi_gke_tpu.features.check.serving import Served

JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: pretrain
  annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}
spec:
  replicatedJobs:
    - name: slice
      replicas: SLICES
      template:
        spec:
          parallelism: 4
          completions: 4
          backoffLimit: 0
          podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}
          template:
            spec:
              restartPolicy: Never
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
                cloud.google.com/gke-tpu-topology: 4x4
              containers:
                - name: jax
                  image: trainer
                  resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
--- plan
"""
_CLASS = """
apiVersion: cloud.google.com/v1
kind: ComputeClass
metadata: {name: v6e}
spec:
  whenUnsatisfiable: DoNotScaleUp
  nodePoolAutoCreation: {enabled: true}
  priorities: [{tpu: {type: tpu-v6e-slice, count: 4, topology: 2x2}}]
---
apiVersion: v1
kind: Pod
metadata: {name: trainer}
spec:
  nodeSelector: {cloud.google.com/compute-class: NAME}
  containers:
    - name: jax
      image: trainer
      resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
_AUTOPILOT = """--- plan
mode: autopilot
location: us-east5
slices:
  main: {tpu: v6e, topology: 2x2, capacity: spot}
"""
_MOST_SETS = 8
"""Of more sets of Pods in one workload, only so many are distributed over blocks; all count against their sum."""
_MOST_TRIES = 2000
"""How many ways to distribute sets of Pods over blocks are tried."""
_MOST_NAMES = 50
"""With more ComputeClasses, a finding lists and suggests none."""


@rule(
    "TPU382",
    title="Workload with more slices than the plan has",
    why="every slice of the workload needs a slice of the plan, and the Pods of the others stay Pending. All slices of "
    "cubes of a Job, or of one set of Pods of a JobSet, are in one block, so in one slice group",
    fix="Lower the number of slices or replicas, or raise `count` of the slice group.",
    source="gke-tpu: the slices of a group follow from the plan",
    otherwise={
        Severity.WARNING: "if the slices of the workload run independently, or a cluster exists already, with node "
        "pools outside the plan"
    },
    failing=JOB_SET.replace("SLICES", "3").strip("\n") + "\n" + plan_of(TWO_SLICES),
    passing=JOB_SET.replace("SLICES", "2").strip("\n") + "\n" + plan_of(TWO_SLICES),
)
def workload_larger_than_slices(context: ManifestContext) -> Iterable[Hit]:
    if not context.groups:
        return
    cubes: dict[int, list[tuple[PodTemplate, Served, Fraction]]] = {}
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        needed = slices_needed(context, pod)
        if needed is None or pod.is_open or not shape.chips:
            continue
        served = context.groups.serving(pod, shape)
        if not served.groups or served.unlimited:
            continue
        together = shape.dynamic and pod.traits.queued_as != "group"
        most = max(map(max, _blocks(context, pod, served).values())) if together else served.slices
        if needed <= most:
            yield from _grown(pod, served)
            if together:
                cubes.setdefault(pod.owner.index, []).append((pod, served, _cubes(context, pod)))
            continue
        waits = together or pod.traits.multislice  # for all of its slices
        weaker = Severity.WARNING if served.in_existing or not waits else None
        noun = "cube" if shape.dynamic else "slice"
        has = f"one block of {served.names} has {most:,}" if together else f"{served.names} has {most:,} at most"
        message = f"{pod.title} needs {number(needed, noun)}, and {has}"
        place = pod.groups_at or (*pod.controlled_by, "replicas")
        yield Hit(pod.hit_path(place), message, severity=weaker)

    for sets in cubes.values():
        yield from _sets_beyond_blocks(context, sets)


def _blocks(context: ManifestContext, pod: PodTemplate, served: Served) -> dict[str, list[int]]:
    """The cubes by cluster of each block that serves Pods; of each group if the queue of the plan admits the Pods.

    Each group has a flavor there, and Kueue admits a set of Pods to one flavor.
    """
    by_flavor = is_queued(context, pod.owner) and context.cluster_queue(pod.owner) is None
    found: dict[str, dict[tuple[str, ...], int]] = {}
    for cluster, group in served.groups:
        blocks, key = found.setdefault(cluster.key, {}), (group.key,) if by_flavor else group.block
        blocks[key] = blocks.get(key, 0) + group.slices.maximum
    return {key: [*blocks.values()] for key, blocks in found.items()}


def _cubes(context: ManifestContext, pod: PodTemplate) -> Fraction:
    """The cubes of the slices of a template, of which parts of cubes are parts."""
    chips = (pod.pods or 0) * (pod.groups or 0) * (context.shape(pod).chips or 0)
    return Fraction(chips, context.catalog.kubernetes.pods.dynamic_slices.cube_chips)


def _sets_beyond_blocks(
    context: ManifestContext, sets: Sequence[tuple[PodTemplate, Served, Fraction]]
) -> Iterable[Hit]:
    """The first set of Pods of a workload for which no block has cubes beside the sets before it."""
    clusters = _blocks(context, *sets[0][:2])
    most, sizes = max(map(sum, clusters.values())), list[Fraction]()
    for index, (pod, served, size) in enumerate(sets, 1):
        sizes.append(size)
        if served.keys != sets[0][1].keys:
            return
        fits = sum(sizes) <= most
        if not fits or (index <= _MOST_SETS and not any(_fit(sizes, blocks) for blocks in clusters.values())):
            whole = number(math.ceil(sum(sizes)), "cube")
            more = f"; {number(len(sets) - index, 'more set')} of Pods follow" if len(sets) > index else ""
            message = (
                f"{pod.owner.title} needs {whole} up to {quoted(pod.role)}, those of each set of Pods in one block, "
                f"and {served.names} has {most:,}{more}"
            )
            place = pod.groups_at or (*pod.controlled_by, "replicas")
            yield Hit(pod.hit_path(place), message, severity=Severity.WARNING if served.in_existing else None)
            return


def _fit(sizes: Sequence[Fraction], blocks: Sequence[int]) -> bool:
    """Whether each set of Pods has a block: the largest first. After many tries, they are taken to have one.

    As many blocks as there are sets, the largest, are enough.
    """
    first = tuple(map(Fraction, sorted(blocks, reverse=True)[: len(sizes)]))
    ordered, tried, left = sorted(sizes, reverse=True), set[tuple[Fraction, ...]](), [(first, 0)]
    while left and len(tried) < _MOST_TRIES:
        blocks_left, index = left.pop()
        if index == len(ordered):
            return True
        for at, block in enumerate(blocks_left):
            if block >= ordered[index]:
                after = tuple(sorted((*blocks_left[:at], block - ordered[index], *blocks_left[at + 1 :]), reverse=True))
                if after not in tried:
                    tried.add(after)
                    left.append((after, index + 1))
    return bool(left)


def _grown(pod: PodTemplate, served: Served) -> Iterable[Hit]:
    """The maximum of groups that the controller cannot reach."""
    limit = pod.owner.value(*pod.grows_at) if pod.grows_at else None
    if isinstance(limit, int) and limit > served.slices:
        message = f"{pod.title} can grow to {number(limit, 'slice')}, and {served.names} has {served.slices:,} at most"
        fix = SetKeys.of({str(pod.grows_at[-1]): served.slices})
        yield Hit(pod.hit_path(pod.grows_at), message, severity=Severity.WARNING, fix=fix)


def slices_needed(context: ManifestContext, pod: PodTemplate) -> int | None:
    """The slices that the Pods of a template need at once; None if that is unknown.

    For dynamic slices, these are the cubes that the node pools of a plan have.
    """
    shape = context.shape(pod)
    hosts = shape.hosts
    if hosts is None or pod.pods is None or pod.groups is None or not pod.traits.slices:
        return None
    slices = pod.groups if pod.traits.slices == "groups" else -(-pod.pods * pod.groups // hosts)
    if not shape.dynamic or not shape.chips:
        return slices
    return context.catalog.kubernetes.pods.dynamic_slices.cubes(slices * hosts * shape.chips)


@warning(
    "TPU383",
    title="Pods on Autopilot that do not select the capacity of the plan",
    why="on Autopilot, the Pod itself requests the capacity. Without the label of the plan's capacity, GKE creates "
    "on-demand nodes",
    fix="Select the capacity of the slice group.",
    references=["gke-autopilot-tpus"],
    failing=tpu_pod().strip("\n") + "\n" + _AUTOPILOT,
    passing=tpu_pod(selector='cloud.google.com/gke-spot: "true"').strip("\n") + "\n" + _AUTOPILOT,
)
def capacity_not_selected(context: ManifestContext) -> Iterable[Hit]:
    """Only if no group with the shape of the Pods is on demand; Kueue adds the labels of a flavor to queued Pods."""
    labels = context.catalog.platform.names.capacity_labels
    if context.mode != "autopilot":
        return
    selectors = {shape: _selectors(groups, labels) for shape, groups in context.groups_of_shapes.items()}
    for pod in context.tpu_pods:
        shape = context.shape(pod)
        if (
            shape.family is None
            or pod.is_open
            or pod.selection(context.catalog.kubernetes.compute_classes.form.selector)
            or _gets_labels_of_a_flavor(context, pod)
        ):
            continue
        wanted = selectors.get((shape.family.family.accelerator_label, shape.topology, shape.chips or 0), [])
        selected = {key for key, _ in pod.selected_keys()}
        every = {labels.spot, labels.flex_start, labels.reservation}
        if not wanted or not all(wanted) or any(key in selected for key in every):
            continue
        texts = tuple("\n".join(f'{key}: "{value}"' for key, value in each.items()) for each in wanted)
        node = pod.selection(context.catalog.platform.names.node_labels.accelerator)
        place = pod.hit_path(node.path) if node is not None else pod.at()
        names = listed([quoted(next(iter(each))) for each in wanted], "or")
        yield Hit(place, f"the slice groups of the plan require the selector {names}", fact=labels, allowed=texts)


def _gets_labels_of_a_flavor(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether Kueue admits Pods only to flavors of slice groups of the plan, whose labels have the capacity."""
    facts = context.catalog.kubernetes.kueue
    if not queue_labels(pod.owner).get(facts.labels.queue):
        return False
    names = {group.name for cluster in context.clusters() for group in cluster.groups}
    return any(
        entry.get("key") == facts.flavors.taint_key and text(entry.get("value")) in names
        for entry in map(mapping, items(pod.spec.get("tolerations")))
    )


def _selectors(groups: Iterable[SliceGroup], labels: CapacityLabels) -> list[dict[str, str]]:
    """The selectors by which Pods request the capacity of groups, each once."""
    found = (capacity_selector(group.plan.capacity, labels) for group in groups if group.compute_class is None)
    return list({repr(each): each for each in found}.values())


@warning(
    "TPU384",
    title="ComputeClass that neither the files nor the plan define",
    why="no node has the label of a class that does not exist, so the Pods stay Pending. The files or the plan define "
    "other classes",
    fix="Use the name of a ComputeClass.",
    references=["gke-compute-class-concept"],
    failing=_CLASS.replace("NAME", "v6"),
    passing=_CLASS.replace("NAME", "v6e"),
)
def unknown_compute_class(context: ManifestContext) -> Iterable[Hit]:
    form, group = context.catalog.kubernetes.compute_classes.form, context.catalog.kubernetes.controllers
    names = [owner.name for owner in context.of_kind("ComputeClass", group["compute_class"].group)]
    for cluster in context.clusters():
        names += (item.compute_class for item in cluster.groups if item.compute_class)
        names += cluster.compute_classes
    if not names or any(is_open(name) for name in names):
        return
    known = frozenset((*names, *context.catalog.kubernetes.compute_classes.built_in.names))
    allowed = tuple(dict.fromkeys(names)) if len(set(names)) <= _MOST_NAMES else ()
    tpu_pods = {*map(id, context.tpu_pods)}
    for pod in context.pods:
        selected = pod.selection(form.selector)
        if selected is None or selected.open or known & set(selected.values):
            continue
        name = selected.values[0]
        near = did_you_mean(name, allowed) or ""
        if not near and id(pod) not in tpu_pods:
            continue  # somebody else can have created a class for Pods without chips
        fix = SetKeys.of({form.selector: near})
        yield Hit.unknown(pod.hit_path(selected.path), "ComputeClass", name, fact=form, allowed=allowed, fix=fix)


_SERVER = tpu_server(spec="replicas: 1\nstrategy: {rollingUpdate: {maxSurge: SURGE, maxUnavailable: 1}}") + "--- plan\n"


@warning(
    "TPU397",
    title="Update that needs more slices than the plan has",
    why="an update with `maxSurge` creates new Pods before it deletes old ones. Without a spare slice, the new Pods "
    "stay Pending. If `maxUnavailable` is 0, the update never ends: a Deployment rounds its default of 25% down to 0 "
    "for 3 replicas and fewer",
    fix="Set `maxSurge: 0` and `maxUnavailable: 1`, or add a slice to the plan.",
    references=["lws-api", "kubernetes-api-server"],
    source="gke-tpu: the slices of a group follow from the plan",
    failing=_SERVER.replace("SURGE", "1").replace("maxUnavailable: 1", "maxUnavailable: 0").strip("\n")
    + "\n"
    + plan_of(OTHER),
    passing=_SERVER.replace("SURGE", "0").strip("\n") + "\n" + plan_of(OTHER),
)
def update_without_spare_slice(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods if context.groups else ():
        surge = _additional(pod)
        shape, needed = context.shape(pod), slices_needed(context, pod)
        if not surge or not needed or pod.is_open or shape.dynamic or not shape.chips:
            continue
        served = context.groups.serving(pod, shape)
        if served.groups and not served.unlimited and needed <= served.slices < needed + surge:
            message = (
                f"an update of {pod.owner.title} needs {number(needed + surge, 'slice')}, and {served.names} has "
                f"{served.slices:,} at most"
            )
            yield Hit(pod.hit_path(_place(pod)), message)


def _additional(pod: PodTemplate) -> int:
    """The replicas that an update adds: of a Deployment, only if it waits for them before it deletes others."""
    update = _update(pod)
    if update is None or mapping(pod.owner.spec.get("strategy")).get("type") == "Recreate":
        return 0
    replicas = pod.groups if update.of == "groups" else pod.pods
    if not replicas:
        return 0
    limits = mapping(value_at(pod.owner.data, update.path))
    surge = limits.get("maxSurge", update.surge)
    unavailable = limits.get("maxUnavailable", update.unavailable)
    waits = update.always_waits or _replicas(unavailable, replicas, up=False) == 0
    return (_replicas(surge, replicas, up=True) or 0) if waits else 0


def _update(pod: PodTemplate) -> RollingUpdate | None:
    kind = kind_of(pod.owner)
    return kind.rolling_update if kind is not None else None


def _replicas(limit: object, replicas: int, *, up: bool) -> int | None:
    """A limit of an update in replicas: a number, or a percentage, which Kubernetes rounds; None for anything else."""
    written = str(limit).removesuffix("%")
    if not written.isascii() or not written.isdecimal():
        return None
    amount = int(written[:9])
    return amount if written == str(limit) else -(-amount * replicas // 100) if up else amount * replicas // 100


def _place(pod: PodTemplate) -> Path:
    """The innermost mapping on the way to `maxSurge` that the object has."""
    update = _update(pod)
    whole = (*update.path, "maxSurge") if update is not None else ("spec",)
    ends = range(len(whole), 0, -1)
    return next(whole[:end] for end in ends if value_at(pod.owner.data, whole[:end]) is not None)
