"""Maintenance exclusions as periods of time."""

import datetime

import pytest

from pulumi_gke_tpu.core.plan.upgrades import Exclusion
from pulumi_gke_tpu.core.schedule.spans import OPEN_END, Span, exclusion_span, whole_span


def moment(day: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00")


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-12-01", "2026-12-02", Span(moment("2026-12-01"), moment("2026-12-02"))),
        ("2026-12-01", "2026-12-01", None),
        ("2026-12-02", "2026-12-01", None),
        ("1000-12-01", "2026-12-01", None),
        ("2026-12-01", "9000-12-01", None),
        ("2026-12-01", None, Span(moment("2026-12-01"), OPEN_END)),
        ("1000-12-01", None, None),
        ("9000-12-01", None, None),
    ],
)
def test_an_exclusion_has_a_span_if_its_years_are_plausible(start: str, end: str | None, expected: Span | None) -> None:
    ends = {"end": moment(end)} if end else {"end": None, "end_of_support": True}
    exclusion = Exclusion.model_construct(start=moment(start), scope="no_minor_upgrades", **ends)
    assert whole_span(exclusion) == expected
    assert exclusion_span(exclusion) == (expected if end else None)
