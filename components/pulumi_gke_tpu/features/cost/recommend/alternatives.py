"""What the slices of a group would cost in another capacity mode or zone, or with a commitment."""

import dataclasses
import datetime
import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from pulumi_gke_tpu.core.catalog import Catalog, Confidence
from pulumi_gke_tpu.core.catalog.records.capacity import CapacityMode, PriceModel
from pulumi_gke_tpu.core.estimate import GroupCost, PriceList, Usd, cost_of, price_model, shown_usd
from pulumi_gke_tpu.core.estimate.holdings import reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, closed_text
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.capacity import SHORT_LIVED
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedReservation
from pulumi_gke_tpu.core.plan.schema import plan_data
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, duration_text, number, printable
from pulumi_gke_tpu.core.text.formats.names import region_of
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend.candidates import CandidateExclusion, mode_text
from pulumi_gke_tpu.features.cost.recommend.search import about_standards, part_of

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization import Organization

_CLUSTER, _GROUP = "this-cluster", "these-slices"
"""The names of the cluster and the group that are checked; messages get the real ones."""
_OF_GROUP = ("count", "min", "max", "indices", "capacity", "fallback")
"""Keys of a group that another capacity mode replaces."""
_NOT_OF_CLUSTER = ("slices", "runs", "kubernetes")
"""Keys of a cluster that concern its other groups too."""
_OF_NEW_CLUSTER = ("mode", "min_version", "release_channel", "workload_policies", "additional_networks")
"""Keys of a cluster that one in another region has as well."""


@frozen
class GroupPlace:
    """A slice group with its cluster and plan."""

    member: PlanInFleet
    cluster: Cluster
    group: SliceGroup

    @property
    def zone(self) -> str | None:
        """The zone, or the first of several; None if GKE selects it."""
        return next(iter(self.group.zones), None)


@frozen
class Switched:
    """A group as another plan can have it, and its cost."""

    keys: dict[str, Any]
    """The slice group of a plan."""
    cost: GroupCost
    warnings: tuple[str, ...] = ()
    """What rules warn about, and do not about the group as it is."""


@frozen(eq=False)
class _CheckedChange:
    """A changed group, checked in a plan of its own."""

    result: CheckedPlan
    cost: GroupCost | None
    error: Finding | None
    """The first error about it; None if no rule rejects it."""


