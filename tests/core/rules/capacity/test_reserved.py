"""Rules about reservations, and of settings that only reserved hosts support."""

import pytest
from support.fixtures.checks import Broken, Check
from support.rule_plans import plan_in

from pulumi_gke_tpu.core.text.findings import Severity

V6E = "tpu: v6e\ntopology: 4x4\n"


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
    assert check(plan_in(group, "us-east5-b")) == ()


@pytest.mark.parametrize(
    ("window", "expected"), [("14d", []), ("28d", []), ("29d", ["TPU469"]), ("60d", ["TPU469"]), ("673h", ["TPU469"])]
)
def test_idle_hosts_are_maintained_only_after_the_announcement(
    window: str, expected: list[str], broken: Broken
) -> None:
    hosts = f"{{interval: periodic, opportunistic: {{idle: 10m, window: {window}, min_nodes: 0}}}}"
    assert broken(f"{V6E}capacity: {{reservation: ours}}\nhost_maintenance: {hosts}") == expected
