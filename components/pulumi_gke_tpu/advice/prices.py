"""The known prices of a family in a region, as lines to read."""

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.facts import Mode
from pulumi_gke_tpu.catalog.prices import Price

_NEWEST_UNKNOWN = ""


def prices_of(catalog: Catalog, family: str, region: str | None = None) -> tuple[Price, ...]:
    """The prices of a family, by region and model, newest first."""
    found = [
        price for price in catalog.prices.prices if price.family == family and region in (None, price.region)
    ]
    newest_first = sorted(found, key=lambda price: _date(price.as_of), reverse=True)
    return tuple(sorted(newest_first, key=lambda price: (price.region, _MODELS.index(price.model))))


_MODELS = ("on_demand", "spot", "flex_start", "calendar", "cud_1y", "cud_3y")


def _date(as_of: str) -> str:
    return _NEWEST_UNKNOWN if as_of == "unverified" else as_of


def price_lines(catalog: Catalog, family: str, region: str, mode: Mode) -> tuple[str, ...]:
    """Every known price of a family in a region, with date and doubt; on Autopilot also what that adds."""
    lines = [
        f"{price.model}: {'not captured' if price.usd is None else price.usd} (as of {price.as_of}{_doubt(price)})"
        for price in prices_of(catalog, family, region)
    ]
    if mode == "autopilot":
        lines += [
            f"Autopilot adds: {premium.usd} (as of {premium.as_of})"
            for premium in catalog.prices.autopilot_premium
            if (premium.family, premium.region) == (family, region)
        ]
    return tuple(lines)


def _doubt(price: Price) -> str:
    confidence = price.confidence_in("usd")
    return "" if confidence == "high" else f", confidence {confidence}"
