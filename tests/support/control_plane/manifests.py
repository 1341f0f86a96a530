"""Workloads written by hand, as the documentation of GKE and of the operators shows them."""

import copy
from typing import Any

from support.control_plane.client import Object
from support.control_plane.nodes import NODE_POOL

ACCELERATOR = "cloud.google.com/gke-tpu-accelerator"
TOPOLOGY = "cloud.google.com/gke-tpu-topology"
TPU_TOLERATION = {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}


def selector(accelerator: str, topology: str, **more: str) -> dict[str, str]:
    """A node selector; ``more`` are labels of GKE without their prefix, with _ for -."""
    own = {f"cloud.google.com/{key.replace('_', '-')}": value for key, value in more.items()}
    return {ACCELERATOR: accelerator, TOPOLOGY: topology, **own}


def pod_spec(chips: int = 0, selected: dict[str, str] | None = None, **more: Any) -> Object:
    """A Pod that requests chips, a small part of a host's CPU and memory, and tolerates the taint of TPU hosts."""
    resources = {"cpu": "1", "memory": "1Gi", **({"google.com/tpu": str(chips)} if chips else {})}
    limits = {"google.com/tpu": str(chips)} if chips else {}
    container = {"name": "main", "image": "image", "resources": {"requests": resources, "limits": limits}}
    return {
        "restartPolicy": "Never",
        "containers": [container],
        **({"nodeSelector": selected} if selected else {}),
        **({"tolerations": [TPU_TOLERATION]} if chips else {}),
        **more,
    }


def with_resources(spec: Object, **resources: str | None) -> Object:
    """The Pod with other requests and limits in its only container; None removes one. ``tpu`` is google.com/tpu."""
    changed = copy.deepcopy(spec)
    (container,) = changed["containers"]
    for name, amount in resources.items():
        kind, _, short = name.partition("_")
        resource = "google.com/tpu" if short == "tpu" else short
        if amount is None:
            del container["resources"][kind][resource]
        else:
            container["resources"][kind][resource] = amount
    return changed


def pod(name: str, spec: Object) -> Object:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def job(name: str, spec: Object, pods: int, **more: Any) -> Object:
    content = {"completions": pods, "parallelism": pods, "completionMode": "Indexed", "backoffLimit": 0, **more}
    content["template"] = {"spec": spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": content}


def jobset(name: str, spec: Object, hosts: int, slices: int = 1, *, exclusive: bool) -> Object:
    annotations = {"alpha.jobset.sigs.k8s.io/exclusive-topology": NODE_POOL} if exclusive else {}
    replicated = {"name": "slice", "replicas": slices, "template": {"spec": job("", spec, hosts)["spec"]}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"replicatedJobs": [replicated]},
    }


def leaderworkerset(
    name: str, spec: Object, size: int, slices: int = 1, *, exclusive: bool, leader: Object | None = None
) -> Object:
    annotations = {"leaderworkerset.sigs.k8s.io/exclusive-topology": NODE_POOL} if exclusive else {}
    spec = {**spec, "restartPolicy": "Always"}
    template = {"size": size, "workerTemplate": {"spec": spec}}
    if leader is not None:
        template["leaderTemplate"] = {"spec": {**leader, "restartPolicy": "Always"}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"replicas": slices, "leaderWorkerTemplate": template},
    }


def raycluster(name: str, spec: Object, hosts: int, slices: int = 1) -> Object:
    group = {
        "groupName": "tpu",
        "replicas": slices,
        "minReplicas": slices,
        "maxReplicas": slices,
        "numOfHosts": hosts,
        "rayStartParams": {},
        "template": {"spec": spec},
    }
    head = {"rayStartParams": {}, "template": {"spec": pod_spec()}}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name},
        "spec": {"headGroupSpec": head, "workerGroupSpecs": [group]},
    }


def priority_class(name: str, value: int, policy: str = "PreemptLowerPriority") -> Object:
    metadata = {"name": name}
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata}
    return {**kind, "value": value, "preemptionPolicy": policy}
