"""Maintenance windows and exclusions."""

import datetime
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.work import function_calls

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.upgrades import Window
from pulumi_gke_tpu.core.schedule.availability import Openings, least_maintained, recurrence_of
from pulumi_gke_tpu.core.schedule.spans import Span
from pulumi_gke_tpu.core.text.findings import Finding

Broken = Callable[..., list[str]]
Check = Callable[..., tuple[Finding, ...]]

WINDOW = "{start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}"
ALWAYS = "{start: 2026-01-03T00:00:00Z, duration: 24h}"
FACTS = read_catalog().maintenance.availability
UTC = datetime.timezone.utc


def window(keys: str) -> str:
    return f"mode: standard\nlocation: us-east5\nmaintenance:\n  window: {{start: 2026-01-03T02:00:00Z, {keys}}}\n"


def exclusions(*items: str, window: str = WINDOW, mode: str = "standard") -> str:
    lines = "".join(f"    {item}\n" for item in items)
    return f"mode: {mode}\nlocation: us-east5\nmaintenance:\n  window: {window}\n  exclusions:\n{lines}"


def weights(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        # every day
        ("duration: 4h", []),
        ("duration: 3h59m", ["TPU602 error"]),
        ("duration: 0s", ["TPU602 error"]),
        ("duration: 24h", []),
        ("duration: 24h1m", ["TPU603 warning"]),
        # a weekday occurs at least four times in 32 days and thirteen times in 92; sources disagree on the period
        ("duration: 12h, days: [SAT]", []),
        ("duration: 11h59m, days: [SAT]", ["TPU605 warning"]),
        ("duration: 4h, days: [SAT]", ["TPU605 warning"]),
        ("duration: 6h, days: [SAT, SUN]", []),
        ("duration: 6h, days: [TUE, FRI]", []),
        ("duration: 5h59m, days: [SAT, SUN]", ["TPU605 warning"]),
        ("duration: 4h, days: [MON, WED, FRI]", []),
        ("duration: 4h, days: [MON, WED]", ["TPU605 warning"]),
        ("duration: 4h, days: [MON, TUE, WED, THU, FRI, SAT, SUN]", []),
        ("duration: 3h, days: [SAT]", ["TPU602 error"]),
        ("duration: 12h, days: [SAT, SAT]", []),
        ("duration: 24h, days: [SAT, SUN]", []),
        ("duration: 25h, days: [SAT, SUN]", ["TPU603 warning"]),
        ("duration: 25h, days: [SAT]", []),
        # recurrences
        ('duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"', []),
        ('duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SA"', ["TPU605 warning"]),
        ('duration: 12h, recurrence: "FREQ=WEEKLY"', []),
        ('duration: 24h, recurrence: "FREQ=WEEKLY;INTERVAL=2"', []),
        ('duration: 23h, recurrence: "FREQ=WEEKLY;INTERVAL=2"', ["TPU605 warning"]),
        # with one occurrence every two weeks, some periods of 92 days have six
        ('duration: 8h, recurrence: "FREQ=WEEKLY;INTERVAL=2"', ["TPU605 warning"]),
        ('duration: 7h59m, recurrence: "FREQ=WEEKLY;INTERVAL=2"', ["TPU605 error"]),
        ('duration: 48h, recurrence: "FREQ=WEEKLY;INTERVAL=4"', []),
        ('duration: 48h, recurrence: "FREQ=WEEKLY;INTERVAL=5"', ["TPU605 warning"]),
        ('duration: 48h, recurrence: "FREQ=MONTHLY;BYMONTHDAY=1"', []),
        ('duration: 47h, recurrence: "FREQ=MONTHLY;BYMONTHDAY=1"', ["TPU605 warning"]),
        ('duration: 18h, recurrence: "FREQ=MONTHLY;BYMONTHDAY=1"', ["TPU605 warning"]),
        ('duration: 17h, recurrence: "FREQ=MONTHLY;BYMONTHDAY=1"', ["TPU605 error"]),
        ('duration: 48h, recurrence: "FREQ=MONTHLY;BYMONTHDAY=31"', ["TPU605 warning"]),
        (
            'duration: 48h, recurrence: "FREQ=MONTHLY;BYDAY=1SA"',
            ["TPU605 warning"],
        ),  # up to 35 days between two occurrences
        ('duration: 24h, recurrence: "FREQ=MONTHLY;BYDAY=1SA,3SA"', ["TPU605 warning"]),
        ('duration: 24h, recurrence: "FREQ=MONTHLY;BYDAY=1SA,2SA,3SA,4SA"', []),
        ('duration: 48h, recurrence: "FREQ=YEARLY"', ["TPU605 error"]),
        ('duration: 6h, recurrence: "FREQ=DAILY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12"', []),
        ('duration: 6h, recurrence: "FREQ=DAILY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11"', ["TPU605 warning"]),
        ('duration: 6h, recurrence: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"', ["TPU605 error"]),
        # recurrences that end leave no time afterwards
        ('duration: 6h, recurrence: "FREQ=DAILY;COUNT=100"', ["TPU605 error"]),
        ('duration: 6h, recurrence: "FREQ=DAILY;UNTIL=20271231T000000Z"', ["TPU605 error"]),
        # invalid recurrences
        ('duration: 6h, recurrence: "FREQ=HOURLY"', ["TPU604 warning"]),
        ('duration: 6h, recurrence: "every Saturday"', ["TPU604 error"]),
        ('duration: 6h, recurrence: ""', ["TPU604 error"]),
        ('duration: 6h, recurrence: "FREQ=DAILY;BYHOUR=3"', ["TPU604 warning"]),
        ('duration: 3h, recurrence: "FREQ=HOURLY"', ["TPU602 error", "TPU604 warning"]),
    ],
)
def test_windows_are_checked(keys: str, expected: list[str], check: Check) -> None:
    assert sorted(weights(check(window(keys)))) == expected


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("RRULE:FREQ=WEEKLY;BYDAY=SA,SU", 'recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"'),
        ("FREQ=WEEKLY; BYDAY=SA, SU;", 'recurrence: "FREQ=WEEKLY;BYDAY=SA,SU"'),
        ("FREQ=HOURLY", ""),
    ],
)
def test_the_fix_is_the_recurrence_without_added_text(text: str, fix: str, check: Check) -> None:
    (finding,) = check(window(f'duration: 6h, recurrence: "{text}"'))
    assert finding.fix == fix


