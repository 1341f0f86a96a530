"""Paths of files are shown whole: plans of the same folder have paths that only the end tells apart."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

GkeTpu = Callable[..., Any]
TODAY = ("--today", "2026-11-20")
STACK = Path(__file__).parents[2] / "stacks" / "dev" / "plan.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two plans, whose path has more than 300 characters."""
    folder = tmp_path.joinpath(*(f"folder {'x' * 50} {number}" for number in range(5)))
    folder.mkdir(parents=True)
    for name in ("one.yaml", "two.yaml"):
        shutil.copy(STACK, folder / name)
    return folder


@pytest.mark.parametrize(
    ("command", "output"),
    [("validate", "text"), ("validate", "json"), ("validate", "github"), ("validate", "sarif")]
    + [(command, output) for command in ("quota", "cost") for output in ("text", "json", "markdown")]
    + [("calendar", "json")],
)
def test_the_paths_of_plans_are_shown_whole(gke_tpu: GkeTpu, folder: Path, command: str, output: str) -> None:
    run = gke_tpu(command, folder / "one.yaml", folder / "two.yaml", "--format", output, *TODAY)
    shown = "".join(unquote(run.out).replace("\\", "").split())
    for name in ("one.yaml", "two.yaml"):
        assert "".join(str(folder / name).split()) in shown


@pytest.mark.parametrize(
    "call",
    [
        ("validate", "none.yaml"),
        ("validate", "one.yaml", "--inventory", "none.yaml"),
        ("check", "none.yaml"),
        ("diff", "one.yaml", "none.yaml"),
        ("explain", "none.yaml"),
        ("quota", "none"),
    ],
)
def test_errors_name_the_whole_path(gke_tpu: GkeTpu, folder: Path, call: tuple[str, ...]) -> None:
    arguments = [folder / word if word.endswith((".yaml", "none")) else word for word in call]
    run = gke_tpu(*arguments)
    assert run.code == 2
    assert "".join(str(arguments[-1]).split()) in "".join(run.err.split())
