"""Reads numbers and amounts of options as people write them: 1,024 and 1.5M."""

import re
from decimal import Decimal

import click

_NUMBER = r"[0-9]{1,15}|[0-9]{1,3}(?:,[0-9]{3}){1,4}"
_COUNT = re.compile(_NUMBER, re.ASCII)
_AMOUNT = re.compile(rf"({_NUMBER})(\.[0-9]{{1,10}})?([kKmM]?)(?:/([a-z]{{1,10}}))?", re.ASCII)
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