@pytest.mark.parametrize(
    ("keys", "key", "fix"),
    [
        ("duration: 3h", "duration", "duration: 4h"),
        ("duration: 3h, days: [SAT]", "duration", "duration: 12h"),
        ('duration: 3h, recurrence: "FREQ=WEEKLY;BYDAY=SA"', "duration", "duration: 12h"),
        ('duration: 6h, recurrence: "FREQ=WEEKLY;BYDAY=SA"', "duration", "duration: 12h"),
        ('duration: 6h, recurrence: "FREQ=YEARLY"', "recurrence", ""),
    ],
)
def test_the_fix_is_a_longer_window_if_that_is_enough(keys: str, key: str, fix: str, check: Check) -> None:
    (finding,) = check(window(keys))
    assert (finding.path[-1], finding.fix) == (key, fix)


def test_the_fix_is_the_shortest_window_that_is_enough(check: Check) -> None:
    (finding,) = check(window("duration: 4h, days: [SAT]"))
    assert finding.fix == "duration: 12h"
    assert finding.message == (
        "in the 32 days from 2026-01-03 02:00:01 UTC, the maintenance window provides 16 h. GKE requires at "
        "least 48 h, "
        "in blocks of 4 h or more"
    )
    (finding,) = check(window('duration: 4h, recurrence: "FREQ=YEARLY"'))
    assert finding.fix == ""


@pytest.mark.parametrize("start", ["2026-01-05T23:59:59Z", "2024-02-29T12:00:00Z", "2030-12-31T20:00:00+14:00"])
def test_the_first_start_can_be_any_day(start: str, broken: Broken) -> None:
    keys = f"{{start: {start}, duration: 6h, days: [SAT, SUN]}}"
    assert broken(f"mode: standard\nlocation: us-east5\nmaintenance: {{window: {keys}}}\n") == []


DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]


