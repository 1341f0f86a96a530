"""TPU60x: maintenance windows."""

import datetime
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.catalog.maintenance import MaintenanceWindows
from pulumi_gke_tpu.findings import Path, Severity, printable
from pulumi_gke_tpu.plan.cluster import Maintenance, Window
from pulumi_gke_tpu.rules.availability import Openings, recurrence_of
from pulumi_gke_tpu.rules.recurrence import RecurrenceError, UnjudgedError, parse_recurrence
from pulumi_gke_tpu.rules.rule import Context, Hit, Rule, rule

_WINDOWS = "GKE: maintenance windows and exclusions"
_FIRST_YEAR, _LAST_YEAR = 2000, 2199


def maintained(context: Context) -> Iterator[tuple[Maintenance, Path]]:
    """Every cluster's maintenance, with its place."""
    for cluster in context.fleet.clusters:
        if cluster.plan.maintenance is not None:
            yield cluster.plan.maintenance, (*cluster.path, "maintenance")


def is_sane(time: datetime.datetime) -> bool:
    """Whether a time can be meant at all."""
    return _FIRST_YEAR <= time.year <= _LAST_YEAR


def _windows(context: Context) -> Iterator[tuple[Window, Path]]:
    for maintenance, path in maintained(context):
        if maintenance.window is not None:
            yield maintenance.window, (*path, "window")


def _judged(context: Context) -> Iterator[tuple[Window, Openings, Path]]:
    """Windows whose recurrence can be calculated, and that are long enough to count at all."""
    for window, path in _windows(context):
        facts = context.catalog.maintenance.windows
        openings = None if window.duration < datetime.timedelta(hours=facts.piece_hours) else _openings(window, facts)
        if openings is not None:
            yield window, openings, path


def _openings(window: Window, facts: MaintenanceWindows) -> Openings | None:
    """When a window is open; None where its recurrence, or its start, is one that another rule reports."""
    if not is_sane(window.start):
        return None
    try:
        return Openings.of(window, recurrence_of(window), facts)
    except RecurrenceError:
        return None


def hours(duration: datetime.timedelta) -> str:
    """A duration as people say it: 6 h, 3.5 h."""
    return f"{duration.total_seconds() / 3600:,.4g} h"


@rule(
    "TPU601",
    title="Exclusions without a window",
    why="the provider refuses exclusions in a cluster that has no maintenance window",
    fix="Add a window.",
    source="pulumi-gcp: maintenance_policy; observed that a preview refuses it",
    failing="""
mode: standard
location: us-east5
maintenance:
  exclusions:
    launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
  exclusions:
    launch: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}
""",
)
def exclusions_without_window(context: Context) -> Iterable[Hit]:
    for maintenance, path in maintained(context):
        if maintenance.exclusions and maintenance.window is None:
            yield Hit(
                (*path, "exclusions"),
                "there are exclusions and no window",
                given="exclusions:",
                fix="window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}",
            )


@rule(
    "TPU602",
    title="Window is too short to count",
    why="GKE counts pieces of some hours at least, so this window leaves it no time for maintenance and is refused",
    fix="Make the window longer.",
    source=_WINDOWS,
    failing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 3h}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 4h}
""",
)
def window_too_short(context: Context) -> Iterable[Hit]:
    for window, path in _windows(context):
        facts = context.catalog.maintenance.windows
        if window.duration < datetime.timedelta(hours=facts.piece_hours):
            openings = _openings(window, facts)
            yield Hit(
                (*path, "duration"),
                f"a window of {hours(window.duration)} is shorter than {facts.piece_hours} h",
                fact=facts,
                given=f"duration: {hours(window.duration)}",
                fix=(_long_enough(openings) if openings is not None else "") or f"duration: {facts.piece_hours}h",
            )


@rule(
    "TPU603",
    title="Window is still open when the next one begins",
    why="such windows run into each other, so they open more than is meant",
    fix="Make the window shorter, or let it recur less often.",
    source="Arithmetic: the duration is longer than the time from one start to the next",
    severity=Severity.WARNING,
    failing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 30h}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 24h}
""",
)
def window_overlaps_itself(context: Context) -> Iterable[Hit]:
    for window, openings, path in _judged(context):
        if openings.overlap(window.duration):
            yield Hit(
                (*path, "duration"),
                f"a window of {hours(window.duration)} is still open when the next one begins",
                given=f"duration: {hours(window.duration)}",
            )


