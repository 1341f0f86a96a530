"""Rules about the slice group, time and number of slices of planned runs."""

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fixtures.checks import Check
from support.run_plans import cluster, of_runs

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()

TODAY = datetime.date(2026, 11, 20)

LLAMA = "llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}"


@pytest.mark.parametrize(
    ("slices", "rule"),
    [("[main, other]", "TPU022"), ("mian", "TPU621"), ("''", "TPU621"), ("null", "TPU022"), ("main.main", "TPU621")],
)
def test_a_run_names_one_group_of_its_cluster(slices: str, rule: str, check: Check) -> None:
    found = check(cluster("topology: 4x4", LLAMA.replace("slices: main", f"slices: {slices}")))
    assert rule in {item.rule for item in found}


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("start: 2026-12-05T08:00:00Z, duration: 1d", "uses together with `llama` 4 slices at 2026-12-05 08:00 UTC"),
        (
            "start: 2026-12-05T08:00:00Z, duration: 1d, count: 1",
            "uses together with `llama` 3 slices at 2026-12-05 08:00 UTC",
        ),
        ("start: 2026-12-01T08:00:00Z, duration: 1d", "uses together with `llama` 4 slices at 2026-12-01 08:00 UTC"),
        # The first ends when the second begins
        ("start: 2026-12-11T08:00:00Z, duration: 1d", ""),
        ("start: 2026-11-30T08:00:00Z, duration: 1d", ""),
        ("start: 2026-12-11T07:59:59Z, duration: 1d", "4 slices at 2026-12-11 07:59 UTC"),
        # The same moment in another time zone
        ("start: 2026-12-11T10:00:00+02:00, duration: 1d", ""),
    ],
)
def test_runs_that_overlap_need_enough_slices(second: str, expected: str, check: Check) -> None:
    runs = (LLAMA.replace("10d", "10d, count: 2"), f"gemma: {{slices: main, {second}}}")
    message = of_runs(check(cluster("topology: 4x4, count: 2, capacity: {reservation: r1}", *runs))).get("TPU623", "")
    assert expected in message
    assert bool(expected) == bool(message)


def test_of_runs_that_start_together_only_the_last_is_reported(check: Check) -> None:
    runs = (LLAMA.replace("10d", "10d, count: 2"), LLAMA.replace("llama", "gemma").replace("10d", "9d, count: 2"))
    for names, written in ((("llama", "gemma"), runs), (("gemma", "llama"), runs[::-1])):
        found = check(cluster("topology: 4x4, count: 1, capacity: {reservation: r1}", *written))
        assert [item.path[3] for item in found if item.rule == "TPU623"] == [names[1]]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10), st.integers(1, 3)), min_size=1, max_size=8),
    st.integers(1, 5),
)
def test_too_many_slices_are_reported_exactly_at_the_starts_at_which_too_many_are_used(
    runs: list[tuple[int, int, int]], slices: int
) -> None:
    """By the day, with other code."""
    first = datetime.date(2027, 1, 1)
    written: dict[str, Any] = {
        f"r{index}": {
            "slices": "main",
            "start": f"{first + datetime.timedelta(days=day)}T00:00:00Z",
            "duration": f"{days}d",
            "count": count,
        }
        for index, (day, days, count) in enumerate(runs)
    }
    body = {
        "mode": "standard",
        "location": "us-east5",
        "slices": {"main": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": slices}},
        "runs": written,
    }
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": body}})
    found = {
        item.message.partition(" at ")[2][:10]
        for item in check_plan(plan, CATALOG, TODAY).findings
        if item.rule == "TPU623"
    }
    expected = {
        str(first + datetime.timedelta(days=at))
        for at in {day for day, _, _ in runs}
        if sum(count for day, days, count in runs if day <= at < day + days) > slices
    }
    assert found == expected
