"""Capacity modes with their requirements, quota, and prices as captured."""

from dataclasses import field
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.facts import Confidence, Count, Fact, Hosts, Note, Record, UsdPerHour
from pulumi_gke_tpu.core.catalog.records.platform import ZoneList

Offer = Literal["yes", "no", "allowlist", "unverified"]
CapacityMode = Literal["on_demand", "spot", "reservation", "flex_start", "queued"]
"""``queued`` is ProvisioningRequest only; ``flex_start`` covers the non-queued form."""
_LEAST_FIRST: tuple[Confidence, ...] = ("low", "medium", "high")


class Offering(Fact):
    """Whether a family can be had in a capacity mode."""

    offer: Offer


class FlexStartFacts(Fact):
    """Flex-start limits, in seconds, and the zones that have a flex pool."""

    min_run_seconds: Count
    max_run_seconds: Count
    default_run_seconds: Count
    zones: dict[str, ZoneList]
    more_zones: dict[str, ZoneList] = field(default_factory=dict)
    """Zones that other sources name or that were measured: a warning, not an error."""
    refused_zones: dict[str, ZoneList] = field(default_factory=dict)
    """Zones where a request was measured to be refused."""
    queued: dict[str, Offering] = field(default_factory=dict)
    """Families of which something is known about flex-start with queued provisioning, besides each of both."""


class ReservationWorkload(Fact):
    """Which slices a reservation of a workload type serves."""

    serves: tuple[Hosts, ...]


class CalendarServing(Record):
    """Sizes and zones of reservations in calendar mode for serving."""

    chips: tuple[Count, ...]
    zones: tuple[str, ...]


class CalendarMode(Fact):
    """Limits of calendar-mode reservations, and their zones per family."""

    min_days: Count
    max_days: Count
    chips: tuple[Count, ...]
    zones: dict[str, ZoneList]
    serving: dict[str, CalendarServing] = field(default_factory=dict)
    """By family, where serving differs from training. The zones here are not for training."""


class SubBlock(Fact):
    """A sub-block of a reservation: how many VMs it holds."""

    vms: Count


class CapacityFacts(Record):
    """Capacity modes: in which modes each family is available, and what each mode requires."""

    families: dict[str, dict[CapacityMode, Offering]]
    flex_start: FlexStartFacts
    reservation_workloads: dict[str, ReservationWorkload]
    calendar: CalendarMode
    sub_blocks: dict[str, SubBlock] = field(default_factory=dict)
    """By machine family, where the size is known."""
    notes: tuple[Note, ...] = ()


class QuotaMetric(Fact):
    """The quota that a family uses in some capacity modes. ``unit`` is chips wherever field use showed it."""

    families: tuple[str, ...]
    modes: tuple[CapacityMode, ...]
    metric: str
    quota_id: str = ""
    dimension: str = ""
    """The value of the tpu_family dimension, compared without case."""
    console_name: str = ""
    scope: str
    unit: Literal["chips"]
    default: str = ""

    @property
    def confidence_of_use(self) -> Confidence:
        """The confidence that the quota has this name and counts chips: the lower of both."""
        return min((self.confidence_in(item) for item in ("metric", "unit")), key=_LEAST_FIRST.index)

    @property
    def label(self) -> str:
        """The metric without the service, with the family if the metric has several."""
        name = self.metric.rpartition("/")[2]
        return f"{name} ({self.dimension})" if self.dimension else name


class QuotaService(Fact):
    """The service whose quota GKE uses."""

    name: str


class QuotaCommands(Fact):
    """The commands that show the limits of a quota, and that request another limit."""

    show: str
    request: str


class QuotaFacts(Record):
    """Compute Engine quota of TPU chips; the Cloud TPU API's own quota does not apply to GKE."""

    metrics: tuple[QuotaMetric, ...]
    service: QuotaService
    commands: QuotaCommands
    notes: tuple[Note, ...] = ()


PriceModel = Literal["on_demand", "spot", "flex_start", "calendar", "cud_1y", "cud_3y"]


class Price(Fact):
    """A price in USD per chip-hour, for a family in a region. None: published, but the figure was not captured."""

    family: str
    region: str
    model: PriceModel
    usd: UsdPerHour | None


class ClusterFee(Fact):
    """GKE's management fee in USD per cluster-hour."""

    usd: UsdPerHour


class AutopilotPremium(Fact):
    """What Autopilot adds, in USD per chip-hour."""

    family: str
    region: str
    usd: UsdPerHour


class Prices(Record):
    """Prices as captured; each with its date, since Spot prices move."""

    prices: tuple[Price, ...]
    cluster_fee: ClusterFee
    autopilot_premium: tuple[AutopilotPremium, ...] = ()
    notes: tuple[Note, ...] = ()
