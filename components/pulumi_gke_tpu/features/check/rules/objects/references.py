"""Names inside of an object: duplicates, volumes, labels and Jobs that it refers to: TPU373 to TPU377."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import rule
from pulumi_gke_tpu.core.text.findings import Path, did_you_mean, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_KUBERNETES = "Kubernetes: validation of Pods and of the objects that create them"
_NAMED_LISTS = {
    ("Pod", "spec"): (("containers", "initContainers"), ("volumes",)),
    ("JobSet", "spec"): (("replicatedJobs",),),
}
_GROUPS = ("RayCluster", "spec", "workerGroupSpecs", "groupName")
_APPS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")
_JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  coordinator: {replicatedJob: JOB}
  replicatedJobs:
    - name: head
      template:
        spec:
          template:
            spec:
              restartPolicy: Never
              containers: [{name: head, image: head}]
"""
_DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve}
spec:
  selector: {matchLabels: {app: LABEL}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 2x2}
      containers:
        - name: server
          image: server
          resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
"""


@rule(
    "TPU373",
    "duplicate-name-in-object",
    title="Two containers, volumes, Jobs or worker groups with one name",
    why="names identify the entries of these lists, so the API server or the controller rejects a second entry",
    fix="Rename one of the entries.",
    source=_KUBERNETES,
    basis="format",
    failing=tpu_pod().replace("  containers:\n", "  containers:\n    - {name: jax, image: proxy}\n"),
    passing=tpu_pod(),
)
def duplicate_name_in_object(context: ManifestContext) -> Iterable[Hit]:
    for item in context.described:
        for part in item.parts:
            lists = [(keys, "name") for keys in _NAMED_LISTS.get((part.kind, part.place), ())]
            if (part.kind, part.place) == _GROUPS[:2]:
                lists.append(((_GROUPS[2],), _GROUPS[3]))
            for keys, name in lists:
                yield from _duplicates(item.owner, part.path, part.data, keys, name)


def _duplicates(
    owner: KubernetesObject, path: Path, data: dict[str, Any], keys: tuple[str, ...], name: str
) -> Iterator[Hit]:
    first: dict[str, str] = {}
    for key in keys:
        for index, entry in enumerate(items(data.get(key))):
            value = mapping(entry).get(name)
            if not isinstance(value, str) or is_open(value):
                continue
            if value in first:
                place = owner.at(*path, key, index, name)
                yield Hit.duplicate(place, f"name in `{key}`", value, f"{first[value]} has it")
            first.setdefault(value, f"entry {index + 1} of `{key}`")


@rule(
    "TPU374",
    "unknown-volume",
    title="Mount of a volume that the Pod does not have",
    why="a container mounts a volume of its Pod by its name. The API server rejects an unknown name",
    fix="Add the volume to `volumes` of the Pod, or correct the name.",
    source=_KUBERNETES,
    basis="format",
    failing=tpu_pod(container="volumeMounts: [{name: data, mountPath: /data}]"),
    passing=tpu_pod(
        spec="volumes: [{name: data, emptyDir: {}}]", container="volumeMounts: [{name: data, mountPath: /data}]"
    ),
)
def unknown_volume(context: ManifestContext) -> Iterable[Hit]:
    """A StatefulSet and a LeaderWorkerSet also have volumes from their templates of claims; patches have neither."""
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners or pod.is_open or is_open(pod.spec.get("volumes")):
            continue
        if not any("image" in container.data for container in pod.containers()):
            continue
        place = pod.controlled_by
        claims = items(mapping(pod.owner.value(*place)).get("volumeClaimTemplates"))
        volumes = [text(mapping(entry).get("name")) for entry in items(pod.spec.get("volumes"))]
        volumes += [text(mapping(mapping(entry).get("metadata")).get("name")) for entry in claims]
        if any(map(is_open, volumes)) or has_open_key(pod.spec):
            continue
        for container in pod.containers(init=True):
            for index, mount in enumerate(items(container.data.get("volumeMounts"))):
                name = text(mapping(mount).get("name"))
                if name and not is_open(name) and name not in volumes and not name.startswith("gke-gcsfuse"):
                    near = did_you_mean(name, volumes) or ""
                    path = pod.hit_path((*container.path, "volumeMounts", index, "name"))
                    fix = f"name: {near}" if near else ""
                    yield Hit.unknown(path, "volume", name, allowed=tuple(filter(None, volumes)), fix=fix)


@rule(
    "TPU375",
    "restart-policy-of-kind",
    title="Restart policy that the kind of workload does not have",
    why="Pods of a Job end, so their restart policy is OnFailure or Never, and Jobs have no default. Pods of a "
    "Deployment, a StatefulSet and a DaemonSet run forever, with the restart policy Always",
    fix="Set `restartPolicy: Never` for a Job; remove the key from a Deployment, StatefulSet or DaemonSet.",
    source=_KUBERNETES,
    basis="format",
    failing=tpu_job().replace("restartPolicy: Never", "restartPolicy: Always"),
    passing=tpu_job(),
)
def restart_policy_of_kind(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners or pod.is_open:
            continue
        if not any("image" in container.data for container in pod.containers()):
            continue  # a patch
        policy, fix = pod.spec.get("restartPolicy"), "restartPolicy: Never"
        if is_open(policy):
            continue
        if pod.controller == "job" and policy is None and not has_open_key(pod.spec):
            yield Hit.missing(pod.at(), f"key `restartPolicy` in {pod.owner.title}", fix=fix)
        elif pod.controller in ("job", "jobset") and policy == "Always":
            message = f"{pod.owner.title} has the restart policy {quoted(policy)}, which Jobs do not have"
            yield Hit(pod.at("restartPolicy"), message, allowed=("Never", "OnFailure"), fix=fix)
        elif pod.owner.kind in _APPS and policy not in (None, "Always"):
            message = f"a {pod.owner.kind} does not have the restart policy {quoted(policy)}"
            yield Hit(pod.at("restartPolicy"), message, allowed=("Always",), fix="restartPolicy: Always")


@rule(
    "TPU376",
    "selector-without-pods",
    title="Selector that does not match the labels of the Pods",
    why="a Deployment, StatefulSet or DaemonSet counts its Pods by `selector`. The API server rejects a selector that "
    "does not match the labels of the template",
    fix="Set the labels of the selector in `template.metadata.labels`.",
    source=_KUBERNETES,
    basis="format",
    failing=_DEPLOYMENT.replace("LABEL", "vllm"),
    passing=_DEPLOYMENT.replace("LABEL", "serve"),
)
def selector_without_pods(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.tpu_pods:
        if pod.owner.kind not in _APPS or not any("image" in container.data for container in pod.containers()):
            continue
        wanted, labels = mapping(pod.owner.value("spec", "selector", "matchLabels")), pod.metadata.get("labels")
        if is_open(labels) or has_open_key(mapping(labels)) or has_open_key(wanted):
            continue
        for key, value in wanted.items():
            given = mapping(labels).get(key)
            if is_open(value) or is_open(given) or given == value:
                continue
            has = f"have `{key}: {given}`" if given is not None else f"have no label {quoted(key)}"
            path = pod.owner.at("spec", "selector", "matchLabels", key)
            yield Hit(path, f"the selector of {pod.owner.title} is `{key}: {value}`, and its Pods {has}")


@rule(
    "TPU377",
    "unknown-replicated-job",
    title="Job that the JobSet does not have",
    why="the coordinator, the order of Jobs and the success policy refer to Jobs of the same JobSet by their names; "
    "JobSet rejects others",
    fix="Use the name of an entry of `replicatedJobs`.",
    references=["jobset-api", "jobset-webhook"],
    source="JobSet: validation by its webhook",
    basis="format",
    failing=_JOB_SET.replace("JOB", "leader"),
    passing=_JOB_SET.replace("JOB", "head"),
)
def unknown_replicated_job(context: ManifestContext) -> Iterable[Hit]:
    for owner in context.of_kind("JobSet", context.catalog.kubernetes.controllers["jobset"].group):
        jobs = [text(mapping(entry).get("name")) for entry in items(owner.spec.get("replicatedJobs"))]
        if any(map(is_open, jobs)) or is_open(owner.spec.get("replicatedJobs")):
            continue
        for path, value in _job_references(owner):
            if isinstance(value, str) and not is_open(value) and value not in jobs:
                near = did_you_mean(value, jobs) or ""
                yield Hit.unknown(owner.at(*path), "Job", value, allowed=tuple(filter(None, jobs)), fix=near)


def _job_references(owner: KubernetesObject) -> Iterator[tuple[Path, object]]:
    """The names of Jobs outside of failure policies, which another rule checks, with their paths."""
    place: Path = ("spec", "coordinator", "replicatedJob")
    yield place, owner.value(*place)
    place = ("spec", "successPolicy", "targetReplicatedJobs")
    yield from (((*place, index), value) for index, value in enumerate(items(owner.value(*place))))
    for index, job in enumerate(items(owner.spec.get("replicatedJobs"))):
        for number, other in enumerate(items(mapping(job).get("dependsOn"))):
            yield ("spec", "replicatedJobs", index, "dependsOn", number, "name"), mapping(other).get("name")
