"""Pod: the object is its own template."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.objects.pods import PodTemplate


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    yield PodTemplate(owner, (), owner.data, "pod")


KIND = Kind("", "Pod", _templates, whole=((),))
