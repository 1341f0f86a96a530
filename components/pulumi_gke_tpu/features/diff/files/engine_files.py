"""Reads the files of ``--engine-events``: JSON output of ``pulumi preview``."""

from typing import TYPE_CHECKING

import click

from pulumi_gke_tpu.cli.files.input_files import read_input
from pulumi_gke_tpu.core.text.findings import printable_path

if TYPE_CHECKING:
    from pulumi_gke_tpu.features.diff.engine.events import EngineRun


def read_runs(paths: tuple[str, ...]) -> "tuple[EngineRun, ...]":
    """Read one preview from each file; ``-`` is standard input.

    Raises:
        click.UsageError: a file cannot be read or does not contain a preview.
    """
    if not paths:
        return ()
    from pulumi_gke_tpu.features.diff.engine.events import LARGEST, read_engine_events
    from pulumi_gke_tpu.features.diff.engine.json import EventsError

    if len(set(paths)) < len(paths):
        raise click.UsageError("--engine-events: duplicate file")
    runs = []
    for path in paths:
        try:
            runs.append(read_engine_events(read_input(path, LARGEST + 1)))
        except click.UsageError as error:
            raise click.UsageError(f"--engine-events: {error.message}") from None
        except EventsError as error:
            raise click.UsageError(f"--engine-events {printable_path(path)}: {error}") from None
    return tuple(runs)
