"""Draws slices, bars and the calendar as SVG. Colors come from the style of the page."""

import datetime
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import drawsvg
from markupsafe import Markup

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import duration_text, listed, number, printable, printable_path
from pulumi_gke_tpu.features.calendar.output.document import remark, subject

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.fleet import Shape
    from pulumi_gke_tpu.core.schedule.events import Calendar, Event
    from pulumi_gke_tpu.core.schedule.spans import Span

_MOST_CHIPS = 1024
"""The most chips that are drawn one by one; of a larger slice, only the hosts are drawn."""
_LAYERS_IN_A_ROW = 8
_LARGE, _SMALL, _HOST_ONLY = 12, 8, 3
"""The width of a chip in a grid, in a cube, and in a slice of which only the hosts are drawn."""
_LABEL = 13
"""The height of a line of text in a drawing."""
_CUBE = 112
"""The largest width and height of the picture of a cube."""
_COS, _SIN = math.cos(math.radians(30)), math.sin(math.radians(30))

_Point = tuple[float, float]


def svg(drawing: drawsvg.Drawing) -> str:
    """The markup of a drawing: numbers, and class names and words of ours."""
    return str(drawing.as_svg(header="", skip_js=True, skip_css=True)).replace("<defs>\n</defs>\n", "")


def digits(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def draws_chips(shape: "Shape") -> bool:
    """Whether the drawing of a slice has its chips, and not only its hosts."""
    return shape.chips <= _MOST_CHIPS


def cube_svg(shape: "Shape", catalog: Catalog) -> str:
    """The outside of a cube with the lengths of its sides; empty for a slice with one layer."""
    sides = _three(shape.topology)
    if min(sides) == 1:
        return ""
    unit = _CUBE / max((sides[0] + sides[1]) * _COS, (sides[0] + sides[1]) * _SIN + sides[2])
    x, y, z = (unit * side for side in sides)

    def at(a: float, b: float, c: float) -> _Point:
        return _LABEL * 2 + (a + y - b) * _COS, _LABEL / 2 + (a + b) * _SIN + (z - c)

    picture = drawsvg.Drawing(
        round((x + y) * _COS) + _LABEL * 4, round((x + y) * _SIN + z) + _LABEL * 2, class_="cube", aria_hidden="true"
    )
    faces = (
        ("top", [at(0, 0, z), at(x, 0, z), at(x, y, z), at(0, y, z)]),
        ("left", [at(0, y, z), at(x, y, z), at(x, y, 0), at(0, y, 0)]),
        ("right", [at(x, y, z), at(x, 0, z), at(x, 0, 0), at(x, y, 0)]),
    )
    for name, corners in faces:
        picture.append(drawsvg.Path(d=_polygon(corners), class_=name))
    block = _host_block(shape, catalog)
    picture.append(drawsvg.Path(d="".join(_edges(sides, block, unit, at)), class_="edge"))
    middles = (
        (sides[0], at(x / 2, y, 0), "end"),
        (sides[1], at(x, y / 2, 0), "start"),
        (sides[2], at(x, 0, z / 2), ""),
    )
    for length, (left, top), anchor in middles:
        shift = -4 if anchor == "end" else 4
        down = _LABEL if anchor else _LABEL / 3
        picture.append(
            drawsvg.Text(str(length), 11, round(left + shift), round(top + down), text_anchor=anchor or "start")
        )
    return svg(picture)


def _edges(
    sides: tuple[int, int, int], block: tuple[int, int, int], unit: float, at: Callable[[float, float, float], _Point]
) -> Iterator[str]:
    """The edges of hosts on the three visible faces."""
    x, y, z = (unit * side for side in sides)
    for a in range(0, sides[0] + 1, block[0]):
        yield _line(at(a * unit, 0, z), at(a * unit, y, z)) + _line(at(a * unit, y, z), at(a * unit, y, 0))
    for b in range(0, sides[1] + 1, block[1]):
        yield _line(at(0, b * unit, z), at(x, b * unit, z)) + _line(at(x, b * unit, z), at(x, b * unit, 0))
    for c in range(0, sides[2] + 1, block[2]):
        yield _line(at(0, y, c * unit), at(x, y, c * unit)) + _line(at(x, y, c * unit), at(x, 0, c * unit))


def _line(start: _Point, end: _Point) -> str:
    return f"M{digits(start[0])} {digits(start[1])}L{digits(end[0])} {digits(end[1])}"


def _polygon(corners: Sequence[_Point]) -> str:
    return f"M{'L'.join(f'{digits(left)} {digits(top)}' for left, top in corners)}z"


def slice_svg(shape: "Shape", catalog: Catalog) -> str:
    """The chips and hosts of one slice: a grid, or one grid for each layer of a cube.

    The block of a host is that of the single-host slice of its machine type.
    """
    columns, rows, layers = _three(shape.topology)
    width, height, depth = _host_block(shape, catalog)
    across, down, deep = columns // width, rows // height, layers // depth
    chip = _HOST_ONLY if not draws_chips(shape) else _SMALL if deep > 1 else _LARGE
    gap = 4 if draws_chips(shape) else 2
    inset = chip // 6
    side = chip - 2 * inset
    host = (width * chip + gap, height * chip + gap)
    title = _LABEL + 2 if deep > 1 else 0
    layer = (across * host[0] + 3 * gap, down * host[1] + 3 * gap + title)
    in_a_row = min(deep, _LAYERS_IN_A_ROW)
    picture = drawsvg.Drawing(
        in_a_row * layer[0] - 2 * gap, -(-deep // in_a_row) * layer[1] - 2 * gap, class_="slice", aria_hidden="true"
    )
    hosts, chips = [], []
    for index in range(deep):
        left, top = index % in_a_row * layer[0] + gap / 2, index // in_a_row * layer[1] + gap / 2
        if title:
            first, last = index * depth + 1, (index + 1) * depth
            name = f"{first}" if first == last else f"{first}-{last}"
            picture.append(drawsvg.Text(name, 11, digits(left), digits(top + _LABEL - 2)))
        for x in range(across):
            for y in range(down):
                corner = (left + x * host[0], top + title + y * host[1])
                hosts.append(_rectangle(*corner, width * chip, height * chip))
                if draws_chips(shape):
                    chips += [
                        _rectangle(corner[0] + a * chip + inset, corner[1] + b * chip + inset, side, side)
                        for a in range(width)
                        for b in range(height)
                    ]
    picture.append(drawsvg.Path(d="".join(hosts), class_="hosts" if chips else "hosts whole"))
    if chips:
        picture.append(drawsvg.Path(d="".join(chips), class_="chips"))
    return svg(picture)


def _rectangle(left: float, top: float, width: float, height: float) -> str:
    return f"M{digits(left)} {digits(top)}h{digits(width)}v{digits(height)}h-{digits(width)}z"


def bar_svg(parts: Iterable[tuple[str, int]], whole: int) -> str:
    """A bar of parts, each with a class and a size. If they exceed ``whole``, a line marks where it ends."""
    sizes = list(parts)
    scale = max(whole, sum(size for _, size in sizes), 1)
    picture = drawsvg.Drawing(100, 14, viewBox=None, class_="bar", aria_hidden="true").set_render_size("100%", 14)
    left = 0.0
    for name, size in sizes:
        if size > 0:
            width = 100 * size / scale
            picture.append(drawsvg.Rectangle(f"{digits(left)}%", 1, f"{digits(width)}%", 12, class_=name))
            left += width
    if 0 <= whole < scale:
        picture.append(drawsvg.Rectangle(f"{digits(100 * whole / scale)}%", 0, 3, 14, class_="limit"))
    return svg(picture)


def _three(topology: Topology) -> tuple[int, int, int]:
    """The dimensions, with one layer for a grid."""
    first, second, *rest = topology.dimensions
    return first, second, rest[0] if rest else 1


def _host_block(shape: "Shape", catalog: Catalog) -> tuple[int, int, int]:
    """The chips of a host by dimension: those of the single-host slice of the machine type that divides the slice."""
    sides = _three(shape.topology)
    rows = catalog.generation(shape.generation).topologies.rows
    found = [_three(Topology.parse(row.topology)) for row in rows if row.hosts == "single"]
    for block in found:
        for turned in (block, (block[1], block[0], block[2])):
            fits = all(side % part == 0 for side, part in zip(sides, turned, strict=True))
            if fits and turned[0] * turned[1] * turned[2] == shape.chips_per_host:
                return turned
    return (1, 1, 1)


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
