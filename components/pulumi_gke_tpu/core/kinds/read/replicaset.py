"""ReplicaSet: Pods that replace each other."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.templates import HAS_SELECTOR, SERVERS, replicated

KIND = Kind("apps", "ReplicaSet", replicated(SERVERS), whole=HAS_SELECTOR)
