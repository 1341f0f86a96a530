"""Reads the files of ``--engine-events``: previews that the real engine wrote as JSON."""

import sys
from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.findings import printable

if TYPE_CHECKING:
    from pulumi_gke_tpu.change.engine_events import EngineRun

_STDIN = "-"


def read_runs(paths: tuple[str, ...]) -> "tuple[EngineRun, ...]":
    """One preview from each file; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read, or holds no preview.
    """
    if not paths:
        return ()
    from pulumi_gke_tpu.change.engine_events import read_engine_events
    from pulumi_gke_tpu.change.engine_json import EventsError

    if len(set(paths)) < len(paths):
        raise click.UsageError("--engine-events: a file is given twice")
    runs = []
    for path in paths:
        try:
            runs.append(read_engine_events(_content(path)))
        except EventsError as error:
            raise click.UsageError(f"--engine-events {printable(path)}: {error}") from None
    return tuple(runs)


def _content(path: str) -> bytes:
    """At most one byte more than is allowed, so that no file or pipe is read for ever."""
    from pulumi_gke_tpu.change.engine_events import LARGEST

    if path == _STDIN:
        return sys.stdin.buffer.read(LARGEST + 1)
    try:
        with open(path, "rb") as stream:
            return stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is no name of a file"
        raise click.UsageError(f"--engine-events {printable(path)}: {reason}") from None
