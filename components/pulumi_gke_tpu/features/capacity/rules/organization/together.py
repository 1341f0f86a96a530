"""Checks several plans together against the standards of an organization."""

import dataclasses
import datetime
from collections.abc import Iterable

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.plan import Document
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.plan.organization import Organization, Standard
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.engine.run import validate_together
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.capacity.rules.organization.context import OrganizationContext
from pulumi_gke_tpu.features.capacity.rules.organization.uses import EstimatedPlan


def validate_organization(
    plans: Iterable[CheckedPlan],
    organization: Document[Organization],
    catalog: Catalog,
    *,
    inventory: Inventory | None = None,
    today: datetime.date | None = None,
) -> tuple[Finding, ...]:
    """Every breach of a standard, and every problem of the organization file itself.

    Entries under ``accept`` of a plan have no effect on these findings. ``inventory`` has the prices of contracts.
    ``today`` decides which exemptions are valid.
    """
    if organization.content is None:
        return ()
    checked = tuple(plans)
    owned = OwnedReservations.of(inventory)
    members = tuple(EstimatedPlan(plan, catalog, owned) for plan in plans_in_fleet(checked))
    complete = all(_is_whole(plan) for plan in checked)
    context = OrganizationContext(members, organization, organization.content, catalog, today, complete)
    return validate_together(rules_of(Scope.ORGANIZATION), context, catalog, today)


def standards_of_slices(organization: Document[Organization]) -> Document[Organization]:
    """The standards about slices alone, which do not depend on the rest of the plan."""
    content = organization.content
    if content is None:
        return organization
    kept = {name: standard for name, standard in content.standards.items() if _is_about_slices(standard)}
    return dataclasses.replace(organization, content=content.model_copy(update={"standards": kept}))


def _is_about_slices(standard: Standard) -> bool:
    if standard.max is not None:
        return standard.max.per in ("group", "cluster")
    return standard.kind in ("generations", "zones", "modes", "capacities")


def _is_whole(plan: CheckedPlan) -> bool:
    """Whether a plan has been read and derived with all its clusters and slice groups."""
    return plan.plan is not None and not plan.plan.unread and plan.fleet is not None and not plan.fleet.unresolved
