"""Rules about numbers and dates of reservations in an inventory that contradict each other."""

import datetime
from collections.abc import Callable

import pytest
from support.inventory_texts import OWNED, plan

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]


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
def test_contradictions_inside_a_reservation(listed: Found, keys: str, expected: list[str]) -> None:
    assert listed(plan("capacity: spot"), inventory=OWNED % keys) == expected
