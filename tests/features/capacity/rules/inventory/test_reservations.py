"""Rules about reservations of the plans against those of the inventory."""

import datetime
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from support.inventory_texts import OWNED, PRETRAIN, cluster, on, plan, reservation, reserved
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Finding

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]

SERVE = "tpu: v6e, topology: 2x2, zone: us-east5-b"


@pytest.mark.parametrize(
    ("group", "listed", "expected"),
    [
        pytest.param(PRETRAIN, reservation(), [], id="it is there"),
        pytest.param(PRETRAIN, reservation(name="other"), ["TPU801 warning"], id="others of the zone are there"),
        pytest.param(PRETRAIN, "  []\n", [], id="the inventory lists no reservation at all"),
        pytest.param(PRETRAIN, reservation(name="other", zone="us-east5-a"), [], id="only another zone is listed"),
        pytest.param(PRETRAIN, reservation(name="other", project="acme-web"), [], id="only another project is listed"),
        pytest.param(PRETRAIN, reservation(zone="us-east5-a"), ["TPU802 warning"], id="same name in another zone"),
        pytest.param(
            PRETRAIN, reservation() + reservation(zone="us-east5-a"), [], id="same name in the right and another zone"
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-ml]"),
            ["TPU802 warning"],
            id="another project shares one of that name",
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-web]"),
            [],
            id="another project has one of that name, for others",
        ),
        pytest.param(
            PRETRAIN,
            reservation(project="acme-infra", shared_with="[acme-ml]", zone="us-east5-a"),
            [],
            id="another project shares one of that name in another zone",
        ),
        pytest.param(SERVE, reservation(), [], id="nothing is reserved"),
    ],
)
def test_where_a_reservation_is(found: Found, group: str, listed: str, expected: list[str]) -> None:
    assert found(cluster(group), inventory="reservations:\n" + listed) == expected


def test_a_reservation_that_could_not_be_read_may_be_the_missing_one(found: Found) -> None:
    for other in (reservation(name="other"), reservation(zone="us-east5-a")):
        listed = reservation(vms="many") + other
        assert found(cluster(PRETRAIN), inventory="reservations:\n" + listed) == ["TPU022 error"]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        (reservation(vms=1), []),
        (reservation(vms=0), ["TPU804 error"]),
        (reservation(vms=0, zone="us-east5-a") + reservation(vms=0), []),
        (reservation(zone="us-central1-b"), ["TPU802 warning"]),
        (reservation(name="other"), ["TPU801 warning"]),
        (reservation(name="other", zone="us-central1-b"), []),
    ],
)
def test_autopilot_may_leave_the_zone_open(found: Found, listed: str, expected: list[str]) -> None:
    group = "tpu: v6e, topology: 2x2, capacity: {reservation: v6e-pretrain}"
    assert found(cluster(group, mode="autopilot"), inventory="reservations:\n" + listed) == expected


@pytest.mark.parametrize(("zone", "expected"), [("us-east5-b", ["TPU804 error"]), ("us-east5-c", ["TPU802 warning"])])
def test_slices_in_several_zones_use_a_reservation_of_one_of_them(found: Found, zone: str, expected: list[str]) -> None:
    group = "tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b], count: 4, capacity: {reservation: v6e-pretrain}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(zone=zone, vms=3)) == expected


@pytest.mark.parametrize(
    ("topology", "more", "machine_type", "expected"),
    [
        ("4x4", "", "ct6e-standard-4t", []),
        ("4x4", "", "CT6E-Standard-4T", []),
        ("4x4", "", "ct6e-standard-8t", ["TPU803 warning"]),
        ("2x4", ", chips_per_host: 8", "ct6e-standard-8t", []),
        ("2x4", ", chips_per_host: 4", "ct6e-standard-8t", ["TPU803 warning"]),
        ("4x4", "", "ct5p-hightpu-4t", ["TPU803 error"]),
        ("4x4", "", "n2-standard-4", ["TPU803 error"]),
        ("4x4", "", "ct6e-standard-16t", ["TPU833 warning"]),
        ("4x4", "", "ct6e", ["TPU833 warning"]),
        ("4x4", "", "n2", ["TPU833 warning"]),
        ("4x4", "", "n2-", ["TPU833 warning"]),
        ("4x4", "", "n2-high!mem-4", ["TPU833 warning"]),
        ("4x4", "", '"ct6e standard 4t"', ["TPU833 warning"]),
    ],
)
def test_machine_types(found: Found, topology: str, more: str, machine_type: str, expected: list[str]) -> None:
    group = f"tpu: v6e, topology: {topology}{more}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"
    assert found(cluster(group), inventory="reservations:\n" + reservation(machine_type=machine_type)) == expected


def test_the_other_form_of_a_topology_is_offered(findings: Callable[..., tuple[Finding, ...]]) -> None:
    group = "tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-b, capacity: {reservation: v6e-pretrain}"
    (finding,) = findings(cluster(group), inventory="reservations:\n" + reservation())
    assert (finding.rule, finding.fix) == ("TPU803", "chips_per_host: 4")


