"""Runs the command in this process and gives what it wrote."""

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from pulumi_gke_tpu.cli import main


@dataclass(frozen=True)
class Run:
    """What a call of the command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def gke_tpu(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``gke_tpu("validate", path)`` -> exit code, stdout, stderr; 100 columns, no colour, a fixed day."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: object) -> Run:
        words: Sequence[str] = [str(argument) for argument in arguments]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as stop:
            main(list(words))
        code = stop.value.code
        return Run(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())

    return run