class Switcher:
    """Changes groups and checks each result in a plan of its own. Equal groups are checked once."""

    def __init__(
        self,
        catalog: Catalog,
        inventory: Document[Inventory] | None,
        today: datetime.date,
        organization: "Document[Organization] | None" = None,
    ) -> None:
        self._catalog = catalog
        self._inventory = inventory
        self._owned = OwnedReservations.of(inventory.content if inventory is not None else None)
        self._today = today
        self._organization = organization
        self._written: dict[int, dict[str, Any]] = {}
        self._known: dict[str, _CheckedChange] = {}
        self._breaches: dict[int, set[tuple[Severity, str, str]]] = {}

    def switched(
        self, place: GroupPlace, capacity: dict[str, Any] | None = None, zone: str | None = None
    ) -> Switched | CandidateExclusion:
        """A group with another capacity mode, or in a zone of another region; or which rule rejects it.

        Another region needs another cluster, which has only the settings that do not depend on the region.
        """
        found = self._switched(place, capacity, zone)
        if isinstance(found, CandidateExclusion):
            return found
        keys, checked, cost = found
        as_it_is = self._switched(place, None, None)
        known = () if isinstance(as_it_is, CandidateExclusion) else {each.rule for each in as_it_is[1].result.findings}
        standards = self._against_standards(place, checked.result, moved=zone is not None)
        warnings = (
            f"{self._named(place, finding.message)} ({finding.rule})"
            for finding in (*checked.result.findings, *standards)
            if finding.severity is Severity.WARNING and "slices" in finding.path and finding.rule not in known
        )
        return Switched(keys, cost, tuple(warnings))

    def _named(self, place: GroupPlace, message: str) -> str:
        """A message about the checked group with the names of the plan."""
        return message.replace(f"{_CLUSTER}/{_GROUP}", place.group.key).replace(_CLUSTER, place.cluster.key)

    def _switched(
        self, place: GroupPlace, capacity: dict[str, Any] | None, zone: str | None
    ) -> "tuple[dict[str, Any], _CheckedChange, GroupCost] | CandidateExclusion":
        plan = self._plan_of(place)
        cluster = plan["clusters"][place.group.path[1]]
        keys = {**cluster["slices"][place.group.path[-1]]}
        if capacity is not None:
            replaced = (*_OF_GROUP, *(["upgrade"] if any(mode in capacity for mode in SHORT_LIVED) else []))
            keys = {name: value for name, value in keys.items() if name not in replaced}
            keys |= _size(place.group, capacity) | ({} if "on_demand" in capacity else {"capacity": capacity})
        settings = {name: value for name, value in cluster.items() if name not in _NOT_OF_CLUSTER}
        if zone is not None:
            keys = {name: value for name, value in keys.items() if name != "zones"} | {"zone": zone}
            settings = {name: cluster[name] for name in _OF_NEW_CLUSTER if name in cluster}
            settings["location"] = region_of(zone)
        checked = self._checked({"version": 1, "project": plan["project"]}, settings, keys)
        standards = self._against_standards(place, checked.result, moved=zone is not None)
        error = checked.error or next((item for item in standards if item.severity is Severity.ERROR), None)
        if error is None:
            assert checked.cost is not None
            return keys, checked, checked.cost
        reason = self._named(place, error.message)
        return CandidateExclusion(place.group.shape.generation, zone or "", reason, rule=error.rule)

    def _plan_of(self, place: GroupPlace) -> dict[str, Any]:
        plan = place.member.plan
        if id(plan) not in self._written:
            self._written[id(plan)] = plan_data(plan)
        return self._written[id(plan)]

    def _checked(self, plan: dict[str, Any], cluster: dict[str, Any], keys: dict[str, Any]) -> _CheckedChange:
        anonymous = {name: value for name, value in keys.items() if name != "name"}
        data = plan | {"clusters": {_CLUSTER: cluster | {"slices": {_GROUP: anonymous}}}}
        known = json.dumps(data, sort_keys=True, default=str)
        if known not in self._known:
            self._known[known] = self._check(data)
        return self._known[known]

    def _check(self, data: dict[str, Any]) -> _CheckedChange:
        result = check_plan(parse_plan(data), self._catalog, self._today)
        error = next((item for item in result.findings if item.severity is Severity.ERROR), None)
        if error is not None or result.fleet is None:
            return _CheckedChange(result, None, error)
        ((cluster, group),) = result.fleet.groups()
        if self._inventory is not None and self._inventory.content is not None:
            named = group.plan.capacity.reservation
            part = part_of(self._inventory, named.name if named is not None else None, cluster.region)
            together = validate_inventory([result], part, self._catalog, today=self._today)
            error = next((item for item in together if _is_error_of_plan(item)), None)
        (cost,) = cost_of(result.fleet, self._catalog, self._owned).groups
        return _CheckedChange(result, cost, error)

    def _against_standards(self, place: GroupPlace, result: CheckedPlan, *, moved: bool) -> Iterator[Finding]:
        """What standards say about the changed group, and about its cluster only with it.

        Exemptions are for names, and sums for clusters, so the changed group has the name and the path of its place.
        Limits of a cluster apply to it with the other groups, unless it is in a new cluster.
        """
        if self._organization is None or result.fleet is None:
            return
        ((derived, group),) = result.fleet.groups()
        group = dataclasses.replace(group, key=place.group.key, path=place.group.path)
        groups = (group,) if moved else tuple(group if each is place.group else each for each in place.cluster.groups)
        around = derived if moved else place.cluster
        before = self._breaches_of(place)
        for finding in self._found(result, dataclasses.replace(around, key=place.cluster.key, groups=groups)):
            if finding.path[: len(group.path)] == group.path or _identity(finding) not in before:
                yield finding

    def _breaches_of(self, place: GroupPlace) -> set[tuple[Severity, str, str]]:
        """What the cluster breaks as it is."""
        if id(place.cluster) not in self._breaches:
            member = place.member
            result = CheckedPlan(member.document, self._catalog, self._today, member.fleet, ())
            self._breaches[id(place.cluster)] = set(map(_identity, self._found(result, place.cluster)))
        return self._breaches[id(place.cluster)]

    def _found(self, result: CheckedPlan, cluster: Cluster) -> Iterator[Finding]:
        alone = dataclasses.replace(result, fleet=Fleet(cluster.project, (cluster,)))
        found = about_standards(alone, self._organization, self._inventory)
        return (item for item in found if item.path[:1] == ("clusters",))


