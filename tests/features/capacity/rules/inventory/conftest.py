"""The findings about plans and an inventory."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.text.findings import Finding

TODAY = datetime.date(2026, 11, 20)
Found = Callable[..., list[str]]


@pytest.fixture
def findings(catalog: Catalog, tmp_path: Path) -> Callable[..., tuple[Finding, ...]]:
    """All findings about plans, in this order, and an inventory."""

    def of(*plans: str, inventory: str, today: datetime.date = TODAY) -> tuple[Finding, ...]:
        example = "\n--- plan\n".join(plans) + "\n--- inventory\n" + inventory
        return findings_about(example, catalog, tmp_path, today)

    return of


@pytest.fixture
def found(findings: Callable[..., tuple[Finding, ...]]) -> Found:
    """What is found, each as rule and severity."""

    def of(*plans: str, inventory: str, today: datetime.date = TODAY) -> list[str]:
        return [f"{item.rule} {item.severity.word}" for item in findings(*plans, inventory=inventory, today=today)]

    return of


@pytest.fixture
def listed(catalog: Catalog, tmp_path: Path) -> Found:
    """What is found, each as rule, severity and message."""

    def of(*plans: str, inventory: str) -> list[str]:
        example = "\n--- plan\n".join(plans) + "\n--- inventory\n" + inventory
        return [
            f"{item.rule} {item.severity.word}: {item.message}"
            for item in findings_about(example, catalog, tmp_path, TODAY)
        ]

    return of
