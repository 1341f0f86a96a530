"""Tolerations that pods need: TPU389, TPU731 and TPU734."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Fact
from pulumi_gke_tpu.core.kinds import queue_labels
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key, is_open
from pulumi_gke_tpu.core.objects.scheduling import tolerates
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import SetKeys
from pulumi_gke_tpu.features.check.context import ManifestContext

_ON = "true"
_EXPORTER = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: exporter}
spec:
  selector: {matchLabels: {app: exporter}}
  template:
    metadata: {labels: {app: exporter}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}
"""


@rule(
    "TPU731",
    title="DaemonSet for TPU nodes without their toleration",
    why="GKE taints TPU nodes, and Kubernetes adds the toleration only to Pods that request chips",
    fix="Tolerate the taint `google.com/tpu`.",
    references=["about-tpus", "plan-tpus"],
    failing=f"{_EXPORTER}      containers: [{{name: exporter, image: exporter}}]\n",
    passing=f"{_EXPORTER}      tolerations: [{{key: google.com/tpu, operator: Exists}}]\n"
    "      containers: [{name: exporter, image: exporter}]\n",
)
def missing_tpu_toleration(context: ManifestContext) -> Iterable[Hit]:
    names, pods = context.catalog.platform.names, context.catalog.kubernetes.pods
    for pod in context.tpu_pods:
        if not pod.traits.one_per_node or pod.chips(pods.resource.name) != 0:
            continue
        if not tolerates(pod, names.labels.tpu_taint, pods.taint.value):
            yield _missing(pod, names.labels.tpu_taint, names.labels.for_item("tpu_taint"))


def _missing(pod: PodTemplate, key: str, fact: Fact) -> Hit:
    fix = SetKeys.of(tolerations=[{"key": key, "operator": "Exists"}])
    return Hit.missing(pod.at("tolerations"), f"toleration of {key}", fact=fact, fix=fix)


@warning(
    "TPU734",
    title="Pod on queued capacity without its toleration",
    why="GKE taints nodes with queued provisioning, so that only the Pods of a queue run on them",
    fix="Tolerate the taint `cloud.google.com/gke-queued`, or set it in the ResourceFlavor of the queue.",
    references=["gke-provisioning-request", "autoscaler-labels"],
    failing=tpu_pod(selector='cloud.google.com/gke-queued: "true"'),
    passing=tpu_pod(
        spec="tolerations: [{key: cloud.google.com/gke-queued, operator: Exists}]",
        selector='cloud.google.com/gke-queued: "true"',
    ),
)
def missing_queued_toleration(context: ManifestContext) -> Iterable[Hit]:
    labels, queue = context.catalog.platform.names.node_labels, context.catalog.kubernetes.kueue.labels.queue
    for pod in context.tpu_pods:
        selected = pod.selection(labels.queued)
        from_flavor = queue in queue_labels(pod.owner) or queue in mapping(pod.metadata.get("labels"))
        tolerated = tolerates(pod, labels.queued, context.catalog.kubernetes.workloads.nodes.queued_taint_value)
        if selected is not None and selected.values == (_ON,) and not from_flavor and not tolerated:
            yield _missing(pod, labels.queued, labels.for_item("queued"))


@rule(
    "TPU389",
    title="Toleration that the API server rejects",
    why="with the operator Exists, a toleration accepts every value and names none; without a key, it needs the "
    "operator Exists. Only Pods on nodes with a NoExecute taint can have a time until their eviction",
    fix="Remove `value`, or use the operator Equal.",
    source="Kubernetes: validation of tolerations",
    failing=tpu_pod(spec="tolerations: [{key: google.com/tpu, operator: Exists, value: present}]"),
    passing=tpu_pod(spec="tolerations: [{key: google.com/tpu, operator: Equal, value: present}]"),
)
def invalid_toleration(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners:
            continue
        for index, toleration in enumerate(items(pod.spec.get("tolerations"))):
            entry = mapping(toleration)
            operator = entry.get("operator")
            if operator == "Exists" and entry.get("value") and not is_open(entry["value"]):
                message = "a toleration with the operator Exists has no `value`"
                yield Hit(pod.at("tolerations", index, "value"), message)
            elif operator in (None, "Equal") and not entry.get("key") and not has_open_key(entry) and entry:
                message = "a toleration without `key` needs the operator Exists"
                yield Hit(pod.at("tolerations", index), message, fix=SetKeys.of(operator="Exists"))
            effect = entry.get("effect")
            if entry.get("tolerationSeconds") is not None and effect != "NoExecute" and not is_open(effect):
                message = "`tolerationSeconds` needs the effect NoExecute"
                advice = "Remove `tolerationSeconds`, or set the effect NoExecute."
                yield Hit(pod.at("tolerations", index, "tolerationSeconds"), message, advice=advice)