@rule(
    "TPU604",
    title="Recurrence cannot be read",
    why="GKE takes a part of RFC 5545 and refuses other text",
    fix="Write FREQ and what goes with it, or use `days`.",
    source="GKE API: RecurringTimeWindow.recurrence",
    failing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, recurrence: "FREQ=HOURLY"}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"}
""",
)
def recurrence_form(context: Context) -> Iterable[Hit]:
    for window, path in _windows(context):
        if window.recurrence is None:
            continue
        try:
            parse_recurrence(window.recurrence)
        except RecurrenceError as error:
            unjudged = isinstance(error, UnjudgedError)
            near = "" if unjudged else _near(window.recurrence)
            yield Hit(
                (*path, "recurrence"),
                f"the recurrence {'is doubtful' if unjudged else 'is wrong'}: {error}",
                severity=Severity.WARNING if unjudged else None,
                given=f"recurrence: {printable(window.recurrence, 100)}",
                allowed=("FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SA,SU", "FREQ=MONTHLY;BYDAY=1SA"),
                fix=f'recurrence: "{near}"' if near else "",
            )


def _near(text: str) -> str:
    """The same rule without what often stands around it by mistake; empty where that is not all."""
    near = "".join(text[:1000].upper().split()).removeprefix("RRULE:").strip(";")
    try:
        parse_recurrence(near)
    except RecurrenceError:
        return ""
    return near


@rule(
    "TPU605",
    title="Windows leave too little time",
    why="GKE refuses a window that leaves too little time for maintenance in some stretch of days",
    fix="Make the window longer or let it recur more often.",
    source=_WINDOWS,
    failing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT]}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
""",
)
def too_little_time(context: Context) -> Iterable[Hit]:
    for window, openings, path in _judged(context):
        facts = openings.facts
        least = openings.least(window.duration)
        if least.hours < facts.min_hours:
            longer = _long_enough(openings)
            yield Hit(
                (*path, "duration" if longer or window.recurrence is None else "recurrence"),
                f"in the {facts.rolling_days} days from {least.start:%Y-%m-%d} on, the window leaves "
                f"{math.floor(least.hours * 10) / 10:,g} h, and GKE needs {facts.min_hours} h in pieces of at least "
                f"{facts.piece_hours} h",
                fact=facts,
                given=f"duration: {hours(window.duration)}",
                fix=longer,
            )


def _long_enough(openings: Openings) -> str:
    """The shortest whole number of hours with which the same days would do; empty where a day is not enough."""
    facts = openings.facts
    lengths = range(facts.piece_hours, 25)

    def is_enough(length: int) -> bool:
        return openings.least(datetime.timedelta(hours=length)).hours >= facts.min_hours

    place = bisect_left(lengths, True, key=is_enough)
    return f"duration: {lengths[place]}h" if place < len(lengths) else ""


@rule(
    "TPU606",
    title="Year that cannot be meant",
    why="a slip in a date moves a window or an exclusion out of sight, and GKE's times have years of four digits",
    fix="Check the year.",
    source="Logic: no maintenance is planned for these years",
    failing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 0226-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
""",
    passing="""
mode: standard
location: us-east5
maintenance:
  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
""",
)
def year_out_of_range(context: Context) -> Iterable[Hit]:
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
            if time is not None and not is_sane(time):
                yield Hit(
                    place,
                    f"the year is {time.year}",
                    severity=None if time.year < 1000 else Severity.WARNING,
                    given=f"{place[-1]}: {time:%Y-%m-%d}",
                )


RULES: tuple[Rule, ...] = (
    exclusions_without_window,
    window_too_short,
    window_overlaps_itself,
    recurrence_form,
    too_little_time,
    year_out_of_range,
)
