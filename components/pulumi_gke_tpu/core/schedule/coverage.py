"""Which automatic upgrades can interrupt a planned run, and the exclusion that prevents them."""

import datetime
from collections.abc import Iterator
from typing import Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, upgrade_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.runs import Run
from pulumi_gke_tpu.core.plan.upgrades import Maintenance, Window
from pulumi_gke_tpu.core.schedule.availability import least_maintained, openings
from pulumi_gke_tpu.core.schedule.spans import (
    NO_NODE_UPGRADES,
    NO_UPGRADES,
    Span,
    blocking_spans,
    is_plausible,
    least_free,
    protecting_spans,
    span_of,
    without,
)
from pulumi_gke_tpu.core.text.findings import is_visible, number
from pulumi_gke_tpu.core.text.formats.recurrence import RecurrenceError

State = Literal["covered", "clear", "exempt", "interrupted", "impossible", "unknown"]
"""covered: exclusions prevent the upgrades. clear: no window opens during the run. exempt: GKE does not upgrade running
nodes of this capacity, or upgrades are off. interrupted: an upgrade is possible, and an exclusion can prevent it.
impossible: the cluster has the maximum number of exclusions. unknown: the plan does not have the window."""

USUAL_WINDOW = Window(
    start=datetime.datetime(2026, 1, 3, 2, tzinfo=datetime.timezone.utc),
    duration=datetime.timedelta(hours=6),
    days=["SAT", "SUN"],
)
"""The window that is proposed to a cluster without one: GKE accepts exclusions only beside a window."""
LONGEST_RUN = datetime.timedelta(days=3 * 365 + 1)
"""The longest run that is checked. A longer one is probably a typing error."""
_LONGEST_NAME = 100
STATES: dict[State, str] = {
    "covered": "covered by exclusions",
    "clear": "no maintenance window during the run",
    "exempt": "no automatic upgrades of these nodes",
    "unknown": "the maintenance window is unknown",
    "interrupted": "upgrades can interrupt it",
    "impossible": "upgrades can interrupt it, no exclusion is left",
}
"""What each state means, as a clause."""


@frozen
class Proposal:
    """A maintenance exclusion to add, and a window if the cluster has none."""

    name: str
    span: Span
    scope: Literal["no_upgrades", "no_minor_or_node_upgrades"]
    window: Window | None
    reason: str
    """Why the scope is not no_upgrades; empty if it is."""

    @property
    def exclusion(self) -> dict[str, str]:
        """The exclusion as a plan contains it."""
        return {"start": written(self.span.start), "end": written(self.span.end), "scope": self.scope}

    @property
    def maintenance(self) -> dict[str, Any]:
        """What to add to ``maintenance`` of the cluster, as a plan contains it."""
        added: dict[str, Any] = {}
        if self.window is not None:
            days = list(self.window.days or ())
            duration = format_duration(self.window.duration)
            added["window"] = {"start": written(self.window.start), "duration": duration, "days": days}
        return {**added, "exclusions": {self.name: self.exclusion}}


@frozen
class Coverage:
    """Whether automatic upgrades can interrupt a run."""

    state: State
    openings: tuple[Span, ...] = ()
    """The times in the run at which GKE can upgrade nodes and no exclusion prevents it."""
    proposal: Proposal | None = None

    @property
    def text(self) -> str:
        """The state as a clause."""
        if self.state not in ("interrupted", "impossible"):
            return STATES[self.state]
        windowless = self.proposal is not None and self.proposal.window is not None
        when = "at any time" if windowless else f"in {number(len(self.openings), 'window')}"
        limit = ", no exclusion is left" if self.state == "impossible" else ""
        return f"upgrades can interrupt it {when}{limit}"


def written(time: datetime.datetime) -> str:
    """A time as a plan contains it."""
    return f"{time:%Y-%m-%dT%H:%M:%SZ}"


def run_span(run: Run) -> Span | None:
    """The time of a run; None if it is empty, too long, or has an implausible year."""
    return span_of(run.start, run.duration) if run.duration <= LONGEST_RUN else None


