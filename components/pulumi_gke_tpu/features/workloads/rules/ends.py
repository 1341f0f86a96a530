"""Checks of how the Jobs of a plan's workloads end: TPU564 to TPU566."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Fact
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds.pods import extended_run
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import duration_text, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_LOGIC = "gke-tpu: ends of Jobs"
_CLUSTER = "mode: standard\nlocation: us-east5\nslices: {train: {tpu: v6e, topology: 4x4, zone: us-east5-b}}\n"
_FLEX_START = (
    "mode: standard\nlocation: us-east5\n"
    "slices: {train: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: {max: 1}, "
    "capacity: {flex_start: {max_run_duration: 1d}}}}\n"
)


def _run(keys: str, cluster: str = _CLUSTER) -> str:
    return f"{cluster}kubernetes: {{workloads: {{run: {{slices: train, image: train, kind: jobset, {keys}}}}}}}"


@rule(
    "TPU564",
    about=of_workloads("exit_codes", "max_restarts"),
    title="Exit codes decide nothing",
    why="exit codes decide whether a workload starts again. Without restarts, every error ends it. One of the two "
    "lists names the codes, and the other codes do the opposite",
    fix="Set `max_restarts`, and either `restart` or `fail`.",
    source=_LOGIC,
    failing=_run("exit_codes: {restart: [42]}"),
    edit=("exit_codes:", "max_restarts: 3, exit_codes:"),
)
def exit_codes_without_effect(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        codes, path = workload.plan.exit_codes, (*workload.path, "exit_codes")
        if codes is None:
            continue
        if bool(codes.restart) == bool(codes.fail):
            if codes.restart:
                yield Hit.conflict(path, "`restart`", "`fail`", "codes in neither list would have no meaning")
            else:
                yield Hit.missing(path, "exit codes", "set `restart` or `fail`")
        elif workload.plan.max_restarts == 0:
            yield Hit(path, "exit codes have no effect without restarts: every error ends the workload")
        for key in ("restart", "fail"):
            listed = getattr(codes, key)
            for index, code in enumerate(listed):
                if code in listed[:index]:
                    yield Hit.duplicate((*path, key, index), "exit code", code)


@warning(
    "TPU565",
    about=(*of_workloads("deadline"), *of_groups("capacity.flex_start")),
    title="Deadline is later than the end of the capacity",
    why="GKE stops nodes of flex-start capacity after their run duration, and protects Pods with extended run time for "
    "seven days. A run that reaches its deadline is interrupted before",
    fix="Use a shorter deadline, and write checkpoints. Or use a longer `max_run_duration`.",
    references=["gke-flex-start", "gke-node-upgrade-strategies"],
    failing=_run("deadline: 2d", _FLEX_START),
    edit=("deadline: 2d", "deadline: 12h"),
)
def deadline_after_capacity(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        deadline = workload.plan.deadline
        if deadline is None:
            continue
        for limit, what, fact in _ends(workload, context.catalog):
            if deadline > limit:
                yield Hit.exceeds(
                    (*workload.path, "deadline"),
                    f"deadline {format_duration(deadline)}",
                    f"{what}, {duration_text(limit)}",
                    fact=fact,
                    allowed=(f"at most {duration_text(limit)}",),
                )


def _ends(workload: Workload, catalog: Catalog) -> Iterator[tuple[timedelta, str, Fact]]:
    """How long the capacity of a workload stays, with what ends it."""
    for group in workload.groups:
        flex_start = group.plan.capacity.flex_start
        if flex_start is not None:
            facts = catalog.capacity.flex_start
            limit = flex_start.max_run_duration or timedelta(seconds=facts.default_run_seconds)
            yield limit, f"the run duration of {quoted(group.key)}", facts
    if extended_run(workload, catalog):
        protected = catalog.kubernetes.workloads.extended_run
        yield timedelta(days=protected.days), "the time for which `extended_run` protects Pods", protected


@rule(
    "TPU566",
    about=of_workloads("deadline"),
    title="Deadline is shorter than one second",
    why="Kubernetes counts whole seconds, so the workload would end at once",
    fix="Set a deadline such as 12h, or remove the key.",
    references=["kubernetes-api-server"],
    source="Kubernetes: deadlines of Jobs",
    failing=_run("deadline: 0s"),
    edit=("deadline: 0s", "deadline: 12h"),
)
def deadline_too_short(context: PlanContext) -> Iterable[Hit]:
    for workload in workloads(context):
        deadline = workload.plan.deadline
        if deadline is not None and deadline < timedelta(seconds=1):
            yield Hit.invalid((*workload.path, "deadline"), "deadline", format_duration(deadline), "it is at least 1s")
