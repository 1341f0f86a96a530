"""RayJob: a Ray cluster for one run, and the Pod that submits it."""

from pulumi_gke_tpu.core.kinds.kind import Kind, ray

KIND = Kind("ray.io", "RayJob", ray("spec", "rayClusterSpec"), custom=True)
