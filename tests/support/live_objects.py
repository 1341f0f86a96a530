"""What ``kubectl get -o yaml`` shows of a fleet that runs: nodes, the objects of the plan with their status, and Pods.

The Pods are those of ``control_plane/expansion.py`` with what the API server, the kubelet, GKE's webhooks, JobSet and
Kueue put into them. Simpler than a real cluster:

- Objects share their age, UID and version, and have no managers of fields.
- Pods are on the nodes in turn, those with chips on nodes with chips, whatever else they select. All of them run.
- Status has only the conditions and counts of an object that works. Workloads of Kueue have no sets of Pods.
- The same events happened to the first three Pods.
"""

import copy
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from support.control_plane.expansion import expand
from support.control_plane.nodes import NODE_POOL, Pool, pools_of

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.kubernetes.fleet import manifests

Object = dict[str, Any]
NAMESPACE = "default"
SINCE = "2026-11-28T20:00:00Z"
_TOKEN = "kube-api-access-x7k2p"
_HEALTHY = (
    ("FrequentUnregisterNetDevice", "NoFrequentUnregisterNetDevice", "node is functioning properly"),
    ("KernelDeadlock", "KernelHasNoDeadlock", "kernel has no deadlock"),
    ("ReadonlyFilesystem", "FilesystemIsNotReadOnly", "Filesystem is not read-only"),
    ("FrequentKubeletRestart", "NoFrequentKubeletRestart", "kubelet is functioning properly"),
    ("NetworkUnavailable", "RouteCreated", "NodeController create implicit route"),
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
_CONDITIONS = {
    "JobSet": (("StartupPolicyCompleted", "StartupPolicyCompleted", "startup policy is not set"),),
    "LeaderWorkerSet": (("Available", "AllGroupsReady", "All replicas are ready"),),
    "ClusterQueue": (("Active", "Ready", "Can admit new workloads"),),
    "LocalQueue": (("Active", "Ready", "Can submit new workloads to localQueue"),),
    "AdmissionCheck": (("Active", "Active", "The admission check is active"),),
    "Deployment": (
        ("Available", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        ("Progressing", "NewReplicaSetAvailable", 'ReplicaSet "serve-6d5b" has successfully progressed.'),
    ),
}


def live_objects(cluster: Cluster, catalog: Catalog) -> list[Object]:
    """The nodes, objects, Jobs, Pods, Kueue Workloads and events of a cluster, healthy."""
    pools = pools_of(cluster)
    free = {chips: _nodes(pool for pool in pools if bool(pool.chips) is chips) for chips in (True, False)}
    found = [live_node(pool, number) for pool in pools for number in range(pool.nodes)]
    for item in manifests(cluster, catalog):
        written = copy.deepcopy(dict(item.object))
        found.append(live_object(written))
        try:
            parts = list(expand(written, NAMESPACE))
        except ValueError:
            continue
        for part in parts:
            if part is not written:
                part["metadata"]["ownerReferences"] = [{"kind": written["kind"], "name": written["metadata"]["name"]}]
                found.append(live_object(copy.deepcopy(part)))
            found += live_pods(part, free)
        if parts and (queue := written["metadata"].get("labels", {}).get("kueue.x-k8s.io/queue-name")):
            found.append(live_workload(written, queue))
    found.append(succeeded_pod())
    return [*found, *events(found)]


def _nodes(pools: Iterable[Pool]) -> Iterator[str]:
    """The names of nodes, again and again."""
    return itertools.cycle([pool.node_name(number) for pool in pools for number in range(pool.nodes)] or ["gke-node-0"])


def conditions(*rows: tuple[str, str, str, str]) -> list[Object]:
    """Conditions of type, status, reason and message."""
    names = ("type", "status", "reason", "message")
    return [{**dict(zip(names, row, strict=True)), "lastTransitionTime": SINCE} for row in rows]


def live_node(pool: Pool, number: int) -> Object:
    node = pool.node(number)
    ready = ("Ready", "True", "KubeletReady", "kubelet is posting ready status")
    node["status"]["conditions"] = conditions(*((kind, "False", *rest) for kind, *rest in _HEALTHY), ready)  # type: ignore[arg-type]
    return node


def live_object(item: Object) -> Object:
    """An object with what the API server adds, and the status of one that works."""
    metadata = item["metadata"]
    metadata.setdefault("namespace", NAMESPACE)
    metadata |= {"uid": "0b1c", "resourceVersion": "81", "generation": 1, "creationTimestamp": SINCE}
    rows = [(kind, "True", reason, text) for kind, reason, text in _CONDITIONS.get(item["kind"], ())]
    if item["kind"] == "Job":
        item["status"] = {"active": 1, "ready": 1, "startTime": SINCE, "uncountedTerminatedPods": {}}
    elif rows:
        item["status"] = {"conditions": conditions(*rows)}
    if item["kind"] == "JobSet":
        item["spec"]["suspend"] = False
    return item


def live_pods(part: Object, free: dict[bool, Iterator[str]]) -> Iterator[Object]:
    """The running Pods of a core object."""
    spec, name = part.get("spec", {}), part["metadata"]["name"]
    if part["kind"] == "Pod":
        yield live_pod(part, name, part, "", free)
    elif "template" in spec:
        count = spec.get("parallelism", spec.get("replicas", 1))
        for index in range(int(count)):
            place = str(index) if part["kind"] == "Job" else ""
            suffix = f"-{index}-x{index:04}" if part["kind"] == "Job" else f"-{index}"
            yield live_pod(spec["template"], f"{name}{suffix}", part, place, free)


def live_pod(template: Object, name: str, owner: Object, index: str, free: dict[bool, Iterator[str]]) -> Object:
    """A Pod that runs on a node."""
    pod = {"apiVersion": "v1", "kind": "Pod", **copy.deepcopy({key: template[key] for key in ("metadata", "spec")})}
    spec, metadata = pod["spec"], pod["metadata"]
    chips = any("google.com/tpu" in each.get("resources", {}).get("limits", {}) for each in spec["containers"])
    node = next(free[chips])
    metadata |= {"name": name, "namespace": NAMESPACE, "uid": "1", "resourceVersion": "9", "creationTimestamp": SINCE}
    if owner["kind"] != "Pod":
        reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"]}
        metadata |= {"generateName": f"{name[:-5]}", "ownerReferences": [{**reference, "controller": True, "uid": "2"}]}
    if index:
        labels = {"batch.kubernetes.io/job-name": owner["metadata"]["name"], "job-name": owner["metadata"]["name"]}
        metadata["labels"] = {**metadata.get("labels", {}), **labels, "batch.kubernetes.io/job-completion-index": index}
        metadata["annotations"] = {**metadata.get("annotations", {}), "batch.kubernetes.io/job-completion-index": index}
        metadata["finalizers"] = ["batch.kubernetes.io/job-tracking"]
        spec["hostname"] = f"{owner['metadata']['name']}-{index}"
    taint = {"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}
    lost = [{"key": f"node.kubernetes.io/{word}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
            for word in ("not-ready", "unreachable")]  # fmt: skip
    spec["tolerations"] = [*spec.get("tolerations", []), *([taint] if chips else []), *lost]
    if owner["metadata"].get("annotations", {}).get("alpha.jobset.sigs.k8s.io/exclusive-topology") and index != "0":
        spec.pop("affinity", None)
        spec["nodeSelector"] = {
            **spec.get("nodeSelector", {}),
            NODE_POOL: node.rpartition("-")[0][4:],
        }
    spec["volumes"] = [*spec.get("volumes", []), _token()]
    for each in (*spec["containers"], *spec.get("initContainers", [])):
        mount = {"name": _TOKEN, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}
        each["volumeMounts"] = [*each.get("volumeMounts", []), mount]
        each |= {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
        each.setdefault("imagePullPolicy", "IfNotPresent")
        if "google.com/tpu" in each.get("resources", {}).get("limits", {}):
            values = {"TPU_WORKER_ID": index or "0", "TPU_WORKER_HOSTNAMES": "a,b", "TPU_SKIP_MDS_QUERY": "true"}
            each["env"] = [*each.get("env", []), *({"name": key, "value": value} for key, value in values.items())]
            for kind in ("limits", "requests"):
                if "google.com/tpu" in each["resources"].get(kind, {}):
                    each["resources"][kind]["google.com/tpu"] = str(each["resources"][kind]["google.com/tpu"])
    spec = {
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "priority": 0,
        **spec,
        "nodeName": node,
    }
    spec |= {"schedulerName": "default-scheduler", "securityContext": spec.get("securityContext", {})}
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("serviceAccountName", "default")
    spec |= {"serviceAccount": spec["serviceAccountName"], "preemptionPolicy": "PreemptLowerPriority"}
    return {**pod, "spec": spec, "status": running(spec)}


def _token() -> Object:
    """The volume with the token of the service account."""
    root = {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}
    place = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        root,
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": place}]}},
    ]
    return {"name": _TOKEN, "projected": {"defaultMode": 420, "sources": sources}}


def running(spec: Object) -> Object:
    """The status of a Pod that runs; one container was restarted long ago."""
    kinds = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    last = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": SINCE}}
    states = [
        {"name": each["name"], "ready": True, "started": True, "restartCount": 1, "lastState": last,
         "image": each.get("image", ""), "state": {"running": {"startedAt": SINCE}}}
        for each in spec["containers"]
    ]  # fmt: skip
    rows = [{"type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": SINCE} for kind in kinds]
    return {"phase": "Running", "conditions": rows, "containerStatuses": states, "qosClass": "Burstable"}


def succeeded_pod() -> Object:
    spec = {"containers": [{"name": "prepare", "image": "gcr.io/acme-ml/prepare@sha256:0"}], "nodeName": "gke-node-0"}
    metadata = {"name": "prepare-data", "namespace": NAMESPACE, "creationTimestamp": SINCE}
    ended = {"name": "prepare", "ready": False, "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}
    completed = conditions(("Ready", "False", "PodCompleted", ""))
    status = {"phase": "Succeeded", "conditions": completed, "containerStatuses": [ended]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def live_workload(item: Object, queue: str, *waits: tuple[str, str, str, str]) -> Object:
    """The Workload that Kueue makes of an object: admitted, or with the conditions of one that waits."""
    admitted = (
        ("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue tpu"),
        ("Admitted", "True", "Admitted", "The workload is admitted"),
        ("Evicted", "False", "QuotaReserved", "Previously: Preempted to accommodate a workload (UID: 1, JobUID: 2)"),
        ("PodsReady", "True", "PodsReady", "All pods were ready or succeeded since the workload admission"),
    )
    name = f"{item['kind'].lower()}-{item['metadata']['name']}-1f2e3"
    reference = {"apiVersion": item["apiVersion"], "kind": item["kind"], "name": item["metadata"]["name"]}
    metadata = {"name": name, "namespace": NAMESPACE, "creationTimestamp": SINCE, "ownerReferences": [reference]}
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": metadata,
        "spec": {"active": True, "queueName": queue, "priority": 0, "podSets": []},
        "status": {"conditions": conditions(*(waits or admitted))},
    }


def event(about: Object, kind: str, reason: str, message: str, time: str = SINCE) -> Object:
    place = {
        "kind": about["kind"],
        "name": about["metadata"]["name"],
        "namespace": about["metadata"].get("namespace", ""),
    }
    name = f"{place['name']}.{reason.lower()}.{len(message)}"
    metadata = {"name": name, "namespace": place["namespace"] or NAMESPACE}
    return {
        "apiVersion": "v1", "kind": "Event", "metadata": metadata, "involvedObject": place, "type": kind,
        "reason": reason, "message": message, "firstTimestamp": time, "lastTimestamp": time, "count": 1,
        "source": {"component": "default-scheduler"},
    }  # fmt: skip


def events(objects: Iterable[Object]) -> Iterator[Object]:
    """Events of the past: of Pods that run now, of one that is gone, and usual ones."""
    pods = [each for each in objects if each["kind"] == "Pod"][:3]
    for pod in pods:
        text = "0/9 nodes are available: 9 Insufficient google.com/tpu. preemption: 0/9 nodes are available"
        yield event(pod, "Warning", "FailedScheduling", text)
        yield event(pod, "Normal", "NotTriggerScaleUp", "pod didn't trigger scale-up: 3 in backoff after failed")
        yield event(pod, "Normal", "Scheduled", "Successfully assigned", "2026-11-28T20:05:00Z")
        yield event(pod, "Warning", "Unhealthy", "Startup probe failed: connection refused", "2026-11-28T20:06:00Z")
    gone = {"kind": "Pod", "metadata": {"name": "gone-0", "namespace": NAMESPACE}}
    yield event(gone, "Warning", "FailedScheduling", "0/9 nodes are available: 9 Insufficient google.com/tpu.")


def listed(objects: Iterable[Object]) -> Object:
    """The objects as ``kubectl get -o json`` lists them."""
    return {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": list(objects)}


def plural(item: Object) -> str:
    """The kind of an object as the files of a snapshot name it."""
    return f"{item['kind'].lower()}s"
