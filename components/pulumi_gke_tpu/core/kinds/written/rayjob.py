"""RayJob: a Ray cluster for one run, and the Pod that submits it."""

import shlex
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.scheduling import needed_tolerations
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.kinds.pods import pull_secrets, toleration, without_empty
from pulumi_gke_tpu.core.kinds.ray import head_image, ray_cluster, ray_kind, ray_written
from pulumi_gke_tpu.core.kinds.workload import deadline, workload_manifest


def _objects(workload: Workload, catalog: Catalog) -> Iterator[Manifest]:
    """The RayJob: Ray runs the command of the plan on the head, and the cluster ends with it."""
    plan = workload.plan
    entrypoint = shlex.join([*plan.command, *plan.args])
    spec = {
        **without_empty(entrypoint=entrypoint),
        **deadline(workload),
        "backoffLimit": plan.max_restarts,
        "shutdownAfterJobFinishes": True,
        "rayClusterSpec": ray_cluster(workload, catalog),
        **without_empty(submitterPodTemplate=_submitter(workload, catalog)),
    }
    yield workload_manifest(workload, "rayjob", spec, catalog)


def _submitter(workload: Workload, catalog: Catalog) -> dict[str, Any]:
    """The template of the Pod that submits the run, with the image of the head; empty if KubeRay's own one suffices.

    KubeRay makes this Pod without tolerations, and older versions without the Secrets of the head.
    """
    secrets, facts = pull_secrets(workload.plan), catalog.kubernetes.workloads.ray
    tolerations = [toleration(item) for item in needed_tolerations(workload.cluster)]
    if not secrets and not tolerations:
        return {}
    resources = {"requests": facts.submitter_requests, "limits": facts.submitter_limits}
    container = {"name": facts.submitter, "image": head_image(workload), "resources": resources}
    spec = {"restartPolicy": "Never", **secrets, **without_empty(tolerations=tolerations), "containers": [container]}
    return {"spec": spec}


KIND = ray_kind("RayJob", ("spec", "rayClusterSpec"), ray_written("rayjob", _objects, "deadline", "max_restarts"))
