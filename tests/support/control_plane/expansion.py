"""What operators make of their objects: the core objects of a JobSet, LeaderWorkerSet, RayCluster and so on.

The operators themselves are in no package registry, so this is written from their sources (JobSet 0.12, LeaderWorkerSet
0.10, KubeRay 1.7 and the Ray TPU webhook of GKE). It is simpler than they are:

- Everything is created at once: ``dependsOn``, ``startupPolicy`` and the order of leader and followers are ignored.
  With exclusive topology, the operators place the leader by affinity and anti-affinity and then give the followers a
  node selector with the leader's node pool. Here all Pods of a slice carry the affinity and anti-affinity of the
  leader, which allows the same placements.
- Nothing restarts, scales or is updated, and no status is written. Hashes of revisions are missing.
- JobSet: no volume claims; a priority class stands for its value in the label for exclusive placement.
- LeaderWorkerSet: leaders are Pods instead of a StatefulSet, because a webhook gives each of them another affinity; no
  subgroups and no volume claims. No environment variables are added.
- Ray: Pods have fixed names and no ``ray start`` command, no init container and no ports; in-tree autoscaling adds
  nothing. A RayJob has its submitter only in the mode ``K8sJobMode``. A RayService is its RayCluster.
- The webhook of GKE for Ray adds only what decides the placement.
"""

import copy
import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from support.control_plane.client import Object

NODE_POOL = "cloud.google.com/gke-nodepool"
_JOBSET = "jobset.sigs.k8s.io"
_JOBSET_EXCLUSIVE = f"alpha.{_JOBSET}/exclusive-topology"
_LWS = "leaderworkerset.sigs.k8s.io"
_RAY_REPLICA = "ray.io/worker-group-replica-name"
RayWebhook = Literal["absent", "adds", "replaces"]
"""What GKE's webhook for Ray does to the affinity of a multi-host worker: newer versions add to it."""


def expand(item: Object, namespace: str, *, ray_webhook: RayWebhook = "adds") -> Iterator[Object]:
    """The core objects of an object, in the order of their creation; a workload of Kubernetes itself is its own.

    Objects that run nothing, such as a ClusterQueue, have none. ``ray_webhook``: whether there is the webhook of the
    add-on for Ray, and what it does to the affinity of the template.

    Raises:
        ValueError: the kind is a workload that this module does not know.
    """
    kind, group = item["kind"], item["apiVersion"].partition("/")[0]
    if (group, kind) in (("v1", "Pod"), ("batch", "Job"), ("apps", "Deployment"), ("apps", "StatefulSet")):
        yield item
    elif group == "jobset.x-k8s.io":
        yield from _jobset(item, namespace)
    elif group == "leaderworkerset.x-k8s.io":
        yield from _leaderworkerset(item, namespace)
    elif group == "ray.io":
        yield from _ray(item, ray_webhook)
    elif "template" in item.get("spec", {}) or kind == "PathwaysJob":
        raise ValueError(f"{kind} of {item['apiVersion']} is not known here")


def sample_pods(items: Iterable[Object]) -> Iterator[Object]:
    """One Pod for each core workload, as its controller creates it: a Job accepts templates that no Pod may have."""
    for item in items:
        if item["kind"] == "Pod":
            yield item
        elif "template" in item.get("spec", {}):
            template = copy.deepcopy(item["spec"]["template"])
            metadata = {**template.get("metadata", {}), "name": f"{item['metadata']['name']}-0"}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def pod_count(items: Iterable[Object]) -> int:
    """The number of Pods that the controllers create for core objects."""

    def count(item: Object) -> int:
        spec = item.get("spec", {})
        if item["kind"] == "Job":
            return 0 if spec.get("suspend") else int(spec.get("parallelism", 1))
        return 1 if item["kind"] == "Pod" else int(spec.get("replicas", 1)) if "template" in spec else 0

    return sum(map(count, items))


