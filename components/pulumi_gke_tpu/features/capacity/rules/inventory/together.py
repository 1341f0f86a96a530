"""Checks several plans together against an inventory."""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import validate_together
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext


def validate_inventory(
    plans: Iterable[CheckedPlan],
    inventory: Document[Inventory],
    catalog: Catalog,
    *,
    today: datetime.date | None = None,
) -> tuple[Finding, ...]:
    """Every problem of the plans together with an inventory, and of the inventory itself.

    Each finding has its position in its own file. If a sum is too large, that is the group at which it
    exceeds the limit, in the order of the plans. What an inventory does not contain is not checked: a reservation is
    missing only where the inventory lists others of that project and zone. Documents without content are skipped.
    ``today`` decides how old the inventory is, and which acceptances of the plans hold.
    """
    if inventory.content is None:
        return ()
    context = InventoryContext(plans_in_fleet(plans), inventory, inventory.content, catalog, today)
    return validate_together(rules_of(Scope.INVENTORY), context, catalog, today)
