"""How much time a maintenance window leaves for upgrades: the least in any stretch of so many days."""

import datetime
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pulumi_gke_tpu.catalog.records.maintenance import MaintenanceAvailability
from pulumi_gke_tpu.formats.recurrence import Recurrence, parse_recurrence
from pulumi_gke_tpu.plan.cluster import Window

_HOUR = 3600
_DAY = 24 * _HOUR
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_CALENDAR_DAYS = 5 * 366
"""How far rules that follow the calendar, or end, are looked at: every leap year is in it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of days, and how much of it the window opens, in hours that count."""

    start: datetime.datetime
    hours: float


def recurrence_of(window: Window) -> Recurrence:
    """The rule by which a window recurs.

    Raises:
        RecurrenceError: the plan's text is no such rule.
    """
    if window.recurrence is not None:
        return parse_recurrence(window.recurrence)
    if window.days is None:
        return Recurrence("DAILY")
    order = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
    return Recurrence("WEEKLY", weekdays=tuple((0, order.index(day)) for day in window.days))


@dataclass(frozen=True, slots=True)
class Openings:
    """When a window opens, from its first start on until everything repeats. Times are seconds since 1970."""

    starts: tuple[int, ...]
    first: int
    last: int
    """The last moment from which a stretch is looked at."""
    stretch: int
    """The days of a stretch."""
    facts: MaintenanceAvailability

    @classmethod
    def of(cls, window: Window, rule: Recurrence, facts: MaintenanceAvailability, stretch: int) -> "Openings":
        """The openings of a window that recurs by a rule, for stretches of so many days."""
        days = _days_to_look_at(rule, stretch)
        starts = rule.starts(window.start, window.start + datetime.timedelta(days=days))
        first = _seconds(window.start)
        return cls(tuple(map(_seconds, starts)), first, first + (days - stretch) * _DAY, stretch, facts)

    def overlap(self, duration: datetime.timedelta) -> bool:
        """Whether one occurrence of this length is still open when the next one begins."""
        return any(later - earlier < duration.total_seconds() for earlier, later in pairwise(self.starts))

    def least(self, duration: datetime.timedelta) -> Stretch:
        """The stretch in which occurrences of this length leave the shortest time.

        Only pieces of at least ``piece_hours`` count, also where the stretch itself cuts an occurrence.
        """
        span, shortest = self.stretch * _DAY, self.facts.piece_hours * _HOUR
        pieces = _merged((start, start + int(duration.total_seconds())) for start in self.starts)
        opened = _Opened([piece for piece in pieces if piece[1] - piece[0] >= shortest], span, shortest)
        # Time is lost in steps: when what is left of a piece gets too short, or before a new piece is long enough.
        edges = {self.first, self.last}
        for start, end in opened.pieces:
            edges.add(end - shortest + 1)
            edges.add(start + shortest - span - 1)
        seconds, at = min((opened.within(edge), edge) for edge in edges if self.first <= edge <= self.last)
        return Stretch(_EPOCH + datetime.timedelta(seconds=at), seconds / _HOUR)


class _Opened:
    """The times at which a window is open, as a sum that can be asked for any stretch."""

    def __init__(self, pieces: list[tuple[int, int]], span: int, shortest: int) -> None:
        self.pieces, self.span, self.shortest = pieces, span, shortest
        self.starts = [start for start, _ in pieces]
        self.ends = [end for _, end in pieces]
        self.sums = [0, *accumulate(end - start for start, end in pieces)]

    def within(self, begin: int) -> int:
        """Seconds that count between ``begin`` and ``begin + span``."""
        finish = begin + self.span
        first, last = bisect_left(self.starts, begin), bisect_right(self.ends, finish)
        if first > last:  # one piece covers the whole stretch
            return self.span
        parts = [self.sums[last] - self.sums[first]]
        if first and self.ends[first - 1] > begin:
            parts.append(self.ends[first - 1] - begin)
        if last < len(self.pieces) and self.starts[last] < finish:
            parts.append(finish - self.starts[last])
        return parts[0] + sum(part for part in parts[1:] if part >= self.shortest)


def _days_to_look_at(rule: Recurrence, stretch: int) -> int:
    """How many days have to be looked at, until everything repeats."""
    if not rule.weekly:
        return _CALENDAR_DAYS
    period = rule.interval * (7 if rule.frequency == "WEEKLY" else 1)
    return min(2 * period, stretch) + 2 * stretch


def _seconds(time: datetime.datetime) -> int:
    return int((time - _EPOCH).total_seconds())


def _merged(pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces in order, those that touch joined."""
    merged: list[tuple[int, int]] = []
    for start, end in pieces:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
