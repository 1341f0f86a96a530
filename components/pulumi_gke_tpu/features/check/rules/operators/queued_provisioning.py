"""Queued provisioning by Kueue: TPU570 and TPU789."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping, text
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, Severity, number, quoted
from pulumi_gke_tpu.core.text.findings.suggestions import misspelled_choice
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.queues import chip_quotas
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, of_kueue, owners, pods_of

_DAY = 86400
_GPU = "gpu"
_CONFIG = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ProvisioningRequestConfig
metadata: {name: queued}
spec:
  provisioningClassName: queued-provisioning.gke.io
  managedResources: [google.com/tpu]
"""


@rule(
    "TPU789",
    title="Queued provisioning that GKE does not perform",
    why="GKE creates queued slices for requests of its own class that contain one set of Pods with chips. Kueue reads "
    "the run duration from what it admits: the workload, or each Pod of a Deployment",
    fix="Use the class queued-provisioning.gke.io with google.com/tpu in `managedResources`. Put the annotation on the "
    "workload, or on the Pod template of a Deployment.",
    references=["gke-provisioning-request", "autoscaler-queued-wrapper", "kueue-provisioning-api"],
    otherwise={
        Severity.WARNING: "if Kueue admits the workload without effect on GKE, or if no file requests chips",
        Severity.NOTE: "if sources disagree on a parameter",
    },
    failing=_CONFIG.replace("queued-provisioning.gke.io", "dws-flex-start"),
    passing=_CONFIG,
)
def queued_provisioning(context: ManifestContext) -> Iterable[Hit]:
    for owner in of_kueue(context, "ProvisioningRequestConfig"):
        yield from _wrong_config(context, owner)
    for owner in of_kueue(context, "AdmissionCheck"):
        yield from _wrong_controller(context, owner)
    checks = _checks(context)
    for owner in owners(context.pods):
        yield from _wrong_duration(context, owner)
        queue = context.cluster_queue(owner)
        if queue is not None and _is_queued(queue, checks):
            yield from _several_sets(context, owner)


def _checks(context: ManifestContext) -> set[str]:
    """The admission checks that request capacity from GKE."""
    controller = context.catalog.kubernetes.kueue.queued.controller
    every = of_kueue(context, "AdmissionCheck")
    return {owner.name for owner in every if owner.spec.get("controllerName") == controller}


