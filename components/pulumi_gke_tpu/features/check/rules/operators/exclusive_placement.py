"""What keeps the Pods of a slice on the hosts of one node pool: TPU763 and TPU764."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.kinds import all_kinds, kind_of
from pulumi_gke_tpu.core.objects import PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.document import text as text_of
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import SlicePods
from pulumi_gke_tpu.features.check.queued_pods import is_queued
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set

_SEVERAL = 2
_USUAL_SCHEDULER = "default-scheduler"
"""The name that the API server adds to Pods without one."""
_MIXED = (
    "all nodes of slices with one topology have the same labels, so that the scheduler mixes their hosts, and no job "
    "has a whole slice. Two jobs that start together suffice"
)
_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  completionMode: Indexed
  parallelism: 4
  completions: 4
  backoffLimit: 0
  template:
    spec:
      subdomain: train
      restartPolicy: Never
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4}
      tolerations: [{key: google.com/tpu, operator: Exists, effect: NoSchedule}]
      containers:
        - name: train
          image: train
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


def exclusive_topologies(context: ManifestContext, pod: PodTemplate) -> Iterator[tuple[Path, object]]:
    """The exclusive topologies that apply to the Pods of a template, with their paths in the object."""
    kind = kind_of(pod.owner)
    if kind is None or kind.exclusive_topology is None:
        return
    key, _ = kind.exclusive_topology(context.catalog)
    places: list[Path] = [("metadata",)]
    if pod.traits.job == "member":
        places.append((*pod.controlled_by[:-1], "metadata"))
    for path in places:
        value = mapping(pod.owner.value(*path, "annotations")).get(key)
        if value is not None:
            yield (*path, "annotations", key), value


@rule(
    "TPU763",
    title="Exclusive topology that does not fit a slice",
    why="the Pods of a slice follow their first Pod into one topology domain, and the node pool is the domain with all "
    "hosts of the slice. On Autopilot, GKE creates the nodes, and Pods cannot select a node pool",
    fix="Set the value to cloud.google.com/gke-nodepool. On Autopilot, remove the annotation.",
    references=["jobset-api", "jobset-multislice", "lws-api", "autopilot-pool-selector"],
    otherwise={Severity.WARNING: "if the cluster is in Autopilot mode, or gke-tpu does not know the topology"},
    failing=changed(job_set(), ("topology: cloud.google.com/gke-nodepool", "topology: kubernetes.io/hostname")),
    passing=job_set(),
)
def wrong_exclusive_topology(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    pool = facts.workloads.nodes.pool
    for found in context.slice_pods:
        for path, value in exclusive_topologies(context, found.pod) if found.form.hosts > 1 else ():
            place = found.pod.owner.at(*path)
            if is_open(value):
                continue
            hosts = number(found.form.hosts, "host")
            if value == pool and context.mode == "autopilot":
                message = (
                    f"exclusive topology {quoted(value)} is not supported on Autopilot: Pods cannot select a node pool"
                )
                yield Hit(place, message, fact=facts.workloads.nodes, severity=Severity.WARNING)
            elif value == facts.jobset.host_label:
                message = f"exclusive topology {quoted(value)} allows one host, but the slice has {hosts}"
                yield Hit(place, message, fact=facts.jobset, allowed=facts.jobset.slice_topologies)
            elif value not in facts.jobset.slice_topologies:
                message = f"exclusive topology {quoted(value)} may not contain the {hosts} of one slice"
                allowed = facts.jobset.slice_topologies
                yield Hit(place, message, fact=facts.jobset, severity=Severity.WARNING, allowed=allowed)


@rule(
    "TPU764",
    severity=Severity.NOTE,
    otherwise={Severity.WARNING: "if several node pools of the plan, or several Slices, can serve the Pods"},
    title="Nothing keeps the Pods of a slice on one node pool",
    why="each multi-host slice is one node pool. If several node pools have the same labels, the scheduler mixes "
    "their hosts, and the slice never forms. Two jobs that start together suffice",
    fix="Add the annotation for exclusive topology on the node pool to the JobSet or LeaderWorkerSet. Or select the "
    "node pool by name. A plain Job needs a JobSet for that. For slices that you form of cubes, use the topology "
    "cloud.google.com/gke-tpu-slice, or select the slice.",
    references=["jobset-multislice", "lws-api", "kuberay-tpu-webhook"],
    failing=_JOB,
    passing=job_set(),
)
def slice_without_own_pool(context: ManifestContext) -> Iterable[Hit]:
    """On Autopilot, GKE creates a node pool for each slice."""
    if context.mode == "autopilot":
        return
    for found in context.slice_pods:
        pod = found.pod
        if found.form.hosts == 1 or not pod.traits.several_pools or _is_held(context, pod, found.topology):
            continue
        if pod.selection(context.catalog.platform.names.node_labels.accelerator) is None:
            continue  # a ComputeClass creates the node pools
        pools, formed = _pools(context, found), _formed(context, found)
        if pools + formed == 1:
            continue
        by_hand = formed or pod.selection(context.catalog.kubernetes.pods.dynamic_slices.mode_label) is not None
        where = "on a Standard cluster, " if context.mode is None and not by_hand else ""
        domain = "slice" if by_hand else "node pool"
        message = f"{where}nothing keeps the Pods of {pod.title} on one {domain}: {_reason(context, pod)}"
        if pools:
            message += f"; {number(pools, 'node pool')} of the plan can serve the slice"
        if formed:
            message += f"; {number(formed, 'Slice')} have the topology {found.topology}"
        yield Hit(pod.at(), message, severity=Severity.WARNING if pools or formed else None, why=_MIXED * bool(by_hand))


def _reason(context: ManifestContext, pod: PodTemplate) -> str:
    if any(exclusive_topologies(context, pod)):
        return "a node pool has several slices of a part of a cube"
    return pod.traits.several_pools


def _pools(context: ManifestContext, found: SlicePods) -> int:
    """The node pools of a plan that can serve a slice; 0 without a plan."""
    key = found.family.family.accelerator_label, found.topology, found.chips
    return sum(group.slices.maximum for group in context.groups_of_shapes.get(key, ()) if not group.dynamic)


def _formed(context: ManifestContext, found: SlicePods) -> int:
    """The slices that people form themselves, with the topology of some Pods."""
    generations = context.catalog.kubernetes.pods.dynamic_slices.generations
    return context.formed[found.topology] if found.family.generation_name in generations else 0


def _is_held(context: ManifestContext, pod: PodTemplate, topology: str) -> bool:
    """Whether something can keep the Pods together: an annotation, a selector of one node pool, or an affinity."""
    facts = context.catalog.kubernetes
    apart = topology in facts.pods.dynamic_slices.parts and context.formed[topology] > 1
    domains = [value for _, value in exclusive_topologies(context, pod)]
    if any(value != facts.workloads.nodes.pool or not apart for value in domains):
        return True
    if _is_held_by_its_maker(context, pod):
        return True
    if _may_be_held(context, pod) or _selects_one_pool(context, pod):
        return True
    affinity = mapping(mapping(pod.spec.get("affinity")).get("podAffinity"))
    terms = map(mapping, items(affinity.get("requiredDuringSchedulingIgnoredDuringExecution")))
    return any(term.get("topologyKey") not in (*facts.jobset.shared_labels, facts.jobset.host_label) for term in terms)


def _is_held_by_its_maker(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether an object with exclusive topology made this one: its controller copies the annotation to the Pods."""
    for maker in map(mapping, items(pod.owner.metadata.get("ownerReferences"))):
        kind = all_kinds().get((text_of(maker.get("apiVersion")).partition("/")[0], text_of(maker.get("kind"))))
        if kind is not None and kind.exclusive_topology is not None:
            return kind.exclusive_topology(context.catalog)[0] in pod.annotations
    return False