@pytest.mark.parametrize(
    ("topology", "machine_type"),
    [("4x4", "ct6e-standard-8t"), ("2x2", "ct6e-standard-8t"), ("2x4, chips_per_host: 8", "ct6e-standard-1t")],
)
def test_no_form_is_offered_that_the_topology_does_not_have(
    topology: str, machine_type: str, findings: Callable[..., tuple[Finding, ...]]
) -> None:
    """The reserved machines form slices of this generation, but none of this topology."""
    group = f"tpu: v6e, topology: {topology}, zone: us-east5-b, capacity: {{reservation: v6e-pretrain}}"
    (finding,) = findings(cluster(group), inventory="reservations:\n" + reservation(machine_type=machine_type))
    assert (finding.rule, finding.fix) == ("TPU803", "")


@pytest.mark.parametrize(
    ("groups", "vms", "expected"),
    [
        ([reserved("4x4", "2")], 8, []),
        ([reserved("4x4", "2")], 7, ["TPU804 error"]),
        ([reserved("4x4", "2"), reserved("2x2", "3")], 11, []),
        ([reserved("4x4", "2"), reserved("2x2", "3")], 10, ["TPU804 error"]),
        ([reserved("4x4", "{min: 0, max: 3}")], 12, []),
        ([reserved("4x4", "{min: 0, max: 3}")], 11, ["TPU804 warning"]),
        ([reserved("2x2", "{min: 2, max: 4}")], 2, ["TPU804 warning"]),
        ([reserved("2x2", "{min: 2, max: 4}")], 1, ["TPU804 error"]),
        ([reserved("4x4", "0")], 0, []),
    ],
)
def test_hosts_on_one_reservation_are_summed(found: Found, groups: list[str], vms: int, expected: list[str]) -> None:
    assert found(cluster(*groups), inventory="reservations:\n" + reservation(vms=vms)) == expected


def test_plans_are_summed_and_the_one_that_exceeds_the_limit_is_reported(
    findings: Callable[..., tuple[Finding, ...]],
) -> None:
    plans = [cluster(reserved("4x4", "4")), cluster(reserved("4x4", "3"), location="us-east5", name="other")]
    (finding,) = findings(*plans, inventory="reservations:\n" + reservation(vms=20))
    assert finding.position is not None
    assert (finding.position.file, finding.given, finding.fix) == ("plan-1.yaml", "count: 3", "count: 1")
    assert finding.message == (
        "reservation `v6e-pretrain` has 20 VMs, but the plans need 28 "
        "(plan-0.yaml train/g0: 16, plan-1.yaml train/g0: 12)"
    )


def test_a_group_that_exactly_fills_a_reservation_does_not_exceed_it(
    findings: Callable[..., tuple[Finding, ...]],
) -> None:
    plan = cluster(reserved("4x4", "2"), reserved("2x2", "1"))
    (finding,) = findings(plan, inventory="reservations:\n" + reservation(vms=8))
    assert finding.path == ("clusters", "train", "slices", "g1", "count")


def test_a_shared_reservation_is_summed_over_projects(found: Found) -> None:
    def plan(project: str) -> str:
        body = textwrap.indent(cluster(f"{SERVE}, capacity: {{reservation: {{name: r, project: infra}}}}"), "    ")
        return f"version: 1\nproject: {project}\nclusters:\n  train:\n{body}"

    listed = "reservations:\n" + reservation(name="r", project="infra", vms=1, shared_with="[acme-ml, acme-web]")
    assert found(plan("acme-ml"), inventory=listed) == []
    assert found(plan("acme-ml"), plan("acme-web"), inventory=listed) == ["TPU804 error"]


def test_reservations_of_one_name_in_two_zones_are_counted_apart(found: Found) -> None:
    groups = [reserved("4x4", "1"), reserved("4x4", "1").replace("us-east5-b", "us-east5-a")]
    listed = reservation(vms=4) + reservation(vms=4, zone="us-east5-a")
    assert found(cluster(*groups), inventory="reservations:\n" + listed) == []


def test_a_plan_accepts_warnings_about_its_own_groups(catalog: Catalog, tmp_path: Path) -> None:
    body = textwrap.indent(cluster(PRETRAIN), "    ")
    accept = "accept: [{rule: TPU801, of: train/g0, reason: it is being made, until: 2026-12-01}]"
    example = f"version: 1\nproject: acme-ml\n{accept}\nclusters:\n  train:\n{body}--- inventory\nreservations:\n"
    example += reservation(name="other")
    (finding,) = findings_about(example, catalog, tmp_path, TODAY, alone=True)
    assert (finding.rule, finding.accepted) == ("TPU801", "it is being made")


@pytest.mark.parametrize(
    ("in_use", "expected"),
    [
        (48, []),
        (
            49,
            [
                "TPU804 error: reservation `pool` has 64 VMs, of which 49 are in use outside the plans, "
                "but the plans need 16 (c/g0: 16)"
            ],
        ),
    ],
)
def test_the_use_of_a_reservation_by_others_is_not_available(listed: Found, in_use: int, expected: list[str]) -> None:
    assert listed(plan(on()), inventory=OWNED % f", in_use: {in_use}") == expected