def _jobset(jobset: Object, namespace: str) -> Iterator[Object]:
    name, spec = jobset["metadata"]["name"], jobset["spec"]
    network = spec.get("network", {})
    subdomain = network.get("subdomain") or name
    if network.get("enableDNSHostnames", True):
        service = {
            "clusterIP": "None",
            "publishNotReadyAddresses": network.get("publishNotReadyAddresses", True),
            "selector": {f"{_JOBSET}/jobset-name": name},
        }
        yield {"apiVersion": "v1", "kind": "Service", "metadata": {"name": subdomain}, "spec": service}
    replicas = [int(replicated.get("replicas", 1)) for replicated in spec["replicatedJobs"]]
    for position, replicated in enumerate(spec["replicatedJobs"]):
        for index in range(replicas[position]):
            job_name = f"{name}-{replicated['name']}-{index}"
            template = copy.deepcopy(replicated["template"])
            marks = {
                f"{_JOBSET}/jobset-name": name,
                f"{_JOBSET}/replicatedjob-name": replicated["name"],
                f"{_JOBSET}/replicatedjob-replicas": str(replicas[position]),
                f"{_JOBSET}/global-replicas": str(sum(replicas)),
                f"{_JOBSET}/job-index": str(index),
                f"{_JOBSET}/job-global-index": str(sum(replicas[:position]) + index),
                f"{_JOBSET}/job-key": _hash(f"{namespace}/{job_name}"),
                f"{_JOBSET}/restart-attempt": "0",
                f"{_JOBSET}/group-name": replicated.get("groupName", "default"),
            }
            if "coordinator" in spec:
                chosen = spec["coordinator"]
                pod = f"{chosen.get('jobIndex', 0)}-{chosen.get('podIndex', 0)}"
                marks[f"{_JOBSET}/coordinator"] = f"{name}-{chosen['replicatedJob']}-{pod}.{subdomain}"
            own = template.get("metadata", {}).get("annotations", {})
            topology = own.get(_JOBSET_EXCLUSIVE) or jobset["metadata"].get("annotations", {}).get(_JOBSET_EXCLUSIVE)
            exclusive = {_JOBSET_EXCLUSIVE: topology} if topology else {}
            job = {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": job_name, **_marked(template.get("metadata", {}), marks, exclusive)},
                "spec": {"completionMode": "Indexed", **template["spec"], "suspend": bool(spec.get("suspend"))},
            }
            pods = job["spec"]["template"]
            pods["metadata"] = _marked(pods.get("metadata", {}), marks, exclusive)
            pods["spec"].setdefault("restartPolicy", "OnFailure")
            if network.get("enableDNSHostnames", True):
                pods["spec"]["subdomain"] = subdomain
            if topology:
                _place_jobset_pods(pods, topology)
            yield job


def _place_jobset_pods(pods: Object, topology: str) -> None:
    priority = pods["spec"].get("priorityClassName", "0")
    pods["metadata"]["labels"][f"{_JOBSET}/priority"] = priority
    key, value = f"{_JOBSET}/job-key", pods["metadata"]["labels"][f"{_JOBSET}/job-key"]
    same_level = _in(f"{_JOBSET}/priority", priority)
    everywhere: Object = {"namespaceSelector": {}}
    _add_affinity(pods["spec"], "podAffinity", topology, [_in(key, value)], everywhere)
    others = [_exists(key), _not_in(key, value), same_level]
    _add_affinity(pods["spec"], "podAntiAffinity", topology, others, everywhere)


