"""Programs that tests need and that are installed once per checkout, into ``.cache``.

Several processes can ask for the same program at once: one of them installs it, the others wait.
"""

import contextlib
import fcntl
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TextIO, TypeVar

import pytest

CACHE = pathlib.Path(__file__).parents[2] / ".cache"

Tell = Callable[[str], None]
"""Gets a line before anything that takes long."""

_Program = TypeVar("_Program")


def tell_nothing(text: str) -> None:
    """Discards every message."""


class UnavailableError(Exception):
    """A program is not available; the message lists what was tried and why each way failed."""


@dataclass(frozen=True)
class Turn:
    """The turn of this process. ``others_failure`` is why the process failed that this one waited for, if it did."""

    file: TextIO
    others_failure: str

    def tell_those_who_wait(self, reason: str) -> None:
        self.file.write(reason)


@contextlib.contextmanager
def alone(lock: pathlib.Path, name: str, tell: Tell) -> Iterator[Turn]:
    """One process at a time per ``lock``."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+") as file:
        waited = False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"Waiting for {name}, which another process is getting.")
            fcntl.flock(file, fcntl.LOCK_EX)
            waited = True
        file.seek(0)
        failure = file.read()
        if not waited:
            file.truncate(0)
        yield Turn(file, failure if waited else "")


def run(
    command: list[str],
    seconds: int,
    problem: str,
    folder: pathlib.Path | None = None,
    environment: dict[str, str] | None = None,
) -> None:
    """Run a step of an installation.

    Raises:
        UnavailableError: it failed or took too long. The message begins with ``problem``.
    """
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{problem}: no answer within {seconds} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise UnavailableError(f"{problem}: {last}")


def module_version(folder: pathlib.Path, module: str) -> str:
    """The version of a Go module in the ``go.mod`` of a folder, without the leading v.

    Raises:
        ValueError: ``go.mod`` does not require the module.
    """
    line = re.search(rf"^\s*(?:require\s+)?{re.escape(module)}\s+v(\S+)", (folder / "go.mod").read_text(), re.MULTILINE)
    if line is None:
        raise ValueError(f"{folder / 'go.mod'} does not name {module}")
    return line.group(1)


def found_or_skipped(config: pytest.Config, marker: str, find: Callable[[Tell], _Program]) -> _Program:
    """The program for the tests with a marker. If it is not available, they are skipped; in CI they fail."""
    capture = config.pluginmanager.getplugin("capturemanager")

    def tell(text: str) -> None:
        with capture.global_and_fixture_disabled():
            print(f"\n{text} Leave these tests out with -m 'not {marker}'.", file=sys.stderr, flush=True)  # noqa: T201

    try:
        return find(tell)
    except UnavailableError as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"CI must run the {marker} tests, but there is {reason}", pytrace=False)
        pytest.skip(str(reason))
