"""What several plans use together of each limit: reservations with their blocks in VMs, quotas in chips.

Reserved capacity needs no quota: the reservation used it when it was created.
"""

import functools
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.estimate.quota import metrics_of, quota_needs
from pulumi_gke_tpu.estimate.reservations import OwnedReservations, ReservationUse
from pulumi_gke_tpu.fleet import Range, SliceGroup
from pulumi_gke_tpu.fleet.model import NOTHING
from pulumi_gke_tpu.fleet.plans import PlanInFleet
from pulumi_gke_tpu.formats.location import is_zone, region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Inventory
from pulumi_gke_tpu.plan.inventory import OwnedBlock, OwnedQuota, OwnedReservation, OwnedSubBlock

NOT_SET = -1
"""The limit of a quota that was never set: it is unknown."""


@frozen
class Part:
    """The use of one group: ``each`` per slice."""

    member: PlanInFleet
    group: SliceGroup
    each: int

    @property
    def amount(self) -> Range:
        """The use of all slices of the group: certain at the minimum, possible at the maximum."""
        return self.group.slices.times(self.each)

    def never_fits(self, limit: int) -> bool:
        """Whether no slice fits into a limit, and the group can use nothing else."""
        return self.each > limit and self.amount.maximum > 0 and len(self.group.capacity_modes) == 1


@frozen(slots=False)
class Holding:
    """A limit, and everything that takes from it."""

    limit: int | None
    """None if it is unknown."""
    in_use: int
    """The use by what is in none of the plans."""
    parts: tuple[Part, ...]

    @functools.cached_property
    def total(self) -> Range:
        """The use of all plans together."""
        total = NOTHING
        for part in self.parts:
            total = total.plus(part.amount)
        return total

    @property
    def available(self) -> int | None:
        """The limit without the use by others; None if the limit is unknown."""
        return None if self.limit is None else self.limit - self.in_use

    @property
    def left(self) -> Range | None:
        """What is left at the maximum and at the minimum of all groups; negative if they exceed the limit."""
        if self.available is None:
            return None
        return Range(self.available - self.total.maximum, self.available - self.total.minimum)


@frozen
class ReservationHolding:
    """A reservation, or a block or sub-block of it, in VMs."""

    project: str
    zone: str
    """A region if the plan sets no zone and the inventory does not have the reservation."""
    name: str
    block: str | None
    sub_block: str | None
    entry: OwnedReservation | OwnedBlock | OwnedSubBlock | None
    """None if the inventory does not have it."""
    vms: Holding


@frozen
class QuotaHolding:
    """A quota of a project in a region or zone, in chips."""

    project: str
    location: str
    metric: QuotaMetric
    entry: OwnedQuota | None
    """None if the inventory does not have it."""
    chips: Holding


def reservation_holdings(uses: Iterable[ReservationUse], owned: OwnedReservations) -> tuple[ReservationHolding, ...]:
    """Every reservation of the inventory and of the plans, each followed by its blocks, sorted by place and name.

    Groups on machines of another type than the reserved ones cannot use the reservation, so they are not counted.
    """
    by_place: dict[tuple[str, str, str], list[ReservationUse]] = {key: [] for key in owned.by_identity}
    for use in uses:
        zone = use.entry.zone if use.entry else use.group.zone or use.cluster.region
        into = by_place.setdefault((use.project, zone, use.name), [])
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
        parts = tuple(Part(use.member, use.group, use.group.shape.hosts) for use in users)
        in_use = owned.in_use if isinstance(owned, OwnedReservation) else 0
        vms = Holding(owned.vms if owned else None, in_use, parts)
        return ReservationHolding(project, zone, name, block, sub_block, owned, vms)

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


def _by(uses: Iterable[ReservationUse], key: str) -> dict[str, list[ReservationUse]]:
    """The groups on each block, or on each sub-block."""
    found: dict[str, list[ReservationUse]] = {}
    for use in uses:
        named = getattr(use.group.plan.capacity.reservation, key)
        if named is not None:
            found.setdefault(named, []).append(use)
    return found


def quota_holdings(
    plans: Iterable[PlanInFleet], inventory: Inventory | None, catalog: Catalog
) -> tuple[QuotaHolding, ...]:
    """Every quota with a limit in the inventory, and every quota that the plans use, sorted by place and metric.

    Flex-start and queued capacity use preemptible quota first, and standard quota if the preemptible limit is 0.
    """
    limits = _limits(inventory, catalog)
    parts = _parts(plans, limits, catalog)
    metrics = {id(metric): metric for metric in catalog.quota.metrics}
    found = []
    for (project, location, metric_id), entry in limits.items():
        used = parts.get((project, region_of(location), metric_id), [])
        if is_zone(location):
            used = [part for part in used if part.group.zone == location]
        limit = None if entry.limit == NOT_SET else entry.limit
        found.append(
            QuotaHolding(project, location, metrics[metric_id], entry, Holding(limit, entry.in_use, tuple(used)))
        )
    limited = {(project, region_of(location), metric_id) for project, location, metric_id in limits}
    for (project, region, metric_id), used in parts.items():
        if (project, region, metric_id) not in limited:
            found.append(QuotaHolding(project, region, metrics[metric_id], None, Holding(None, 0, tuple(used))))
    return tuple(
        sorted(found, key=lambda item: (item.project, item.location, item.metric.metric, item.metric.families))
    )


_Key = tuple[str, str, int]
"""Project, region or zone, and the identity of a quota of the catalog."""


def _limits(inventory: Inventory | None, catalog: Catalog) -> dict[_Key, OwnedQuota]:
    """The entries of the inventory; the first of duplicate entries."""
    found: dict[_Key, OwnedQuota] = {}
    for entry in inventory.quotas if inventory else ():
        for metric in metrics_of(catalog.quota, entry):
            found.setdefault((entry.project, entry.region, id(metric)), entry)
    return found


def _parts(plans: Iterable[PlanInFleet], limits: dict[_Key, OwnedQuota], catalog: Catalog) -> dict[_Key, list[Part]]:
    """The use of each quota by each group, by project, region and quota."""
    parts: dict[_Key, list[Part]] = {}
    for member in plans:
        for need in quota_needs(member.fleet, catalog):
            known = limits.get((need.project, need.region, id(need.metric)))
            without = known is not None and known.limit == 0 and need.fallback is not None
            for share in need.shares:
                metric = need.fallback if without and share.first_preemptible else need.metric
                if metric is not None:
                    part = Part(member, share.group, share.group.shape.chips)
                    into = parts.setdefault((need.project, need.region, id(metric)), [])
                    several = len(share.group.capacity_modes) > 1  # it uses one of its modes at a time
                    if not (several and any(other.group is share.group for other in into)):
                        into.append(part)
    return parts
