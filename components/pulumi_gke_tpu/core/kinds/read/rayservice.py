"""RayService: a Ray cluster that serves."""

from pulumi_gke_tpu.core.kinds.kind import Kind
from pulumi_gke_tpu.core.kinds.ray import ray_templates

KIND = Kind("ray.io", "RayService", ray_templates("spec", "rayClusterConfig"), custom=True)
