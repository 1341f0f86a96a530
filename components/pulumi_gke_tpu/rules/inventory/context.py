"""The subject of rules about an inventory: the plans, the inventory, and which group uses which reservation."""

import datetime
import functools

from pulumi_gke_tpu.catalog import Catalog, Fact
from pulumi_gke_tpu.findings import Path, Severity, printable
from pulumi_gke_tpu.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.fleet.plans import PlanInFleet, groups_of
from pulumi_gke_tpu.formats.location import is_zone, region_of
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document, Inventory
from pulumi_gke_tpu.plan.inventory import OwnedReservation
from pulumi_gke_tpu.rules.engine.hit import Hit


@frozen
class Use:
    """A slice group on a reservation. ``entry`` is the reservation in the inventory, if it is there."""

    member: PlanInFleet
    cluster: Cluster
    group: SliceGroup
    project: str
    name: str
    entry: OwnedReservation | None

    def could_be_in(self, zone: str) -> bool:
        """Whether the slices are in this zone, or can be because the plan sets no zone."""
        return zone == self.group.zone if self.group.zone else region_of(zone) == self.cluster.region

    @property
    def is_same_family(self) -> bool:
        """Whether the reserved machines have the machine family of the slices."""
        return self.entry is not None and self.entry.machine_type.lower().partition("-")[0] == self.group.shape.family

    @property
    def path(self) -> Path:
        """The path of the key that names the reservation."""
        return (*self.group.path, "capacity", "reservation")

    def hit(self, message: str, *, fact: Fact | None = None, allowed: tuple[str, ...] = (), fix: str = "") -> Hit:
        """A hit at the reservation that the group names."""
        given = f"reservation: {printable(self.name)}"
        return Hit(self.path, message, fact=fact, given=given, allowed=allowed, fix=fix).within(self.member.document)


@frozen(slots=False)
class InventoryContext:
    """Several plans, and one inventory for all of them."""

    plans: tuple[PlanInFleet, ...]
    document: Document[Inventory]
    inventory: Inventory
    catalog: Catalog
    today: datetime.date | None

    def here(self, hit: Hit) -> Hit:
        """A hit in the inventory itself."""
        return hit.within(self.document)

    @functools.cached_property
    def readable(self) -> bool:
        """Whether every reservation could be read: only then can one be missing."""
        return not any(item.severity is Severity.ERROR for item in self.document.findings) and all(
            is_zone(entry.zone) for entry in self.inventory.reservations
        )

    @functools.cached_property
    def reservations(self) -> dict[tuple[str, str, str], OwnedReservation]:
        """By project, zone and name; the first of duplicate entries."""
        found: dict[tuple[str, str, str], OwnedReservation] = {}
        for entry in self.inventory.reservations:
            found.setdefault((entry.project, entry.zone, entry.name), entry)
        return found

    @functools.cached_property
    def by_name(self) -> dict[str, list[OwnedReservation]]:
        """Reservations with the same name, in any project and zone."""
        found: dict[str, list[OwnedReservation]] = {}
        for entry in self.reservations.values():
            found.setdefault(entry.name, []).append(entry)
        return found

    @functools.cached_property
    def names(self) -> dict[tuple[str, str], set[str]]:
        """The names of a project's reservations in a zone, and in a region."""
        found: dict[tuple[str, str], set[str]] = {}
        for project, zone, name in self.reservations:
            found.setdefault((project, zone), set()).add(name)
            found.setdefault((project, region_of(zone)), set()).add(name)
        return found

    @functools.cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every group on reserved capacity, in the order of the plans."""
        found = []
        for member, cluster, group in groups_of(self.plans):
            reservation = group.plan.capacity.reservation
            if reservation is not None:
                project = reservation.project or member.plan.project
                entry = self._entry(project, reservation.name, cluster, group)
                found.append(Use(member, cluster, group, project, reservation.name, entry))
        return tuple(found)

    def _entry(self, project: str, name: str, cluster: Cluster, group: SliceGroup) -> OwnedReservation | None:
        if group.zone is not None:
            return self.reservations.get((project, group.zone, name))
        near = [
            entry
            for entry in self.by_name.get(name, ())
            if entry.project == project and region_of(entry.zone) == cluster.region
        ]
        return near[0] if len(near) == 1 else None

    def can_compare(self, machine_type: str) -> bool:
        """Whether this can be a machine type: one of the catalog for TPU families, any well-formed one for others."""
        family, _, kind = machine_type.lower().partition("-")
        if family in self._tpu_machines:
            return machine_type.lower() in self._tpu_machines[family]
        return family.isalnum() and bool(kind) and all(part.isalnum() for part in kind.split("-"))

    @functools.cached_property
    def _tpu_machines(self) -> dict[str, frozenset[str]]:
        """The machine types of each TPU family."""
        generations = [self.catalog.generation(name) for name in self.catalog.generation_names]
        return {
            family: frozenset(name for name, machine in generation.machine_types.items() if machine.family == family)
            for generation in generations
            for family in generation.families
        }

    @functools.cached_property
    def tpu_machine_types(self) -> tuple[str, ...]:
        """Every TPU machine type of the catalog."""
        return tuple(sorted(name for names in self._tpu_machines.values() for name in names))