def _identity(finding: Finding) -> tuple[Severity, str, str]:
    """A breach of a standard, at whichever group of the cluster."""
    text = finding.related.text if finding.related is not None else finding.message
    return finding.severity, finding.rule, text


def _is_error_of_plan(finding: Finding) -> bool:
    return finding.severity is Severity.ERROR and finding.path[:1] == ("clusters",)


def _size(group: SliceGroup, capacity: dict[str, Any]) -> dict[str, int]:
    """The same number of slices; nodes that wait for capacity begin with none."""
    slices = group.slices
    if any(mode in capacity for mode in SHORT_LIVED):
        return {"min": 0, "max": slices.maximum}
    if slices.minimum != slices.maximum:
        return {"min": slices.minimum, "max": slices.maximum}
    return {"count": slices.maximum} if slices.maximum != 1 else {}


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
    """Whether the cost is for years, regardless of the use of the slices."""

    @property
    def at_least(self) -> bool:
        """Whether a part of the cost is unknown."""
        return self.usd is not None and self.rate.incomplete

    @property
    def confidence(self) -> Confidence:
        """Of the price."""
        return self.rate.price.confidence_in("usd") if self.rate.price is not None else "high"


@frozen
class AlternativeNotOffered:
    """Another way to get the slices that is not offered, and why."""

    kind: Kind
    name: str
    exclusion: CandidateExclusion


Found = Alternative | AlternativeNotOffered


