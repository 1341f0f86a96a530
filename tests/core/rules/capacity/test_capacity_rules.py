"""Capacity modes by family, flex-start limits and zones, and the names of reservations."""

from collections.abc import Callable
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.text.findings import Finding, Severity

Broken = Callable[[str], list[str]]
Check = Callable[[str], tuple[Finding, ...]]

CATALOG = read_catalog()
V6E = "tpu: v6e\ntopology: 4x4\n"


def plan(group: str, zone: str, mode: str = "standard") -> str:
    return (
        f"mode: {mode}\nlocation: {zone.rsplit('-', 1)[0]}\n"
        f"network: {{network: shared, subnetwork: tpu}}\nslices: {{main: {{{group}, zone: {zone}}}}}"
    )


def about_capacity(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.rule for finding in findings if finding.rule.startswith("TPU3")]


# A topology and a zone of each family in which flex-start is documented.
PLACES = {
    "ct3": ("tpu: v3, topology: 2x2", "europe-west4-a"),
    "ct3p": ("tpu: v3, topology: 4x4", "europe-west4-a"),
    "ct4p": ("tpu: v4, topology: 2x2x2", "us-central2-b"),
    "ct5l": ("tpu: v5e, topology: 2x2, machine_type: ct5l-hightpu-4t", "us-west4-a"),
    "ct5lp": ("tpu: v5e, topology: 2x2", "us-west4-a"),
    "ct5p": ("tpu: v5p, topology: 2x2x2", "us-east5-a"),
    "ct6e": ("tpu: v6e, topology: 4x4", "us-east5-b"),
    "tpu7x": ("tpu: tpu7x, topology: 2x2x2", "us-central1-c"),
}
CAPACITIES = {
    "on_demand": "on_demand",
    "spot": "spot",
    "reservation": "{reservation: ours}",
    "flex_start": "flex_start",
    "queued": "queued",
}


def verdict(catalog: Catalog, family: str, mode: Any) -> list[str]:
    offering = catalog.capacity.families[family][mode]
    if offering.offer == "yes":
        return ["TPU303"] if offering.confidence == "low" else []
    return [{"no": "TPU301", "allowlist": "TPU302", "unverified": "TPU303"}[offering.offer]]


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("family", PLACES)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_catalog_decides_what_is_offered(mode: str, family: str, capacity: str, check: Check) -> None:
    group, zone = PLACES[family]
    if mode == "autopilot" and family == "ct5l":
        pytest.skip("Autopilot takes no machine type")
    expected = verdict(CATALOG, family, capacity)
    if mode == "autopilot" and capacity == "queued":
        expected = expected or ["TPU303"]
    findings = check(plan(f"{group}, capacity: {CAPACITIES[capacity]}", zone, mode))
    assert about_capacity(findings) == expected


