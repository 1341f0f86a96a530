"""Fields that the API server accepts only with, or only without, others: TPU339, TPU353 and TPU866."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.objects import is_open
from pulumi_gke_tpu.core.objects.document import items, mapping
from pulumi_gke_tpu.core.objects.fields import ObjectPart
from pulumi_gke_tpu.core.objects.open_values import has_open_key
from pulumi_gke_tpu.core.rules.engine.examples import tpu_job, tpu_pod
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, listed
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.check.context import DescribedObject, ManifestContext

_VALIDATION = "Kubernetes: validation of Pods and of the objects that create them"
_WITHOUT_VALUES = ("Exists", "DoesNotExist")
_WITH_ONE_NUMBER = ("Gt", "Lt")
_PERCENT = lazy_pattern(r"-?[0-9]+%\Z", re.ASCII)
"""Another rule reports negative percentages."""
_INIT_ONLY_AS_SIDECAR = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


def _is_set(value: object) -> bool:
    """Whether the API server sees a value: it drops empty texts and lists, and keeps empty mappings."""
    return value is not None and value not in ("", [])


@rule(
    "TPU339",
    title="More or fewer than one of fields that exclude each other",
    why="a volume, a probe, a variable and a handler have one source or one way to run. The API server rejects "
    "several, and none where one is required. Controllers such as JobSet can accept the Pod template, and then create "
    "no Pods",
    fix="Keep one of the fields.",
    references=["kubernetes-api-server", "jobset-api"],
    failing=tpu_pod(container="env: [{name: RUN, value: one, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
    passing=tpu_pod(container="env: [{name: RUN, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]"),
)
def one_field_of_several(context: ManifestContext) -> Iterable[Hit]:
    for item, part in _whole_parts(context):
        for fields, is_required in ((part.one_of, True), (part.at_most_one, False)):
            present = [key for key in fields if _is_set(part.data.get(key))]
            path = item.owner.at(*part.path)
            if len(present) > 1:
                names = listed([f"`{key}`" for key in present], "and")
                yield Hit((*path, present[1]), f"{names} exclude each other", fact=item.fact, allowed=("one of them",))
            elif fields and not present and is_required and not has_open_key(part.data):
                yield Hit.missing(path, listed([f"`{key}`" for key in fields], "or"), fact=item.fact)


def _whole_parts(context: ManifestContext) -> Iterator[tuple[DescribedObject, ObjectPart]]:
    """The mappings of whole objects: a patch, which adds fields to mappings of another object, has no image."""
    for item in context.described:
        pods = context.pods_by_owner.get(item.owner.index, ())
        if any(pod.has_image for pod in pods):
            for part in item.parts:
                yield item, part


@rule(
    "TPU353",
    title="Operator of a selector with values that it does not have",
    why="In and NotIn need values, Gt and Lt one number, Exists and DoesNotExist have none. The API server rejects "
    "other selectors",
    fix="Add the values, remove them, or use another operator.",
    source="Kubernetes: validation of node selectors and label selectors",
    failing=tpu_pod(
        spec="""
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions: [{key: cloud.google.com/gke-spot, operator: Exists, values: ["true"]}]
"""
    ),
    edit=("Exists", "In"),
)
def values_of_requirement(context: ManifestContext) -> Iterable[Hit]:
    for item, part in _whole_parts(context):
        if part.place.rpartition(".")[2] != "matchExpressions[]" or has_open_key(part.data):
            continue
        operator, values = part.data.get("operator"), part.data.get("values") or []
        path = item.owner.at(*part.path, *(("values",) if "values" in part.data else ()))
        if not isinstance(values, list) or any(map(is_open, values)):
            continue
        if operator in ("In", "NotIn") and not values:
            yield Hit.missing(path, f"`values` of the operator {operator}", fix=None)
        elif operator in _WITHOUT_VALUES and values:
            yield Hit(path, f"the operator {operator} has no `values`")
        elif operator in _WITH_ONE_NUMBER and len(values) != 1:
            yield Hit(path, f"the operator {operator} has one value, and {len(values)} are given")


_Problem = tuple[Path, str, Fix | None]
"""The path below the mapping, the message, and a fix."""


@rule(
    "TPU866",
    title="Field that contradicts another field of its object",
    why="the API server rejects the object. Controllers such as JobSet can accept a Pod template that is wrong, and "
    "then create no Pods from it",
    fix="Remove the field that the message names, or the field that contradicts it.",
    source=_VALIDATION,
    references=["kuberay-validation", "lws-webhook"],
    failing=tpu_job(
        job="selector: {matchLabels: {app: train}}\ncompletionMode: Indexed\ncompletions: 4\nparallelism: 4"
    ),
    passing=tpu_job(),
)
def fields_that_contradict(context: ManifestContext) -> Iterable[Hit]:
    for item, part in _whole_parts(context):
        for (place, field), check in _CHECKS.items():
            if part.place == place and field in part.fields:
                for path, message, fix in check(part):
                    yield Hit(item.owner.at(*part.path, *path), message, fix=fix)


def _in_pod(part: ObjectPart) -> Iterator[_Problem]:
    pod = part.data
    servers = mapping(pod.get("dnsConfig")).get("nameservers")
    if pod.get("dnsPolicy") == "None" and not servers and not has_open_key(pod):
        yield ("dnsPolicy",), "the DNS policy None needs `nameservers` in `dnsConfig`", None
    for index, container in enumerate(map(mapping, items(pod.get("containers")))):
        if pod.get("hostNetwork") is True:
            yield from _host_ports(index, container)
        success = {"livenessProbe": mapping(container.get("livenessProbe")).get("successThreshold")}
        success["startupProbe"] = mapping(container.get("startupProbe")).get("successThreshold")
        for probe, threshold in success.items():
            if isinstance(threshold, int) and threshold not in (0, 1):
                message = f"a {probe} has the `successThreshold` 1; only readiness probes have others"
                yield ("containers", index, probe, "successThreshold"), message, SetKeys.of(successThreshold=1)
        if "terminationGracePeriodSeconds" in mapping(container.get("readinessProbe")):
            place = ("containers", index, "readinessProbe", "terminationGracePeriodSeconds")
            yield place, "a readiness probe has no `terminationGracePeriodSeconds`: it does not end the container", None
    for index, container in enumerate(map(mapping, items(pod.get("initContainers")))):
        for key in _INIT_ONLY_AS_SIDECAR if container.get("restartPolicy") is None else ():
            if container.get(key) and not has_open_key(container):
                message = f"an init container has `{key}` only with the restart policy Always"
                yield ("initContainers", index, key), message, None


def _host_ports(index: int, container: Mapping[str, Any]) -> Iterator[_Problem]:
    for number, port in enumerate(map(mapping, items(container.get("ports")))):
        inside, outside = port.get("containerPort"), port.get("hostPort")
        if isinstance(inside, int) and isinstance(outside, int) and outside not in (0, inside):
            message = f"with `hostNetwork`, `hostPort` is the `containerPort` {inside}, and {outside} is given"
            yield ("containers", index, "ports", number, "hostPort"), message, SetKeys.of(hostPort=inside)


def _in_security_context(part: ObjectPart) -> Iterator[_Problem]:
    if part.data.get("privileged") is True and part.data.get("allowPrivilegeEscalation") is False:
        message = "a privileged container always allows privilege escalation"
        yield ("allowPrivilegeEscalation",), message, None


_UIDS = frozenset({"batch.kubernetes.io/controller-uid", "controller-uid"})
"""Labels in the selector that the API server adds to a Job, which ``kubectl get -o yaml`` writes."""


def _in_job(part: ObjectPart) -> Iterator[_Problem]:
    job = part.data
    own = job.get("selector") and not mapping(mapping(job["selector"]).get("matchLabels")).keys() & _UIDS
    if own and job.get("manualSelector") is not True and not has_open_key(job):
        yield ("selector",), "a Job chooses its `selector` itself", None
    indexed = job.get("completionMode") == "Indexed" or is_open(job.get("completionMode")) or has_open_key(job)
    for key in ("backoffLimitPerIndex", "maxFailedIndexes"):
        if job.get(key) is not None and not indexed:
            yield (key,), f"`{key}` needs `completionMode: Indexed`", None
            return
    pods, open_ended = job.get("parallelism"), job.get("completions") is None and not has_open_key(job)
    if job.get("completionMode") == "Indexed" and open_ended and isinstance(pods, int):
        yield ("completionMode",), "`completionMode: Indexed` needs `completions`", SetKeys.of(completions=pods)
    if job.get("maxFailedIndexes") is not None and job.get("backoffLimitPerIndex") is None and not has_open_key(job):
        yield ("maxFailedIndexes",), "`maxFailedIndexes` needs `backoffLimitPerIndex`", None


def _in_ray_job(part: ObjectPart) -> Iterator[_Problem]:
    run, seconds = part.data, part.data.get("ttlSecondsAfterFinished")
    kept = run.get("shutdownAfterJobFinishes") in (None, False) and not has_open_key(run)
    if kept and isinstance(seconds, int) and seconds > 0:
        message = "`ttlSecondsAfterFinished` needs `shutdownAfterJobFinishes: true`"
        yield ("ttlSecondsAfterFinished",), message, SetKeys.of(shutdownAfterJobFinishes=True)


def _in_exit_codes(part: ObjectPart) -> Iterator[_Problem]:
    values = part.data.get("values")
    if part.data.get("operator") == "In" and isinstance(values, list) and 0 in values:
        yield ("values",), "exit code 0 is success: a rule about failures does not have it", None


def _in_strategy(part: ObjectPart) -> Iterator[_Problem]:
    if part.data.get("type") == "Recreate" and part.data.get("rollingUpdate") is not None:
        yield ("rollingUpdate",), "the strategy Recreate has no `rollingUpdate`", None


def _in_rolling_update(part: ObjectPart) -> Iterator[_Problem]:
    limits = {key: part.data.get(key) for key in ("maxSurge", "maxUnavailable")}
    if all(value in (0, "0%") and not isinstance(value, bool) for value in limits.values()):
        yield ("maxUnavailable",), "`maxSurge` and `maxUnavailable` are both 0, so no Pod can be replaced", None
    for key, value in limits.items():
        if isinstance(value, str) and not is_open(value) and not _PERCENT.match(value):
            fix = SetKeys.of({key: int(value)}) if value.isascii() and value.isdecimal() else None
            yield (key,), f"`{key}` is a number without quotes or a percentage such as 25%", fix


_CHECKS: Mapping[tuple[str, str], Callable[[ObjectPart], Iterator[_Problem]]] = {
    ("spec", "dnsPolicy"): _in_pod,
    ("spec", "manualSelector"): _in_job,
    ("spec", "shutdownAfterJobFinishes"): _in_ray_job,
    ("spec.podFailurePolicy.rules[].onExitCodes", "values"): _in_exit_codes,
    ("spec.securityContext", "privileged"): _in_security_context,
    ("spec.strategy", "rollingUpdate"): _in_strategy,
    ("spec.strategy.rollingUpdate", "maxSurge"): _in_rolling_update,
    ("spec.rolloutStrategy.rollingUpdateConfiguration", "maxSurge"): _in_rolling_update,
}
"""What is checked in a mapping, by its place and by a field that the mappings at this place of other kinds lack."""
