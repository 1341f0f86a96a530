"""What plans leave of reservations and quota: what is left, what to request, and the cost of unused VMs."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field, PlainSerializer

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import Price, QuotaFacts
from pulumi_gke_tpu.core.estimate.holdings import (
    HoldingPart,
    QuotaHolding,
    ReservationHolding,
    quota_holdings,
    reservation_holdings,
    total_of,
)
from pulumi_gke_tpu.core.estimate.prices import PriceList, Usd, price_model
from pulumi_gke_tpu.core.estimate.quota import QuotaNeed, quota_needs
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, closed_text
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, PlanInFleet, plans_in_fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedReservation
from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Count, Hidden, Opaque, OptionalText

_PER_ZONE = "per-project-zone"


@frozen
class QuotaRequest:
    """A quota limit to request, in chips."""

    project: str
    service: str
    quota_id: OptionalText
    """Empty if no source has it; ``metric`` and ``console_name`` then identify the quota."""
    metric: str
    console_name: Hidden[str]
    dimensions: dict[str, str]
    """The dimensions that select the limit: the region or zone, and the machine family where the quota has one."""
    limit: Count | None
    """The current limit; None if it is unknown."""
    least: Count
    """The limit that the smallest size of every group needs, with the use by others."""
    value: Count
    """The limit that the largest size of every group needs, with the use by others and the nodes of upgrades."""
    upgrades: Count
    """The part of ``value`` for the nodes that upgrades add."""
    in_use: Count
    """The part of ``value`` for the use by what is in none of the plans."""
    parts: Annotated[
        tuple[Opaque[HoldingPart], ...],
        PlainSerializer(lambda parts: [part.key for part in parts], return_type=list[str]),
        Field(alias="groups"),
    ]
    """What needs it; in JSON by name."""
    confidence: Confidence
    command: tuple[str, ...]
    """The command that requests the value, or that shows the limit if it is unknown: a lower value would lower it.

    Empty if no source confirms the quota ID.
    """


def quota_requests(holdings: Iterable[QuotaHolding], catalog: Catalog) -> Iterator[QuotaRequest]:
    """A request for each quota whose limit is unknown or too low.

    A quota suffices for node pools of a fixed size that exist.
    """
    for holding in holdings:
        in_use, limit, metric = holding.chips.in_use, holding.chips.limit, holding.metric
        for location, parts in _places(holding):
            total, upgrades = total_of(parts), sum(part.upgrades for part in parts)
            value = in_use + total.maximum + upgrades
            if (limit is not None and limit >= value) or (limit is None and all(map(_exists, parts)) and not upgrades):
                continue
            place = "zone" if is_zone(location) else "region"
            family = {"tpu_family": metric.dimension} if metric.dimension else {}
            dimensions = {place: location, **family}
            quota_id = metric.quota_id if place == "zone" or not metric.quota_id.endswith(_PER_ZONE) else ""
            confidence = metric.confidence_of_use
            yield QuotaRequest(
                project=holding.project,
                service=catalog.quota.service.name,
                quota_id=quota_id,
                metric=metric.metric,
                console_name=metric.console_name,
                dimensions=dimensions,
                limit=limit,
                least=in_use + total.minimum,
                value=value,
                upgrades=upgrades,
                in_use=in_use,
                parts=parts,
                confidence=confidence,
                command=tuple(
                    _command(catalog.quota, holding.project, quota_id, dimensions, None if limit is None else value)
                )
                if quota_id and confidence != "low"
                else (),
            )


def _exists(part: HoldingPart) -> bool:
    return part.group is not None and part.group.plan.exists and not part.group.autoscaled


def _command(
    quota: QuotaFacts, project: str, quota_id: str, dimensions: dict[str, str], value: int | None
) -> Iterator[str]:
    """The words of the command that requests a value; without a value, of the one that shows the limits."""
    if value is None:
        yield from (*quota.commands.show.split(), quota_id)
    else:
        yield from quota.commands.request.split()
    yield f"--service={quota.service.name}"
    yield f"--project={project}"
    if value is not None:
        keys = ",".join(f"{key}={name}" for key, name in dimensions.items())
        yield from (f"--quota-id={quota_id}", f"--dimensions={keys}", f"--preferred-value={value}")


def _places(holding: QuotaHolding) -> Iterator[tuple[str, tuple[HoldingPart, ...]]]:
    """The places to request the quota in, with what uses it there: the zones, if the quota is per zone."""
    used = [part for part in holding.chips.parts if part.amount.maximum]
    per_zone = holding.entry is None and holding.metric.quota_id.endswith(_PER_ZONE)
    by_place: dict[str, list[HoldingPart]] = {}
    for part in used:
        for zone in part.user.zones if per_zone else ():
            by_place.setdefault(zone, []).append(part.in_zone())
        if not per_zone or not part.user.zones:
            by_place.setdefault(holding.location, []).append(part)
    for place in sorted(by_place):
        yield place, tuple(by_place[place])


@frozen
class Headroom:
    """The use of every reservation and quota by several plans."""

    plans: tuple[str, ...]
    """The names of the plans."""
    catalog_version: str
    as_of: datetime.date | None
    """The date of the inventory; None without one."""
    reservations: tuple[ReservationHolding, ...]
    quotas: tuple[QuotaHolding, ...]
    requests: tuple[QuotaRequest, ...]
    unknown: tuple[QuotaNeed, ...]
    """Chips whose quota no source names."""


def headroom(plans: Sequence[CheckedPlan], inventory: Inventory | None, catalog: Catalog) -> Headroom:
    """The use by plans with content, in the order of project, place and name."""
    members = plans_in_fleet(plans)
    owned = OwnedReservations.of(inventory)
    quotas = quota_holdings(members, inventory, catalog)
    needs = (need for member in members for need in quota_needs(member.fleet, catalog))
    return Headroom(
        plans=tuple(member.name for member in members),
        catalog_version=catalog.about.version,
        as_of=inventory.as_of if inventory else None,
        reservations=reservation_holdings(owned.uses(members), owned),
        quotas=quotas,
        requests=tuple(quota_requests(quotas, catalog)),
        unknown=tuple(need for need in needs if need.metric is None),
    )


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
