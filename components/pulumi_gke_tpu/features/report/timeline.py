"""The calendar in the report: one row with words and a drawing for each run, exclusion, reservation and window."""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import drawsvg
from markupsafe import Markup

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable, printable_path
from pulumi_gke_tpu.features.calendar.output.words import remark, subject
from pulumi_gke_tpu.features.report.drawing import digits, svg

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.schedule.events import Calendar, Event
    from pulumi_gke_tpu.core.schedule.spans import Span

_HEIGHT = 20
_MOST_OPENINGS = 40
"""The most openings of a window that a row lists."""
_MOST_PLACES = 6
_WEEKS, _MONTHS = 63, 300
"""Up to so many days, the axis has weeks; up to so many, months; above, quarters."""
_SYMBOLS = {"covered": "✓", "clear": "✓", "exempt": "✓", "interrupted": "✗", "impossible": "✗", "unknown": "?"}
_HOUR = datetime.timedelta(hours=1)


@frozen
class TimeRow:
    """A row of the calendar."""

    symbol: str
    """A mark beside the words, so that no state is shown by color alone."""
    title: str
    place: str
    when: str
    remark: str
    state: str
    """The state of a run; the kind of other events."""
    openings: str
    """The openings of a window."""
    svg: Markup


@frozen
class TimeLine:
    """The rows in the order of places, and what is above them."""

    first: str
    last: str
    axis: Markup
    rows: tuple[TimeRow, ...]


def time_line(calendar: "Calendar") -> TimeLine:
    """The rows of a calendar. Windows that open at the same times have one row."""
    line = _Line(calendar)
    return TimeLine(str(calendar.first), str(calendar.last), line.axis(), tuple(_rows(calendar, line)))


def _rows(calendar: "Calendar", line: "_Line") -> "Iterator[TimeRow]":
    """Reservations, then the runs, exclusions and ends of support of each cluster, then windows."""
    several = len(calendar.plans) > 1
    for events in _by(calendar, ("reservation_start", "reservation_end"), lambda event: (event.place, event.name)):
        yield _reservation(events, line)
    ends = {_run_of(events[0]): events for events in _by(calendar, ("node_end",), _run_of)}
    for events in _by(calendar, ("run", "exclusion", "support_end"), _cluster_of):
        for event in sorted(events, key=lambda item: _ORDER[item.kind]):
            yield _single(event, ends.pop(_run_of(event), []) if event.kind == "run" else [], line, several=several)
    for events in ends.values():  # of runs that are over before the first day
        yield from (_single(event, [], line, several=several) for event in events)
    same: dict[tuple[Span, ...], list[Event]] = {}
    for events in _by(calendar, ("window",), _cluster_of):
        same.setdefault(tuple(event.span for event in events), []).append(events[0])
    for spans, events in same.items():
        yield _window(spans, events, line, several=several)


_ORDER = {"run": 0, "exclusion": 1, "support_end": 2}


def _by(calendar: "Calendar", kinds: Sequence[str], key: "Callable[[Event], tuple[str, ...]]") -> "list[list[Event]]":
    """The events of some kinds that have the same key, sorted by it."""
    found: dict[tuple[str, ...], list[Event]] = {}
    for event in calendar.events:
        if event.kind in kinds:
            found.setdefault(key(event), []).append(event)
    return [found[each] for each in sorted(found)]


def _cluster_of(event: "Event") -> tuple[str, ...]:
    return event.plan, event.place.partition("/")[0]


def _run_of(event: "Event") -> tuple[str, ...]:
    return event.plan, event.place, event.name


def _single(event: "Event", ends: "Sequence[Event]", line: "_Line", *, several: bool) -> TimeRow:
    coverage = event.coverage
    remarks = [remark(event), *(f"{subject(end)} {_minute(end.span.start)}" for end in ends)]
    return TimeRow(
        symbol=_SYMBOLS[coverage.state] if coverage is not None else "",
        title=subject(event),
        place=_place(event, several=several),
        when=_when(event),
        remark="; ".join(part for part in remarks if part),
        state=coverage.state if coverage is not None else event.kind,
        openings="",
        svg=line.event(event, coverage.openings if coverage is not None else (), [end.span for end in ends]),
    )


def _window(spans: "Sequence[Span]", events: "Sequence[Event]", line: "_Line", *, several: bool) -> TimeRow:
    length = duration_text(spans[0].length)
    return TimeRow(
        symbol="",
        title=number(len(spans), "maintenance window"),
        place=listed([_place(event, several=several) for event in events], most=_MOST_PLACES),
        when=f"first {_minute(spans[0].start)}, last {_minute(spans[-1].start)}",
        remark=f"{length} each" if len({span.length for span in spans}) == 1 else "",
        state="window",
        openings=listed([_minute(span.start) for span in spans], "", most=_MOST_OPENINGS),
        svg=line.windows(spans),
    )