def _wrong_config(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    facts, resource = context.catalog.kubernetes.kueue.queued, context.catalog.kubernetes.pods.resource.name
    name, managed = owner.spec.get("provisioningClassName"), items(owner.spec.get("managedResources"))
    allowed = (facts.provisioning_class,)
    path = owner.at("spec", "provisioningClassName")
    if name in facts.other_classes:
        message = f"provisioning class {quoted(name)} creates no queued slices on GKE"
        yield Hit(path, message, fact=facts, severity=Severity.WARNING, allowed=allowed)
        return
    if name != facts.provisioning_class and not is_open(name):
        fact = facts.for_item("provisioning_class")
        weaker = None if resource in managed or context.tpu_pods else Severity.WARNING
        yield Hit.unknown(path, "provisioning class", name or "", fact=fact, severity=weaker, allowed=allowed)
    known = not any(map(is_open, managed))
    others = any(_GPU in str(item) for item in managed) and not _serves_chips(context, owner, resource)
    if managed and resource not in managed and known and not others:
        message = f"`managedResources` of {owner.title} lacks {resource}, so Kueue requests no slices"
        yield Hit(owner.at("spec", "managedResources"), message, fact=facts, severity=Severity.WARNING)
    for key in mapping(owner.spec.get("parameters")):
        if key in facts.doubtful_parameters:
            message = f"parameter {quoted(key)}: GKE's own examples pass none, and its autoscaler reads none"
            fact = facts.for_item("doubtful_parameters")
            yield Hit(owner.at("spec", "parameters", key), message, fact=fact, severity=Severity.NOTE)


def _serves_chips(context: ManifestContext, config: KubernetesObject, resource: str) -> bool:
    """Whether a queue asks by an admission check with a configuration for flavors that have chips."""
    checks = {
        check.name
        for check in of_kueue(context, "AdmissionCheck")
        if mapping(check.spec.get("parameters")).get("name") == config.name
    }
    for queue in of_kueue(context, "ClusterQueue"):
        chips = {quota.flavor for quota in chip_quotas(queue, resource) if quota.chips != 0}
        for _, check in entries(queue, "spec", "admissionChecksStrategy", "admissionChecks"):
            flavors = set(map(str, items(check.get("onFlavors")))) or chips
            if text(check.get("name")) in checks and flavors & chips:
                return True
    return False


def _wrong_controller(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    """A controller of an admission check that Kueue does not have; others have domains of their own."""
    kueue = context.catalog.kubernetes.kueue
    known, name = (kueue.queued.controller, kueue.multikueue.controller), known_text(owner.spec.get("controllerName"))
    domain = kueue.queued.controller.partition("/")[0]
    near = misspelled_choice(name, known) if name and name not in known else None
    if near is not None or (name not in known and name.startswith(f"{domain}/")):
        place, fix = owner.at("spec", "controllerName"), Replace.value(near or "")
        reason = "Kueue does not have it, so the queues with this check stay inactive"
        weaker = Severity.WARNING
        yield Hit.unknown(place, "controller", name, reason, fact=kueue.queued, severity=weaker, allowed=known, fix=fix)


def _wrong_duration(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    facts, key = context.catalog.kubernetes.kueue.queued, context.catalog.kubernetes.kueue.labels.run_duration
    found: dict[Path, Any] = {}
    most = facts.max_run_days * _DAY
    for pod in pods_of(context, owner):
        on_pods = pod.traits.duration_at == "pod"
        places = ((*pod.path, "metadata"), pod.annotations), (("metadata",), owner.annotations)
        (path, read), (other, unread) = places if on_pods else places[::-1]
        if pod.path and key in unread:
            where = "on the object; put it on the Pod template" if on_pods else f"on Pods; put it on the {owner.kind}"
            message = f"the annotation {quoted(key)} has no effect {where}"
            yield Hit(owner.at(*other, "annotations", key), message, fact=facts, severity=Severity.WARNING)
        found[owner.at(*path, "annotations", key)] = read.get(key)
    fact = facts.for_item("max_run_days")
    for place, value in found.items():
        if value is None or is_open(value):
            continue
        if not str(value).isdecimal():
            yield Hit.invalid(place, "run duration", value, "it is a number of seconds", fact=fact)
        elif len(str(value)) > len(str(most)) or int(value) > most:
            yield Hit.exceeds(place, f"run duration {value} s", f"{number(facts.max_run_days, 'day')}", fact=fact)


def _is_queued(queue: KubernetesObject, checks: set[str]) -> bool:
    """Whether a queue requests capacity from GKE before it admits workloads, by one of these admission checks."""
    strategy = entries(queue, "spec", "admissionChecksStrategy", "admissionChecks")
    named = {str(check.get("name")) for _, check in strategy} | set(map(str, items(queue.spec.get("admissionChecks"))))
    return bool(checks & named)


def _several_sets(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    resource, facts = context.catalog.kubernetes.pods.resource.name, context.catalog.kubernetes.kueue.queued
    with_chips = [pod for pod in pods_of(context, owner) if pod.chips(resource) and pod.pods != 0]
    for pod in with_chips[1:]:
        message = f"{owner.title} has {number(len(with_chips), 'set')} of Pods with chips; GKE provisions one set"
        yield Hit(pod.at(), message, fact=facts, severity=Severity.WARNING)


_WITH_VOLUME = """
apiVersion: v1
kind: Pod
metadata: {{name: trainer}}
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    cloud.google.com/gke-queued: "true"
  tolerations: [{{key: cloud.google.com/gke-queued, operator: Exists, effect: NoSchedule}}]
  containers:
    - name: jax
      image: trainer
      resources: {{requests: {{google.com/tpu: 4}}, limits: {{google.com/tpu: 4}}}}
  volumes: [{{name: scratch, {volume}}}]
"""
_CLAIM = (
    "ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], storageClassName: hyperdisk-balanced, "
    "resources: {requests: {storage: 500Gi}}}}}"
)


@warning(
    "TPU570",
    title="Generic ephemeral volume of Pods with queued capacity",
    why="GKE creates the nodes before the Pods exist. The claim of a generic ephemeral volume does not exist then, so "
    "the ProvisioningRequest fails with Pods that cannot be scheduled",
    fix="Use an `emptyDir`, or a claim that exists before the workload.",
    references=["kueue-ephemeral-volumes", "autoscaler-ephemeral-volumes"],
    failing=_WITH_VOLUME.format(volume=_CLAIM),
    passing=_WITH_VOLUME.format(volume="emptyDir: {}"),
)
def ephemeral_volume_on_queued_capacity(context: ManifestContext) -> Iterable[Hit]:
    facts, label = context.catalog.kubernetes.kueue.queued, context.catalog.platform.names.node_labels.queued
    checks = _checks(context)
    for pod in context.tpu_pods:
        queue = context.cluster_queue(pod.owner)
        by_label, requested = pod.selection(label), any(key in pod.annotations for key in facts.consuming)
        if by_label is None and not requested and not (queue is not None and _is_queued(queue, checks)):
            continue
        for index, volume in enumerate(map(mapping, items(pod.spec.get("volumes")))):
            if mapping(volume.get(facts.unsupported_volume)):
                what = f"generic ephemeral volume {quoted(volume.get('name'))}"
                place = pod.at("volumes", index, facts.unsupported_volume)
                fact = facts.for_item("unsupported_volume")
                yield Hit.unsupported(place, what, "queued capacity", fact=fact)
