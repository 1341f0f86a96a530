"""Slices of cubes: workloads whose slices nothing forms, or only in part. TPU823 to TPU830 and TPU899."""

import itertools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Topology
from pulumi_gke_tpu.core.catalog.records.kubernetes import SliceAdmission
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queued_pods import (
    KUEUE_PLACES,
    flavors_with_chips,
    is_queued,
    lacks_slice,
    levels_of,
    selects_cubes,
)
from pulumi_gke_tpu.features.check.rules.operators.exclusive_placement import exclusive_topologies
from pulumi_gke_tpu.features.check.rules.operators.parts import entries

_USUAL_SCHEDULER = "default-scheduler"
_SLICE_REQUIRED = f"{KUEUE_PLACES}slice-required-topology"
JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  failurePolicy: {maxRestarts: 3}
  replicatedJobs:
    - name: slice
      replicas: 1
      template:
        spec:
          parallelism: 32
          completions: 32
          backoffLimit: 0
          podFailurePolicy: {rules: [{action: FailJob, onPodConditions: [{type: DisruptionTarget}]}]}
          template:
            metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x8}}
            spec:
              restartPolicy: Never
              nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x}
              tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
              containers:
                - name: train
                  image: train
                  resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
_QUEUE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: cubes}
spec:
  levels:
    - nodeLabel: cloud.google.com/gce-topology-block
    - nodeLabel: cloud.google.com/gke-tpu-partition-4x4x4-id
    - nodeLabel: kubernetes.io/hostname
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: cpu}
spec: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: cubes}
spec: {nodeLabels: {cloud.google.com/gke-tpu-accelerator: tpu7x}, topologyName: cubes}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: slices}
spec: {controllerName: accelerator.gke.io/slice}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  admissionChecksStrategy: {admissionChecks: [{name: slices, onFlavors: [cubes]}]}
  resourceGroups:
    - coveredResources: [google.com/tpu]
      flavors:
        - {name: cpu, resources: [{name: google.com/tpu, nominalQuota: 0}]}
        - {name: cubes, resources: [{name: google.com/tpu, nominalQuota: 320}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq}
spec: {clusterQueue: cq}
---"""
_GROUPS = """
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: SIZE
    restartPolicy: RecreateGroupOnPodRestart
    workerTemplate:
      metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: TOPOLOGY}}
      spec:
        nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x}
        tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
        containers:
          - name: serve
            image: serve
            resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""
