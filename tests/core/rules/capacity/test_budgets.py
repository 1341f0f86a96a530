"""Budgets whose source no slice group has: one finding for each cause."""

from pathlib import Path

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity

GUIDE = (Path(__file__).parents[4] / "docs" / "examples" / "shared-reservation.yaml").read_text(encoding="utf-8")


def found(text: str) -> list[tuple[str, str]]:
    findings = check_plan(read_plan_content(text.encode(), "plan.yaml"), read_catalog()).findings
    return [(item.rule, item.severity.name) for item in findings]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("reservation: v6e-ci}  #", "reservation: v6e-c}  #"),
        ("reservation: tpu7x-ci}  #", "reservation: tpu7-ci}  #"),
        ("reservation: v6e-ci}  #", "reservation: {name: v6e-ci, project: other-project}}  #"),
        ("reservation: v6e-ci}  #", "reservation: {name: v6e-ci, block: block-1}}  #"),
        ("reservation: v6e-ci}  #", "spot: v6e}  #"),
    ],
)
def test_a_wrong_source_is_one_error_and_not_one_for_each_queue(given: str, written: str) -> None:
    assert given in GUIDE
    rules = found(GUIDE.replace(given, written))
    assert [rule for rule, severity in rules if severity == "ERROR"] == ["TPU870"]
    assert {rule for rule, severity in rules if severity == "WARNING"} <= {"TPU872"}, "the groups can use a whole block"


@pytest.mark.parametrize(
    ("source", "message", "fix"),
    [
        ("spot: v6x, region: us-east9", "unknown TPU generation `v6x`", "spot: v6e"),
        ("spot: v6e, region: us-east9", "those with Spot VMs of v6e are in us-east5", "region: us-east5"),
        ("spot: v5p", "no slice group draws from budget `spare`", ""),
    ],
)
def test_an_unknown_generation_or_region_of_spot_is_named(source: str, message: str, fix: str) -> None:
    group = "{tpu: v6e, topology: 4x4, zone: us-east5-a, count: {max: 4}, capacity: spot}"
    cluster = f"{{mode: standard, location: us-east5, slices: {{a: {group}}}}}"
    text = f"version: 1\nproject: acme-ml\nbudgets: {{spare: {{chips: 64, {source}}}}}\nclusters: {{e: {cluster}}}\n"
    findings = check_plan(read_plan_content(text.encode(), "plan.yaml"), read_catalog()).findings
    (finding,) = [item for item in findings if item.rule == "TPU870"]
    assert message in finding.message
    assert fix in finding.fix
    assert finding.severity is Severity.WARNING


def test_a_budget_that_no_queue_names_is_a_warning() -> None:
    budget = "budgets:\n  spare: {chips: 8, reservation: spare}\n"
    assert found(GUIDE.replace("budgets:\n", budget)) == [("TPU870", "WARNING")]


def test_other_unknown_names_are_still_reported() -> None:
    text = GUIDE.replace("reservation: v6e-ci}  #", "reservation: v6e-c}  #").replace("{tpu7x: 8}", "{tpu7: 8}")
    assert {"TPU700", "TPU870"} <= {rule for rule, _ in found(text)}


@pytest.mark.parametrize("written", ["reservation: v6e-ci, spot: v6e}  #", "reservation: v6e-ci, region: us-east5}  #"])
def test_a_budget_that_cannot_be_read_is_one_error(written: str) -> None:
    rules = found(GUIDE.replace("reservation: v6e-ci}  #", written))
    assert [rule for rule, severity in rules if severity != "NOTE"] == ["TPU026"]


def test_a_misspelled_budget_beside_one_that_cannot_be_read_is_reported() -> None:
    text = GUIDE.replace("reservation: v6e-ci}  #", "reservation: v6e-ci, spot: v6e}  #")
    first = "chips: {v6e:"
    assert first in text
    assert "TPU700" in [rule for rule, _ in found(text.replace(first, "chips: {v6f:", 1))]


@pytest.mark.parametrize(
    ("budget", "second", "number"),
    [
        (True, "tpu: v6e, topology: 4x4, zone: us-east5-a", 0),
        (True, "tpu: v6e, topology: 4x4, zone: us-east5-b", 1),
        (False, "tpu: v6e, topology: 4x4, zone: us-east5-b", 0),
        (True, "tpu: v5p, topology: 2x2x4, zone: us-east5-a", 1),
        (False, "tpu: v5p, topology: 2x2x4, zone: us-east5-a", 1),
        (False, "tpu: v5p, topology: 2x2x4, zone: us-east5-b", 0),
    ],
)
def test_a_reservation_is_in_one_zone_and_of_one_generation(budget: bool, second: str, number: int) -> None:
    rest = "count: {max: 4}, capacity: {reservation: ours}"
    groups = f"a: {{tpu: v6e, topology: 1x1, zone: us-east5-a, {rest}}}, b: {{{second}, {rest}}}"
    shared = "budgets: {shared: {chips: 16, reservation: ours}}\n" if budget else ""
    cluster = f"{{mode: standard, location: us-east5, slices: {{{groups}}}}}"
    rules = found(f"version: 1\nproject: acme-ml\n{shared}clusters: {{e: {cluster}}}\n")
    assert [severity for rule, severity in rules if rule == "TPU376"] == ["WARNING"] * number
