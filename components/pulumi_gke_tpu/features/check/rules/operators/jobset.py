"""The Jobs of a JobSet, each of which is one slice: TPU377, TPU760 to TPU762, TPU766 and TPU767."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog.records.kubernetes import JobSetFacts
from pulumi_gke_tpu.core.kinds.written.jobset import KIND as JOB_SET
from pulumi_gke_tpu.core.objects import KubernetesObject, PodTemplate, is_open
from pulumi_gke_tpu.core.objects.document import items, known_text, mapping, text
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Replace, SetKeys, Severity, did_you_mean, number
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.check.forms import SlicePods
from pulumi_gke_tpu.features.check.rules.operators.examples import changed, job_set
from pulumi_gke_tpu.features.check.rules.operators.parts import entries, spec_of

_REFERENCES = """
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
_NEVER = "Never"
_KUBERNETES = "Kubernetes: validation of Jobs"


def _slices(context: ManifestContext) -> Iterator[tuple[SlicePods, dict[str, Any]]]:
    """The pods of Jobs on slices of several hosts, with the specifications of the Jobs."""
    for found in context.slice_pods:
        if found.pod.traits.job and found.form.hosts > 1:
            yield found, spec_of(found.pod)


def _of_job_set(pod: PodTemplate) -> bool:
    return pod.traits.job == "member"


