"""The options of a comparison."""

import datetime
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory
from pulumi_gke_tpu.features.diff.consent.acknowledgements import AckFrom

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization.model import Organization
    from pulumi_gke_tpu.features.diff.engine.events import EngineRun


@frozen
class DiffOptions:
    """What both sides of a comparison are checked and compared with."""

    catalog: Catalog
    inventory: Document[Inventory] | None
    today: datetime.date | None
    ack_from: AckFrom = "head"
    most_hosts: int | None = None
    """How many hosts a change of one plan may delete or re-create; None for the default of the rule."""
    engine_runs: "tuple[EngineRun, ...]" = ()
    """Previews by the real engine, of the stacks after the change."""
    organization: "Document[Organization] | None" = None
    proposed: "Document[Organization] | None" = None
    """The organization file after the change, if the change modifies it. Its standards do not apply yet."""

    @property
    def owned(self) -> Inventory | None:
        """The content of the inventory. It applies to both sides, so a new price is not a change of a plan."""
        return self.inventory.content if self.inventory is not None else None
