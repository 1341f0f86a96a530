"""Containers without an image: TPU394."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.kinds.kind import TEMPLATE
from pulumi_gke_tpu.core.objects import PodTemplate
from pulumi_gke_tpu.core.objects.document import value_at
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import rule
from pulumi_gke_tpu.core.text.findings import Path, Severity, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext


@rule(
    "TPU394",
    "container-without-image",
    severity=Severity.WARNING,
    otherwise={Severity.ERROR: "if another container of the Pod has an image, so that the object is not a patch"},
    title="Container without an image",
    why="the API server rejects Pods with a container that has no image. Patches of Kustomize, which are not whole "
    "objects, need none",
    fix="Set `image`. If the object is a patch, check the output of `kubectl kustomize`.",
    references=["kubernetes-api-server"],
    basis="format",
    failing=tpu_pod().replace("      image: trainer\n", ""),
    passing=tpu_pod(),
)
def container_without_image(context: ManifestContext) -> Iterable[Hit]:
    """Objects in which more than images is missing are taken for patches."""
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners or pod.is_open:
            continue
        every = list(pod.containers(init=True))
        without = [item for item in every if not item.data.get("image") and not has_open_key(item.data)]
        whole = len(without) < len(every)
        if not whole and not _seems_whole(pod):
            continue
        for container in without:
            name = container.data.get("name")
            what = f"image of container {quoted(name)}" if isinstance(name, str) else "image of a container"
            severity = Severity.ERROR if whole else None
            yield Hit.missing(pod.hit_path(container.path), what, severity=severity)


def _seems_whole(pod: PodTemplate) -> bool:
    """Whether an object without any image is complete, so that it is hardly a patch."""
    kind = kind_of(pod.owner)
    if kind is None or not any("resources" in container.data for container in pod.containers()):
        return False
    return kind.custom or (bool(kind.whole) and all(_has(pod, path) for path in kind.whole))


def _has(pod: PodTemplate, path: Path) -> bool:
    """Whether the object, or the Pod template if the path begins with it, has something at a path."""
    inside = path[:1] == (TEMPLATE,)
    return value_at(pod.data, path[1:]) is not None if inside else value_at(pod.owner.data, path) is not None