_STATEFUL_SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: serve, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  serviceName: serve
  replicas: 16
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}, annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x4}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu7x}
      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
      containers:
        - name: serve
          image: serve
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
---
apiVersion: v1
kind: Service
metadata: {name: serve}
spec: {clusterIP: None, selector: {app: serve}}
"""


def of_cubes(context: ManifestContext) -> Iterator[tuple[PodTemplate, Topology]]:
    """The Pods of slices that GKE forms of cubes, with the topology of a slice."""
    facts = context.catalog.kubernetes.pods.dynamic_slices
    for pod in context.pods:
        shape = context.shape(pod)
        if facts.annotation not in pod.annotations or pod.is_open or not shape.topology or shape.family is None:
            continue
        if shape.family.generation_name in facts.generations and not unformable(facts, shape.topology):
            yield pod, Topology.parse(shape.topology)


def _fact(context: ManifestContext) -> SliceAdmission:
    """What the slice controller does, without its own needs, about which sources disagree."""
    return context.catalog.kubernetes.kueue.slices.for_item("kinds")


def _annotation(context: ManifestContext, pod: PodTemplate, key: str = "") -> Path:
    """The path of an annotation of Pods, by default that of the topology of their slice."""
    key = key or context.catalog.kubernetes.pods.dynamic_slices.annotation
    return pod.hit_path((*pod.path, "metadata", "annotations", key))


@rule(
    "TPU823",
    title="Labels that come with a slice are selected before it",
    why="Kueue chooses nodes before the slice exists, and nodes get these labels when GKE has formed a slice of them. "
    "No node has them before, so the workload waits forever",
    fix="Remove the label from the node selector, or from `nodeLabels` of the ResourceFlavor. The annotation states "
    "the topology.",
    references=["gke-samples-slice-queues", "slicing-outcomes"],
    failing=JOB_SET.replace("tpu7x}", "tpu7x, cloud.google.com/gke-tpu-topology: 4x4x8}"),
    passing=JOB_SET,
)
def selected_before_slice(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.dynamic_slices
    labels = (context.catalog.platform.names.node_labels.topology, facts.slice_label)
    for pod, _ in of_cubes(context):
        for label in labels if is_queued(context, pod.owner) else ():
            place = pod.required_at(label)
            if place is not None:
                yield Hit(pod.hit_path(place), _without_label(label), fact=_fact(context))
    for queue, pod in _queues(context):
        flavors = _placing(context, queue)
        early = {each.index: (each, found) for each in flavors if (found := _label_of_slice(context, each))}
        if len(early) == len(flavors):
            for flavor, label in early.values():
                reason = f"{_without_label(label)}, and {pod.owner.title} gets this flavor"
                yield Hit(flavor.at("spec", "nodeLabels", label), reason, fact=_fact(context))


def _without_label(label: str) -> str:
    return f"no node has the label {quoted(label)} before Kueue has chosen nodes for the slice"


def _label_of_slice(context: ManifestContext, flavor: KubernetesObject) -> str:
    """The first label of a flavor that a cube does not have before a slice is formed of it; empty if it has all."""
    facts = context.catalog.kubernetes.pods.dynamic_slices
    for label, value in mapping(flavor.spec.get("nodeLabels")).items():
        later = label in (context.catalog.platform.names.node_labels.topology, facts.slice_label)
        if later or (label == facts.mode_label and not is_open(value) and value != facts.mode):
            return str(label)
    return ""


def _placing(context: ManifestContext, queue: KubernetesObject) -> list[KubernetesObject]:
    """The flavors of a queue that have chips and a Topology."""
    return [flavor for flavor in flavors_with_chips(context, queue) if flavor.spec.get("topologyName")]


@rule(
    "TPU824",
    title="Slice of several cubes in one node pool",
    why="with dynamic slicing, each cube is a node pool of its own. A slice of several cubes does not fit into one, so "
    "some of its Pods stay Pending forever",
    fix="Set the exclusive topology to cloud.google.com/gke-tpu-slice, or remove it: Kueue places the slices. Do not "
    "select a node pool.",
    references=["gke-samples-slice-queues", "gke-dynamic-slicing", "slicing-outcomes"],
    failing=JOB_SET.replace(
        "queue-name: lq}}",
        "queue-name: lq}, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}}",
    ),
    passing=JOB_SET,
)
def cubes_in_one_node_pool(context: ManifestContext) -> Iterable[Hit]:
    fact, pool = context.catalog.kubernetes.pods.dynamic_slices, context.catalog.kubernetes.workloads.nodes.pool
    seen: set[Path] = set()
    for pod, topology in of_cubes(context):
        cubes = fact.cubes(topology.chips)
        if cubes == 1:
            continue
        places = [pod.owner.at(*path) for path, value in exclusive_topologies(context, pod) if value == pool]
        selected = pod.selection(pool)
        if selected is not None and not selected.open and len(selected.values) == 1:
            places.append(pod.hit_path(selected.path))
        for place in places:
            if place not in seen:
                seen.add(place)
                message = f"a slice of {topology} has {number(cubes, 'cube')}, which are as many node pools"
                yield Hit(place, message, fact=fact)


@rule(
    "TPU825",
    title="Queue that admits Pods of cubes without a slice",
    why="the slice controller makes a slice for each workload that passes its AdmissionCheck. Without the check, Kueue "
    "admits the workload, and its Pods run on hosts whose chips are not connected",
    fix="Add an AdmissionCheck with `controllerName: accelerator.gke.io/slice` to `admissionChecksStrategy` of the "
    "queue, with the flavors of the cubes in `onFlavors`.",
    references=["gke-samples-slice-queues", "slicing-outcomes"],
    failing=_QUEUE.replace("  admissionChecksStrategy: {admissionChecks: [{name: slices, onFlavors: [cubes]}]}\n", "")
    + JOB_SET,
    passing=_QUEUE + JOB_SET,
)
def queue_without_slices(context: ManifestContext) -> Iterable[Hit]:
    facts = _fact(context)
    for queue, pod in _queues(context):
        checks = list(_checks(queue))
        known = [_check(context, name) for _, name, _ in checks]
        if None in known:
            continue  # a check that the files do not define can be that of the controller
        own = [check for check, controller in zip(checks, known, strict=True) if controller == facts.controller]
        names = {flavor.name for flavor in _placing(context, queue) if _has_levels_of_cubes(context, flavor)}
        covered = {str(name) for _, _, on in own for name in on or names}
        if context.catalog.kubernetes.kueue.multikueue.controller in known:
            continue  # the queue of a worker has the check
        if not own:
            what = f"AdmissionCheck with the controller {facts.controller} in {queue.title}"
            yield Hit.missing(queue.at("spec"), what, f"{pod.owner.title} needs slices of cubes", fact=facts)
        elif names - covered:
            path, name, _ = own[0]
            message = f"the check {quoted(name)} is not for the flavor of cubes {quoted(min(names - covered))}"
            yield Hit(queue.at(*path), message, fact=facts)


def _has_levels_of_cubes(context: ManifestContext, flavor: KubernetesObject) -> bool:
    """Whether Kueue can place slices of cubes on a flavor: one for static slices has other labels or levels."""
    facts = context.catalog.kubernetes.pods.dynamic_slices
    levels = levels_of(context, flavor)
    cube = facts.partition_label(facts.cube_topology)
    return not _label_of_slice(context, flavor) and (levels is None or cube in levels[1])


def _queues(context: ManifestContext) -> Iterator[tuple[KubernetesObject, PodTemplate]]:
    """The ClusterQueues of workloads on cubes, each once, with the Pods of the first workload."""
    seen: set[int] = set()
    for pod, _ in of_cubes(context):
        queue = context.cluster_queue(pod.owner)
        if queue is not None and queue.index not in seen:
            seen.add(queue.index)
            yield queue, pod


def _checks(queue: KubernetesObject) -> Iterator[tuple[Path, str, list[object]]]:
    """The admission checks of a queue: path, name, and the flavors that they are for; none for all flavors."""
    for path, entry in entries(queue, "spec", "admissionChecksStrategy", "admissionChecks"):
        yield path, known_text(entry.get("name")), items(entry.get("onFlavors"))
    for index, name in enumerate(items(queue.spec.get("admissionChecks"))):
        yield ("spec", "admissionChecks", index), known_text(name), []


def _check(context: ManifestContext, name: str) -> str | None:
    """The controller of a check; None if it is unknown."""
    group = context.catalog.kubernetes.controllers["kueue"].group
    found = context.named("AdmissionCheck", group, name) if name else ()
    return (known_text(found[0].spec.get("controllerName")) or None) if found else None


@warning(
    "TPU826",
    title="Nothing forms the slice of Pods on cubes",
    why="Kueue and its slice controller form slices for workloads with a queue that select their accelerator. Other "
    "Pods have to select a slice that exists, or the scheduler spreads them over any cubes, whose chips are not "
    "connected",
    fix="Add the label kueue.x-k8s.io/queue-name. Or select the slice with cloud.google.com/gke-tpu-slice, and in a "
    "JobSet with several slices set the exclusive topology cloud.google.com/gke-tpu-slice.",
    references=["gke-samples-slice-queues", "gke-dynamic-slicing-scheduler", "slicing-outcomes"],
    otherwise={Severity.NOTE: "if nothing in the files or the plan shows that the nodes are cubes"},
    failing=_QUEUE + JOB_SET.replace(", labels: {kueue.x-k8s.io/queue-name: lq}", ""),
    passing=_QUEUE + JOB_SET,
)
def pods_without_slice(context: ManifestContext) -> Iterable[Hit]:
    facts, labels = context.catalog.kubernetes.pods.dynamic_slices, context.catalog.platform.names.node_labels
    group, default = context.catalog.kubernetes.controllers["kueue"].group, context.catalog.kubernetes.kueue.flavors
    shapes = {id(pod): topology for pod, topology in of_cubes(context)}
    cubes = bool([*context.of_kind("ClusterQueue", group), *context.clusters()])
    for pod in context.tpu_pods:
        if id(pod) not in shapes and (
            pod.is_open or facts.annotation in pod.annotations or not selects_cubes(context, pod)
        ):
            continue
        own = {value for _, value in exclusive_topologies(context, pod)}
        joins = context.reachable("LocalQueue", group, default.default_queue, pod.owner.namespace)
        if (
            is_queued(context, pod.owner)
            or pod.owner.metadata.get("ownerReferences")  # its controller or Kueue decides
            or joins
            or facts.slice_label in own
            or any(pod.selection(label) for label in (facts.slice_label, labels.topology))
            or pod.spec.get("schedulerName", _USUAL_SCHEDULER) != _USUAL_SCHEDULER
            or any(key.startswith(KUEUE_PLACES) for key in pod.annotations)
        ):
            continue
        of_topology = f" of {shapes[id(pod)]}" if id(pod) in shapes else ""
        message = f"{pod.title} has no queue and selects no slice, so that nothing forms its slice{of_topology}"
        place = _annotation(context, pod) if of_topology else pod.at()
        note = None if cubes or selects_cubes(context, pod) else Severity.NOTE  # slices of node pools ignore it
        yield Hit(place, message, fact=_fact(context), severity=note)


@rule(
    "TPU827",
    title="Levels of a Topology that do not fit the parts of slices",
    why="the slice controller asks Kueue to keep all slices of a workload in one block, and each on cubes or on a "
    "part of one. Kueue can do that only if the Topology of the flavor has a level for each of them, each below the "
    "larger ones",
    fix="Add the levels, the larger ones first: cloud.google.com/gce-topology-block, "
    "cloud.google.com/gke-tpu-partition-4x4x4-id, the parts of a cube that workloads ask for, and "
    "kubernetes.io/hostname. A Topology cannot change, so create another one.",
    references=["gke-samples-slice-queues", "kueue-topology-api", "slicing-outcomes"],
    failing=_QUEUE + JOB_SET.replace("4x4x8", "2x2x2").replace(": 32", ": 2"),
    passing=_QUEUE + JOB_SET,
)
def topology_without_levels(context: ManifestContext) -> Iterable[Hit]:
    facts, fact = context.catalog.kubernetes.pods.dynamic_slices, _fact(context)
    seen: set[Path] = set()
    for pod, topology in of_cubes(context):
        queue = context.cluster_queue(pod.owner)
        flavors = flavors_with_chips(context, queue) if queue is not None else []
        placing = [flavor for flavor in flavors if flavor.spec.get("topologyName")]
        asked = f"{pod.owner.title} asks for slices of {topology}"
        if flavors and not placing and flavors[0].at("spec") not in seen:
            seen.add(flavors[0].at("spec"))
            yield Hit.missing(flavors[0].at("spec"), f"key `topologyName` in {flavors[0].title}", asked, fact=fact)
        levels = [levels_of(context, flavor) for flavor in placing]
        needed = (facts.block_label, facts.partition_label(str(topology)))
        yield from _misplaced_levels(context, levels, seen)
        if not levels or any(one is None or set(needed) <= set(one[1]) for one in levels):
            continue
        for owner, names in filter(None, levels):
            what = f"level {next(name for name in needed if name not in names)} in {owner.title}"
            if (place := (*owner.at("spec", "levels"), what)) not in seen:
                seen.add(place)
                yield Hit.missing(owner.at("spec", "levels"), what, asked, fact=fact)


def _misplaced_levels(
    context: ManifestContext, levels: list[tuple[KubernetesObject, list[str]] | None], seen: set[Path]
) -> Iterator[Hit]:
    """The first level of each Topology that is below a smaller one."""
    facts = context.catalog.kubernetes.pods.dynamic_slices
    parts = sorted(facts.parts, key=lambda part: Topology.parse(part).chips, reverse=True)
    host = context.catalog.kubernetes.pods.host_name.label
    order = [facts.block_label, *(facts.partition_label(part) for part in (facts.cube_topology, *parts)), host]
    for owner, names in filter(None, levels):
        known = [(index, name) for index, name in enumerate(names) if name in order]
        for (_, above), (index, name) in itertools.pairwise(known):
            place = owner.at("spec", "levels", index)
            if order.index(above) > order.index(name) and place not in seen:
                seen.add(place)
                message = f"level {name} is below {above}, which is smaller"
                yield Hit((*place, "nodeLabel"), message, fact=_fact(context))
                break


@rule(
    "TPU828",
    title="Group of a LeaderWorkerSet that gets no slice",
    why="the slice controller asks Kueue to place each group of a LeaderWorkerSet on one cube or on a part of one, so "
    "a larger group waits forever. It asks for nothing if the leader is not on a host of the slice",
    fix="Use one cube, such as 4x4x4, or a JobSet. Give the leader the annotation, the accelerator and the chips of "
    "the workers.",
    references=["xpk-slice-controller", "gke-samples-slice-queues", "slicing-outcomes"],
    failing=_GROUPS.replace("SIZE", "32").replace("TOPOLOGY", "4x4x8"),
    passing=_GROUPS.replace("SIZE", "16").replace("TOPOLOGY", "4x4x4"),
)
def group_on_several_cubes(context: ManifestContext) -> Iterable[Hit]:
    fact, facts = _fact(context), context.catalog.kubernetes.pods.dynamic_slices
    for pod, topology in of_cubes(context):
        if pod.traits.queued_as != "group" or pod.traits.leader or not is_queued(context, pod.owner):
            continue
        cubes = facts.cubes(topology.chips)
        if cubes > 1:
            message = f"a slice of {topology} has {number(cubes, 'cube')}, and a group of {pod.owner.title} gets one"
            yield Hit(_annotation(context, pod), message, fact=fact, allowed=(facts.cube_topology, *facts.parts))
        for leader in context.pods_by_owner.get(pod.owner.index, ()):
            if leader.traits.leader and facts.annotation not in leader.annotations and not leader.is_open:
                what = f"annotation {facts.annotation} of the leader"
                reason = f"the slice controller makes no slice for {pod.owner.title} otherwise"
                yield Hit.missing(leader.hit_path(leader.path), what, reason, fact=fact)


@rule(
    "TPU829",
    title="Queued Pods without the topology of a slice, or without its accelerator",
    why="the flavor of the chips places Pods by their topology only. The slice controller asks for a topology only "
    "if the Pods state that of their slice and select its accelerator. The workload waits forever",
    fix="Add the annotation cloud.google.com/gke-tpu-slice-topology to the Pods, and select the accelerator.",
    references=["kueue-topology-api", "gke-samples-slice-queues", "slicing-outcomes"],
    failing=_QUEUE
    + JOB_SET.replace("metadata: {annotations: {cloud.google.com/gke-tpu-slice-topology: 4x4x8}}\n            ", "")
    .replace("tpu7x}", "tpu7x, cloud.google.com/gke-tpu-topology: 4x4x8}")
    .replace(
        "queue-name: lq}}",
        "queue-name: lq}, annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool}}",
    ),
    passing=_QUEUE + JOB_SET,
)
def queue_of_slices_only(context: ManifestContext) -> Iterable[Hit]:
    facts, fact = context.catalog.kubernetes.pods.dynamic_slices, _fact(context)
    for pod in context.tpu_pods:
        if reason := lacks_slice(context, pod):
            yield Hit.missing(pod.at(), f"annotation {facts.annotation}", reason, fact=fact)
    accelerator = context.catalog.platform.names.node_labels.accelerator
    for pod in context.tpu_pods:
        topology = known_text(pod.annotations.get(facts.annotation))
        if not topology or unformable(facts, topology) or pod.is_open or pod.required_at(accelerator):
            continue
        if is_queued(context, pod.owner) and not pod.selection(facts.slice_label):
            reason = f"the slice controller forms a slice of {topology} only for Pods that select the accelerator"
            yield Hit.missing(pod.at(), f"selector {accelerator}", reason, fact=fact)


@rule(
    "TPU899",
    title="Queued workload of a kind that gets no slice",
    why="the slice controller asks Kueue for slices, and makes them, only for Jobs, JobSets and LeaderWorkerSets. "
    "Kueue does not admit other workloads to a flavor of cubes, or their Pods run without a slice",
    fix="Use a JobSet, a Job or a LeaderWorkerSet. Or remove the queue, make the Slice yourself, and select it with "
    "cloud.google.com/gke-tpu-slice.",
    references=["xpk-slice-controller", "gke-samples-slice-queues"],
    failing=_STATEFUL_SET,
    passing=_STATEFUL_SET.replace(", labels: {kueue.x-k8s.io/queue-name: lq}", "").replace(
        "tpu7x}", "tpu7x, cloud.google.com/gke-tpu-slice: made}"
    ),
)
def queued_kind_without_slices(context: ManifestContext) -> Iterable[Hit]:
    fact, label = _fact(context), context.catalog.kubernetes.pods.dynamic_slices.slice_label
    for pod, topology in of_cubes(context):
        others = pod.owner.kind in fact.other_kinds and not pod.owner.metadata.get("ownerReferences")
        if others and is_queued(context, pod.owner) and not pod.selection(label):
            message = f"{pod.owner.title} gets no slice of {topology}: it is not a {listed(fact.kinds, 'or')}"
            yield Hit(_annotation(context, pod), message, fact=fact)


@rule(
    "TPU830",
    title="Topology of a slice was changed after its workload was created",
    why="the slice controller reads the topology when a workload is created, and writes into its Pods what it asks of "
    "Kueue. It does not see a later change, so the workload waits forever, or gets a slice of the former topology",
    fix="Delete the workload, and create it again from its manifest.",
    references=["xpk-slice-controller", "gke-samples-slice-queues", "slicing-outcomes"],
    failing=JOB_SET.replace(
        "topology: 4x4x8}", f"topology: 4x4x8, {_SLICE_REQUIRED}: cloud.google.com/gke-tpu-partition-2x2x2-id}}"
    ),
    edit=("cloud.google.com/gke-tpu-partition-2x2x2-id", "cloud.google.com/gke-tpu-partition-4x4x4-id"),
)
def topology_changed_after_admission(context: ManifestContext) -> Iterable[Hit]:
    facts, kueue = context.catalog.kubernetes.pods.dynamic_slices, context.catalog.kubernetes.kueue.slices
    fact = _fact(context)
    for pod, topology in of_cubes(context):
        expected = facts.partition_label(str(topology))
        key = kueue.required_topology if pod.traits.queued_as == "group" else kueue.slice_topology
        given = known_text(pod.annotations.get(key))
        size = known_text(pod.annotations.get(kueue.slice_size))
        hosts, cubes = context.shape(pod).hosts, facts.cubes(topology.chips)
        if given.startswith(facts.partition_prefix) and given != expected:
            message = f"the workload was created for another topology than {topology}: its Pods ask Kueue for {given}"
            yield Hit(_annotation(context, pod, key), message, fact=fact)
        elif given and hosts and size.isdecimal() and size.isascii() and int(size) != hosts // cubes:
            message = f"the workload was created for another topology than {topology}: its parts have {size} Pods"
            yield Hit(_annotation(context, pod, kueue.slice_size), message, fact=fact)
