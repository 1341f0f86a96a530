"""Checks several plans and an inventory the way the command does: as files, with every rule over all of them."""

import datetime
from pathlib import Path

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_inventory, read_organization, read_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.capacity.rules.organization.together import validate_organization


def findings_about(
    example: str, catalog: Catalog, folder: Path, today: datetime.date, *, alone: bool = False
) -> tuple[Finding, ...]:
    """Everything that is found in the files of an example. ``alone`` also checks each plan by itself."""
    files = files_of(example)
    checked = []
    found: list[Finding] = []
    for index, text in enumerate(files.plans):
        path = folder / f"plan-{index}.yaml"
        path.write_text(text, encoding="utf-8")
        document = read_plan(path, path.name)
        assert document.content is not None, document.findings
        checked.append(check_plan(document, catalog, today))
        found += checked[-1].findings if alone else document.findings
    found += validate_fleet(checked, catalog, today=today)
    inventory = None
    if files.inventory is not None:
        path = folder / "inventory.yaml"
        path.write_text(files.inventory, encoding="utf-8")
        inventory = read_inventory(path, path.name)
        found += inventory.findings
        found += validate_inventory(checked, inventory, catalog, today=today)
    if files.organization is not None:
        path = folder / "organization.yaml"
        path.write_text(files.organization, encoding="utf-8")
        organization = read_organization(path)
        found += organization.findings
        found += validate_organization(
            checked, organization, catalog, inventory=inventory.content if inventory else None, today=today
        )
    return tuple(found)
