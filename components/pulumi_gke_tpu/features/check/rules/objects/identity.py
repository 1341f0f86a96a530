"""What an object is: its name, names inside of it, and its kind: TPU371, TPU304, TPU372 and TPU305."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.kinds import all_kinds, kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.names import NameForm, has_form, is_valid_name, reason_of_name, valid_name_like
from pulumi_gke_tpu.core.rules.engine.examples import tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Path, SetKeys, Severity, did_you_mean, number
from pulumi_gke_tpu.core.text.formats.names import gke_name_like
from pulumi_gke_tpu.features.check.context import ManifestContext

_PORT = "port"
_OF_CONTAINERS = {("Container", "spec"): {"ports": _PORT}}
"""The lists of a container whose entries have names, with what the entries are."""
_LONGEST_PORT_NUMBER = 5
_HANDLERS = ("httpGet", "tcpSocket")
"""What names a port in probes, and in what runs at the start and end of a container."""
_BUILT_IN = frozenset({"", "apps", "batch", "core", "extensions"})
"""API groups of Kubernetes itself, in which no operator defines kinds, and what the core group is called by mistake."""
_CLOSED = ("apps", "batch")
"""API groups all of whose kinds are known. The core group is also that of files of programs, such as a kubeconfig."""
_MOST_SUGGESTIONS = 100
"""How many different unknown kinds are compared with known ones."""


@rule(
    "TPU371",
    title="Missing or invalid name of an object or of its namespace",
    why="every object has a name in lower-case letters, digits, hyphens and dots. The names of namespaces, and of "
    "objects that give their Pods names in DNS, have no dots. The API server or the controller rejects others",
    fix="Set `metadata.name`, or `generateName` for objects that `kubectl create` creates.",
    source="Kubernetes: names of objects (RFC 1123 and RFC 1035)",
    references=["kubernetes-api-server", "jobset-webhook", "lws-webhook", "kuberay-validation"],
    failing=tpu_pod().replace("name: trainer", "name: Trainer_1"),
    passing=tpu_pod(),
)
def name_of_manifest(context: ManifestContext) -> Iterable[Hit]:
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
        yield from _invalid_own_name(owner, name, generated)
        namespace = owner.metadata.get("namespace") or None
        yield from _invalid_name(owner.at("metadata", "namespace"), namespace, "label", "name of a namespace")


def _invalid_own_name(owner: KubernetesObject, name: object, generated: object) -> Iterator[Hit]:
    """A name that is too long for its kind is a rule of its own."""
    kind = kind_of(owner)
    form: NameForm = kind.name_form if kind is not None else "subdomain"
    if name is not None:
        if not isinstance(name, str) or not (has_form(name, form) and is_valid_name(name, "subdomain")):
            reason = reason_of_name(name if isinstance(name, str) else "", form)
            fix = SetKeys.of(name=gke_name_like(str(name)))
            yield Hit.invalid(owner.at("metadata", "name"), f"name of {owner.kind}", name, reason, fix=fix)
    elif isinstance(generated, str) and generated and not is_open(generated) and not has_form(f"{generated}x", form):
        place = owner.at("metadata", "generateName")
        yield Hit.invalid(place, f"beginning of the names of {owner.kind}", generated, reason_of_name("", form))


@rule(
    "TPU304",
    title="Invalid name of a container, volume, port or Job",
    why="containers, volumes, Jobs and ports of Services have names of at most 63 lower-case letters, digits and "
    "hyphens. Ports of containers, which `targetPort` and probes name, have at most 15, with at least one letter. The "
    "API server rejects others, and a controller such as JobSet creates no Pods from them",
    fix="Use lower-case letters, digits and single hyphens.",
    source="Kubernetes: names of containers, volumes and ports (RFC 1123 and RFC 6335)",
    failing=tpu_pod().replace("name: jax", "name: Worker_1"),
    passing=tpu_pod(),
)
def name_inside_of_manifest(context: ManifestContext) -> Iterable[Hit]:
    lists = {
        (kind.name, place): {key: noun for found in named for key, noun in found.keys.items() if noun}
        for kind in all_kinds().values()
        for place, named in kind.named_lists.items()
    } | _OF_CONTAINERS
    for item in context.described:
        for part in item.parts:
            for key, noun in lists.get((part.kind, part.place), {}).items():
                form: NameForm = "port" if noun == _PORT else "label"
                for index, entry in enumerate(items(part.data.get(key))):
                    place = item.owner.at(*part.path, key, index, "name")
                    yield from _invalid_name(place, mapping(entry).get("name"), form, f"name of a {noun}")
            if part.kind in ("Container", "Probe") and part.place.rpartition(".")[2] in _HANDLERS:
                yield from _invalid_port(item.owner.at(*part.path, "port"), part.data.get("port"))
    for service in context.of_kind("Service", ""):
        for index, port in enumerate(map(mapping, items(service.spec.get("ports")))):
            place = service.at("spec", "ports", index)
            yield from _invalid_name((*place, "name"), port.get("name") or None, "label", "name of a port of a Service")
            yield from _invalid_port((*place, "targetPort"), port.get("targetPort") or None)


def _invalid_port(place: Path, port: object) -> Iterator[Hit]:
    """A port of a container by its name; a number has no quotes."""
    if isinstance(port, str) and port.isdecimal() and len(port) <= _LONGEST_PORT_NUMBER:
        fix = SetKeys.of({place[-1]: int(port)})
        yield Hit.invalid(place, "name of a port", port, "a number has no quotes", fix=fix)
    else:
        yield from _invalid_name(place, port, "port", "name of a port")


def _invalid_name(place: Path, name: object, form: NameForm, what: str) -> Iterator[Hit]:
    if isinstance(name, str) and not is_open(name) and not is_valid_name(name, form):
        near = valid_name_like(name, form)
        fix = SetKeys.of({place[-1]: near}) if near else None
        yield Hit.invalid(place, what, name, reason_of_name(name, form), fix=fix)


@rule(
    "TPU372",
    title="Kind that its API group does not have",
    why="`apiVersion` and `kind` together name a type of objects. The API server does not know this one",
    fix="Use the `apiVersion` and the spelling that the message lists.",
    references=["jobset-api", "lws-api", "kuberay-constants", "kueue-clusterqueue-api", "compute-class-api"],
    source="Kubernetes: API groups of workloads",
    failing=tpu_pod().replace("kind: Pod", "kind: pod"),
    passing=tpu_pod(),
)
def unknown_kind(context: ManifestContext) -> Iterable[Hit]:
    return (hit for _, hit in _wrong_kinds(context))


def _wrong_kinds(context: ManifestContext) -> Iterator[tuple[KubernetesObject, Hit]]:
    """Every object whose kind does not exist, with the hit about it."""
    known = _known_kinds(context)
    groups, built_in = set(map(_group_of, known.values())), context.catalog.kubernetes.built_in.kinds
    nearest: dict[tuple[str, str], str] = {}
    for owner in context.objects:
        if is_open(owner.kind) or is_open(owner.api_version):
            continue
        if owner.kind in known:
            yield from ((owner, hit) for hit in _wrong_group(owner, known, groups))
        elif owner.group in groups | _BUILT_IN:
            key = owner.group, owner.kind
            if key not in nearest and len(nearest) < _MOST_SUGGESTIONS:
                nearest[key] = _near(owner, known)
            near = nearest.get(key, "")
            closed = built_in.get(owner.api_version, ()) if owner.group in _CLOSED else ()
            allowed = (f"{known[near]} {near}",) if near else tuple(f"{owner.api_version} {kind}" for kind in closed)
            if allowed:
                what, fix = f"kind of {owner.api_version}", SetKeys.of(kind=near)
                yield owner, Hit.unknown(owner.at("kind"), what, owner.kind, allowed=allowed, fix=fix)


def _near(owner: KubernetesObject, known: dict[str, str]) -> str:
    """The kind that an unknown one is a misspelling of: it has almost the same letters; empty if there is none."""
    kind = owner.kind
    folded = next((name for name in known if name.lower() == kind.lower()), "")
    near = folded or did_you_mean(kind, [name for name in known if _group_of(known[name]) == owner.group]) or ""
    return near if near and abs(len(near) - len(kind)) <= 1 else ""


def _group_of(version: str) -> str:
    return version.rpartition("/")[0]


def _wrong_group(owner: KubernetesObject, known: dict[str, str], groups: set[str]) -> Iterator[Hit]:
    """A known kind in a group of Kubernetes that does not have it, or in one that resembles its own."""
    version = known[owner.kind]
    group = _group_of(version)
    if owner.group == group:
        return
    similar = bool(group) and did_you_mean(owner.group, (group,)) is not None and owner.group not in groups
    if owner.group in _BUILT_IN or similar:
        what = f"API version of {owner.kind}"
        yield Hit.unknown(
            owner.at("apiVersion"), what, owner.api_version, allowed=(version,), fix=SetKeys.of(apiVersion=version)
        )


def _known_kinds(context: ManifestContext) -> dict[str, str]:
    """Every kind that gke-tpu checks, with its API version."""
    built_in = context.catalog.kubernetes.built_in.kinds
    kinds = {kind: version for version, names in built_in.items() for kind in names}
    for kind, listing in context.catalog.object_fields.kinds.items():
        if listing.group and listing.version:
            kinds[kind] = f"{listing.group}/{listing.version}"
    for controller in context.catalog.kubernetes.controllers.values():
        kinds.update((kind, f"{controller.group}/{controller.version}") for kind in controller.kinds)
    return kinds


@rule(
    "TPU305",
    severity=Severity.NOTE,
    title="Kind whose Pods gke-tpu does not read",
    why="gke-tpu does not know where objects of this kind have their Pods, so it checks neither chips nor selectors",
    fix="Check the Pods that the controller of the kind creates: `kubectl get pods -o yaml | gke-tpu check -`.",
    source="gke-tpu: the kinds of workloads that it reads",
    failing="""
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: trainer}
spec:
  tfReplicaSpecs:
    Worker:
      template:
        spec:
          containers:
            - name: tensorflow
              image: trainer
              resources: {requests: {google.com/tpu: 4}, limits: {google.com/tpu: 4}}
