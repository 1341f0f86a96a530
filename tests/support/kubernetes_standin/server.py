"""The objects of a cluster as the API server and the webhooks of the operators store them.

What is sent is stored with quantities as text and with defaults. ``tests/kubernetes/test_standin.py`` holds this
against the real API server, for the kinds of Kubernetes and for the schemas of the operators. Their webhooks are not
run there: what they do is what real ones did (JobSet 0.12.0, LeaderWorkerSet 0.10.0, KubeRay 1.7.0, Kueue 0.19.2).

Simpler than the real ones: there is no status, no controller changes an object, and no field has several managers.
"""

import copy
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.core.text.formats.quantity import canonical_quantity

Object = dict[str, Any]

QUOTAS = ("nominalQuota", "borrowingLimit", "lendingLimit")
AMOUNTS = ("requests", "limits")
UNTYPED = ("RayCluster", "RayJob", "RayService", "ComputeClass")
"""Kinds without a webhook that reads and writes the whole object: their quantities stay as they are sent."""
WITH_PODS = ("Deployment", "Job")
"""Kinds of Kubernetes whose objects stay until their Pods have ended, if they are deleted in the foreground."""
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
IMMUTABLE = {
    "AdmissionCheck": ("spec.controllerName",),
    "Deployment": ("spec.selector",),
    "Job": ("spec.completionMode", "spec.podFailurePolicy", "spec.selector", "spec.template"),
    "JobSet": ("spec",),
    "LocalQueue": ("spec.clusterQueue",),
    "PersistentVolumeClaim": ("spec.accessModes", "spec.dataSource", "spec.storageClassName"),
    "PriorityClass": ("preemptionPolicy", "value"),
    "StorageClass": ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
}
"""Kind -> what an update must not change."""
ADMITTED = ("Deployment", "Job", "JobSet", "LeaderWorkerSet", "RayCluster", "RayJob", "RayService")
"""The kinds that the webhooks of Kueue know."""
QUEUE, PRIORITY = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"


class RefusedError(Exception):
    """The server refuses a request; the text is its message."""


@dataclass
class Objects:
    """The objects of a cluster, and what was done to them in order."""

    ray_with_kueue: bool = False
    """Whether the webhooks of Kueue for Ray are there; they write quantities as text, as those of JobSet do."""
    stored: dict[str, Object] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    """(create, update or delete; Kind/name)."""
    ending: set[str] = field(default_factory=set)
    """Deleted objects whose Pods still end."""

    def did(self, action: str) -> list[str]:
        return [name for done, name in self.log if done == action]

    def create(self, item: Object) -> Object:
        name = id_of(item)
        if name in self.stored:
            being = "object is being deleted: " if name in self.ending else ""
            raise RefusedError(f'{being}{item["kind"]} "{item["metadata"]["name"]}" already exists')
        self._did("create", item)
        self.stored[name] = self._filled(item, str(uuid.uuid4()))
        return self.stored[name]

    def update(self, name: str, item: Object) -> Object:
        was = self.stored[name]
        will = self._filled(item, was.get("metadata", {}).get("uid", ""))
        for path in IMMUTABLE.get(item.get("kind", ""), ()):
            if at(was, path) != at(will, path):
                raise RefusedError(f"{item['kind']} {item['metadata']['name']} is invalid: {path}: field is immutable")
        for path in refused_by_kueue(was, will):
            raise RefusedError(f"admission webhook denied the request: {path}: field is immutable")
        self._did("update", item)
        self.stored[name] = will
        return will

    def delete(self, name: str, *, background: bool, wait: bool) -> None:
        """Delete an object. Without ``wait``, one with Pods is still there when the call returns."""
        item = self.stored[name]
        self._did("delete", item)
        if item.get("kind") in WITH_PODS and not background and not wait:
            self.ending.add(name)
        else:
            del self.stored[name]

    def would_store(self, item: Object) -> Object:
        """What the server answers to a creation as a trial."""
        return self._filled(item, str(uuid.uuid4()))

    def _filled(self, sent: Object, uid: str) -> Object:
        item = copy.deepcopy(sent)
        if is_release(item):
            return item
        if item["kind"] not in UNTYPED or (item["kind"] != "ComputeClass" and self.ray_with_kueue):
            normalize(item)
        item["metadata"]["uid"] = uid
        complete = _COMPLETE.get(item["kind"])
        if complete is not None:
            complete(item)
        return item

    def _did(self, action: str, item: Object) -> None:
        self.log.append(
            (
                action,
                f"HelmRelease/{item['name']}" if is_release(item) else f"{item['kind']}/{item['metadata']['name']}",
            )
        )


