"""Services for Pods on TPU nodes: TPU395."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.names import is_valid_name
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_server
from pulumi_gke_tpu.core.rules.engine.rule import Hit, warning
from pulumi_gke_tpu.core.text.findings import SetKeys, did_you_mean
from pulumi_gke_tpu.features.check.context import ManifestContext

_MOST_COMPARISONS = 10_000
"""How many labels are compared with those of Services without Pods by their letters."""
_MOST_PORTS = 50
"""With more names of ports, a finding lists and suggests none."""
_SERVER = f"""{tpu_server(container="ports: [{name: http, containerPort: 8000}]")}---
apiVersion: v1
kind: Service
metadata: {{name: serve}}
spec:
  selector: {{app: LABEL}}
  ports: [{{port: 80, targetPort: http}}]
"""


@warning(
    "TPU395",
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
    pods = _PodsByLabel(context)
    for service in context.of_kind("Service", ""):
        selector = mapping(service.spec.get("selector"))
        if not selector:
            yield from _no_labels(pods, service, context)
            continue
        if has_open_key(selector) or any(map(is_open, (*selector.values(), service.name))):
            continue
        if any(isinstance(value, dict | list) for value in selector.values()):
            continue  # another rule reports values that are not text
        selected = pods.selected(selector, service.namespace)
        if not selected:
            yield from _other_labels(pods, service, selector)
        elif selected.with_chips:
            yield from _unknown_ports(service, selected)


@frozen
class _Selected:
    """The Pods that a selector selects: what the first one is called, and the names of all ports of their containers.

    ``ports`` is None if a template may add ports.
    """

    title: str
    with_chips: bool
    ports: tuple[str, ...] | None


class _PodsByLabel:
    """The Pods of the files by their labels, so that the work for a Service does not grow with their number.

    Services with the same selector share the result.
    """

    def __init__(self, context: ManifestContext) -> None:
        self._tpu_owners = context.tpu_owners
        self._with_label: dict[tuple[str, object], list[PodTemplate]] = {}
        self._open: list[PodTemplate] = []
        """Pods whose labels a template may change."""
        self._by_name: dict[str, list[PodTemplate]] = {}
        self._by_key: dict[str, list[PodTemplate]] = {}
        self._in_places: dict[tuple[tuple[str, str], ...], dict[str, _Selected]] = {}
        self._found: dict[tuple[object, str], _Selected | None] = {}
        self._comparisons = _MOST_COMPARISONS
        for pod in context.pods:
            labels = _labels(pod)
            if is_open(pod.metadata.get("labels")) or has_open_key(labels) or any(map(is_open, labels.values())):
                self._open.append(pod)
            else:
                for key, value in labels.items():
                    self._with_label.setdefault((key, str(value)), []).append(pod)
        for pod in context.tpu_pods:
            for name in {pod.owner.name, text(pod.spec.get("subdomain")), text(pod.owner.spec.get("serviceName"))}:
                self._by_name.setdefault(name, []).append(pod)
            for key in _labels(pod):
                self._by_key.setdefault(key, []).append(pod)

    def selected(self, selector: dict[str, Any], namespace: str) -> _Selected | None:
        """The Pods that a selector selects and that may be in a namespace; None if there are none."""
        signature = tuple(sorted((key, str(value)) for key, value in selector.items()))
        if signature not in self._in_places:
            known = min((self._with_label.get(label, []) for label in signature), key=len)
            pods: dict[str, list[PodTemplate]] = {}
            for pod in (*known, *self._open):
                if _has(pod, selector):
                    pods.setdefault(pod.owner.namespace, []).append(pod)
            self._in_places[signature] = {place: self._described(found) for place, found in pods.items()}
        if (signature, namespace) not in self._found:
            found = self._in_places[signature]
            places = dict.fromkeys(("", namespace)) if namespace else found
            self._found[signature, namespace] = _together([found[place] for place in places if place in found])
        return self._found[signature, namespace]

    def _described(self, pods: list[PodTemplate]) -> _Selected:
        containers = [container for pod in pods for container in pod.containers(init=True)]
        ports = [mapping(port) for container in containers for port in items(container.data.get("ports"))]
        names = tuple(dict.fromkeys(text(port.get("name")) for port in ports if port.get("name")))
        unknown = (
            any(pod.is_open for pod in pods)
            or any(is_open(item.data.get("ports")) or has_open_key(item.data) for item in containers)
            or any(map(is_open, names))
        )
        with_chips = any(pod.owner.index in self._tpu_owners for pod in pods)
        return _Selected(pods[0].title, with_chips, None if unknown else names)

    def named(self, service: KubernetesObject) -> list[PodTemplate]:
        """The Pods with chips that have the name of a Service: their own, or that of the Service that they state."""
        return self._by_name.get(service.name, [])

    def with_similar_labels(self, selector: dict[str, Any]) -> Iterator[PodTemplate]:
        """The Pods with chips that have all keys of a selector, and values with almost the same letters."""
        for pod in min((self._by_key.get(key, []) for key in selector), key=len):
            labels = _labels(pod)
            if not selector.keys() <= labels.keys() or not self._comparisons:
                continue
            self._comparisons -= 1
            if all(
                labels[key] == value or did_you_mean(text(value), (text(labels[key]),))
                for key, value in selector.items()
            ):
                yield pod


def _together(found: list[_Selected]) -> _Selected | None:
    if not found:
        return None
    known = [each.ports for each in found if each.ports is not None]
    ports = tuple(dict.fromkeys(name for names in known for name in names)) if len(known) == len(found) else None
    return _Selected(found[0].title, any(each.with_chips for each in found), ports)


def _labels(pod: PodTemplate) -> dict[str, Any]:
    return mapping(pod.metadata.get("labels"))


def _has(pod: PodTemplate, selector: dict[str, Any]) -> bool:
    """Whether the Pods have the labels of a selector, or may have them by a template."""
    labels = _labels(pod)
    if is_open(pod.metadata.get("labels")) or has_open_key(labels):
        return True
    return all(is_open(labels.get(key)) or labels.get(key) == value for key, value in selector.items())


def _other_labels(pods: _PodsByLabel, service: KubernetesObject, selector: dict[str, Any]) -> Iterator[Hit]:
    """The selector of a Service for Pods that have the same labels with other values.

    Labels that controllers add, such as the name of a Job, are not in the files.
    """
    for pod in (*pods.named(service), *pods.with_similar_labels(selector)):
        labels = _labels(pod)
        if not service.may_share_namespace(pod.owner) or not selector.keys() <= labels.keys():
            continue
        different = [key for key, value in selector.items() if labels[key] != value]
        known = [text(labels[key]) for key in different]
        if different and all(known):  # other labels are not text
            key, value = different[0], known[0]
            message = f"no Pod of the files has the label `{key}: {selector[key]}`; those of {pod.title} have `{value}`"
            yield Hit(service.at("spec", "selector", key), message, fix=SetKeys.of({key: value}))
            return


def _no_labels(pods: _PodsByLabel, service: KubernetesObject, context: ManifestContext) -> Iterator[Hit]:
    """An empty selector, or none of the headless Service by whose name the Pods find each other.

    It selects nothing, so the names of the Pods do not exist unless somebody writes the endpoints.
    """
    spec, written = service.spec, service.spec.get("selector", _NOT_WRITTEN)
    headless = spec.get("clusterIP") == _HEADLESS and written is _NOT_WRITTEN
    if not (headless or written in ({}, None)) or spec.get("type") == _ELSEWHERE or is_open(spec):
        return
    endpoints = (*context.of_kind("Endpoints", ""), *context.of_kind("EndpointSlice", "discovery.k8s.io"))
    for pod in pods.named(service) if not endpoints else ():
        if service.may_share_namespace(pod.owner) and (not headless or pod.spec.get("subdomain") == service.name):
            why = "a Service without labels in its selector has no endpoints, and gives its Pods no DNS names"
            place = service.at("spec") if written is _NOT_WRITTEN else service.at("spec", "selector")
            yield Hit(place, f"the Service selects no Pods, and {pod.title} is to be reached by it", why=why)
            return


_NOT_WRITTEN = object()
_HEADLESS, _ELSEWHERE = "None", "ExternalName"


def _unknown_ports(service: KubernetesObject, pods: _Selected) -> Iterator[Hit]:
    """The target ports by name that no container of the selected Pods has."""
    if pods.ports is None:
        return
    for index, port in enumerate(items(service.spec.get("ports"))):
        target = mapping(port).get("targetPort")
        named = isinstance(target, str) and not is_open(target) and is_valid_name(target, "port")
        if isinstance(target, str) and named and target not in pods.ports:  # another rule reports invalid names
            allowed = pods.ports if len(pods.ports) <= _MOST_PORTS else ()
            near = did_you_mean(target, allowed) or ""
            fix = SetKeys.of(targetPort=near)
            place = service.at("spec", "ports", index, "targetPort")
            yield Hit.unknown(place, "port", target, f"no container of {pods.title} has it", allowed=allowed, fix=fix)
