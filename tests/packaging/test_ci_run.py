"""`.ci/run`: the tests run in a copy of the checkout with a long path and spaces, and their result is the result."""

import fcntl
import os
import pathlib
import shutil
import subprocess

import pytest
from support.documents import ROOT

FAKE = """#!/usr/bin/env bash
cd "$(dirname "$0")/.."
pwd
ls -A
echo "CI is $CI"
echo "words: $*"
touch .cache/kept
cat committed
echo "3 failed, 4 passed"
exit {status}
"""


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    checkout = tmp_path / "a checkout"
    for folder in (".ci", "tools", ".venv", ".cache/pulumi", ".mypy_cache", "tests", "gone"):
        (checkout / folder).mkdir(parents=True)
    (tmp_path / "temporary files").mkdir()
    shutil.copy(ROOT / ".ci" / "run", checkout / ".ci")
    (checkout / "committed").write_text("the checkout's file\n")
    for name in ("tests/old.py", "gone/old.py"):
        (checkout / name).touch()
    succeeds(checkout, status=0)
    return checkout


def succeeds(checkout: pathlib.Path, status: int) -> None:
    (checkout / "tools" / "test").write_text(FAKE.format(status=status))
    (checkout / "tools" / "test").chmod(0o755)


def run(checkout: pathlib.Path) -> tuple[int, list[str]]:
    folders = {"TMPDIR": str(checkout.parent / "temporary files"), "XDG_CACHE_HOME": str(checkout.parent / "cache")}
    done = subprocess.run(
        [checkout / ".ci" / "run", "-k", "one or two"],
        env={**os.environ, **folders},
        cwd=checkout.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert list((checkout.parent / "temporary files").iterdir()) == []
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("status", [0, 3])
def test_the_tests_run_where_the_path_is_long_and_has_spaces(status: int, checkout: pathlib.Path) -> None:
    succeeds(checkout, status)
    returned, (where, *entries, ci, words, committed, last) = run(checkout)
    assert (returned, last) == (status, "3 failed, 4 passed")
    assert " " in where
    assert len(where.removeprefix(str(checkout.parent / "cache"))) > 120, "whatever the folder of caches is called"
    assert sorted(entries) == [".cache", ".ci", "committed", "gone", "tests", "tools"]
    assert (ci, words, committed) == ("CI is true", "words: -k one or two", "the checkout's file")
    assert (checkout / ".cache" / "kept").exists()


def test_a_further_run_keeps_what_is_cached_and_has_no_file_that_is_gone(checkout: pathlib.Path) -> None:
    copy = pathlib.Path(run(checkout)[1][0])
    cached = (".venv/bin/python", ".mypy_cache/a", "tests/__pycache__/old.pyc", "gone/__pycache__/old.pyc")
    for name in (*cached, "left behind", "tests/left behind"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).touch()
    shutil.rmtree(checkout / "gone")
    (checkout / "tests" / "old.py").unlink()
    (checkout / "committed").write_text("another text\n")
    where, *entries, _, _, committed, _ = run(checkout)[1]
    assert (where, committed) == (str(copy), "another text")
    assert sorted(entries) == [".cache", ".ci", ".mypy_cache", ".venv", "committed", "tests", "tools"]
    assert [name for name in cached if (copy / name).exists()] == [*cached[:3]]
    assert [path.name for path in (copy / "tests").iterdir()] == ["__pycache__"]


def test_a_run_at_the_same_time_has_a_copy_of_its_own(checkout: pathlib.Path) -> None:
    first = pathlib.Path(run(checkout)[1][0])
    (lock,) = (checkout.parent / "cache" / "pulumi-gke-tpu").glob("*/lock")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        status, (where, *_) = run(checkout)
    assert (status, where != str(first)) == (0, True)
    assert len(where) > 120