def brute_force(window: Window, stretch: int) -> float:
    """The least hours of any period, with one start in every quarter of an hour."""
    quarter = 900
    first = int(window.start.timestamp())
    length = int(window.duration.total_seconds())
    days = range(14 + stretch * 2)
    wanted = [index for index, day in enumerate(DAYS) if window.days is None or day in window.days]
    opened = [
        (first + day * 86400, first + day * 86400 + length)
        for day in days
        if (window.start + datetime.timedelta(days=day)).weekday() in wanted
    ]
    pieces: list[tuple[int, int]] = []
    for start, end in opened:
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    span, shortest = stretch * 86400, FACTS.piece_hours * 3600
    least = float(span)
    for begin in range(first, first + 14 * 86400, quarter):
        for edge in (begin - 1, begin + 1) if begin > first else (begin,):
            cut = [min(end, edge + span) - max(start, edge) for start, end in pieces]
            least = min(least, sum(part for part in cut if part >= shortest))
    return least / 3600


@given(
    st.lists(st.sampled_from(DAYS), min_size=1, max_size=7, unique=True) | st.none(),
    st.integers(16, 26 * 4),
    st.integers(0, 6),
    st.sampled_from([FACTS.rolling_days, FACTS.older_rolling_days]),
)
def test_the_least_available_time_is_exact(days: list[str] | None, quarters: int, weekday: int, stretch: int) -> None:
    start = datetime.datetime(2026, 1, 5 + weekday, 2, tzinfo=UTC)
    made = Window.model_validate({"start": start, "duration": datetime.timedelta(minutes=15 * quarters), "days": days})
    found = Openings.of(made, recurrence_of(made), FACTS, stretch).least(made.duration).hours
    assert found == pytest.approx(brute_force(made, stretch), abs=0.01)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("FREQ=DAILY", "2026-01-03T02:00:00Z"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "2026-01-03T02:00:00Z"),
        ("FREQ=YEARLY;INTERVAL=9999;BYMONTHDAY=31", "2026-01-03T02:00:00Z"),
        ("FREQ=DAILY;COUNT=9999", "9999-12-31T23:00:00Z"),
        ("FREQ=WEEKLY", "0001-01-01T00:00:00Z"),
    ],
)
def test_every_window_is_checked_quickly(text: str, start: str, check: Check) -> None:
    keys = f'{{start: {start}, duration: 30h, recurrence: "{text}"}}'
    plan = f"mode: standard\nlocation: us-east5\nmaintenance: {{window: {keys}}}\n"
    assert function_calls(lambda: check(plan)) < 200_000


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("0202-01-03T02:00:00Z", ["TPU606 error"]),
        ("1999-12-31T02:00:00Z", ["TPU606 warning"]),
        ("2000-01-01T02:00:00Z", []),
        ("2199-01-03T02:00:00Z", []),
        ("2200-01-03T02:00:00Z", ["TPU606 warning"]),
        ("9999-12-31T23:59:59Z", ["TPU606 warning"]),
    ],
)
def test_implausible_years_are_reported(start: str, expected: list[str], check: Check) -> None:
    keys = f"{{start: {start}, duration: 6h, days: [SAT, SUN]}}"
    assert weights(check(f"mode: standard\nlocation: us-east5\nmaintenance: {{window: {keys}}}\n")) == expected


