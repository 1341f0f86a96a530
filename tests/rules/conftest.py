"""Reads and checks plans the way the command does: as files, with every rule."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from support.checking import validate

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan
from pulumi_gke_tpu.core.text.findings import Finding

TODAY = datetime.date(2026, 11, 20)

Check = Callable[..., tuple[Finding, ...]]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return read_catalog()


@pytest.fixture
def check(catalog: Catalog, tmp_path: Path) -> Check:
    """Everything that is found in a plan, a cluster body or a group body: by reading it, and by every rule."""

    def findings(text: str, today: datetime.date = TODAY) -> tuple[Finding, ...]:
        path = tmp_path / "plan.yaml"
        path.write_text(whole_plan(text), encoding="utf-8")
        document = read_plan(path, "plan.yaml")
        if document.content is None:
            return document.findings
        return document.findings + document.locate(validate(document.content, catalog, today=today))

    return findings


@pytest.fixture
def broken(check: Check) -> Callable[..., list[str]]:
    """The ids of the rules that a plan breaks, sorted, each once."""

    def ids(text: str, today: datetime.date = TODAY) -> list[str]:
        return sorted({finding.rule for finding in check(text, today)})

    return ids
