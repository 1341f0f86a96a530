"""Each spelling of a time has one meaning, or is rejected."""

import pytest

from pulumi_gke_tpu.core.plan.reading.times import (
    as_day,
    as_duration,
    as_timestamp,
    is_ambiguous,
    why_invalid,
    with_offset,
)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("6 hours", "6h"),
        ("7 days", "7d"),
        ("1 week", "7d"),
        ("90 min", "90m"),
        ("1 hour and 30 minutes", "1h30m"),
        ("PT6H", "6h"),
        ("P1DT12H", "1d12h"),
        ("6.0 hours", "6h"),
        ("604800s", "604800s"),
        ("6.5 hours", ""),
        ("6", ""),
        ("2 weeks 1 day", ""),
        ("six hours", ""),
        ("PT", ""),
        ("0h", ""),
        ("9999999 weeks", ""),
    ],
)
def test_durations(text: str, duration: str) -> None:
    assert as_duration(text) == duration


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12/20/2026", "2026-12-20"),
        ("12/20/2026 or so", ""),
        ("week 12/20/2026", ""),
        ("20/12/2026", "2026-12-20"),
        ("3/3/2026", "2026-03-03"),
        ("03/04/2026", ""),
        ("03.04.2026", "2026-04-03"),
        ("20-12-2026", "2026-12-20"),
        ("2026/12/20", "2026-12-20"),
        ("2026-12-1", "2026-12-01"),
        ("20261220", "2026-12-20"),
        ("Dec 20, 2026", "2026-12-20"),
        ("20th December 2026", "2026-12-20"),
        ("2026-12-01T00:00:00Z", "2026-12-01"),
        ("December 2026", ""),
        ("20 December 2026 noon", ""),
        ("Sunday, 20 December 2026", "2026-12-20"),
        ("2026-12", ""),
        ("12/20/26", ""),
        ("2026-13-40", ""),
        ("31.02.2026", ""),
        ("tomorrow", ""),
    ],
)
def test_days(text: str, day: str) -> None:
    assert as_day(text) == day
    if "T" not in text:
        assert as_timestamp(text) == (f"{day}T00:00:00Z" if day else "")


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("2026-12-20 02:00", "2026-12-20T02:00:00Z"),
        ("2026-12-20T02:00:00+01", "2026-12-20T02:00:00+01:00"),
        ("20/12/2026 2:00 UTC", "2026-12-20T02:00:00Z"),
        ("Dec 20 2026, 02:00:30 GMT", "2026-12-20T02:00:30Z"),
        ("2026-12-20T02:00:00 PST", ""),
        ("2026-12-20T25:00:00Z", ""),
        ("2026-12-20T24:00:00Z", "2026-12-21T00:00:00Z"),
        ("2026-12-31 24:00 UTC", "2027-01-01T00:00:00Z"),
        ("2026-12-20T24:30:00Z", ""),
        ("9999-12-31T24:00:00Z", ""),
        ("2026-12-20T18Z", "2026-12-20T18:00:00Z"),
        ("2026-12-20T18-05", "2026-12-20T18:00:00-05:00"),
        ("2026-12-20 5pm UTC", "2026-12-20T17:00:00Z"),
        ("2026-12-20 12:30 am UTC", "2026-12-20T00:30:00Z"),
        ("2026-12-20 12 pm UTC", "2026-12-20T12:00:00Z"),
        ("2026-12-20 18", ""),
        ("02:00", ""),
    ],
)
def test_timestamps(text: str, timestamp: str) -> None:
    assert as_timestamp(text) == timestamp


@pytest.mark.parametrize("text", ["03/04/2026", "3-4-2026", "03/04/2026 02:00"])
def test_a_date_that_people_read_in_two_ways(text: str) -> None:
    assert is_ambiguous(text)


@pytest.mark.parametrize("text", ["12/20/2026", "3/3/2026", "03.04.2026", "2026-03-04", "March 4 2026"])
def test_a_date_that_people_read_in_one_way(text: str) -> None:
    assert not is_ambiguous(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-11-31", "November has 30 days"),
        ("2026-11-31T00:00:00Z", "November has 30 days"),
        ("31 Feb 2026", "February 2026 has 28 days"),
        ("2026-13-10", "there is no month 13"),
        ("2026-12-20T24:00:00Z", "24:00 is the next day"),
        ("2026-12-20T25:00:00Z", "a day has 24 hours"),
        ("2026-12-20T12:75:00Z", "an hour has 60 minutes"),
        ("2026-12-20T23:59:60Z", "a minute has 60 seconds"),
        ("2026-12-20 00:00 PST", "PST is -08:00"),
        ("2026-12-20T00:00:00 IST", "IST is +05:30, +02:00 or +01:00"),
        (
            "2026-12-20T00:00:00 Europe/Berlin",
            "a time has an offset from UTC, such as -08:00, not the name of a time zone",
        ),
        ("03/04/2026", "03/04/2026 is 2026-03-04 or 2026-04-03"),
        ("2026-12", "the day is missing"),
        ("December 2026", "the day is missing"),
        ("02:00", "the day is missing"),
        ("Dec 10", "the year is missing"),
        ("14d", "a duration is not a date"),
        ("tomorrow", "the date depends on the day on which it was written"),
        ("2026-12-20", ""),
        ("whenever", ""),
    ],
)
def test_the_reason_why_a_text_is_not_a_time(text: str, reason: str) -> None:
    assert why_invalid(text) == reason


@pytest.mark.parametrize(
    ("text", "timestamp"),
    [
        ("2026-12-20 00:00 PST", "2026-12-20T00:00:00-08:00"),
        ("Dec 20, 2026 5pm EST", "2026-12-20T17:00:00-05:00"),
        ("2026-12-20T00:00:00 IST", ""),
        ("2026-12-20T00:00:00 XYZ", ""),
        ("2026-12-20", ""),
    ],
)
def test_an_abbreviation_with_one_offset(text: str, timestamp: str) -> None:
    assert with_offset(text) == timestamp


@pytest.mark.parametrize("text", ["0001-01-01 00:00 +05:00", "9999-12-31T23:00:00-05:00", "9999-12-31 24:00"])
def test_a_moment_outside_of_the_calendar_has_no_spelling(text: str) -> None:
    assert as_timestamp(text) == ""