NO_MINOR = "scope: no_minor_or_node_upgrades"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["a: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"], []),
        (["a: {start: 2026-12-01T00:00:00Z, end: 2026-12-01T00:00:01Z}"], []),
        (["a: {start: 2026-12-01T00:00:00Z, end: 2026-12-01T00:00:00Z}"], ["TPU611 error"]),
        (["a: {start: 2026-12-02T00:00:00Z, end: 2026-12-01T00:00:00Z}"], ["TPU611 error"]),
        # length
        (["a: {start: 2026-12-01T00:00:00Z, end: 2027-03-01T00:00:00Z}"], []),
        (["a: {start: 2026-12-01T00:00:00Z, end: 2027-03-01T00:00:01Z}"], ["TPU612 error"]),
        (["a: {start: 2026-12-01T00:00:00Z, end: 2027-11-30T00:00:00Z, " + NO_MINOR + "}"], []),
        (["a: {start: 2026-12-01T00:00:00Z, end: 2027-11-30T00:00:00Z, scope: no_minor_upgrades}"], []),
        # until the end of support
        (["a: {start: 2026-12-01T00:00:00Z, end: end_of_support, " + NO_MINOR + "}"], []),
        (["a: {start: 2026-12-01T00:00:00Z, end: end_of_support}"], ["TPU617 warning"]),
        (["a: {start: 2026-12-01T00:00:00Z, end_of_support: true, scope: no_upgrades}"], ["TPU617 warning"]),
        # today is 2026-11-20
        (["a: {start: 2026-11-01T00:00:00Z, end: 2026-11-20T00:00:00Z}"], []),
        (["a: {start: 2026-11-01T00:00:00Z, end: 2026-11-19T23:59:59Z}"], ["TPU616 warning"]),
        (["a: {start: 2026-11-01T00:00:00Z, end: 2026-11-02T00:00:00Z, " + NO_MINOR + "}"], ["TPU616 warning"]),
        # years
        (["a: {start: 0026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"], ["TPU606 error"]),
        (["a: {start: 2026-12-01T00:00:00Z, end: 9999-12-31T00:00:00Z, " + NO_MINOR + "}"], ["TPU606 warning"]),
        # overlapping ones, and gaps between those that block everything: two days in 92
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-01-15T00:00:00Z}",
                "b: {start: 2027-01-10T00:00:00Z, end: 2027-02-20T00:00:00Z}",
            ],
            [],
        ),
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-01-15T00:00:00Z}",
                "b: {start: 2027-01-10T00:00:00Z, end: 2027-03-10T00:00:00Z}",
            ],
            ["TPU615 error"],
        ),
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-03-01T00:00:00Z}",
                "b: {start: 2027-03-03T00:00:00Z, end: 2027-06-01T00:00:00Z}",
            ],
            [],
        ),
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-03-01T00:00:00Z}",
                "b: {start: 2027-03-02T23:59:59Z, end: 2027-05-31T00:00:00Z}",
            ],
            ["TPU615 error"],
        ),
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-03-01T00:00:00Z}",
                "b: {start: 2027-03-01T00:00:00Z, end: 2027-06-01T00:00:00Z, " + NO_MINOR + "}",
            ],
            [],
        ),
        (
            [
                "a: {start: 2026-12-01T00:00:00Z, end: 2027-04-01T00:00:00Z}",
                "b: {start: 2027-04-01T00:00:00Z, end: 2027-05-01T00:00:00Z}",
            ],
            ["TPU612 error"],
        ),
        # names
        (["black friday 2026!: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"], []),
        (["'': {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"], ["TPU618 warning"]),
        (["'a ': {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"], ["TPU618 warning"]),
        ([f"{'n' * 101}: {{start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}}"], ["TPU618 warning"]),
    ],
)
def test_exclusions_are_checked(items: list[str], expected: list[str], check: Check) -> None:
    for mode in ("standard", "autopilot"):
        assert weights(check(exclusions(*items, window=ALWAYS, mode=mode))) == expected


WEEKLY = '{start: 2026-01-03T00:00:00Z, duration: 24h, recurrence: "FREQ=WEEKLY"}'
"""On Saturdays: 92 days have 13 or 14 of them, in which 312 h or more are open."""