def _leaderworkerset(item: Object, namespace: str) -> Iterator[Object]:
    name, spec = item["metadata"]["name"], item["spec"]
    template = spec["leaderWorkerTemplate"]
    size, workers = int(template.get("size", 1)), template["workerTemplate"]
    topology = item["metadata"].get("annotations", {}).get(f"{_LWS}/exclusive-topology")
    annotations = {f"{_LWS}/size": str(size), **({f"{_LWS}/exclusive-topology": topology} if topology else {})}
    selector = {f"{_LWS}/name": name}
    service = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": selector}
    yield {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": service}
    for group in range(int(spec.get("replicas", 1))):
        leader_name = f"{name}-{group}"
        labels = {
            **selector,
            f"{_LWS}/group-index": str(group),
            f"{_LWS}/group-key": _hash(f"{namespace}/{leader_name}"),
        }

        def placed(pods: Object, labels: dict[str, str] = labels) -> Object:
            pods["metadata"] = _marked(pods.get("metadata", {}), labels, annotations, annotate=False)
            if topology:
                key, value = f"{_LWS}/group-key", labels[f"{_LWS}/group-key"]
                _add_affinity(pods["spec"], "podAffinity", topology, [_in(key, value)])
                _add_affinity(pods["spec"], "podAntiAffinity", topology, [_exists(key), _not_in(key, value)])
            return pods

        leader = placed(copy.deepcopy(template.get("leaderTemplate") or workers))
        leader["metadata"]["labels"][f"{_LWS}/worker-index"] = "0"
        leader["metadata"]["name"] = leader_name
        yield {"apiVersion": "v1", "kind": "Pod", **leader}
        if size > 1:
            stateful = {
                "serviceName": name,
                "replicas": size - 1,
                "podManagementPolicy": "Parallel",
                "ordinals": {"start": 1},
                "selector": {"matchLabels": labels},
                "template": placed(copy.deepcopy(workers)),
            }
            metadata = {"name": leader_name, "labels": labels}
            yield {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": stateful}


def _ray(item: Object, ray_webhook: RayWebhook) -> Iterator[Object]:
    kind, name, spec = item["kind"], item["metadata"]["name"], item["spec"]
    if kind == "RayCluster":
        yield from _ray_cluster(name, spec, ray_webhook)
        return
    cluster = spec["rayClusterSpec" if kind == "RayJob" else "rayClusterConfig"]
    yield from _ray_cluster(f"{name}-cluster", cluster, ray_webhook)
    if kind == "RayJob" and spec.get("submissionMode", "K8sJobMode") == "K8sJobMode":
        head = cluster["headGroupSpec"]["template"]["spec"]["containers"][0]
        plain = {"restartPolicy": "Never", "containers": [{"name": "submitter", "image": head["image"]}]}
        template = copy.deepcopy(spec.get("submitterPodTemplate") or {"spec": plain})
        template["spec"].setdefault("restartPolicy", "Never")
        job = {"backoffLimit": 2, "template": template}
        yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": job}


def _ray_cluster(name: str, spec: Object, ray_webhook: RayWebhook) -> Iterator[Object]:
    common = {"ray.io/cluster": name, "ray.io/is-ray-node": "yes"}
    if not spec.get("suspend"):
        labels = {**common, "ray.io/node-type": "head", "ray.io/group": "headgroup"}
        yield _ray_pod(f"{name}-head", spec["headGroupSpec"]["template"], labels)
    for group in spec.get("workerGroupSpecs", ()) if not spec.get("suspend") else ():
        hosts = int(group.get("numOfHosts", 1))
        for replica in range(int(group.get("replicas", 1))):
            labels = {
                **common,
                "ray.io/node-type": "worker",
                "ray.io/group": group["groupName"],
                "ray.io/worker-group-replica-index": str(replica),
            }
            # KubeRay appends five random characters; these are the same in each run.
            replica_name = f"{group['groupName']}-{_hash(f'{name}/{replica}')[:5]}"
            for host in range(hosts):
                own = {_RAY_REPLICA: replica_name, "ray.io/replica-host-index": str(host)}
                pod_name = f"{name}-{group['groupName']}-{replica}-{host}"
                pod = _ray_pod(pod_name, group["template"], {**labels, **(own if hosts > 1 else {})})
                if ray_webhook != "absent" and hosts > 1 and _takes_chips(pod["spec"]):
                    _place_ray_pod(pod, name, ray_webhook)
                yield pod


def _ray_pod(name: str, template: Object, labels: dict[str, str]) -> Object:
    pod = copy.deepcopy(template)
    pod["metadata"] = {"name": name, **_marked(pod.get("metadata", {}), labels, {}, annotate=False)}
    return {"apiVersion": "v1", "kind": "Pod", **pod}


def _place_ray_pod(pod: Object, cluster: str, ray_webhook: RayWebhook) -> None:
    """The affinity of the webhook. Older versions replace that of the template."""
    replica = pod["metadata"]["labels"][_RAY_REPLICA]
    if ray_webhook == "replaces":
        pod["spec"]["affinity"] = {}
    here, elsewhere = _in("ray.io/cluster", cluster), _not_in("ray.io/cluster", cluster)
    _add_affinity(pod["spec"], "podAffinity", NODE_POOL, [_in(_RAY_REPLICA, replica), here])
    _add_affinity(pod["spec"], "podAntiAffinity", NODE_POOL, [_not_in(_RAY_REPLICA, replica), here])
    everywhere = {"namespaceSelector": {"matchExpressions": [_not_in("kubernetes.io/metadata.name", "kube-system")]}}
    _add_affinity(pod["spec"], "podAntiAffinity", NODE_POOL, [elsewhere, _exists(_RAY_REPLICA)], everywhere)


def _takes_chips(spec: Object) -> bool:
    return any(
        "google.com/tpu" in container.get("resources", {}).get(kind, {})
        for container in spec["containers"]
        for kind in ("limits", "requests")
    )


def _marked(metadata: Object, marks: dict[str, str], annotations: dict[str, str], *, annotate: bool = True) -> Object:
    """Labels and annotations of a template, with those of the controller. ``annotate``: write its labels as both."""
    both = marks if annotate else {}
    return {
        "labels": {**metadata.get("labels", {}), **marks},
        "annotations": {**metadata.get("annotations", {}), **both, **annotations},
    }


def _add_affinity(
    spec: Object, kind: str, topology: str, expressions: list[Object], more: Object | None = None
) -> None:
    rules: list[Object] = (
        spec.setdefault("affinity", {})
        .setdefault(kind, {})
        .setdefault("requiredDuringSchedulingIgnoredDuringExecution", [])
    )
    rules.append({"labelSelector": {"matchExpressions": expressions}, "topologyKey": topology, **(more or {})})


def _expression(operator: str) -> Callable[..., dict[str, Any]]:
    def write(key: str, *values: str) -> dict[str, Any]:
        return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}

    return write


_in, _not_in, _exists = map(_expression, ("In", "NotIn", "Exists"))


def _hash(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
