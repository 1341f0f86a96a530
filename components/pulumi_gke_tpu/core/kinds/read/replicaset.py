"""ReplicaSet: Pods that replace each other."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.templates import replicated

KIND = Kind("apps", "ReplicaSet", replicated("replicaset"), whole=(("spec", "selector"),))