@pytest.mark.parametrize(
    ("window", "items", "expected"),
    [
        # An exclusion that covers 11 of 13 Saturdays leaves exactly 48 h
        (WEEKLY, ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-20T00:00:00Z}"], []),
        (WEEKLY, ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-20T00:00:01Z}"], ["TPU634 warning"]),
        (WEEKLY, ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-21T00:00:00Z}"], ["TPU634 warning"]),
        # Two exclusions with two of 14 Saturdays between them, and with one
        (
            WEEKLY,
            [
                "a: {start: 2026-12-05T00:00:00Z, end: 2027-01-16T00:00:00Z}",
                "b: {start: 2027-01-24T00:00:00Z, end: 2027-03-07T00:00:00Z}",
            ],
            [],
        ),
        (
            WEEKLY,
            [
                "a: {start: 2026-12-05T00:00:00Z, end: 2027-01-16T00:00:00Z}",
                "b: {start: 2027-01-23T23:59:59Z, end: 2027-03-07T00:00:00Z}",
            ],
            ["TPU634 warning"],
        ),
        # Exclusions that adjoin or overlap leave what one of the whole time leaves
        (
            WEEKLY,
            [
                "a: {start: 2026-12-05T00:00:00Z, end: 2027-01-16T00:00:00Z}",
                "b: {start: 2027-01-16T00:00:00Z, end: 2027-02-20T00:00:00Z}",
            ],
            [],
        ),
        (
            WEEKLY,
            [
                "a: {start: 2026-12-05T00:00:00Z, end: 2027-01-20T00:00:00Z}",
                "b: {start: 2027-01-16T00:00:00Z, end: 2027-02-21T00:00:00Z}",
            ],
            ["TPU634 warning"],
        ),
        # A rest of a Saturday below 4 h does not count
        (
            WEEKLY,
            [
                "a: {start: 2026-12-05T00:00:00Z, end: 2027-02-13T00:00:00Z}",
                "b: {start: 2027-02-13T04:00:00Z, end: 2027-02-20T20:00:00Z}",
            ],
            ["TPU634 warning"],
        ),
        # Patches are allowed
        (WEEKLY, ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-28T00:00:00Z, " + NO_MINOR + "}"], []),
        # Daily: the limit on the length decides
        (ALWAYS, ["a: {start: 2026-12-05T07:00:00Z, end: 2027-03-05T07:00:00Z}"], []),
        # Other rules report the window, the length, and exclusions that no window could make up for
        (
            "{start: 2026-01-03T02:00:00Z, duration: 3h}",
            ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-28T00:00:00Z}"],
            ["TPU602 error"],
        ),
        (WEEKLY, ["a: {start: 2026-12-05T00:00:00Z, end: 2027-03-28T00:00:00Z}"], ["TPU612 error"]),
        # A window that starts after the exclusion
        (
            WEEKLY.replace("2026-01-03", "2028-01-01"),
            ["a: {start: 2026-12-05T00:00:00Z, end: 2027-02-28T00:00:00Z}"],
            [],
        ),
    ],
)
def test_exclusions_leave_time_of_the_window(window: str, items: list[str], expected: list[str], check: Check) -> None:
    assert weights(check(exclusions(*items, window=window))) == expected


@given(
    st.lists(st.tuples(st.integers(0, 150), st.integers(1, 90)), min_size=1, max_size=3),
    st.sets(st.sampled_from(range(7)), min_size=1),
    st.sampled_from([4, 6, 12, 24]),
)
def test_the_least_time_beside_exclusions_is_exact(
    blocked: list[tuple[int, int]], weekdays: set[int], length: int
) -> None:
    """By the hour, with other code."""
    start = datetime.datetime(2026, 1, 5, tzinfo=UTC)
    names = [DAYS[day] for day in sorted(weekdays)]
    made = Window.model_validate({"start": start, "duration": datetime.timedelta(hours=length), "days": names})
    first = start + datetime.timedelta(days=200)
    spans = [
        Span(first + datetime.timedelta(days=day), first + datetime.timedelta(days=day + days)) for day, days in blocked
    ]
    around = Span(min(span.start for span in spans), max(span.end for span in spans))
    zero = around.start - datetime.timedelta(days=FACTS.rolling_days)
    total = int((around.end - zero).total_seconds()) // 3600 + FACTS.rolling_days * 24
    opened = []
    for hour in range(total):
        at = zero + datetime.timedelta(hours=hour)
        within = at.weekday() in weekdays and at.hour < length
        opened.append(within and not any(span.start <= at < span.end for span in spans))
    pieces: list[int] = []
    for hour, is_open in enumerate(opened):
        if is_open:
            pieces.append(pieces[-1] + 1 if hour and opened[hour - 1] else 1)
        else:
            pieces.append(0)
    for hour in range(total - 2, -1, -1):
        if opened[hour] and opened[hour + 1]:
            pieces[hour] = pieces[hour + 1]
    counts = [1 if size >= FACTS.piece_hours else 0 for size in pieces]
    period = FACTS.rolling_days * 24
    sums = [0]
    for count in counts:
        sums.append(sums[-1] + count)
    expected = min(sums[hour + period] - sums[hour] for hour in range(total - period + 1))
    found = least_maintained(made, sorted(spans, key=lambda span: span.start), around, FACTS, cut_counts=True)
    assert found is not None
    assert found.hours == pytest.approx(expected, abs=0.01)


