"""Paths of files are shown whole: plans of the same folder have paths that only the end tells apart.

Nor does their length decide what is on one line with location, severity and rule ID.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from support.each import each

GkeTpu = Callable[..., Any]
TODAY = ("--today", "2026-11-20")
STACK = Path(__file__).parents[2] / "stacks" / "dev" / "plan.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two plans, whose path has 299 characters wherever the temporary folder is."""
    monkeypatch.chdir(tmp_path)
    folder = Path(*(f"folder {'x' * 50} {number}" for number in range(5)))
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


@each("length", range(20, 161))
def test_a_path_of_any_length_leaves_the_head_of_a_finding_on_one_line(
    gke_tpu: GkeTpu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("f" * length)
    folder.mkdir()
    (folder / "plan.yaml").write_text("version: 1\nproject: acme-ml\nclusters: {}\nextra: 1\n", encoding="utf-8")
    (folder / "pod.yaml").write_text("{kind: Secret, a: [\n", encoding="utf-8")
    (folder / "link.yaml").symlink_to("/dev/null")
    validated = gke_tpu("validate", folder / "plan.yaml").out.splitlines()
    assert validated[0].startswith(f"{folder}/plan.yaml:3:11: error TPU023: `clusters`")
    assert any(line.startswith(f"{folder}/plan.yaml:4:1: error TPU020: unknown") for line in validated)
    checked = gke_tpu("check", folder).out.splitlines()
    assert any(line.startswith(f"{folder}/pod.yaml:1:19: error TPU003: invalid") for line in checked)
    assert any(line.startswith(f"{folder}/link.yaml:1:1: error TPU001: cannot") for line in checked)
