"""`tools/test`: what it runs, and the figure of coverage that it prints. The programs that it calls have stand-ins."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
CHECKS = ("ruff", "mypy", "lint-imports")
FAKE = """#!/bin/sh
echo "$(basename "$0") $*"
case "$*" in *pytest*) [ -z "${COVERAGE_FILE:-}" ] || touch "$COVERAGE_FILE"; exit ${STATUS:-0} ;; esac
"""
COVERAGE = """#!/bin/sh
[ "$*" = "report --format=total" ] && [ -f "$COVERAGE_FILE" ] && echo 93.4
"""


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "checkout"
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "test", folder / "tools")
    programs = {".venv/bin/coverage": COVERAGE, "tools/environment": FAKE}
    programs |= {f".venv/bin/{name}": FAKE for name in ("python", *CHECKS)}
    for name, text in programs.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


def run(checkout: pathlib.Path, **variables: str) -> tuple[int, list[str]]:
    inherited = {name: value for name, value in os.environ.items() if name not in ("COVERAGE", "GITHUB_STEP_SUMMARY")}
    temporary = checkout.parent / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [checkout / "tools" / "test", "-k", "a b"],
        env={**inherited, "TMPDIR": str(temporary), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(temporary.iterdir()) == [], "the data of the measurement are removed"
    return done.returncode, done.stdout.splitlines()


def test_checks_and_tests_run_without_measuring(checkout: pathlib.Path) -> None:
    status, lines = run(checkout)
    assert (status, lines) == (
        0,
        [
            "environment dev",
            "ruff check .",
            "ruff format --check .",
            "mypy ",
            "lint-imports ",
            "python -m pytest --numprocesses auto -rsfE -k a b",
        ],
    )


@pytest.mark.parametrize("status", ["0", "1"])
def test_coverage_is_measured_on_request_and_keeps_the_result_of_the_tests(status: str, checkout: pathlib.Path) -> None:
    summary = checkout / "summary"
    given, lines = run(checkout, COVERAGE="true", STATUS=status, GITHUB_STEP_SUMMARY=str(summary))
    assert given == int(status)
    assert lines[-2:] == [
        "python -m pytest --numprocesses auto -rsfE --cov --cov-report= -k a b",
        "Line coverage of the package: 93.4%",
    ]
    assert summary.read_text() == "Line coverage of the package: 93.4%\n"
