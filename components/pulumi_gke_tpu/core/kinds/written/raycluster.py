"""RayCluster: a head and groups of workers."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.ray import ray_cluster, ray_kind, ray_written
from pulumi_gke_tpu.core.kinds.workload import workload_manifest


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    yield workload_manifest(workload, "raycluster", ray_cluster(workload, catalog), catalog)


KIND = ray_kind("RayCluster", ("spec",), ray_written("raycluster", _objects))
