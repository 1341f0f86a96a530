"""Texts of fields that the API server rejects: TPU867."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.fields import ObjectPart
from pulumi_gke_tpu.core.objects.names import is_valid_name, reason_of_name
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, did_you_mean, listed, number
from pulumi_gke_tpu.core.text.formats.names import is_label_key
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.texts import metadata_values, values_of

_VARIABLE = lazy_pattern(r"[\x20-\x3c\x3e-\x7e]+\Z", re.ASCII)
"""Every printable character of ASCII except the equals sign."""
_NUMBER = lazy_pattern(r"[0-9]{1,9}")
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
_RESOURCES = tuple(
    f"{kind}.{resource}" for kind in ("limits", "requests") for resource in ("cpu", "memory", "ephemeral-storage")
)
_HUGE_PAGES = ("limits.hugepages-", "requests.hugepages-")
_RESTART_POLICIES = ("Always", "Never", "OnFailure")
_MEDIUMS = ("Memory", "HugePages")
_SCHEDULE = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of the month", 1, 31),
    ("month", 1, 12),
    ("day of the week", 0, 6),
)
"""The fields of a schedule, with the least and the largest number of each."""
_SCHEDULES = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_UP = ".."

_Problem = tuple[str, str, str, tuple[str, ...], Fix | None]
"""The key, what the value is, why it is invalid, what is allowed, and a fix."""


@rule(
    "TPU867",
    title="Text that a field cannot have",
    why="the API server rejects the object, or no node starts its Pods. Controllers such as JobSet can accept a Pod "
    "template that is wrong, and then create no Pods from it",
    fix="Write a text of the form that the message describes.",
    source="Kubernetes: validation of variables, images, volumes, schedules, names and keys of labels",
    failing=tpu_pod(container="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodename}}}]"),
    passing=tpu_pod(container="env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]"),
)
def invalid_text_of_field(context: ManifestContext) -> Iterable[Hit]:
    for item in context.described:
        for part in item.parts:
            check = _CHECKS.get((part.kind, part.place), _in_schedule)
            for key, what, reason, allowed, fix in check(part):
                path = item.owner.at(*part.path, key)
                yield Hit.invalid(path, what, part.data[key], reason, allowed=allowed, fix=fix)
    for owner in context.objects:
        if owner.index in context.tpu_owners:
            yield from _invalid_keys(owner, context.pods_by_owner.get(owner.index, ()))


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


def _in_resource_reference(part: ObjectPart) -> Iterator[_Problem]:
    for key, name in _texts(part, "resource"):
        if name not in _RESOURCES and not name.startswith(_HUGE_PAGES):
            fix = SetKeys.of(resource=did_you_mean(name, _RESOURCES) or "")
            yield key, "resource of a container", "variables and files have only some resources", _RESOURCES, fix


def _in_empty_directory(part: ObjectPart) -> Iterator[_Problem]:
    for key, medium in _texts(part, "medium"):
        if medium and medium not in _MEDIUMS and not medium.startswith(f"{_MEDIUMS[1]}-"):
            fix = SetKeys.of(medium=next((name for name in _MEDIUMS if name.lower() == medium.lower()), ""))
            yield key, "medium of a volume", "nodes do not know it, so the Pods do not start", _MEDIUMS, fix


def _in_container(part: ObjectPart) -> Iterator[_Problem]:
    for key, policy in _texts(part, "restartPolicy"):
        if policy not in _RESTART_POLICIES:
            fix = SetKeys.of(restartPolicy=did_you_mean(policy, _RESTART_POLICIES) or "")
            yield key, "restart policy of a container", "", _RESTART_POLICIES, fix
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
    for key, name in _texts(part, "priorityClassName", "serviceAccountName"):
        if name and not is_valid_name(name, "subdomain"):
            yield key, f"`{key}`", reason_of_name(name, "subdomain"), (), None


def _in_schedule(part: ObjectPart) -> Iterator[_Problem]:
    for key, schedule in _texts(part, "schedule") if "schedule" in part.fields else ():
        reason = _wrong_schedule(schedule)
        if reason:
            yield key, "schedule", reason, (), None


def _wrong_schedule(schedule: str) -> str:
    """Why the API server rejects a schedule; empty for one that it accepts."""
    if schedule.startswith("@"):
        known = schedule in _SCHEDULES or schedule.startswith("@every ")
        return "" if known else "use five fields, or " + listed(_SCHEDULES, "or")
    fields = schedule.split()
    if len(fields) != len(_SCHEDULE):
        return f"it has {number(len(fields), 'field')}, not five: {listed([name for name, _, _ in _SCHEDULE], 'and')}"
    for field, (name, least, most) in zip(fields, _SCHEDULE, strict=True):
        ranges = (item.partition("/")[0] for item in field.split(","))
        for found in (int(digits) for each in ranges for digits in _NUMBER.findall(each)):
            if not least <= found <= most:
                return f"{found} is not a valid {name}; use {least} to {most}"
    return ""


_CHECKS: Mapping[tuple[str, str], Callable[[ObjectPart], Iterator[_Problem]]] = {
    ("Container", "spec"): _in_container,
    ("Container", "spec.env[]"): _in_variable,
    ("Container", "spec.env[].valueFrom.fieldRef"): _in_field_reference,
    ("Container", "spec.env[].valueFrom.resourceFieldRef"): _in_resource_reference,
    ("Container", "spec.volumeMounts[]"): _in_mount,
    ("Pod", "spec"): _in_pod,
    ("Pod", "spec.volumes[].emptyDir"): _in_empty_directory,
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
