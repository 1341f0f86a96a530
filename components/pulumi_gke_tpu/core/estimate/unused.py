"""What the capacity of reservations costs that no plan uses: a reservation is paid for, used or not."""

import datetime
from collections.abc import Sequence

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.prices import Price
from pulumi_gke_tpu.core.estimate.holdings import reservation_holdings
from pulumi_gke_tpu.core.estimate.money import Usd
from pulumi_gke_tpu.core.estimate.prices import PriceList, price_model
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, closed_text
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.formats.location import region_of


@frozen
class UnusedReservation:
    """The VMs or chips of a reservation that neither the plans nor others use."""

    entry: OwnedReservation
    vms: Range | None
    """At the largest and at the smallest size of the slice groups; None if the reservation counts chips."""
    chips: Range | None
    """None if the catalog does not have the machine type."""
    price: Price | None
    """The on-demand price per chip-hour, if the inventory does not have that of the contract; None if it is unknown."""
    usd: Usd | None
    """USD per hour; None if it is unknown."""
    unknown: str
    """Why ``usd`` is None; empty otherwise."""

    @property
    def at_contract_price(self) -> bool:
        """Whether the price is that of the contract in the inventory."""
        return self.entry.usd_per_chip_hour is not None

    @property
    def at_on_demand_price(self) -> bool:
        """Whether the on-demand price replaces that of a contract."""
        return self.price is not None

    @property
    def doubtful(self) -> bool:
        """Whether the price has low confidence, so that no sum includes the amount."""
        return self.price is not None and self.price.confidence_in("usd") == "low"


def unused_reservations(
    plans: Sequence[PlanInFleet], owned: OwnedReservations, catalog: Catalog, today: datetime.date
) -> tuple[UnusedReservation, ...]:
    """The reservations of the inventory with unused VMs, except for those that have not begun or have ended."""
    prices = PriceList(catalog.prices)
    found = []
    for holding in reservation_holdings(owned.uses(plans), owned):
        entry, left = holding.entry, holding.counted.left
        if not isinstance(entry, OwnedReservation) or closed_text(entry, today):
            continue
        if left is not None and left.maximum > 0:
            found.append(_unused(entry, Range(max(left.minimum, 0), left.maximum), catalog, prices))
    return tuple(found)


def _unused(entry: OwnedReservation, left: Range, catalog: Catalog, prices: PriceList) -> UnusedReservation:
    family, region, model = entry.machine_family, region_of(entry.zone), price_model("reservation")
    vms, chips = (left, _chips(entry, left, catalog)) if entry.unit == "VM" else (None, left)
    if chips is None:
        unknown = f"the catalog does not have the machine type of reservation {entry.name}"
        return UnusedReservation(entry, vms, None, None, None, unknown)
    contract = entry.usd_per_chip_hour
    price = prices.find(family, region, model) if contract is None else None
    usd = contract if price is None else price.usd
    if usd is None:
        return UnusedReservation(entry, vms, chips, None, None, prices.missing(family, region, model))
    return UnusedReservation(entry, vms, chips, price, Usd.of(usd, chips), "")


def _chips(entry: OwnedReservation, vms: Range, catalog: Catalog) -> Range | None:
    """The chips of reserved VMs; None if the catalog does not have the machine type."""
    name = (entry.machine_type or "").lower()
    machines = (catalog.generation(each).machine_types for each in catalog.generation_names)
    return next((vms.times(known[name].chips) for known in machines if name in known), None)
