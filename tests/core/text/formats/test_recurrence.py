"""Recurrence rules: what is read, what is refused, and the days they stand for."""

import calendar
import datetime
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given
from hypothesis import strategies as st
from support.work import calls_of, function_calls

from pulumi_gke_tpu.core.text.formats.recurrence import Recurrence, RecurrenceError, UnverifiedError, parse_recurrence

UTC = datetime.timezone.utc
FIRST = datetime.datetime(2026, 1, 3, 2, tzinfo=UTC)  # a Saturday


def starts(text: str, count: int, first: datetime.datetime = FIRST, days: int = 800) -> list[str]:
    found = parse_recurrence(text).starts(first, first + datetime.timedelta(days=days))
    return [f"{start:%Y-%m-%d}" for start in islice(found, count)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FREQ=DAILY", ["2026-01-03", "2026-01-04", "2026-01-05"]),
        ("FREQ=DAILY;INTERVAL=10", ["2026-01-03", "2026-01-13", "2026-01-23"]),
        ("freq=weekly;byday=sa,su", ["2026-01-03", "2026-01-04", "2026-01-10"]),
        ("FREQ=WEEKLY", ["2026-01-03", "2026-01-10", "2026-01-17"]),
        ("FREQ=WEEKLY;BYDAY=TU", ["2026-01-06", "2026-01-13", "2026-01-20"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,MO", ["2026-01-03", "2026-01-12", "2026-01-17"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SA,SU;WKST=SU", ["2026-01-03", "2026-01-11", "2026-01-17"]),
        ("FREQ=MONTHLY", ["2026-01-03", "2026-02-03", "2026-03-03"]),
        ("FREQ=MONTHLY;BYDAY=1SA", ["2026-01-03", "2026-02-07", "2026-03-07"]),
        ("FREQ=MONTHLY;BYDAY=-1SU", ["2026-01-25", "2026-02-22", "2026-03-29"]),
        ("FREQ=MONTHLY;BYSETPOS=1;BYDAY=SA,SU", ["2026-01-03", "2026-02-01", "2026-03-01"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", ["2026-01-31", "2026-03-31", "2026-05-31"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", ["2026-01-31", "2026-02-28", "2026-03-31"]),
        ("FREQ=YEARLY", ["2026-01-03", "2027-01-03", "2028-01-03"]),
        ("FREQ=YEARLY;BYMONTH=6;BYDAY=1SA", ["2026-06-06", "2027-06-05", "2028-06-03"]),
        ("FREQ=YEARLY;BYDAY=1SA", ["2026-01-03", "2027-01-02", "2028-01-01"]),
        ("FREQ=YEARLY;BYDAY=-1MO", ["2026-12-28", "2027-12-27", "2028-12-25"]),
        ("FREQ=DAILY;COUNT=2", ["2026-01-03", "2026-01-04"]),
        ("FREQ=DAILY;UNTIL=20260104T020000Z", ["2026-01-03", "2026-01-04"]),
        ("FREQ=DAILY;UNTIL=20260104T015959Z", ["2026-01-03"]),
        ("FREQ=DAILY;UNTIL=20260104", ["2026-01-03", "2026-01-04"]),
        ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", []),
    ],
)
def test_days(text: str, expected: list[str]) -> None:
    assert starts(text, 3, days=1100) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it must be a list of NAME=VALUE parts"),
        ("daily", "it must be a list of NAME=VALUE parts"),
        ("FREQ=DAILY;", "it must be a list of NAME=VALUE parts"),
        ("FREQ", "it must be a list of NAME=VALUE parts"),
        ("FREQ=", "it must be a list of NAME=VALUE parts"),
        ("FREQ=DAILY; INTERVAL=2", "it must be a list of NAME=VALUE parts"),
        ("RRULE:FREQ=DAILY", "it must be a list of NAME=VALUE parts"),
        ("FREQ=DAILY;FREQ=WEEKLY", "duplicate FREQ"),
        ("BYDAY=SA", "missing FREQ"),
        ("FREQ=FORTNIGHTLY", "FREQ must be DAILY"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL must be a number from 1"),
        ("FREQ=DAILY;INTERVAL=-1", "INTERVAL must be a number from 1"),
        ("FREQ=DAILY;INTERVAL=99999999999999999999", "INTERVAL must be a number from 1"),
        ("FREQ=DAILY;INTERVAL=२", "INTERVAL must be a number from 1"),
        ("FREQ=DAILY;COUNT=1;UNTIL=20260104", "COUNT conflicts with UNTIL"),
        ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL must be a time"),
        ("FREQ=DAILY;UNTIL=20260230", "UNTIL must be a time"),
        ("FREQ=WEEKLY;BYDAY=SAT", "BYDAY must be a list of weekdays"),
        ("FREQ=WEEKLY;BYDAY=SA,", "BYDAY must be a list of weekdays"),
        ("FREQ=WEEKLY;BYDAY=1SA", "a numbered weekday requires"),
        ("FREQ=MONTHLY;BYDAY=0SA", "BYDAY must be a list of weekdays"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY is not supported with FREQ=WEEKLY"),
        ("FREQ=MONTHLY;BYMONTHDAY=32", "BYMONTHDAY must be a list of numbers from 1 to 31"),
        ("FREQ=MONTHLY;BYMONTHDAY=0", "BYMONTHDAY must be a list of numbers from 1 to 31"),
        ("FREQ=MONTHLY;BYMONTH=13", "BYMONTH must be a list of numbers from 1 to 12"),
        ("FREQ=MONTHLY;BYMONTH=-1", "BYMONTH must be a list of numbers from 1 to 12"),
        ("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS requires another BY part"),
        ("FREQ=WEEKLY;WKST=XX", "WKST must be a weekday"),
        ("FREQ=DAILY;" + "BYMONTHDAY=" + "1," * 1000 + "1", "exceeds the limit of 500 characters"),
        ("FREQ=MONTHLY;BYMONTHDAY=first", "BYMONTHDAY must be a list of numbers from 1 to 31"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,", "BYMONTHDAY must be a list of numbers from 1 to 31"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(RecurrenceError, match=reason) as caught:
        parse_recurrence(text)
    assert not isinstance(caught.value, UnverifiedError)


@pytest.mark.parametrize("part", ["BYHOUR=3", "BYMINUTE=0", "BYWEEKNO=20", "BYYEARDAY=100", "X-SOMETHING=1"])
def test_what_nothing_is_known_about(part: str) -> None:
    with pytest.raises(UnverifiedError, match=part.partition("=")[0]):
        parse_recurrence(f"FREQ=DAILY;{part}")


@pytest.mark.parametrize("text", ["FREQ=HOURLY", "FREQ=MINUTELY", "FREQ=SECONDLY;COUNT=999999"])
def test_a_rule_that_recurs_within_a_day_is_not_checked(text: str) -> None:
    with pytest.raises(UnverifiedError, match="no documentation states whether GKE accepts FREQ="):
        parse_recurrence(text)


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=YEARLY;INTERVAL=9999;BYMONTH=2;BYDAY=53SA",
        "FREQ=DAILY;INTERVAL=9999;COUNT=9999",
        "FREQ=DAILY;BYDAY=" + ",".join(["MO"] * 100),
    ],
)
def test_no_rule_takes_long(text: str) -> None:
    rule, end = parse_recurrence(text), FIRST + datetime.timedelta(days=1830)
    assert function_calls(lambda: list(rule.starts(FIRST, end))) < 500_000


def test_weekly_rules_do_not_compute_the_lengths_of_months() -> None:
    rule, end = parse_recurrence("FREQ=WEEKLY;BYDAY=SA,SU"), FIRST + datetime.timedelta(days=365)
    calls = calls_of({"length": calendar.monthrange}, lambda: list(rule.starts(FIRST, end)))
    assert calls == {"length": 0}


weekdays = st.lists(st.sampled_from(["MO", "TU", "WE", "TH", "FR", "SA", "SU"]), min_size=1, max_size=3, unique=True)
moments = st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2035, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0, tzinfo=UTC)
)


