"""Which slice group uses which reservation of an inventory."""

import datetime
import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet, groups_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.names import region_of

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedReservation


Identity = tuple[str, str, str]
"""Project, zone and name of a reservation."""


@frozen
class ReservationUse:
    """A slice group on a reservation. ``entry`` is the reservation in the inventory, if it is there."""

    member: PlanInFleet
    cluster: Cluster
    group: SliceGroup
    project: str
    name: str
    entry: "OwnedReservation | None"

    @property
    def place(self) -> str:
        """The zone of the reservation; a region if the plan sets no zone and the inventory does not have it."""
        return self.entry.zone if self.entry else self.group.zone or self.cluster.region

    def could_be_in(self, zone: str) -> bool:
        """Whether the slices are in this zone, or can be because the plan sets no zone."""
        return _could_be_in(self.cluster, self.group, zone)

    @property
    def is_same_family(self) -> bool:
        """Whether the reserved machines have the machine family of the slices."""
        return self.entry is not None and self.entry.machine_family == self.group.shape.family

    @property
    def is_same_machine(self) -> bool:
        """Whether the reserved machines are those of the slices: only then can the slices use them."""
        return self.entry is not None and self.entry.has_machine(self.group.shape.machine_type)


@frozen(slots=False)
class OwnedReservations:
    """The reservations of an inventory, and the groups that use them."""

    entries: "tuple[OwnedReservation, ...]"

    @classmethod
    def of(cls, inventory: "Inventory | None") -> "OwnedReservations":
        """Those of an inventory; none without one."""
        return cls(tuple(inventory.reservations) if inventory is not None else ())

    @functools.cached_property
    def by_identity(self) -> "dict[Identity, OwnedReservation]":
        """By project, zone and name; the first of duplicate entries."""
        found: dict[Identity, OwnedReservation] = {}
        for entry in self.entries:
            found.setdefault((entry.project, entry.zone, entry.name), entry)
        return found

    @functools.cached_property
    def by_name(self) -> "dict[str, list[OwnedReservation]]":
        """Reservations with the same name, in any project and zone."""
        found: dict[str, list[OwnedReservation]] = {}
        for entry in self.by_identity.values():
            found.setdefault(entry.name, []).append(entry)
        return found

    def uses(self, plans: Iterable[PlanInFleet]) -> tuple[ReservationUse, ...]:
        """Every group on reserved capacity, in the order of the plans."""
        found = []
        for member, cluster, group in groups_of(plans):
            reservation = group.plan.capacity.reservation
            if reservation is not None:
                project = reservation.project or member.plan.project
                entry = self.entry_of(cluster, group)
                found.append(ReservationUse(member, cluster, group, project, reservation.name, entry))
        return tuple(found)

    def entry_of(self, cluster: Cluster, group: SliceGroup) -> "OwnedReservation | None":
        """The reservation that a group names; None if it names none, or if the inventory does not have it."""
        reservation = group.plan.capacity.reservation
        if reservation is None:
            return None
        project, name = reservation.project or cluster.project, reservation.name
        if group.zone is not None:
            return self.by_identity.get((project, group.zone, name))
        near = [
            entry
            for entry in self.by_name.get(name, ())
            if entry.project == project and _could_be_in(cluster, group, entry.zone)
        ]
        return near[0] if len(near) == 1 else None


def closed_text(entry: "OwnedReservation", today: datetime.date) -> str:
    """Why a reservation has no capacity today; empty if it has. It ends when its last day begins."""
    if entry.start is not None and entry.start > today:
        return f"begins on {entry.start}"
    return f"ended on {entry.until}" if entry.until is not None and entry.until <= today else ""


NO_RESERVATIONS = OwnedReservations(())


def _could_be_in(cluster: Cluster, group: SliceGroup, zone: str) -> bool:
    """Whether slices are in this zone, or can be because the plan sets several zones or none."""
    return zone in group.zones if group.zones else region_of(zone) == cluster.region
