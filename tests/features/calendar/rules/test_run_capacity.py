"""Planned runs against the capacity of their slice group: what ends, what can be preempted, what is too small."""

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding

Check = Callable[..., tuple[Finding, ...]]
CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
OF_RUNS = {f"TPU{number}" for number in (*range(621, 630), 633, 636)}
LLAMA = "llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}"
EXCLUSION = "llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}"


def cluster(group: str, *runs: str, mode: str = "standard", exclusion: str = EXCLUSION) -> str:
    lines = "\n".join(f"  {run}" for run in runs or (LLAMA,))
    return (
        f"mode: {mode}\nlocation: us-east5\nslices:\n  main: {{zone: us-east5-b, tpu: v6e, {group}}}\n"
        "maintenance:\n  window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}\n"
        f"  exclusions:\n    {exclusion}\nruns:\n{lines}\n"
    )


def of_runs(findings: tuple[Finding, ...]) -> dict[str, str]:
    return {item.rule: item.message for item in findings if item.rule in OF_RUNS}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    ("group", "duration", "expected"),
    [
        ("topology: 4x4, capacity: {reservation: r1}", "10d", {}),
        ("topology: 4x4", "10d", {}),
        ("topology: 2x2, count: 4", "10d", {}),
        ("topology: 4x4, max: 1, capacity: spot", "10d", {"TPU628": "uses Spot VMs"}),
        ("topology: 4x4, max: 1, capacity: flex_start", "7d", {}),
        ("topology: 4x4, max: 1, capacity: flex_start", "604801s", {"TPU626": "the nodes of slice group `main` end"}),
        ("topology: 2x2, max: 1, capacity: flex_start", "10d", {"TPU626": "end after 7d"}),
        (
            "topology: 4x4, max: 1, capacity: {flex_start: {max_run_duration: 3d}}",
            "3d1s",
            {"TPU626": "end after 3d"},
        ),
        ("topology: 4x4, max: 1, capacity: {flex_start: {max_run_duration: 3d}}", "3d", {}),
        ("topology: 4x4, min: 0, max: 2, capacity: {reservation: r1}", "10d", {}),
    ],
)
def test_a_run_is_compared_with_what_its_capacity_lasts(
    mode: str, group: str, duration: str, expected: dict[str, str], check: Check
) -> None:
    found = of_runs(check(cluster(group, LLAMA.replace("10d", duration), mode=mode)))
    assert found.keys() == expected.keys(), found
    for rule, part in expected.items():
        assert part in found[rule]


@pytest.mark.parametrize(
    ("capacity", "fallback", "expected"),
    [
        ("{reservation: r1}", "[flex_start]", {"TPU626": "but flex-start nodes of slice group `main` end after 7d"}),
        ("{reservation: r1}", "[spot]", {"TPU628": "may use Spot VMs"}),
        ("{reservation: r1}", "[on_demand]", {}),
        ("spot", "[on_demand]", {"TPU628": "uses Spot VMs"}),
        (
            "{reservation: r1}",
            "[flex_start, spot]",
            {"TPU626": "flex-start nodes of", "TPU628": "may use Spot VMs"},
        ),
    ],
)
def test_every_mode_of_a_fallback_is_compared(
    capacity: str, fallback: str, expected: dict[str, str], check: Check
) -> None:
    found = of_runs(check(cluster(f"topology: 4x4, max: 1, capacity: {capacity}, fallback: {fallback}")))
    assert found.keys() == expected.keys(), found
    for rule, part in expected.items():
        assert part in found[rule]


def test_a_run_without_exclusion_on_fallback_to_flex_start_can_be_upgraded(check: Check) -> None:
    """GKE does not upgrade running flex-start nodes, but the run may be on the others."""
    later = "later: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}"
    group = "topology: 4x4, max: 1, capacity: {reservation: r1}, fallback: [flex_start]"
    assert "TPU624" in of_runs(check(cluster(group, exclusion=later)))
    flexible = "topology: 4x4, max: 1, capacity: flex_start"
    assert "TPU624" not in of_runs(check(cluster(flexible, exclusion=later)))


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


@pytest.mark.parametrize(
    ("start", "rules"), [("2026-11-19T08:00:00Z", ["TPU628"]), ("2026-11-18T08:00:00Z", ["TPU629"])]
)
def test_a_run_that_ends_today_is_checked(start: str, rules: list[str], check: Check) -> None:
    spot = "topology: 4x4, max: 1, capacity: spot"
    found = of_runs(check(cluster(spot, f"llama: {{slices: main, start: {start}, duration: 1d}}")))
    assert list(found) == rules


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
