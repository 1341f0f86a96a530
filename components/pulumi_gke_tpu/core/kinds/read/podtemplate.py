"""PodTemplate: the Pods of a ProvisioningRequest."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.objects.document import KubernetesObject, mapping
from pulumi_gke_tpu.core.objects.pods import PodTemplate, PodTraits


def _templates(owner: KubernetesObject) -> Iterator[PodTemplate]:
    """The template of a ProvisioningRequest, which has the number of its Pods."""
    data = mapping(owner.data.get("template"))
    yield PodTemplate(owner, ("template",), data, PodTraits(queued_as="pod"), pods=None, groups=None)


KIND = Kind("", "PodTemplate", _templates, only_for_requests=True)
