"""Texts of fields that the API server rejects: TPU867."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.fields import ObjectPart
from pulumi_gke_tpu.core.objects.names import is_valid_name
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, did_you_mean
from pulumi_gke_tpu.core.text.formats.names import is_label_key
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.texts import metadata_values, values_of

_VARIABLE = lazy_pattern(r"[\x20-\x3c\x3e-\x7e]+\Z", re.ASCII)
"""Every printable character of ASCII except the equals sign."""
_SUBSCRIPT = lazy_pattern(r"metadata\.(labels|annotations)\['[^']+'\]\Z", re.ASCII)
_FIELD_PATHS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_SUBSCRIPTS = ("metadata.labels['KEY']", "metadata.annotations['KEY']")
_UP = ".."

_Problem = tuple[str, str, str, tuple[str, ...], Fix | None]
"""The key, what the value is, why it is invalid, what is allowed, and a fix."""


@rule(
    "TPU867",
    "invalid-text-of-field",
    title="Text that a field cannot have",
    why="the API server rejects the object, or no node starts its Pods. Controllers such as JobSet can accept a Pod "
    "template that is wrong, and then create no Pods from it",
    fix="Write a text of the form that the message describes.",
    source="Kubernetes: validation of variables, images, volumes, host names and keys of labels",
    basis="format",
    failing=tpu_pod(container="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodename}}}]"),
    passing=tpu_pod(container="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]"),
)
def invalid_text_of_field(context: ManifestContext) -> Iterable[Hit]:
    for item in context.described:
        for part in item.parts:
            for key, what, reason, allowed, fix in _CHECKS.get((part.kind, part.place), _no_problems)(part):
                path = item.owner.at(*part.path, key)
                yield Hit.invalid(path, what, part.data[key], reason, allowed=allowed, fix=fix)
    for owner in context.objects:
        if owner.index in context.tpu_owners:
            yield from _invalid_keys(owner, context.pods_by_owner.get(owner.index, ()))


def _no_problems(part: ObjectPart) -> Iterator[_Problem]:
    yield from ()


def _texts(part: ObjectPart, *keys: str) -> Iterator[tuple[str, str]]:
    for key in keys:
        value = part.data.get(key)
        if isinstance(value, str) and not is_open(value):
            yield key, value


def _in_variable(part: ObjectPart) -> Iterator[_Problem]:
    for key, name in _texts(part, "name"):
        if not _VARIABLE.match(name):
            yield key, "name of a variable", "use printable ASCII characters without =", (), None


def _in_field_reference(part: ObjectPart) -> Iterator[_Problem]:
    for key, path in _texts(part, "fieldPath"):
        if path not in _FIELD_PATHS and not _SUBSCRIPT.match(path):
            near = did_you_mean(path, _FIELD_PATHS) or ""
            fix = SetKeys.of(fieldPath=near)
            yield key, "path of a field", "variables have only some fields of Pods", (*_FIELD_PATHS, *_SUBSCRIPTS), fix


def _in_container(part: ObjectPart) -> Iterator[_Problem]:
    for key, image in _texts(part, "image"):
        if image != image.strip():
            yield key, "image", "remove the spaces at its ends", (), SetKeys.of(image=image.strip())
        elif "://" in image:
            near = image.partition("://")[2]
            yield key, "image", "the name of an image has no scheme", (), SetKeys.of(image=near)


def _in_mount(part: ObjectPart) -> Iterator[_Problem]:
    for key, path in _texts(part, "subPath", "subPathExpr"):
        if path.startswith("/") or _UP in path.split("/"):
            yield key, "path in a volume", "it begins in the volume and does not leave it", (), None


def _in_host_path(part: ObjectPart) -> Iterator[_Problem]:
    for key, path in _texts(part, "path"):
        if _UP in path.split("/"):
            yield key, "path on the host", "it has no `..`", (), None


def _in_pod(part: ObjectPart) -> Iterator[_Problem]:
    for key, name in _texts(part, "hostname", "subdomain"):
        if name and not is_valid_name(name, "label"):
            reason = "use at most 63 lower-case letters, digits and hyphens"
            yield key, f"`{key}`", reason, (), None


_CHECKS: Mapping[tuple[str, str], Callable[[ObjectPart], Iterator[_Problem]]] = {
    ("Container", "spec"): _in_container,
    ("Container", "spec.env[]"): _in_variable,
    ("Container", "spec.env[].valueFrom.fieldRef"): _in_field_reference,
    ("Container", "spec.volumeMounts[]"): _in_mount,
    ("Pod", "spec"): _in_pod,
    ("Pod", "spec.volumes[].hostPath"): _in_host_path,
}
"""What is checked in the mapping at a place of a kind, or of a part of Pods."""


def _invalid_keys(owner: KubernetesObject, pods: tuple[PodTemplate, ...]) -> Iterator[Hit]:
    """Keys of labels, annotations and selectors. The API server reads keys of annotations in lower case."""
    places: list[Path] = [()]
    selected: list[tuple[Path, object]] = []
    for pod in pods:
        places += [pod.path[:length] for length in range(1, len(pod.path) + 1)]
        selected += values_of(pod.spec.get("nodeSelector"), (*pod.path, "spec", "nodeSelector"))
    metadata = [
        found
        for place in dict.fromkeys(places)
        for found in metadata_values(owner.value(*place) if place else owner.data, place, ("labels", "annotations"))
    ]
    for path, _ in (*metadata, *selected):
        key = path[-1]
        if not isinstance(key, str) or is_open(key):
            continue
        kind = "annotation" if path[-2] == "annotations" else "label"
        if not is_label_key(key.lower() if kind == "annotation" else key):
            reason = "use letters, digits, hyphens, underscores and dots, after a domain and one slash or without both"
            yield Hit.invalid(owner.at(*path), f"key of {'an' if kind == 'annotation' else 'a'} {kind}", key, reason)
