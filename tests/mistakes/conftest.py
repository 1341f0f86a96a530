"""Runs the command in this process and gives what it wrote."""

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pulumi_gke_tpu.cli import main


@dataclass(frozen=True)
class Run:
    """What a call of the command wrote."""

    out: str


@pytest.fixture
def gke_tpu(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``gke_tpu("diff", base, head)`` -> stdout, 140 columns wide."""
    monkeypatch.setenv("COLUMNS", "140")

    def run(*arguments: object) -> Run:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
            main([str(argument) for argument in arguments])
        return Run(out.getvalue())

    return run
