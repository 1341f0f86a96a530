"""The command, with lines that are long enough for every fix of the corpus."""

from collections.abc import Callable

import pytest
from support.fixtures.commands import Run


@pytest.fixture
def gke_tpu(gke_tpu: Callable[..., Run], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``gke_tpu("diff", base, head)`` -> exit code, stdout, stderr; 140 columns."""
    monkeypatch.setenv("COLUMNS", "140")
    return gke_tpu