@rule(
    "TPU760",
    title="Job of a JobSet whose Pods do not match the hosts of its slice",
    why="each Job of a JobSet is one slice, and each host of the slice runs one Pod. With fewer Pods, the program "
    "waits for missing hosts. With more Pods, some stay Pending",
    fix="Set `parallelism` and `completions` to the hosts of the slice, and `replicas` to the number of slices.",
    references=["jobset-multislice", "xpk-workload"],
    otherwise={Severity.WARNING: "if all Jobs together have one Pod for each host of whole slices"},
    failing=changed(job_set(), ("parallelism: 4", "parallelism: 2"), ("completions: 4", "completions: 2")),
    passing=job_set(),
)
def jobset_host_count(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.jobset
    for found, spec in _slices(context):
        pod, hosts = found.pod, found.form.hosts
        if not _of_job_set(pod):
            continue
        severity = Severity.WARNING if _is_spread(pod, hosts) else None
        slice_ = f"a {found.family.generation_name} slice {found.topology} with {found.chips} chips per host"
        for key in ("parallelism", "completions"):
            written = spec.get(key)
            # Another rule reports an indexed Job without completions, where the mode is not the default.
            if written is None and (key == "parallelism" or spec.get("completionMode") is None):
                reason = f"{slice_} has {number(hosts, 'host')}"
                what = f"key `{key}` in {pod.title}"
                place, fix = pod.hit_path(pod.controlled_by), SetKeys.of({key: hosts})
                yield Hit.missing(place, what, reason, fact=fact, severity=severity, fix=fix)
            elif isinstance(written, int) and written != hosts:
                message = f"{pod.title} has `{key}: {written}`, but {slice_} has {number(hosts, 'host')}"
                place, fix = pod.hit_path((*pod.controlled_by, key)), SetKeys.of({key: hosts})
                yield Hit(place, message, fact=fact, severity=severity, fix=fix)


def _is_spread(pod: PodTemplate, hosts: int) -> bool:
    """Whether several Jobs fill a slice: GKE then numbers the hosts wrongly, and programs that do it themselves run."""
    pods, jobs = pod.pods or 0, pod.groups or 0
    return 0 < pods < hosts <= pods * jobs and pods * jobs % hosts == 0


@rule(
    "TPU761",
    title="Pod failure policy without `restartPolicy: Never`",
    why="Kubernetes accepts `podFailurePolicy` only in Jobs whose Pods have `restartPolicy: Never`. JobSet does not "
    "check this: it accepts the JobSet and then cannot create the Jobs",
    fix="Set `restartPolicy: Never` in the Pod template. JobSet sets `OnFailure` if the key is missing.",
    references=["jobset-maintenance-example", "jobset-api"],
    source=_KUBERNETES,
    failing=changed(job_set(), ("restartPolicy: Never", "restartPolicy: OnFailure")),
    passing=job_set(),
)
def pod_failure_policy_restart(context: ManifestContext) -> Iterable[Hit]:
    for pod in context.pods:
        if not pod.traits.job or not mapping(spec_of(pod).get("podFailurePolicy")) or pod.is_open:
            continue
        policy = pod.spec.get("restartPolicy")
        if policy is None:
            what = f"key `restartPolicy` in {pod.title}"
            yield Hit.missing(
                pod.at(), what, "`podFailurePolicy` requires the value Never", fix=SetKeys.of(restartPolicy="Never")
            )
        elif policy != _NEVER and not is_open(policy):
            message = f"`podFailurePolicy` of {pod.title} requires `restartPolicy: Never`"
            yield Hit(pod.at("restartPolicy"), message, allowed=(_NEVER,), fix=SetKeys.of(restartPolicy="Never"))


@rule(
    "TPU762",
    title="Job on a multi-host slice that is not indexed",
    why="the index of a Pod is the number of its host in the slice. Without an index, hosts have no number and no host "
    "name that the others can resolve",
    fix="Set `completionMode: Indexed`.",
    references=["jobset-api", "jobset-multislice", "xpk-workload"],
    failing=changed(job_set(), ("backoffLimit: 0", "backoffLimit: 0\n          completionMode: NonIndexed")),
    passing=job_set(),
)
def job_not_indexed(context: ManifestContext) -> Iterable[Hit]:
    """JobSet sets ``Indexed`` if the key is missing, and Kubernetes sets ``NonIndexed`` in a plain Job."""
    fact, indexed = context.catalog.kubernetes.jobset, context.catalog.kubernetes.pods.indexed.completion_mode
    fix = SetKeys.of(completionMode=indexed)
    for found, spec in _slices(context):
        pod, mode = found.pod, spec.get("completionMode")
        hosts = f"the slice {found.topology} has {number(found.form.hosts, 'host')}"
        if mode is None and not _of_job_set(pod):
            what = f"key `completionMode` in {pod.title}"
            yield Hit.missing(pod.hit_path(pod.controlled_by), what, hosts, fact=fact, fix=fix)
        elif mode is not None and mode != indexed and not is_open(mode):
            path = pod.hit_path((*pod.controlled_by, "completionMode"))
            message = f"{pod.title} is not indexed, but {hosts}"
            yield Hit(path, message, fact=fact, allowed=(indexed,), fix=fix)


@rule(
    "TPU766",
    title="Rule of a failure policy that JobSet rejects",
    why="JobSet accepts only known actions, known reasons of failures, the names of its own Jobs, and names of rules "
    "without hyphens",
    fix="Use a known action and a known reason, the name of a Job of the same JobSet, and letters, digits and `_` in "
    "the name of the rule.",
    references=["jobset-api", "jobset-webhook"],
    failing=changed(
        job_set(),
        ("{maxRestarts: 3}", "{maxRestarts: 3, rules: [{action: RestartJobSet, targetReplicatedJobs: [worker]}]}"),
    ),
    edit=("worker", "slice"),
)
def jobset_failure_policy(context: ManifestContext) -> Iterable[Hit]:
    fact = context.catalog.kubernetes.jobset
    for owner in context.of(JOB_SET):
        jobs = tuple(known_text(job.get("name")) for _, job in entries(owner, "spec", "replicatedJobs"))
        for path, entry in entries(owner, "spec", "failurePolicy", "rules"):
            checks = [((*path, "action"), "action", entry.get("action"), fact.actions)]
            for key, what, known in (
                ("onJobFailureReasons", "reason of a failure", fact.failure_reasons),
                ("targetReplicatedJobs", "Job", jobs),
            ):
                checks += (
                    ((*path, key, index), what, value, known) for index, value in enumerate(items(entry.get(key)))
                )
            for place, what, value, known in checks:
                if known_text(value) and value not in known and "" not in known:
                    near = did_you_mean(str(value), known) or ""
                    yield Hit.unknown(owner.at(*place), what, value, fact=fact, allowed=known, fix=Replace.value(near))
            yield from _name_of_rule(owner.at(*path, "name"), known_text(entry.get("name")), fact)


def _name_of_rule(path: Path, name: str, fact: JobSetFacts) -> Iterator[Hit]:
    reason = ""
    if len(name) > fact.longest_rule_name:
        reason = f"it has {len(name)} characters, and {fact.longest_rule_name} are allowed"
    elif name and not re.fullmatch(fact.rule_name, name):
        reason = "use letters, digits, `_`, `,` and `:`, with a letter first and a letter, a digit or `_` last"
    if reason:
        near = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
        fix = Replace.value(near) if near != name and re.fullmatch(fact.rule_name, near) else None
        yield Hit.invalid(path, "name of a failure policy rule", name, reason, fact=fact, fix=fix)


@warning(
    "TPU767",
    otherwise={
        Severity.NOTE: "if failed Pods restart the whole slice, and disruptions count as failures; and for dynamic "
        "slices, whose samples have a limit"
    },
    title="Failed Pods do not restart the slice as a whole",
    why="all hosts of a slice run one program, so one new Pod cannot join the others. With `backoffLimit: 0`, the Job "
    "fails, and JobSet restarts the slice; the examples of Google have this limit in Jobs without a JobSet too. "
    "Maintenance and preemption need a rule, or they end the Job like an error",
    fix="Set `backoffLimit: 0`, and a `podFailurePolicy` with a rule for the Pod condition DisruptionTarget. Then add "
    "a rule with the action RestartJobSetAndIgnoreMaxRestarts to the `failurePolicy`.",
    references=[
        "jobset-maintenance-example",
        "xpk-workload",
        "jobset-api",
        "tpu-recipes-ironwood",
        "gke-dynamic-slicing",
    ],
    failing=changed(job_set(), ("backoffLimit: 0", "backoffLimit: 6")),
    passing=job_set(),
)
def jobset_restarts(context: ManifestContext) -> Iterable[Hit]:
    """Pods that Kubernetes restarts in place, such as those of Pathways workers, are not meant."""
    fact = context.catalog.kubernetes.jobset
    for found, spec in _slices(context):
        pod, limit = found.pod, spec.get("backoffLimit", 6)
        if pod.spec.get("restartPolicy") != _NEVER or not isinstance(limit, int):
            continue
        if limit > 0:
            path = (*pod.controlled_by, *(("backoffLimit",) if "backoffLimit" in spec else ()))
            message = f"{pod.title} replaces up to {number(limit, 'failed Pod')} of a slice one by one"
            weaker = Severity.NOTE if context.shape(pod).dynamic else None
            yield Hit(pod.hit_path(path), message, fact=fact, severity=weaker, fix=SetKeys.of(backoffLimit=0))
        elif limit == 0 and _of_job_set(pod) and not _has_disruption_rule(spec, fact.disruption_condition):
            message = f"{pod.title} has no rule for disruptions: maintenance and preemption count as failures"
            yield Hit(pod.hit_path(pod.controlled_by), message, fact=fact, severity=Severity.NOTE)


def _has_disruption_rule(spec: dict[str, Any], condition: str) -> bool:
    """Whether the pod failure policy distinguishes disruptions, or a template may make it do so."""
    policy = spec.get("podFailurePolicy")
    if is_open(policy):
        return True
    conditions = (
        mapping(entry).get("type")
        for policy_rule in items(mapping(policy).get("rules"))
        for entry in items(mapping(policy_rule).get("onPodConditions"))
    )
    return any(found == condition or is_open(found) for found in conditions)


@rule(
    "TPU377",
    title="Job that the JobSet does not have",
    why="the coordinator, the order of Jobs and the success policy refer to Jobs of the same JobSet by their names; "
    "JobSet rejects others",
    fix="Use the name of an entry of `replicatedJobs`.",
    references=["jobset-api", "jobset-webhook"],
    source="JobSet: validation by its webhook",
    failing=_REFERENCES.replace("JOB", "leader"),
    passing=_REFERENCES.replace("JOB", "head"),
)
def unknown_replicated_job(context: ManifestContext) -> Iterable[Hit]:
    for owner in context.of(JOB_SET):
        jobs = [text(mapping(entry).get("name")) for entry in items(owner.spec.get("replicatedJobs"))]
        if any(map(is_open, jobs)) or is_open(owner.spec.get("replicatedJobs")):
            continue
        for path, value in _job_references(owner):
            if isinstance(value, str) and not is_open(value) and value not in jobs:
                near = did_you_mean(value, jobs) or ""
                yield Hit.unknown(
                    owner.at(*path), "Job", value, allowed=tuple(filter(None, jobs)), fix=Replace.value(near)
                )


def _job_references(owner: KubernetesObject) -> Iterator[tuple[Path, object]]:
    """The names of Jobs outside of failure policies, which another rule checks, with their paths."""
    place: Path = ("spec", "coordinator", "replicatedJob")
    yield place, owner.value(*place)
    place = ("spec", "successPolicy", "targetReplicatedJobs")
    yield from (((*place, index), value) for index, value in enumerate(items(owner.value(*place))))
    for index, job in enumerate(items(owner.spec.get("replicatedJobs"))):
        for position, other in enumerate(items(mapping(job).get("dependsOn"))):
            yield ("spec", "replicatedJobs", index, "dependsOn", position, "name"), mapping(other).get("name")
