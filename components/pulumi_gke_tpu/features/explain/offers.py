"""Facts of a generation as short texts: capacity modes and prices."""

from collections.abc import Iterator
from typing import get_args

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import Offering, Price, PriceModel
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.catalog.records.generation import Chip, Generation
from pulumi_gke_tpu.core.catalog.records.platform import FamilyZones
from pulumi_gke_tpu.features.explain.steps import doubt


def status_text(generation: Generation) -> str:
    """What GKE offers of the generation, without a full stop."""
    return generation.status.note.rstrip(".") or "known"


def figures(chip: Chip) -> tuple[tuple[str, str], ...]:
    """The known figures of a chip by name: ``("HBM", "32 GiB")``."""
    known = (
        ("TensorCores", chip.tensorcores, ""),
        ("SparseCores", chip.sparsecores, ""),
        ("HBM", chip.hbm_gib, " GiB"),
        ("HBM bandwidth", chip.hbm_gbps, " GB/s"),
        ("bf16", chip.bf16_tflops, " TFLOPS"),
        ("fp8", chip.fp8_tflops, " TFLOPS"),
        ("int8", chip.int8_tops, " TOPS"),
        ("interconnect bandwidth", chip.ici_gbps_bidirectional, " GB/s (bidirectional)"),
    )
    return tuple((name, f"{value:g}{unit}") for name, value, unit in known if value is not None)


def documented_machines(generation: Generation) -> list[str]:
    """The machine types that GKE documents."""
    return [name for name, machine in generation.machine_types.items() if machine.documented]


def offered_families(catalog: Catalog, generation: Generation) -> Iterator[tuple[str, FamilyZones]]:
    """The families that a plan can choose, with their zones."""
    for name, family in generation.families.items():
        zones = catalog.zones.families.get(name)
        if zones is not None and family.documented and not family.legacy:
            yield name, zones


_OFFERED = {
    "yes": "offered",
    "no": "not offered",
    "allowlist": "requires an allowlist entry",
    "unverified": "not confirmed",
}


def offer_text(offering: Offering) -> str:
    """Whether a mode is offered, with the confidence if it is not high."""
    return f"{_OFFERED[offering.offer]}{doubt(offering.confidence)}"


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