def refused_by_kueue(was: Object, will: Object) -> Iterator[str]:
    """What the webhooks of Kueue 0.19 do not let change of a workload that runs: all stored workloads do."""
    if will.get("kind") not in ADMITTED:
        return
    before, after = (item["metadata"].get("labels", {}) for item in (was, will))
    if before.get(QUEUE) != after.get(QUEUE):
        yield f"metadata.labels[{QUEUE}]"
    if (PRIORITY in before) != (PRIORITY in after):
        yield f"metadata.labels[{PRIORITY}]"
    if will["kind"] == "LeaderWorkerSet" and QUEUE in after:
        old, new = (item["spec"]["leaderWorkerTemplate"] for item in (was, will))
        if old["size"] != new["size"]:
            yield "spec.leaderWorkerTemplate.size"
        for name in ("leaderTemplate", "workerTemplate"):
            if _shape(old.get(name)) != _shape(new.get(name)):
                yield f"spec.leaderWorkerTemplate.{name}"


def _shape(template: Object | None) -> list[Any]:
    """What decides about the admission of a Pod."""
    if template is None:
        return []
    spec = template["spec"]
    containers = [
        [(one.get("resources", {}).get("requests"), one.get("ports")) for one in spec.get(name, ())]
        for name in ("initContainers", "containers")
    ]
    return [containers, *(spec.get(name) for name in ("nodeSelector", "affinity", "tolerations", "runtimeClassName"))]


def is_release(item: Object) -> bool:
    """Whether an item is a Helm release, not an object of Kubernetes."""
    return "chart" in item and "kind" not in item


def id_of(item: Object) -> str:
    if is_release(item):
        return f"{item['namespace']}/{item['name']}"
    metadata = item["metadata"]
    return f"{item['apiVersion']}/{item['kind']}::{metadata.get('namespace', '')}/{metadata['name']}"


def at(item: Object, path: str) -> Any:
    """The property at a path; None if there is none."""
    value: Any = item
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def normalize(item: Any) -> None:
    """Write every quantity of an object as text."""
    for block, key in quantities_in(item):
        if isinstance(block[key], str | int | float) and not isinstance(block[key], bool):
            block[key] = canonical_quantity(block[key])


