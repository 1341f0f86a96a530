"""`tools/test`: what it runs and prints. The programs that it calls have stand-ins."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from support import first_run
from support.control_plane import binaries
from support.engine import pulumi_cli
from support.tool_installation import module_version

ROOT = pathlib.Path(__file__).parents[2]
CHECKS = ("ruff", "mypy", "lint-imports")
FAKE = """#!/bin/sh
echo "$(basename "$0") $*"
case "$*" in
*--collect-only*) touch compiled ;;
*pytest*)
    [ -z "${COVERAGE_FILE:-}" ] || touch "$COVERAGE_FILE"
    [ -n "${KILLED:-}" ] || echo "Not tested: 3 skipped (no Go)." > "$GKE_TPU_NOT_TESTED"
    exit ${STATUS:-0} ;;
esac
"""
OF_RUNS = ("COVERAGE", "GITHUB_STEP_SUMMARY", "GKE_TPU_NOT_TESTED")
LAST = "Not tested: 3 skipped (no Go)."
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


def run(checkout: pathlib.Path, *arguments: str, **variables: str) -> tuple[int, list[str]]:
    inherited = {name: value for name, value in os.environ.items() if name not in OF_RUNS}
    temporary = checkout.parent / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [checkout / "tools" / "test", *arguments],
        env={**inherited, "TMPDIR": str(temporary), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert list(temporary.iterdir()) == [], "temporary files are removed"
    return done.returncode, done.stdout.splitlines()


def test_checks_and_tests_run_without_measuring(checkout: pathlib.Path) -> None:
    status, lines = run(checkout, "-k", "a b")
    assert (status, lines) == (
        0,
        [
            "environment dev",
            "ruff check .",
            "ruff format --check .",
            "mypy ",
            "lint-imports ",
            "python -m pytest --numprocesses auto --dist worksteal -rsfE -k a b",
            LAST,
        ],
    )


def test_tests_are_compiled_once_in_a_new_checkout(checkout: pathlib.Path) -> None:
    run(checkout, "-k", "a b")
    (checkout / "compiled").unlink()
    (checkout.parent / "temporary").rmdir()
    (checkout / "tests" / "__pycache__").mkdir(parents=True)
    run(checkout, "-k", "a b")
    assert not (checkout / "compiled").exists()


@pytest.mark.parametrize(("arguments", "times"), [((), 0), (("--all",), 1), (("--all", "-k", "a b"), 0)])
def test_a_run_of_everything_fetches_missing_programs_meanwhile(
    arguments: tuple[str, ...], times: int, checkout: pathlib.Path
) -> None:
    status, lines = run(checkout, *arguments)
    assert (status, lines[-1]) == (0, LAST)
    assert lines.count("python tests/support/first_run.py") == times
    assert ("environment all" if "--all" in arguments else "environment dev") in lines[:2]


def test_a_run_that_ends_early_does_not_seem_complete(checkout: pathlib.Path) -> None:
    status, lines = run(checkout, "-k", "a b", KILLED="true", STATUS="3")
    assert (status, lines[-1]) == (3, "Not tested: unknown, the tests ended early.")


@pytest.mark.parametrize("status", ["0", "1"])
def test_coverage_is_measured_on_request_and_keeps_the_result_of_the_tests(status: str, checkout: pathlib.Path) -> None:
    summary = checkout / "summary"
    given, lines = run(checkout, "-k", "a b", COVERAGE="true", STATUS=status, GITHUB_STEP_SUMMARY=str(summary))
    assert given == int(status)
    assert lines[-3:] == [
        "python -m pytest --numprocesses auto --dist worksteal -rsfE --cov --cov-report= -k a b",
        "Line coverage of the package: 93.4%",
        LAST,
    ]
    assert summary.read_text() == "Line coverage of the package: 93.4%\n"


# The last line


SKIPPING = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_skipped(number):
    pytest.skip("no Pulumi CLI: not on PATH")

@pytest.mark.skipif(True, reason="no Node.js")
def test_other():
    pass

def test_run():
    pass

@pytest.mark.engine
def test_engine():
    pass

@pytest.mark.parametrize("number", range(2))
@pytest.mark.kubernetes
def test_kubernetes(number):
    pass
"""
SKIPPED = "3 skipped (no Pulumi CLI: not on PATH); 1 skipped (no Node.js)"
PROGRAMS = "1 that need the Pulumi engine; 2 that need a Kubernetes control plane"
SAMPLED = " Corpora are sampled (--seed 0); tools/test --all runs everything."


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), f"Not tested: {SKIPPED}; {PROGRAMS}.{SAMPLED}"),
        (("-n", "2"), f"Not tested: {SKIPPED}; {PROGRAMS}.{SAMPLED}"),
        (("--all",), f"Not tested: {SKIPPED}."),
        (("--all", "-n", "2", "-m", "engine"), "Not tested: 7 deselected by -m 'engine'."),
        (("-k", "run", "--seed", "7"), f"Not tested: 4 deselected by -k 'run'; {PROGRAMS}.{SAMPLED.replace('0', '7')}"),
        (("test_all.py::test_engine",), f"Not tested: nothing was skipped.{SAMPLED}"),
    ],
)
def test_the_last_line_says_what_was_not_tested_and_why(
    arguments: tuple[str, ...], expected: str, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "test_all.py").write_text(SKIPPING)
    plugins = ["support.fixtures.selection", "support.fixtures.not_tested"]
    (tmp_path / "conftest.py").write_text(f"pytest_plugins = {plugins}\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\ntestpaths = .\nmarkers =\n  engine\n  kubernetes\n")
    line = tmp_path / "line"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(ROOT / "tests"), "GKE_TPU_NOT_TESTED": str(line)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert line.read_text() == f"{expected}\n"


# The first run


def test_a_first_run_says_what_it_gets_and_how_long_that_takes(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    text = first_run.announcement(first_run.missing(tmp_path / ".cache"))
    lines = text.splitlines()
    assert lines[0].startswith("First run: the tests need programs that are not here yet.")
    pulumi, kubernetes = (module_version(tool.HERE, tool.MODULE) for tool in (pulumi_cli, binaries))
    assert lines[1].startswith(
        f"- Pulumi CLI {pulumi}: a download of 1 minute from get.pulumi.com, or a build of 5 to "
    )
    assert lines[2].startswith(f"- Kubernetes control plane {kubernetes}: a download of 1 minute from dl.k8s.io and ")


def test_a_later_run_announces_only_missing_programs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    cache = tmp_path / ".cache"
    programs = cache / "kubernetes" / module_version(binaries.HERE, binaries.MODULE)
    programs.mkdir(parents=True)
    for name in binaries.PROGRAMS:
        assert [*first_run.missing(cache)] == ["Pulumi CLI", "Kubernetes control plane"]
        (programs / name).touch()
    assert [*first_run.missing(cache)] == ["Pulumi CLI"]
    (tmp_path / "pulumi").touch(0o755)
    assert first_run.announcement(first_run.missing(cache)) == ""
