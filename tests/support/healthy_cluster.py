"""What kubectl prints of a healthy cluster beside the fleet itself: GKE's own Pods, operators, and all usual states.

Simpler than a real cluster: a DaemonSet has one Pod, although it counts four nodes; a Pod has one container; and an
operator has a Deployment without webhooks, Services and ConfigMaps. ``tests/data/healthy_states.yaml`` has the states.
"""

import copy
import itertools
import pathlib
from collections.abc import Iterator
from typing import Any

import yaml
from support.live_objects import SINCE, Object, conditions

LATER = "2026-11-28T20:25:00Z"
_STATES = pathlib.Path(__file__).parents[1] / "data" / "healthy_states.yaml"
_DAEMONS: dict[str, Object] = {
    "tpu-device-plugin": {"nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}, "hostPID": True},
    "gke-metadata-server": {"nodeSelector": {"iam.gke.io/gke-metadata-server-enabled": "true"}},
    "nvidia-gpu-device-plugin-large-cos": {},
    **{name: {} for name in ("fluentbit-gke", "pdcsi-node", "gcsfusecsi-node", "anetd", "node-local-dns")},
}
_OPERATORS = {
    "kueue-controller-manager": ("kueue-system", "registry.k8s.io/kueue/kueue:v0.19.2"),
    "jobset-controller-manager": ("jobset-system", "registry.k8s.io/jobset/jobset:v0.12.0"),
    "lws-controller-manager": ("lws-system", "registry.k8s.io/lws/lws:v0.10.0"),
    "cert-manager": ("cert-manager", "quay.io/jetstack/cert-manager-controller:v1.19.1"),
    "kuberay-operator": ("ray-system", "quay.io/kuberay/operator:v1.7.0"),
    "kube-dns": ("kube-system", "gke.gcr.io/k8s-dns-kube-dns:1.23"),
    "konnectivity-agent": ("kube-system", "gke.gcr.io/proxy-agent:v0.31"),
    "metrics-server-v1.34.1": ("kube-system", "gke.gcr.io/metrics-server:v0.8"),
    "gmp-operator": ("gmp-system", "gke.gcr.io/prometheus-engine/operator:v0.15"),
}
_EVERYWHERE = [{"operator": "Exists", "effect": "NoExecute"}, {"operator": "Exists", "effect": "NoSchedule"}]


def metadata(name: str, namespace: str, **more: Any) -> Object:
    added = {"uid": "0b1c", "resourceVersion": "81", "generation": 1, "creationTimestamp": SINCE}
    return {"name": name, "namespace": namespace, **added, **more}


def running(name: str) -> Object:
    rows = conditions(("Initialized", "True", "", ""), ("Ready", "True", "", ""), ("PodScheduled", "True", "", ""))
    last = {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": SINCE}}
    state = {"name": name, "ready": True, "restartCount": 2, "lastState": last, "state": {"running": {}}}
    return {"phase": "Running", "conditions": rows, "containerStatuses": [state]}


def owned(kind: str, name: str) -> list[Object]:
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "2", "controller": True}]


def daemon(name: str, more: Object) -> Iterator[Object]:
    """A DaemonSet of GKE on every node, and a Pod of it on a TPU host."""
    labels, scheduled = {"k8s-app": name}, 0 if name.startswith("nvidia") else 4
    container = {
        "name": name,
        "image": f"gke.gcr.io/{name}:v1",
        "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}, "limits": {"memory": "100Mi"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "dev", "mountPath": "/dev"}],
    }
    spec = {
        "containers": [container],
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": _EVERYWHERE,
        "volumes": [{"name": "dev", "hostPath": {"path": "/dev", "type": ""}}],
        **more,
    }
    counts = ("currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberReady")
    yield {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata(name, "kube-system", labels={"addonmanager.kubernetes.io/mode": "Reconcile"}),
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
        "status": {**dict.fromkeys(counts, scheduled), "numberMisscheduled": 0, "observedGeneration": 1},
    }
    if scheduled:
        node = {"key": "metadata.name", "operator": "In", "values": ["gke-train-pretrain-0-1"]}
        chosen = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [node]}]}}
        placed = {**copy.deepcopy(spec), "nodeName": "gke-train-pretrain-0-1", "affinity": {"nodeAffinity": chosen}}
        meta = metadata(f"{name}-x7k2p", "kube-system", labels=labels, ownerReferences=owned("DaemonSet", name))
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": placed, "status": running(name)}


