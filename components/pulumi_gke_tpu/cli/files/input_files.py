"""Reads files and standard input up to a size limit."""

import sys

import click

from pulumi_gke_tpu.core.text.findings import printable_path

STDIN = "-"


def read_input(path: str, most: int) -> bytes:
    """Read at most ``most`` bytes of a file or pipe; ``-`` is standard input.

    Raises:
        click.UsageError: the file cannot be read.
    """
    try:
        if path == STDIN:
            if sys.stdin is None:
                raise click.UsageError("standard input is closed")
            return sys.stdin.buffer.read(most)
        with open(path, "rb") as stream:
            return stream.read(most)
    except OSError as error:
        name = "standard input" if path == STDIN else printable_path(path)
        raise click.UsageError(f"cannot read {name}: {error.strerror}") from None
