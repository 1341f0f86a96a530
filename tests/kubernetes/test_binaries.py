"""Where the tests get the programs of the control plane from, and what they report where there are none."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from support.control_plane.binaries import HERE, MODULE, PROGRAMS, find_control_plane
from support.tool_installation import UnavailableError, module_version

TESTS = pathlib.Path(__file__).parents[1]
VERSION = module_version(HERE, MODULE)
GO = """#!/bin/sh
while [ "$1" != "-o" ]; do shift; done
for name in server kube-apiserver kube-controller-manager kube-scheduler; do echo built > "$2$name"; done
"""


@pytest.fixture
def path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A PATH with nothing on it but what a test adds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / ".cache"


def add_go(path: pathlib.Path, text: str = GO) -> None:
    (path / "go").write_text(text)
    (path / "go").chmod(0o755)


def test_the_programs_are_built_once_and_kept(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    messages: list[str] = []
    programs = find_control_plane(HERE, cache, messages.append)
    assert {file.name for file in programs.iterdir()} == set(PROGRAMS)
    assert find_control_plane(HERE, cache, messages.append) == programs == cache / "kubernetes" / VERSION
    assert messages == [f"No Kubernetes control plane here yet: building {VERSION} takes 3 to 10 minutes, once."]


def test_what_an_interrupted_build_left_is_built_again(path: pathlib.Path, cache: pathlib.Path) -> None:
    add_go(path)
    for folder in (VERSION, f"{VERSION}.partial"):
        (cache / "kubernetes" / folder).mkdir(parents=True)
        (cache / "kubernetes" / folder / "etcd").write_text("half")
    programs = find_control_plane(HERE, cache)
    assert [(programs / name).read_text() for name in PROGRAMS] == ["built\n"] * 4
    assert [folder.name for folder in programs.parent.iterdir() if folder.is_dir()] == [VERSION]


def test_a_failed_build_is_reported_with_its_reason_and_leaves_no_programs(
    path: pathlib.Path, cache: pathlib.Path
) -> None:
    add_go(path, "#!/bin/sh\necho no such module >&2\nexit 1\n")
    with pytest.raises(UnavailableError, match=r"no Kubernetes control plane: not in .*; not built: no such module"):
        find_control_plane(HERE, cache)
    assert not (cache / "kubernetes" / VERSION).exists()


# A run of the tests without the programs


@pytest.fixture
def elsewhere(tmp_path: pathlib.Path) -> pathlib.Path:
    """Another checkout, with an empty cache, one test that needs the control plane and one that does not."""
    tests = tmp_path / "checkout" / "tests"
    for name in ("kubernetes/conftest.py", "support/tool_installation.py"):
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TESTS / name, tests / name)
    shutil.copytree(HERE, tests / "support" / "control_plane", ignore=shutil.ignore_patterns("__pycache__"))
    (tests / "kubernetes" / "test_real.py").write_text("def test_real(programs): pass\n")
    (tests / "test_plain.py").write_text("def test_plain(): pass\n")
    (tests.parent / "pytest.ini").write_text("[pytest]\nmarkers = kubernetes\n")
    return tests.parent


def run_tests(checkout: pathlib.Path, *arguments: str, path: str = "", **environment: str) -> tuple[int, str]:
    """Exit status and output of pytest."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    modules = os.pathsep.join([str(checkout / "tests"), kept.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-rsfE", "-v", "-p", "no:cacheprovider", *arguments],
        cwd=checkout,
        env={**kept, "PYTHONPATH": modules, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_without_go_the_tests_are_skipped_with_the_reason(elsewhere: pathlib.Path) -> None:
    status, output = run_tests(elsewhere)
    assert (status, "1 passed, 1 skipped" in output) == (0, True), output
    assert "not built, there is no Go" in next(line for line in output.splitlines() if line.startswith("SKIPPED"))


def test_in_ci_tests_that_cannot_run_fail(elsewhere: pathlib.Path) -> None:
    status, output = run_tests(elsewhere, CI="true")
    assert (status, "1 passed, 1 error" in output) == (1, True), output
    assert "CI must run the kubernetes tests, but there is no Kubernetes control plane: not in" in output


def test_the_tests_come_last_and_a_build_is_announced(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    add_go(path)
    status, output = run_tests(elsewhere, path=f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert (status, "2 passed" in output) == (0, True), output
    assert output.index("test_plain") < output.index("test_real")
    assert "No Kubernetes control plane here yet" in output
    assert "Leave these tests out with -m 'not kubernetes'" in output


def test_without_these_tests_nothing_is_built(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    status, output = run_tests(elsewhere, "-m", "not kubernetes", path=str(path), CI="true")
    assert (status, "1 passed, 1 deselected" in output) == (0, True), output
    assert not (elsewhere / ".cache").exists()


def test_the_program_prints_the_folder_of_the_programs(elsewhere: pathlib.Path, path: pathlib.Path) -> None:
    add_go(path)
    done = subprocess.run(
        [sys.executable, "tests/support/control_plane/binaries.py"],
        cwd=elsewhere,
        env={**os.environ, "PATH": f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(elsewhere / ".cache" / "kubernetes" / VERSION)
