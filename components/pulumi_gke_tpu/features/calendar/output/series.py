"""Maintenance windows that share a row: a daily window would otherwise hide everything else in the calendar."""

import datetime
import itertools
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.text.findings import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pulumi_gke_tpu.core.schedule.events import Event

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
