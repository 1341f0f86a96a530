"""Maintenance windows in one row of the calendar."""

import datetime
from typing import get_args

import pytest

from pulumi_gke_tpu.core.schedule.events import Event, Kind
from pulumi_gke_tpu.core.schedule.spans import Span
from pulumi_gke_tpu.features.calendar.output.document import in_series, repeated

FIRST = datetime.date(2026, 12, 1)


def event(day: int, hour: int = 2, *, kind: Kind = "window", place: str = "train", hours: int = 6) -> Event:
    start = datetime.datetime(2026, 12, 1, hour, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=day - 1)
    return Event(kind, Span(start, start + datetime.timedelta(hours=hours)), "plan.yaml", place, "")


def test_three_windows_share_a_row_and_two_do_not() -> None:
    windows = [event(day) for day in (5, 6, 12)]
    assert list(in_series(windows, FIRST)) == [windows]
    assert list(in_series(windows[:2], FIRST)) == [[windows[0]], [windows[1]]]


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if kind != "window"])
def test_another_event_ends_a_series(kind: Kind) -> None:
    before, other, after = [event(day) for day in (1, 2, 3)], event(4, kind=kind), [event(day) for day in (4, 5, 6, 7)]
    assert list(in_series([*before, other, *after], FIRST)) == [before, [other], after]


@pytest.mark.parametrize(
    "other",
    [event(1, place="other"), event(1, hour=3), event(1, hours=4)],
    ids=["cluster", "time of day", "length"],
)
def test_windows_that_differ_are_in_rows_of_their_own(other: Event) -> None:
    windows = [event(day) for day in (1, 2, 3)]
    assert list(in_series([windows[0], other, *windows[1:]], FIRST)) == [windows, [other]]


def test_a_window_that_opened_before_the_first_day_is_in_a_row_of_its_own() -> None:
    early, *others = [event(day, hour=22) for day in (0, 1, 2, 3)]
    assert list(in_series([early, *others], FIRST)) == [[early], others]


def test_rows_are_sorted_by_their_first_window() -> None:
    often = [event(day) for day in (2, 3, 4)]
    seldom = [event(day, place="a") for day in (1, 4)]
    rows = list(in_series(sorted([*often, *seldom], key=lambda found: found.span.start), FIRST))
    assert rows == [[seldom[0]], often, [seldom[1]]]


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (range(1, 11), "every day, until 2026-12-10"),
        ((5, 6, 12, 13), "every Sat and Sun, until 2026-12-13"),
        ((2, 9, 16), "every Wed, until 2026-12-16"),
        ((5, 19, 26), "until 2026-12-26"),
        ((1, 2, 3, 4), "every Tue, Wed, Thu and Fri, until 2026-12-04"),
    ],
    ids=str,
)
def test_the_days_of_the_week_are_named_only_if_a_window_opens_on_each(
    days: "range | tuple[int, ...]", text: str
) -> None:
    assert repeated([event(day) for day in days]) == text
