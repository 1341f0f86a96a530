"""Checks of names of workloads by their kind: TPU355."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Rename, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_STARTS_WITH_DIGIT = re.compile(r"[0-9]", re.ASCII)
_PLAN = (
    "mode: standard\nlocation: us-east5\naddons: [ray_operator]\n"
    "slices: {serve: {tpu: v6e, topology: 2x2, zone: us-east5-b}}\n"
    "cpu_pools: {heads: {machine_type: n2-standard-16, nodes: 1, zones: [us-east5-b]}}\n"
)


def _named(name: str) -> str:
    return f"{_PLAN}kubernetes: {{workloads: {{{name}: {{slices: serve, image: ray, kind: rayjob, command: [a]}}}}}}"


@rule(
    "TPU355",
    "name-not-for-kind",
    about=("clusters.*.kubernetes.workloads.*.kind",),
    title="Name is not possible for this kind of workload",
    why="controllers use the name in names of Services, which begin with a letter. They also append to it in labels, "
    "which have at most 63 characters",
    fix="Use a shorter name that begins with a letter.",
    references=["kuberay-validation", "kubernetes-api-server"],
    basis="format",
    source="Kubernetes: names of Services (RFC 1035), label values",
    failing=_named("train-a-long-name-for-a-ray-job-that-evaluates-checkpoints"),
    passing=_named("train-a-ray-job-that-evaluates-checkpoints"),
)
def name_not_for_kind(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        longest, fact = written_kind(workload).longest_name(workload, context.catalog)
        if _STARTS_WITH_DIGIT.match(workload.name):
            yield Hit.invalid(
                workload.path,
                "workload name",
                workload.name,
                "it begins with a digit",
                fix=Rename.to(f"run-{workload.name}"),
            )
        elif len(workload.name) > longest:
            yield Hit(
                workload.path,
                f"the name {quoted(workload.name)} of kind {workload.plan.kind} has {len(workload.name)} characters, "
                f"and {longest} are allowed",
                fact=fact,
                fix=Rename.to(workload.name[:longest].rstrip("-")),
            )
