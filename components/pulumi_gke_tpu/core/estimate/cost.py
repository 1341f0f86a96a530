"""Computes the cost of a fleet from the prices of the catalog."""

from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.core.catalog.records.prices import Price
from pulumi_gke_tpu.core.estimate.cost_model import CostLine, FleetCost, GroupCost
from pulumi_gke_tpu.core.estimate.money import NO_MONEY, Usd, sum_of
from pulumi_gke_tpu.core.estimate.prices import MODES, PriceList, price_model
from pulumi_gke_tpu.core.estimate.reservations import NO_RESERVATIONS, OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, Range, SliceGroup
from pulumi_gke_tpu.core.text.formats.location import region_of


def cost_of(fleet: Fleet, catalog: Catalog, owned: OwnedReservations = NO_RESERVATIONS) -> FleetCost:
    """The cost of the slices of a fleet per hour. ``owned`` are the reservations of an inventory, with their prices.

    The cost of a group is its chips times the price of its machine family, region and capacity mode; for an autoscaled
    group it is a range. A group with several modes costs what the most expensive one costs: it uses one at a time. If
    the price is unknown, the amount is None, and every sum without it is marked. Groups without a shape are not in a
    fleet, so they have no cost.
    """
    pricing = _Pricing(catalog, owned)
    by_cluster = {
        cluster.key: [pricing.group(cluster, group) for group in cluster.groups] for cluster in fleet.clusters
    }
    groups = tuple(cost for costs in by_cluster.values() for cost in costs)
    return FleetCost(
        groups=groups,
        modes=tuple(
            _mode_line(mode, [group for group in groups if group.mode == mode])
            for mode in MODES
            if any(group.mode == mode for group in groups)
        ),
        premium=_premium_line([group for group in groups if group.premium_usd is not None or group.premium_unknown]),
        total=_total_line(groups),
        cluster_fee=catalog.prices.cluster_fee,
        clusters={key: _total_line(costs) for key, costs in by_cluster.items()},
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
            usd=usd,
            unknown=unknown if group.chips.maximum else "",
            premium=premium,
            premium_usd=premium_usd,
            premium_unknown=f"the Autopilot premium for {family} in {region} is unknown"
            if autopilot and premium_usd is None
            else "",
            modes=group.capacity_modes,
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
    return CostLine(
        mode,
        *_sizes(groups),
        usd=_sum(group.sum_usd for group in groups),
        unknown=tuple(group.group for group in groups if group.left_out),
        at_on_demand_price=any(group.at_on_demand_price for group in groups),
    )


def _premium_line(groups: Sequence[GroupCost]) -> CostLine | None:
    if not groups:
        return None
    return CostLine(
        "autopilot_premium",
        *_sizes(groups),
        usd=_sum(group.premium_usd for group in groups),
        unknown=tuple(group.group for group in groups if group.premium_usd is None),
    )


def _total_line(groups: Sequence[GroupCost]) -> CostLine:
    amounts = [amount for group in groups for amount in (group.sum_usd, group.premium_usd)]
    return CostLine(
        "total",
        *_sizes(groups),
        usd=_sum(amounts) if groups else NO_MONEY,
        unknown=tuple(group.group for group in groups if group.left_out or group.premium_unknown),
        at_on_demand_price=any(group.at_on_demand_price for group in groups),
    )


def _sizes(groups: Iterable[GroupCost]) -> tuple[Range, Range, Range]:
    slices = hosts = chips = Range.ZERO
    for group in groups:
        slices, hosts, chips = slices.plus(group.slices), hosts.plus(group.hosts), chips.plus(group.chips)
    return slices, hosts, chips


def _sum(amounts: Iterable[Usd | None]) -> Usd | None:
    """The sum of the known amounts; None if all are unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum_of(known) if known else None
