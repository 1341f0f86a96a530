"""The affinity of pods to other pods."""

from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.pods import PodTemplate

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def has_pod_affinity(pod: PodTemplate) -> bool:
    """Whether the pods have any affinity or anti-affinity to other pods."""
    affinity = mapping(pod.spec.get("affinity"))
    parts = (mapping(affinity.get(kind)) for kind in ("podAffinity", "podAntiAffinity"))
    return any(items(part.get(key)) for part in parts for key in (_REQUIRED, _PREFERRED))
