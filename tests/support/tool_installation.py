"""Programs that tests need and that are installed once per checkout, into ``.cache``.

Several processes can ask for the same program at once: one of them installs it, the others wait.
"""

import contextlib
import fcntl
import hashlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO, TypeVar

import pytest

CACHE = pathlib.Path(__file__).parents[2] / ".cache"

REACHABLE_SECONDS, READ_SECONDS = 8, 60
PROGRESS_SECONDS = 60.0
"""The time between two messages about something that takes long."""

_READ = """
import pathlib, sys, urllib.request
try:
    with urllib.request.urlopen(sys.argv[1], timeout=5) as source:
        pathlib.Path(sys.argv[2]).write_bytes(source.read(1 << 20))
except OSError as error:
    sys.exit(str(error))
"""

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
    working: Callable[[float, int], None] = lambda minutes, lines: None,
) -> None:
    """Run a step of an installation. ``working`` gets the minutes and the lines of output so far, once in a while.

    Raises:
        UnavailableError: it failed or took too long. The message begins with ``problem``.
    """
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            while process.poll() is None:
                passed = time.monotonic() - begin
                if passed >= seconds:
                    raise UnavailableError(f"{problem}: no answer within {seconds} s")
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(min(PROGRESS_SECONDS, seconds - passed))
                    continue
                working((time.monotonic() - begin) / 60, len(_lines(output)))
        finally:
            process.kill()
            process.wait()
        if process.returncode != 0:
            last = [line for line in _lines(output) if line.strip()] or [f"exit status {process.returncode}"]
            raise UnavailableError(f"{problem}: {last[-1].strip()}")


def made_once(
    folder: pathlib.Path,
    complete: Callable[[], bool],
    make: Callable[[pathlib.Path], None],
    lock: pathlib.Path,
    name: str,
    tell: Tell,
) -> None:
    """Make a folder of programs if it is not complete: ``make`` fills another one, which then takes its place.

    Safe in several processes at once: one of them makes it; the others wait, and if it fails they fail with it.

    Raises:
        UnavailableError: the programs cannot be made.
    """
    with alone(lock, name, tell) as turn:
        if complete():
            return
        if turn.others_failure:
            raise UnavailableError(turn.others_failure)
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        try:
            make(partial)
        except UnavailableError as failure:
            shutil.rmtree(partial, ignore_errors=True)
            turn.tell_those_who_wait(str(failure))
            raise
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)


def by_first_way(folder: pathlib.Path, ways: Mapping[str, Callable[[pathlib.Path], None]], problem: str) -> str:
    """Fill a folder by the first way that succeeds, and give the name of this way.

    Raises:
        UnavailableError: every way failed. The message begins with ``problem``, and has the reason of each.
    """
    failures = []
    for name, make in ways.items():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            make(folder)
        except UnavailableError as failure:
            failures.append(str(failure))
        else:
            return name
    raise UnavailableError("; ".join((problem, *failures)))


def made_as_program(make: Callable[[Tell], str | pathlib.Path]) -> int:
    """Make programs and print where they are; 1 if that fails."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends what it started, too
    os.nice(10)  # other work continues meanwhile
    try:
        place = make(_to_stderr)
    except UnavailableError as reason:
        _to_stderr(str(reason))
        return 1
    sys.stdout.write(f"{place}\n")
    return 0


def _to_stderr(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _lines(file: TextIO) -> list[str]:
    file.seek(0)
    lines = file.readlines()
    file.seek(0, os.SEEK_END)
    return lines


def download(url: str, target: pathlib.Path, sha256: str, problem: str, tell: Tell) -> None:
    """Download a file whose checksum is known.

    Raises:
        UnavailableError: it cannot be downloaded, or has another checksum. The message begins with ``problem``.
    """
    digest, told = hashlib.sha256(), time.monotonic()
    try:
        with urllib.request.urlopen(url, timeout=READ_SECONDS) as source, target.open("wb") as file:
            size = int(source.headers.get("Content-Length") or 0)
            while part := source.read(1 << 20):
                digest.update(part)
                file.write(part)
                if time.monotonic() - told >= PROGRESS_SECONDS:
                    told = time.monotonic()
                    tell(f"{target.name}: {file.tell() >> 20} of {size >> 20} MB are downloaded.")
    except (OSError, http.client.HTTPException) as error:
        raise UnavailableError(f"{problem}: {url}: {error}") from None
    if digest.hexdigest() != sha256:
        raise UnavailableError(f"{problem}: {url} has the checksum {digest.hexdigest()} instead of {sha256}")


def text_at(url: str, problem: str) -> str:
    """A small text. A network that refuses or swallows connections is noticed within seconds.

    Raises:
        UnavailableError: it cannot be read. The message begins with ``problem``.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "text"
        # A process, because nothing else ends the search for the address of a host.
        run([sys.executable, "-c", _READ, url, str(path)], REACHABLE_SECONDS, f"{problem}, {url} is out of reach")
        return path.read_text("utf-8")


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