def quantities_in(item: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every quantity of an object: the mapping with it, and its key."""
    if isinstance(item, list):
        for element in item:
            yield from quantities_in(element)
    elif isinstance(item, dict):
        for key, value in item.items():
            if key in QUOTAS:
                yield item, key
            elif key == "resources" and isinstance(value, dict):
                yield from ((value[kind], name) for kind in AMOUNTS for name in value.get(kind, {}))
            elif key == "fairSharing":
                yield value, "weight"
            else:
                yield from quantities_in(value)


def _default(block: Object, **values: Any) -> None:
    for key, value in values.items():
        block.setdefault(key, value)


def _template(template: Object, **more: Any) -> None:
    """The defaults of a Pod template."""
    template.setdefault("metadata", {})
    spec = template["spec"]
    _default(spec, restartPolicy="Always", terminationGracePeriodSeconds=30, dnsPolicy="ClusterFirst", **more)
    _default(spec, securityContext={}, schedulerName="default-scheduler")
    if "serviceAccountName" in spec:
        spec.setdefault("serviceAccount", spec["serviceAccountName"])
    for container in (*spec.get("initContainers", ()), *spec["containers"]):
        _container(container)


def _container(container: Object) -> None:
    _, _, tag = container["image"].rpartition("/")[2].partition(":")
    _default(
        container,
        imagePullPolicy="Always" if tag in ("", "latest") else "IfNotPresent",
        terminationMessagePath="/dev/termination-log",
        terminationMessagePolicy="File",
        resources={},
    )
    for port in container.get("ports", ()):
        _default(port, protocol="TCP")
    if "readinessProbe" in container:
        _default(
            container["readinessProbe"], timeoutSeconds=1, periodSeconds=10, successThreshold=1, failureThreshold=3
        )
    for variable in container.get("env", ()):
        source = variable.get("valueFrom", {}).get("fieldRef")
        if source is not None:
            _default(source, apiVersion="v1")


def _job(item: Object) -> None:
    spec, name, uid = item["spec"], item["metadata"]["name"], item["metadata"]["uid"]
    _default(spec, suspend=False, backoffLimit=6, completionMode="NonIndexed", podReplacementPolicy="Failed")
    _default(spec, manualSelector=False, selector={"matchLabels": {CONTROLLER_UID: uid}})
    _template(spec["template"])
    own = {"batch.kubernetes.io/job-name": name, "job-name": name, CONTROLLER_UID: uid, "controller-uid": uid}
    _default(spec["template"]["metadata"], labels={})
    _default(spec["template"]["metadata"]["labels"], **own)
    for rule in spec.get("podFailurePolicy", {}).get("rules", ()):
        for condition in rule.get("onPodConditions", ()):
            _default(condition, status="True")


def _deployment(item: Object) -> None:
    _default(item["spec"], replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600)
    _template(item["spec"]["template"])


def _service(item: Object) -> None:
    spec = item["spec"]
    _default(spec, type="ClusterIP", sessionAffinity="None", internalTrafficPolicy="Cluster", clusterIP="10.0.0.7")
    _default(spec, clusterIPs=[spec["clusterIP"]], ipFamilies=["IPv4"], ipFamilyPolicy="SingleStack")
    for port in spec.get("ports", ()):
        _default(port, protocol="TCP", targetPort=port["port"])


def _claim(item: Object) -> None:
    _default(item["spec"], volumeMode="Filesystem")
    if "dataSource" in item["spec"]:
        _default(item["spec"], dataSourceRef=item["spec"]["dataSource"])
    item["metadata"].setdefault("finalizers", ["kubernetes.io/pvc-protection"])


def _namespace(item: Object) -> None:
    _default(item, spec={})
    _default(item["spec"], finalizers=["kubernetes"])
    item["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = item["metadata"]["name"]


def _jobset(item: Object) -> None:
    spec = item["spec"]
    _default(spec, successPolicy={"operator": "All"}, startupPolicy={"startupPolicyOrder": "AnyOrder"})
    _default(spec, network={}, failurePolicy={})
    _default(spec["failurePolicy"], restartStrategy="Recreate")
    _default(spec["network"], enableDNSHostnames=True, publishNotReadyAddresses=True)
    for job in spec["replicatedJobs"]:
        _default(job, replicas=1, groupName="default")
        _default(job["template"]["spec"], completionMode="Indexed")
        _ports(job["template"]["spec"]["template"])


def _leaderworkerset(item: Object) -> None:
    _default(item["spec"], replicas=1, startupPolicy="LeaderCreated", networkConfig={"subdomainPolicy": "Shared"})
    rolling = {"maxSurge": 0, "maxUnavailable": 1, "partition": 0}
    _default(item["spec"], rolloutStrategy={"type": "RollingUpdate", "rollingUpdateConfiguration": rolling})
    template = item["spec"]["leaderWorkerTemplate"]
    for name in ("leaderTemplate", "workerTemplate"):
        _ports(template.get(name))


def _ray(item: Object) -> None:
    if item["kind"] == "RayJob":
        _default(item["spec"], submissionMode="K8sJobMode", ttlSecondsAfterFinished=0)
    cluster = item["spec"].get("rayClusterSpec", item["spec"].get("rayClusterConfig", item["spec"]))
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        _ports(group["template"])
    for group in cluster["workerGroupSpecs"]:
        _default(group, numOfHosts=1, priority=0)


def _ports(template: Object | None) -> None:
    """The only default that the schemas of the operators have for Pod templates which gke-tpu writes."""
    spec = (template or {}).get("spec", {})
    for container in (*spec.get("initContainers", ()), *spec.get("containers", ())):
        for port in container.get("ports", ()):
            _default(port, protocol="TCP")


def _cluster_queue(item: Object) -> None:
    item["metadata"].setdefault("finalizers", ["kueue.x-k8s.io/resource-in-use"])
    spec = item["spec"]
    _default(spec, stopPolicy="None", queueingStrategy="BestEffortFIFO", preemption={})
    _default(spec, flavorFungibility={"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"})
    _default(spec["preemption"], borrowWithinCohort={"policy": "Never"})


def _resource_flavor(item: Object) -> None:
    item["metadata"].setdefault("finalizers", ["kueue.x-k8s.io/resource-in-use"])


def _local_queue(item: Object) -> None:
    _default(item["spec"], stopPolicy="None")


def _storage_class(item: Object) -> None:
    _default(item, reclaimPolicy="Delete")


def _provisioning(item: Object) -> None:
    _default(item["spec"], retryStrategy={"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800})


_COMPLETE: dict[str, Callable[[Object], None]] = {
    "ClusterQueue": _cluster_queue,
    "Deployment": _deployment,
    "Job": _job,
    "JobSet": _jobset,
    "LeaderWorkerSet": _leaderworkerset,
    "LocalQueue": _local_queue,
    "Namespace": _namespace,
    "PersistentVolumeClaim": _claim,
    "ProvisioningRequestConfig": _provisioning,
    "RayCluster": _ray,
    "RayJob": _ray,
    "RayService": _ray,
    "ResourceFlavor": _resource_flavor,
    "Service": _service,
    "StorageClass": _storage_class,
}
