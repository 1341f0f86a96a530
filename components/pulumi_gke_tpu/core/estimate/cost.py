"""The size and the cost of fleets: by group, by capacity mode, in total."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import AutopilotPremium, CapacityMode, ClusterFee, Price
from pulumi_gke_tpu.core.estimate.prices import MODES, NO_MONEY, PriceList, Usd, price_model, sum_of
from pulumi_gke_tpu.core.estimate.reservations import NO_RESERVATIONS, OwnedReservations
from pulumi_gke_tpu.core.estimate.sums import (
    SharedReservation,
    Source,
    by_source,
    shared_reservations,
    sizes_of,
    source_of,
)
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range, SliceGroup
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.names import region_of

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
    source: Source | None = None
    """The budget of the group, or its reservation in the inventory, if it has no other capacity. Sums contain no more
    than it has."""
    dynamic: bool = False
    """Whether the slices are cubes."""

    @property
    def each_usd(self) -> Usd | None:
        """USD per hour of one slice or cube; None if the price or the number of chips is unknown."""
        each = self.chips.maximum // max(self.slices.maximum, 1)
        return self.of_chips(Range(each, each)) if each else None

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
    def rate(self) -> float | None:
        """USD per chip-hour; None if it is unknown."""
        return self.contract if self.price is None else self.price.usd

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
        if self.rate is None:
            return None
        usd = Usd.of(self.rate, chips)
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
    """A sum over groups: a capacity mode, the Autopilot premium, or the total.

    Groups that share a reservation of the inventory have at most this reservation together.
    """

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

    @property
    def shared(self) -> tuple[SharedReservation, ...]:
        """The reservations that keep sums below those of the groups."""
        return shared_reservations(self.groups)


def cost_of(fleet: Fleet, catalog: Catalog, owned: OwnedReservations = NO_RESERVATIONS) -> FleetCost:
    """The cost of the slices of a fleet per hour. ``owned`` are the reservations of an inventory, with their prices.

    The cost of a group is its chips times the price of its machine family, region and capacity mode; for an autoscaled
    group it is a range. A group with several modes costs what the most expensive one costs: it uses one at a time. If
    the price is unknown, the amount is None, and every sum without it is marked. Groups without a shape are not in a
    fleet, so they have no cost.
    """
    pricing = _Pricing(catalog, owned)
    priced = [(cluster.key, pricing.group(cluster, group)) for cluster, group in fleet.groups()]
    by_cluster: dict[str, list[GroupCost]] = {cluster.key: [] for cluster in fleet.clusters}
    for key, cost in priced:  # what Terraform plans can have clusters with one key in two locations
        by_cluster[key].append(cost)
    groups = tuple(cost for _, cost in priced)
    return FleetCost(
        groups=groups,
        modes=tuple(
            _mode_line(mode, [group for group in groups if group.mode == mode])
            for mode in MODES
            if any(group.mode == mode for group in groups)
        ),
        premium=_premium_line([group for group in groups if group.premium_usd is not None or group.premium_unknown]),
        total=total_line(groups),
        cluster_fee=catalog.prices.cluster_fee,
        clusters={key: total_line(costs) for key, costs in by_cluster.items()},
        reporting=tuple(_reporting(fleet, catalog)),
    )


def _reporting(fleet: Fleet, catalog: Catalog) -> Iterator[str]:
    """The notes on cost reports that apply to a group by its generation and capacity mode."""
    traits = [{group.shape.generation, mode} for _, group in fleet.groups() for mode in group.capacity_modes]
    known = {*catalog.generation_names, *MODES}
    for note in catalog.prices.notes:
        if "cost_reporting" in note.topics and any(known.intersection(note.topics) <= group for group in traits):
            yield note.text


class _Pricing:
    """The prices of one catalog, and of the contracts in an inventory."""

    def __init__(self, catalog: Catalog, owned: OwnedReservations) -> None:
        self.owned = owned
        self.prices = PriceList(catalog.prices)
        self.premiums = {(item.family, item.region): item for item in catalog.prices.autopilot_premium}

    def group(self, cluster: Cluster, group: SliceGroup) -> GroupCost:
        family = group.shape.family
        region = region_of(group.zone) if group.zone else cluster.region
        entry = self.owned.entry_of(cluster, group)
        contract = entry.usd_per_chip_hour if entry is not None else None
        mode, price, unknown = self._highest(family, region, group.capacity_modes, contract)
        at_contract = mode == "reservation" and contract is not None
        usd = _amount(contract if at_contract else price.usd if price else None, group.chips)
        autopilot = cluster.mode == "autopilot"
        premium = self.premiums.get((family, region)) if autopilot else None
        premium_usd = _amount(premium.usd if premium else None, group.chips) if autopilot else None
        return GroupCost(
            group=group.key,
            path=group.path,
            mode=mode,
            family=family,
            region=region,
            slices=group.slices,
            hosts=group.hosts,
            chips=group.chips,
            price=None if at_contract else price,
            contract=contract if at_contract else None,
            source=source_of(group, entry),
            usd=usd,
            unknown=unknown if group.chips.maximum else "",
            premium=premium,
            premium_usd=premium_usd,
            premium_unknown=f"the Autopilot premium for {family} in {region} is unknown"
            if autopilot and premium_usd is None
            else "",
            modes=group.capacity_modes,
            dynamic=group.dynamic,
        )

    def _highest(
        self, family: str, region: str, modes: Sequence[CapacityMode], contract: float | None
    ) -> tuple[CapacityMode, Price | None, str]:
        """The mode with the highest known price, this price, and why the price of a mode is unknown."""
        found = [(mode, self.prices.find(family, region, price_model(mode))) for mode in modes]
        missing = [
            self.prices.missing(family, region, price_model(mode))
            for mode, price in found
            if price is None and (mode != "reservation" or contract is None)
        ]

        def usd(item: tuple[CapacityMode, Price | None]) -> float:
            mode, price = item
            if mode == "reservation" and contract is not None:
                return contract
            return -1.0 if price is None else price.usd or 0.0

        mode, price = max(found, key=usd)
        return mode, price, "; ".join(dict.fromkeys(missing))


def _amount(price: float | None, chips: Range) -> Usd | None:
    if not chips.maximum:
        return NO_MONEY  # without slices the cost is 0 at any price
    return None if price is None else Usd.of(price, chips)


def _mode_line(mode: CapacityMode, groups: Sequence[GroupCost]) -> CostLine:
    return _line(
        mode,
        groups,
        usd=_sum(_amounts(groups)),
        unknown=[group for group in groups if group.left_out],
        at_on_demand_price=any(group.at_on_demand_price for group in groups),
    )


def _premium_line(groups: Sequence[GroupCost]) -> CostLine | None:
    if not groups:
        return None
    unknown = [group for group in groups if group.premium_usd is None]
    return _line("autopilot_premium", groups, usd=_sum(_premiums(groups)), unknown=unknown)


def total_line(groups: Sequence[GroupCost]) -> CostLine:
    """The sum of groups, also of several plans."""
    return _line(
        "total",
        groups,
        usd=_sum([*_amounts(groups), *_premiums(groups)]) if groups else NO_MONEY,
        unknown=[group for group in groups if group.left_out or group.premium_unknown],
        at_on_demand_price=any(group.at_on_demand_price for group in groups),
    )


def _line(
    what: CapacityMode | Literal["autopilot_premium", "total"],
    groups: Sequence[GroupCost],
    *,
    usd: Usd | None,
    unknown: Iterable[GroupCost],
    at_on_demand_price: bool = False,
) -> CostLine:
    size, names = sizes_of(groups), tuple(group.group for group in unknown)
    return CostLine(what, size.slices, size.hosts, size.chips, usd, names, at_on_demand_price)


def _amounts(groups: Iterable[GroupCost]) -> Iterator[Usd]:
    return _within(groups, lambda group: group.sum_usd, lambda group: group.rate)


def _premiums(groups: Iterable[GroupCost]) -> Iterator[Usd]:
    return _within(groups, lambda group: group.premium_usd, lambda group: group.premium.usd if group.premium else None)


def _within(
    groups: Iterable[GroupCost], usd_of: Callable[[GroupCost], Usd | None], rate_of: Callable[[GroupCost], float | None]
) -> Iterator[Usd]:
    """The known amounts. Groups on one reservation or budget cost at most what they can have together at one price."""
    for entry, found in by_source(group for group in groups if usd_of(group) is not None):
        usd = sum_of(filter(None, map(usd_of, found)))
        if entry is not None:
            rate = max(rate_of(group) or 0.0 for group in found)
            usd = Usd(usd.minimum, min(usd.maximum, Usd.of(rate, sizes_of(found).chips).maximum))
        yield usd


def _sum(amounts: Iterable[Usd]) -> Usd | None:
    """The sum of amounts; None for none, because all are unknown."""
    known = list(amounts)
    return sum_of(known) if known else None


@frozen
class Size:
    """A number of slice groups, and their hosts and chips."""

    groups: int
    hosts: Range
    chips: Range

    @classmethod
    def of(cls, groups: Sequence[GroupCost]) -> "Size":
        """The size of groups together."""
        size = sizes_of(groups)
        return cls(len(groups), size.hosts, size.chips)


@frozen
class Totals:
    """The size of all plans."""

    clusters: int
    size: Size
    by_place: tuple[tuple[str, str, Size], ...]
    """Generation, place and size, in this order."""
    by_fleet: tuple[Size, ...]
    """The size of each plan, in the order of the plans."""
    shared: tuple[SharedReservation, ...]
    """The reservations that keep the size below the sum of those of the groups."""


def totals_of(plans: Iterable[tuple[Fleet, FleetCost]]) -> Totals:
    """The size of fleets together."""
    plans = tuple(plans)
    by_place: dict[tuple[str, str], list[GroupCost]] = {}
    for fleet, costs in plans:
        for (cluster, group), cost in zip(fleet.groups(), costs.groups, strict=True):
            by_place.setdefault((group.shape.generation, place_of(cluster, group)), []).append(cost)
    every = [cost for _, costs in plans for cost in costs.groups]
    return Totals(
        clusters=sum(len(fleet.clusters) for fleet, _ in plans),
        size=Size.of(every),
        by_place=tuple((*key, Size.of(by_place[key])) for key in sorted(by_place)),
        by_fleet=tuple(Size.of(costs.groups) for _, costs in plans),
        shared=shared_reservations(every),
    )


def place_of(cluster: Cluster, group: SliceGroup) -> str:
    """The zones of a group; the region if GKE selects the zone."""
    return ", ".join(group.zones) or f"{cluster.region} (any zone)"
