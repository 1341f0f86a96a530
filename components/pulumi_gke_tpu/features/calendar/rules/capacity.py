"""TPU626 and TPU628: capacity that does not last as long as a planned run."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet.settings import node_lifetime, surely_ends
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, rule
from pulumi_gke_tpu.core.text.findings import Severity, quoted
from pulumi_gke_tpu.features.calendar.rules.coverage import CLUSTER, RESERVED, coming

_RUN = "  llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}"
_SHORT = "  llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 7d}"


@rule(
    "TPU626",
    "run-longer-than-nodes",
    about=("clusters.*.runs.*.duration", "clusters.*.slices.*.capacity.flex_start.max_run_duration"),
    title="Run is longer than the lifetime of its nodes",
    why="flex-start nodes end after their maximum run duration, and the run continues only if it can resume on new "
    "nodes, which may not be available",
    fix="Shorten the run, raise `max_run_duration` if it is below 7d, or use another capacity mode. Accept the warning "
    "if the run resumes from checkpoints.",
    references=["gke-flex-start"],
    severity=Severity.WARNING,
    today="2026-11-20",
    failing=f"{CLUSTER.format(slices='max: 2, capacity: flex_start')}{_RUN}",
    passing=f"{CLUSTER.format(slices='max: 2, capacity: flex_start')}{_SHORT}",
)
def run_longer_than_nodes(context: PlanContext) -> Iterable[Hit]:
    for item, span in coming(context):
        lifetime = node_lifetime(item.group, context.catalog).value
        if lifetime is not None and span.length > lifetime:
            nodes = "the nodes" if surely_ends(item.group) else "flex-start nodes"
            yield Hit(
                (*item.path, "duration"),
                f"run {quoted(item.name)} lasts {format_duration(span.length)}, but {nodes} of slice group "
                f"{quoted(item.run.slices)} end after {format_duration(lifetime)}",
                fact=context.catalog.capacity.flex_start,
                given=f"duration: {format_duration(item.run.duration)}",
                allowed=(f"at most {format_duration(lifetime)}",),
            )


@rule(
    "TPU628",
    "run-on-spot",
    about=("clusters.*.runs.*.slices", "clusters.*.slices.*.capacity"),
    title="Run on Spot VMs",
    why="Compute Engine can preempt Spot VMs at any time, and no maintenance exclusion prevents it",
    fix="Use another capacity mode. Accept the warning if the run resumes from checkpoints.",
    references=["google-skills-disruption"],
    severity=Severity.WARNING,
    today="2026-11-20",
    failing=f"{CLUSTER.format(slices='count: 2, capacity: spot')}{_RUN}",
    passing=f"{RESERVED}{_RUN}",
)
def run_on_spot(context: PlanContext) -> Iterable[Hit]:
    for item, _ in coming(context):
        if "spot" in item.group.capacity_modes:
            first = item.group.capacity_modes[0] == "spot"
            word = "uses" if first else "may use"
            yield Hit(
                (*item.path, "slices"),
                f"run {quoted(item.name)} {word} Spot VMs, which Compute Engine can preempt at any time",
                fact=note_by_id(context.catalog.maintenance.notes, "grace-limits"),
            )
