"""The planned runs of a plan with their clusters and slice groups, and the cluster of their examples."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import run_slices
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.runs import Run
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.schedule.coverage import run_span
from pulumi_gke_tpu.core.schedule.spans import Span
from pulumi_gke_tpu.core.text.findings import Path

CLUSTER = """
mode: standard
location: us-east5
slices:
  pretrain: {{tpu: v6e, topology: 4x4, zone: us-east5-b, {slices}}}
maintenance:
  window: {{start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}}
  exclusions:
    llama: {{start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}}
runs:
"""
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
