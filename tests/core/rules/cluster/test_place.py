"""Rules about the locations of clusters and the zones of groups."""

import pytest
from support.fixtures.checks import Broken, Check
from support.rule_plans import located

from pulumi_gke_tpu.core.text.findings import Severity


@pytest.mark.parametrize(
    ("location", "mode", "expected"),
    [
        ("us-east5", "standard", []),
        ("us-east5-b", "standard", []),
        ("northamerica-northeast1", "standard", []),
        ("us-east5", "autopilot", []),
        ("us-east5-b", "autopilot", ["TPU202"]),
        ("us-central1-ai1a", "autopilot", ["TPU202"]),
        ("us-east", "standard", ["TPU201"]),
        ("us", "autopilot", ["TPU201"]),
        ("US-East5", "standard", ["TPU201"]),
        ("us-east5-bb", "standard", ["TPU201"]),
        ("us-east5-", "standard", ["TPU201"]),
        ('""', "standard", ["TPU201"]),
        ('"us-east5 "', "standard", ["TPU201"]),
    ],
)
def test_a_location_is_a_region_or_a_zone(location: str, mode: str, expected: list[str], broken: Broken) -> None:
    assert broken(located(location, mode=mode)) == expected


@pytest.mark.parametrize(
    ("location", "group", "mode", "expected"),
    [
        # a regional Standard cluster requires a zone, a zonal one has it, and Autopilot selects it
        ("us-east5", "tpu: v6e, topology: 4x4", "standard", ["TPU204"]),
        ("us-east5-b", "tpu: v6e, topology: 4x4", "standard", []),
        ("us-east5", "tpu: v6e, topology: 4x4", "autopilot", []),
        # a malformed zone has one finding
        ("us-east5", "tpu: v6e, topology: 4x4, zone: us-east5", "standard", ["TPU203"]),
        ("us-east5", "tpu: v6e, topology: 4x4, zone: b", "standard", ["TPU203"]),
        ("us-east5", "tpu: v6e, topology: 4x4, zone: ''", "autopilot", ["TPU203"]),
        # other regions
        ("us-east5", "tpu: v6e, topology: 4x4, zone: us-east1-d", "standard", ["TPU205"]),
        ("us-east5", "tpu: v6e, topology: 4x4, zone: us-east1-d", "autopilot", ["TPU205"]),
        ("us-east5-b", "tpu: v6e, topology: 4x4, zone: us-east1-d", "standard", ["TPU205"]),
        ("us-east5", "tpu: v6e, topology: 4x4, zone: us-east1-z", "standard", ["TPU205"]),
        # another zone of a zonal cluster
        ("us-east5-b", "tpu: v6e, topology: 4x4, zone: us-east5-a", "standard", ["TPU206"]),
        ("us-east5-b", "tpu: v6e, topology: 4x4, zone: us-east5-b", "standard", []),
        # a malformed location has no further findings
        ("nowhere", "tpu: v6e, topology: 4x4", "standard", ["TPU201"]),
        ("nowhere", "tpu: v6e, topology: 4x4, zone: us-east5-b", "standard", ["TPU201"]),
        # the hardware is also checked in a zonal cluster
        ("us-east5-d", "tpu: v6e, topology: 4x4", "standard", ["TPU207"]),
    ],
)
def test_a_zone_fits_the_location_of_the_cluster(
    location: str, group: str, mode: str, expected: list[str], broken: Broken
) -> None:
    assert broken(located(location, group, mode)) == expected


@pytest.mark.parametrize("zone", ["us-east5-z", "us-east5-ai9b", "us-east5-d"])
def test_an_adopted_node_pool_may_be_in_a_zone_that_the_catalog_does_not_list(zone: str, check: Check) -> None:
    group = f"tpu: v6e, topology: 4x4, zone: {zone}"
    (new,) = check(located("us-east5", group))
    (adopted,) = check(located("us-east5", f"{group}, adopted: true"))
    assert (new.rule, new.severity, new.fix != "") == ("TPU207", Severity.ERROR, True)
    assert (adopted.rule, adopted.severity, adopted.fix) == ("TPU207", Severity.WARNING, "")


def test_a_group_without_a_shape_also_requires_a_zone(broken: Broken) -> None:
    assert broken(located("us-east5", "tpu: v6e, topology: 4x3")) == ["TPU112", "TPU204"]


def test_choices_are_zones_of_the_family_in_the_region(check: Check) -> None:
    (finding,) = check(located("us-central1", "tpu: v3, topology: 2x2"))
    assert finding.allowed == ("us-central1-a", "us-central1-b", "us-central1-f")
    (finding,) = check(located("us-central1", "tpu: tpu7x, topology: 2x2x1"))
    assert finding.allowed == ("us-central1-c", "us-central1-ai1a")
    assert finding.fix == "zone: us-central1-c"


def test_the_fix_of_a_misspelled_zone_is_the_nearest_one_with_the_hardware(check: Check) -> None:
    def fix(zone: str) -> str:
        findings = check(located("us-east5", f"tpu: v6e, topology: 4x4, zone: {zone}"))
        return next(finding.fix for finding in findings if finding.rule == "TPU203")

    assert fix("us-east5-bb") == "zone: us-east5-b"
    assert fix("us-east5-cc") in ("zone: us-east5-a", "zone: us-east5-b")


@pytest.mark.parametrize("location", ["useast5", "US-EAST5"])
def test_the_fix_is_the_nearest_region_if_no_group_sets_a_zone(location: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: {location}\n")
    assert (finding.rule, finding.fix) == ("TPU201", "location: us-east5")
