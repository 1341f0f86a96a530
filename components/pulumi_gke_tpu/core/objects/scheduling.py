"""Where pods can be scheduled: the taints that they tolerate, and their affinity to other pods."""

from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.open_values import has_open_key, is_open
from pulumi_gke_tpu.core.objects.pods import PodTemplate

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def has_pod_affinity(pod: PodTemplate) -> bool:
    """Whether the pods have any affinity or anti-affinity to other pods."""
    affinity = mapping(pod.spec.get("affinity"))
    parts = (mapping(affinity.get(kind)) for kind in ("podAffinity", "podAntiAffinity"))
    return any(items(part.get(key)) for part in parts for key in (_REQUIRED, _PREFERRED))


def tolerates(
    pod: PodTemplate, key: str, value: str | None = None, *, effect: str = "NoSchedule", further: Iterable[Any] = ()
) -> bool:
    """Whether the pods tolerate a taint with this key and effect, or may do so by a template value.

    Without a known ``value`` of the taint, a toleration with any value counts. ``further`` are tolerations that the
    pods get besides their own.
    """
    tolerations = pod.spec.get("tolerations")
    if is_open(tolerations):
        return True
    for toleration in (*items(tolerations), *further):
        entry = mapping(toleration)
        if is_open(toleration) or has_open_key(entry) or any(map(is_open, entry.values())):
            return True
        named = entry.get("key") == key or (not entry.get("key") and entry.get("operator") == "Exists")
        if named and entry.get("effect") in ("", None, effect) and _has_value(entry, value):
            return True
    return False


def _has_value(toleration: dict[str, object], value: str | None) -> bool:
    """Whether a toleration accepts the value of a taint; ``Equal`` is the operator of one that names none."""
    return value is None or toleration.get("operator") == "Exists" or toleration.get("value", "") == value
