"""The example of docs/inventory.md fits exactly, and does not fit with one slice more."""

import pathlib

import pytest
from support.documents import ROOT, write_files

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_inventory, read_plan
from pulumi_gke_tpu.core.workflows.check import check_documents

PAGE = ROOT / "docs" / "inventory.md"


@pytest.mark.parametrize(
    ("plan", "before", "after", "rule"),
    [
        ("lab", "topology: 8x16\n", "topology: 8x16\n        count: 2\n", "TPU804"),
        ("research", "max: 4", "max: 8", "TPU811"),
    ],
)
def test_the_documented_change_has_the_documented_finding(
    tmp_path: pathlib.Path, plan: str, before: str, after: str, rule: str
) -> None:
    write_files(tmp_path, PAGE)
    file = tmp_path / "inventory" / plan / "plan.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")
    plans = [read_plan(path) for path in sorted(tmp_path.rglob("plan.yaml"))]
    checked = check_documents(plans, read_inventory(tmp_path / "inventory" / "inventory.yaml"), read_catalog(), None)
    assert [finding.rule for finding in checked.findings] == [rule]
    assert rule in PAGE.read_text(encoding="utf-8")
