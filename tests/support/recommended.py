"""Rows of a recommendation that a test makes: no price and no zone of the catalog decides them."""

import dataclasses
from decimal import Decimal
from typing import Any

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, Price
from pulumi_gke_tpu.core.catalog.records.generation import Advice
from pulumi_gke_tpu.core.estimate import GroupCost, Usd, price_model
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.cost.recommend.candidates import Candidate, CandidateExclusion, Need, Slices
from pulumi_gke_tpu.features.cost.recommend.search import Option, Recommendation, Row, ZonePrice

CATALOG = read_catalog()
ADVICE = dataclasses.replace(
    CATALOG.advice.choices["large"], text="use v4", not_compared=("v6e", "tpu7x"), as_of="2025", confidence="medium"
)
OUT = tuple(CandidateExclusion(name, "", "you asked for others") for name in CATALOG.generation_names)
PAGE = "Google's planning page (2025)"
FORMS = {
    "v6e": ("4x4", "ct6e-standard-4t", 4),
    "v4": ("2x2x4", "ct4p-hightpu-4t", 4),
    "v5e": ("4x4", "ct5lp-hightpu-4t", 4),
    "tpu7x": ("2x2x4", "tpu7x-standard-4t", 4),
    "v3": ("4x4", "ct3p-hightpu-4t", 4),
}


def price(usd: float | None = 1.0, **more: Any) -> Price:
    found = CATALOG.prices.prices[0]
    known = {"by_item": {}, "confidence": "high", "note": "", "as_of": "2026-11-20", "model": "on_demand"}
    return dataclasses.replace(found, **{**known, "usd": usd, **more})


LOW = price(confidence="low")


def row(
    usd: int | None = 10,
    *,
    generation: str = "v6e",
    mode: CapacityMode = "on_demand",
    count: int = 1,
    slices: Slices | None = None,
    documented: bool = True,
    advised: bool = False,
    at: Price | None = None,
    reservation: OwnedReservation | None = None,
    remarks: tuple[Finding, ...] = (),
    variants: tuple[Slices, ...] = (),
    places: tuple[ZonePrice, ...] = (),
    **cost: Any,
) -> Row:
    """A row with one slice of 16 chips on 4 hosts, if nothing else is asked for."""
    slices = slices or Slices(*FORMS[generation], count, ambiguous=False)
    one = Range(1, 1)
    amount = None if usd is None else Usd(Decimal(usd), Decimal(usd))
    paid = dataclasses.replace(at or price(), model=price_model(mode))
    known = GroupCost("c/slices", (), mode, "ct6e", "us-east5", one, one, one, paid, amount, "")
    candidate = Candidate(generation, slices, "us-east5-b", mode, reservation)
    total = None if usd is None else Decimal(usd)
    option = Option(candidate, dataclasses.replace(known, **cost), total, documented, remarks)
    return Row(option, variants, places, efficient=False, advice=ADVICE if advised else None)


def among(*rows: Row, advice: Advice = ADVICE, **need: Any) -> Recommendation:
    return Recommendation(Need(**{"chips": 16} | need), rows, OUT, advice)
