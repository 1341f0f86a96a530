"""What of a plan with errors cannot be compared: what has no form or no shape, and nothing else."""

import datetime
from typing import Any

import pytest
from support.checking import validate
from support.each import by_id, each

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.fleet.checked import WHOLE, items_from, missing_items, touched_items, without
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
IN_A_PLAN = [rule for rule in all_rules() if rule.scope.breakable == "plan" and rule.id >= "TPU2"]

CLUSTER = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"
GOOD = "{tpu: v6e, topology: 4x4, zone: us-east5-b}"


def missing(plan: str) -> set[str]:
    document = read_plan_content(plan.encode(), "plan.yaml")
    assert document.content is not None
    return set(missing_items(document, derive(document.content, CATALOG, TODAY)))


def groups(*values: str) -> str:
    return f"{CLUSTER}    slices:\n" + "".join(f"      g{number}: {value}\n" for number, value in enumerate(values))


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (groups(GOOD), set()),
        (groups(GOOD, "{tpu: v6e, topology: 4x5, zone: us-east5-b}"), {"train/g1"}),
        (groups(GOOD, "{tpu: v6e, topology: 4x4, zone: us-east5-b, cuont: 2}"), {"train/g1"}),
        (groups(GOOD, "[]"), {"train/g1"}),
        (f"{groups(GOOD)}    lcoation: x\n", {"train"}),
        (f"{groups(GOOD)}resource_labels: [a]\n", {WHOLE}),
        (f"{groups(GOOD)}acknowledge: [a]\n", {WHOLE}),
        (f"{groups(GOOD)}accept: [a]\n", set()),
        (f"{groups(GOOD)}    network: {{create: {{mtu: a}}}}\n", {"train"}),
    ],
)
def test_the_smallest_part_that_is_wrong_is_missing(plan: str, expected: set[str]) -> None:
    assert missing(plan) == expected


@each("rule", IN_A_PLAN, by_id)
def test_what_only_rules_refuse_is_derived_whole(rule: Rule[Any]) -> None:
    """So that a rule that is new with a catalog never hides what a change does to a plan from before it."""
    assert missing(whole_plan(rule.failing)) == set()


def test_errors_lie_in_items() -> None:
    document = read_plan_content(groups(GOOD, GOOD.replace("-b", "-x")).encode(), "plan.yaml")
    assert document.content is not None
    assert touched_items(validate(document.content, CATALOG, today=TODAY)) == {"train/g1"}


def test_a_warning_makes_no_item_wrong() -> None:
    document = read_plan_content(groups(GOOD.replace("us-east5-b", "us-east5-c")).encode(), "plan.yaml")
    assert document.content is not None
    findings = validate(document.content, CATALOG, today=TODAY)
    assert [finding.severity.name for finding in findings] == ["WARNING"]
    assert touched_items(findings) == frozenset()


def test_a_plan_without_some_items() -> None:
    document = read_plan_content(groups(GOOD, GOOD).encode(), "plan.yaml")
    left = without(document, {"train/g1"})
    assert left is not None
    assert left.content is not None
    assert list(left.content.clusters["train"].slices) == ["g0"]
    assert document.content is not None
    assert list(document.content.clusters["train"].slices) == ["g0", "g1"]
    assert without(document, {"train"}) is None


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (set(), set()),
        ({"train"}, {"train"}),
        ({"train/g1"}, {"train/g1"}),
        ({"train/g0", "other/g1"}, {"train/g0"}),
        ({"train/old"}, {"train/g1"}),
        ({"before"}, {"train"}),
        ({"before/g0", "before/old"}, {"train/g0", "train/g1"}),
    ],
)
def test_items_are_found_under_their_present_and_former_names(items: set[str], expected: set[str]) -> None:
    moved = "moved: [{from: before, to: train}, {from: train/old, to: train/g1}]\n"
    document = read_plan_content((groups(GOOD, GOOD) + moved).encode(), "plan.yaml")
    assert document.content is not None
    assert items_from(derive(document.content, CATALOG, TODAY), items) == expected
