"""RayService: a Ray cluster that serves."""

from pulumi_gke_tpu.core.kinds.ray import ray_kind

KIND = ray_kind("RayService", ("spec", "rayClusterConfig"))
