"""Rules about nodes in several zones."""

import pytest
from support.fixtures.checks import Check, weights

from pulumi_gke_tpu.core.text.findings import format_path

SINGLE, MULTI = "tpu: v6e\ntopology: 2x2\n", "tpu: v6e\ntopology: 4x4\n"

BOTH = "zones: [us-east5-a, us-east5-b]\n"


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (f"{SINGLE}{BOTH}count: 4\n", []),
        (f"{SINGLE}{BOTH}count: {{min: 1, max: 3}}\n", []),
        (f"{SINGLE}{BOTH}count: 0\n", []),
        (f"{SINGLE}zones: [us-east5-b]\ncount: 3\n", []),
        # a fixed number of slices is divided among the zones
        (f"{SINGLE}{BOTH}count: 3\n", ["TPU276 error"]),
        (f"{SINGLE}{BOTH}", ["TPU276 error"]),
        # one zone
        (f"{MULTI}{BOTH}", ["TPU277 error"]),
        (f"{MULTI}zones: [us-east5-b]\n", []),
        (f"{MULTI}{BOTH}capacity: {{reservation: one}}\n", ["TPU277 error"]),
        (f"{SINGLE}zones: [us-east5-b, us-east5-b]\ncount: 3\n", ["TPU213 warning"]),
        (f"{SINGLE}{BOTH}count: 2\nzone: us-east5-b\n", ["TPU278 error"]),
        (f"{SINGLE}{BOTH}count: 2\ncapacity: {{reservation: one}}\n", ["TPU279 warning"]),
        (f"{SINGLE}zones: [us-east5-b]\ncapacity: {{reservation: one}}\n", []),
        # each zone
        (f"{SINGLE}zones: [us-east5-b, us-east5]\ncount: 2\n", ["TPU203 error"]),
        (f"{SINGLE}zones: [us-east5-b, us-central2-b]\ncount: 2\n", ["TPU205 error"]),
        ("tpu: v4\ntopology: 2x2x1\nzones: [us-east5-a, us-east5-b]\ncount: 2\n", ["TPU207 error", "TPU207 error"]),
    ],
)
def test_zones_of_a_group_are_checked(group: str, expected: list[str], check: Check) -> None:
    assert weights(check(group)) == expected


@pytest.mark.parametrize(
    ("group", "path", "fix"),
    [
        (f"{SINGLE}{BOTH}count: 3\n", "count", "count: 4"),
        (f"{SINGLE}zones: [us-east5-b, us-east5]\ncount: 2\n", "zones[1]", "us-east5-a"),
        (f"{SINGLE}zones: [us-east5-b, us-central2-b]\ncount: 2\n", "zones[1]", "us-east5-a"),
        (f"{SINGLE}zones: [us-east5-c, us-east5-b]\ncount: 2\n", "zones[0]", "us-east5-a"),
        ("tpu: v5p\ntopology: 2x2x1\nzones: [us-east5-a, us-east5-b]\ncount: 2\n", "zones[1]", ""),
    ],
)
def test_a_finding_marks_the_zone_that_it_is_about(group: str, path: str, fix: str, check: Check) -> None:
    finding = check(group)[0]
    assert format_path(finding.path).endswith(f".{path}")
    assert finding.fix == fix


def test_a_zonal_cluster_warns_about_other_zones(check: Check) -> None:
    group = "slices:\n  one: {tpu: v6e, topology: 2x2, count: 2, zones: [us-east5-a, us-east5-b]}\n"
    (finding,) = check(f"mode: standard\nlocation: us-east5-b\n{group}")
    assert (finding.rule, format_path(finding.path)) == ("TPU206", "clusters.train.slices.one.zones[0]")


def test_autopilot_has_no_such_key(check: Check) -> None:
    group = "slices:\n  one: {tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b]}\n"
    assert weights(check(f"mode: autopilot\nlocation: us-east5\n{group}")) == ["TPU281 error"]


@pytest.mark.parametrize(
    "cluster",
    [
        "system_pool: {zones: [us-east5-a, us-east5-b, us-east5-a]}",
        "cpu_pools: {data: {machine_type: n2-standard-4, max_nodes: 4, zones: [us-east5-a, us-east5-b, us-east5-a]}}",
        "autoprovisioning: {cpu: 9000, memory_gib: 99000, zones: [us-east5-a, us-east5-b, us-east5-a]}",
    ],
)
def test_a_duplicate_zone_of_any_nodes_has_the_list_without_it_as_fix(cluster: str, check: Check) -> None:
    (found,) = (each for each in check(f"mode: standard\nlocation: us-east5\n{cluster}") if each.rule == "TPU213")
    assert (found.severity.word, found.path[-1], found.fix) == ("warning", 2, "zones: [us-east5-a, us-east5-b]")
