"""README and docs: their plans are valid, their programs compile and run, their output is what the command prints."""

import pathlib
import re
import shlex
from typing import Any

import pytest

from pulumi_gke_tpu.cli import main

ROOT = pathlib.Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
_BLOCK = re.compile(r"(?:<!-- \$ (?P<command>[^\n]*) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL)


def blocks(language: str) -> list[Any]:
    """Every fenced block of a language, named by page and number."""
    found = []
    for page in PAGES:
        for number, match in enumerate(_BLOCK.finditer(page.read_text(encoding="utf-8"))):
            if match["language"] == language:
                found.append(pytest.param(match, id=f"{page.name}-{number}"))
    return found


@pytest.mark.parametrize("block", blocks("yaml"))
def test_every_plan_validates_without_a_finding(
    block: re.Match[str], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(block["text"], encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["validate", str(plan), "--today", "2026-11-20"])
    assert (stop.value.code, capsys.readouterr().out) == (0, "no findings\n")


@pytest.mark.parametrize("block", blocks("python"))
def test_every_program_compiles_and_uses_names_that_exist(block: re.Match[str]) -> None:
    compile(block["text"], "<page>", "exec")
    imports = [
        line for line in block["text"].splitlines() if re.match(r"(from pulumi_gke_tpu|import pulumi_gke)", line)
    ]
    assert imports
    exec("\n".join(imports), {})


def _shown_commands() -> list[Any]:
    return [item for item in blocks("") + blocks("text") if item.values[0]["command"]]


@pytest.mark.parametrize("block", _shown_commands())
def test_shown_output_is_what_the_command_prints(
    block: re.Match[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    words = shlex.split(block["command"])
    assert words[0] == "gke-tpu"
    with pytest.raises(SystemExit):
        main(words[1:])
    printed = capsys.readouterr()
    assert block["text"].rstrip() == (printed.out or printed.err).rstrip()


def test_there_is_output_to_compare() -> None:
    assert len(_shown_commands()) >= 2