""",
    passing=tpu_pod(),
)
def pods_not_read(context: ManifestContext) -> Iterable[Hit]:
    """One note for each kind in a file; another rule reports misspelled kinds."""
    misspelled = {owner.index for owner, _ in _wrong_kinds(context)}
    unread: dict[tuple[str, str, str], list[KubernetesObject]] = {}
    for item in context.objects:
        if item.index not in misspelled and _may_have_pods(item, context) and _has_chips(item.data, context):
            unread.setdefault((item.file.name, item.api_version, item.kind), []).append(item)
    for first, *others in unread.values():
        message = f"gke-tpu does not read the Pods of {first.title} ({first.api_version}), which have TPUs"
        if others:
            message += f"; this file has {number(len(others), 'more object')} of this kind"
        yield Hit(first.at("kind"), message)


def _may_have_pods(item: KubernetesObject, context: ManifestContext) -> bool:
    """Whether an object is of a kind that gke-tpu does not know, and that may have Pods."""
    if item.group in ("", *_CLOSED) or is_open(item.kind) or is_open(item.api_version) or kind_of(item) is not None:
        return False
    controllers = context.catalog.kubernetes.controllers.values()
    return not any(found.group == item.group and item.kind in found.kinds for found in controllers)


def _has_chips(data: object, context: ManifestContext) -> bool:
    """Whether something requests chips or selects TPU nodes, at any depth."""
    names, resource = context.catalog.platform.names.node_labels, context.catalog.kubernetes.pods.resource.name
    keys = {"limits": {resource}, "requests": {resource}, "nodeSelector": {names.accelerator, names.topology}}
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(not wanted.isdisjoint(mapping(value.get(key))) for key, wanted in keys.items()):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False
