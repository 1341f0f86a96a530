"""The Kubernetes objects of a plan beside a module, as ``gke-tpu manifests`` writes them."""

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import files_of

FOLDER = "manifests"


def manifest_files_of(checked: CheckedPlan) -> dict[str, str]:
    """File name -> content; empty if the plan has no Kubernetes objects."""
    return {f"{FOLDER}/{name}": text for name, text in files_of(manifests_of(checked)).items()}
