"""Selects one of several prices: the one with the highest confidence, then the newest."""

from collections.abc import Iterator

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.prices import Price, PriceModel, Prices

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
