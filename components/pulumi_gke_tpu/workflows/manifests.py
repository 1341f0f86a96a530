"""The Kubernetes objects of a checked plan, cluster by cluster."""

from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.kubernetes.builders.fleet import manifests
from pulumi_gke_tpu.kubernetes.builders.manifest import Manifest


@frozen(eq=False)
class ClusterManifests:
    """The objects of one cluster, in the order in which they are created."""

    cluster: str
    """The key of the cluster in the plan."""
    manifests: tuple[Manifest, ...]


def manifests_of(checked: CheckedPlan) -> tuple[ClusterManifests, ...]:
    """The objects of every cluster of a plan without errors; clusters without objects are left out."""
    clusters = checked.fleet.clusters if checked.fleet else ()
    every = (ClusterManifests(cluster.key, tuple(manifests(cluster, checked.catalog))) for cluster in clusters)
    return tuple(item for item in every if item.manifests)