@st.composite
def rules(draw: st.DrawFn) -> str:
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = [f"FREQ={frequency}"]
    if draw(st.booleans()):
        parts.append(f"INTERVAL={draw(st.integers(1, 5))}")
    if draw(st.booleans()):
        days = draw(weekdays)
        if frequency in ("MONTHLY", "YEARLY") and draw(st.booleans()):
            days = [f"{draw(st.sampled_from([1, 2, 4, 5, -1, -2]))}{day}" for day in days]
        parts.append("BYDAY=" + ",".join(days))
        if frequency in ("MONTHLY", "YEARLY") and draw(st.booleans()):
            parts.append(f"BYSETPOS={draw(st.sampled_from([1, 2, -1]))}")
    elif frequency != "WEEKLY" and draw(st.booleans()):
        month_days = draw(st.lists(st.sampled_from([1, 15, 29, 30, 31, -1, -3]), min_size=1, max_size=3, unique=True))
        parts.append("BYMONTHDAY=" + ",".join(map(str, month_days)))
    if draw(st.booleans()):
        months = draw(st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True))
        parts.append("BYMONTH=" + ",".join(map(str, months)))
    if frequency == "WEEKLY" and draw(st.booleans()):
        parts.append(f"WKST={draw(st.sampled_from(['MO', 'SU', 'WE']))}")
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 30))}")
    return ";".join(parts)


@given(rules(), moments)
def test_days_are_those_of_another_implementation(text: str, first: datetime.datetime) -> None:
    end = first + datetime.timedelta(days=500)
    other = rrulestr(text, dtstart=first)
    expected = []
    for start in islice(other.xafter(first, count=2000, inc=True), 2000):
        if start >= end:
            break
        expected.append(start)
    assume(expected)
    assert list(parse_recurrence(text).starts(first, end)) == expected


def test_a_rule_without_text_is_the_same() -> None:
    assert parse_recurrence("FREQ=DAILY") == Recurrence("DAILY")
    assert parse_recurrence("FREQ=WEEKLY;BYDAY=SA") == Recurrence("WEEKLY", weekdays=((0, 5),))
