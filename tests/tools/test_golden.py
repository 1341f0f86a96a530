"""`tools/golden.py`: which differences between two revisions it reports, and what it runs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from golden_cases import Cases, formats_of  # noqa: E402

from pulumi_gke_tpu.cli.commands import command_modules  # noqa: E402

PROGRAM = """
import os, pathlib, signal, socket, sys

def main(arguments):
    plan = pathlib.Path("plan.yaml").read_text()
    match arguments[0]:
        case "validate":
            print("no findings in", plan)
        case "preview":
            print("2 resources", file=sys.stderr)
            sys.exit(0)
        case "init":
            pathlib.Path("new").mkdir()
            pathlib.Path("new/plan.yaml").write_text("version: 1")
            pathlib.Path("plan.yaml").write_text("changed")
    sys.exit(0)
"""
"""A command line with three commands."""
CORPORA = """
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
(folder / "input").mkdir()
(folder / "input" / "plan.yaml").write_text("a plan")
cases = [(name, text) for name in ("validate", "preview", "init") for text in ("json", "text")]
lines = [
    json.dumps({"command": name, "name": f"input: {name} {text}", "folder": "input", "arguments": [name, text]})
    for name, text in cases
]
(folder / "cases.jsonl").write_text("\\n".join(lines) + "\\n")
"""
REAL = """
import pathlib, sys
from golden_cases import Cases
cases = Cases(pathlib.Path(sys.argv[1]))
given = cases.input("plan", "empty", {"plan.yaml": ""})
cases.case(given, "catalog", "nothing")
cases.case(given, "validate", "plan.yaml", "--today", "2026-11-20")
cases.write()
"""
"""Two cases of the real command line."""

WITH = "cases with these exit codes:"
COUNTS = f"6 {WITH}\n  init: 2 with 0\n  preview: 2 with 0\n  validate: 2 with 0\n"
"""What the tool prints about the cases of the stand-in."""

Sides = Callable[..., tuple[int, str]]


@pytest.fixture
def compared(tmp_path: pathlib.Path) -> Sides:
    """``compared(old, new, options...)``: the tool on a package and a copy in which ``old`` is replaced by ``new``."""

    def run(old: str, new: str, *options: str) -> tuple[int, str]:
        assert old in PROGRAM
        for side, program in {"base": PROGRAM, "head": PROGRAM.replace(old, new)}.items():
            package = tmp_path / side / "components" / "pulumi_gke_tpu"
            package.mkdir(parents=True)
            (package / "__init__.py").touch()
            (package / "cli.py").write_text(program)
            (tmp_path / side / "tools").mkdir()
            (tmp_path / side / "tools" / "golden_corpora.py").write_text(CORPORA)
        return called(tmp_path / "base", tmp_path / "head", *options)

    return run


def called(*arguments: object) -> tuple[int, str]:
    """Exit code and output of the tool."""
    command = [sys.executable, ROOT / "tools" / "golden.py", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


def test_equal_sides(compared: Sides) -> None:
    assert compared("", "") == (0, f"{COUNTS}all are equal\n")


EXIT = "stderr)\n            sys.exit({})"
DIFFERENCES = {
    "a message": ("no findings", "no problems", "validate", "-no findings in a plan"),
    "a message on stderr": ('"2 resources"', '"3 resources"', "preview", "+3 resources"),
    "an exit code": (EXIT.format(0), EXIT.format(1), "preview", "+exit code: 1"),
    "a written file": ("version: 1", "version: 2", "init", "+version: 2"),
    "the name of a written file": ('"new/plan.yaml"', '"new/other.yaml"', "init", "+[new/other.yaml]"),
    "a changed input": ('"changed"', '"a plan"', "init", "-changed"),
    "a crash": ('pathlib.Path("new").mkdir()', "1 / 0", "init", "+exit code: crash: ZeroDivisionError"),
    "the end of the process": ('pathlib.Path("new").mkdir()', "os.abort()", "init", "the process ended with -6"),
}
"""Name -> text of the program, its replacement, the command with a difference, and a line that shows it."""


@pytest.mark.parametrize(("old", "new", "command", "shown"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_a_difference_is_reported_and_only_there(compared: Sides, old: str, new: str, command: str, shown: str) -> None:
    code, text = compared(old, new)
    assert code == 1
    assert re.findall(r"^== .*", text, re.MULTILINE) == [f"== {command}: 2 of 2 cases differ"]
    assert f"\n{command}:input: {command} json\n" in text
    assert shown in text
    assert text.endswith(f"\n{COUNTS}2 differ\n"), "the others run as well"


def test_the_traceback_of_a_crash_is_shown(compared: Sides) -> None:
    _, text = compared('"2 resources"', "1 / 0", "--show", "1")
    assert text.count("ZeroDivisionError: division by zero") == 2, "the outcome and the traceback of one case"
    assert "1 more:\npreview:input: preview text" in text


def test_crashes_on_both_sides_are_listed(compared: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", PROGRAM.replace('"2 resources"', "1 / 0"))
    code, text = compared("sys.exit(0)\n", "sys.exit(0)  # as before\n")
    assert (code, text.count("crashes on both sides: preview:input: preview ")) == (0, 2)


def test_the_network_is_refused(compared: Sides) -> None:
    _, text = compared('"2 resources"', 'socket.create_connection(("127.0.0.1", 9))')
    assert "no network: socket." in text


def test_options_name_intended_differences_and_choose_cases(compared: Sides, tmp_path: pathlib.Path) -> None:
    code, text = compared("no findings", "no problems", "--except", "validate")
    assert (code, text.splitlines()[0]) == (0, "intended, --except validate: 2")
    sides = (tmp_path / "base", tmp_path / "head")
    code, text = called(*sides, "--except", "validate:*json", "--except", "preview")
    assert code == 1
    assert "== validate: 1 of 2 cases differ\n\nvalidate:input: validate text\n" in text
    assert "intended, --except validate:*json: 1\nintended, --except preview: 0\n" in text
    assert called(*sides, "--only", "preview", "--only", "init")[1].startswith(f"4 {WITH}\n  init: 2 with 0\n")
    other = CORPORA.replace('("validate", "preview", "init")', '("preview",)')
    (tmp_path / "head" / "tools" / "golden_corpora.py").write_text(other)
    assert called(*sides, "--inputs", "head") == (0, f"2 {WITH}\n  preview: 2 with 0\nall are equal\n")
    assert called(*sides, "--only", "cost") == (1, "no case of these commands\n")


def test_sides_that_do_not_exist(tmp_path: pathlib.Path) -> None:
    assert called("no-such-revision", tmp_path)[1].endswith("no-such-revision is neither a folder nor a revision\n")
    assert called(tmp_path, tmp_path) == (1, f"{tmp_path} has no components/pulumi_gke_tpu\n")


def test_a_message_of_the_real_command(tmp_path: pathlib.Path) -> None:
    """A copy of the package in which one text differs: only the case that prints it differs."""
    for name in ("components", "catalog"):
        shutil.copytree(ROOT / name, tmp_path / "head" / name)
    base = tmp_path / "base"
    (base / "tools").mkdir(parents=True)
    for name in ("components", "catalog"):
        (base / name).symlink_to(ROOT / name)
    (base / "tools" / "golden_cases.py").symlink_to(ROOT / "tools" / "golden_cases.py")
    (base / "tools" / "golden_corpora.py").write_text(REAL)
    module = tmp_path / "head/components/pulumi_gke_tpu/features/explain/commands/catalog.py"
    module.write_text(module.read_text().replace("Unknown generation or topic", "No generation and no topic"))
    code, text = called(base, tmp_path / "head")
    assert (code, text.splitlines()[-1]) == (1, "1 differ")
    assert "\n-Unknown generation or topic nothing.\n+No generation and no topic nothing.\n" in text


def test_calls_have_every_format_and_option_of_a_command(tmp_path: pathlib.Path) -> None:
    cases = Cases(tmp_path)
    given = cases.input("plan", "one", {"plan.yaml": "version: 1\n", "inventory.yaml": "version: 1\n"})
    assert cases.input("plan", "another", given.files) is given
    cases.about_plan(given)
    assert {case["command"] for case in cases.cases.values()} >= {"validate", "preview", "report", "manifests"}
    for command in ("validate", "preview", "calendar"):
        lines = [" ".join(case["arguments"]) for case in cases.cases.values() if case["command"] == command]
        for form in formats_of(command):
            assert f"{command} plan.yaml --format {form} --inventory inventory.yaml --today 2026-11-20" in lines
    missing = cases.missing()
    assert "validate json" not in missing
    assert {"diff sarif", "comment", "init"} <= set(missing)
    assert {line.split()[0] for line in missing} < set(command_modules())


def test_an_input_is_a_folder_of_its_own(tmp_path: pathlib.Path) -> None:
    cases = Cases(tmp_path)
    folders = [cases.input("plan", "a/b", {"plan.yaml": str(number)}).folder for number in range(3)]
    assert folders == ["plan/a-b", "plan/a-b-2", "plan/a-b-3"]
    assert [(tmp_path / folder / "plan.yaml").read_text() for folder in folders] == ["0", "1", "2"]
    assert cases.output(cases.input("x", "x", {}), "rule", "TPU112").startswith("TPU112")
    assert pathlib.Path.cwd() != tmp_path
    assert not os.listdir(tmp_path / "x" / "x")