def _reservation(events: "Sequence[Event]", line: "_Line") -> TimeRow:
    return TimeRow(
        symbol="",
        title=f"reservation {printable(events[0].name)}",
        place=printable(events[0].place),
        when="; ".join(f"{_VERBS[event.kind]} {event.span.start:%Y-%m-%d}" for event in events),
        remark="",
        state="reservation",
        openings="",
        svg=line.reservation(events),
    )


_VERBS = {"reservation_start": "begins", "reservation_end": "ends"}


def _place(event: "Event", *, several: bool) -> str:
    return printable_path(f"{event.place} in {event.plan}" if several and event.plan else event.place)


def _when(event: "Event") -> str:
    if event.whole_day:
        return f"{event.span.start:%Y-%m-%d}"
    if event.moment:
        return _minute(event.span.start)
    end = "the end of support" if event.open_end else _minute(event.span.end)
    return f"{_minute(event.span.start)} to {end}"


def _minute(time: datetime.datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"


class _Line:
    """Draws on a scale of hours. The page stretches a drawing to the width of its column."""

    def __init__(self, calendar: "Calendar") -> None:
        first = calendar.first
        self.start = datetime.datetime(first.year, first.month, first.day, tzinfo=datetime.timezone.utc)
        self.days = (calendar.last - calendar.first).days + 1
        self.hours = 24 * self.days
        self.ticks = list(self._ticks(calendar))
        self.grid = "".join(f"M{24 * day} 0v{_HEIGHT}" for day, _ in self.ticks)

    def _ticks(self, calendar: "Calendar") -> Iterator[tuple[int, str]]:
        """The days after the first with a line, and their names."""
        for index in range(self.days):
            day = calendar.first + datetime.timedelta(days=index)
            if self.days <= _WEEKS:
                if day.weekday() == 0:
                    yield index, f"{day:%d} {day:%b}"
            elif day.day == 1 and (self.days <= _MONTHS or day.month in (1, 4, 7, 10)):
                yield index, f"{day:%b %Y}"

    def axis(self) -> Markup:
        """The names of weeks, months or quarters."""
        picture = drawsvg.Drawing(100, _HEIGHT, viewBox=None, class_="axis", aria_hidden="true")
        picture.set_render_size("100%", _HEIGHT)
        for day, name in self.ticks:
            if day * 8 <= self.days * 7:  # a name at the right end would not fit
                picture.append(drawsvg.Text(name, 11, f"{digits(100 * day / self.days)}%", 14))
        return Markup(svg(picture))

    def _drawing(self, parts: Iterable[tuple[str, str]]) -> Markup:
        picture = drawsvg.Drawing(
            self.hours, _HEIGHT, preserveAspectRatio="none", class_="line", aria_hidden="true"
        ).set_render_size("100%", _HEIGHT)
        for name, path in (("grid", self.grid), *parts):
            if path:
                picture.append(drawsvg.Path(d=path, class_=name))
        return Markup(svg(picture))

    def _at(self, time: datetime.datetime) -> float:
        return min(max((time - self.start) / _HOUR, 0), self.hours)

    def _box(self, span: "Span", top: int, height: int) -> str:
        left, right = self._at(span.start), self._at(span.end)
        return f"M{digits(left)} {top}H{digits(right)}v{height}H{digits(left)}z"

    def event(self, event: "Event", openings: "Sequence[Span]", ends: "Sequence[Span]") -> Markup:
        """A bar, the openings in which upgrades can interrupt it, and the moments at which nodes end."""
        name = event.coverage.state if event.coverage is not None else event.kind
        if event.moment or event.whole_day:
            return self._drawing([(name, f"M{digits(self._at(event.span.start))} 2v{_HEIGHT - 4}")])
        return self._drawing(
            [
                (f"item {name}", self._box(event.span, 5, 10)),
                ("opening", "".join(self._box(span, 1, 18) for span in openings)),
                ("end", "".join(f"M{digits(self._at(span.start))} 1v18" for span in ends)),
            ]
        )

    def windows(self, spans: "Sequence[Span]") -> Markup:
        """All openings of a window."""
        return self._drawing([("item window", "".join(self._box(span, 4, 12) for span in spans))])

    def reservation(self, events: "Sequence[Event]") -> Markup:
        """The days of a reservation from its begin, or from the left, to its end, or to the right."""
        begins = [self._at(event.span.start) for event in events if event.kind == "reservation_start"]
        ends = [self._at(event.span.end) for event in events if event.kind == "reservation_end"]
        left, right = begins[0] if begins else 0, ends[0] if ends else self.hours
        marks = "".join(f"M{digits(at)} 1v18" for at in (*begins, *ends))
        return self._drawing(
            [("item reservation", f"M{digits(left)} 5H{digits(right)}v10H{digits(left)}z"), ("end", marks)]
        )
