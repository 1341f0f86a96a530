"""Selects the price of the highest confidence, then the newest; amounts are exact and rounded for display only."""

import decimal
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, Price, PriceModel, Prices
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.jsonfile.fields import Amount

_MODELS: dict[CapacityMode, PriceModel] = {
    "on_demand": "on_demand",
    # The price of a reservation depends on its commitment.
    "reservation": "on_demand",
    "spot": "spot",
    "flex_start": "flex_start",
    # No source documents how Google bills queued capacity without flex-start.
    "queued": "on_demand",
}
MODES: tuple[CapacityMode, ...] = tuple(_MODELS)
"""The capacity modes in display order."""

_CONFIDENCE = {"low": 0, "medium": 1, "high": 2}


def price_model(mode: CapacityMode) -> PriceModel:
    """The pricing model of a capacity mode: on-demand also for reserved, and for queued without flex-start."""
    return _MODELS[mode]


class PriceList:
    """The selected price for each family, region and pricing model."""

    def __init__(self, prices: Prices) -> None:
        self._best: dict[tuple[str, str, PriceModel], Price] = {}
        self._published: set[tuple[str, str, PriceModel]] = set()
        for price in prices.prices:
            key = (price.family, price.region, price.model)
            if price.usd is None:
                self._published.add(key)
            elif key not in self._best or _rank(price) >= _rank(self._best[key]):
                self._best[key] = price

    def __iter__(self) -> Iterator[Price]:
        """Yield the selected prices, sorted by family, region and model."""
        for key in sorted(self._best):
            yield self._best[key]

    def find(self, family: str, region: str, model: PriceModel) -> Price | None:
        """The price in USD per chip-hour; None if the catalog has none (see ``missing``)."""
        return self._best.get((family, region, model))

    def missing(self, family: str, region: str, model: PriceModel) -> str:
        """The reason if there is no price; empty otherwise."""
        key = (family, region, model)
        if key in self._best:
            return ""
        what = f"{model.replace('_', '-')} price of {family} in {region}"
        if key in self._published:
            return f"the {what} is published, but the catalog does not have it"
        return f"no {what} is known"


def _rank(price: Price) -> tuple[int, str]:
    """Rank a price by confidence, then by date.

    A price without a full date counts as older than any of the same year or month. Of equal ones the last one wins, so
    a price of an overlay takes precedence over a shipped one.
    """
    return _CONFIDENCE[price.confidence_in("usd")], "" if price.as_of == "unverified" else price.as_of


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
