"""Checks of maintenance windows, TPU601 to TPU606, and of the scopes of exclusions, TPU619."""

import datetime
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog.records.facts import note_by_id
from pulumi_gke_tpu.core.catalog.records.platform import MaintenanceAvailability
from pulumi_gke_tpu.core.fleet.settings import ClusterSettings
from pulumi_gke_tpu.core.plan.upgrades import Maintenance, Window
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit, in_cluster, of_clusters, rule, warning
from pulumi_gke_tpu.core.schedule.availability import Openings, recurrence_of
from pulumi_gke_tpu.core.schedule.spans import NO_UPGRADES, is_plausible
from pulumi_gke_tpu.core.text.findings import Fix, Path, SetKeys, Severity, printable, quoted
from pulumi_gke_tpu.core.text.formats.recurrence import RecurrenceError, UnverifiedError, parse_recurrence


def maintained(context: PlanContext) -> Iterator[tuple[Maintenance, Path]]:
    """The `maintenance` of every cluster, with its path."""
    for cluster in context.fleet.clusters:
        if cluster.plan.maintenance is not None:
            yield cluster.plan.maintenance, (*cluster.path, "maintenance")


def _windows(context: PlanContext) -> Iterator[tuple[Window, Path]]:
    for maintenance, path in maintained(context):
        if maintenance.window is not None:
            yield maintenance.window, (*path, "window")


def _openings(window: Window, facts: MaintenanceAvailability, period: int) -> Openings | None:
    """The openings of a window; None if another rule reports its recurrence or its start."""
    if not is_plausible(window.start):
        return None
    try:
        return Openings.of(window, recurrence_of(window), facts, period)
    except RecurrenceError:
        return None


def _is_too_short(window: Window, facts: MaintenanceAvailability) -> bool:
    """Whether a window is shorter than the shortest piece of time that GKE counts."""
    return window.duration < datetime.timedelta(hours=facts.piece_hours)


def hours(duration: datetime.timedelta) -> str:
    """A duration in hours: 6 h, 3.5 h."""
    return f"{duration.total_seconds() / 3600:,.4g} h"


@rule(
    "TPU601",
    of_programs=True,
    about=of_clusters("maintenance.exclusions", "maintenance.window"),
    title="Maintenance exclusions without a window",
    why="the provider rejects maintenance exclusions in a cluster that has no maintenance window",
    fix="Add a maintenance window (`window`).",
    references=["OBSERVED_2026_11_20", "provider-cluster"],
    source="observed in tests: a preview rejects exclusions without a window",
    basis="observed",
    failing=in_cluster("""
maintenance:
  exclusions:
    launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
"""),
    edit=("maintenance:", "maintenance:\n  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"),
)
def exclusions_without_window(context: PlanContext) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        if maintenance.exclusions and maintenance.window is None:
            yield Hit.missing(
                path,
                "key `window`",
                "`exclusions` requires a maintenance window",
                given="exclusions:",
                fix=SetKeys.of(window={"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}),
            )


@rule(
    "TPU602",
    about=of_clusters("maintenance.window.duration"),
    title="Maintenance window is too short",
    why="GKE requires a maintenance window of at least 4 hours. It counts a shorter window as no maintenance time, "
    "so it rejects the window",
    fix="Lengthen the window.",
    references=["gke-maintenance", "google-skills-upgrades", "gke-exclusions-guide"],
    failing=in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 3h}
"""),
    edit=("duration: 3h", "duration: 4h"),
)
def maintenance_window_too_short(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.maintenance.availability
    for window, path in _windows(context):
        if _is_too_short(window, facts):
            length = f"the window lasts {hours(window.duration)}, which is below the minimum of {facts.piece_hours} h"
            yield Hit(
                (*path, "duration"),
                length if window.duration else "the window does not end after its start",
                fact=facts.for_item("piece_hours"),
                given=f"duration: {hours(window.duration)}",
                fix=_long_enough(window, facts) or SetKeys.of(duration=f"{facts.piece_hours}h"),
            )


@warning(
    "TPU603",
    about=of_clusters("maintenance.window.duration"),
    title="Maintenance window overlaps itself",
    why="the next window starts before the previous one ends, so maintenance can take place at more times than you "
    "intend",
    fix="Shorten the window, or make it recur less often.",
    source="Arithmetic: the duration is longer than the time between two starts",
    failing=in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 30h}
"""),
    edit=("duration: 30h", "duration: 24h"),
)
def overlapping_maintenance_windows(context: PlanContext) -> Iterable[Hit]:
    facts = context.catalog.maintenance.availability
    for window, path in _windows(context):
        openings = None if _is_too_short(window, facts) else _openings(window, facts, facts.rolling_days)
        if openings is not None and openings.overlap(window.duration):
            yield Hit(
                (*path, "duration"),
                f"the window lasts {hours(window.duration)}, so it is still open when the next window starts",
                given=f"duration: {hours(window.duration)}",
            )


