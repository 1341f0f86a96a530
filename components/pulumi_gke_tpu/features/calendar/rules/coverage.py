"""TPU624 to TPU636: upgrades that interrupt planned runs, and capacity that ends before them."""

from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import is_short_lived, node_lifetime, run_slices, surely_ends
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.runs import Run
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.schedule.coverage import coverage_of, run_span
from pulumi_gke_tpu.core.schedule.events import Addition, addition_to
from pulumi_gke_tpu.core.schedule.spans import Span
from pulumi_gke_tpu.core.schedule.support import support_of
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, number, quoted

CLUSTER = in_cluster("""
slices:
  pretrain: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {slices}}}
maintenance:
  window: {{start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}}
  exclusions:
    llama: {{start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}}
runs:
""")
"""The cluster of an example, up to the entries of its runs."""
RESERVED = CLUSTER.format(slices="count: 2, capacity: {reservation: v6e-pretrain}")


@frozen
class PlannedRun:
    """A run on a slice group that exists. ``span`` is its time, None if it is invalid."""

    name: str
    run: Run
    path: Path
    cluster: Cluster
    group: SliceGroup
    span: Span | None

    @property
    def slices(self) -> int:
        """The number of slices that it uses."""
        return run_slices(self.run, self.group).value


def runs(context: PlanContext) -> Iterator[PlannedRun]:
    """Every run on a slice group of its cluster."""
    for cluster in context.fleet.clusters:
        groups = {group.path[-1]: group for group in cluster.groups}
        for name, run in cluster.plan.runs.items():
            if run.slices in groups:
                path = (*cluster.path, "runs", name)
                yield PlannedRun(name, run, path, cluster, groups[run.slices], run_span(run))


def coming(context: PlanContext) -> Iterator[tuple[PlannedRun, Span]]:
    """Every run with a valid time that has not ended before today."""
    for item in runs(context):
        if item.span is not None and (context.today is None or item.span.end.date() >= context.today):
            yield item, item.span


_RUN = "  llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}"
_MANY = "".join(
    f"    e{number:02}: {{start: 2027-01-{number:02}T00:00:00Z, end: 2027-01-{number:02}T12:00:00Z, "
    "scope: no_minor_upgrades}\n"
    for number in range(1, 21)
)
_BEFORE, _, _AFTER = RESERVED.partition("    llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}\n")


@warning(
    "TPU624",
    about=of_clusters("maintenance.exclusions"),
    title="Automatic upgrades can interrupt a run",
    why="GKE can upgrade the nodes while a maintenance window is open, or at any time without one, which stops all "
    "Pods of a slice. An exclusion prevents automatic upgrades, but not host maintenance, repair and preemption",
    fix="Add a maintenance exclusion for the time of the run, with a scope that prevents upgrades of nodes.",
    references=["google-skills-upgrades", "gke-exclusions-guide", "gke-maintenance"],
    today="2026-11-20",
    failing=f"{_BEFORE}    other: {{start: 2026-12-20T00:00:00Z, end: 2026-12-21T00:00:00Z}}\n{_AFTER}{_RUN}",
    passing=f"{RESERVED}{_RUN}",
)
def run_in_maintenance_window(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "exclusions-automatic-only")
    additions: dict[str, Addition | None] = {}
    for item, span in coming(context):
        coverage = coverage_of(item.name, span, item.cluster, item.group, context.catalog)
        if coverage.proposal is None:
            continue
        if item.cluster.key not in additions:
            additions[item.cluster.key] = addition_to(item.cluster, context.catalog, context.today)
        addition = additions[item.cluster.key]
        assert addition is not None  # it has at least the exclusion of this run
        first, windows = coverage.openings[0].start, number(len(coverage.openings), "maintenance window")
        when = f"in {windows} from {first:%Y-%m-%d %H:%M} UTC"
        if coverage.proposal.window is not None:
            when = "at any time, because the cluster has no maintenance window"
        message = f"automatic upgrades can interrupt run {quoted(item.name)} {when}{_about(item.name, addition)}"
        yield Hit(addition.path, message, fact=fact, fix=addition.fix)


def _about(run: str, addition: Addition) -> str:
    """What the fix does for a run, in further sentences: its scope, and which other runs it covers."""
    if run in addition.left:
        return ". The fix covers other runs: no exclusion is left for this one, because the cluster then has the limit"
    proposal = addition.proposals.get(run)
    scope = f". The exclusion has the scope {proposal.scope}: {proposal.reason}" if proposal and proposal.reason else ""
    others = [name for name in addition.proposals if name != run]
    return f"{scope}. The fix also covers {listed([quoted(name) for name in others], most=3)}" if others else scope