def operator(name: str, namespace: str, image: str) -> Iterator[Object]:
    """A Deployment as Helm installs it, its ReplicaSets of now and before, and its Pod."""
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": f"{name}-1"}
    container = {
        "name": "manager",
        "image": image,
        "args": ["--config=/controller_manager_config.yaml"],
        "ports": [{"containerPort": 9443, "name": "webhook-server", "protocol": "TCP"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8081}},
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
    }
    spec = {"containers": [container], "serviceAccountName": name, "priorityClassName": "system-cluster-critical"}
    template = {"metadata": {"labels": labels}, "spec": spec}
    rows = conditions(
        ("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability."),
        ("Progressing", "True", "NewReplicaSetAvailable", f'ReplicaSet "{name}-6d5b" has successfully progressed.'),
    )
    released = {"meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": namespace}
    whole = {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "observedGeneration": 1}
    selector = {"matchLabels": labels}
    base = {"selector": selector, "template": copy.deepcopy(template)}
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(name, namespace, labels=labels, annotations=released),
        "spec": {"replicas": 1, **base, "progressDeadlineSeconds": 600},
        "status": {**whole, "conditions": rows},
    }
    for suffix, count in (("6d5b", 1), ("5c4a", 0)):
        meta = metadata(f"{name}-{suffix}", namespace, labels=labels, ownerReferences=owned("Deployment", name))
        status = whole if count else {"replicas": 0, "observedGeneration": 2}
        spec_of = {"replicas": count, **copy.deepcopy(base)}
        yield {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": meta, "spec": spec_of, "status": status}
    meta = metadata(f"{name}-6d5b-abc", namespace, labels=labels, ownerReferences=owned("ReplicaSet", f"{name}-6d5b"))
    placed = {**copy.deepcopy(spec), "nodeName": "gke-train-system-1"}
    yield {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": placed, "status": running("manager")}


def states() -> Iterator[Object]:
    """Objects in all usual states, from the table; a row adds to the kind's template."""
    table = yaml.safe_load(_STATES.read_text(encoding="utf-8"))
    for kind, rows in table["states"].items():
        template = table["templates"].get(kind, {})
        for name, row in rows.items():
            made = copy.deepcopy(template)
            made["metadata"] = metadata(name, "ml") | made.get("metadata", {}) | row.get("metadata", {})
            for part in ("spec", "status"):
                made[part] = {**made.get(part, {}), **row.get(part, {})}
            made["status"] |= {"conditions": conditions(*map(tuple, row["conditions"]))} if "conditions" in row else {}
            yield made
    for item in table["objects"]:
        item["metadata"] = metadata(item["metadata"]["name"], item["metadata"].get("namespace", "")) | item["metadata"]
        yield item
    for number, (kind, name, level, reason, message, *time) in enumerate(table["events"]):
        yield {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": metadata(f"{name}.{number}", "ml"),
            "involvedObject": {"kind": kind, "name": name, "namespace": "" if kind == "Node" else "ml"},
            "type": level,
            "reason": reason,
            "message": message,
            "count": 3,
            **dict.fromkeys(("firstTimestamp", "lastTimestamp"), time[0] if time else LATER),
        }


def healthy_cluster() -> list[Object]:
    """All of it."""
    daemons = (daemon(name, more) for name, more in _DAEMONS.items())
    operators = (operator(name, *where) for name, where in _OPERATORS.items())
    return [*itertools.chain(*daemons, *operators), *states()]
