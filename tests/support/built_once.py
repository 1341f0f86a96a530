"""A folder that takes seconds to build, and that tests in several processes read."""

import fcntl
import os
import pathlib
import shutil
from collections.abc import Callable

import pytest


def built_once(factory: pytest.TempPathFactory, name: str, build: Callable[[pathlib.Path], None]) -> pathlib.Path:
    """The folder that ``build`` writes. Test processes that run at the same time share one build."""
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / name
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            try:
                build(folder)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    return folder
