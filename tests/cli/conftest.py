"""Runs the command in this process and gives what it wrote."""

import contextlib
import io
import os
import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from support.clones import Clone
from support.small_plans import BASE, CHEAP, REPLACING

from pulumi_gke_tpu.cli import main


@dataclass(frozen=True)
class Run:
    """What a call of the command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def gke_tpu(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``gke_tpu("validate", path)`` -> exit code, stdout, stderr; 100 columns, no color, a fixed day."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: object) -> Run:
        words: Sequence[str] = [str(argument) for argument in arguments]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
            main(list(words))
        code = stop.value.code
        return Run(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def clone(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Clone:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "clone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Clone(folder)


@pytest.fixture
def forked(clone: Clone) -> Clone:
    """main went on after the branch ``work`` left it: main has a cheap change, work a replacement."""
    clone.commit(stacks__prod__plan=BASE, other="a: 1\n")
    clone("branch", "work")
    clone.commit(stacks__prod__plan=CHEAP)
    clone("checkout", "--quiet", "work")
    clone.commit(stacks__prod__plan=REPLACING)
    return clone
