"""TPU631, TPU635 and TPU637: changes that interrupt a run, or that decide whether automatic upgrades can."""

import datetime
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.rules.engine.rule import Hit, of_clusters, rule, warning
from pulumi_gke_tpu.core.text.findings import Path, Severity, listed, number, quoted
from pulumi_gke_tpu.features.diff.rules.transition import Planned, Transition

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.schedule.coverage import State

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
_ENDS_LATER = _PLAN.replace("end: 2026-12-11", "end: 2026-12-12")
_SHORTER = _PLAN.replace("10d", "4d")
_TWO = _PLAN.replace("topology: 4x4", "topology: 4x4, count: 2")


@warning(
    "TPU631",
    about=("accept", "clusters.*.maintenance.exclusions.*.end"),
    title="Change leaves a run without protection from upgrades",
    why="automatic upgrades stop all Pods of a slice, and before the change no upgrade could interrupt the run",
    fix="Add a maintenance exclusion for the time of the run; `gke-tpu validate` and `gke-tpu calendar` show it.",
    source="Calendar: maintenance windows, exclusions and runs before and after the change",
    today="2026-11-20",
    failing=f"{_PLAN}--- plan{_ENDS_EARLIER}",
    passing=f"{_PLAN}--- plan{_ENDS_LATER}",
)
def change_uncovers_run(transition: Transition) -> Iterable[Hit]:
    for pair, name, before, after in _changed_runs(transition):
        if _danger(after) > _danger(before):
            limit = ", and the cluster has the maximum number of exclusions" if after == "impossible" else ""
            yield Hit(
                (*pair.head.path, "runs", name),
                f"automatic upgrades can interrupt run {quoted(name)} after this change of "
                f"{listed(_changed(pair.base, pair.head, name))}{limit}",
            )


@rule(
    "TPU635",
    about=of_clusters("runs.*.duration"),
    title="Change of a run, or of what protects it",
    why="the change sets the run, or what protects it from automatic upgrades",
    fix="Correct the run, the window or the exclusions if the run is not as planned.",
    source="Calendar: maintenance windows, exclusions and runs before and after the change",
    severity=Severity.NOTE,
    today="2026-11-20",
    failing=f"{_PLAN}--- plan{_SHORTER}",
    passing=f"{_PLAN}--- plan{_ENDS_LATER}",
)
def change_of_run(transition: Transition) -> Iterable[Hit]:
    from pulumi_gke_tpu.core.schedule.coverage import STATES  # only plans with runs need it

    for pair, name, before, after in _changed_runs(transition):
        is_same = pair.base is not None and pair.base.plan.runs.get(name) == pair.head.plan.runs[name]
        if _danger(after) == 0 and (_danger(before) > 0 or not is_same):
            yield Hit(
                (*pair.head.path, "runs", name),
                f"run {quoted(name)} after this change of {listed(_changed(pair.base, pair.head, name))}: "
                f"{STATES[after]}",
            )


@warning(
    "TPU637",
    about=of_clusters("runs", "slices.*.count"),
    title="Change stops hosts of a run in progress",
    why="the jobs on these hosts stop. A job continues, from its last checkpoint, only when all hosts of its slice are "
    "available again",
    fix="Make the change after the end of the run. If the run has ended, or can stop, correct or remove its entry in "
    "`runs`.",
    source="Calendar: the time of the run, and the hosts that the change deletes or re-creates",
    today="2026-12-02",
    failing=f"{_TWO}--- plan{_TWO.replace('count: 2', 'count: 1')}",
    passing=f"{_TWO}--- plan{_TWO.replace('count: 2', 'count: 3')}",
)
def change_stops_run(transition: Transition) -> Iterable[Hit]:
    from pulumi_gke_tpu.core.schedule.coverage import timed_runs, written  # only plans with runs need it

    today = transition.today
    for cluster, pair in transition.groups():
        if cluster.base is None or pair.base is None or today is None or not cluster.base.plan.runs:
            continue
        found = transition.planned.get(pair.item.key)
        if found is None or not (found.hosts_gone or found.hosts_restarted):
            continue
        for name, _, group, span in timed_runs(cluster.base, today):
            if group.key == pair.base.key and span.start.date() <= today:
                yield Hit(
                    _path_of(name, cluster.head, pair.head),
                    f"run {quoted(name)} is in progress until {written(span.end)}, and this change "
                    f"{_stopped(found)} of {quoted(pair.item.key)}",
                )


def _path_of(run: str, cluster: Cluster | None, group: SliceGroup | None) -> Path:
    """The place of a run in the plan after the change; of its group or cluster where the change removes the run."""
    if cluster is None:
        return ("clusters",)
    if run in cluster.plan.runs:
        return (*cluster.path, "runs", run)
    return group.path if group is not None else cluster.path


def _stopped(planned: Planned) -> str:
    """What a change does to the hosts of a group."""
    ways = (("deletes", planned.hosts_gone), ("re-creates", planned.hosts_restarted))
    return " and ".join(f"{way} {number(hosts, 'host')}" for way, hosts in ways if hosts)


@frozen
class _Pair:
    """A cluster that exists after the change."""

    base: Cluster | None
    head: Cluster


def _changed_runs(transition: Transition) -> "Iterator[tuple[_Pair, str, State | None, State]]":
    """Every run after the change that has not ended, with its state before and after it."""
    for pair in transition.pairs:
        if pair.head is None or not pair.head.plan.runs:
            continue
        before = _states(pair.base, transition.catalog, transition.today) if pair.base else {}
        for name, state in _states(pair.head, transition.catalog, transition.today).items():
            yield _Pair(pair.base, pair.head), name, before.get(name), state


def _danger(state: "State | None") -> int:
    """How exposed a run is: 0 if no automatic upgrade is known to interrupt it."""
    return {"interrupted": 1, "impossible": 2}.get(state or "", 0)


def _states(cluster: Cluster, catalog: Catalog, today: datetime.date | None) -> "dict[str, State]":
    """Run of a cluster that has not ended -> whether automatic upgrades can interrupt it."""
    from pulumi_gke_tpu.core.schedule.coverage import coverage_of, timed_runs  # only plans with runs need it

    return {
        name: coverage_of(name, span, cluster, group, catalog).state
        for name, _, group, span in timed_runs(cluster, today)
    }


def _changed(base: Cluster | None, head: Cluster, name: str) -> list[str]:
    """What changed of the values that decide whether a run is covered."""
    if base is None or name not in base.plan.runs:
        return ["the runs"]
    before, after = base.plan.maintenance, head.plan.maintenance
    group, other = (plan.slices.get(plan.runs[name].slices) for plan in (base.plan, head.plan))
    found = {
        "the run": base.plan.runs[name] != head.plan.runs[name],
        "the cluster": base.plan.existing != head.plan.existing,
        "the window": (before and before.window) != (after and after.window),
        "the exclusions": (before.exclusions if before else {}) != (after.exclusions if after else {}),
        "the capacity": (group and (group.capacity, group.fallback)) != (other and (other.capacity, other.fallback)),
        "the upgrade settings": (group and group.upgrade) != (other and other.upgrade),
    }
    return [what for what, differs in found.items() if differs]
