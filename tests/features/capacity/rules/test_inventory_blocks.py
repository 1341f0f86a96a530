"""Blocks, dates and use by others in an inventory, and its workload policies."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog

TODAY = datetime.date(2026, 11, 20)
Found = Callable[..., list[str]]

GROUPS = "version: 1\nproject: {project}\nclusters:\n  c:\n    mode: standard\n    location: us-east5\n    slices:\n"
OWNED = (
    "reservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 64%s}\n"
)
BLOCKS = ", blocks: [{name: b1, vms: 32, sub_blocks: [{name: s1, vms: 16}, {name: s2, vms: 16}]}, {name: b2, vms: 32}]"


def plan(*groups: str, project: str = "acme-ml") -> str:
    """Groups of v6e 8x8, which are 16 VMs a slice, each with these further keys."""
    body = "".join(
        f"      g{index}: {{tpu: v6e, topology: 8x8, zone: us-east5-b, {group}}}\n"
        for index, group in enumerate(groups)
    )
    return GROUPS.format(project=project) + body


def on(block: str = "", count: int = 1) -> str:
    return f"count: {count}, capacity: {{reservation: {{name: pool, project: acme-ml{block}}}}}"


@pytest.fixture
def found(catalog: Catalog, tmp_path: Path) -> Found:
    """What is found, each as rule, severity, line and message."""

    def of(*plans: str, inventory: str) -> list[str]:
        example = "\n--- plan\n".join(plans) + "\n--- inventory\n" + inventory
        return [
            f"{item.rule} {item.severity.word}: {item.message}"
            for item in findings_about(example, catalog, tmp_path, TODAY)
        ]

    return of


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("", []),
        (", block: b1", []),
        (", block: b1, sub_block: s2", []),
        (", block: b3", ["TPU808 warning: the inventory has no block `b3` in reservation `pool`"]),
        (", block: b1, sub_block: s3", ["TPU808 warning: the inventory has no sub-block `s3` in block `b1`"]),
        (", block: b2, sub_block: s1", []),  # the inventory lists no sub-block of b2, so it may be incomplete
    ],
)
def test_a_block_is_missing_only_where_the_inventory_lists_others(
    found: Found, block: str, expected: list[str]
) -> None:
    assert found(plan(on(block)), inventory=OWNED % BLOCKS) == expected


def test_a_right_group_does_not_hide_an_unknown_block_of_the_next_one(found: Found) -> None:
    for first in ("capacity: spot", on(), on(", block: b1"), on(", block: b3")):
        lines = found(plan(first, on(", block: b4")), inventory=OWNED % BLOCKS)
        assert "TPU808 warning: the inventory has no block `b4` in reservation `pool`" in lines


def test_without_blocks_in_the_inventory_no_block_is_missing(found: Found) -> None:
    assert found(plan(on(", block: b3")), inventory=OWNED % "") == []


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([on(", block: b1", 2)], []),
        ([on(", block: b1", 3)], ["TPU809 error: block `b1` of reservation `pool` has 32 VMs, but the plans need 48"]),
        ([on(", block: b1, sub_block: s1"), on(", block: b1, sub_block: s2")], []),
        (
            [on(", block: b1, sub_block: s1", 2)],
            ["TPU809 error: sub-block `s1` in block `b1` of reservation `pool` has 16 VMs, but the plans need 32"],
        ),
        # 16 VMs in a sub-block and 32 in its block are 48 in the block
        (
            [on(", block: b1, sub_block: s1"), on(", block: b1", 2)],
            ["TPU809 error: block `b1` of reservation `pool` has 32 VMs, but the plans need 48"],
        ),
        ([on(", block: b1", 2), on(", block: b2", 2)], []),
    ],
)
def test_blocks_and_sub_blocks_are_summed(found: Found, groups: list[str], expected: list[str]) -> None:
    found_now = found(plan(*groups), inventory=OWNED % BLOCKS)
    assert [text.partition(" (")[0] for text in found_now] == expected


def test_only_the_largest_size_of_an_autoscaled_group_is_a_warning(found: Found) -> None:
    group = "min: 0, max: 3, capacity: {reservation: {name: pool, block: b1}}"
    assert [text.partition(":")[0] for text in found(plan(group), inventory=OWNED % BLOCKS)] == ["TPU809 warning"]


def test_a_block_is_summed_over_plans_and_projects(found: Found) -> None:
    plans = plan(on(", block: b1")), plan(on(", block: b1", 2), project="acme-lab")
    (text,) = found(*plans, inventory=OWNED % (BLOCKS + ", shared_with: [acme-lab]"))
    assert text.startswith("TPU809 error: block `b1` of reservation `pool` has 32 VMs, but the plans need 48 (")


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
def test_the_use_of_a_reservation_by_others_is_not_available(found: Found, in_use: int, expected: list[str]) -> None:
    assert found(plan(on()), inventory=OWNED % f", in_use: {in_use}") == expected


@pytest.mark.parametrize(("in_use", "expected"), [(64, []), (65, ["TPU811 error"])])
def test_the_use_of_a_quota_by_others_is_not_available(found: Found, in_use: int, expected: list[str]) -> None:
    inventory = (
        "quotas:\n  - {project: acme-ml, metric: tpus_per_tpu_family, family: CT6E, region: us-east5, limit: 128, "
        f"in_use: {in_use}}}\n"
    )
    assert [text.partition(":")[0] for text in found(plan("count: 1"), inventory=inventory)] == expected


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        ("from: 2026-11-20", []),
        ("from: 2026-11-21", ["TPU810 warning: reservation `pool` begins on 2026-11-21"]),
        ("until: 2026-11-21", []),
        ("until: 2026-11-20", ["TPU810 warning: reservation `pool` ended on 2026-11-20"]),
        ("from: 2026-11-01, until: 2026-12-01", []),
    ],
)
def test_the_time_in_which_a_reservation_exists(found: Found, dates: str, expected: list[str]) -> None:
    assert found(plan(on()), inventory=OWNED % f", {dates}") == expected


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("2026-12-02T00:00:00Z", []),  # the run needs the reservation later
        ("2026-11-20T00:00:00Z", ["TPU630"]),  # it starts before the reservation
        ("2026-11-10T00:00:00Z", ["TPU810"]),  # it has ended
    ],
)
def test_a_group_whose_run_is_planned_may_wait_for_its_reservation(
    found: Found, start: str, expected: list[str]
) -> None:
    text = plan(on()) + f"    runs: {{llama: {{slices: g0, start: {start}, duration: 3d}}}}\n"
    assert [item.partition(" ")[0] for item in found(text, inventory=OWNED % ", from: 2026-12-01")] == expected


def test_a_run_of_impossible_length_is_not_planned(found: Found) -> None:
    """Another rule rejects it; the group needs the reservation now."""
    run = "    runs: {llama: {slices: g0, start: 2026-12-02T00:00:00Z, duration: 100000d}}\n"
    lines = found(plan(on()) + run, inventory=OWNED % ", from: 2026-12-01")
    assert [item.partition(" ")[0] for item in lines] == ["TPU810"]


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
    ("keys", "expected"),
    [
        (", in_use: 64", []),
        (", in_use: 65", ["TPU837 error: `in_use` is 65 VMs, but `vms` is 64"]),
        (", blocks: [{name: a, vms: 32}, {name: b, vms: 32}]", []),
        (
            ", blocks: [{name: a, vms: 33}, {name: b, vms: 32}]",
            ["TPU837 error: `blocks` have 65 VMs in total, but `vms` is 64"],
        ),
        (
            ", blocks: [{name: a, vms: 8, sub_blocks: [{name: s, vms: 9}]}]",
            ["TPU837 error: `sub_blocks` have 9 VMs in total, but `vms` is 8"],
        ),
        (
            ", blocks: [{name: a, vms: 8}, {name: a, vms: 8}]",
            ["TPU832 error: duplicate block a: entry 1 of this list already defines it"],
        ),
        (
            ", blocks: [{name: a, vms: 8, sub_blocks: [{name: s, vms: 1}]}, "
            "{name: b, vms: 8, sub_blocks: [{name: s, vms: 1}]}]",
            [],
        ),
        (
            ", from: 2026-12-01, until: 2026-12-01",
            ["TPU838 error: reservation `pool` ends on 2026-12-01, but begins on 2026-12-01"],
        ),
    ],
)
def test_contradictions_inside_a_reservation(found: Found, keys: str, expected: list[str]) -> None:
    assert found(plan("capacity: spot"), inventory=OWNED % keys) == expected


IRONWOOD = """
mode: standard
location: us-central1
slices:
  big: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, %s}
