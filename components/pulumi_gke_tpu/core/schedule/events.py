"""The events of plans and an inventory on one time line, and the exclusions that cover all runs of a cluster."""

import dataclasses
import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Note, note_by_id
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, PlanInFleet, plans_in_fleet
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings, node_lifetime, surely_ends
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import format_duration
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedReservation
from pulumi_gke_tpu.core.plan.upgrades import Exclusion
from pulumi_gke_tpu.core.schedule.availability import whole_openings
from pulumi_gke_tpu.core.schedule.coverage import Coverage, Proposal, coverage_of, timed_runs, written
from pulumi_gke_tpu.core.schedule.spans import Span, day_of, is_plausible, midnight, span_of, whole_span
from pulumi_gke_tpu.core.schedule.support import Support, support_of
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Verbatim
from pulumi_gke_tpu.core.text.findings.emit import flow
from pulumi_gke_tpu.core.text.formats.recurrence import RecurrenceError


@frozen
class Addition:
    """The exclusions to add to a cluster."""

    path: Path
    """The key of the plan that is replaced, or the mapping to add it to."""
    replaces: bool
    """Whether the plan has the key already. The value then repeats its content."""
    key: str
    value: Mapping[str, object]
    proposals: Mapping[str, Proposal]
    """The exclusions by run. Each keeps the limits of GKE beside the others."""
    left: tuple[str, ...]
    """The runs without an exclusion, because the cluster has the maximum number with those before."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs with an exclusion in the text."""
        return tuple(self.proposals)

    @property
    def fix(self) -> Fix:
        """The key with its value; long or invisible names in the plan are escaped, so that none is lost."""
        entries = (f"  {flow(name)}: {flow(item)}" for name, item in self.value.items())
        return SetKeys.of({self.key: self.value}) or Verbatim("\n".join((f"{self.key}:", *entries)), "entry")

    @property
    def text(self) -> str:
        """The same as YAML."""
        return self.fix.text


def addition_to(cluster: Cluster, catalog: Catalog, today: datetime.date | None) -> Addition | None:
    """The exclusions for all runs of a cluster that upgrades can interrupt; None if none can be added.

    Runs that ended before today have none. Each exclusion considers those of the runs that start earlier.
    """
    proposals: dict[str, Proposal] = {}
    left: list[str] = []
    changed = cluster
    planned = sorted(timed_runs(cluster, today), key=lambda item: (item[3].start, item[3].end, item[0]))
    for name, _, group, span in planned:
        coverage = coverage_of(name, span, changed, group, catalog)
        if coverage.proposal is not None:
            proposals[name] = coverage.proposal
            changed = _with(changed, coverage.proposal)
        elif coverage.state == "impossible":
            left.append(name)
    if not proposals:
        return None
    path, replaces, key, value = _change(cluster, list(proposals.values()))
    return Addition(path, replaces, key, value, proposals, tuple(left))


def _with(cluster: Cluster, proposal: Proposal) -> Cluster:
    """The cluster with a proposed exclusion."""
    present = ClusterSettings(cluster).maintenance
    exclusion = Exclusion(start=proposal.span.start, end=proposal.span.end, scope=proposal.scope)
    content = {
        "window": proposal.window or present.window,
        "exclusions": {**present.exclusions, proposal.name: exclusion},
    }
    plan = cluster.plan.model_copy(update={"maintenance": present.model_copy(update=content)})
    return dataclasses.replace(cluster, plan=plan)


def _change(cluster: Cluster, proposals: list[Proposal]) -> tuple[Path, bool, str, Mapping[str, object]]:
    """The place in the plan, whether it is a key to replace, the key and its value."""
    present, first = ClusterSettings(cluster).maintenance, proposals[0].maintenance
    kept = {name: _data(item) for name, item in present.exclusions.items()}
    exclusions = kept | {each.name: each.exclusion for each in proposals}
    path, key, value = cluster.path, "maintenance", first | {"exclusions": exclusions}
    written_keys = cluster.plan.model_fields_set
    if "window" not in first:
        path, key, value = (*path, key), "exclusions", exclusions
        written_keys = present.model_fields_set
    replaces = key in written_keys
    return (*path, key) if replaces else path, replaces, key, value


def _data(exclusion: Exclusion) -> dict[str, object]:
    """An exclusion as a plan contains it."""
    end = written(exclusion.end) if exclusion.end else "end_of_support"
    return {"start": written(exclusion.start), "end": end, "scope": exclusion.scope}


Kind = Literal["run", "window", "exclusion", "node_end", "reservation_start", "reservation_end", "support_end"]
KINDS: tuple[Kind, ...] = (
    "reservation_start",
    "reservation_end",
    "support_end",
    "exclusion",
    "window",
    "run",
    "node_end",
)
"""The order of events that start at the same time."""
ALWAYS = (
    "exclusions-automatic-only",
    "exclusions-overridden",
    "no-live-migration",
    "slice-repair",
    "defragmentation",
    "periodic-maintenance",
)
"""The notes about interruptions that no plan prevents."""
USUAL_DAYS = 90
_DAY = datetime.timedelta(days=1)


