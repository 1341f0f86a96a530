"""Rules about blocks of reservations, and the time in which a reservation exists."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.inventory_texts import OWNED, on, plan
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]

BLOCKS = ", blocks: [{name: b1, vms: 32, sub_blocks: [{name: s1, vms: 16}, {name: s2, vms: 16}]}, {name: b2, vms: 32}]"


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
    listed: Found, block: str, expected: list[str]
) -> None:
    assert listed(plan(on(block)), inventory=OWNED % BLOCKS) == expected


def test_a_right_group_does_not_hide_an_unknown_block_of_the_next_one(listed: Found) -> None:
    for first in ("capacity: spot", on(), on(", block: b1"), on(", block: b3")):
        lines = listed(plan(first, on(", block: b4")), inventory=OWNED % BLOCKS)
        assert "TPU808 warning: the inventory has no block `b4` in reservation `pool`" in lines


def test_without_blocks_in_the_inventory_no_block_is_missing(listed: Found) -> None:
    assert listed(plan(on(", block: b3")), inventory=OWNED % "") == []


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
def test_blocks_and_sub_blocks_are_summed(listed: Found, groups: list[str], expected: list[str]) -> None:
    found_now = listed(plan(*groups), inventory=OWNED % BLOCKS)
    assert [text.partition(" (")[0] for text in found_now] == expected


def test_only_the_largest_size_of_an_autoscaled_group_is_a_warning(listed: Found) -> None:
    group = "min: 0, max: 3, capacity: {reservation: {name: pool, block: b1}}"
    assert [text.partition(":")[0] for text in listed(plan(group), inventory=OWNED % BLOCKS)] == ["TPU809 warning"]


def test_a_block_is_summed_over_plans_and_projects(listed: Found) -> None:
    plans = plan(on(", block: b1")), plan(on(", block: b1", 2), project="acme-lab")
    (text,) = listed(*plans, inventory=OWNED % (BLOCKS + ", shared_with: [acme-lab]"))
    assert text.startswith("TPU809 error: block `b1` of reservation `pool` has 32 VMs, but the plans need 48 (")


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
def test_the_time_in_which_a_reservation_exists(listed: Found, dates: str, expected: list[str]) -> None:
    assert listed(plan(on()), inventory=OWNED % f", {dates}") == expected


def test_a_run_of_impossible_length_is_not_planned(listed: Found) -> None:
    """Another rule rejects it; the group needs the reservation now."""
    run = "    runs: {llama: {slices: g0, start: 2026-12-02T00:00:00Z, duration: 100000d}}\n"
    lines = listed(plan(on()) + run, inventory=OWNED % ", from: 2026-12-01")
    assert [item.partition(" ")[0] for item in lines] == ["TPU810"]


def test_a_block_on_which_no_slice_fits_is_an_error_at_the_topology(catalog: Catalog, tmp_path: Path) -> None:
    inventory = OWNED % ", blocks: [{name: b1, vms: 32, sub_blocks: [{name: s1, vms: 8}]}]"
    group = "min: 0, max: 1, capacity: {reservation: {name: pool, block: b1, sub_block: s1}}"
    (finding,) = findings_about(plan(group) + "\n--- inventory\n" + inventory, catalog, tmp_path, TODAY)
    assert (finding.rule, finding.severity.word, finding.fix) == ("TPU809", "error", "")
    assert finding.path == ("clusters", "c", "slices", "g0", "topology")
    assert finding.message == (
        "sub-block `s1` in block `b1` of reservation `pool` has 8 VMs, but one slice of c/g0 needs 16"
    )
