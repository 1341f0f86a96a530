"""Checks plans: each alone, then all together and against an inventory and standards."""

import datetime
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import Document, Inventory, Plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import together
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.core.text.findings import Finding, printable_path, sort_findings, with_one_reading

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.organization.model import Organization


@frozen
class CheckedPlans:
    """Plans that were checked together, and every finding about them, sorted."""

    plans: tuple[CheckedPlan, ...]
    inventory: Document[Inventory] | None
    findings: tuple[Finding, ...]
    organization: "Document[Organization] | None" = None


def check_documents(
    documents: Sequence[Document[Plan]],
    inventory: Document[Inventory] | None,
    catalog: Catalog,
    today: datetime.date | None,
    organization: "Document[Organization] | None" = None,
) -> CheckedPlans:
    """Check each plan once, then all together and against inventory and standards. Every problem is a finding."""
    plans = tuple(check_plan(document, catalog, today) for document in documents)
    alone = (finding for plan in plans for finding in plan.findings)
    across = findings_across(plans, inventory, catalog, today, organization)
    return CheckedPlans(plans, inventory, sort_findings(with_one_reading((*alone, *across))), organization)


def findings_across(
    plans: Sequence[CheckedPlan],
    inventory: Document[Inventory] | None,
    catalog: Catalog,
    today: datetime.date | None,
    organization: "Document[Organization] | None",
) -> Iterator[Finding]:
    """The findings about several plans together: what they use of an inventory, and broken standards."""
    yield from validate_fleet(plans, catalog, today=today)
    if organization is not None:
        yield from findings_about_standards(plans, organization, inventory, catalog, today)
    if inventory is not None:
        validate_inventory = together(Scope.INVENTORY).validate_inventory

        found = (*inventory.findings, *validate_inventory(plans, inventory, catalog, today=today))
        yield from found
        if inventory.wrong:
            from pulumi_gke_tpu.core.rules.engine.masked_findings import (
                masked_findings,  # only inventories with errors need it
            )

            def check(possible: Document[Inventory]) -> Iterator[Finding]:
                """The findings about the inventory itself; what plans take from it depends on the wrong entry."""
                every = validate_inventory(plans, possible, catalog, today=today)
                return (
                    each for each in every if each.position and each.position.file == printable_path(inventory.name)
                )

            yield from masked_findings(inventory, check, found).findings


def findings_about_standards(
    plans: Sequence[CheckedPlan],
    organization: "Document[Organization]",
    inventory: Document[Inventory] | None,
    catalog: Catalog,
    today: datetime.date | None,
) -> Iterator[Finding]:
    """The findings about standards. A wrong entry does not hide violations that do not depend on it."""
    validate_organization: Callable[..., tuple[Finding, ...]] = together(Scope.ORGANIZATION).validate_organization

    owned = inventory.content if inventory is not None else None

    def check(possible: "Document[Organization]") -> tuple[Finding, ...]:
        return validate_organization(plans, possible, catalog, inventory=owned, today=today)

    found = (*organization.findings, *check(organization))
    yield from found
    if organization.wrong:
        from pulumi_gke_tpu.core.rules.engine.masked_findings import masked_findings  # only files with errors need it

        yield from masked_findings(organization, check, found).findings