"""
POLICIES = "workload_policies:\n  - {name: %s, project: acme-ml, region: us-central1, topology: %s}\n"


@pytest.mark.parametrize(
    ("name", "topology", "expected"),
    [
        ("cubes", "4x4x4", []),
        ("cubes", "4X4X4", []),
        ("other", "4x4x4", ["TPU839 warning"]),
        ("cubes", "4x4x8", ["TPU840 error"]),
    ],
)
def test_an_existing_policy_is_there_and_has_the_topology(
    found: Found, name: str, topology: str, expected: list[str]
) -> None:
    named = IRONWOOD % "placement: {workload_policy: cubes}"
    found_now = found(named, inventory=POLICIES % (name, topology))
    assert [text.partition(":")[0] for text in found_now] == expected


def test_a_policy_that_the_plan_creates_need_not_exist(found: Found) -> None:
    assert found(IRONWOOD % "capacity: on_demand", inventory=POLICIES % ("other", "4x4x4")) == []


def test_a_policy_of_the_cluster_need_not_exist_and_must_agree_with_one_that_does(found: Found) -> None:
    plan = "workload_policies: {cubes: {topology: 4x4x4}}\n" + IRONWOOD % "placement: {workload_policy: cubes}"
    assert found(plan, inventory=POLICIES % ("other", "4x4x4")) == []
    assert found(plan, inventory=POLICIES % ("cubes", "4x4x4")) == []
    made, named = found(plan, inventory=POLICIES % ("cubes", "4x4x8"))
    assert "has topology 4x4x8, but the plan creates it with 4x4x4" in made
    assert "has topology 4x4x8, but the slices have 4x4x4" in named


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
    found: Found, sizes: list[str], vms: int, in_use: int, expected: list[str]
) -> None:
    groups = [f"{size}, capacity: {{reservation: {{name: pool, project: acme-ml}}}}" for size in sizes]
    inventory = OWNED.replace("vms: 64", f"vms: {vms}") % f", in_use: {in_use}"
    shortened = [
        text.partition(": ")[0] + ": " + text.partition(", but ")[2].removeprefix("the plans ").partition(" (")[0]
        for text in found(plan(*groups), inventory=inventory)
    ]
    assert sorted(shortened) == sorted(expected)


@pytest.mark.parametrize(("limit", "in_use", "expected"), [(80, 16, "warning"), (79, 16, "error"), (16, 60, "error")])
def test_the_use_of_a_quota_by_others_can_leave_too_little_for_one_slice(
    found: Found, limit: int, in_use: int, expected: str
) -> None:
    inventory = (
        f"quotas:\n  - {{project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: {limit}, "
        f"in_use: {in_use}}}\n"
    )
    (text,) = found(plan("min: 0, max: 2, capacity: spot"), inventory=inventory)
    assert text.startswith(f"TPU811 {expected}: ")


def test_a_block_on_which_no_slice_fits_is_an_error_at_the_topology(catalog: Catalog, tmp_path: Path) -> None:
    inventory = OWNED % ", blocks: [{name: b1, vms: 32, sub_blocks: [{name: s1, vms: 8}]}]"
    group = "min: 0, max: 1, capacity: {reservation: {name: pool, block: b1, sub_block: s1}}"
    (finding,) = findings_about(plan(group) + "\n--- inventory\n" + inventory, catalog, tmp_path, TODAY)
    assert (finding.rule, finding.severity.word, finding.fix) == ("TPU809", "error", "")
    assert finding.path == ("clusters", "c", "slices", "g0", "topology")
    assert finding.message == (
        "sub-block `s1` in block `b1` of reservation `pool` has 8 VMs, but one slice of c/g0 needs 16"
    )


def test_deliberate_oversubscription_can_be_accepted_with_a_reason(catalog: Catalog, tmp_path: Path) -> None:
    def accepted(vms: int) -> list[tuple[str, str]]:
        accept = (
            "accept: [{rule: TPU804, of: c/g0, reason: Only one of the groups runs at a time, until: 2026-12-31}]\n"
        )
        group = "min: 0, max: 5, capacity: {reservation: pool}"
        inventory = OWNED.replace("vms: 64", f"vms: {vms}") % ""
        found = findings_about(accept + plan(group) + "\n--- inventory\n" + inventory, catalog, tmp_path, TODAY)
        return [(item.severity.word, item.accepted or "") for item in found if item.rule == "TPU804"]

    assert accepted(64) == [("warning", "Only one of the groups runs at a time")]
    assert accepted(8) == [("error", "")]
