"""Names inside of an object: duplicates, volumes, and restart policies: TPU373 to TPU375."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.kinds import all_kinds
from pulumi_gke_tpu.core.kinds.kind import NamedLists
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping, text
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, did_you_mean, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext

_KUBERNETES = "Kubernetes: validation of Pods and of the objects that create them"
_OF_CONTAINERS = (NamedLists({"ports": "port"}), NamedLists({"volumeMounts": "mount"}, name="mountPath"))
_PORTS = _OF_CONTAINERS[0]


@rule(
    "TPU373",
    title="Two containers, volumes, ports, Jobs or worker groups with one name, or two mounts with one path",
    why="the name, or the path, identifies the entries of these lists, so the API server or the controller rejects a "
    "second entry",
    fix="Rename one of the entries.",
    source=_KUBERNETES,
    failing=tpu_pod().replace("  containers:\n", "  containers:\n    - {name: jax, image: proxy}\n"),
    passing=tpu_pod(),
)
def duplicate_name_in_object(context: ManifestContext) -> Iterable[Hit]:
    kinds = {kind.name: kind for kind in all_kinds().values()}
    for item in context.described:
        for part in item.parts:
            kind = kinds.get(part.kind)
            named = kind.named_lists.get(part.place, ()) if kind is not None else ()
            for lists in _OF_CONTAINERS if (part.kind, part.place) == ("Container", "spec") else named:
                yield from _duplicates(item.owner, part.path, part.data, lists)
    for service in context.of_kind("Service", ""):
        yield from _duplicates(service, ("spec",), service.spec, _PORTS)


def _duplicates(owner: KubernetesObject, path: Path, data: dict[str, Any], lists: NamedLists) -> Iterator[Hit]:
    first: dict[str, str] = {}
    for key in lists.keys:
        for index, entry in enumerate(items(data.get(key))):
            value = mapping(entry).get(lists.name)
            if not isinstance(value, str) or is_open(value) or not value:
                continue
            if value in first:
                place = owner.at(*path, key, index, lists.name)
                yield Hit.duplicate(place, f"{lists.name} in `{key}`", value, f"{first[value]} has it")
            first.setdefault(value, f"entry {index + 1} of `{key}`")


@rule(
    "TPU374",
    title="Mount of a volume that the Pod does not have",
    why="a container mounts a volume of its Pod by its name. The API server rejects an unknown name",
    fix="Add the volume to `volumes` of the Pod, or correct the name.",
    source=_KUBERNETES,
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
        if not pod.has_image:
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
                    fix = SetKeys.of(name=near)
                    yield Hit.unknown(path, "volume", name, allowed=tuple(filter(None, volumes)), fix=fix)


@rule(
    "TPU375",
    title="Restart policy that the kind of workload does not have",
    why="Pods of a Job end, so their restart policy is OnFailure or Never, and Jobs have no default. Pods of a "
    "Deployment, a StatefulSet, a LeaderWorkerSet and a DaemonSet run forever, with the restart policy Always",
    fix="Set `restartPolicy: Never` for a Job; remove the key from the other kinds.",
    source=_KUBERNETES,
    references=["lws-controller"],
    failing=tpu_job().replace("restartPolicy: Never", "restartPolicy: Always"),
    passing=tpu_job(),
)
def restart_policy_of_kind(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.pods:
        if pod.owner.index not in context.tpu_owners or pod.is_open:
            continue
        if not pod.has_image:
            continue  # a patch
        policy, fix = pod.spec.get("restartPolicy"), SetKeys.of(restartPolicy="Never")
        if is_open(policy):
            continue
        restarts = pod.traits.restarts
        if pod.traits.restart_policy_required and policy is None and not has_open_key(pod.spec):
            yield Hit.missing(pod.at(), f"key `restartPolicy` in {pod.owner.title}", fix=fix)
        elif restarts == "not_always" and policy == "Always":
            message = f"{pod.owner.title} has the restart policy {quoted(policy)}, which Jobs do not have"
            yield Hit(pod.at("restartPolicy"), message, allowed=("Never", "OnFailure"), fix=fix)
        elif restarts == "always" and policy not in (None, "Always"):
            message = f"a {pod.owner.kind} does not have the restart policy {quoted(policy)}"
            yield Hit(pod.at("restartPolicy"), message, allowed=("Always",), fix=SetKeys.of(restartPolicy="Always"))
