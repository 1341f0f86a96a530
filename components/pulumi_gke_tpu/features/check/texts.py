"""Values of objects that must be text: labels, annotations, selectors and environment variables."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.text.findings import Path

_TEXTS: dict[str, tuple[Path, ...]] = {
    "ConfigMap": (("data",),),
    "Secret": (("data",), ("stringData",)),
    "Service": (("spec", "selector"),),
}
"""Further mappings of kinds of the core group whose values must be text."""
_TEXT_KEYS = ("labels", "annotations")
_OTHER_TYPES = ((bool, "boolean"), (int | float, "number"), (dict, "mapping"), (list, "list"))


def values_that_are_not_text(
    owner: KubernetesObject, pods: Iterable[PodTemplate]
) -> Iterator[tuple[Path, object, str]]:
    """The values of an object and its Pods that must be text: the path in the object, the value, and what it is."""
    for path, value in (*_maps_of_object(owner), *(found for pod in pods for found in _maps_of_pod(pod))):
        kind = next((name for types, name in _OTHER_TYPES if isinstance(value, types)), "")
        if kind:
            yield path, value, kind


def variables_of(pod: PodTemplate) -> Iterator[tuple[Path, dict[str, object]]]:
    """The environment variables of all containers, with their paths in the object."""
    for container in pod.containers(init=True):
        for index, entry in enumerate(items(container.data.get("env"))):
            yield (*container.path, "env", index), mapping(entry)


def _maps_of_object(owner: KubernetesObject) -> Iterator[tuple[Path, object]]:
    """Every value outside of Pods that must be text, with its path in the object."""
    yield from metadata_values(owner.data, (), _TEXT_KEYS)
    if owner.group == "":
        for path in _TEXTS.get(owner.kind, ()):
            yield from values_of(owner.value(*path), path)


def _maps_of_pod(pod: PodTemplate) -> Iterator[tuple[Path, object]]:
    """Every value of a Pod that must be text, and of what leads to it, such as the template of a Job."""
    for length in range(1, len(pod.path) + 1):
        yield from metadata_values(pod.owner.value(*pod.path[:length]), pod.path[:length], _TEXT_KEYS)
    yield from values_of(pod.spec.get("nodeSelector"), (*pod.path, "spec", "nodeSelector"))
    for place, entry in variables_of(pod):
        yield (*place, "value"), entry.get("value")


def metadata_values(data: object, path: Path, keys: tuple[str, ...]) -> Iterator[tuple[Path, object]]:
    """The labels or annotations of an object or a template."""
    metadata = mapping(mapping(data).get("metadata"))
    for key in keys:
        yield from values_of(metadata.get(key), (*path, "metadata", key))


def values_of(data: object, path: Path) -> Iterator[tuple[Path, object]]:
    """The values of a mapping, with their paths in the object."""
    yield from (((*path, key), value) for key, value in mapping(data).items())
