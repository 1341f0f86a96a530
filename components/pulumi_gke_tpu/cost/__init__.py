"""Cost: what the slices of a plan cost by the hour, as far as prices are known."""

from pulumi_gke_tpu.cost.compute import cost_of
from pulumi_gke_tpu.cost.model import NOT_INCLUDED, CostLine, FleetCost, GroupCost
from pulumi_gke_tpu.cost.money import HOURS_PER_MONTH, NO_MONEY, Usd, shown_usd
from pulumi_gke_tpu.cost.prices import PriceList, price_model

__all__ = [
    "HOURS_PER_MONTH",
    "NOT_INCLUDED",
    "NO_MONEY",
    "CostLine",
    "FleetCost",
    "GroupCost",
    "PriceList",
    "Usd",
    "cost_of",
    "price_model",
    "shown_usd",
]