@pytest.mark.parametrize(
    ("count", "vms", "fix"),
    [
        ("count: 3", 32, "count: 2"),
        ("count: 3", 16, "count: 1"),
        ("min: 1, max: 3", 32, "max: 2"),
        ("min: 1, max: 3", 16, "max: 1"),
        ("min: 0, max: 3", 16, "max: 1"),
        ("min: 2, max: 3", 16, "min: 1"),
        ("min: 2, max: 3", 32, "max: 2"),
        ("min: 1, max: 3", 15, "min: 0"),
        ("min: 0, max: 3", 15, ""),
        ("count: 3", 15, ""),
        ("indices: [0, 1, 2]", 32, ""),
    ],
)
def test_the_fix_is_the_number_of_slices_that_fits(
    count: str, vms: int, fix: str, catalog: Catalog, tmp_path: Path
) -> None:
    group = f"{count}, capacity: {{reservation: pool}}"
    example = f"{plan(group)}--- inventory\n{OWNED % ''}".replace("vms: 64", f"vms: {vms}")
    (finding,) = findings_about(example, catalog, tmp_path, TODAY)
    assert (finding.rule, finding.fix) == ("TPU804", fix)


def test_the_fix_leaves_the_others_what_they_use(catalog: Catalog, tmp_path: Path) -> None:
    group = "capacity: {reservation: pool}"
    example = f"{plan(f'count: 2, {group}', f'count: 3, {group}')}--- inventory\n{OWNED % ''}"
    (finding,) = findings_about(example, catalog, tmp_path, TODAY)
    assert (finding.path[-2:], finding.fix) == (("g1", "count"), "count: 2")


@pytest.mark.parametrize(
    ("sizes", "vms", "in_use", "expected"),
    [
        pytest.param(["min: 0, max: 2"], 16, 0, ["TPU804 warning: need up to 32"], id="one of its slices fits"),
        pytest.param(["min: 0, max: 2"], 15, 0, ["TPU804 error: one slice of c/g0 needs 16"], id="no slice fits"),
        pytest.param(["min: 0, max: 1"], 32, 16, [], id="the only slice fits beside the use by others"),
        pytest.param(
            ["min: 0, max: 1"], 32, 17, ["TPU804 error: one slice of c/g0 needs 16"], id="others leave too little"
        ),
        pytest.param(["count: 0"], 8, 8, [], id="the group has no slice"),
        pytest.param(
            ["min: 0, max: 1", "min: 0, max: 1"],
            15,
            0,
            ["TPU804 error: one slice of c/g0 needs 16", "TPU804 error: one slice of c/g1 needs 16"],
            id="each group that can never fit",
        ),
        pytest.param(
            ["count: 2", "min: 0, max: 1"],
            15,
            0,
            ["TPU804 error: one slice of c/g1 needs 16", "TPU804 error: need 32"],
            id="beside groups that do not fit at the minimum",
        ),
        pytest.param(["count: 1", "min: 0, max: 1"], 16, 0, ["TPU804 warning: need up to 32"], id="alone it fits"),
        pytest.param(
            ["min: 0, max: 1, fallback: [on_demand]"], 15, 0, ["TPU804 warning: need up to 16"], id="it can fall back"
        ),
    ],
)
def test_a_group_of_which_no_slice_fits_is_an_error(
    listed: Found, sizes: list[str], vms: int, in_use: int, expected: list[str]
) -> None:
    groups = [f"{size}, capacity: {{reservation: {{name: pool, project: acme-ml}}}}" for size in sizes]
    inventory = OWNED.replace("vms: 64", f"vms: {vms}") % f", in_use: {in_use}"
    shortened = [
        text.partition(": ")[0] + ": " + text.partition(", but ")[2].removeprefix("the plans ").partition(" (")[0]
        for text in listed(plan(*groups), inventory=inventory)
    ]
    assert sorted(shortened) == sorted(expected)


def test_deliberate_oversubscription_can_be_accepted_with_a_reason(catalog: Catalog, tmp_path: Path) -> None:
    def accepted(vms: int) -> list[tuple[str, str]]:
        accept = (
            "accept: [{rule: TPU804, of: c/g0, reason: Only one of the groups runs at a time, until: 2026-12-31}]\n"
        )
        group = "min: 0, max: 5, capacity: {reservation: pool}"
        inventory = OWNED.replace("vms: 64", f"vms: {vms}") % ""
        listed = findings_about(accept + plan(group) + "\n--- inventory\n" + inventory, catalog, tmp_path, TODAY)
        return [(item.severity.word, item.accepted or "") for item in listed if item.rule == "TPU804"]

    assert accepted(64) == [("warning", "Only one of the groups runs at a time")]
    assert accepted(8) == [("error", "")]
