"""The calendar of the report: one row for each window, exclusion, run and limit, with its place on a time line."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import drawsvg
from markupsafe import Markup

from pulumi_gke_tpu.estimate import shown_usd
from pulumi_gke_tpu.findings import number, printable
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.render.calendar.words import exclusions_to_add, remark, subject, support_text

if TYPE_CHECKING:
    from pulumi_gke_tpu.recommend.costs import Costs
    from pulumi_gke_tpu.recommend.run_costs import RunCost
    from pulumi_gke_tpu.schedule.events import Calendar, Event

_WIDTH, _HEIGHT = 400, 16
_LEAST_WIDTH = 3
"""The width of an event that is too short to be seen at its own length."""
_INTERRUPTED = ("interrupted", "impossible")


@frozen
class Lane:
    """An event, or all maintenance windows of a cluster."""

    what: str
    place: str
    when: str
    remark: str
    svg: str
    """Markup of our own: numbers and fixed class names."""


@frozen
class Timeline:
    """The calendar of the report."""

    first: str
    last: str
    lanes: tuple[Lane, ...]
    proposals: tuple[tuple[str, str], ...]
    """Clusters, and the exclusions to add to them."""
    support: tuple[str, ...]
    notes: tuple[str, ...]
    """Interruptions that no exclusion prevents."""


def timeline(calendar: "Calendar", costs: "Costs") -> Timeline:
    """The calendar as rows, by plan and place, with the cost of each run."""
    several = len(calendar.plans) > 1
    amounts = {(plan.name, run.run): _cost(run) for plan in costs.plans for run in plan.runs.runs}
    return Timeline(
        first=str(calendar.first),
        last=str(calendar.last),
        lanes=tuple(_lane(calendar, events, amounts, several=several) for events in _by_lane(calendar.events)),
        proposals=tuple(exclusions_to_add(calendar)),
        support=tuple(support_text(item) for item in calendar.support),
        notes=tuple(note.text for note in calendar.notes),
    )


def _by_lane(events: Sequence["Event"]) -> Iterator[list["Event"]]:
    """The windows of a cluster together, every other event alone, by plan and cluster. The order of time stays."""
    lanes: dict[tuple[str, ...], list[Event]] = {}
    for index, event in enumerate(events):
        cluster = event.place.partition("/")[0] if event.plan else event.place
        rank = "0" if event.kind == "window" else f"1{index:09}"
        lanes.setdefault(("" if event.plan else "~", event.plan, cluster, rank), []).append(event)
    for key in sorted(lanes):
        yield lanes[key]


def _cost(run: "RunCost") -> str:
    if run.usd is None:
        return "cost unknown"
    return f"{shown_usd(run.usd)} USD{' at a price of low confidence' if run.rate.doubtful else ''}"


def _lane(calendar: "Calendar", events: list["Event"], amounts: dict[tuple[str, str], str], *, several: bool) -> Lane:
    first = events[0]
    plan = f"{first.plan} " if several and first.plan else ""
    many = len(events) > 1
    cluster = first.place.partition("/")[0]
    cost = amounts.get((first.plan, f"{cluster}/{first.name}"), "") if first.kind == "run" else ""
    return Lane(
        what=number(len(events), "maintenance window") if many else subject(first),
        place=f"{plan}{printable(first.place)}",
        when=f"first: {_when(first)}" if many else _when(first),
        remark="; ".join(text for text in (remark(first), cost) if text),
        svg=Markup(_svg(calendar, events)),
    )


def _when(event: "Event") -> str:
    start, end = event.span.start, event.span.end
    if event.whole_day:
        return f"{start:%Y-%m-%d}"
    if event.moment or event.open_end:
        return f"{'from ' if event.open_end else ''}{start:%Y-%m-%d %H:%M}"
    same_day = start.date() == end.date()
    return f"{start:%Y-%m-%d %H:%M} to {end:%H:%M}" if same_day else f"{start:%Y-%m-%d %H:%M} to {end:%Y-%m-%d %H:%M}"


def _svg(calendar: "Calendar", events: Iterable["Event"]) -> str:
    """Bars on a line from the first to the last day, with a mark at the first day of each month."""
    picture = drawsvg.Drawing(_WIDTH, _HEIGHT, id_prefix="line", class_="line", preserveAspectRatio="none")
    begin = _midnight(calendar.first)
    whole = (_midnight(calendar.last) - begin).total_seconds() + 86_400

    def at(time: datetime.datetime) -> float:
        return round(min(max((time - begin).total_seconds() / whole, 0), 1) * _WIDTH, 2)

    picture.append(drawsvg.Rectangle(0, _HEIGHT // 2, _WIDTH, 1, class_="axis"))
    day = calendar.first
    while (day := _next_month(day)) <= calendar.last:
        picture.append(drawsvg.Rectangle(at(_midnight(day)), 0, 1, _HEIGHT, class_="axis"))
    for event in events:
        left = at(event.span.start)
        width = round(max(at(event.span.end) - left, _LEAST_WIDTH), 2)
        left = round(min(left, _WIDTH - width), 2)
        picture.append(drawsvg.Rectangle(left, 3, width, _HEIGHT - 6, rx=1, class_=_style(event)))
    return str(picture.as_svg(header="", skip_js=True, skip_css=True))


def _style(event: "Event") -> str:
    if event.coverage is not None and event.coverage.state in _INTERRUPTED:
        return "bar cut"
    return f"bar {event.kind.partition('_')[0]}"


def _next_month(day: datetime.date) -> datetime.date:
    return (day.replace(day=1) + datetime.timedelta(days=32)).replace(day=1)


def _midnight(day: datetime.date) -> datetime.datetime:
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)
