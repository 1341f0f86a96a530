"""Configurations that people reported: those that GKE rejects are reported, and those that work are not."""

import datetime
import pathlib
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.workflows.preview import preview_checked

CASES: list[dict[str, Any]] = yaml.safe_load(
    (pathlib.Path(__file__).parent / "data" / "reported_configurations.yaml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_reported_configuration_has_exactly_its_findings(case: dict[str, Any]) -> None:
    plan = {"version": 1, "project": "acme-ml", "clusters": {"train": case["cluster"]}}
    document = read_plan_content(yaml.safe_dump(plan).encode(), "plan.yaml")
    checked = check_plan(document, read_catalog(), datetime.date(2026, 11, 20))
    found = [finding for finding in checked.findings if finding.severity != Severity.NOTE]
    assert {finding.rule for finding in found} == set(case.get("rules", ())), [finding.message for finding in found]
    if not checked.has_errors:
        assert preview_checked(checked, ()).graph.resources


def test_every_case_names_its_source_and_is_there_once() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) >= 40
    assert all(case["source"].startswith("https://github.com/") for case in CASES)