@rule(
    "TPU604",
    about=of_clusters("maintenance.window.days", "maintenance.window.recurrence"),
    otherwise={Severity.WARNING: "if gke-tpu does not check a part of the recurrence"},
    title="Invalid recurrence",
    why="GKE supports only a part of RFC 5545, the standard for recurrences, and rejects any other recurrence",
    fix="Write a recurrence such as FREQ=WEEKLY;BYDAY=SA,SU, or use `days` instead.",
    fix_of_resources="Write a recurrence such as FREQ=WEEKLY;BYDAY=SA,SU.",
    references=["container-api-discovery", "gke-maintenance"],
    note="recurrence-form",
    failing=in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SATURDAY"}
"""),
    edit=('recurrence: "FREQ=WEEKLY;BYDAY=SATURDAY"', 'recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"'),
)
def invalid_recurrence(context: PlanContext) -> Iterable[Hit]:
    for window, path in _windows(context):
        if window.recurrence is None:
            continue
        try:
            parse_recurrence(window.recurrence)
        except RecurrenceError as error:
            unverified = isinstance(error, UnverifiedError)
            near = "" if unverified else _near(window.recurrence)
            yield Hit(
                (*path, "recurrence"),
                f"{'unverified' if unverified else 'invalid'} recurrence: {error}",
                severity=Severity.WARNING if unverified else None,
                given=f"recurrence: {printable(window.recurrence, 100)}",
                allowed=("a recurrence such as FREQ=DAILY or FREQ=WEEKLY;BYDAY=SA,SU",),
                fix=SetKeys.of(recurrence=near),
            )


def _near(text: str) -> str:
    """The recurrence without text that people often add to it; empty if it is invalid for another reason."""
    near = "".join(text[:1000].upper().split()).removeprefix("RRULE:").strip(";")
    try:
        parse_recurrence(near)
    except RecurrenceError:
        return ""
    return near


@rule(
    "TPU605",
    about=of_clusters("maintenance.window.recurrence"),
    title="Maintenance window provides too little time",
    why="GKE requires at least 48 hours of maintenance time in every period of 92 days, and it rejects a maintenance "
    "window that provides less",
    fix="Lengthen the window, or make it recur more often.",
    references=["gke-maintenance", "google-skills-upgrades", "gke-exclusions-guide", "gcpdiag"],
    failing=in_cluster("""
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, recurrence: "FREQ=MONTHLY;BYDAY=1SA"}
"""),
    edit=('recurrence: "FREQ=MONTHLY;BYDAY=1SA"', "days: [SAT, SUN]"),
)
def too_little_maintenance_time(context: PlanContext) -> Iterable[Hit]:
    """An error for a window that all sources exclude, and a warning for one that only older sources exclude."""
    facts = context.catalog.maintenance.availability
    for window, path in _windows(context):
        for item in () if _is_too_short(window, facts) else ("rolling_days", "older_rolling_days"):
            days = getattr(facts, item)
            openings = _openings(window, facts, days)
            least = openings.least(window.duration) if openings is not None else None
            if least is None or least.hours >= facts.min_hours:
                continue
            longer = _long_enough(window, facts)
            yield Hit(
                (*path, "duration" if longer or window.recurrence is None else "recurrence"),
                f"in the {days} days from {least.start:%Y-%m-%d %H:%M:%S} UTC, the maintenance window provides "
                f"{math.floor(least.hours * 10) / 10:,g} h. GKE requires at least {facts.min_hours} h, in "
                f"blocks of {facts.piece_hours} h or more",
                fact=facts.for_item(item),
                given=f"duration: {hours(window.duration)}",
                why="" if item == "rolling_days" else _ONLY_OLDER,
                fix=longer,
            )
            break


_FOUR_DIGITS = 1000
"""The first year that is written with four digits."""
_ONLY_OLDER = "Google's newer guidance accepts the window; according to its older page, GKE rejects it"


def _long_enough(window: Window, facts: MaintenanceAvailability) -> Fix | None:
    """The fewest whole hours that all sources accept; None if a day is not enough."""
    lengths = range(facts.piece_hours, 25)
    openings = _openings(window, facts, facts.older_rolling_days)
    if openings is None:
        return None

    def is_enough(length: int) -> bool:
        return openings.least(datetime.timedelta(hours=length)).hours >= facts.min_hours

    first = bisect_left(lengths, True, key=is_enough)
    return SetKeys.of(duration=f"{lengths[first]}h") if first < len(lengths) else None


@rule(
    "TPU606",
    about=of_clusters("maintenance.exclusions.*.start", "maintenance.window.start"),
    otherwise={Severity.WARNING: "if the year is 1000 or later"},
    title="Implausible year",
    why="a typing error in the year moves a window or an exclusion by centuries, and the GKE API requires four digits",
    fix="Correct the year.",
    source="gke-tpu: years that are probably typing errors",
    failing=in_cluster("""
