"""What the slices of a group would cost in another capacity mode, in another zone, or with a commitment."""

import dataclasses
import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, Literal

from pulumi_gke_tpu.catalog import Catalog, Confidence
from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.catalog.records.prices import PriceModel
from pulumi_gke_tpu.estimate import GroupCost, PriceList, Usd, price_model
from pulumi_gke_tpu.estimate.holdings import reservation_holdings
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.findings import duration_text, printable
from pulumi_gke_tpu.fleet import SliceGroup
from pulumi_gke_tpu.fleet.plans import PlanInFleet
from pulumi_gke_tpu.formats.location import region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document, Inventory
from pulumi_gke_tpu.plan.inventory import OwnedReservation
from pulumi_gke_tpu.recommend.switched import Place, Switched, Switcher

_MODES: tuple[CapacityMode, ...] = ("on_demand", "spot", "flex_start")
_COMMITMENTS: dict[PriceModel, str] = {
    "calendar": "calendar mode",
    "cud_1y": "1-year commitment",
    "cud_3y": "3-year commitment",
}


Kind = Literal["capacity", "zone", "commitment"]


@frozen
class Alternative:
    """Another way to get the same number of slices."""

    kind: Kind
    name: str
    """The capacity mode, the zone, or the commitment."""
    rate: GroupCost
    """The cost per chip, in which the slices of the group have their cost."""
    usd: Usd | None
    """USD per hour, with the known premium of Autopilot; None if it is unknown."""
    gives_up: tuple[str, ...]
    group: dict[str, Any] | None
    """The slice group as a plan can have it; None for a commitment, which no plan contains."""
    longest: datetime.timedelta | None = None
    """How long the capacity lasts; None without a limit."""
    until: datetime.date | None = None
    """The day on which a reservation ends; None if it is unknown."""
    term: bool = False
    """Whether the cost is for years, whatever the slices are used for."""

    @property
    def confidence(self) -> Confidence:
        """Of the price."""
        return self.rate.price.confidence_in("usd") if self.rate.price is not None else "high"


