"""What the slices of a group would cost in another capacity mode, in another zone, or with a commitment."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Literal

from pulumi_gke_tpu.catalog import Catalog, Confidence
from pulumi_gke_tpu.catalog.records.capacity import CapacityMode
from pulumi_gke_tpu.catalog.records.prices import PriceModel
from pulumi_gke_tpu.estimate import FleetCost, PriceList, Usd
from pulumi_gke_tpu.estimate.reservations import NO_RESERVATIONS
from pulumi_gke_tpu.findings import duration_text
from pulumi_gke_tpu.fleet import Cluster, Range, SliceGroup
from pulumi_gke_tpu.formats.location import region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.recommend.candidates import Candidate
from pulumi_gke_tpu.recommend.checked import Option, checked
from pulumi_gke_tpu.recommend.need import Need
from pulumi_gke_tpu.recommend.shapes import Slices

_MODES: tuple[CapacityMode, ...] = ("on_demand", "spot", "flex_start")
_COMMITMENTS: dict[PriceModel, str] = {
    "calendar": "calendar mode",
    "cud_1y": "1-year commitment",
    "cud_3y": "3-year commitment",
}


@frozen
class Alternative:
    """Another way to get the slices of a group at full size."""

    kind: Literal["capacity", "zone", "commitment"]
    name: str
    """The capacity mode, the zone, or the commitment."""
    usd: Decimal | None
    """USD per hour, with the premium of Autopilot; None if it is unknown."""
    confidence: Confidence
    """Of the price."""
    gives_up: tuple[str, ...]
    candidate: Candidate | None
    """The slices as a plan can have them; None for a commitment, which no plan contains."""


Place = tuple[Cluster, SliceGroup]


def alternatives(
    places: Sequence[Place], cost: FleetCost, catalog: Catalog, today: datetime.date
) -> dict[str, tuple[Alternative, ...]]:
    """The alternatives of every group, by cluster/group; none for a group without slices.

    Rules check other modes and zones as plans. Of the zones, only the cheapest that GKE lists for the slices is kept,
    and only if it is cheaper than the zone of the group.
    """
    prices = PriceList(catalog.prices)
    own = {group.group: group.usd for group in cost.groups}
    found: dict[str, list[Alternative]] = {group.key: [] for _, group in places}
    for mode in ("standard", "autopilot"):
        wanted = [
            (place, candidate)
            for place in places
            if place[0].mode == mode and place[1].slices.maximum
            for candidate in _candidates(place, catalog)
        ]
        need = Need(mode=mode)
        results = checked([candidate for _, candidate in wanted], need, catalog, today, NO_RESERVATIONS)
        zones: dict[str, list[Option]] = {}
        for ((_, group), candidate), result in zip(wanted, results, strict=True):
            if not isinstance(result, Option):
                continue
            if candidate.capacity != group.plan.capacity.mode:
                found[group.key].append(_in_mode(result, group, catalog))
            elif result.documented:
                zones.setdefault(group.key, []).append(result)
        for _, group in places:
            found[group.key] += _cheapest_zone(group, zones.get(group.key, ()), own[group.key])
    for cluster, group in places:
        found[group.key] += _commitments(cluster, group, prices, catalog)
    return {key: tuple(items) for key, items in found.items()}


def _candidates(place: Place, catalog: Catalog) -> Iterator[Candidate]:
    cluster, group = place
    shape, zone = group.shape, group.zone or next(iter(group.zones), None)
    slices = Slices(
        topology=str(shape.topology),
        machine_type=shape.machine_type,
        chips_per_host=shape.chips_per_host,
        count=group.slices.maximum,
        ambiguous=True,
    )
    mode = group.plan.capacity.mode
    if zone is not None:
        for other in _MODES:
            if other != mode:
                yield Candidate(shape.generation, slices, zone, other, None)
    if mode in _MODES:
        lists = catalog.zones.families.get(shape.family)
        for documented in lists.documented.zones if lists else ():
            if documented != zone and (zone is not None or region_of(documented) != cluster.region):
                yield Candidate(shape.generation, slices, documented, mode, None)


def _confidence(option: Option) -> Confidence:
    return option.cost.price.confidence_in("usd") if option.cost.price is not None else "high"


def _in_mode(option: Option, group: SliceGroup, catalog: Catalog) -> Alternative:
    mode = option.candidate.capacity
    return Alternative(
        kind="capacity",
        name=mode.replace("_", "-"),
        usd=option.usd,
        confidence=_confidence(option),
        gives_up=tuple(_given_up(group.plan.capacity.mode, mode, catalog)),
        candidate=option.candidate,
    )


def _given_up(before: CapacityMode, after: CapacityMode, catalog: Catalog) -> Iterator[str]:
    """What a change of the capacity mode gives up."""
    if before == "reservation":
        yield "it does not use the reservation"
    if after == "spot":
        yield "Compute Engine can preempt the VMs at any time"
    if after == "flex_start":
        limit = datetime.timedelta(seconds=catalog.capacity.flex_start.max_run_seconds)
        yield f"nodes run for at most {duration_text(limit)}, and start when capacity is available"


def _cheapest_zone(group: SliceGroup, options: Iterable[Option], own: Usd | None) -> Iterator[Alternative]:
    priced = [option for option in options if option.usd is not None and _confidence(option) != "low"]
    if not priced:
        return
    best = min(priced, key=lambda option: (option.usd, option.candidate.zone))
    if own is None or (best.cost.usd is not None and best.cost.usd.maximum < own.maximum):
        zone = best.candidate.zone
        gives_up = ["data and images may have to move"]
        if group.zone and region_of(zone) != region_of(group.zone):
            gives_up = ["it needs a cluster in that region, and data may have to move"]
        yield Alternative("zone", zone, best.usd, _confidence(best), tuple(gives_up), best.candidate)


def _commitments(cluster: Cluster, group: SliceGroup, prices: PriceList, catalog: Catalog) -> Iterator[Alternative]:
    """Commitments whose price is known, for slices on on-demand or reserved capacity."""
    if group.plan.capacity.mode not in ("on_demand", "reservation") or not group.chips.maximum:
        return
    region = region_of(group.zone) if group.zone else cluster.region
    calendar = catalog.capacity.calendar
    for model, name in _COMMITMENTS.items():
        price = prices.find(group.shape.family, region, model)
        if price is None or price.usd is None:
            continue
        gives_up = "you pay for the whole term, used or not"
        if model == "calendar":
            lists = calendar.zones.get(group.shape.family)
            if lists is None or (group.zone and group.zone not in lists.zones):
                continue
            gives_up = f"at most {calendar.max_days} days from a fixed date; a request cannot be changed"
        usd = Usd.of(price.usd, Range(group.chips.maximum, group.chips.maximum)).maximum
        yield Alternative("commitment", name, usd, price.confidence_in("usd"), (gives_up,), None)
