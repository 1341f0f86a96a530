"""What a fleet costs: by group, by capacity mode, in total. Plain frozen values."""

from dataclasses import dataclass
from typing import Literal

from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.catalog.records.prices import AutopilotPremium, ClusterFee, Price
from pulumi_gke_tpu.estimate.money import Usd
from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.fleet import Range

NOT_INCLUDED = ("system pools", "disks", "network", "the cluster fee")
"""What no amount here contains."""


@dataclass(frozen=True, slots=True)
class GroupCost:
    """One slice group. Amounts are USD per hour of all its slices together; None is unknown, never free."""

    group: str
    """cluster/group."""
    path: Path
    mode: CapacityMode
    family: str
    region: str
    slices: Range
    hosts: Range
    chips: Range
    price: Price | None
    """The price per chip-hour that was used."""
    usd: Usd | None
    unknown: str
    """Why ``usd`` is None; else empty."""
    premium: AutopilotPremium | None = None
    """What Autopilot adds per chip-hour, where that is known."""
    premium_usd: Usd | None = None
    premium_unknown: str = ""
    """Why an Autopilot group has no ``premium_usd``; else empty."""

    @property
    def at_on_demand_price(self) -> bool:
        """Whether the on-demand price stands in: reserved and plain queued capacity are billed in other ways."""
        return self.price is not None and self.price.model == "on_demand" and self.mode != "on_demand"


@dataclass(frozen=True, slots=True)
class CostLine:
    """A sum over groups: a capacity mode, Autopilot's premium, or the total."""

    what: CapacityMode | Literal["autopilot_premium", "total"]
    slices: Range
    hosts: Range
    chips: Range
    usd: Usd | None
    """USD per hour of what is known; None where nothing is."""
    unknown: tuple[str, ...] = ()
    """The groups whose cost, or premium, is not in ``usd``."""
    at_on_demand_price: bool = False
    """Whether an on-demand price stands in for another one in this sum."""

    @property
    def at_least(self) -> bool:
        """Whether ``usd`` is only a part, so that the true amount is that or more."""
        return self.usd is not None and bool(self.unknown)


@dataclass(frozen=True, slots=True)
class FleetCost:
    """What the slices of a fleet cost. ``NOT_INCLUDED`` names what is left out."""

    groups: tuple[GroupCost, ...]
    modes: tuple[CostLine, ...]
    """One line per capacity mode in use."""
    premium: CostLine | None
    """Autopilot's premium; None where no group is on Autopilot. Its slices are those of the Autopilot groups."""
    total: CostLine
    cluster_fee: ClusterFee
    """GKE's fee per cluster-hour, which is in no sum: a free tier covers one cluster of a billing account."""
    clusters: int
    reporting: tuple[str, ...] = ()
    """What GKE's own cost reports lack about these slices."""

    @property
    def prices(self) -> tuple[Price, ...]:
        """Every price that was used, each once, in the order of the groups."""
        return tuple({id(group.price): group.price for group in self.groups if group.price is not None}.values())

    @property
    def unknown(self) -> tuple[str, ...]:
        """Why amounts are missing, each reason once."""
        reasons = (reason for group in self.groups for reason in (group.unknown, group.premium_unknown))
        return tuple(dict.fromkeys(reason for reason in reasons if reason))
