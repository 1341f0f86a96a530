"""RayCluster: a head and groups of workers."""

from pulumi_gke_tpu.core.kinds.kind import Kind, ray

KIND = Kind("ray.io", "RayCluster", ray("spec"), custom=True)
