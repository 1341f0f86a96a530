"""ReplicaSet: Pods that replace each other."""

from pulumi_gke_tpu.core.kinds.kind import Kind, replicated

KIND = Kind("apps", "ReplicaSet", replicated("replicaset"), whole=(("spec", "selector"),))