class Alternatives:
    """Finds the alternatives of slice groups of several plans.

    Rules check other modes and zones as plans, also against the inventory. Of the zones, only the cheapest that GKE
    lists for the slices is an alternative, and only if it is cheaper than the zone of the group.
    """

    def __init__(
        self,
        members: Sequence[PlanInFleet],
        catalog: Catalog,
        inventory: Document[Inventory] | None,
        today: datetime.date,
    ) -> None:
        self._catalog = catalog
        self._prices = PriceList(catalog.prices)
        self._switcher = Switcher(catalog, inventory, today)
        self._today = today
        owned = OwnedReservations.of(inventory.content if inventory is not None else None)
        self._reserved = [
            (holding.entry, holding.vms.left.minimum)
            for holding in reservation_holdings(owned.uses(members), owned)
            if isinstance(holding.entry, OwnedReservation) and holding.vms.left is not None
        ]
        self._reserved.sort(key=lambda item: _order(item[0]))

    def of_group(self, place: Place, own: GroupCost) -> tuple[Alternative, ...]:
        """The alternatives of one group with its cost; none for a group without slices."""
        if not place.group.slices.maximum:
            return ()
        return (
            *self._modes(place, own),
            *self._reservations(place),
            *self._zones(place, own),
            *self._commitments(place, own),
        )

    def _modes(self, place: Place, own: GroupCost) -> Iterator[Alternative]:
        """Other modes; of a group with several modes also each of them alone that costs less than the group."""
        group = place.group
        for mode in _MODES:
            if mode == own.mode:
                continue
            found = self._switcher.switched(place, {mode: {} if mode == "flex_start" else True})
            if found is not None:
                yield _alternative(
                    "capacity",
                    mode.replace("_", "-"),
                    found,
                    group,
                    gives_up=tuple(self._given_up(group, mode)),
                    longest=self._flex_start if mode == "flex_start" else None,
                )

    @property
    def _flex_start(self) -> datetime.timedelta:
        return datetime.timedelta(seconds=self._catalog.capacity.flex_start.max_run_seconds)

    def _given_up(self, group: SliceGroup, mode: CapacityMode) -> Iterator[str]:
        """What a change of the capacity mode gives up."""
        if mode == "spot":
            yield "Compute Engine can preempt the VMs at any time"
        if mode == "flex_start":
            yield f"nodes start when capacity is available, and end after at most {duration_text(self._flex_start)}"
        if group.plan.capacity.mode == "reservation":
            yield "slices leave their reservation, which may have to be paid anyway"
        if group.plan.fallback:
            yield "GKE tries no other capacity mode"

    def _reservations(self, place: Place) -> Iterator[Alternative]:
        """The cheapest other reservation of the inventory with room for all slices beside those of the plans."""
        group, named = place.group, place.group.plan.capacity.reservation
        for entry, free in self._reserved:
            here = (entry.zone, entry.machine_type.lower()) == (place.zone, group.shape.machine_type)
            mine = named is not None and (named.name, named.project or place.cluster.project) == (
                entry.name,
                entry.project,
            )
            if not here or mine or free < group.hosts.maximum or not self._is_open(entry):
                continue
            keys = {"name": entry.name} | ({} if entry.project == place.cluster.project else {"project": entry.project})
            found = self._switcher.switched(place, {"reservation": keys})
            if found is not None:
                gives_up = f"the reservation ends on {entry.until}" if entry.until is not None else ""
                name = f"reservation {printable(entry.name)}"
                yield _alternative(
                    "capacity", name, found, group, gives_up=tuple(filter(None, [gives_up])), until=entry.until
                )
                return

    def _is_open(self, entry: OwnedReservation) -> bool:
        return not (entry.start is not None and entry.start > self._today) and not (
            entry.until is not None and entry.until <= self._today
        )

    def _zones(self, place: Place, own: GroupCost) -> Iterator[Alternative]:
        """The cheapest zone with a known price, if it is cheaper or the price of the group is unknown.

        Prices are those of regions, so only zones of other regions can be cheaper. If a part of the cost of the group
        is unknown, such as the premium of Autopilot, the rest is compared.
        """
        group = place.group
        if group.plan.capacity.mode == "reservation":
            return  # a reservation has one zone
        lists = self._catalog.zones.families[group.shape.family]
        single = () if group.shape.multi_host or lists.single_host is None else lists.single_host.zones
        zones = [zone for zone in {*lists.documented.zones, *single} if region_of(zone) != place.cluster.region]
        unknown = own.usd is None or own.doubtful
        whole = not unknown and not own.incomplete
        limit = None if unknown else _amount(own, group, whole=whole)
        best: tuple[str, Switched] | None = None
        for least, zone in sorted((least, zone) for zone in zones if (least := self._least(group, zone)) is not None):
            if limit is not None and least * group.chips.maximum >= limit:
                break  # no later zone can be cheaper
            found = self._switcher.switched(place, zone=zone)
            if found is None or found.cost.doubtful or found.cost.usd is None or (whole and found.cost.incomplete):
                continue
            amount = _amount(found.cost, group, whole=whole)
            if limit is None or amount < limit:
                limit, best = amount, (zone, found)
        if best is not None:
            gives_up = "it needs a cluster in that region, and data may have to move"
            yield _alternative("zone", *best, group, gives_up=(gives_up,))

    def _least(self, group: SliceGroup, zone: str) -> Decimal | None:
        """The highest price of the modes of a group in a zone, without the premium of Autopilot; None if unknown."""
        found = [
            self._prices.find(group.shape.family, region_of(zone), price_model(mode)) for mode in group.capacity_modes
        ]
        known = [Decimal(str(price.usd)) for price in found if price is not None and price.usd is not None]
        return max(known) if known else None

    def _commitments(self, place: Place, own: GroupCost) -> Iterator[Alternative]:
        """Commitments whose price is known, for slices on on-demand or reserved capacity."""
        group, calendar = place.group, self._catalog.capacity.calendar
        if group.capacity_modes not in (("on_demand",), ("reservation",)):
            return
        for model, name in _COMMITMENTS.items():
            price = self._prices.find(own.family, own.region, model)
            if price is None:
                continue
            rate = dataclasses.replace(own, price=price, contract=None, unknown="")
            gives_up, longest = "you pay for the whole term, used or not", None
            if model == "calendar":
                lists = calendar.zones.get(own.family)
                here = lists.zones if lists is not None else ()
                if not any(zone == place.zone if place.zone else region_of(zone) == own.region for zone in here):
                    continue
                longest = datetime.timedelta(days=calendar.max_days)
                gives_up = f"at most {calendar.max_days} days from a fixed date; a request cannot be changed"
            yield Alternative(
                kind="commitment",
                name=name,
                rate=rate,
                usd=rate.of_chips(group.chips),
                gives_up=(gives_up,),
                group=None,
                longest=longest,
                term=model != "calendar",
            )


def _order(entry: OwnedReservation) -> tuple[object, ...]:
    """Reservations with a contract price first, the cheapest first; of these, the one that lasts longest."""
    price = entry.usd_per_chip_hour
    lasts = -(entry.until or datetime.date.max).toordinal()
    return price is None, price or 0, lasts, entry.project, entry.name


def _alternative(kind: Kind, name: str, found: Switched, group: SliceGroup, **more: Any) -> Alternative:
    return Alternative(
        kind=kind, name=name, rate=found.cost, usd=found.cost.of_chips(group.chips), group=found.keys, **more
    )


def _amount(cost: GroupCost, group: SliceGroup, *, whole: bool) -> Decimal:
    """USD per hour of all slices, with the premium of Autopilot if it is to be whole."""
    usd = cost.of_chips(group.chips, premium=whole)
    assert usd is not None
    return usd.maximum
