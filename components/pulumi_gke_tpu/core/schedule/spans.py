"""Periods of time, and maintenance exclusions as such, with the limits that GKE sets on those of all upgrades."""

import datetime
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.upgrades import Exclusion, Maintenance
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


NO_UPGRADES: Literal["no_upgrades"] = "no_upgrades"
NO_NODE_UPGRADES: Literal["no_minor_or_node_upgrades"] = "no_minor_or_node_upgrades"
PROTECTS_NODES = (NO_UPGRADES, NO_NODE_UPGRADES)
"""The scopes that prevent automatic upgrades of nodes. The third one allows new patch versions of nodes."""


def exclusion_span(exclusion: Exclusion) -> Span | None:
    """Start and end, if they are plausible and in order; None for an exclusion until the end of support."""
    if exclusion.end is None or exclusion.end <= exclusion.start:
        return None
    if not (is_plausible(exclusion.start) and is_plausible(exclusion.end)):
        return None
    return Span(exclusion.start, exclusion.end)


def whole_span(exclusion: Exclusion) -> Span | None:
    """The span of an exclusion, with an open end if it lasts until the end of support; None if it is implausible."""
    if exclusion.end_of_support:
        return Span(exclusion.start, OPEN_END) if is_plausible(exclusion.start) else None
    return exclusion_span(exclusion)


def blocking_spans(maintenance: Maintenance) -> list[Span]:
    """The spans that block all upgrades, in order of their start."""
    spans = (exclusion_span(item) for item in maintenance.exclusions.values() if item.scope == NO_UPGRADES)
    return sorted((span for span in spans if span is not None), key=lambda span: (span.start, span.end))


def protecting_spans(maintenance: Maintenance) -> list[Span]:
    """The spans without automatic upgrades of nodes."""
    spans = (whole_span(item) for item in maintenance.exclusions.values() if item.scope in PROTECTS_NODES)
    return [span for span in spans if span is not None]


def least_free(spans: Sequence[Span], days: int) -> tuple[datetime.timedelta, datetime.datetime | None]:
    """The least time that spans leave in any period of a number of days, and the begin of that period."""
    period = datetime.timedelta(days=days)
    begins = [span.start for span in spans] + [span.end - period for span in spans]
    return min(((_free(spans, begin, begin + period), begin) for begin in sorted(begins)), default=(period, None))


def _free(spans: Sequence[Span], begin: datetime.datetime, end: datetime.datetime) -> datetime.timedelta:
    """The time between begin and end that no span covers. The spans are in order of their start and may overlap."""
    free, reached = datetime.timedelta(), begin
    for span in spans:
        if span.start > reached:
            free += max(min(span.start, end) - reached, datetime.timedelta())
        reached = max(reached, min(span.end, end))
    return free + (end - reached)
