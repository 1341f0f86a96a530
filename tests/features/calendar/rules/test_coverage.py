"""Rules about automatic upgrades that can interrupt planned runs."""

from support.fixtures.checks import Check
from support.run_plans import cluster, of_runs

OF_RUNS = {f"TPU{number}" for number in (*range(621, 630), 633, 636)}

LLAMA = "llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}"

EXCLUSION = "llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}"


def test_a_run_without_exclusion_on_fallback_to_flex_start_can_be_upgraded(check: Check) -> None:
    """GKE does not upgrade running flex-start nodes, but the run may be on the others."""
    later = "later: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}"
    group = "topology: 4x4, max: 1, capacity: {reservation: r1}, fallback: [flex_start]"
    assert "TPU624" in of_runs(check(cluster(group, exclusion=later)))
    flexible = "topology: 4x4, max: 1, capacity: flex_start"
    assert "TPU624" not in of_runs(check(cluster(flexible, exclusion=later)))
