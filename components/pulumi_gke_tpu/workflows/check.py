"""Checks plan files: each by itself, then all together and against an inventory."""

import datetime
import pathlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, sort_findings
from pulumi_gke_tpu.fleet.checked import CheckedPlan
from pulumi_gke_tpu.plan import Document, Inventory, read_inventory, read_plan
from pulumi_gke_tpu.rules import check_plan
from pulumi_gke_tpu.rules.fleet.together import validate_fleet


@dataclass(frozen=True)
class CheckedPlans:
    """Plans that were checked together, and every finding about them, sorted."""

    plans: tuple[CheckedPlan, ...]
    inventory: Document[Inventory] | None
    findings: tuple[Finding, ...]


def check_files(
    paths: Sequence[pathlib.Path], inventory: pathlib.Path | None, catalog: Catalog, today: datetime.date | None
) -> CheckedPlans:
    """Read and check plan files, each once. This returns whatever the files hold."""
    plans = tuple(check_plan(read_plan(path), catalog, today) for path in dict.fromkeys(paths))
    owned = read_inventory(inventory) if inventory is not None else None
    alone = (finding for plan in plans for finding in plan.findings)
    return CheckedPlans(plans, owned, sort_findings((*alone, *findings_across(plans, owned, catalog, today))))


def findings_across(
    plans: Sequence[CheckedPlan], inventory: Document[Inventory] | None, catalog: Catalog, today: datetime.date | None
) -> Iterator[Finding]:
    """The findings about several plans together: what they take from each other, and from an inventory."""
    yield from validate_fleet(plans, catalog, today=today)
    if inventory is not None:
        from pulumi_gke_tpu.rules.inventory.together import validate_inventory

        yield from inventory.findings
        yield from validate_inventory(plans, inventory, catalog, today=today)
