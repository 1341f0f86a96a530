"""RayJob: a Ray cluster for one run, and the Pod that submits it."""

import shlex
from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import without_empty
from pulumi_gke_tpu.core.kinds.ray import ray_cluster, ray_kind, ray_written
from pulumi_gke_tpu.core.kinds.workload import workload_manifest


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The RayJob: Ray runs the command of the plan on the head, and the cluster ends with it."""
    plan = workload.plan
    entrypoint = shlex.join([*plan.command, *plan.args])
    spec = {
        **without_empty(entrypoint=entrypoint),
        "backoffLimit": plan.max_restarts,
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": ray_cluster(workload, catalog),
    }
    yield workload_manifest(workload, "rayjob", spec, catalog)


KIND = ray_kind("RayJob", ("spec", "rayClusterSpec"), ray_written("rayjob", _objects, "max_restarts"))
