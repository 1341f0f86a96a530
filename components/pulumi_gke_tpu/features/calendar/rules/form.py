"""TPU621 to TPU623 and TPU629: the slice group, time and number of slices of planned runs."""

import datetime
import heapq
import itertools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, rule, warning
from pulumi_gke_tpu.core.schedule.coverage import LONGEST_RUN
from pulumi_gke_tpu.core.schedule.spans import LAST_YEAR, Span, is_plausible
from pulumi_gke_tpu.core.text.findings import SetKeys, Severity, did_you_mean, number, printable, quoted
from pulumi_gke_tpu.features.calendar.rules.coverage import RESERVED, PlannedRun, coming, runs

_LLAMA = f"{RESERVED}  llama: {{slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 10d}}"


@rule(
    "TPU621",
    about=of_clusters("runs.*.slices", "slices"),
    title="Run uses an unknown slice group",
    why="a run uses slices of its own cluster",
    fix="Set `slices` to a slice group of the cluster.",
    source="gke-tpu: the format of a plan",
    failing=f"{RESERVED}  llama: {{slices: pretrian, start: 2026-12-01T08:00:00Z, duration: 10d}}",
    passing=_LLAMA,
)
def unknown_run_group(context: PlanContext) -> Iterable[Hit]:
    for key, cluster in context.plan.clusters.items():
        for name, run in cluster.runs.items():
            if run.slices not in cluster.slices:
                near = did_you_mean(run.slices, cluster.slices)
                yield Hit.unknown(
                    ("clusters", key, "runs", name, "slices"),
                    "slice group",
                    run.slices,
                    allowed=tuple(map(printable, cluster.slices)),
                    fix=SetKeys.of(slices=near),
                )


@rule(
    "TPU622",
    about=of_clusters(
        "maintenance.exclusions.*.start",
        "maintenance.window.duration",
        "maintenance.window.start",
        "runs.*.duration",
        "runs.*.start",
    ),
    title="Run has an implausible year or length",
    why="a run requires a duration above zero and up to 1,096 days, and years that are not typing errors",
    fix="Correct `start` or `duration`.",
    source="gke-tpu: the format of a plan",
    failing=f"{RESERVED}  llama: {{slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 0h}}",
    passing=_LLAMA,
)
def invalid_run_time(context: PlanContext) -> Iterable[Hit]:
    for item in runs(context):
        start = item.run.start
        if not is_plausible(start):
            yield Hit((*item.path, "start"), f"implausible year {start.year}", given=f"start: {start:%Y-%m-%d}")
        elif item.span is None:
            problem = f"ends after the year {LAST_YEAR}"
            if not item.run.duration:
                problem = "has no length"
            elif item.run.duration > LONGEST_RUN:
                problem = f"lasts {item.run.duration.days:,} days, and the limit is {LONGEST_RUN.days:,}"
            yield Hit((*item.path, "duration"), f"run {quoted(item.name)} {problem}")


@warning(
    "TPU623",
    about=of_clusters("runs.*.count", "slices.*.count"),
    title="Runs use more slices than the group has",
    why="the slices of a group are shared by the runs at a time, and a run that gets no slices waits",
    fix="Move a run, set a smaller `count`, or add slices to the group. A run without `count` uses all slices.",
    source="Arithmetic: the sum of `count` of the runs at a time exceeds the maximum number of slices",
    failing=f"""{_LLAMA}
  gemma: {{slices: pretrain, start: 2026-12-05T08:00:00Z, duration: 2d}}""",
    passing=f"""{_LLAMA.replace("10d", "10d, count: 1")}
  gemma: {{slices: pretrain, start: 2026-12-05T08:00:00Z, duration: 2d, count: 1}}""",
)
def runs_exceed_slices(context: PlanContext) -> Iterable[Hit]:
    by_group: dict[str, list[tuple[PlannedRun, Span]]] = {}
    for item, span in coming(context):
        by_group.setdefault(item.group.key, []).append((item, span))
    for planned in by_group.values():
        yield from _exceeding(planned)


def _exceeding(planned: list[tuple[PlannedRun, Span]]) -> Iterator[Hit]:
    """The runs of one group at whose start too many slices are in use."""
    running: dict[int, PlannedRun] = {}
    ends: list[tuple[datetime.datetime, int]] = []
    used = 0
    by_start = sorted(enumerate(planned), key=lambda entry: (entry[1][1].start, entry[0]))
    for position, (number_of_run, (item, span)) in enumerate(by_start):
        while ends and ends[0][0] <= span.start:
            used -= running.pop(heapq.heappop(ends)[1]).slices
        running[number_of_run] = item
        heapq.heappush(ends, (span.end, number_of_run))
        used += item.slices
        following = by_start[position + 1][1][1] if position + 1 < len(by_start) else None
        is_last = following is None or following.start > span.start  # the last of those that start together reports
        slices = item.group.slices.maximum
        if is_last and used > slices:
            others = [quoted(other.name) for other in itertools.islice(running.values(), 4) if other is not item][:3]
            with_others = f" together with {', '.join(others)}" if others else ""
            yield Hit(
                (*item.path, "count") if item.run.written("count") else item.path,
                f"run {quoted(item.name)} uses{with_others} {number(used, 'slice')} at {span.start:%Y-%m-%d %H:%M} "
                f"UTC; slice group {quoted(item.run.slices)} has at most {number(slices, 'slice')}",
                given=f"count: {item.run.count}" if item.run.count is not None else "",
            )


@rule(
    "TPU629",
    about=of_clusters("runs"),
    title="Run has ended",
    why="gke-tpu checks only runs that have not ended",
    fix="Remove the run, or correct its dates.",
    source="Calendar: the end of the run is before today",
    severity=Severity.NOTE,
    today="2026-12-10",
    failing=f"{RESERVED}  llama: {{slices: pretrain, start: 2026-12-01T08:00:00Z, duration: 5d}}",
    passing=_LLAMA,
)
def run_in_the_past(context: PlanContext) -> Iterable[Hit]:
    for item in runs(context):
        if context.today is not None and item.span is not None and item.span.end.date() < context.today:
            yield Hit(item.path, f"run {quoted(item.name)} ended on {item.span.end:%Y-%m-%d}")