def _selects_one_pool(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether the Pods select one node pool, by its name or by a label that no other may have.

    A label of a slice group of the plan is that of all of its node pools.
    """
    common, pool = context.catalog.kubernetes.jobset.shared_labels, context.catalog.kubernetes.workloads.nodes.pool
    keys = {key for key, _ in pod.selected_keys() if key not in common}
    own = {key: found for key in keys if (found := pod.selection(key)) is not None}
    named = own.pop(pool, None)
    if named is not None and (named.open or len(named.values) == 1):
        return True
    served = context.groups.with_labels(own) if own and context.groups else None
    return bool(own) and (served is None or served.slices < _SEVERAL)


def _may_be_held(context: ManifestContext, pod: PodTemplate) -> bool:
    """Whether a template may add an annotation or a selector, or something else than the scheduler places the Pods.

    Without a queue, Pods that select the topology of their slice wait for one that somebody forms.
    """
    parts, facts = (pod.owner.annotations, pod.annotations, pod.node_selector), context.catalog.kubernetes
    placing = {*facts.jobset.placing_annotations}
    if pod.selection(context.catalog.platform.names.node_labels.topology) and not is_queued(context, pod.owner):
        placing.discard(facts.pods.dynamic_slices.annotation)
    asked = any(key in part for part in parts[:2] for key in placing)
    other = pod.spec.get("schedulerName", _USUAL_SCHEDULER) != _USUAL_SCHEDULER
    return pod.is_open or asked or other or any(map(has_open_key, parts))
