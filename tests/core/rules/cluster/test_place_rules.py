"""Locations and zones: their form, their region, and the generations they have."""

from collections.abc import Callable

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, Topology
from pulumi_gke_tpu.core.text.findings import Finding

Broken = Callable[[str], list[str]]
Check = Callable[[str], tuple[Finding, ...]]

SHAPES = {"v3": "4x4", "v4": "2x2x2", "v5e": "4x4", "v5p": "2x2x2", "v6e": "4x4", "tpu7x": "2x2x2"}
"""A multi-host slice of every generation."""


def cluster(location: str, group: str = "", mode: str = "standard") -> str:
    slices = f"slices:\n  main: {{{group}}}\n" if group else ""
    return f"mode: {mode}\nlocation: {location}\n{slices}"


def weights(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{finding.rule} {finding.severity.word}" for finding in findings]


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
    assert broken(cluster(location, mode=mode)) == expected


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
    assert broken(cluster(location, group, mode)) == expected


def test_a_group_without_a_shape_also_requires_a_zone(broken: Broken) -> None:
    assert broken(cluster("us-east5", "tpu: v6e, topology: 4x3")) == ["TPU112", "TPU204"]


def test_choices_are_zones_of_the_family_in_the_region(check: Check) -> None:
    (finding,) = check(cluster("us-central1", "tpu: v3, topology: 2x2"))
    assert finding.allowed == ("us-central1-a", "us-central1-b", "us-central1-f")
    (finding,) = check(cluster("us-central1", "tpu: tpu7x, topology: 2x2x1"))
    assert finding.allowed == ("us-central1-c", "us-central1-ai1a")
    assert finding.fix == "zone: us-central1-c"


def test_the_fix_of_a_misspelled_zone_is_the_nearest_one_with_the_hardware(check: Check) -> None:
    def fix(zone: str) -> str:
        findings = check(cluster("us-east5", f"tpu: v6e, topology: 4x4, zone: {zone}"))
        return next(finding.fix for finding in findings if finding.rule == "TPU203")

    assert fix("us-east5-bb") == "zone: us-east5-b"
    assert fix("us-east5-cc") in ("zone: us-east5-a", "zone: us-east5-b")


@pytest.mark.parametrize("generation", list(SHAPES))
def test_documented_zones_have_no_finding(generation: str, broken: Broken, catalog: Catalog) -> None:
    rows = catalog.generation(generation).topologies.rows
    machine = next(row.machine_type for row in rows if row.topology == SHAPES[generation] and row.hosts == "multi")
    family = catalog.generation(generation).machine_types[machine].family
    for zone in catalog.zones.families[family].documented.zones:
        group = f"tpu: {generation}, topology: {SHAPES[generation]}, zone: {zone}"
        expected = ["TPU210"] if "-ai" in zone else []
        assert broken(cluster(zone.rsplit("-", 1)[0], group)) == expected, zone
        assert broken(cluster(zone.rsplit("-", 1)[0], group, "autopilot")) == expected, zone


@pytest.mark.parametrize(
    ("generation", "zone", "expected"),
    [
        # in no source: an error, unless the GKE list has less than high confidence
        ("v6e", "us-east5-d", ["TPU207 error"]),
        ("v6e", "us-central1-f", ["TPU207 error"]),
        ("tpu7x", "us-central1-a", ["TPU207 error"]),
        ("v5p", "europe-west4-a", ["TPU207 error"]),
        ("v4", "us-central2-a", ["TPU207 error"]),
        ("v3", "us-central1-a", ["TPU207 warning"]),
        # other sources list the hardware, or it was built for one customer
        ("v6e", "us-east5-c", ["TPU208 warning"]),
        ("v6e", "us-central1-a", ["TPU208 warning"]),
        ("v5p", "us-east5-b", ["TPU208 warning"]),
        ("v5e", "us-east5-c", ["TPU208 warning"]),
        ("v5e", "europe-west4-a", ["TPU208 warning"]),
    ],
)
def test_the_severity_for_other_zones_depends_on_their_sources(
    generation: str, zone: str, expected: list[str], check: Check
) -> None:
    group = f"tpu: {generation}, topology: {SHAPES[generation]}, zone: {zone}"
    for mode in ("standard", "autopilot"):
        assert weights(check(cluster(zone.rsplit("-", 1)[0], group, mode))) == expected


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        ("on_demand", ["TPU208 warning"]),
        ("spot", ["TPU208 warning"]),
        ("{reservation: mine}", ["TPU208 note"]),
    ],
)
def test_a_reservation_lowers_the_severity(capacity: str, expected: list[str], check: Check) -> None:
    group = f"tpu: v6e, topology: 4x4, zone: us-east5-c, capacity: {capacity}"
    assert weights(check(cluster("us-east5", group))) == expected


def test_a_reservation_does_not_replace_missing_hardware(check: Check) -> None:
    group = "tpu: v6e, topology: 4x4, zone: us-east5-d, capacity: {reservation: mine}"
    assert weights(check(cluster("us-east5", group))) == ["TPU207 error"]


