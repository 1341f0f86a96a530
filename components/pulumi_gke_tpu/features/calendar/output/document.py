"""The calendar as a document."""

import datetime
import itertools
from collections import Counter
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Group,
    Page,
    Paragraph,
    Table,
)
from pulumi_gke_tpu.core.text.findings import format_path, listed, number, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pulumi_gke_tpu.core.schedule.events import Addition, Calendar, ClusterSupport, Event, ReportedUpgrades

_LEAST = 3
"""The number of windows from which on they share a row."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def in_series(events: "Sequence[Event]", first: datetime.date) -> "Iterator[list[Event]]":
    """The events of each row: windows of one cluster at the same time of day together, everything else alone.

    Another event ends the series, so the rows stay in order of time. A window that opened before the ``first`` day of
    the calendar is not part of a series.
    """
    for of_windows, neighbors in itertools.groupby(events, key=lambda event: event.kind == "window"):
        if not of_windows:
            yield from ([event] for event in neighbors)
            continue
        alike: dict[tuple[object, ...], list[Event]] = {}
        for event in neighbors:
            start, end = event.span.start, event.span.end
            key = (event.plan, event.place, f"{start:%H:%M:%S}", end - start, start.date() < first)
            alike.setdefault(key, []).append(event)
        rows = [row for one in alike.values() for row in ([one] if len(one) >= _LEAST else [[each] for each in one])]
        yield from sorted(rows, key=lambda row: row[0].span.start)


def repeated(windows: "Sequence[Event]") -> str:
    """The last day of windows, with their days of the week if there is one on each of these days until then."""
    days = [window.span.start.date() for window in windows]
    weekdays = sorted({day.weekday() for day in days})
    between = (days[0] + datetime.timedelta(days=number) for number in range((days[-1] - days[0]).days + 1))
    if sum(day.weekday() in weekdays for day in between) != len(days):
        return f"until {days[-1]}"
    every = "day" if len(weekdays) == len(_WEEKDAYS) else listed([_WEEKDAYS[weekday] for weekday in weekdays])
    return f"every {every}, until {days[-1]}"


def subject(event: "Event") -> str:
    """What happens, in a few words."""
    name = printable(event.name)
    return {
        "run": f"run {name}",
        "window": "maintenance window",
        "exclusion": f"exclusion {name}",
        "node_end": f"flex-start nodes of run {name} end",
        "reservation_start": f"reservation {name} begins",
        "reservation_end": f"reservation {name} ends",
        "support_end": f"support of GKE {name} ends",
    }[event.kind]


def remark(event: "Event") -> str:
    """What matters about an event: the scope of an exclusion, or what can interrupt a run."""
    if event.scope:
        return f"{event.scope}{', until the end of support' if event.open_end else ''}"
    if event.possible:
        return "if the run is on flex-start nodes"
    if event.kind == "support_end":
        return "GKE upgrades clusters of this version, despite windows and exclusions"
    if event.coverage is None:
        return ""
    preempted = ["Spot VMs can be preempted at any time"] if event.spot else []
    return "; ".join([event.coverage.text, *preempted])


def exclusions_to_add(calendar: "Calendar") -> "Iterator[tuple[str, str]]":
    """For each cluster with runs that upgrades can interrupt: the place in the plan, and the YAML to paste."""
    for item in calendar.additions:
        plan = f"{item.plan}: " if len(calendar.plans) > 1 else ""
        yield f"{plan}{addition_text(item.addition)}", item.addition.text


def addition_text(addition: "Addition") -> str:
    """What to do with the YAML of an addition, and the runs that it does not cover."""
    path = format_path(addition.path)
    left = f"; no exclusion is left for {listed([f'run {printable(name)}' for name in addition.left], most=3)}"
    return f"{f'replace {path} with' if addition.replaces else f'add to {path}'}{left if addition.left else ''}"


def support_texts(calendar: "Calendar") -> tuple[str, ...]:
    """The end of support of each cluster, with its plan if another plan has a cluster of the same name."""
    return tuple(f"{_cluster(item, calendar)}: {_until(item)}" for item in calendar.support)


def _cluster(item: "ClusterSupport", calendar: "Calendar") -> str:
    keys = Counter(each.cluster for each in calendar.support)
    return f"{f'{item.plan} ' if keys[item.cluster] > 1 else ''}{printable(item.cluster)}"


def _at_any_time(calendar: "Calendar") -> tuple[str, ...]:
    """The clusters that GKE can upgrade on each of the days."""
    clusters = [_cluster(item, calendar) for item in calendar.support if item.upgrades_at_any_time]
    return (f"{listed(clusters, most=5)}: at any time, because there is no maintenance window",) if clusters else ()


def _until(item: "ClusterSupport") -> str:
    support = item.support
    if not support.version:
        return f"unknown, because the plan does not set `{item.key}`"
    version = f"GKE {support.version}{' in the Extended channel' if support.extended else ''}"
    if support.fact is None or support.end is None:
        return f"unknown, because the catalog has no date for {version}"
    newer = ", unless the cluster runs a newer version" if support.minimum else ""
    source = f"{', '.join(support.fact.source)}, {support.fact.as_of}, confidence {support.fact.confidence}"
    return f"{version} until {support.end.date()}{newer} ({source})"


def _reported(item: "ReportedUpgrades") -> str:
    """What GKE reports about a cluster, with the command and the date."""
    ends = (("standard support until", item.standard_end), ("extended support until", item.extended_end))
    targets = (("next minor upgrade to", item.minor_target), ("next patch to", item.patch_target))
    because = f" ({listed(item.paused, most=5)})" if item.paused else ""
    states = [("automatic upgrades", f"{listed(item.statuses, most=5)}{because}")] if item.statuses else []
    told = [f"{what} {printable(value, 100)}" for what, value in (*ends, *states, *targets) if value]
    source = f"gcloud container clusters get-upgrade-info, {item.taken}"
    shown = f"not read, {item.missing}" if item.missing else "; ".join(told) or "no dates"
    return f"{printable(item.cluster)}: {shown} ({source})"


def title(calendar: "Calendar") -> str:
    """Plans, days, and the dates of the data."""
    plans = calendar.plans[0] if len(calendar.plans) == 1 else number(len(calendar.plans), "plan")
    inventory = f"inventory {calendar.as_of}" if calendar.as_of else "no inventory"
    days = f"{calendar.first} to {calendar.last}"
    return f"{plans} · {days} · {inventory} · catalog {printable(calendar.catalog_version, 60)}"


_COLUMNS = (
    Column("day", whole=True),
    Column("from", whole=True),
    Column("until", whole=True),
    Column("event"),
    Column("where"),
    Column("remark"),
)


def calendar_page(calendar: "Calendar") -> Page:
    """The calendar as a table of days, with its notes."""
    return Page(title(calendar), _blocks(calendar), heading="Calendar")


def _blocks(calendar: "Calendar") -> Document:
    several = len(calendar.plans) > 1
    blocks: list[Block] = [Table(_COLUMNS, list(_rows(calendar, several=several)))]
    if not calendar.events:
        blocks = [Paragraph("No events in these days.")]
    return [
        *blocks,
        *(
            Group([Paragraph(f"Exclusions to add: {place}:"), Code(text)])
            for place, text in exclusions_to_add(calendar)
        ),
        Bullets(_at_any_time(calendar), label="upgrades", title="Upgrades:"),
        Bullets(support_texts(calendar), label="end of support", title="End of support:"),
        Bullets(
            [
                f"{_place(item.plan, several=several)}{printable(item.group)}: {item.text}"
                for item in calendar.idle_maintenance
            ],
            label="idle hosts",
            title="Idle hosts:",
        ),
        Bullets([*map(_reported, calendar.reported)], label="reported by GKE", title="Reported by GKE:"),
        Bullets(
            [
                f"{note.text} ({', '.join(note.source)}, {note.as_of}, confidence {note.confidence})"
                for note in calendar.notes
            ],
            label="note",
        ),
    ]


def _rows(calendar: "Calendar", *, several: bool) -> "Iterator[tuple[str, ...]]":
    before = None
    for event, *others in in_series(calendar.events, calendar.first):
        day = max(event.span.start.date(), calendar.first)
        shown = "" if day == before else f"{day:%Y-%m-%d %a}"
        where = f"{_place(event.plan, several=several)}{printable(event.place)}"
        if others:
            begin, end = (f"{time:%H:%M}" for time in (event.span.start, event.span.end))
            yield shown, begin, end, number(len(others) + 1, subject(event)), where, repeated([event, *others])
        else:
            yield shown, *_times(event, day), subject(event), where, remark(event)
        before = day


def _place(plan: str, *, several: bool) -> str:
    return f"{plan} " if several and plan else ""


def _times(event: "Event", day: datetime.date) -> tuple[str, str]:
    """When the event begins and ends, in UTC: the time, with the day if it is another one."""
    if event.whole_day:
        return "", ""
    begin = _time(event.span.start, day)
    if event.moment or event.open_end:
        return begin, ""
    return begin, _time(event.span.end, day)


def _time(time: datetime.datetime, day: datetime.date) -> str:
    return f"{time:%H:%M}" if time.date() == day else f"{time:%Y-%m-%d %H:%M}"
