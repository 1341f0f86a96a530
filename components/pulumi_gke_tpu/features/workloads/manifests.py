"""The Kubernetes objects of a checked plan, cluster by cluster."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.fleet.model import Cluster
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kubernetes.endpoint_pickers import EndpointPicker, endpoint_pickers
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.kubernetes.operators import Installation, installations, missing_operators


@frozen(eq=False)
class ClusterManifests:
    """The objects of one cluster, in the order in which they are created."""

    cluster: str
    """The key of the cluster in the plan."""
    manifests: tuple[Manifest, ...]
    operators: tuple[Installation, ...] = ()
    """The operators to install before, in this order."""
    pickers: tuple[EndpointPicker, ...] = ()
    """The endpoint pickers to install afterwards."""
    notes: tuple[str, ...] = ()
    """What a reader of the objects should know."""
    needs: str = ""
    """The operators that have to be in the cluster, if the plan installs none."""

    @property
    def rendered(self) -> tuple[Manifest, ...]:
        """The objects in all files."""
        operators = (file for item in self.operators for file in item.files.values())
        return (*self.manifests, *operators, *(item.kustomization for item in self.pickers))


def manifests_of(checked: CheckedPlan) -> tuple[ClusterManifests, ...]:
    """The objects of every cluster of a plan without errors; clusters without objects are left out."""
    clusters = checked.fleet.clusters if checked.fleet else ()
    every = (
        ClusterManifests(
            cluster.key,
            tuple(manifests(cluster, checked.catalog)),
            tuple(installations(cluster, checked.catalog)),
            tuple(endpoint_pickers(cluster, checked.catalog)),
            tuple(_notes(cluster, checked.catalog)),
            missing_operators(cluster, checked.catalog),
        )
        for cluster in clusters
    )
    return tuple(item for item in every if item.manifests or item.operators)


def _notes(cluster: Cluster, catalog: Catalog) -> Iterator[str]:
    if needs := missing_operators(cluster, catalog):
        yield needs
    objects = kubernetes_objects(cluster) if cluster.mode == "autopilot" else None
    requests = [item.plan.cpu and item.plan.memory for item in objects.workloads] if objects else []
    if not all(requests):
        percent = catalog.kubernetes.workloads.requests.host_percent
        yield (
            f"the smallest CPU and memory requests of TPU Pods on Autopilot are not documented; without `cpu` and "
            f"`memory`, a Pod requests {percent}% of its host"
        )
