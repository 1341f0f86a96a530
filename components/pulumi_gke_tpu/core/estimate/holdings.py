"""What several plans use together of each limit: reservations with their blocks in VMs, quotas in chips."""

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate.autoprovisioning import AutoChips, auto_chips
from pulumi_gke_tpu.core.estimate.quota import QuotaNeed, QuotaShare, metrics_of, quota_needs
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, ReservationUse
from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.fleet.settings import upgrade_settings
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedBlock, OwnedQuota, OwnedReservation, OwnedSubBlock
from pulumi_gke_tpu.core.text.findings import Path, printable
from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of
from pulumi_gke_tpu.core.text.jsonfile.fields import Count


@frozen
class HoldingPart:
    """The use of one slice group, or of the chips that node auto-provisioning may create."""

    member: PlanInFleet
    user: SliceGroup | AutoChips
    amount: Range
    """Certain at the smallest size, possible at the largest."""
    each: int
    """The use of one slice; that of one chip with auto-provisioning."""
    upgrades: int = 0
    """The use by the nodes that an upgrade adds at most, until it deletes the old ones."""

    @property
    def group(self) -> SliceGroup | None:
        """The slice group; None for auto-provisioned chips."""
        return self.user if isinstance(self.user, SliceGroup) else None

    @property
    def key(self) -> str:
        """cluster/group."""
        return self.user.key

    @property
    def path(self) -> Path:
        """The path of the group, or of ``autoprovisioning``, in the plan."""
        return self.user.path

    def never_fits(self, limit: int) -> bool:
        """Whether no slice fits into a limit, and the group can use nothing else."""
        alone = self.group is not None and len(self.group.capacity_modes) == 1
        return alone and self.each > limit and self.amount.maximum > 0

    def in_zone(self) -> "HoldingPart":
        """The use in one of the zones of the user: static slices have the same number in each zone."""
        zones, group = self.user.zones, self.group
        if len(zones) == 1:
            return self
        equal = group is not None and bool(zones) and not group.autoscaled and group.slices.maximum % len(zones) == 0
        most = self.amount.maximum
        share = Range(most // len(zones), most // len(zones)) if equal else Range(0, most)
        return dataclasses.replace(self, amount=share)


@frozen(slots=False)
class Holding:
    """A limit, and everything that takes from it."""

    limit: int | None
    """None if it is unknown."""
    in_use: int
    """The use by what is in none of the plans."""
    parts: tuple[HoldingPart, ...]
    unit: Literal["VM", "chip"] = "chip"

    @functools.cached_property
    def total(self) -> Range:
        """The use of all plans together."""
        return total_of(self.parts)

    @functools.cached_property
    def upgrades(self) -> int:
        """The use by the nodes that upgrades add at most, in addition to the total."""
        return sum(part.upgrades for part in self.parts)

    @property
    def available(self) -> int | None:
        """The limit without the use by others; None if the limit is unknown."""
        return None if self.limit is None else self.limit - self.in_use

    @property
    def used_percent(self) -> int | None:
        """The part of the limit that all groups at their maximum and others use; None if the limit is unknown."""
        if self.limit is None:
            return None
        return 100 * (self.total.maximum + self.in_use) // max(self.limit, 1)

    @property
    def left(self) -> Range | None:
        """What is left at the maximum and at the minimum of all groups; negative if they exceed the limit."""
        if self.available is None:
            return None
        return Range(self.available - self.total.maximum, self.available - self.total.minimum)


def total_of(parts: Iterable[HoldingPart]) -> Range:
    """The use of several groups together. Groups of one budget grow only until its chips are used up."""
    total = Range.ZERO
    by_budget: dict[int, list[tuple[SliceGroup, HoldingPart]]] = {}
    for part in parts:
        if part.group is not None and part.group.budget is not None:
            by_budget.setdefault(id(part.group.budget), []).append((part.group, part))
        total = total.plus(part.amount)
    return Range(total.minimum, total.maximum - sum(map(_above_budget, by_budget.values())))


def _above_budget(parts: Sequence[tuple[SliceGroup, HoldingPart]]) -> int:
    """What groups of one budget can never use of the sum of their maxima, in the unit of their parts."""
    budget = parts[0][0].budget
    growth = sorted(
        (group.shape.chips // part.each, part.amount.maximum - part.amount.minimum) for group, part in parts
    )
    room = budget.size if budget is not None else 0
    room -= sum(part.amount.minimum * (group.shape.chips // part.each) for group, part in parts)
    above = 0
    for chips, count in growth:  # the smallest hosts first: there can be most of them
        fitting = min(count, max(room, 0) // chips)
        above, room = above + count - fitting, room - fitting * chips
    return above


def names_of(parts: Sequence[HoldingPart], *, several: bool = False) -> list[str]:
    """The name of each user: cluster/group, after the name of its plan if they are of several plans.

    With ``several``, there are other plans, so that the name of the plan is necessary for users of one plan, too.
    """
    several = several or len({id(part.member) for part in parts}) > 1
    return [f"{part.member.name + ' ' if several else ''}{printable(part.key)}" for part in parts]


@frozen
class CubesHolding:
    """The cubes of a reservation or block, of which GKE forms slices."""

    size: Count
    """The VMs of a cube; its chips if the reservation counts chips."""
    total: Range
    """The cubes of all plans together."""
    limit: Count | None
    """The cubes that the reservation can have at most; None if its size is unknown."""
    left: Range | None
    """The cubes for which the rest has enough, at the maximum and at the minimum of all groups."""


@frozen
class ReservationHolding:
    """A reservation, or a block or sub-block of it."""

    project: str
    zone: str
    """A region if the plan sets no zone and the inventory does not have the reservation."""
    name: str
    block: str | None
    sub_block: str | None
    entry: OwnedReservation | OwnedBlock | OwnedSubBlock | None
    """None if the inventory does not have it."""
    vms: Holding
    """The limit is unknown if the reservation counts chips."""
    chips: Holding | None = None
    """Only of a reservation that counts chips. Its blocks have VMs."""

    @property
    def counted(self) -> Holding:
        """The use in what the reservation counts."""
        return self.chips or self.vms

    @property
    def cubes(self) -> CubesHolding | None:
        """The same in cubes; None without a group of cubes that names exactly this reservation or part of it.

        A cube is in one block, so what is left of all blocks together is not a number of cubes.
        """
        holding = self.counted
        parts = [(part, part.group) for part in holding.parts if part.group is not None and self._has_cubes(part.group)]
        if not parts:
            return None
        size, total = parts[0][0].each, Range.ZERO
        for _, group in parts:
            total = total.plus(group.slices)
        limit, left = holding.limit, holding.left
        return CubesHolding(
            size,
            total,
            None if limit is None else limit // size,
            None if left is None else Range(max(left.minimum, 0) // size, max(left.maximum, 0) // size),
        )

    def _has_cubes(self, group: SliceGroup) -> bool:
        named = group.plan.capacity.reservation
        return group.dynamic and named is not None and (named.block, named.sub_block) == (self.block, self.sub_block)

    @property
    def in_inventory(self) -> bool:
        """Whether the inventory has it."""
        return self.entry is not None


@frozen
class QuotaHolding:
    """A quota of a project in a region or zone, in chips."""

    project: str
    location: str
    metric: QuotaMetric
    entry: OwnedQuota | None
    """None if the inventory does not have it."""
    chips: Holding

    @property
    def in_inventory(self) -> bool:
        """Whether the inventory has it."""
        return self.entry is not None


def added_hosts(group: SliceGroup) -> int:
    """The most hosts that an upgrade adds to a group, until it deletes the old ones.

    ``max_surge`` is per zone. A blue-green upgrade creates a second set of nodes. GKE re-creates multi-host slices in
    place, and never replaces flex-start and queued nodes. What it adds on Autopilot is unknown; it is not counted.
    """
    if not group.pools or group.shape.multi_host:
        return 0
    upgrade, most = upgrade_settings(group), group.hosts.maximum
    if upgrade.strategy.value == "surge":
        return min(upgrade.max_surge.value * max(len(group.zones), 1), most)
    return most if upgrade.strategy.value == "blue_green" else 0


NOT_SET = -1
"""The limit of a quota that was never set: it is unknown."""
_Key = tuple[str, str, int]
"""Project, region or zone, and the identity of a quota of the catalog."""


def quota_holdings(
    plans: Iterable[PlanInFleet], inventory: Inventory | None, catalog: Catalog
) -> tuple[QuotaHolding, ...]:
    """Every quota with a limit in the inventory, and every quota that the plans use, sorted by place and metric.

    Flex-start and queued capacity use preemptible quota first, and standard quota if the preemptible limit is 0.
    Auto-provisioned chips are possible use of each quota that they may use. Slices that may be in several zones are
    possible use of a limit of one of these zones.
    """
    limits = _Limits(inventory, catalog)
    used: dict[_Key, list[HoldingPart]] = {}
    for member in plans:
        for (project, region, metric), part in _parts(member, limits, catalog):
            for location, share in limits.places(project, region, metric, part):
                used.setdefault((project, location, id(metric)), []).append(share)
    metrics = {id(metric): metric for metric in catalog.quota.metrics}
    found = []
    for key in {**limits.entries, **used}:
        entry = limits.entries.get(key)
        limit = None if entry is None or entry.limit == NOT_SET else entry.limit
        chips = Holding(limit, entry.in_use if entry else 0, tuple(used.get(key, ())))
        project, location, metric_id = key
        found.append(QuotaHolding(project, location, metrics[metric_id], entry, chips))
    return tuple(
        sorted(found, key=lambda item: (item.project, item.location, item.metric.metric, item.metric.families))
    )


class _Limits:
    """The limits of an inventory, by region and by zone; the first of duplicate entries."""

    def __init__(self, inventory: Inventory | None, catalog: Catalog) -> None:
        self.entries: dict[_Key, OwnedQuota] = {}
        self._zones: dict[_Key, list[str]] = {}
        for entry in inventory.quotas if inventory else ():
            for metric in metrics_of(catalog.quota, entry):
                key = (entry.project, entry.region, id(metric))
                if key not in self.entries and is_zone(entry.region):
                    self._zones.setdefault((entry.project, region_of(entry.region), id(metric)), []).append(
                        entry.region
                    )
                self.entries.setdefault(key, entry)

    def places(
        self, project: str, region: str, metric: QuotaMetric, part: HoldingPart
    ) -> Iterator[tuple[str, HoldingPart]]:
        """The region and the zones whose limits a use counts against; without any limit the region."""
        zones = part.user.zones
        limited = [zone for zone in self._zones.get((project, region, id(metric)), ()) if not zones or zone in zones]
        yield from ((zone, part.in_zone()) for zone in limited)
        if (project, region, id(metric)) in self.entries or not zones or len(limited) < len(zones):
            yield region, part

    def are_zero(self, project: str, region: str, metric: QuotaMetric, zones: tuple[str, ...]) -> bool:
        """Whether a quota has no chips in a region, or in each of these zones of it."""
        places = (region,) if (project, region, id(metric)) in self.entries else zones
        entries = [self.entries.get((project, place, id(metric))) for place in places]
        return bool(entries) and all(entry is not None and entry.limit == 0 for entry in entries)


def _parts(
    member: PlanInFleet, limits: _Limits, catalog: Catalog
) -> Iterator[tuple[tuple[str, str, QuotaMetric], HoldingPart]]:
    """Each use of a quota by a plan, with its project, region and quota."""
    used: dict[tuple[str, str, int], Range] = {}
    seen: set[tuple[int, int]] = set()
    for need in quota_needs(member.fleet, catalog):
        for share in need.shares:
            metric, group = _metric(need, share, limits), share.group
            if metric is None or (id(metric), id(group)) in seen:
                continue  # a group with several capacity modes uses one of them at a time
            seen.add((id(metric), id(group)))
            part = HoldingPart(
                member, group, group.chips, group.shape.chips, added_hosts(group) * group.shape.chips_per_host
            )
            key = (str(group.path[1]), group.shape.accelerator_label, id(metric))
            used[key] = used.get(key, Range.ZERO).plus(part.amount)
            yield (need.project, need.region, metric), part
    for cluster in member.fleet.clusters:
        for item in auto_chips(cluster, catalog):
            for metric in item.quotas:
                amount = item.beside(used.get((cluster.key, item.label, id(metric)), Range.ZERO))
                if amount.maximum:
                    yield (member.plan.project, item.region, metric), HoldingPart(member, item, amount, 1)


def _metric(need: QuotaNeed, share: QuotaShare, limits: _Limits) -> QuotaMetric | None:
    """The quota that a group uses: with flex-start and queued capacity the standard one, if there is no other."""
    if need.metric is None or need.fallback is None or not share.first_preemptible:
        return need.metric
    empty = limits.are_zero(need.project, need.region, need.metric, share.group.zones)
    return need.fallback if empty else need.metric


def reservation_holdings(uses: Iterable[ReservationUse], owned: OwnedReservations) -> tuple[ReservationHolding, ...]:
    """Every reservation of the inventory and of the plans, each followed by its blocks, sorted by place and name.

    Groups on machines of another type than the reserved ones cannot use the reservation, so they are not counted.
    """
    by_place: dict[tuple[str, str, str], list[ReservationUse]] = {key: [] for key in owned.by_identity}
    for use in uses:
        into = by_place.setdefault((use.project, use.place, use.name), [])
        if use.entry is None or use.is_same_machine:
            into.append(use)
    return tuple(
        holding
        for project, zone, name in sorted(by_place)
        for holding in _blocks(
            project, zone, name, by_place[project, zone, name], owned.by_identity.get((project, zone, name))
        )
    )


def _blocks(
    project: str, zone: str, name: str, uses: Sequence[ReservationUse], entry: OwnedReservation | None
) -> Iterator[ReservationHolding]:
    def holding(
        block: str | None,
        sub_block: str | None,
        owned: OwnedReservation | OwnedBlock | OwnedSubBlock | None,
        users: Iterable[ReservationUse],
    ) -> ReservationHolding:
        users = tuple(users)
        in_use = owned.in_use if isinstance(owned, OwnedReservation) and owned.unit == "VM" else 0
        vms = Holding(owned.vms if owned else None, in_use, tuple(map(_hosts, users)), "VM")
        chips = None
        if isinstance(owned, OwnedReservation) and owned.unit == "chip":
            chips = Holding(owned.chips, owned.in_use, tuple(map(_chips, users)), "chip")
        return ReservationHolding(project, zone, name, block, sub_block, owned, vms, chips)

    yield holding(None, None, entry, uses)
    blocks = {item.name: item for item in (entry.blocks if entry else ())}
    by_block = _by(uses, "block")
    for block in sorted({*blocks, *by_block}):
        owned = blocks.get(block)
        users = by_block.get(block, [])
        yield holding(block, None, owned, users)
        parts = {item.name: item for item in (owned.sub_blocks if owned else ())}
        by_sub_block = _by(users, "sub_block")
        for sub_block in sorted({*parts, *by_sub_block}):
            yield holding(block, sub_block, parts.get(sub_block), by_sub_block.get(sub_block, []))


def _hosts(use: ReservationUse) -> HoldingPart:
    group = use.group
    return HoldingPart(use.member, group, group.hosts, group.shape.hosts, added_hosts(group))


def _chips(use: ReservationUse) -> HoldingPart:
    group = use.group
    return HoldingPart(
        use.member, group, group.chips, group.shape.chips, added_hosts(group) * group.shape.chips_per_host
    )


def _by(uses: Iterable[ReservationUse], key: str) -> dict[str, list[ReservationUse]]:
    """The groups on each block, or on each sub-block."""
    found: dict[str, list[ReservationUse]] = {}
    for use in uses:
        named = getattr(use.group.plan.capacity.reservation, key)
        if named is not None:
            found.setdefault(named, []).append(use)
    return found


@frozen
class Subtracted:
    """What plans use of a reservation (in its unit) or of a quota (chips), at the largest size of all slice groups."""

    kind: Literal["reservation", "quota"]
    name: str
    project: str
    location: str
    amount: Count
    unit: Literal["VM", "chip"]


def remaining(
    inventory: Document[Inventory], plans: Sequence[PlanInFleet], catalog: Catalog
) -> tuple[Document[Inventory], tuple[Subtracted, ...]]:
    """The inventory after plans, and what they use of it. The use is that of ``gke-tpu quota`` at the largest size."""
    content = inventory.content
    if content is None:
        return inventory, ()
    owned = OwnedReservations.of(content)
    used: dict[int, int] = {}
    found: list[Subtracted] = []
    for held in reservation_holdings(owned.uses(plans), owned):
        amount = held.counted.total.maximum
        if isinstance(held.entry, OwnedReservation) and amount:
            used[id(held.entry)] = amount
            found.append(Subtracted("reservation", held.name, held.project, held.zone, amount, held.entry.unit))
    for quota in quota_holdings(plans, content, catalog):
        amount = quota.chips.total.maximum
        if quota.entry is not None and amount:
            used[id(quota.entry)] = used.get(id(quota.entry), 0) + amount
            found.append(Subtracted("quota", quota.metric.label, quota.project, quota.location, amount, "chip"))

    def left(entry: OwnedReservation | OwnedQuota) -> OwnedReservation | OwnedQuota:
        return entry.model_copy(update={"in_use": entry.in_use + used.get(id(entry), 0)})

    lists = {"reservations": list(map(left, content.reservations)), "quotas": list(map(left, content.quotas))}
    return dataclasses.replace(inventory, content=content.model_copy(update=lists)), tuple(found)
