"""Reads a duration that a command gets as an option."""

import datetime

import click

from pulumi_gke_tpu.core.text.findings import printable


def duration_argument(text: str | None) -> datetime.timedelta | None:
    """A duration such as 10d; None without one.

    Raises:
        click.UsageError: the text is not a duration, or one of no length.
    """
    from pulumi_gke_tpu.core.plan.base import parse_duration

    if text is None:
        return None
    try:
        duration: datetime.timedelta = parse_duration(text)
    except ValueError:
        duration = datetime.timedelta()
    if not duration:
        raise click.UsageError(f"Invalid duration {printable(text, 60)}: use a form such as 10d, 6h or 90m.")
    return duration
