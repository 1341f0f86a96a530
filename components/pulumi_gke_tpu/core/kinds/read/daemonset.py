"""DaemonSet: one Pod on each node."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.templates import HAS_SELECTOR, replicated
from pulumi_gke_tpu.core.objects import PodTraits

_TRAITS = PodTraits(slices="", one_per_node=True, restarts="always", queued_as="pod")

KIND = Kind("apps", "DaemonSet", replicated(_TRAITS), whole=HAS_SELECTOR)
