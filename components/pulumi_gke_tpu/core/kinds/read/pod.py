"""Pod: the object is its own template."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind, NamedLists
from pulumi_gke_tpu.core.objects.document import KubernetesObject
from pulumi_gke_tpu.core.objects.pods import PodTemplate, PodTraits


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    yield PodTemplate(owner, (), owner.data, PodTraits(queued_as="pod"))


KIND = Kind(
    "",
    "Pod",
    _templates,
    whole=((),),
    named_lists={
        "spec": (
            NamedLists({"containers": "container", "initContainers": "container"}),
            NamedLists({"volumes": "volume"}),
        )
    },
)
