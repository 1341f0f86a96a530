"""Fields, API versions and names of custom resources: TPU747, TPU748, TPU768 and TPU798."""

from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.catalog.records.kubernetes import Controller, KindFields
from pulumi_gke_tpu.findings import Path, Severity, did_you_mean, quoted
from pulumi_gke_tpu.kubernetes.objects import KubernetesObject, is_open
from pulumi_gke_tpu.kubernetes.objects.document import count, mapping
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.manifests import ManifestContext
from pulumi_gke_tpu.rules.engine.rule import Scope, rule
from pulumi_gke_tpu.rules.operators.examples import changed, job_set, queues
from pulumi_gke_tpu.rules.operators.parts import entries, known_text

_ITEMS = "[]"
_LOCAL_QUEUE = """
apiVersion: kueue.x-k8s.io/{version}
kind: LocalQueue
metadata: {{name: training}}
spec: {{clusterQueue: training}}
"""


def _controller(context: ManifestContext, owner: KubernetesObject) -> Controller | None:
    """The controller of a custom resource; None for other objects."""
    controllers = context.catalog.kubernetes.controllers.values()
    return next((item for item in controllers if item.group == owner.group and owner.kind in item.kinds), None)


@rule(
    "TPU747",
    "deprecated-api-version",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="API version that is deprecated or does not exist",
    why="a later release of the controller removes a deprecated version. The API server rejects a version that does "
    "not exist",
    fix="Use the current version, and rename the fields that changed.",
    references=["kueue-clusterqueue-api", "kuberay-validation", "jobset-api", "compute-class-api"],
    otherwise={Severity.WARNING: "if the version is deprecated"},
    basis="catalog",
    failing=_LOCAL_QUEUE.format(version="v1"),
    passing=_LOCAL_QUEUE.format(version="v1beta2"),
)
def deprecated_api_version(context: ManifestContext) -> Iterable[Hit]:
    for owner in context.objects:
        controller = _controller(context, owner)
        if controller is None or is_open(owner.api_version) or owner.version == controller.version:
            continue
        fix = f"apiVersion: {controller.group}/{controller.version}"
        if owner.version in controller.deprecated:
            message = f"{controller.title} has deprecated version {owner.version} of {owner.kind}"
            yield Hit(owner.at("apiVersion"), message, fact=controller, severity=Severity.WARNING, fix=fix)
        else:
            what = f"version of {owner.kind}"
            allowed = (controller.version, *controller.deprecated)
            yield Hit.unknown(owner.at("apiVersion"), what, owner.version, fact=controller, allowed=allowed, fix=fix)


@rule(
    "TPU748",
    "former-queue-field",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Field or value of an earlier version of Kueue",
    why="the current version of Kueue's API has another name for it. The API server rejects the former name, or "
    "ignores the field without a message",
    fix="Use the current name.",
    references=["kueue-clusterqueue-api"],
    basis="catalog",
    failing=changed(queues(), ("  namespaceSelector: {}", "  namespaceSelector: {}\n  cohort: research")),
    passing=changed(queues(), ("  namespaceSelector: {}", "  namespaceSelector: {}\n  cohortName: research")),
)
def former_queue_field(context: ManifestContext) -> Iterable[Hit]:
    controller, names = context.catalog.kubernetes.controllers["kueue"], context.catalog.kubernetes.kueue.former_names
    for owner in context.of_kind("ClusterQueue", controller.group):
        if owner.version != controller.version:
            continue
        for former, current in names.fields.items():
            if former in owner.spec:
                value = owner.spec[former]
                fix = f"{current}:" if not isinstance(value, list) else ""
                message = f"{controller.version} of Kueue has no field {quoted(former)}; use {quoted(current)}"
                yield Hit(owner.at("spec", former), message, fact=names, fix=fix)
        for key, value in mapping(owner.spec.get("flavorFungibility")).items():
            if isinstance(value, str) and value in names.values:
                message = (
                    f"{controller.version} of Kueue has no value {quoted(value)}; use {quoted(names.values[value])}"
                )
                path = owner.at("spec", "flavorFungibility", key)
                yield Hit(path, message, fact=names, fix=f"{key}: {names.values[value]}")


