"""Runs git to read a repository, without executing anything that the repository configures and without fetching."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import IO

import click

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable

SECONDS = 120
"""The time limit of a git process."""

_FETCHED = (b"promisor", b"transport '")
"""Parts of git's messages after an attempt to fetch missing content. If SIGPIPE ends git before its own message, only
the message of the transport appears.
"""
LACKING = "this clone does not contain the content of some files; clone again without --filter"

_OPTIONS = (
    "--no-pager",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.commitGraph=false"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.warnAmbiguousRefs=true"),
    *("-c", "protocol.allow=never"),
    *("-c", "safe.bareRepository=explicit"),
)
"""Disables helpers, hooks, transports, nested repositories and replaced history."""
_ENVIRONMENT = {
    "LC_ALL": "C",
    # Overrides `protocol.ext.allow` in the repository's configuration, which would override `protocol.allow`.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
_KEPT = re.compile(r"GIT_(?:CEILING_DIRECTORIES|CONFIG_\w+|DISCOVERY_ACROSS_FILESYSTEM|EXEC_PATH)\Z")
"""Variables with the user's settings. gke-tpu drops all other variables of git: they select another repository
(``GIT_DIR`` in a hook) or change git's output."""
_LONGEST_MESSAGE = 4096


class RevisionError(click.ClickException):
    """Git cannot answer. The message contains the reason and the next step."""

    exit_code = 2


class NoGitError(RevisionError):
    """Git is not installed."""


@frozen
class Answer:
    """The output and exit code of a git process."""

    code: int
    out: bytes
    err: bytes

    @property
    def reason(self) -> str:
        """The error message in one line, safe to print."""
        return _reason(self.err)


def ask(folder: pathlib.Path, *arguments: str) -> Answer:
    """Run git and wait for its answer, which must be short.

    Raises:
        RevisionError: git is not installed or does not finish.
    """
    with _started(folder, arguments) as process:
        out, err = process.communicate()
    return Answer(process.returncode, out, err)


@contextlib.contextmanager
def conversation(folder: pathlib.Path, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Run git and yield its standard input and output. At the end of the block, git is terminated.

    Raises:
        RevisionError: git is not installed, fails or does not finish. Its output is then incomplete.
    """
    err = bytearray()
    with _started(folder, arguments) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        listener = threading.Thread(target=_keep_the_end, args=(process.stderr, err), daemon=True)
        listener.start()
        yield process.stdin, process.stdout
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.read()
        code = process.wait()
        listener.join()
    if code and any(sign in err for sign in _FETCHED):
        raise RevisionError(LACKING)
    if code:
        raise RevisionError(f"git {arguments[0]} failed: {_reason(bytes(err))}")


@contextlib.contextmanager
def _started(folder: pathlib.Path, arguments: tuple[str, ...]) -> Iterator["subprocess.Popen[bytes]"]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or _KEPT.match(name)}
    try:
        process = subprocess.Popen(
            ["git", *_OPTIONS, *arguments],
            cwd=folder,
            env={**kept, **_ENVIRONMENT},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise NoGitError("git is not on PATH, and gke-tpu needs it to read revisions") from None
    except ValueError:
        raise RevisionError("a name contains characters that are invalid in files and revisions") from None
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(SECONDS, stop)
    timer.daemon = True
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        if process.returncode is None:
            _kill(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        process.wait()
        if late.is_set():
            raise RevisionError(f"git {arguments[0]} did not finish within {SECONDS} s")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill git and its child processes, so that no pipe stays open."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _keep_the_end(stream: IO[bytes], kept: bytearray) -> None:
    with contextlib.suppress(OSError, ValueError):
        while chunk := stream.read(_LONGEST_MESSAGE):
            kept += chunk
            del kept[:-_LONGEST_MESSAGE]


def _reason(err: bytes) -> str:
    """Git's last error in one line, safe to print, with the lines after it: a list or a hint."""
    text = err.decode(errors="replace")
    start = max(text.rfind("fatal: "), text.rfind("error: "), 0)
    return printable(" ".join(text[start:].split()) or "no error message", 500)
