"""Checks of how long the Pods of a plan's workloads run and stop: TPU398 and TPU708 to TPU710."""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet.workloads import Workload
from pulumi_gke_tpu.core.kinds import written_kind
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, of_groups, of_workloads, rule, warning
from pulumi_gke_tpu.core.text.findings import Severity, duration_text, quoted
from pulumi_gke_tpu.features.workloads.rules.walk import workloads

_SLICES = "slices:\n  pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
_STANDARD = f"mode: standard\nlocation: us-east5\n{_SLICES}"
_AUTOPILOT = "mode: autopilot\nlocation: us-east5\nslices:\n  notebook: {tpu: v6e, topology: 2x2}\n"
_FLEX_START = (
    "mode: autopilot\nlocation: us-east5\n"
    "slices:\n  train: {tpu: v6e, topology: 2x2, capacity: {flex_start: DURATION}}\n"
    "kubernetes: {workloads: {run: {slices: train, image: train}}}"
)
_NOTEBOOK = "kubernetes: {workloads: {lab: {slices: notebook, image: lab, extended_run: true}}}"


def _run(period: str) -> str:
    return f"{_STANDARD}kubernetes: {{workloads: {{run: {{slices: pretrain, image: train, grace_period: {period}}}}}}}"


def _periods(context: PlanContext) -> Iterator[tuple[Workload, float]]:
    for workload in workloads(context):
        if workload.plan.grace_period is not None:
            yield workload, workload.plan.grace_period.total_seconds()


@warning(
    "TPU708",
    about=of_workloads("grace_period"),
    title="Grace period exceeds the limit of GKE",
    why="GKE waits for at most one hour before it stops the Pods of a host for maintenance or an upgrade",
    fix="Set a grace period of at most 1h, and write a checkpoint in this time.",
    references=["google-skills-disruption", "gke-node-upgrade-strategies"],
    failing=_run("2h"),
    passing=_run("30s"),
)
def grace_period_exceeds_limit(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.grace
    for workload, seconds in _periods(context):
        if seconds > facts.max_seconds:
            period = workload.plan.grace_period
            assert period is not None
            yield Hit.exceeds(
                (*workload.path, "grace_period"),
                f"grace period {format_duration(period)}",
                duration_text(timedelta(seconds=facts.max_seconds)),
                fact=facts.for_item("max_seconds"),
                given=f"grace_period: {format_duration(period)}",
                allowed=(f"at most {duration_text(timedelta(seconds=facts.max_seconds))}",),
            )


@rule(
    "TPU709",
    about=of_workloads("grace_period"),
    severity=Severity.NOTE,
    title="What a grace period does not cover",
    why="a grace period applies to announced maintenance and upgrades. GKE stops Pods on Spot VMs after about 30 "
    "seconds, and a repair or a host error leaves no time",
    fix="Write checkpoints regularly, not only after SIGTERM. Accept this note in the plan.",
    references=["google-skills-disruption", "google-skills-autoscaler", "gke-node-upgrade-strategies"],
    failing=_run("10m"),
    passing=_run("30s"),
)
def grace_period_not_covered(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.kubernetes.pods.grace
    for workload, seconds in _periods(context):
        if not facts.default_seconds < seconds <= facts.max_seconds:
            continue
        spot = (
            f", and Spot VMs stop after about {facts.spot_seconds} seconds"
            if any("spot" in group.capacity_modes for group in workload.groups)
            else ""
        )
        yield Hit(
            (*workload.path, "grace_period"),
            f"repairs and host errors stop the Pods without a grace period{spot}",
            fact=facts.for_item("spot_seconds" if spot else "repair_seconds"),
        )


@warning(
    "TPU710",
    about=(*of_workloads("extended_run"), *of_groups("fallback")),
    title="Extended run time is not supported here",
    why="extended run time exists on Autopilot only, and GKE does not combine it with Spot, ComputeClasses or affinity "
    "between Pods. Exclusive topology of JobSet and LeaderWorkerSet is such an affinity. gke-tpu omits the annotation",
    fix="Remove `extended_run`. Or run single slices on Autopilot, without Spot and `fallback`.",
    references=["gke-exclusions-guide", "gke-node-upgrade-strategies", "plan-tpus"],
    failing=f"{_STANDARD}kubernetes: {{workloads: {{run: {{slices: pretrain, image: train, extended_run: true}}}}}}",
    passing=f"{_AUTOPILOT}{_NOTEBOOK}",
)
def unsupported_extended_run(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "extended-run-time")
    for workload in workloads(context):
        if not workload.plan.extended_run:
            continue
        for reason in _obstacles(workload):
            yield Hit.unsupported((*workload.path, "extended_run"), "`extended_run`", reason, fact=fact)
            break


def _obstacles(workload: Workload) -> Iterator[str]:
    if workload.cluster.mode == "standard":
        yield "Standard clusters, where the annotation only stops the autoscaler"
    for group in workload.groups:
        if group.compute_class is not None:
            yield f"a ComputeClass, which serves {quoted(group.key)} because of `fallback`"
        if group.plan.capacity.spot:
            yield f"Spot VMs, which are the capacity of {quoted(group.key)}"
    kind = written_kind(workload)
    if workload.group.shape.multi_host and kind.affinity_by_webhook:
        yield f"multi-host {kind.title} workers, which have affinity to each other"


@rule(
    "TPU398",
    about=(*of_clusters("kubernetes"), *of_groups("capacity.flex_start.max_run_duration", "fallback")),
    severity=Severity.NOTE,
    title="Run duration without effect on Autopilot",
    why="on Autopilot, Pods select flex-start capacity without a run duration, so GKE uses its longest one. A "
    "ComputeClass can set the duration",
    fix="Add `fallback` to the slice group. A ComputeClass then serves it. Or remove the duration.",
    references=["gke-flex-start", "compute-class-api"],
    failing=_FLEX_START.replace("DURATION", "{max_run_duration: 3d}"),
    passing=_FLEX_START.replace("DURATION", "{max_run_duration: 7d}"),
)
def run_duration_not_requested(context: PlanContext) -> Iterable[Hit]:
    """Queued capacity has its duration in the ProvisioningRequest."""
    facts = context.catalog.capacity.flex_start
    for group in {group.key: group for item in workloads(context) for group in item.groups}.values():
        flex_start = group.plan.capacity.flex_start
        if group.pools or group.compute_class is not None or flex_start is None or flex_start.queued:
            continue
        duration = flex_start.max_run_duration
        if duration is not None and duration.total_seconds() != facts.max_run_seconds:
            limit = duration_text(timedelta(seconds=facts.max_run_seconds))
            place = (*group.path, "capacity", "flex_start", "max_run_duration")
            yield Hit(
                place, f"on Autopilot, the nodes run for up to {limit}, not {duration_text(duration)}", fact=facts
            )
