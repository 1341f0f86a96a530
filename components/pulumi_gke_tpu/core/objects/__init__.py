"""Kubernetes objects as they are in files: what they are, their pods, and where each value is."""

from pulumi_gke_tpu.core.objects.document import KubernetesObject, OtherDocument, placed
from pulumi_gke_tpu.core.objects.manifests import ManifestFile, Manifests, read_manifests
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.objects.pods import Container, PodTemplate, PodTraits, Selection