class Alternatives:
    """Finds the alternatives of slice groups of several plans.

    Rules check other modes and zones as plans, also against the inventory and the standards of the organization. Of the
    zones, only the cheapest that GKE lists for the slices is an alternative, and only if it is cheaper than the zone of
    the group.
    """

    def __init__(
        self,
        members: Sequence[PlanInFleet],
        catalog: Catalog,
        inventory: Document[Inventory] | None,
        today: datetime.date,
        organization: "Document[Organization] | None" = None,
    ) -> None:
        self._catalog = catalog
        self._prices = PriceList(catalog.prices)
        self._switcher = Switcher(catalog, inventory, today, organization)
        self._today = today
        owned = OwnedReservations.of(inventory.content if inventory is not None else None)
        self._reserved = [
            (holding.entry, holding.counted.left.minimum)
            for holding in reservation_holdings(owned.uses(members), owned)
            if isinstance(holding.entry, OwnedReservation) and holding.counted.left is not None
        ]
        self._reserved.sort(key=lambda item: _order(item[0]))

    def of_group(self, place: GroupPlace, own: GroupCost) -> tuple[Found, ...]:
        """The alternatives of one group with its cost, and those that are not offered; none without slices.

        Zones that are not offered are left out: ``why_no_zone`` has the reason for each.
        """
        if not place.group.slices.maximum:
            return ()
        return (
            *self._modes(place, own),
            *self._queued(place),
            *self._reservations(place),
            *self._zones(place, own),
            *self._commitments(place, own),
        )

    def _modes(self, place: GroupPlace, own: GroupCost) -> Iterator[Found]:
        """Other modes; of a group with several modes also each of them alone that costs less than the group."""
        group = place.group
        for mode in _MODES:
            if mode == own.mode:
                continue
            found = self._switcher.switched(place, {mode: {} if mode == "flex_start" else True})
            if isinstance(found, CandidateExclusion):
                yield AlternativeNotOffered("capacity", mode_text(mode), dataclasses.replace(found, capacity=mode))
            else:
                yield _alternative(
                    "capacity",
                    mode_text(mode),
                    found,
                    group,
                    gives_up=tuple(self._given_up(group, mode)),
                    longest=self._flex_start if mode == "flex_start" else None,
                )

    def _queued(self, place: GroupPlace) -> Iterator[AlternativeNotOffered]:
        """Queued provisioning, which is never an alternative: no source says how long its nodes last."""
        if "queued" in place.group.capacity_modes:
            return
        found = self._switcher.switched(place, {"queued": True})
        if isinstance(found, Switched):
            offer = self._catalog.capacity.families[place.group.shape.family]["queued"]
            doubt = offer.conflict or offer.note or "no source names the price and the time that its nodes last"
            found = CandidateExclusion(place.group.shape.generation, "", doubt.rstrip("."), confidence=offer.confidence)
        yield AlternativeNotOffered("capacity", "queued", dataclasses.replace(found, capacity="queued"))

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

    def _reservations(self, place: GroupPlace) -> Iterator[Found]:
        """The cheapest other reservation of the inventory with room for all slices beside those of the plans."""
        group, named = place.group, place.group.plan.capacity.reservation
        for entry, free in self._reserved:
            here = entry.zone == place.zone and entry.has_machine(group.shape.machine_type)
            mine = named is not None and (named.name, named.project or place.cluster.project) == (
                entry.name,
                entry.project,
            )
            if not here or mine:
                continue
            name = f"reservation {printable(entry.name)}"
            reason = self._unavailable(entry, free, group)
            if reason:
                exclusion = CandidateExclusion(group.shape.generation, entry.zone, reason, capacity="reservation")
                yield AlternativeNotOffered("capacity", name, exclusion)
                continue
            keys = {"name": entry.name} | ({} if entry.project == place.cluster.project else {"project": entry.project})
            found = self._switcher.switched(place, {"reservation": keys})
            if isinstance(found, CandidateExclusion):
                yield AlternativeNotOffered("capacity", name, dataclasses.replace(found, capacity="reservation"))
                continue
            gives_up = f"the reservation ends on {entry.until}" if entry.until is not None else ""
            yield _alternative(
                "capacity", name, found, group, gives_up=tuple(filter(None, [gives_up])), until=entry.until
            )
            return

    def _unavailable(self, entry: OwnedReservation, free: int, group: SliceGroup) -> str:
        need = (group.hosts if entry.unit == "VM" else group.chips).maximum
        if free < need:
            return f"it has {number(max(free, 0), entry.unit)} left beside the plans, and the slices need {need:,}"
        closed = closed_text(entry, self._today)
        return f"it {closed}" if closed else ""

    def _zones(self, place: GroupPlace, own: GroupCost) -> Iterator[Alternative]:
        """The cheapest zone with a known price, if it is cheaper or the price of the group is unknown."""
        found = self._cheapest(place, own)
        if found is not None:
            gives_up = "it needs a cluster in that region, and data may have to move"
            yield _alternative("zone", *found, place.group, gives_up=(gives_up,))

    def _cheapest(self, place: GroupPlace, own: GroupCost) -> tuple[str, Switched] | None:
        """The cheapest zone and the group there.

        Prices are those of regions, so only zones of other regions can be cheaper. If a part of the cost of the group
        is unknown, such as the premium of Autopilot, the rest is compared.
        """
        group = place.group
        if group.plan.capacity.mode == "reservation":
            return None  # a reservation has one zone
        zones = [zone for zone in self._listed(group) if region_of(zone) != place.cluster.region]
        limit, whole = _limit(own, group)
        best: tuple[str, Switched] | None = None
        for least, zone in sorted((least, zone) for zone in zones if (least := self._least(group, zone)) is not None):
            if limit is not None and least * group.chips.maximum >= limit:
                break  # no later zone can be cheaper
            found = self._switcher.switched(place, zone=zone)
            if isinstance(found, CandidateExclusion) or not _is_known(found.cost, whole=whole):
                continue
            amount = _amount(found.cost, group, whole=whole)
            if limit is None or amount < limit:
                limit, best = amount, (zone, found)
        return best

    def _listed(self, group: SliceGroup) -> set[str]:
        """The zones that GKE lists for slices of this kind."""
        lists = self._catalog.zones.families[group.shape.family]
        single = () if group.shape.multi_host or lists.single_host is None else lists.single_host.zones
        return {*lists.documented.zones, *single}

    def why_no_zone(self, place: GroupPlace, own: GroupCost, zone: str) -> AlternativeNotOffered | None:
        """Why a zone is not an alternative for a group; None if it is the zone of the group, or the cheapest one."""
        group = place.group
        best = self._cheapest(place, own)
        if zone == place.zone or zone in group.zones or (best is not None and best[0] == zone):
            return None
        reason, rule = self._unlisted(place, zone), ""
        if not reason:
            found = self._switcher.switched(place, zone=zone)
            if isinstance(found, CandidateExclusion):
                reason, rule = found.reason, found.rule
            else:
                cheaper = best[0] if best is not None else ""
                reason = _expensive(found.cost, group, _limit(own, group)[1], cheaper or place.zone or own.region)
        return AlternativeNotOffered("zone", zone, CandidateExclusion(group.shape.generation, zone, reason, rule=rule))

    def _unlisted(self, place: GroupPlace, zone: str) -> str:
        """Why the search does not try a zone; empty if it does."""
        group = place.group
        if group.plan.capacity.mode == "reservation":
            return f"the slices are on a reservation in {place.zone or place.cluster.region}"
        if zone not in self._listed(group):
            return f"GKE does not list it for {group.shape.family} slices of this kind"
        return "prices are those of regions, so it costs the same" if region_of(zone) == place.cluster.region else ""

    def _least(self, group: SliceGroup, zone: str) -> Decimal | None:
        """The highest price of the modes of a group in a zone, without the premium of Autopilot; None if unknown."""
        found = [
            self._prices.find(group.shape.family, region_of(zone), price_model(mode)) for mode in group.capacity_modes
        ]
        known = [Decimal(str(price.usd)) for price in found if price is not None and price.usd is not None]
        return max(known) if known else None

    def _commitments(self, place: GroupPlace, own: GroupCost) -> Iterator[Found]:
        """Commitments whose price is known, for slices on on-demand or reserved capacity."""
        group, calendar = place.group, self._catalog.capacity.calendar
        for model, name in _COMMITMENTS.items():
            price = self._prices.find(own.family, own.region, model)
            reason = self._not_committed(place, own, model)
            if reason or price is None:
                yield AlternativeNotOffered(
                    "commitment", name, CandidateExclusion(group.shape.generation, place.zone or "", reason)
                )
                continue
            rate = dataclasses.replace(own, price=price, contract=None, unknown="")
            gives_up, longest = "you pay for the whole term, used or not", None
            if model == "calendar":
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

    def _not_committed(self, place: GroupPlace, own: GroupCost, model: PriceModel) -> str:
        """Why a commitment is not an alternative; empty if it is one."""
        if place.group.capacity_modes not in (("on_demand",), ("reservation",)):
            return "the price is known for on-demand and reserved slices only"
        missing = self._prices.missing(own.family, own.region, model)
        if missing or model != "calendar":
            return missing
        lists = self._catalog.capacity.calendar.zones.get(own.family)
        zones = lists.zones if lists is not None else ()
        here = any(zone == place.zone if place.zone else region_of(zone) == own.region for zone in zones)
        return "" if here else f"it is not documented for {own.family} in {place.zone or own.region}"


