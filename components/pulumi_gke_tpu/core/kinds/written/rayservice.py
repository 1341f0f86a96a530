"""RayService: a Ray cluster that serves the applications of Ray Serve."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.kind import Endpoint
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import without_empty
from pulumi_gke_tpu.core.kinds.ray import ray_cluster, ray_kind, ray_written
from pulumi_gke_tpu.core.kinds.workload import workload_manifest


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The RayService. KubeRay writes the Service for its clients."""
    plan, facts = workload.plan, catalog.kubernetes.workloads.ray
    spec = {
        **without_empty(serveConfigV2=plan.serve_config),
        "upgradeStrategy": {"type": facts.upgrade_strategies[plan.upgrade_strategy]},
        "rayClusterConfig": ray_cluster(workload, catalog, ports=facts.serve_ports),
    }
    yield workload_manifest(workload, "rayservice", spec, catalog)


def _endpoint(workload: Workload, catalog: Catalog) -> Endpoint:
    """The Service of KubeRay, which follows the cluster that serves."""
    facts = catalog.kubernetes.workloads.ray
    (port,) = facts.serve_ports.values()
    return Endpoint(facts.serve_service.replace("{name}", workload.name), port)


KIND = ray_kind(
    "RayService",
    ("spec", "rayClusterConfig"),
    ray_written("rayservice", _objects, "gateway", "serve_config", "upgrade_strategy", endpoint=_endpoint),
)
