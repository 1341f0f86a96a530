"""Rules about whether zones and regions have the generation."""

import pytest
from support.fixtures.checks import Broken, Check, weights
from support.rule_plans import located

from pulumi_gke_tpu.core.catalog import Catalog, Topology


def found(check: Check, location: str, tpu: str, more: str = "") -> list[str]:
    limits = f"{{cpu: 90000, memory_gib: 900000, tpu: {{{tpu}}}{more}}}"
    policies = "workload_policies: {cubes: {topology: 4x4x4}}\n"
    findings = check(f"mode: standard\nlocation: {location}\n{policies}autoprovisioning: {limits}\n")
    return [f"{item.path[-1]} {item.severity.word}" for item in findings if item.rule == "TPU227"]


@pytest.mark.parametrize(
    ("location", "tpu", "expected"),
    [
        ("us-east5", "v6e: 64", []),
        ("us-east5", "v6e: 64, v4: 64", ["v4 error"]),
        ("us-east5", "tpu-v4-podslice: 64", ["tpu-v4-podslice error"]),
        ("us-central2", "v4: 64", []),
        ("europe-west4", "tpu7x: 64", ["tpu7x error"]),
        ("us-east5", "v9: 64", []),  # an unknown generation is another mistake
        ("us-east5-b", "v6e: 64", []),
        ("us-east5-b", "v5p: 64", ["v5p warning"]),  # only other sources list it
        ("us-south1", "v6e: 64", ["v6e warning"]),  # only an AI zone has it
        ("us-east5-b", "v4: 64", ["v4 error"]),
        ("us-east", "v4: 64", []),  # no location
    ],
)
def test_the_region_or_zone_of_the_cluster_has_the_generation(
    location: str, tpu: str, expected: list[str], check: Check
) -> None:
    assert found(check, location, tpu) == expected


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ("us-east5-b", []),
        ("us-east5-c", ["v6e warning"]),
        ("us-east5-c, us-east5-b", []),
        ("us-central1-b", []),  # a zone of another region is another mistake
    ],
)
def test_one_of_the_zones_has_the_generation(zones: str, expected: list[str], check: Check) -> None:
    assert found(check, "us-east5", "v6e: 64", f", zones: [{zones}]") == expected


def test_the_finding_lists_the_zones_of_the_region_or_else_the_regions(check: Check) -> None:
    text = "mode: standard\nlocation: {}\nautoprovisioning: {{cpu: 90, memory_gib: 90, tpu: {{v4: 4}}}}\n"
    (finding,) = [item for item in check(text.format("us-east5")) if item.rule == "TPU227"]
    assert finding.message == "`v4` is not available in region us-east5"
    assert finding.allowed == ("us-central2",)


SHAPES = {"v3": "4x4", "v4": "2x2x2", "v5e": "4x4", "v5p": "2x2x2", "v6e": "4x4", "tpu7x": "2x2x2"}
"""A multi-host slice of every generation."""


@pytest.mark.parametrize("generation", list(SHAPES))
def test_documented_zones_have_no_finding(generation: str, broken: Broken, catalog: Catalog) -> None:
    rows = catalog.generation(generation).topologies.rows
    machine = next(row.machine_type for row in rows if row.topology == SHAPES[generation] and row.hosts == "multi")
    family = catalog.generation(generation).machine_types[machine].family
    for zone in catalog.zones.families[family].documented.zones:
        group = f"tpu: {generation}, topology: {SHAPES[generation]}, zone: {zone}"
        expected = ["TPU210"] if "-ai" in zone else []
        assert broken(located(zone.rsplit("-", 1)[0], group)) == expected, zone
        assert broken(located(zone.rsplit("-", 1)[0], group, "autopilot")) == expected, zone


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
        assert weights(check(located(zone.rsplit("-", 1)[0], group, mode))) == expected


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
    assert weights(check(located("us-east5", group))) == expected


def test_a_reservation_does_not_replace_missing_hardware(check: Check) -> None:
    group = "tpu: v6e, topology: 4x4, zone: us-east5-d, capacity: {reservation: mine}"
    assert weights(check(located("us-east5", group))) == ["TPU207 error"]


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
    findings = check(located(zone.rsplit("-", 1)[0], f"tpu: v5e, {group}, zone: {zone}"))
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
    assert weights(check(located("us-central1", group))) == expected


def test_an_ai_zone_without_the_hardware_has_one_finding(broken: Broken) -> None:
    assert broken(located("us-central1", "tpu: v5p, topology: 2x2x2, zone: us-central1-ai1a")) == ["TPU207"]


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
    assert weights(check(located(location, group, "autopilot"))) == expected


def test_the_fix_on_autopilot_sets_the_ai_zone(check: Check) -> None:
    (finding,) = check(located("us-south1", "tpu: v6e, topology: 4x4", "autopilot"))
    assert finding.fix == "zone: us-south1-ai1b"
    assert "us-south1" not in finding.allowed
    assert "Autopilot never selects an AI zone" in finding.message


def test_a_fix_stays_in_the_region(check: Check, catalog: Catalog) -> None:
    (finding,) = check(located("us-east5", "tpu: v6e, topology: 4x4, zone: us-east5-d"))
    assert finding.fix == "zone: us-east5-a"
    assert finding.allowed == catalog.zones.families["ct6e"].documented.zones
    (finding,) = check(located("us-west4", "tpu: v6e, topology: 4x4, zone: us-west4-a"))
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
