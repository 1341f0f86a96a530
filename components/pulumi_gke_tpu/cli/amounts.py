"""Reads numbers, amounts and durations of options as people write them: 1,024, 1.5M and 3w."""

import datetime
import re
from decimal import Decimal

import click

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NUMBER = r"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}"
_COUNT = lazy_pattern(_NUMBER, re.ASCII)
_AMOUNT = lazy_pattern(rf"({_NUMBER})(\.[0-9]{{1,10}})?([kKmM]?)(?:/([a-z]{{1,10}}))?", re.ASCII)
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


class CountType(click.IntRange):
    """A number of things such as 1024 or 1,024."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number, with or without commas between thousands."""
        plain = value.replace(",", "") if isinstance(value, str) and _COUNT.fullmatch(value.strip()) else value
        number: int = super().convert(plain, param, ctx)  # type: ignore[arg-type]
        return number


def read_amount(text: str) -> tuple[Decimal, str] | None:
    """An amount such as 1500000, 1.5M or 20,000/run, and the word after the slash; None if it has another form."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    whole, fraction, unit, per = match.groups(default="")
    return Decimal(whole.replace(",", "") + fraction) * _TIMES[unit.lower()], per


_WEEKS = lazy_pattern(r"([0-9]{1,9})w(.*)\Z", re.ASCII)


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
