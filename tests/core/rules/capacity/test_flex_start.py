"""Rules about flex-start."""

from typing import Any

import pytest
from support.fixtures.checks import Broken, Check
from support.rule_plans import about_capacity, plan_in

from pulumi_gke_tpu.core.text.findings import Severity

V6E = "tpu: v6e\ntopology: 4x4\n"


@pytest.mark.parametrize(
    ("duration", "expected", "fix"),
    [
        ("599s", ["TPU311"], "max_run_duration: 10m"),
        ("600s", [], ""),
        ("10m", [], ""),
        ("1h30m", [], ""),
        ("604800s", [], ""),
        ("7d", [], ""),
        ("604801s", ["TPU311"], "max_run_duration: 7d"),
        ("7d1h", ["TPU311"], "max_run_duration: 7d"),
        ("0s", ["TPU311"], "max_run_duration: 10m"),
    ],
)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_flex_start_runs_ten_minutes_to_seven_days(
    mode: str, duration: str, expected: list[str], fix: str, check: Check
) -> None:
    group = f"tpu: v6e, topology: 4x4, capacity: {{flex_start: {{max_run_duration: {duration}}}}}"
    findings = check(plan_in(group, "us-east5-b", mode))
    assert about_capacity(findings) == expected
    assert [item.fix for item in findings] == [fix] * len(expected)


@pytest.mark.parametrize("duration", ["1d", "30d", "1s"])
def test_a_run_duration_is_not_supported_with_queued_slices(duration: str, broken: Broken) -> None:
    group = f"{V6E}capacity: {{flex_start: {{queued: true, max_run_duration: {duration}}}}}"
    assert broken(group) == ["TPU312"]


@pytest.mark.parametrize(
    ("workload", "duration", "rules"),
    [
        ("slices: batch, queue: research", "1d", []),
        ("slices: batch, queue: research", "8d", ["TPU311"]),
        ("slices: batch", "1d", ["TPU312"]),
        ("slices: other, queue: research", "1d", ["TPU312"]),
    ],
)
def test_workloads_with_a_queue_request_the_run_duration_of_queued_slices(
    workload: str, duration: str, rules: list[str], broken: Broken
) -> None:
    """Kueue passes the annotation of the workload on to the ProvisioningRequest."""
    slices = "tpu: v6e, topology: 4x4, zone: us-east5-b"
    text = f"""
mode: standard
location: us-east5
min_version: "1.35"
slices:
  batch: {{{slices}, capacity: {{flex_start: {{queued: true, max_run_duration: {duration}}}}}}}
  other: {{{slices}, capacity: spot}}
kubernetes: {{queues: {{research: {{}}}}, workloads: {{train: {{image: train, {workload}}}}}}}
"""
    found = {rule for rule in broken(text) if rule.startswith("TPU31")}
    assert sorted(found) == rules


@pytest.mark.parametrize(
    ("group", "zone", "expected"),
    [
        # on the GKE list
        ("tpu: v6e, topology: 2x2", "us-east5-a", []),
        ("tpu: v6e, topology: 2x2", "us-east5-b", []),
        ("tpu: v6e, topology: 2x2", "asia-northeast1-b", []),
        ("tpu: v5p, topology: 2x2x1", "us-east5-a", []),
        ("tpu: v5e, topology: 2x2", "us-west4-a", []),
        # other sources list it
        ("tpu: v6e, topology: 2x2", "europe-west4-a", [("TPU314", Severity.NOTE)]),
        ("tpu: v6e, topology: 2x2", "southamerica-west1-a", [("TPU314", Severity.NOTE)]),
        ("tpu: v5p, topology: 2x2x1", "us-central1-a", [("TPU314", Severity.NOTE)]),
        # no source lists it
        ("tpu: v6e, topology: 2x2", "us-east1-d", [("TPU314", Severity.WARNING)]),
        ("tpu: v5p, topology: 2x2x1", "europe-west4-b", [("TPU314", Severity.WARNING)]),
        ("tpu: v5e, topology: 2x2", "us-south1-a", [("TPU314", Severity.WARNING)]),
        # observed to reject flex-start
        ("tpu: v6e, topology: 2x2", "us-central1-b", [("TPU313", Severity.WARNING)]),
        ("tpu: v5e, topology: 2x2", "us-central1-a", [("TPU313", Severity.WARNING)]),
        ("tpu: v5e, topology: 2x2", "europe-west4-b", [("TPU313", Severity.WARNING)]),
        # the family itself may not be available there; the rules of zones report that
        ("tpu: v6e, topology: 2x2", "asia-east1-c", []),
        ("tpu: v6e, topology: 2x2", "us-nowhere1-z", []),
        # not offered in any zone
        ("tpu: v4, topology: 2x2x1", "us-central2-b", [("TPU301", Severity.ERROR)]),
    ],
)
@pytest.mark.parametrize("capacity", ["flex_start", "{flex_start: {max_run_duration: 1h}}"])
def test_a_zone_outside_the_flex_start_list_is_reported(
    group: str, zone: str, capacity: str, expected: list[Any], check: Check
) -> None:
    findings = check(plan_in(f"{group}, capacity: {capacity}", zone))
    assert [(item.rule, item.severity) for item in findings if item.rule.startswith("TPU3")] == expected
    assert about_capacity(check(plan_in(f"{group}, capacity: on_demand", zone))) == []


def test_a_zone_of_a_zonal_cluster_is_reported_at_its_location(check: Check) -> None:
    group = "{tpu: v6e, topology: 2x2, capacity: flex_start}"
    (finding,) = check(f"mode: standard\nlocation: us-east1-d\nslices: {{main: {group}}}")
    assert finding.rule == "TPU314"
    assert finding.path[-1] == "location"


@pytest.mark.parametrize(
    ("location", "tpu", "expected"),
    [
        ("us-east5", "tpu: v6e, topology: 2x2", []),
        ("us-west4", "tpu: v5e, topology: 2x2", []),
        # no zone of the region is in GKE's list
        ("us-east1", "tpu: v6e, topology: 2x2", [("TPU314", Severity.WARNING)]),
        ("europe-west4", "tpu: v6e, topology: 2x2", [("TPU314", Severity.NOTE)]),
        ("us-central1", "tpu: v5p, topology: 2x2x1", [("TPU314", Severity.NOTE)]),
        # not available in the region; the rules of zones report that
        ("us-west4", "tpu: v6e, topology: 2x2", []),
    ],
)
def test_autopilot_leaves_the_zone_to_gke(location: str, tpu: str, expected: list[Any], check: Check) -> None:
    plan = f"mode: autopilot\nlocation: {location}\nslices: {{main: {{{tpu}, capacity: flex_start}}}}"
    assert [(item.rule, item.severity) for item in check(plan) if item.rule.startswith("TPU3")] == expected
