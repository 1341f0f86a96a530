"""StatefulSet: numbered Pods with disks of their own."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.templates import HAS_SELECTOR, replicated
from pulumi_gke_tpu.core.objects import PodTraits

_TRAITS = PodTraits(restarts="always", queued_as="pod", service_at=("spec", "serviceName"))

KIND = Kind(
    "apps",
    "StatefulSet",
    replicated(_TRAITS),
    whole=HAS_SELECTOR,
    name_form="label",
    claims=("spec", "volumeClaimTemplates"),
)