@frozen
class Event:
    """Something that happens at a time, or from ``span.start`` until ``span.end``."""

    kind: Kind
    span: Span
    plan: str
    """The name of the plan; empty for an event of the inventory."""
    place: str
    """cluster, cluster/group, or project/zone of a reservation."""
    name: str
    """The run, exclusion, reservation or GKE version; empty for a window."""
    open_end: bool = False
    """Whether the end is unknown, as that of an exclusion until the end of support."""
    scope: str = ""
    """The scope of an exclusion."""
    coverage: Coverage | None = None
    """Whether automatic upgrades can interrupt a run."""
    spot: bool = False
    """Whether a run can be on Spot VMs."""
    possible: bool = False
    """Whether the nodes that end may be of another capacity mode, which does not end then."""

    @property
    def moment(self) -> bool:
        """Whether the event has no length."""
        return self.kind == "node_end"

    @property
    def end(self) -> datetime.datetime | None:
        """None if the end is unknown, or if the event has no length."""
        return None if self.moment or self.open_end else self.span.end

    @property
    def whole_day(self) -> bool:
        """Whether only the day is known."""
        return self.kind in ("reservation_start", "reservation_end", "support_end")


@frozen
class ClusterSupport:
    """The end of support of the minor version of a cluster."""

    plan: str
    cluster: str
    support: Support
    key: str
    """The key of the plan that states the version."""
    upgrades_at_any_time: bool
    """Whether the plan has no maintenance window for the cluster. An existing cluster can have one elsewhere."""


@frozen
class IdleMaintenance:
    """The maintenance of idle hosts of a slice group, whose date GKE announces only later."""

    plan: str
    group: str
    """cluster/group."""
    idle: str
    """How long a host has no Pods before it is maintained, such as 10m."""
    window: str
    """The time before the announced date in which idle hosts are maintained."""
    min_nodes: int
    """The number of nodes of each node pool that stay available."""

    @property
    def text(self) -> str:
        """What GKE does, in one clause."""
        nodes = "node stays" if self.min_nodes == 1 else "nodes stay"
        return (
            f"in the {self.window} before the announced date, GKE maintains hosts that are idle for {self.idle}; "
            f"{self.min_nodes:,} {nodes} available in each node pool"
        )


@frozen
class ReportedUpgrades:
    """What GKE itself reports about the upgrades of a cluster, from a snapshot."""

    plan: str
    cluster: str
    taken: datetime.date
    """The date of the snapshot."""
    standard_end: str = ""
    """The day of the end of standard support; empty if GKE reports none."""
    extended_end: str = ""
    statuses: tuple[str, ...] = ()
    """Of automatic upgrades: ACTIVE, MINOR_UPGRADE_PAUSED."""
    paused: tuple[str, ...] = ()
    """Why they are paused: MAINTENANCE_WINDOW."""
    minor_target: str = ""
    """The version of the next minor upgrade."""
    patch_target: str = ""
    missing: str = ""
    """Why the snapshot does not have the answer; empty if it has."""


@frozen
class ClusterAddition:
    """The exclusions to add to a cluster of a plan."""

    plan: str
    cluster: str
    addition: Addition


@frozen
class Calendar:
    """Events from one day to another, in order."""

    plans: tuple[str, ...]
    catalog_version: str
    as_of: datetime.date | None
    """The date of the inventory; None without one."""
    first: datetime.date
    last: datetime.date
    events: tuple[Event, ...]
    support: tuple[ClusterSupport, ...]
    notes: tuple[Note, ...]
    """Interruptions that no exclusion prevents."""
    additions: tuple[ClusterAddition, ...]
    """The exclusions to add to clusters with shown runs that upgrades can interrupt."""
    idle_maintenance: tuple[IdleMaintenance, ...] = ()
    reported: tuple[ReportedUpgrades, ...] = ()
    """What GKE reports, of each cluster in a snapshot."""


def _support(plan: str, cluster: Cluster, catalog: Catalog) -> ClusterSupport:
    maintenance = cluster.plan.maintenance
    return ClusterSupport(
        plan,
        cluster.key,
        support_of(cluster, catalog),
        "version" if cluster.existing else "min_version",
        not (cluster.existing or cluster.adopted) and (maintenance is None or maintenance.window is None),
    )


