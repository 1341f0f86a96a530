"""A limit of capacity, and what several plans use of it. Plain frozen values."""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Literal

from pulumi_gke_tpu.core.catalog.records.capacity import QuotaMetric
from pulumi_gke_tpu.core.estimate.auto_chips import AutoChips
from pulumi_gke_tpu.core.fleet import Range, SliceGroup
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.inventory import OwnedBlock, OwnedQuota, OwnedReservation, OwnedSubBlock
from pulumi_gke_tpu.core.text.findings import Path, printable


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
    """The use of several groups together."""
    total = Range.ZERO
    for part in parts:
        total = total.plus(part.amount)
    return total


def names_of(parts: Sequence[HoldingPart], *, several: bool = False) -> list[str]:
    """The name of each user: cluster/group, after the name of its plan if they are of several plans.

    With ``several``, there are other plans, so that the name of the plan is necessary for users of one plan, too.
    """
    several = several or len({id(part.member) for part in parts}) > 1
    return [f"{part.member.name + ' ' if several else ''}{printable(part.key)}" for part in parts]


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
