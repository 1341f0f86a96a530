"""Kubernetes objects as they are in files: what they are, their pods, and where each value is."""

from pulumi_gke_tpu.core.objects.document import KubernetesObject, OtherDocument
from pulumi_gke_tpu.core.objects.manifests import Manifests, read_manifests
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.pods import Container, PodTemplate, PodTraits, Selection

__all__ = [
    "Container",
    "KubernetesObject",
    "Manifests",
    "OtherDocument",
    "PodTemplate",
    "PodTraits",
    "Selection",
    "is_open",
    "read_manifests",
]