def _order(entry: OwnedReservation) -> tuple[object, ...]:
    """Reservations with a contract price first, the cheapest first; of these, the one that lasts longest."""
    price = entry.usd_per_chip_hour
    lasts = -(entry.until or datetime.date.max).toordinal()
    return price is None, price or 0, lasts, entry.project, entry.name


def _alternative(
    kind: Kind, name: str, found: Switched, group: SliceGroup, gives_up: tuple[str, ...], **more: Any
) -> Alternative:
    return Alternative(
        kind=kind,
        name=name,
        rate=found.cost,
        usd=found.cost.of_chips(group.chips),
        group=found.keys,
        gives_up=(*gives_up, *found.warnings),
        **more,
    )


def _amount(cost: GroupCost, group: SliceGroup, *, whole: bool) -> Decimal:
    """USD per hour of all slices, with the premium of Autopilot if it is to be whole."""
    usd = cost.of_chips(group.chips, premium=whole)
    assert usd is not None
    return usd.maximum


def _limit(own: GroupCost, group: SliceGroup) -> tuple[Decimal | None, bool]:
    """What another zone must cost less than, None if that is unknown, and whether that is the whole cost."""
    unknown = own.usd is None or own.doubtful
    whole = not unknown and not own.incomplete
    return None if unknown else _amount(own, group, whole=whole), whole


def _is_known(cost: GroupCost, *, whole: bool) -> bool:
    """Whether a cost can be compared."""
    return not cost.doubtful and cost.usd is not None and not (whole and cost.incomplete)


def _expensive(cost: GroupCost, group: SliceGroup, whole: bool, other: str) -> str:
    """Why a zone that no rule rejects is not the cheapest one."""
    if not _is_known(cost, whole=whole):
        return cost.left_out or cost.premium_unknown
    usd = shown_usd(_amount(cost, group, whole=whole))
    return f"it costs {usd} USD per hour for all slices, and {other} does not cost more"
