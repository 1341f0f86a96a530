"""Judges several plans together against one inventory: do reservations, quotas and versions suffice for the sum?"""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.plan import Document, Inventory
from pulumi_gke_tpu.rules.engine.rule import Rule
from pulumi_gke_tpu.rules.engine.several import members, run_rules
from pulumi_gke_tpu.rules.inventory import form as inventory_form
from pulumi_gke_tpu.rules.inventory import offered, quotas, reservations
from pulumi_gke_tpu.rules.inventory.owned import Owned

_CHECKS = (*reservations.CHECKS, *quotas.CHECKS, *offered.CHECKS, *inventory_form.CHECKS)
RULES: tuple[Rule, ...] = tuple(check.rule for check in _CHECKS)


def validate_inventory(
    plans: Iterable[CheckedPlan],
    inventory: Document[Inventory],
    catalog: Catalog,
    *,
    today: datetime.date | None = None,
) -> tuple[Finding, ...]:
    """What is wrong with the plans, taken together, by an inventory; and with the inventory itself.

    Each finding has its place in the file that it belongs to. Where a sum is too large, that is the group at which it
    goes over the limit, in the order of the plans. What an inventory does not say is not judged: a missing reservation
    is told only where the inventory lists others of that project and zone. Documents without content are passed over.
    ``today`` tells how old the inventory is, and which acceptances of the plans hold.
    """
    if inventory.content is None:
        return ()
    owned = Owned(members(plans), inventory, inventory.content, catalog, today)
    return run_rules(_CHECKS, owned, catalog, today)
