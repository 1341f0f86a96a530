"""The cost of a fleet: by group, by capacity mode, in total. Plain frozen values."""

from typing import Literal

from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.prices import AutopilotPremium, ClusterFee, Price
from pulumi_gke_tpu.core.estimate.money import Usd, sum_of
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path

NOT_INCLUDED = ("system and CPU pools", "disks", "network", "the cluster fee")
"""Costs that no amount includes."""


@frozen
class GroupCost:
    """One slice group. Amounts are USD per hour for all its slices; None is unknown, never free."""

    group: str
    """cluster/group."""
    path: Path
    mode: CapacityMode
    """The mode whose price the amount uses: of several modes, the most expensive one."""
    family: str
    region: str
    slices: Range
    hosts: Range
    chips: Range
    price: Price | None
    """The price per chip-hour; None if it is unknown, or that of a contract."""
    usd: Usd | None
    unknown: str
    """Why ``usd`` is None, or the prices of which modes it does not consider; empty otherwise."""
    premium: AutopilotPremium | None = None
    """The premium of Autopilot per chip-hour; None if it is unknown."""
    premium_usd: Usd | None = None
    premium_unknown: str = ""
    """The reason if an Autopilot group has no ``premium_usd``; empty otherwise."""
    modes: tuple[CapacityMode, ...] = ()
    """All modes of the group in the order in which GKE tries them."""
    contract: float | None = None
    """The price per chip-hour of the contract for the reservation, if the amount uses it."""

    @property
    def doubtful(self) -> bool:
        """Whether the price has low confidence, so that no sum includes the amount."""
        return self.price is not None and self.price.confidence_in("usd") == "low"

    @property
    def left_out(self) -> str:
        """Why sums leave out the amount or a part of it; empty otherwise."""
        if self.doubtful and self.chips.maximum:
            assert self.price is not None
            model = self.price.model.replace("_", "-")
            return f"the {model} price of {self.family} in {self.region} has low confidence, so no sum includes it"
        return self.unknown

    @property
    def sum_usd(self) -> Usd | None:
        """The amount for sums: None if it is unknown or doubtful."""
        return None if self.doubtful and self.chips.maximum else self.usd

    @property
    def whole_usd(self) -> Usd | None:
        """USD per hour with the known premium of Autopilot; None if no price is known."""
        known = [amount for amount in (self.usd, self.premium_usd) if amount is not None]
        return sum_of(known) if known else None

    def of_chips(self, chips: Range, *, premium: bool = True) -> Usd | None:
        """USD per hour of a number of chips, with the known premium of Autopilot; None if the price is unknown."""
        rate = self.contract if self.price is None else self.price.usd
        if rate is None:
            return None
        usd = Usd.of(rate, chips)
        return usd if self.premium is None or not premium else usd.plus(Usd.of(self.premium.usd, chips))

    @property
    def incomplete(self) -> bool:
        """Whether a part of the cost is unknown: the price of a mode, or the premium of Autopilot."""
        return bool(self.unknown or self.premium_unknown)

    @property
    def unknown_parts(self) -> str:
        """Why the cost or a part of it is unknown; empty otherwise."""
        return "; ".join(filter(None, (self.unknown, self.premium_unknown)))

    @property
    def whole_at_least(self) -> bool:
        """Whether ``whole_usd`` is only a part of the cost."""
        return self.whole_usd is not None and self.incomplete

    @property
    def at_contract_price(self) -> bool:
        """Whether the price is that of the contract in the inventory."""
        return self.contract is not None

    @property
    def at_on_demand_price(self) -> bool:
        """Whether the on-demand price replaces an unknown one: of reserved, or of queued without flex-start."""
        return self.price is not None and self.price.model == "on_demand" and self.mode != "on_demand"

    @property
    def at_least(self) -> bool:
        """Whether a mode of unknown price could cost more than ``usd``."""
        return self.usd is not None and bool(self.unknown)


@frozen
class CostLine:
    """A sum over groups: a capacity mode, the Autopilot premium, or the total."""

    what: CapacityMode | Literal["autopilot_premium", "total"]
    slices: Range
    hosts: Range
    chips: Range
    usd: Usd | None
    """USD per hour of all known amounts; None if all are unknown."""
    unknown: tuple[str, ...] = ()
    """The groups whose cost or premium is not in ``usd``."""
    at_on_demand_price: bool = False
    """Whether this sum uses an on-demand price in place of an unknown one."""

    @property
    def at_least(self) -> bool:
        """Whether ``usd`` is only a part of the cost, which is at least that."""
        return self.usd is not None and bool(self.unknown)


@frozen
class FleetCost:
    """The cost of the slices of a fleet, without ``NOT_INCLUDED``."""

    groups: tuple[GroupCost, ...]
    modes: tuple[CostLine, ...]
    """One line per capacity mode in use."""
    premium: CostLine | None
    """The premium of Autopilot for the slices of the Autopilot groups; None if there are none."""
    total: CostLine
    cluster_fee: ClusterFee
    """The fee of GKE per cluster-hour. No sum includes it: a free tier covers one cluster of a billing account."""
    clusters: dict[str, CostLine]
    """The total of each cluster, by its key."""
    reporting: tuple[str, ...] = ()
    """What the cost reports of GKE do not show about these slices."""

    @property
    def prices(self) -> tuple[Price, ...]:
        """Every price that the amounts use, once, in the order of the groups."""
        return tuple({id(group.price): group.price for group in self.groups if group.price is not None}.values())

    @property
    def unknown(self) -> tuple[str, ...]:
        """The reasons for missing amounts, each once."""
        reasons = (reason for group in self.groups for reason in (group.left_out, group.premium_unknown))
        return tuple(dict.fromkeys(reason for reason in reasons if reason))
