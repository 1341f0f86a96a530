"""Rules about maintenance exclusions."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import with_exclusions

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.upgrades import Window
from pulumi_gke_tpu.core.schedule.availability import least_maintained
from pulumi_gke_tpu.core.schedule.spans import Span

ALWAYS = "{start: 2026-01-03T00:00:00Z, duration: 24h}"

FACTS = read_catalog().maintenance.availability

UTC = datetime.timezone.utc

DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]

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
        assert weights(check(with_exclusions(*items, window=ALWAYS, mode=mode))) == expected


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
    assert weights(check(with_exclusions(*items, window=window))) == expected


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
    assert weights(check(with_exclusions(*items))) == expected


def test_the_fix_is_the_latest_allowed_end(check: Check) -> None:
    (finding,) = check(with_exclusions("a: {start: 2026-12-01T00:00:00Z, end: 2027-06-01T00:00:00Z}", window=ALWAYS))
    assert finding.fix == "end: 2027-03-01T00:00:00Z"
    assert finding.message == "exclusion `a` blocks all upgrades for 182 days, which exceeds the limit of 90"


def test_no_end_is_proposed_that_leaves_too_little_of_the_window(check: Check) -> None:
    (finding,) = check(with_exclusions("a: {start: 2026-12-01T00:00:00Z, end: 2027-06-01T00:00:00Z}"))
    assert (finding.rule, finding.fix) == ("TPU612", "")


def test_without_a_date_no_exclusion_has_ended(check: Check) -> None:
    text = with_exclusions("a: {start: 2020-11-01T00:00:00Z, end: 2020-11-02T00:00:00Z}")
    assert weights(check(text)) == ["TPU616 warning"]
    assert check(text, None) == ()


def test_groups_can_exclude_their_node_pools_from_upgrades(broken: Broken) -> None:
    assert broken("tpu: v6e\ntopology: 4x4\nmaintenance: {end_of_support: true}") == []
