"""Chooses a price: of several for the same thing, the one of highest confidence, then the newest."""

from collections.abc import Iterator

from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.catalog.records.prices import Price, PriceModel, Prices

_MODELS: dict[CapacityMode, PriceModel] = {
    "on_demand": "on_demand",
    # What a reservation costs depends on its commitment.
    "reservation": "on_demand",
    "spot": "spot",
    "flex_start": "flex_start",
    # No source says how queued capacity without flex-start is billed.
    "queued": "on_demand",
}
MODES: tuple[CapacityMode, ...] = tuple(_MODELS)
"""The capacity modes in the order in which people are shown them."""

_CONFIDENCE = {"low": 0, "medium": 1, "high": 2}


def price_model(mode: CapacityMode) -> PriceModel:
    """The pricing model of a capacity mode; the on-demand price stands in for reserved and plain queued capacity."""
    return _MODELS[mode]


class PriceList:
    """The price to use for each family, region and pricing model."""

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
        """Every price to use, sorted by family, region and model."""
        for key in sorted(self._best):
            yield self._best[key]

    def find(self, family: str, region: str, model: PriceModel) -> Price | None:
        """The price in USD per chip-hour, or None where none was captured; ``missing`` says why."""
        return self._best.get((family, region, model))

    def missing(self, family: str, region: str, model: PriceModel) -> str:
        """Why there is no price; empty where there is one."""
        key = (family, region, model)
        if key in self._best:
            return ""
        what = f"{model.replace('_', '-')} price of {family} in {region}"
        if key in self._published:
            return f"the {what} is published, but was not captured"
        return f"no {what} is known"


def _rank(price: Price) -> tuple[int, str]:
    """Rank a price by confidence, then by date.

    A price without a full date counts as older than any of the same year or month. Among equals the last one wins, so
    an overlay's price takes precedence over the shipped one.
    """
    return _CONFIDENCE[price.confidence_in("usd")], "" if price.as_of == "unverified" else price.as_of
