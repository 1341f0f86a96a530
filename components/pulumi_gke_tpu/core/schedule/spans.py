"""Periods of time: their union, and what is left of them."""

import datetime
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Moment

FIRST_YEAR, LAST_YEAR = 2000, 2199
OPEN_END = datetime.datetime(LAST_YEAR + 1, 1, 1, tzinfo=datetime.timezone.utc)
"""The end of a period that has none."""


@frozen
class Span:
    """The time from ``start`` until before ``end``, in UTC."""

    start: Moment
    end: Moment

    @property
    def length(self) -> datetime.timedelta:
        """The time between start and end."""
        return self.end - self.start

    def common(self, other: "Span") -> "Span | None":
        """The time that is in both; None if there is none."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Span(start, end) if start < end else None


def is_plausible(time: datetime.datetime) -> bool:
    """Whether the year of a time is plausible."""
    return FIRST_YEAR <= time.year <= LAST_YEAR


def midnight(day: datetime.date) -> datetime.datetime:
    """The beginning of a day in UTC."""
    return datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc)


def day_of(day: datetime.date) -> Span | None:
    """A day from midnight to midnight in UTC; None if its year is implausible, such as that of 9999-12-31."""
    start = midnight(day)
    return Span(start, start + datetime.timedelta(days=1)) if is_plausible(start) else None


def span_of(start: datetime.datetime, duration: datetime.timedelta) -> Span | None:
    """The time from a start for a duration; None if it is empty, or if one of its years is implausible."""
    try:
        end = start + duration
    except OverflowError:
        return None
    return Span(start, end) if start < end and is_plausible(start) and is_plausible(end) else None


def union(spans: Iterable[Span]) -> list[Span]:
    """Spans in order of their start; those that overlap or touch are joined."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def without(spans: Iterable[Span], removed: Iterable[Span]) -> Iterator[Span]:
    """What is left of spans without others, in order of their start. The spans of each may overlap."""
    gone = union(removed)
    ends = [span.end for span in gone]
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        start = span.start
        for number in range(bisect_right(ends, start), len(gone)):
            if gone[number].start >= span.end:
                break
            if gone[number].start > start:
                yield Span(start, gone[number].start)
            start = gone[number].end
        if start < span.end:
            yield Span(start, span.end)