maintenance:
  window: {start: 0226-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
"""),
    edit=("start: 0226-01-03T02:00:00Z", "start: 2026-01-03T02:00:00Z"),
)
def implausible_year(context: PlanContext) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        times: list[tuple[Path, datetime.datetime | None]] = []
        if maintenance.window is not None:
            times.append(((*path, "window", "start"), maintenance.window.start))
        for name, exclusion in maintenance.exclusions.items():
            times += [
                ((*path, "exclusions", name, "start"), exclusion.start),
                ((*path, "exclusions", name, "end"), exclusion.end),
            ]
        for place, time in times:
            if time is not None and not is_plausible(time):
                yield Hit(
                    place,
                    f"implausible year {time.year}",
                    severity=None if time.year < _FOUR_DIGITS else Severity.WARNING,
                    given=f"{place[-1]}: {time:%Y-%m-%d}",
                )


_WITHOUT_CHANNEL = in_cluster("""
release_channel: none
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
""")
"""The cluster of an example, up to the entries of its exclusions."""


@warning(
    "TPU619",
    about=of_clusters("maintenance.exclusions.*.scope", "release_channel", "slices.*.upgrade.auto_upgrade"),
    title="Exclusion scope requires a release channel",
    why="in a cluster without a release channel, automatic upgrades of nodes are controlled by each node pool, and an "
    "exclusion prevents all upgrades or none",
    fix="Set a release channel. Or use the scope no_upgrades, and `upgrade.auto_upgrade: false` in the slice groups.",
    references=["gke-release-channels-copy", "google-skills-upgrades"],
    failing=_WITHOUT_CHANNEL
    + """    hold: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: no_minor_upgrades}
""",
    edit=("no_minor_upgrades", "no_upgrades"),
)
def exclusion_scope_without_channel(context: PlanContext) -> Iterable[Hit]:
    fact = note_by_id(context.catalog.maintenance.notes, "exclusion-scope-channel")
    for cluster in context.fleet.clusters:
        maintenance = cluster.plan.maintenance
        if ClusterSettings(cluster).release_channel.value != "none" or cluster.existing or maintenance is None:
            continue
        for name, exclusion in maintenance.exclusions.items():
            if exclusion.scope != NO_UPGRADES:
                yield Hit(
                    (*cluster.path, "maintenance", "exclusions", name, "scope"),
                    f"scope {exclusion.scope} of exclusion {quoted(name)} requires a release channel",
                    fact=fact,
                    given=f"scope: {exclusion.scope}",
                    fix=SetKeys.of(scope=NO_UPGRADES) if exclusion.end else None,
                )
