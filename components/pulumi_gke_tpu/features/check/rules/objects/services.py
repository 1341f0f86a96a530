"""Services for Pods on TPU nodes: TPU395."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import rule
from pulumi_gke_tpu.core.text.findings import Severity, did_you_mean
from pulumi_gke_tpu.features.check.context import ManifestContext

_SERVER = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers:
        - name: server
          image: server
          ports: [{name: http, containerPort: 8000}]
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
---
apiVersion: v1
kind: Service
metadata: {name: serve}
spec:
  selector: {app: LABEL}
  ports: [{port: 80, targetPort: http}]
"""


@rule(
    "TPU395",
    "service-without-pods",
    severity=Severity.WARNING,
    title="Service that does not reach its Pods",
    why="a Service sends requests to the Pods that have all labels of its selector, at the port with the name of "
    "`targetPort`. Without such Pods, it has no endpoints",
    fix="Use the labels of the Pod template, and the name of a port of its containers.",
    source="Kubernetes: a Service selects Pods by labels, and a named target port is that of a container",
    failing=_SERVER.replace("LABEL", "server"),
    passing=_SERVER.replace("LABEL", "serve"),
)
def service_without_pods(context: ManifestContext) -> Iterable[Hit]:
    """Only for Services that belong to Pods with chips in the files: by their names, or by all labels."""
    if not context.tpu_pods:
        return
    for service in context.of_kind("Service", ""):
        selector = mapping(service.spec.get("selector"))
        if not selector or has_open_key(selector) or any(map(is_open, (*selector.values(), service.name))):
            continue
        selected = [pod for pod in context.pods if service.may_share_namespace(pod.owner) and _has(pod, selector)]
        if not selected:
            yield from _other_labels(context, service, selector)
        elif any(pod.owner.index in context.tpu_owners for pod in selected):
            yield from _unknown_ports(service, selected)


def _labels(pod: PodTemplate) -> dict[str, Any]:
    return mapping(pod.metadata.get("labels"))


def _has(pod: PodTemplate, selector: dict[str, Any]) -> bool:
    """Whether the Pods have the labels of a selector, or may have them by a template."""
    labels = _labels(pod)
    if is_open(pod.metadata.get("labels")) or has_open_key(labels):
        return True
    return all(is_open(labels.get(key)) or labels.get(key) == value for key, value in selector.items())


def _other_labels(context: ManifestContext, service: KubernetesObject, selector: dict[str, Any]) -> Iterator[Hit]:
    """The selector of a Service for Pods that have the same labels with other values.

    Labels that controllers add, such as the name of a Job, are not in the files.
    """
    for pod in context.tpu_pods:
        labels = _labels(pod)
        if not service.may_share_namespace(pod.owner) or not selector.keys() <= labels.keys():
            continue
        different = [key for key, value in selector.items() if labels[key] != value]
        known = [text(labels[key]) for key in different]
        if not all(known):
            continue  # labels that are not text
        near = all(did_you_mean(text(selector[key]), (value,)) for key, value in zip(different, known, strict=True))
        if near or service.name in (pod.owner.name, pod.spec.get("subdomain"), pod.owner.spec.get("serviceName")):
            key, value = different[0], known[0]
            message = f"no Pod of the files has the label `{key}: {selector[key]}`; those of {pod.title} have `{value}`"
            yield Hit(service.at("spec", "selector", key), message, fix=f"{key}: {value}")
            return


def _unknown_ports(service: KubernetesObject, pods: list[PodTemplate]) -> Iterator[Hit]:
    """The target ports by name that no container of the selected Pods has."""
    containers = [container for pod in pods for container in pod.containers(init=True)]
    ports = [mapping(port) for container in containers for port in items(container.data.get("ports"))]
    unknown = any(pod.is_open for pod in pods) or any(
        is_open(container.data.get("ports")) or has_open_key(container.data) for container in containers
    )
    names = tuple(dict.fromkeys(text(port.get("name")) for port in ports if port.get("name")))
    if unknown or any(map(is_open, names)):
        return
    for index, port in enumerate(items(service.spec.get("ports"))):
        target = mapping(port).get("targetPort")
        if isinstance(target, str) and not target.isdecimal() and not is_open(target) and target not in names:
            near = did_you_mean(target, names) or ""
            fix = f"targetPort: {near}" if near else ""
            place = service.at("spec", "ports", index, "targetPort")
            yield Hit.unknown(place, "port", target, f"no container of {pods[0].title} has it", allowed=names, fix=fix)
