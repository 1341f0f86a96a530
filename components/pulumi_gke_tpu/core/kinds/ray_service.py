"""RayService: a Ray cluster that serves."""

from pulumi_gke_tpu.core.kinds.kind import Kind, ray

KIND = Kind("ray.io", "RayService", ray("spec", "rayClusterConfig"), custom=True)
