"""Reads a duration that a command gets as an option."""

import datetime
import re

import click

from pulumi_gke_tpu.core.text.findings import printable

_WEEKS = re.compile(r"([0-9]{1,9})w(.*)\Z", re.ASCII)


def duration_argument(text: str | None) -> datetime.timedelta | None:
    """A duration such as 10d, or with weeks 3w; None without one.

    Raises:
        click.UsageError: the text is not a duration, or one of no length.
    """
    from pulumi_gke_tpu.core.plan.base import parse_duration

    if text is None:
        return None
    try:
        weeks = _WEEKS.match(text)
        rest: str = weeks[2] if weeks else text
        duration: datetime.timedelta = parse_duration(rest) if rest else datetime.timedelta()
        duration += datetime.timedelta(weeks=int(weeks[1])) if weeks else datetime.timedelta()
    except (ValueError, OverflowError):
        duration = datetime.timedelta()
    if not duration:
        raise click.UsageError(f"Invalid duration {printable(text, 60)}: use a form such as 3w, 10d, 6h or 90m.")
    return duration
