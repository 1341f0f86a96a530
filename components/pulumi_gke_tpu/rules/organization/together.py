"""Checks several plans together against the standards of an organization."""

import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.findings import Finding
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.fleet.plans import plans_in_fleet
from pulumi_gke_tpu.plan import Document, Inventory
from pulumi_gke_tpu.plan.organization.model import Organization
from pulumi_gke_tpu.rules.engine.discovery import rules_of
from pulumi_gke_tpu.rules.engine.rule import Scope
from pulumi_gke_tpu.rules.engine.run import validate_together
from pulumi_gke_tpu.rules.organization.context import OrganizationContext


def validate_organization(
    plans: Iterable[CheckedPlan],
    organization: Document[Organization],
    catalog: Catalog,
    *,
    today: datetime.date | None = None,
    inventory: Inventory | None = None,
) -> tuple[Finding, ...]:
    """Every breach of a standard, and every problem of the organization file itself.

    Entries under ``accept`` of a plan have no effect on these findings. ``today`` decides which exemptions are valid.
    ``inventory`` has the contract prices for limits of cost.
    """
    if organization.content is None:
        return ()
    owned = OwnedReservations.of(inventory)
    context = OrganizationContext(plans_in_fleet(plans), organization, organization.content, catalog, today, owned)
    return validate_together(rules_of(Scope.ORGANIZATION), context, catalog, today)
