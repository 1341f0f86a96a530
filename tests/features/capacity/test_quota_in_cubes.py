"""Cubes of dynamic slicing beside the VMs and chips that they consist of, in quota, cost and preview."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.slices_of_cubes import plan_of_cubes

GkeTpu = Callable[..., Any]
IN_VMS, IN_CHIPS = "machine_type: tpu7x-standard-4t\n    vms: 120", "family: tpu7x\n    chips: 480"
INVENTORY = """
version: 1
as_of: 2026-11-28
reservations:
  - name: ironwood
    project: acme-ml
    zone: us-central1-c
    {size}
    blocks: [{{name: block-one, vms: {one}}}, {{name: block-two, vms: 40}}]
"""


def run(gke_tpu: GkeTpu, folder: Path, command: str, *, one: int = 80, size: str = IN_VMS) -> str:
    plan, inventory = folder / "plan.yaml", folder / "inventory.yaml"
    plan.write_text(yaml.safe_dump(plan_of_cubes()))
    inventory.write_text(INVENTORY.format(one=one, size=size))
    found: str = gke_tpu(command, str(plan), "--inventory", str(inventory), "--format", "json").out
    return found


@pytest.mark.parametrize(("one", "left"), [(48, 0), (63, 0), (64, 1), (80, 2)])
def test_what_is_left_of_a_block_is_a_number_of_whole_cubes(
    gke_tpu: GkeTpu, tmp_path: Path, one: int, left: int
) -> None:
    found = json.loads(run(gke_tpu, tmp_path, "quota", one=one))["reservations"]
    assert [item["block"] for item in found] == [None, "block-one", "block-two"]
    whole, first, second = (item["cubes"] for item in found)
    assert whole is None, "a cube is in one block"
    assert first == {
        "size": 16, "minimum": 3, "maximum": 3, "limit": one // 16, "left_at_minimum": left, "left_at_maximum": left,
    }  # fmt: skip
    assert (second["minimum"], second["limit"], second["left_at_maximum"]) == (2, 2, 0)


def test_a_block_without_room_says_that_none_are_left(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    run(gke_tpu, tmp_path, "quota", one=80)
    plan, inventory = str(tmp_path / "plan.yaml"), str(tmp_path / "inventory.yaml")
    text = " ".join(gke_tpu("quota", plan, "--inventory", inventory).out.split())
    assert (
        "3 cubes of 16 VMs in block block-one of reservation ironwood; what is left is enough for 2 more cubes." in text
    )
    assert "2 cubes of 16 VMs in block block-two of reservation ironwood; none are left." in text


def test_blocks_of_a_reservation_that_counts_chips_have_cubes_too(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    found = json.loads(run(gke_tpu, tmp_path, "quota", size=IN_CHIPS))["reservations"]
    assert [item["cubes"] and item["cubes"]["maximum"] for item in found] == [None, 3, 2]


def test_cost_and_preview_count_cubes(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    (plan,) = json.loads(run(gke_tpu, tmp_path, "cost"))["plans"]
    assert [(item["dynamic"], item["slices"]["min"]) for item in plan["groups"]] == [(True, 3), (True, 2)]
    text = gke_tpu("cost", str(tmp_path / "plan.yaml")).out
    assert "train/one: 3 cubes, each 768.00 USD per hour, used or not" in text
    preview = gke_tpu("preview", str(tmp_path / "plan.yaml")).out
    assert "total    320 chips, 80 hosts, 5 cubes · 3,840 USD/h" in preview
    assert "needs    80 VMs of ironwood (with 5 cubes)" in preview
