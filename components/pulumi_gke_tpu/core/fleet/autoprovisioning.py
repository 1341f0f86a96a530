"""The TPU limits of node auto-provisioning: GKE counts them by accelerator label, for all nodes of the cluster."""

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.model import Cluster


def tpu_limits(cluster: Cluster, catalog: Catalog) -> dict[str, int]:
    """The most chips in a Standard cluster by accelerator label; empty without auto-provisioning."""
    written = cluster.plan.autoprovisioning if cluster.mode == "standard" else None
    limits: dict[str, int] = {}
    for word, chips in (written.tpu if written else {}).items():
        labels = catalog.generation(word).limit_labels if word in catalog.generation_names else (word,)
        limits.update(dict.fromkeys(labels, chips))
    return limits