def calendar_of(
    plans: Sequence[CheckedPlan],
    inventory: Inventory | None,
    catalog: Catalog,
    first: datetime.date,
    last: datetime.date | None = None,
    *,
    today: datetime.date | None = None,
) -> Calendar:
    """The events of plans with content from ``first`` to ``last``, both included.

    Without ``last``, the calendar ends ``USUAL_DAYS`` days after its first day. Runs that ended before ``today``,
    ``first`` if not given, need no exclusion.
    """
    members = plans_in_fleet(plans)
    last = last or first + USUAL_DAYS * _DAY
    shown = Span(midnight(first), midnight(last) + _DAY)
    found = [event for member in members for event in _of_plan(member, catalog, shown)]
    found += _of_inventory(members, inventory)
    kept = [event for event in found if _is_in(event, shown)]
    order = {kind: number for number, kind in enumerate(KINDS)}
    known = (*catalog.maintenance.notes, *catalog.capacity.notes)
    idle = tuple(item for member in members for item in _idle_maintenance(member))
    notes = (note_by_id(known, name) for name in (*ALWAYS, *(["opportunistic-maintenance"] if idle else ())))
    return Calendar(
        plans=tuple(member.name for member in members),
        catalog_version=catalog.about.version,
        as_of=inventory.as_of if inventory else None,
        first=first,
        last=last,
        events=tuple(
            sorted(
                kept,
                key=lambda item: (item.span.start, order[item.kind], item.plan, item.place, item.name, item.span.end),
            )
        ),
        support=tuple(
            _support(member.name, cluster, catalog) for member in members for cluster in member.fleet.clusters
        ),
        notes=tuple(note for note in notes if note is not None),
        idle_maintenance=idle,
        additions=tuple(_additions(members, kept, catalog, today or first)),
    )


def _additions(
    members: Iterable[PlanInFleet], events: Iterable[Event], catalog: Catalog, today: datetime.date
) -> Iterator[ClusterAddition]:
    """What to add to the clusters with runs among the events that upgrades can interrupt."""
    open_runs = {
        (event.plan, event.place.partition("/")[0])
        for event in events
        if event.coverage is not None and event.coverage.proposal is not None
    }
    for member in members:
        for cluster in member.fleet.clusters:
            addition = addition_to(cluster, catalog, today) if (member.name, cluster.key) in open_runs else None
            if addition is not None:
                yield ClusterAddition(member.name, cluster.key, addition)


def _is_in(event: Event, shown: Span) -> bool:
    if event.moment:
        return shown.start <= event.span.start < shown.end
    return event.span.common(shown) is not None


def _of_plan(member: PlanInFleet, catalog: Catalog, shown: Span) -> Iterator[Event]:
    for cluster in member.fleet.clusters:
        yield from _maintenance(member, cluster, shown)
        support = support_of(cluster, catalog)
        last = day_of(support.end.date()) if support.end is not None else None
        if last is not None:
            yield Event("support_end", last, member.name, cluster.key, support.version)
        for name, _, group, span in timed_runs(cluster):
            coverage = coverage_of(name, span, cluster, group, catalog)
            spot = "spot" in group.capacity_modes
            yield Event("run", span, member.name, group.key, name, coverage=coverage, spot=spot)
            lifetime = node_lifetime(group, catalog).value
            end = span_of(span.start, lifetime) if lifetime is not None else None
            if end is not None:
                yield Event(
                    "node_end", Span(end.end, end.end), member.name, group.key, name, possible=not surely_ends(group)
                )


def _maintenance(member: PlanInFleet, cluster: Cluster, shown: Span) -> Iterator[Event]:
    maintenance = ClusterSettings(cluster).maintenance
    for name, exclusion in maintenance.exclusions.items():
        span, open_end = whole_span(exclusion), exclusion.end_of_support
        if span is not None:
            yield Event("exclusion", span, member.name, cluster.key, name, open_end=open_end, scope=exclusion.scope)
    if maintenance.window is not None and is_plausible(maintenance.window.start):
        try:
            spans = list(whole_openings(maintenance.window, shown))
        except RecurrenceError:
            return  # a rule reports it
        yield from (Event("window", span, member.name, cluster.key, "") for span in spans)


def _idle_maintenance(member: PlanInFleet) -> Iterator[IdleMaintenance]:
    for cluster in member.fleet.clusters:
        for group in cluster.groups if cluster.mode == "standard" else ():
            host = group.plan.host_maintenance
            if host is not None and host.opportunistic is not None:
                idle = host.opportunistic
                times = (format_duration(idle.idle), format_duration(idle.window))
                yield IdleMaintenance(member.name, group.key, *times, idle.min_nodes)


def _of_inventory(members: Iterable[PlanInFleet], inventory: Inventory | None) -> Iterator[Event]:
    """The first and last days of the reservations that the plans use."""
    owned = OwnedReservations.of(inventory)
    used = {id(use.entry): use.entry for use in owned.uses(members) if use.entry is not None}
    for entry in used.values():
        place = f"{entry.project}/{entry.zone}"
        for kind, day in _terms(entry):
            span = day_of(day) if day is not None else None
            if span is not None:
                yield Event(kind, span, "", place, entry.name)


def _terms(entry: OwnedReservation) -> tuple[tuple[Kind, datetime.date | None], ...]:
    return ("reservation_start", entry.start), ("reservation_end", entry.until)
