"""Examples of the rules about changes: the failing one breaks exactly its rule, the passing one breaks none."""

import datetime
from typing import Any

import yaml
from support.each import by_id, each
from support.transitions import change_in, errors_in

from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.text.findings import Finding

CHANGES = [rule for rule in all_rules() if rule.scope.breakable == "change"]
by_rule = each("rule", CHANGES, by_id)


def today_of(rule: Rule[Any]) -> datetime.date:
    return datetime.date.fromisoformat(rule.today or "2026-11-20")


def said(findings: tuple[Finding, ...]) -> list[str]:
    return [f"{item.rule}: {item.message}" for item in findings]


def test_there_are_rules_about_changes() -> None:
    assert [rule.id for rule in CHANGES] == [
        "TPU631",
        "TPU635",
        "TPU637",
        *(f"TPU{number}" for number in range(951, 969)),
        "TPU975",
        "TPU976",
        "TPU977",
        "TPU978",
        "TPU979",
    ]


@by_rule
def test_the_failing_example_breaks_exactly_this_rule(rule: Rule[Any]) -> None:
    findings = change_in(rule.failing, today_of(rule))
    assert {finding.rule for finding in findings} == {rule.id}, said(findings)
    assert findings[0].severity is rule.severity


@by_rule
def test_the_passing_example_breaks_no_rule(rule: Rule[Any]) -> None:
    assert said(change_in(rule.passing, today_of(rule))) == []


@by_rule
def test_each_plan_of_an_example_is_right_by_itself(rule: Rule[Any]) -> None:
    for example in (rule.failing, rule.passing):
        assert len(files_of(example).plans) == 2
        found = errors_in(example, today_of(rule))
        assert said(tuple(item for item in found if not item.accepted)) == []


@by_rule
def test_what_is_found_is_placed_explained_and_sourced(rule: Rule[Any]) -> None:
    for finding in change_in(rule.failing, today_of(rule)):
        assert finding.position is not None
        assert finding.position.line > 1
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.why
        assert finding.source
        yaml.safe_load(finding.fix)
