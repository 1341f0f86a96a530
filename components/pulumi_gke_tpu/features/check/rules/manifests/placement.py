"""Pods of a slice on one node or in one pool, without an index, or on a slice that cannot be formed."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.workloads import DynamicSlices
from pulumi_gke_tpu.core.catalog.topologies import unformable
from pulumi_gke_tpu.core.objects.document import known_text
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.pods import PodTemplate, Selection
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, listed, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import forms_of

_DIMENSIONS = 3
_POD = """
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  annotations: {{cloud.google.com/gke-tpu-slice-topology: {topology}}}
spec:
  nodeSelector: {{cloud.google.com/gke-tpu-accelerator: tpu7x, cloud.google.com/gke-tpu-topology: 4x4x4}}
  containers:
    - name: jax
      image: trainer
      resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
"""


@rule(
    "TPU744",
    title="Pods of several hosts or slices that select one node or one pool",
    why="a host runs one Pod with chips, and a node pool with several hosts is one slice; the other Pods stay Pending",
    fix="Select the accelerator and the topology only.",
    references=["about-tpus", "plan-tpus"],
    failing=tpu_job(selector="kubernetes.io/hostname: gke-train-pretrain-1"),
    passing=tpu_job(),
)
def pods_of_a_slice_on_one_node(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    for pod in context.tpu_pods:
        hosts = 1 if pod.is_pod else context.shape(pod).hosts or 1
        node = pod.selection(facts.pods.host_name.label)
        named = pod.spec.get("nodeName")
        if hosts > 1 and node is not None and len(node.values) < hosts and not node.open:
            message = f"the Pods of {number(hosts, 'host')} select {number(len(node.values), 'node')}"
            yield Hit(pod.hit_path(node.path), message, fact=facts.workloads.containers.for_item("one"))
        elif hosts > 1 and isinstance(named, str) and named and not is_open(named):
            message = f"the Pods of {number(hosts, 'host')} run on the node {quoted(named)}"
            yield Hit(pod.at("nodeName"), message, fact=facts.workloads.containers.for_item("one"))
        pool = pod.selection(facts.workloads.nodes.pool)
        slices = pod.groups or 1 if not context.shape(pod).dynamic else 1
        if hosts > 1 and pool is not None and not pool.open and len(pool.values) < slices:
            message = f"{number(slices, 'slice')} select {number(len(pool.values), 'node pool')}"
            yield Hit(pod.hit_path(pool.path), message, fact=facts.workloads.nodes)


@warning(
    "TPU745",
    title="Deployment or ReplicaSet on slices with several hosts",
    why="GKE numbers the hosts of a slice by the index of the Pods, and nothing keeps these Pods in one node pool",
    fix="Use a LeaderWorkerSet or a JobSet.",
    references=["gke-multislice", "lws-tpu-example"],
    failing="""
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  replicas: 4
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 4x4
      containers:
        - name: server
          image: server
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
""",
    passing=tpu_job(),
)
def slice_pods_without_index(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.pods.indexed
    for pod in context.tpu_pods:
        hosts = context.shape(pod).hosts or 1
        if hosts > 1 and not pod.traits.indexed:
            message = f"a {pod.owner.kind} gives the Pods of a slice with {number(hosts, 'host')} no index"
            yield Hit(pod.owner.at("kind"), message, fact=fact)


@rule(
    "TPU340",
    otherwise={
        Severity.WARNING: "if the generation has no dynamic slicing, or the node selector names another topology"
    },
    title="Topology that dynamic slicing cannot form",
    why="the slice controller forms slices from cubes of 4x4x4 chips in one block, or from parts of one cube. It forms "
    "no other slice, so the Pods stay Pending",
    fix="Use a part of a cube, such as 2x4x4, or dimensions AxBxC that are multiples of 4 with A <= B <= C.",
    references=["gke-dynamic-slicing", "subslicing-news"],
    failing=_POD.format(topology="4x8x6"),
    passing=_POD.format(topology="4x8x8"),
)
def dynamic_slice_topology(context: ManifestContext) -> Iterable[Hit]:
    """XPK uses the annotation for parts of v6e slices, too, so these only have to be topologies of v6e."""
    facts = context.catalog.kubernetes.pods.dynamic_slices
    for pod in context.pods:
        shape = context.shape(pod)
        if not shape.dynamic:
            continue
        selected = pod.selection(context.catalog.platform.names.node_labels.topology)
        path = selected.path if selected is not None else ()
        if facts.annotation in pod.annotations:
            path = (*pod.path, "metadata", "annotations", facts.annotation)
        family = shape.family
        if family is not None and family.generation.dimensions != _DIMENSIONS:
            if shape.topology and not forms_of(family, shape.topology):
                reason, fact = f"{family.generation_name} does not have it", family.generation.topologies
                yield Hit.unknown(pod.hit_path(path), "slice topology", shape.topology, reason, fact=fact)
        elif shape.topology and (reason := unformable(facts, shape.topology)):
            yield Hit.invalid(pod.hit_path(path), "slice topology", shape.topology, reason, fact=facts)
        elif family is not None and family.generation_name not in facts.generations:
            message = (
                f"the slice controller forms slices of {listed([*facts.generations])}, not of {family.generation_name}"
            )
            yield Hit(pod.hit_path(path), message, fact=facts, severity=Severity.WARNING)
        else:
            yield from _of_no_such_node(pod, facts, selected)


def _of_no_such_node(pod: PodTemplate, facts: DynamicSlices, selected: Selection | None) -> Iterable[Hit]:
    """The selected topology is neither that of the annotation nor that of the cubes."""
    wanted = known_text(pod.annotations.get(facts.annotation))
    if selected is None or selected.open or not wanted:
        return
    for value in selected.values:
        if value not in (wanted, facts.cube_topology):
            reason = f"nodes of the slice have {wanted}, or {facts.cube_topology} of their cubes"
            yield Hit.invalid(
                pod.hit_path(selected.path), "selected topology", value, reason, fact=facts, severity=Severity.WARNING
            )
