"""Prices, as captured."""

from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Fact, Note, Record, record

PriceModel = Literal["on_demand", "spot", "flex_start", "calendar", "cud_1y", "cud_3y"]


@record
class Price(Fact):
    """A price in USD per chip-hour, for a family in a region. None: published, but the figure was not captured."""

    family: str
    region: str
    model: PriceModel
    usd: float | None


@record
class ClusterFee(Fact):
    """GKE's management fee in USD per cluster-hour."""

    usd: float


@record
class AutopilotPremium(Fact):
    """What Autopilot adds, in USD per chip-hour."""

    family: str
    region: str
    usd: float


@record
class Prices(Record):
    """Prices as captured; each with its date, since Spot prices move."""

    prices: tuple[Price, ...]
    cluster_fee: ClusterFee
    autopilot_premium: tuple[AutopilotPremium, ...] = ()
    notes: tuple[Note, ...] = ()
