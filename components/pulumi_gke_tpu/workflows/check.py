"""Judges plan files: read, checked each by itself, then together and against an inventory."""

import datetime
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, sort_findings
from pulumi_gke_tpu.plan import Document, Inventory, Plan, read_inventory, read_plan
from pulumi_gke_tpu.rules import validate
from pulumi_gke_tpu.rules.inventory.fleet_wide import validate_fleet
from pulumi_gke_tpu.rules.inventory.together import validate_inventory


@dataclass(frozen=True)
class Judgement:
    """Documents as read, and every finding about them with its place, sorted."""

    plans: tuple[Document[Plan], ...]
    inventory: Document[Inventory] | None
    findings: tuple[Finding, ...]


def judge(
    paths: Sequence[pathlib.Path], inventory: pathlib.Path | None, catalog: Catalog, today: datetime.date | None
) -> Judgement:
    """Read and judge plan files. Whatever the files hold, this returns."""
    documents = tuple(read_plan(path) for path in dict.fromkeys(paths))
    owned = read_inventory(inventory) if inventory is not None else None
    findings: list[Finding] = []
    for document in documents:
        findings += document.findings
        if document.content is not None:
            findings += document.locate(validate(document.content, catalog, today=today))
    findings += validate_fleet(documents, catalog, today=today)
    if owned is not None:
        findings += owned.findings
        findings += validate_inventory(documents, owned, catalog, today=today)
    return Judgement(documents, owned, sort_findings(findings))