@pytest.mark.parametrize(
    ("zone", "group", "expected"),
    [
        # GKE supports single-host v5e slices in three more zones, with four-chip hosts only from 2x4
        ("us-east5-b", "topology: 1x1", []),
        ("us-east5-b", "topology: 2x2", ["TPU209 warning"]),
        ("us-east5-b", "topology: 2x4, chips_per_host: 8", []),
        ("us-east5-b", "topology: 2x4, chips_per_host: 4", ["TPU208 warning"]),
        ("us-east5-b", "topology: 4x4", ["TPU208 warning"]),
        ("europe-west4-a", "topology: 2x2", ["TPU209 warning"]),
        ("us-west4-b", "topology: 1x1", ["TPU208 warning"]),  # the page contradicts itself
        ("us-west4-b", "topology: 2x2", ["TPU208 warning", "TPU209 warning"]),
        ("us-west4-b", "topology: 4x4", ["TPU208 warning"]),
        ("us-west4-a", "topology: 2x2", []),
        ("us-east5-a", "topology: 1x1", ["TPU208 warning"]),
    ],
)
def test_some_zones_support_only_single_host_slices_of_v5e(
    zone: str, group: str, expected: list[str], check: Check
) -> None:
    findings = check(cluster(zone.rsplit("-", 1)[0], f"tpu: v5e, {group}, zone: {zone}"))
    assert weights(findings) == expected


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [
        ("on_demand", ["TPU210 warning"]),
        ("{reservation: cubes}", []),
        ("{reservation: {name: cubes, project: acme-ml}}", []),
        ("{reservation: {name: cubes, project: acme-shared}}", ["TPU210 note"]),
    ],
)
def test_an_ai_zone_must_be_enabled(capacity: str, expected: list[str], check: Check) -> None:
    group = f"tpu: tpu7x, topology: 4x4x4, zone: us-central1-ai1a, capacity: {capacity}"
    assert weights(check(cluster("us-central1", group))) == expected


def test_an_ai_zone_without_the_hardware_has_one_finding(broken: Broken) -> None:
    assert broken(cluster("us-central1", "tpu: v5p, topology: 2x2x2, zone: us-central1-ai1a")) == ["TPU207"]


@pytest.mark.parametrize(
    ("location", "group", "expected"),
    [
        ("us-central1", "tpu: tpu7x, topology: 4x4x4", []),
        ("us-east5", "tpu: tpu7x, topology: 4x4x4", ["TPU211 error"]),
        ("asia-east1", "tpu: v6e, topology: 4x4", ["TPU211 warning"]),  # another source lists the hardware
        ("asia-east1", "tpu: v6e, topology: 4x4, capacity: {reservation: mine}", ["TPU211 note"]),
        ("asia-east2", "tpu: v6e, topology: 4x4", ["TPU211 error"]),
        ("us-south1", "tpu: v6e, topology: 4x4", ["TPU211 warning"]),  # documented in an AI zone only
        ("us-east1", "tpu: v3, topology: 4x4", []),
        ("us-central1", "tpu: v3, topology: 2x2", []),
        ("us-central1", "tpu: v3, topology: 4x4", ["TPU211 warning"]),
        ("us-east5", "tpu: v5e, topology: 1x1", []),
        ("us-east5", "tpu: v5e, topology: 4x4", ["TPU211 warning"]),
    ],
)
def test_the_region_of_an_autopilot_cluster_has_the_generation(
    location: str, group: str, expected: list[str], check: Check
) -> None:
    assert weights(check(cluster(location, group, "autopilot"))) == expected


def test_the_fix_on_autopilot_sets_the_ai_zone(check: Check) -> None:
    (finding,) = check(cluster("us-south1", "tpu: v6e, topology: 4x4", "autopilot"))
    assert finding.fix == "zone: us-south1-ai1b"
    assert "us-south1" not in finding.allowed
    assert "Autopilot never selects an AI zone" in finding.message


def test_a_fix_stays_in_the_region(check: Check, catalog: Catalog) -> None:
    (finding,) = check(cluster("us-east5", "tpu: v6e, topology: 4x4, zone: us-east5-d"))
    assert finding.fix == "zone: us-east5-a"
    assert finding.allowed == catalog.zones.families["ct6e"].documented.zones
    (finding,) = check(cluster("us-west4", "tpu: v6e, topology: 4x4, zone: us-west4-a"))
    assert finding.fix == ""


def test_the_shapes_of_this_table_are_multi_host(catalog: Catalog) -> None:
    assert set(SHAPES) == set(catalog.generation_names)
    assert all(Topology.parse(shape).chips >= 8 for shape in SHAPES.values())


@pytest.mark.parametrize(("zone", "severity"), [("us-central1-ai1a", "warning"), ("us-central1-f", "error")])
def test_a_zone_on_one_disputed_page_is_not_an_error(zone: str, severity: str, check: Check) -> None:
    group = f"{{tpu: v6e, topology: 2x2, zone: {zone}}}"
    (finding,) = check(f"mode: standard\nlocation: us-central1\nslices: {{main: {group}}}\n")
    assert weights((finding,)) == [f"TPU207 {severity}"]
    assert ("Sources disagree" in finding.source) is (severity == "warning")


@pytest.mark.parametrize("location", ["useast5", "US-EAST5"])
def test_the_fix_is_the_nearest_region_if_no_group_sets_a_zone(location: str, check: Check) -> None:
    (finding,) = check(f"mode: standard\nlocation: {location}\n")
    assert (finding.rule, finding.fix) == ("TPU201", "location: us-east5")
