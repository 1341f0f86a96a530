"""Rules about upgrades that interrupt planned runs, and capacity that ends before them."""

import pytest
from support.fixtures.checks import Check
from support.run_plans import cluster, of_runs

LLAMA = "llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}"


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


@pytest.mark.parametrize(
    ("start", "rules"), [("2026-11-19T08:00:00Z", ["TPU628"]), ("2026-11-18T08:00:00Z", ["TPU629"])]
)
def test_a_run_that_ends_today_is_checked(start: str, rules: list[str], check: Check) -> None:
    spot = "topology: 4x4, max: 1, capacity: spot"
    found = of_runs(check(cluster(spot, f"llama: {{slices: main, start: {start}, duration: 1d}}")))
    assert list(found) == rules


def test_a_run_without_exclusion_on_fallback_to_flex_start_can_be_upgraded(check: Check) -> None:
    """GKE does not upgrade running flex-start nodes, but the run may be on the others."""
    later = "later: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}"
    group = "topology: 4x4, max: 1, capacity: {reservation: r1}, fallback: [flex_start]"
    assert "TPU624" in of_runs(check(cluster(group, exclusion=later)))
    flexible = "topology: 4x4, max: 1, capacity: flex_start"
    assert "TPU624" not in of_runs(check(cluster(flexible, exclusion=later)))
