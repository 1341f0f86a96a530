"""What an object is: its name, and its kind in its API group: TPU371 and TPU372."""

import re
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.rules.engine.rule import rule
from pulumi_gke_tpu.core.text.findings import did_you_mean
from pulumi_gke_tpu.core.text.formats.gke_names import gke_name_like
from pulumi_gke_tpu.features.check.context import ManifestContext

_LONGEST = 253
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\Z", re.ASCII)
_BUILT_IN = frozenset({"", "apps", "batch", "extensions"})
"""API groups of Kubernetes itself, in which no operator defines kinds."""
_CORE_KINDS = {"Pod": "v1", "PodTemplate": "v1", "Service": "v1", "PersistentVolumeClaim": "v1"}
_MOST_SUGGESTIONS = 20


@rule(
    "TPU371",
    "name-of-manifest",
    title="Missing or invalid name of an object",
    why="every object has a name in lower-case letters, digits, hyphens and dots; the API server rejects others",
    fix="Set `metadata.name`, or `generateName` for objects that `kubectl create` creates.",
    source="Kubernetes: names of objects (RFC 1123)",
    basis="format",
    failing=tpu_pod().replace("name: trainer", "name: Trainer_1"),
    passing=tpu_pod(),
)
def invalid_object_name(context: ManifestContext) -> Iterable[Hit]:
    owners = {item.owner.index: item.owner for item in context.described}
    owners |= {pod.owner.index: pod.owner for pod in context.tpu_pods}
    for index in sorted(owners):
        owner = owners[index]
        name, generated = owner.metadata.get("name"), owner.metadata.get("generateName")
        if is_open(name) or is_open(owner.data.get("metadata")) or any(map(is_open, owner.metadata)):
            continue
        if name is None and generated is None:
            place = owner.at("metadata") if "metadata" in owner.data else owner.at("kind")
            yield Hit.missing(place, f"key `metadata.name` of {owner.kind}")
        elif name is not None and not (isinstance(name, str) and len(name) <= _LONGEST and _NAME.match(name)):
            reason = "use lower-case letters, digits, hyphens and dots"
            near = gke_name_like(str(name))
            place, fix = owner.at("metadata", "name"), f"name: {near}" if near else ""
            yield Hit.invalid(place, f"name of {owner.kind}", name, reason, fix=fix)


@rule(
    "TPU372",
    "unknown-kind",
    title="Kind that its API group does not have",
    why="`apiVersion` and `kind` together name a type of objects. The API server does not know this one",
    fix="Use the `apiVersion` and the spelling that the message lists.",
    references=["jobset-api", "lws-api", "kuberay-constants", "kueue-clusterqueue-api", "compute-class-api"],
    source="Kubernetes: API groups of workloads",
    basis="format",
    failing=tpu_pod().replace("kind: Pod", "kind: pod"),
    passing=tpu_pod(),
)
def unknown_kind(context: ManifestContext) -> Iterable[Hit]:
    known = _known_kinds(context)
    groups = {version.rpartition("/")[0] for version in known.values()}
    folded = {kind.lower(): kind for kind in known}
    asked = 0
    for owner in context.objects:
        if is_open(owner.kind) or is_open(owner.api_version):
            continue
        if owner.kind in known:
            yield from _wrong_group(owner, known, groups)
        elif owner.group in groups | _BUILT_IN and asked < _MOST_SUGGESTIONS:
            asked += 1
            of_group = [kind for kind, version in known.items() if version.rpartition("/")[0] == owner.group]
            near = folded.get(owner.kind.lower()) or (owner.group not in _BUILT_IN and _near(owner.kind, of_group))
            if near:
                allowed = (f"{known[near]} {near}",)
                yield Hit.unknown(
                    owner.at("kind"), f"kind of {owner.api_version}", owner.kind, allowed=allowed, fix=f"kind: {near}"
                )


def _near(kind: str, kinds: list[str]) -> str:
    """The kind that another one is a misspelling of: it has almost the same letters."""
    near = did_you_mean(kind, kinds) or ""
    return near if near and abs(len(near) - len(kind)) <= 1 else ""


def _wrong_group(owner: KubernetesObject, known: dict[str, str], groups: set[str]) -> Iterator[Hit]:
    """A known kind in a group of Kubernetes that does not have it, or in one that resembles its own."""
    version = known[owner.kind]
    group = version.rpartition("/")[0]
    similar = bool(group) and did_you_mean(owner.group, (group,)) is not None and owner.group not in groups
    if owner.group != group and (owner.group in _BUILT_IN or similar):
        what = f"API version of {owner.kind}"
        yield Hit.unknown(
            owner.at("apiVersion"), what, owner.api_version, allowed=(version,), fix=f"apiVersion: {version}"
        )


def _known_kinds(context: ManifestContext) -> dict[str, str]:
    """Every kind that gke-tpu checks, with its API version."""
    kinds = dict(_CORE_KINDS)
    for kind, listing in context.catalog.object_fields.kinds.items():
        if listing.group and listing.version:
            kinds[kind] = f"{listing.group}/{listing.version}"
    for controller in context.catalog.kubernetes.controllers.values():
        kinds.update((kind, f"{controller.group}/{controller.version}") for kind in controller.kinds)
    return kinds
