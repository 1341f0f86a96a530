"""Fields, API versions and names of custom resources: TPU747, TPU748, TPU768 and TPU798."""

import itertools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.kubernetes import Controller
from pulumi_gke_tpu.core.kinds import kind_of
from pulumi_gke_tpu.core.objects import KubernetesObject, is_open
from pulumi_gke_tpu.core.objects.document import known_text, mapping
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Rename, SetKeys, Severity, did_you_mean, number, quoted
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set, queues

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
    title="API version that is deprecated or does not exist",
    why="a later release of the controller removes a deprecated version. The API server rejects a version that does "
    "not exist",
    fix="Use the current version, and rename the fields that changed.",
    references=[
        "kueue-clusterqueue-api",
        "kuberay-validation",
        "jobset-api",
        "compute-class-api",
        "kubernetes-deprecation-guide",
    ],
    otherwise={Severity.WARNING: "if the version is deprecated"},
    failing=_LOCAL_QUEUE.format(version="v1"),
    passing=_LOCAL_QUEUE.format(version="v1beta2"),
)
def deprecated_api_version(context: ManifestContext) -> Iterable[Hit]:
    deprecated: dict[tuple[str, str], tuple[Controller, list[KubernetesObject]]] = {}
    for owner in context.objects:
        controller = _controller(context, owner)
        if controller is None:
            yield from _removed(context, owner)
        if controller is None or is_open(owner.api_version) or owner.version == controller.version:
            continue
        if owner.version in controller.deprecated:
            deprecated.setdefault((owner.file.name, owner.api_version), (controller, []))[1].append(owner)
        else:
            what = f"version of {owner.kind}"
            allowed = (controller.version, *controller.deprecated)
            fix = _current_version(controller)
            yield Hit.unknown(owner.at("apiVersion"), what, owner.version, fact=controller, allowed=allowed, fix=fix)
    for controller, (first, *others) in deprecated.values():
        message = f"{controller.title} has deprecated version {first.version} of {first.kind}"
        if others:
            message += f"; this file has {number(len(others), 'more object')} of this version"
        fix = _current_version(controller)
        yield Hit(first.at("apiVersion"), message, fact=controller, severity=Severity.WARNING, fix=fix)


def _removed(context: ManifestContext, owner: KubernetesObject) -> Iterator[Hit]:
    """The API version of a kind of Kubernetes itself that the API server does not serve."""
    fact = context.catalog.kubernetes.built_in
    removed = fact.removed.get(owner.api_version)
    if removed is not None and owner.kind in removed.kinds:
        current, reason = removed.current, f"Kubernetes {removed.release} removed it"
    else:
        kinds = ((version, names) for version, names in fact.kinds.items() if version.rpartition("/")[0] == owner.group)
        current = next((version for version, names in kinds if owner.kind in names), "")
        reason = ""
    if current and owner.api_version != current and not is_open(owner.api_version):
        what, place = f"API version of {owner.kind}", owner.at("apiVersion")
        fix = SetKeys.of(apiVersion=current)
        yield Hit.unknown(place, what, owner.api_version, reason, fact=fact, allowed=(current,), fix=fix)


def _current_version(controller: Controller) -> Fix | None:
    return SetKeys.of(apiVersion=f"{controller.group}/{controller.version}")


@rule(
    "TPU748",
    title="Field or value of an earlier version of Kueue",
    why="the current version of Kueue's API has another name for it. The API server rejects the former name, or "
    "ignores the field without a message",
    fix="Use the current name.",
    references=["kueue-clusterqueue-api"],
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
                fix = Rename.to(current) if not isinstance(value, list) else None
                message = f"{controller.version} of Kueue has no field {quoted(former)}; use {quoted(current)}"
                yield Hit(owner.at("spec", former), message, fact=names, fix=fix)
        for key, value in mapping(owner.spec.get("flavorFungibility")).items():
            if isinstance(value, str) and value in names.values:
                message = (
                    f"{controller.version} of Kueue has no value {quoted(value)}; use {quoted(names.values[value])}"
                )
                path = owner.at("spec", "flavorFungibility", key)
                yield Hit(path, message, fact=names, fix=SetKeys.of({key: names.values[value]}))


@rule(
    "TPU768",
    title="Unknown field of an object",
    why="`kubectl` rejects unknown fields, and other clients drop them without a message, so the setting has no effect",
    fix="Correct the name of the field, or move the field to its place in the object.",
    references=[
        "jobset-api",
        "lws-api",
        "kuberay-validation",
        "compute-class-api",
        "kueue-clusterqueue-api",
        "kubernetes-api-server",
    ],
    otherwise={Severity.WARNING: "if no field has a similar name: a newer release may have it"},
    failing=changed(job_set(), ("maxRestarts", "maxRestart")),
    passing=job_set(),
)
def unknown_custom_field(context: ManifestContext) -> Iterable[Hit]:
    former = context.catalog.kubernetes.kueue.former_names.fields
    queue_group = context.catalog.kubernetes.controllers["kueue"].group
    for item in (*context.described, *context.outlined):
        owner = item.owner
        for part in item.parts:
            for key in part.data:
                if key in part.fields or is_open(key) or (owner.group == queue_group and key in former):
                    continue
                fields = tuple(part.fields)
                near = did_you_mean(str(key), fields) or ""
                yield Hit(
                    owner.at(*part.path, key),
                    f"unknown field {quoted(key)} of {owner.title}",
                    fact=item.fact,
                    severity=None if near else Severity.WARNING,
                    allowed=fields,
                    fix=Rename.to(near),
                )


@rule(
    "TPU798",
    title="Name that is too long for the objects made from it",
    why="the controller makes names of Jobs, Pods and Services from the name, and Kubernetes limits these to 63 "
    "characters. The controller or the API server rejects a longer name",
    fix="Shorten the name of the object, or that of its Job.",
    references=["jobset-webhook", "kuberay-constants", "pathways-job-controller", "kubernetes-api-server"],
    failing=changed(
        job_set(), ("name: train\n  ann", "name: a-long-name-for-a-training-job-of-the-whole-department-x\n  ann")
    ),
    passing=job_set(),
)
def custom_resource_name_too_long(context: ManifestContext) -> Iterable[Hit]:
    for owner in context.objects:
        kind = kind_of(owner)
        found = kind.long_names(owner, context.catalog) if kind is not None and known_text(owner.name) else iter(())
        for message, fact in itertools.islice(found, 1):
            yield Hit(owner.at("metadata", "name"), f"name of {owner.title} is too long: {message}", fact=fact)
