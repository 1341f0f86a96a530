"""Amounts of money: exact in computations, rounded for display only."""

import decimal
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount

HOURS_PER_MONTH = 730
"""The length of a month on the price pages of Google."""

_CENT = Decimal("0.01")
_WHOLE = Decimal(1_000)
"""The amount from which ``short`` leaves out cents."""
_MILLION = Decimal(1_000_000)
_EXACT = decimal.Context(prec=500)
"""Enough digits for the exact product of any price, number of chips and number of hours: a float has up to 309."""


@frozen
class Usd:
    """An amount in USD, not rounded: a range if the number of slices is a range."""

    minimum: Annotated[Amount, Field(alias="min")]
    maximum: Annotated[Amount, Field(alias="max")]

    @classmethod
    def of(cls, price: float, chips: Range) -> "Usd":
        """The cost of a number of chips at a price per chip, computed from the decimal digits of the price."""
        exact = Decimal(str(price))
        return cls(_EXACT.multiply(exact, chips.minimum), _EXACT.multiply(exact, chips.maximum))

    @property
    def per_month(self) -> "Usd":
        """The amount for a month of 730 hours, from an amount per hour."""
        return self.times(Decimal(HOURS_PER_MONTH))

    def times(self, factor: Decimal) -> "Usd":
        """Both bounds multiplied."""
        return Usd(_EXACT.multiply(self.minimum, factor), _EXACT.multiply(self.maximum, factor))

    def plus(self, other: "Usd") -> "Usd":
        """The sum of both bounds."""
        return Usd(_EXACT.add(self.minimum, other.minimum), _EXACT.add(self.maximum, other.maximum))

    def __str__(self) -> str:
        low, high = shown_usd(self.minimum), shown_usd(self.maximum)
        return low if low == high else f"{low} .. {high}"

    @property
    def rounded(self) -> str:
        """Without cents from 1,000 on: ``86.40``, ``1,382 .. 1,472``, ``1,009,152``."""
        whole = self.maximum >= _WHOLE
        low, high = (_short(amount, million=False, whole=whole) for amount in (self.minimum, self.maximum))
        return low if low == high else f"{low} .. {high}"

    @property
    def short(self) -> str:
        """Without the digits that do not matter: ``86.40``, ``1,382 .. 1,472``, ``1.01 .. 1.07 M``."""
        million, whole = self.maximum >= _MILLION, self.maximum >= _WHOLE
        low, high = (_short(amount, million=million, whole=whole) for amount in (self.minimum, self.maximum))
        return f"{low if low == high else f'{low} .. {high}'}{' M' if million else ''}"


NO_MONEY = Usd(Decimal(0), Decimal(0))


def sum_of(amounts: Iterable[Usd]) -> Usd:
    """The sum of amounts; nothing for none."""
    total = NO_MONEY
    for amount in amounts:
        total = total.plus(amount)
    return total


def shown_usd(amount: Decimal) -> str:
    """An amount for display, rounded to cents: ``1,382.40``; exactly zero is ``0``."""
    return f"{amount.quantize(_CENT, decimal.ROUND_HALF_UP, _EXACT):,}" if amount else "0"


def _short(amount: Decimal, *, million: bool, whole: bool) -> str:
    if not million and not whole:
        return shown_usd(amount)
    part = _EXACT.divide(amount, _MILLION) if million else amount
    return f"{part.quantize(_CENT if million else Decimal(1), decimal.ROUND_HALF_UP, _EXACT):,}" if amount else "0"
