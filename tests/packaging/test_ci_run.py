"""`.ci/run`: the tests run in a copy of the checkout with a long path and spaces, and their result is the result."""

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


@pytest.mark.parametrize("status", [0, 3])
def test_the_tests_run_where_the_path_is_long_and_has_spaces(status: int, tmp_path: pathlib.Path) -> None:
    checkout, temporary = tmp_path / "a checkout", tmp_path / "temporary files"
    for folder in (".ci", "tools", ".venv", ".cache/pulumi", ".mypy_cache"):
        (checkout / folder).mkdir(parents=True)
    temporary.mkdir()
    shutil.copy(ROOT / ".ci" / "run", checkout / ".ci")
    (checkout / "tools" / "test").write_text(FAKE.format(status=status))
    (checkout / "tools" / "test").chmod(0o755)
    (checkout / "committed").write_text("the checkout's file\n")
    done = subprocess.run(
        [checkout / ".ci" / "run", "-k", "one or two"],
        env={**os.environ, "TMPDIR": str(temporary)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    where, *entries, ci, words, committed, last = done.stdout.splitlines()
    assert (done.returncode, done.stderr, last) == (status, "", "3 failed, 4 passed")
    assert len(where) > 120
    assert " " in where
    assert len(where.removeprefix(str(temporary))) > 120, "whatever the folder for temporary files is called"
    assert sorted(entries) == [".cache", ".ci", "committed", "tools"]
    assert (ci, words, committed) == ("CI is true", "words: --all -k one or two", "the checkout's file")
    assert (checkout / ".cache" / "kept").exists()
    assert list(temporary.iterdir()) == []