@warning(
    "TPU625",
    about=of_clusters("maintenance", "runs"),
    title="No exclusion can be added for a run",
    why="GKE can upgrade the nodes during the run, and the cluster has the maximum number of maintenance exclusions",
    fix="Remove exclusions that have ended or that no run needs, and then add one for the time of the run.",
    references=["google-skills-upgrades", "provider-cluster"],
    today="2026-11-20",
    failing=f"{_BEFORE}{_MANY}{_AFTER}{_RUN}",
    passing=f"{RESERVED}{_RUN}",
)
def run_impossible_to_cover(context: PlanContext) -> Iterable[Hit]:
    limits = context.catalog.maintenance.exclusions
    for item, span in coming(context):
        maintenance = item.cluster.plan.maintenance
        if maintenance is None or len(maintenance.exclusions) < limits.max_total:
            continue
        coverage = coverage_of(item.name, span, item.cluster, item.group, context.catalog)
        if coverage.state == "impossible":
            yield Hit(
                item.path,
                f"automatic upgrades can interrupt run {quoted(item.name)} in "
                f"{number(len(coverage.openings), 'maintenance window')}, and the cluster has "
                f"{limits.max_total} exclusions, which is the limit",
                fact=limits.for_item("max_total"),
            )


_EXISTING = in_cluster("""
existing: projects/acme-ml/locations/us-east5/clusters/platform
node_service_account: nodes@acme-ml.iam.gserviceaccount.com
slices:
  pretrain:
    tpu: v6e
    topology: 4x4
    zone: us-east5-b
""")
_OLD = RESERVED.replace("mode: standard", 'mode: standard\nmin_version: "1.35"').replace(
    "start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z", "start: 2027-04-01T08:00:00Z, end: 2027-04-11T00:00:00Z"
)


@warning(
    "TPU633",
    about=of_clusters("min_version", "runs.*.duration"),
    otherwise={Severity.NOTE: "if the date has a low confidence"},
    title="Run continues after the end of support",
    why="at the end of support of a minor version, GKE upgrades the control plane and the nodes, and no exclusion "
    "prevents it",
    fix="Set a newer version and upgrade before the run, or end the run before the end of support.",
    references=["endoflife-gke", "google-skills-upgrades"],
    today="2026-11-20",
    failing=f"{_OLD}  llama: {{slices: pretrain, start: 2027-04-01T08:00:00Z, duration: 9d17h}}",
    passing=f"{_OLD}  llama: {{slices: pretrain, start: 2027-04-01T08:00:00Z, duration: 9d16h}}",
)
def run_past_end_of_support(context: PlanContext) -> Iterable[Hit]:
    for item, span in coming(context):
        support = support_of(item.cluster, context.catalog)
        if support.fact is None or support.end is None or is_short_lived(item.group):
            continue
        if span.start < support.end < span.end:
            yield Hit(
                (*item.path, "duration"),
                f"run {quoted(item.name)} ends on {span.end:%Y-%m-%d}, but the support of {support.text} ends on "
                f"{support.end:%Y-%m-%d}, and GKE then upgrades the nodes",
                fact=support.fact,
                severity=Severity.NOTE if support.fact.confidence == "low" else None,
            )


@rule(
    "TPU636",
    about=of_clusters("existing", "runs"),
    title="Maintenance of the cluster of a run is unknown",
    why="the plan does not contain the maintenance window and the exclusions of a cluster that exists already, so "
    "gke-tpu cannot check whether automatic upgrades can interrupt the run",
    fix="Add a maintenance exclusion for the time of the run where the cluster is managed.",
    references=["google-skills-upgrades", "gke-exclusions-guide"],
    severity=Severity.NOTE,
    today="2026-11-20",
    failing=f"""{_EXISTING}    capacity: {{reservation: v6e-pretrain}}
runs:
{_RUN}""",
    passing=f"""{_EXISTING}    max: 2
    capacity: flex_start
runs:
{_RUN.replace("10d", "7d")}""",
)
def run_on_existing_cluster(context: PlanContext) -> Iterable[Hit]:
    for item, span in coming(context):
        if not item.cluster.existing:
            continue
        if coverage_of(item.name, span, item.cluster, item.group, context.catalog).state == "unknown":
            yield Hit(
                item.path,
                f"the maintenance windows of cluster {quoted(item.cluster.key)} are unknown, so automatic upgrades may "
                f"interrupt run {quoted(item.name)}",
                fact=note_by_id(context.catalog.maintenance.notes, "exclusions-automatic-only"),
            )


_RUN_OF_7_DAYS = "  llama: {slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 7d}"


@warning(
    "TPU626",
    about=of_clusters("runs.*.duration", "slices.*.capacity.flex_start.max_run_duration"),
    title="Run is longer than the lifetime of its nodes",
    why="flex-start nodes end after their maximum run duration, and the run continues only if it can resume on new "
    "nodes, which may not be available",
    fix="Shorten the run, raise `max_run_duration` if it is below 7d, or use another capacity mode. Accept the warning "
    "if the run resumes from checkpoints.",
    references=["gke-flex-start"],
    today="2026-11-20",
    failing=f"{CLUSTER.format(slices='max: 2, capacity: flex_start')}{_RUN}",
    passing=f"{CLUSTER.format(slices='max: 2, capacity: flex_start')}{_RUN_OF_7_DAYS}",
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


@warning(
    "TPU628",
    about=of_clusters("runs.*.slices", "slices.*.capacity"),
    title="Run on Spot VMs",
    why="Compute Engine can preempt Spot VMs at any time, and no maintenance exclusion prevents it",
    fix="Use another capacity mode. Accept the warning if the run resumes from checkpoints.",
    references=["google-skills-disruption"],
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