@pytest.mark.parametrize(
    ("family", "capacity", "rule", "severity"),
    [
        ("ct3", "spot", "TPU303", Severity.WARNING),
        ("ct3p", "spot", "TPU303", Severity.WARNING),
        ("ct4p", "flex_start", "TPU301", Severity.ERROR),
        ("ct4p", "queued", "TPU301", Severity.ERROR),
        ("ct5l", "flex_start", "TPU301", Severity.ERROR),
        ("ct5lp", "queued", "TPU303", Severity.WARNING),
        ("tpu7x", "spot", "TPU302", Severity.WARNING),
        ("tpu7x", "flex_start", "TPU302", Severity.WARNING),
        ("tpu7x", "{flex_start: {queued: true}}", "TPU302", Severity.WARNING),
        # the API rejected it; queued provisioning without flex-start is another mode
        ("ct5lp", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
        ("ct5p", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
        ("ct5p", "queued", "TPU303", Severity.WARNING),
        ("ct3p", "{flex_start: {queued: true}}", "TPU301", Severity.ERROR),
    ],
)
def test_every_offer_of_the_catalog_has_its_finding(
    family: str, capacity: str, rule: str, severity: Severity, check: Check
) -> None:
    group, zone = PLACES[family]
    findings = [item for item in check(plan(f"{group}, capacity: {capacity}", zone)) if item.rule.startswith("TPU3")]
    assert [(item.rule, item.severity) for item in findings] == [(rule, severity)]


def test_queued_flex_start_of_v5e_is_rejected_with_the_answer_of_the_api(check: Check) -> None:
    (finding,) = check(plan("tpu: v5e, topology: 4x4, capacity: {flex_start: {queued: true}}", "us-west4-a"))
    assert (finding.rule, finding.severity) == ("TPU301", Severity.ERROR)
    assert "Flex start node pools don't support TPUs with queued provisioning" in finding.why
    assert finding.source.startswith("XPK pull request 900")
    assert check(plan("tpu: v5e, topology: 4x4, capacity: flex_start", "us-west4-a")) == ()


def test_an_unsupported_mode_comes_with_the_supported_ones(check: Check) -> None:
    (finding,) = check(plan("tpu: v4, topology: 2x2x2, capacity: flex_start", "us-central2-b"))
    assert finding.message == "v4 (ct4p) is not available with flex-start"
    assert finding.allowed == ("on_demand", "spot", "reservation")
    assert finding.fix == "capacity: on_demand"


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
    findings = check(plan(group, "us-east5-b", mode))
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
    findings = check(plan(f"{group}, capacity: {capacity}", zone))
    assert [(item.rule, item.severity) for item in findings if item.rule.startswith("TPU3")] == expected
    assert about_capacity(check(plan(f"{group}, capacity: on_demand", zone))) == []


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


# Reservations


@pytest.mark.parametrize(
    ("reservation", "expected"),
    [
        ("v6e-pretrain", []),
        ("a", []),
        ("{name: v6e-pretrain, project: acme-shared}", []),
        ('{name: v6e-pretrain, project: "123456789012"}', []),
        ("{name: v6e-pretrain, project: 'example.com:acme'}", ["TPU322"]),
        ("{name: v6e-pretrain, project: 'example.com:acme-shared'}", []),
        ("{name: v6e-pretrain, block: block-0001}", []),
        ("{name: v6e-pretrain, project: acme-shared, block: block-0001}", []),
        ("{name: v6e-pretrain, block: block-0001, sub_block: sub-0001}", []),
        ("{name: v6e-pretrain, sub_block: sub-0001}", ["TPU321"]),
        ("V6E-pretrain", ["TPU322"]),
        ("v6e_pretrain", ["TPU322"]),
        ("6e-pretrain", ["TPU322"]),
        ("v6e-pretrain-", ["TPU322"]),
        ('""', ["TPU322"]),
        (f"a{'b' * 62}", []),
        (f"a{'b' * 63}", ["TPU322"]),
        ("projects/acme-shared/reservations/v6e-pretrain", ["TPU322"]),
        ("{name: v6e-pretrain, project: projects/acme-shared}", ["TPU322"]),
        ("{name: v6e-pretrain, block: blocks/1}", ["TPU322"]),
    ],
)
def test_parts_of_reservations_have_the_form_of_names(reservation: str, expected: list[str], broken: Broken) -> None:
    assert broken(f"{V6E}capacity: {{reservation: {reservation}}}") == expected


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("projects/acme-shared/reservations/r", "reservation: {name: r, project: acme-shared}"),
        ("projects/acme-ml/reservations/r", "reservation: r"),
        ("projects/acme-ml/zones/us-east5-b/reservations/r", "reservation: r"),
        ("r/reservationBlocks/b/reservationSubBlocks/s", "reservation: {name: r, block: b, sub_block: s}"),
        ("projects/acme-shared/reservations/R", ""),
        ("a/b/c", ""),
        ("https://www.googleapis.com/compute/v1/projects/acme-ml/zones/us-east5-b/reservations/r", "reservation: r"),
    ],
)
def test_a_path_of_a_reservation_is_split_into_its_parts(text: str, fix: str, check: Check) -> None:
    for written in (text, f"{{name: {text}}}"):
        (finding,) = check(f"{V6E}capacity: {{reservation: {written}}}")
        assert (finding.rule, finding.fix) == ("TPU322", fix)
        assert finding.path[-1] == ("reservation" if fix else "name")