def timed_runs(
    cluster: Cluster, ending_from: datetime.date | None = None
) -> Iterator[tuple[str, Run, SliceGroup, Span]]:
    """The runs of a cluster by name, with their slice groups and times; with ``ending_from``, without earlier ones.

    Runs without a valid time or an existing slice group are left out: rules report them.
    """
    groups = {group.path[-1]: group for group in cluster.groups} if cluster.plan.runs else {}
    for name, run in cluster.plan.runs.items():
        group, span = groups.get(run.slices), run_span(run)
        if group is not None and span is not None and (ending_from is None or span.end.date() >= ending_from):
            yield name, run, group, span


def coverage_of(name: str, span: Span, cluster: Cluster, group: SliceGroup, catalog: Catalog) -> Coverage:
    """Whether automatic upgrades can interrupt a run of this name and time on a slice group."""
    if not upgrade_settings(group).upgrades_running_nodes:
        return Coverage("exempt")
    maintenance = ClusterSettings(cluster).maintenance
    window = maintenance.window
    too_many = len(maintenance.exclusions) > catalog.maintenance.exclusions.max_total
    implausible = window is not None and not is_plausible(window.start)
    if cluster.plan.existing is not None or too_many or implausible:  # rules report the last two
        return Coverage("unknown")
    try:
        opened = list(openings(window, span))
    except RecurrenceError:
        return Coverage("unknown")
    if not opened:
        return Coverage("clear")
    left = tuple(without(opened, protecting_spans(maintenance)))
    if not left:
        return Coverage("covered")
    proposal = _proposal(name, span, maintenance, catalog)
    return Coverage("interrupted" if proposal else "impossible", left, proposal)


def _proposal(name: str, span: Span, maintenance: Maintenance, catalog: Catalog) -> Proposal | None:
    """The exclusion to add; None if the cluster has the maximum number of exclusions."""
    limits = catalog.maintenance.exclusions
    if len(maintenance.exclusions) >= limits.max_total:
        return None
    window = USUAL_WINDOW if maintenance.window is None else None
    reason = _against_no_upgrades(span, maintenance, window or maintenance.window, catalog)
    scope: Literal["no_upgrades", "no_minor_or_node_upgrades"] = NO_NODE_UPGRADES if reason else NO_UPGRADES
    return Proposal(_free_name(name, maintenance), span, scope, window, reason)


def _against_no_upgrades(span: Span, maintenance: Maintenance, window: Window | None, catalog: Catalog) -> str:
    """Which limit of GKE an exclusion of all upgrades would break, as a clause; empty if none."""
    limits, facts = catalog.maintenance.exclusions, catalog.maintenance.availability
    if span.length > datetime.timedelta(days=limits.max_no_upgrades_days):
        return f"GKE limits an exclusion of all upgrades to {limits.max_no_upgrades_days} days"
    if sum(item.scope == NO_UPGRADES for item in maintenance.exclusions.values()) >= limits.max_no_upgrades:
        return f"GKE limits the number of exclusions of all upgrades to {limits.max_no_upgrades}"
    spans = sorted((*blocking_spans(maintenance), span), key=lambda item: (item.start, item.end))
    needed = datetime.timedelta(hours=facts.min_hours)
    too_little = f"less than {facts.min_hours} h of maintenance time would remain in {facts.rolling_days} days"
    if least_free(spans, facts.rolling_days)[0] < needed:
        return too_little
    least = least_maintained(window, spans, span, facts)
    return too_little if least is not None and least.hours < facts.min_hours else ""


def _free_name(name: str, maintenance: Maintenance) -> str:
    """The name of the run, or one with a number if an exclusion has that name."""
    usual = name and name == name.strip() and len(name) < _LONGEST_NAME and is_visible(name)
    wanted = name if usual else "run"
    candidates = (wanted, *(f"{wanted[: _LONGEST_NAME - 4]}-{number}" for number in range(2, 100)))
    return next(candidate for candidate in candidates if candidate not in maintenance.exclusions)
