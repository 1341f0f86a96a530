"""What surrounds an explained item: the file of its plan, other plans, and an inventory."""

import datetime
import functools
from collections.abc import Iterable, Iterator

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.holdings import QuotaHolding, ReservationHolding, quota_holdings, reservation_holdings
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Cluster, Fleet, SliceGroup
from pulumi_gke_tpu.core.fleet.plans import PlanInFleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory, Plan
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.inventory import OwnedQuota, OwnedReservation
from pulumi_gke_tpu.core.plan.keys import field_of
from pulumi_gke_tpu.core.text.findings import Path, Position, format_path
from pulumi_gke_tpu.features.explain.steps import FileEntry, Step


@frozen(slots=False)
class Surroundings:
    """The plans that use the same reservations and quotas as an item, its own one among them, and the inventory."""

    catalog: Catalog
    document: Document[Plan]
    """The plan of the item."""
    plans: tuple[PlanInFleet, ...]
    inventory: Document[Inventory] | None = None
    today: datetime.date | None = None

    @classmethod
    def of(cls, plan: Plan, fleet: Fleet, catalog: Catalog) -> "Surroundings":
        """Those of a plan alone, without a file."""
        document = Document(plan)
        return cls(catalog, document, (PlanInFleet(document, plan, fleet),))

    @property
    def content(self) -> Inventory | None:
        """The inventory, if there is a readable one."""
        return self.inventory.content if self.inventory is not None else None

    @functools.cached_property
    def owned(self) -> OwnedReservations:
        """The reservations of the inventory; none without one."""
        return OwnedReservations.of(self.content)

    @functools.cached_property
    def reservations(self) -> tuple[ReservationHolding, ...]:
        """What all plans use of each reservation and block."""
        return reservation_holdings(self.owned.uses(self.plans), self.owned)

    @functools.cached_property
    def quotas(self) -> tuple[QuotaHolding, ...]:
        """What all plans use of each quota."""
        return quota_holdings(self.plans, self.content, self.catalog)

    def entry_path(self, entry: OwnedReservation | OwnedQuota) -> Path:
        """The path of an entry of the inventory."""
        assert self.content is not None
        for key, entries in (("reservations", self.content.reservations), ("quotas", self.content.quotas)):
            for index, known in enumerate(entries):
                if known is entry:
                    return key, index
        return ()

    def placed(self, step: Step, item: Cluster | SliceGroup | None) -> Iterator[FileEntry]:
        """Where the files of the user set a value of an item.

        A value that rests on nothing but an absent key of the item is set where the item is.
        """
        paths = [path for path in step.paths if _is_written(self.document, path)]
        if item is not None:
            keys = [name for name in dict.fromkeys((step.name, *step.keys)) if field_of(type(item.plan), name)]
            written = [name for name in keys if item.plan.written(name)]
            paths += [(*item.path, name) for name in written]
            if not paths and not step.evidence and not step.follows_from and (keys or step.paths):
                paths.append(item.path)
        yield from _written(self.document, paths)
        if self.inventory is not None:
            yield from _written(self.inventory, step.owned)


def _is_written(document: Document[Plan], path: Path) -> bool:
    """Whether the plan has an entry at a path."""
    part: object = document.content
    for step in path:
        if isinstance(part, PlanModel):
            if not isinstance(step, str) or field_of(type(part), step) is None or not part.written(step):
                return False
            part = getattr(part, step)
        elif isinstance(part, dict) and step in part:
            part = part[step]
        else:
            return False
    return True


def _written(document: Document[Plan] | Document[Inventory], paths: Iterable[Path]) -> Iterator[FileEntry]:
    for path in dict.fromkeys(paths):
        position: Position | None = document.position_of(path)
        if position is not None:
            yield FileEntry(position.file, position.line, position.column, format_path(path))