# Host maintenance


@pytest.mark.parametrize("capacity", ["on_demand", "spot", "flex_start"])
def test_periodic_maintenance_requires_a_reservation(capacity: str, check: Check) -> None:
    (finding,) = check(f"{V6E}host_maintenance: periodic\ncapacity: {capacity}")
    assert (finding.rule, finding.severity) == ("TPU331", Severity.WARNING)


@pytest.mark.parametrize(
    "keys", ["host_maintenance: as_needed", "host_maintenance: {interval: periodic}\ncapacity: {reservation: ours}"]
)
def test_other_host_maintenance_is_accepted(keys: str, broken: Broken) -> None:
    assert broken(V6E + keys) == []


CUBES = "name: cubes, block: block-0001, sub_block: sub-0001"


def cubes(*groups: str) -> str:
    body = "".join(f"  g{index}: {{tpu: tpu7x, zone: us-central1-c, {group}}}\n" for index, group in enumerate(groups))
    return f"mode: standard\nlocation: us-central1\nnetwork: {{create: {{mtu: 8896}}}}\nslices:\n{body}"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}"], []),
        ([f"topology: 4x4x8, capacity: {{reservation: {{{CUBES}}}}}"], ["TPU323 error"]),
        # a slice that never fits is an error, even if only the autoscaler creates it
        ([f"topology: 4x4x8, max: 1, capacity: {{reservation: {{{CUBES}}}}}"], ["TPU323 error"]),
        (["topology: 4x4x8, capacity: {reservation: {name: cubes, block: block-0001}}"], []),
        # the sum of the slices that name the sub-block
        ([f"topology: 2x4x4, count: 2, capacity: {{reservation: {{{CUBES}}}}}"], []),
        ([f"topology: 2x4x4, count: 3, capacity: {{reservation: {{{CUBES}}}}}"], ["TPU323 error"]),
        ([f"topology: 2x4x4, max: 3, capacity: {{reservation: {{{CUBES}}}}}"], ["TPU323 warning"]),
        ([f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}"] * 2, ["TPU323 error"]),
        ([f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}"] * 3, ["TPU323 error"]),
        (
            [
                f"topology: 4x4x4, max: 2, capacity: {{reservation: {{{CUBES}}}}}",
                f"topology: 4x4x4, count: 2, capacity: {{reservation: {{{CUBES}}}}}",
            ],
            ["TPU323 warning", "TPU323 error"],
        ),
        (
            [
                f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}",
                "topology: 4x4x4, capacity: {reservation: {name: cubes, block: block-0001, sub_block: sub-0002}}",
            ],
            [],
        ),
        (
            [
                f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}",
                f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}, project: acme-cubes}}}}",
            ],
            [],
        ),
        (
            [
                f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}}}}}",
                f"topology: 4x4x4, capacity: {{reservation: {{{CUBES}, project: acme-ml}}}}",
            ],
            ["TPU323 error"],
        ),
    ],
)
def test_a_sub_block_holds_one_cube(groups: list[str], expected: list[str], check: Check) -> None:
    findings = [item for item in check(cubes(*groups)) if item.rule == "TPU323"]
    assert [f"{item.rule} {item.severity.word}" for item in findings] == expected


def test_the_fix_for_a_slice_that_exceeds_its_sub_block_is_the_block(check: Check) -> None:
    (finding,) = check(cubes(f"topology: 4x4x8, capacity: {{reservation: {{{CUBES}, project: acme-cubes}}}}"))
    assert finding.message == "sub-block `sub-0001` has 16 hosts, but a slice of 4x4x8 needs 32"
    assert finding.fix == "reservation: {name: cubes, project: acme-cubes, block: block-0001}"
    assert check(cubes(f"topology: 4x4x8, capacity: {{{finding.fix}}}")) == ()


def test_only_one_family_has_a_known_sub_block_size(check: Check) -> None:
    group = "tpu: v6e, topology: 16x16, capacity: {reservation: {name: a, block: b, sub_block: c}}"
    assert check(plan(group, "us-east5-b")) == ()