def some(count: int, scope: str) -> list[str]:
    first = datetime.date(2026, 12, 1)
    days = [first + datetime.timedelta(days=7 * number) for number in range(count)]
    return [f"e{day:%m%d}: {{start: {day}T00:00:00Z, end: {day}T12:00:00Z, scope: {scope}}}" for day in days]


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (some(3, "no_upgrades"), []),
        (some(4, "no_upgrades"), ["TPU613 warning"]),
        (some(20, "no_minor_upgrades"), []),
        (some(21, "no_minor_upgrades"), ["TPU614 error"]),
        (some(21, "no_upgrades"), ["TPU614 error"]),
    ],
)
def test_the_number_of_exclusions_is_limited(items: list[str], expected: list[str], check: Check) -> None:
    assert weights(check(exclusions(*items))) == expected


def test_the_fix_is_the_latest_allowed_end(check: Check) -> None:
    (finding,) = check(exclusions("a: {start: 2026-12-01T00:00:00Z, end: 2027-06-01T00:00:00Z}", window=ALWAYS))
    assert finding.fix == "end: 2027-03-01T00:00:00Z"
    assert finding.message == "exclusion `a` blocks all upgrades for 182 days, which exceeds the limit of 90"


def test_no_end_is_proposed_that_leaves_too_little_of_the_window(check: Check) -> None:
    (finding,) = check(exclusions("a: {start: 2026-12-01T00:00:00Z, end: 2027-06-01T00:00:00Z}"))
    assert (finding.rule, finding.fix) == ("TPU612", "")


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_exclusions_require_a_window(mode: str, broken: Broken) -> None:
    item = "a: {start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z}"
    text = f"mode: {mode}\nlocation: us-east5\nmaintenance:\n  exclusions:\n    {item}\n"
    assert broken(text) == ["TPU601"]
    assert broken(f"mode: {mode}\nlocation: us-east5\nmaintenance: {{}}\n") == []


def test_without_a_date_no_exclusion_has_ended(check: Check) -> None:
    text = exclusions("a: {start: 2020-11-01T00:00:00Z, end: 2020-11-02T00:00:00Z}")
    assert weights(check(text)) == ["TPU616 warning"]
    assert check(text, None) == ()


def test_groups_can_exclude_their_node_pools_from_upgrades(broken: Broken) -> None:
    assert broken("tpu: v6e\ntopology: 4x4\nmaintenance: {end_of_support: true}") == []


@pytest.mark.parametrize(
    ("channel", "scope", "expected"),
    [
        ("none", "no_minor_upgrades", ["TPU619 warning"]),
        ("none", "no_minor_or_node_upgrades", ["TPU619 warning"]),
        ("none", "no_upgrades", []),
        ("regular", "no_minor_upgrades", []),
        ("extended", "no_minor_or_node_upgrades", []),
    ],
)
def test_the_scope_of_an_exclusion_requires_a_channel(
    channel: str, scope: str, expected: list[str], check: Check
) -> None:
    item = f"a: {{start: 2026-12-01T00:00:00Z, end: 2026-12-20T00:00:00Z, scope: {scope}}}"
    text = exclusions(item).replace("mode: standard", f"mode: standard\nrelease_channel: {channel}")
    found = check(text)
    assert weights(found) == expected
    for finding in found:
        assert weights(check(text.replace(f"scope: {scope}", finding.fix))) == []


def test_no_scope_is_proposed_for_an_exclusion_until_the_end_of_support(check: Check) -> None:
    item = "a: {start: 2026-12-01T00:00:00Z, end: end_of_support, scope: no_minor_upgrades}"
    (finding,) = check(exclusions(item).replace("mode: standard", "mode: standard\nrelease_channel: none"))
    assert (finding.rule, finding.fix) == ("TPU619", "")
