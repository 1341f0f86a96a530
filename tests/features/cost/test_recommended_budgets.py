"""Budgets that recommend proposes for plans whose shapes share a reservation without one."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

GUIDE = pathlib.Path(__file__).parents[3] / "docs" / "examples" / "shared-reservation.yaml"
INVENTORY = """version: 1
as_of: 2026-11-20
reservations:
  - {name: v6e-ci, project: acme-ml, zone: us-east5-a, family: ct6e, chips: 128, in_use: 44}
  - {name: tpu7x-ci, project: acme-ml, zone: us-central1-c, family: tpu7x, chips: 128, in_use: 56}
"""
Asked = Callable[[Any], list[str]]


@pytest.fixture
def asked(gke_tpu: Callable[..., Any], tmp_path: pathlib.Path) -> Asked:
    """The notes of recommend beside a plan."""

    def notes(plan: Any) -> list[str]:
        inventory, other = tmp_path / "inventory.yaml", tmp_path / "plan.yaml"
        inventory.write_text(INVENTORY, encoding="utf-8")
        other.write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
        words = ("--chips", 8, "--tpu", "v6e", "--inventory", inventory, "--with", other, "--today", "2026-11-20")
        found = json.loads(gke_tpu("recommend", *words, "--format", "json").out)
        assert {item["unit"] for item in found["subtracted"] if item["kind"] == "reservation"} <= {"chip"}
        return [note for note in found["notes"] if "budget" in note]

    return notes


def without_budgets() -> Any:
    plan = yaml.safe_load(GUIDE.read_text(encoding="utf-8"))
    del plan["budgets"]
    for cluster in plan["clusters"].values():
        del cluster["kubernetes"]
    del plan["clusters"]["hub"]
    return plan


def test_the_proposed_budgets_are_those_of_the_guide(asked: Asked) -> None:
    plan = yaml.safe_load(GUIDE.read_text(encoding="utf-8"))
    notes = asked(without_budgets())
    proposed = [yaml.safe_load(note.partition("budgets: ")[2]) for note in notes]
    assert [[*each.values()] for each in proposed] == [[plan["budgets"]["v6e"]], [plan["budgets"]["tpu7x"]]]
    added = without_budgets() | {"budgets": {key: value for each in proposed for key, value in each.items()}}
    assert asked(added) == asked(plan) == []


def test_one_shape_a_fallback_and_a_taken_name(asked: Asked) -> None:
    plan = without_budgets()
    del plan["clusters"]["central"]
    slices = plan["clusters"]["east"]["slices"]
    slices["v6e-ci"] = slices.pop("v6e-2x4")
    (note,) = asked(plan)
    assert "v6e-ci-chips: {chips: 84" in note
    slices["v6e-ci"] |= {"count": 10, "fallback": ["spot"]}
    assert asked(plan) == []
    slices["v6e-ci"] = dict(slices["v6e-1x1"])
    assert asked(plan) == []
