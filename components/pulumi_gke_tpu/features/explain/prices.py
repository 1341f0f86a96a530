"""The known prices of a machine family in a region, as lines of text."""

from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.prices import Price, PriceModel

_MODELS: tuple[PriceModel, ...] = get_args(PriceModel)


def prices_of(catalog: Catalog, family: str, region: str | None = None) -> tuple[Price, ...]:
    """The prices of a family, by region and model, newest first."""
    found = [price for price in catalog.prices.prices if price.family == family and region in (None, price.region)]
    newest_first = sorted(found, key=lambda price: _date(price.as_of), reverse=True)
    return tuple(sorted(newest_first, key=lambda price: (price.region, _MODELS.index(price.model))))


def _date(as_of: str) -> str:
    return "" if as_of == "unverified" else as_of


def price_lines(catalog: Catalog, family: str, region: str, mode: Mode) -> tuple[str, ...]:
    """All known prices of a family in a region, with date and confidence; on Autopilot also the premium."""
    lines = [
        f"{price.model}: {'not captured' if price.usd is None else price.usd} ({dated(price)})"
        for price in prices_of(catalog, family, region)
    ]
    if mode == "autopilot":
        lines += [
            f"Autopilot premium: {premium.usd} (as of {premium.as_of})"
            for premium in catalog.prices.autopilot_premium
            if (premium.family, premium.region) == (family, region)
        ]
    return tuple(lines)


def dated(price: Price) -> str:
    """The date of a price, and its confidence if it is not high."""
    when = "date unverified" if price.as_of == "unverified" else f"as of {price.as_of}"
    confidence = price.confidence_in("usd")
    return when if confidence == "high" else f"{when}, confidence {confidence}"
