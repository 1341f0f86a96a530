"""What rules find in the resources after an apply is in the report, unless it was true before."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.terraform.plans import (
    CLUSTER,
    POOL,
    change,
    changed,
    cluster_values,
    compared,
    compared_text,
    slice_values,
)
from support.terraform.recordings import RECORDINGS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.text.findings import Finding, Severity

CATALOG = read_catalog()
SLICE = f"{POOL}.slice"
Values = Mapping[str, Any]
GOOD = slice_values()
WEST: Values = {**GOOD, "location": "us-west1", "node_locations": ["us-west1-c"]}
FAULTS: Mapping[str, tuple[Values, str, str]] = {
    "topology": (changed(GOOD, "placement_policy.tpu_topology", "4x3"), "TPU112", "placement_policy"),
    "zone": (WEST, "TPU208", "node_locations"),
    "machine type": (changed(GOOD, "node_config.machine_type", "ct6e-standard-1t"), "TPU115", "node_config"),
    "size": ({**GOOD, "node_count": 3}, "TPU462", "node_count"),
}
"""Fault -> node pool, the rule, and the block that the finding names."""


def findings(*changes: Mapping[str, Any]) -> list[Finding]:
    return [item for item in compared(*changes).findings if item.severity is not Severity.NOTE]


def rules(found: Sequence[Finding]) -> list[str]:
    return [item.rule for item in found]


def errors(found: Sequence[Finding]) -> list[str]:
    return [item.rule for item in found if item.severity is Severity.ERROR]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_new_node_pool_is_reported_at_its_block(fault: str) -> None:
    values, rule, block = FAULTS[fault]
    found = findings(change(SLICE, ["create"], None, values))
    (item,) = [item for item in found if item.rule == rule]
    assert item.position is not None
    assert item.position.file == "plan.json"
    assert f"{SLICE}: {block}" in item.message


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_replacement_is_reported(fault: str) -> None:
    values, rule, _ = FAULTS[fault]
    assert rule in rules(findings(change(SLICE, ["delete", "create"], GOOD, values)))


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_plan_leaves_as_it_is_or_mends_is_not_reported(fault: str) -> None:
    values, _, _ = FAULTS[fault]
    assert findings(change(SLICE, ["no-op"], values, values)) == []
    assert errors(findings(change(SLICE, ["delete", "create"], values, GOOD))) == []
    assert errors(findings(change(SLICE, ["delete"], values, None))) == []


@pytest.mark.parametrize("fault", [name for name in FAULTS if name != "zone"])
def test_an_error_stays_one_while_the_plan_changes_the_node_pool(fault: str) -> None:
    values, rule, _ = FAULTS[fault]
    labeled = changed(values, "node_config.labels", {"team": "serving"})
    assert rule in errors(findings(change(SLICE, ["update"], values, labeled)))


def test_a_valid_change_has_no_finding() -> None:
    cluster = cluster_values(min_master_version="1.34", release_channel=[{"channel": "REGULAR"}])
    assert errors(findings(change(f"{CLUSTER}.main", ["create"], None, cluster))) == []
    assert errors(findings(change(SLICE, ["create"], None, GOOD))) == []
    labeled = changed(GOOD, "node_config.labels", {"team": "serving"})
    assert findings(change(SLICE, ["update"], GOOD, labeled)) == []


@pytest.mark.parametrize("name", sorted(path.parent.name for path in RECORDINGS.glob("*/plan.json")))
def test_a_recorded_plan_has_no_error_that_check_does_not_report(name: str) -> None:
    content = (RECORDINGS / name / "plan.json").read_bytes()
    resources = ResourceReader(CATALOG).read("plan.json", content)
    assert resources is not None
    found = compared_text(content.decode()).findings
    about_change = ("TPU955", "TPU956", "TPU957", "TPU958", "TPU964")
    reported = {(item.rule, item.message) for item in found if item.rule not in about_change}
    assert reported <= {(item.rule, item.message) for item in check_resources(resources.found, CATALOG)}
