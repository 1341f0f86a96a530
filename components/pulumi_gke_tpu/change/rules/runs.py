"""TPU631: a change of a run, a window or an exclusion after which automatic upgrades can interrupt a run."""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.change.rules.transition import Transition
from pulumi_gke_tpu.findings import Severity, listed, quoted
from pulumi_gke_tpu.fleet import Cluster
from pulumi_gke_tpu.rules.engine.hit import Hit
from pulumi_gke_tpu.rules.engine.rule import Scope, rule

_PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
      exclusions:
        llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}
    runs:
      llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}
"""
_ACCEPTED = "accept: [{rule: TPU624, of: train, reason: the run resumes from checkpoints, until: 2026-12-20}]\n"
_ENDS_EARLIER = _PLAN.replace("end: 2026-12-11", "end: 2026-12-05") + _ACCEPTED
_SHORTER = _PLAN.replace("end: 2026-12-11", "end: 2026-12-06").replace("10d", "4d")


@rule(
    "TPU631",
    "change-uncovers-run",
    scope=Scope.CHANGE,
    since="0.1",
    title="Change leaves a run without protection from upgrades",
    why="automatic upgrades stop all Pods of a slice, and before the change no upgrade could interrupt the run",
    fix="Add a maintenance exclusion for the time of the run; `gke-tpu validate` and `gke-tpu calendar` show it.",
    source="Calendar: maintenance windows, exclusions and runs before and after the change",
    severity=Severity.WARNING,
    today="2026-11-20",
    failing=f"{_PLAN}--- plan{_ENDS_EARLIER}",
    passing=f"{_PLAN}--- plan{_SHORTER}",
)
def change_uncovers_run(transition: Transition) -> Iterable[Hit]:
    for pair in transition.pairs:
        if pair.head is None or not pair.head.plan.runs:
            continue
        before = _exposed(pair.base, transition.catalog, transition.today) if pair.base else {}
        for name, exposed in _exposed(pair.head, transition.catalog, transition.today).items():
            if exposed and not before.get(name):
                yield Hit(
                    (*pair.head.path, "runs", name),
                    f"automatic upgrades can interrupt run {quoted(name)} after this change of "
                    f"{listed(_changed(pair.base, pair.head, name))}",
                )


def _exposed(cluster: Cluster, catalog: Catalog, today: datetime.date | None) -> dict[str, bool]:
    """Run of a cluster that has not ended -> whether automatic upgrades can interrupt it."""
    from pulumi_gke_tpu.schedule.coverage import coverage_of, run_span  # only plans with runs need it

    groups = {group.path[-1]: group for group in cluster.groups}
    found = {}
    for name, run in cluster.plan.runs.items():
        span, group = run_span(run), groups.get(run.slices)
        if span is not None and group is not None and (today is None or span.end.date() >= today):
            state = coverage_of(name, span, cluster, group, catalog).state
            found[name] = state in ("interrupted", "impossible")
    return found


def _changed(base: Cluster | None, head: Cluster, name: str) -> list[str]:
    """What changed of the values that decide whether a run is covered."""
    if base is None or name not in base.plan.runs:
        return ["the runs"]
    before, after = base.plan.maintenance, head.plan.maintenance
    found = {
        "the run": base.plan.runs[name] != head.plan.runs[name],
        "the window": (before and before.window) != (after and after.window),
        "the exclusions": (before.exclusions if before else {}) != (after.exclusions if after else {}),
    }
    return [what for what, differs in found.items() if differs] or ["the slice group"]
