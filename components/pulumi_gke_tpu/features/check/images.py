"""The images of containers that keep running, as those of operators do, and what a name of an image consists of."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.versions import parse_release
from pulumi_gke_tpu.features.check.context import ManifestContext


def running_images(context: ManifestContext) -> Iterator[tuple[Path, str]]:
    """The images of all containers of Pods that keep running, with their paths for a hit."""
    for pod in (pod for pod in context.pods if pod.traits.restarts == "always"):
        for container in pod.containers(init=True):
            image = container.data.get("image")
            if isinstance(image, str) and not is_open(image):
                yield pod.hit_path((*container.path, "image")), image


def image_parts(image: str) -> tuple[str, tuple[int, ...], str]:
    """The name of an image, the release in its tag (empty if it is none), and the tag."""
    name = image.partition("@")[0]
    tag = name.rpartition("/")[2].partition(":")[2]
    name = name.removesuffix(f":{tag}") if tag else name
    return name, parse_release(tag), tag
