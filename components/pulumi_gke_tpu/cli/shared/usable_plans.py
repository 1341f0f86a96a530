"""Reads and checks the plans of commands that compute with them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pulumi_gke_tpu.cli.options import PlanningInputs, has_errors
from pulumi_gke_tpu.core.text.findings import Finding

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.catalog import Catalog
    from pulumi_gke_tpu.core.plan import Inventory
    from pulumi_gke_tpu.core.workflows.check import CheckedPlans


def usable_plans(
    plans: Sequence[str], inputs: PlanningInputs, catalog: "Catalog"
) -> "tuple[CheckedPlans, Inventory | None] | None":
    """The plans in the order of their names, checked together and against inventory and standards, and the inventory.

    None if a plan has errors of its own or another file cannot be read; stderr then has the findings. Errors about the
    plans together, such as a sum that exceeds a reservation, are in the findings of the result.

    Raises:
        click.UsageError: a file does not exist, or a folder contains no plan.
        OSError: a folder cannot be read.
    """
    from pulumi_gke_tpu.cli.files.plan_arguments import (
        read_inventory_file,
        read_organization_file,
        read_plans,
    )
    from pulumi_gke_tpu.core.workflows.check import check_documents

    documents = sorted(read_plans(plans), key=lambda document: document.name or "")
    owned = read_inventory_file(inputs.inventory)
    standards = read_organization_file(inputs.organization)
    checked = check_documents(documents, owned, catalog, inputs.day, standards)
    unreadable = any(file is not None and has_errors(file.findings, strict=False) for file in (owned, standards))
    if unreadable or any(plan.has_errors for plan in checked.plans):
        report_errors(checked.findings)
        return None
    return checked, owned.content if owned else None


def report_errors(findings: tuple[Finding, ...]) -> int:
    """Print findings to stderr if one of them is an error, and return the exit code of the command."""
    if not has_errors(findings, strict=False):
        return 0
    from pulumi_gke_tpu.cli.shared.complaints import complain

    complain(findings)
    return 1
