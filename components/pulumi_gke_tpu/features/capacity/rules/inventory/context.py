"""The plans and the inventory that rules about capacity check together."""

import datetime
import functools

from typing_extensions import Unpack

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import ReservationHolding, reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations, ReservationUse
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory, OwnedPolicy, OwnedReservation
from pulumi_gke_tpu.core.rules.engine.rule import Details, Hit
from pulumi_gke_tpu.core.text.findings import Severity, printable
from pulumi_gke_tpu.core.text.formats.names import is_zone, region_of


def at_reservation(use: ReservationUse, message: str, **details: Unpack[Details]) -> Hit:
    """A hit at the reservation that a group names."""
    path = (*use.group.path, "capacity", "reservation")
    details.setdefault("given", f"reservation: {printable(use.name)}")
    return Hit(path, message, **details).within(use.member.document)


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
    def owned(self) -> OwnedReservations:
        """The reservations of the inventory."""
        return OwnedReservations.of(self.inventory)

    @functools.cached_property
    def names(self) -> dict[tuple[str, str], set[str]]:
        """The names of a project's reservations in a zone, and in a region."""
        found: dict[tuple[str, str], set[str]] = {}
        for project, zone, name in self.owned.by_identity:
            found.setdefault((project, zone), set()).add(name)
            found.setdefault((project, region_of(zone)), set()).add(name)
        return found

    @functools.cached_property
    def uses(self) -> tuple[ReservationUse, ...]:
        """Every group on reserved capacity, in the order of the plans."""
        return self.owned.uses(self.plans)

    @functools.cached_property
    def reservations(self) -> tuple[ReservationHolding, ...]:
        """What the plans use of each reservation."""
        return reservation_holdings(self.uses, self.owned)

    @functools.cached_property
    def policies(self) -> dict[tuple[str, str, str], OwnedPolicy]:
        """The workload policies by project, region and name; the first of duplicate entries."""
        found: dict[tuple[str, str, str], OwnedPolicy] = {}
        for entry in self.inventory.workload_policies:
            found.setdefault((entry.project, entry.region, entry.name), entry)
        return found

    def can_compare(self, entry: OwnedReservation) -> bool:
        """Whether the machines of a reservation are known: of TPU families those of the catalog, others by form."""
        if entry.machine_type is None:
            return entry.machine_family in self._tpu_machines
        family, _, kind = entry.machine_type.lower().partition("-")
        if family in self._tpu_machines:
            return entry.machine_type.lower() in self._tpu_machines[family]
        return family.isalnum() and all(part.isalnum() for part in kind.split("-"))

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
    def tpu_families(self) -> tuple[str, ...]:
        """Every TPU machine family of the catalog."""
        return tuple(sorted(self._tpu_machines))

    @functools.cached_property
    def tpu_machine_types(self) -> tuple[str, ...]:
        """Every TPU machine type of the catalog."""
        return tuple(sorted(name for names in self._tpu_machines.values() for name in names))


RESERVATION = """
reservations:
  - name: v6e-pretrain
    project: acme-ml
    zone: us-east5-b
    machine_type: ct6e-standard-4t
    vms: 64
"""


def on_reservation(*entry: str, group: str = "", block: str = "", owner: str = "", capacity: str = "") -> str:
    """A slice group with a further line, on a reservation or a block, whose entry in the inventory has further lines.

    ``owner`` is the project of the reservation, if it is another one; ``capacity`` replaces the reservation.
    """
    named = "".join(f", {key}: {name}" for key, name in (("project", owner), ("block", block)) if name)
    reservation = f"{{name: v6e-pretrain{named}}}" if named else "v6e-pretrain"
    used = f"capacity: {capacity or f'{{reservation: {reservation}}}'}"
    lines = ["tpu: v6e", "topology: 8x8", group, used, "--- inventory"]
    inventory = RESERVATION.replace("acme-ml", owner) if owner else RESERVATION
    return "\n".join(line for line in lines if line) + inventory + "".join(f"    {line}\n" for line in entry)
