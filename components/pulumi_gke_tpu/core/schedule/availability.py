"""The least time that a maintenance window leaves for upgrades in any period of a number of days."""

import datetime
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from pulumi_gke_tpu.core.catalog.records.platform import MaintenanceAvailability
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.upgrades import Window
from pulumi_gke_tpu.core.schedule.spans import OPEN_END, Span, without
from pulumi_gke_tpu.core.text.formats.recurrence import Recurrence, parse_recurrence

_HOUR = 3600
_DAY = 24 * _HOUR
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_EARLIEST = datetime.datetime.min.replace(tzinfo=datetime.timezone.utc)
_CALENDAR_DAYS = 5 * 366
"""The days that are checked of recurrences that follow the calendar or end: they include a leap year."""


@frozen
class Period:
    """A period of days, and the hours in it that GKE counts as open."""

    start: datetime.datetime
    hours: float


def recurrence_of(window: Window) -> Recurrence:
    """The recurrence of a window.

    Raises:
        RecurrenceError: The text in the plan is not a valid recurrence.
    """
    if window.recurrence is not None:
        return parse_recurrence(window.recurrence)
    if window.days is None:
        return Recurrence("DAILY")
    order = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
    return Recurrence("WEEKLY", weekdays=tuple((0, order.index(day)) for day in window.days))


@frozen
class Openings:
    """The times at which a window opens, from its first start until the pattern repeats, in seconds since 1970."""

    starts: tuple[int, ...]
    first: int
    last: int
    """The latest start of a period that is checked."""
    period: int
    """The days of a period."""
    facts: MaintenanceAvailability

    @classmethod
    def of(cls, window: Window, recurrence: Recurrence, facts: MaintenanceAvailability, period: int) -> "Openings":
        """The openings of a window with a recurrence, for periods of ``period`` days."""
        days = _days_to_check(recurrence, period)
        starts = recurrence.starts(window.start, window.start + datetime.timedelta(days=days))
        first = _seconds(window.start)
        return cls(tuple(map(_seconds, starts)), first, first + (days - period) * _DAY, period, facts)

    def overlap(self, duration: datetime.timedelta) -> bool:
        """Whether one occurrence of this length is still open when the next one begins."""
        return any(later - earlier < duration.total_seconds() for earlier, later in pairwise(self.starts))

    def least(self, duration: datetime.timedelta) -> Period:
        """The period in which occurrences of this length leave the least time.

        Only pieces of at least ``piece_hours`` count, even if the start or the end of the period cuts an occurrence.
        """
        pieces = ((start, start + int(duration.total_seconds())) for start in self.starts)
        return _least(pieces, self.first, self.last, self.facts, self.period)


def openings(window: Window | None, span: Span) -> Iterator[Span]:
    """The times in a span at which GKE can maintain a cluster: without a window, at any time.

    Raises:
        RecurrenceError: The window has no valid recurrence.
    """
    if window is None:
        yield span
        return
    for opening in whole_openings(window, span):
        common = opening.common(span)
        if common is not None:
            yield common


def whole_openings(window: Window, span: Span) -> Iterator[Span]:
    """The openings of a window that have a part in a span, as a whole.

    Raises:
        RecurrenceError: The window has no valid recurrence.
    """
    recurrence, first = recurrence_of(window), window.start
    if recurrence.weekly:  # the days before the span need no visit: the pattern repeats
        cycle = datetime.timedelta(days=recurrence.interval * (7 if recurrence.frequency == "WEEKLY" else 1))
        before = min(window.duration, span.start - _EARLIEST)
        first += max((span.start - before - first) // cycle, 0) * cycle
    for start in recurrence.starts(first, span.end):
        try:
            opening = Span(start, start + window.duration)
        except OverflowError:
            opening = Span(start, OPEN_END)
        if opening.common(span) is not None:
            yield opening


def least_maintained(
    window: Window | None,
    blocked: Sequence[Span],
    around: Span,
    facts: MaintenanceAvailability,
    *,
    cut_counts: bool = False,
) -> Period | None:
    """The period of ``rolling_days`` with a part of ``around`` in which blocked spans leave a window the least time.

    With ``cut_counts``, a piece that the start or the end of the period cuts counts even if less than ``piece_hours``
    of it are left. None if the window starts after ``around``: before its first start, a window never opens.

    Raises:
        RecurrenceError: The window has no valid recurrence.
    """
    period = datetime.timedelta(days=facts.rolling_days)
    first = max(around.start - period, window.start) if window else around.start - period
    if first > around.end:
        return None
    left = without(openings(window, Span(first, around.end + period)), blocked)
    pieces = ((_seconds(span.start), _seconds(span.end)) for span in left)
    return _least(pieces, _seconds(first), _seconds(around.end), facts, facts.rolling_days, cut_counts=cut_counts)


def _least(
    pieces: Iterable[tuple[int, int]],
    first: int,
    last: int,
    facts: MaintenanceAvailability,
    period: int,
    *,
    cut_counts: bool = False,
) -> Period:
    """The period with a start from ``first`` to ``last`` in which pieces, in order of their start, leave the least."""
    span, shortest = period * _DAY, facts.piece_hours * _HOUR
    opened = _Opened(
        [piece for piece in _merged(pieces) if piece[1] - piece[0] >= shortest], span, 0 if cut_counts else shortest
    )
    # The sum is least where it has just dropped: where the rest of a piece has become too short.
    edges = {first, last, *(end - opened.shortest + 1 for _, end in opened.pieces)}
    seconds, at = min((opened.within(edge), edge) for edge in edges if first <= edge <= last)
    return Period(_EPOCH + datetime.timedelta(seconds=at), seconds / _HOUR)


class _Opened:
    """The times at which a window is open, and their sum in any period."""

    def __init__(self, pieces: list[tuple[int, int]], span: int, shortest: int) -> None:
        self.pieces, self.span, self.shortest = pieces, span, shortest
        self.starts = [start for start, _ in pieces]
        self.ends = [end for _, end in pieces]
        self.sums = [0, *accumulate(end - start for start, end in pieces)]

    def within(self, begin: int) -> int:
        """Seconds that count between ``begin`` and ``begin + span``."""
        finish = begin + self.span
        first, last = bisect_left(self.starts, begin), bisect_right(self.ends, finish)
        if first > last:  # one piece covers the whole period
            return self.span
        parts = [self.sums[last] - self.sums[first]]
        if first and self.ends[first - 1] > begin:
            parts.append(self.ends[first - 1] - begin)
        if last < len(self.pieces) and self.starts[last] < finish:
            parts.append(finish - self.starts[last])
        return parts[0] + sum(part for part in parts[1:] if part >= self.shortest)


def _days_to_check(recurrence: Recurrence, period: int) -> int:
    """The number of days to check until the pattern repeats."""
    if not recurrence.weekly:
        return _CALENDAR_DAYS
    cycle = recurrence.interval * (7 if recurrence.frequency == "WEEKLY" else 1)
    return min(2 * cycle, period) + 2 * period


def _seconds(time: datetime.datetime) -> int:
    return int((time - _EPOCH).total_seconds())


def _merged(pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces in order; pieces that touch are joined."""
    merged: list[tuple[int, int]] = []
    for start, end in pieces:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
