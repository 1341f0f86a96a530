"""Every command reads, derives and validates each plan once: counted in all threads, and under all names."""

import pathlib
import shutil
from typing import Any

import pytest
from support.checking import checks_in
from support.shipped import NAMES
from support.small_plans import TODAY

STACKS = pathlib.Path(__file__).parents[2] / "stacks"
PROD = STACKS / "prod" / "plan.yaml"


@pytest.fixture
def edited(tmp_path: pathlib.Path) -> pathlib.Path:
    """The prod stack with another version of its clusters."""
    path = tmp_path / "plan.yaml"
    path.write_text(PROD.read_text(encoding="utf-8").replace("topology: 16x16", "topology: 8x16"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", PROD),
        ("validate", PROD, "--format", "json"),
        ("preview", PROD),
        ("preview", PROD, "--resources", "--format", "json"),
        ("explain", PROD, "train-east/pretrain"),
        ("diff", PROD, PROD),
    ],
    ids=lambda value: " ".join(pathlib.Path(word).name for word in value),
)
def test_a_command_on_one_plan_checks_it_once(gke_tpu: Any, arguments: tuple[object, ...]) -> None:
    codes = []
    assert checks_in(lambda: codes.append(gke_tpu(*arguments, *TODAY).code)) == (1, 1, 1)
    assert codes == [0]


def test_several_plans_are_checked_once_each_also_together(gke_tpu: Any) -> None:
    plans = [STACKS / name / "plan.yaml" for name in NAMES]
    assert checks_in(lambda: gke_tpu("validate", *plans, *TODAY)) == (len(plans), len(plans), len(plans))


def test_a_plan_against_an_inventory_is_checked_once(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text("version: 1\nas_of: 2026-11-20\n", encoding="utf-8")
    # The inventory is read with the same code as a plan.
    assert checks_in(lambda: gke_tpu("validate", PROD, "--inventory", inventory, *TODAY)) == (2, 1, 1)


def test_a_diff_checks_both_plans_once(gke_tpu: Any, edited: pathlib.Path) -> None:
    runs = []
    assert checks_in(lambda: runs.append(gke_tpu("diff", PROD, edited, *TODAY))) == (2, 2, 2)
    assert "train-east/pretrain" in runs[0].out


def test_a_diff_of_folders_checks_an_unchanged_plan_once(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    for side in ("base", "head"):
        shutil.copytree(STACKS, tmp_path / side)
    plans = len(list(STACKS.glob("*/plan.yaml")))
    assert checks_in(lambda: gke_tpu("diff", tmp_path / "base", tmp_path / "head", *TODAY)) == (plans, plans, plans)


def test_a_stored_preview_is_derived_and_not_validated(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    stored = tmp_path / "stored.json"
    stored.write_text(gke_tpu("preview", PROD, "--resources", "--format", "json", *TODAY).out, encoding="utf-8")
    # Its plan is read and derived; the rules ran when it was stored.
    assert checks_in(lambda: gke_tpu("diff", stored, PROD, *TODAY)) == (2, 2, 2)