@rule(
    "TPU768",
    "unknown-custom-field",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Unknown field of a custom resource",
    why="`kubectl` rejects unknown fields, and other clients drop them without a message, so the setting has no effect",
    fix="Correct the name of the field, or move the field to its place in the object.",
    references=["jobset-api", "lws-api", "kuberay-validation", "compute-class-api", "kueue-clusterqueue-api"],
    otherwise={Severity.WARNING: "if no field has a similar name: a newer release may have it"},
    basis="catalog",
    failing=changed(job_set(), ("maxRestarts", "maxRestart")),
    passing=job_set(),
)
def unknown_custom_field(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    kinds = context.catalog.object_fields.kinds
    for owner in context.objects:
        known, controller = kinds.get(owner.kind), _controller(context, owner)
        if known is None or controller is None or owner.group != known.group or owner.version != controller.version:
            continue
        former = facts.kueue.former_names.fields if controller is facts.controllers["kueue"] else {}
        for path, key, fields in _unknown(owner, known, kinds):
            if key in former:
                continue
            near = did_you_mean(key, fields) or ""
            severity = None if near else Severity.WARNING
            fix = f"{near}:" if near else ""
            what = f"field of {owner.title}"
            yield Hit.unknown(owner.at(*path, key), what, key, fact=known, severity=severity, allowed=fields, fix=fix)


def _unknown(
    owner: KubernetesObject, known: KindFields, kinds: dict[str, KindFields]
) -> Iterator[tuple[Path, str, tuple[str, ...]]]:
    """The unknown fields of an object: the path of their mapping, their names, and the known ones."""
    waiting: list[tuple[Path, str, dict[str, Any], KindFields]] = [(("spec",), "spec", owner.spec, known)]
    while waiting:
        path, place, data, listing = waiting.pop(0)
        fields = listing.fields.get(place)
        if fields is None:
            continue
        for key, value in data.items():
            if key not in fields:
                if isinstance(key, str) and not is_open(key):
                    yield path, key, fields
                continue
            embedded = listing.embedded.get(f"{place}.{key}")
            inner, below = (kinds[embedded], "spec") if embedded else (listing, f"{place}.{key}")
            if isinstance(value, dict):
                waiting.append(((*path, key), below, value, inner))
            elif isinstance(value, list):
                waiting += (
                    ((*path, key, index), below + _ITEMS, entry, inner)
                    for index, entry in enumerate(value)
                    if isinstance(entry, dict)
                )


@rule(
    "TPU798",
    "custom-resource-name-too-long",
    scope=Scope.MANIFESTS,
    since="0.1",
    title="Name that is too long for the objects made from it",
    why="the controller makes names of Jobs, Pods and Services from the name, and Kubernetes limits these to 63 "
    "characters. The controller rejects a longer name",
    fix="Shorten the name of the object, or that of its Job.",
    references=["jobset-webhook", "kuberay-constants"],
    basis="catalog",
    failing=changed(
        job_set(), ("name: train\n  ann", "name: a-long-name-for-a-training-job-of-the-whole-department-x\n  ann")
    ),
    passing=job_set(),
)
def custom_resource_name_too_long(context: ManifestContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes
    for owner in context.of_kind("JobSet", facts.controllers["jobset"].group):
        for name, made in _names_of_job_set(owner, facts.jobset.pod_suffix) if known_text(owner.name) else ():
            if len(made) > facts.jobset.longest_label:
                message = f"{name} would have {len(made)} characters, and {facts.jobset.longest_label} are allowed"
                yield Hit(
                    owner.at("metadata", "name"), f"name of {owner.title} is too long: {message}", fact=facts.jobset
                )
                break
    for kind, longest in facts.ray.longest_names.items():
        for owner in context.of_kind(kind, facts.controllers["kuberay"].group):
            if known_text(owner.name) and len(owner.name) > longest:
                message = f"{len(owner.name)} characters, and {longest} are allowed"
                yield Hit(owner.at("metadata", "name"), f"name of {owner.title} is too long: {message}", fact=facts.ray)


def _names_of_job_set(owner: KubernetesObject, suffix: int) -> Iterator[tuple[str, str]]:
    """The longest names that JobSet makes for each Job, as far as they are known: what they name, and the names."""
    coordinator = mapping(owner.spec.get("coordinator"))
    subdomain = known_text(mapping(owner.spec.get("network")).get("subdomain")) or owner.name
    for _, job in entries(owner, "spec", "replicatedJobs"):
        replicas, name = count(job.get("replicas"), 1), known_text(job.get("name"))
        completions = count(mapping(mapping(job.get("template")).get("spec")).get("completions"), 1)
        if not name or not replicas or not completions or replicas < 1 or completions < 1:
            continue
        last_job = f"{owner.name}-{name}-{replicas - 1}"
        yield f"a Pod of Job {quoted(name)}", f"{last_job}-{completions - 1}" + "x" * suffix
        if coordinator.get("replicatedJob") == name:
            first = f"{owner.name}-{name}-{coordinator.get('jobIndex', 0)}-{coordinator.get('podIndex', 0)}"
            yield "the label of the coordinator", f"{first}.{subdomain}"
