"""Examples of the rules over several files: the failing one breaks exactly its rule, the passing one breaks none."""

import datetime
from pathlib import Path
from typing import Any

import yaml
from support.each import by_id, each
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of

SEVERAL = [rule for rule in all_rules() if rule.scope.breakable in ("inventory", "fleet", "organization")]
TODAY = "2026-11-20"

by_rule = each("rule", SEVERAL, by_id)


def today_of(rule: Rule[Any]) -> datetime.date:
    return datetime.date.fromisoformat(rule.today or TODAY)


def test_there_are_rules_of_each_kind() -> None:
    assert {rule.scope.breakable for rule in SEVERAL} == {"inventory", "fleet", "organization"}


@by_rule
def test_the_failing_example_breaks_exactly_this_rule(rule: Rule[Any], catalog: Catalog, tmp_path: Path) -> None:
    findings = findings_about(rule.failing, catalog, tmp_path, today_of(rule), alone=True)
    assert {finding.rule for finding in findings} == {rule.id}, [f"{item.rule}: {item.message}" for item in findings]


@by_rule
def test_the_passing_example_breaks_no_rule(rule: Rule[Any], catalog: Catalog, tmp_path: Path) -> None:
    findings = findings_about(rule.passing, catalog, tmp_path, today_of(rule), alone=True)
    assert [f"{item.rule}: {item.message}" for item in findings] == []


@by_rule
def test_what_is_found_is_placed_explained_and_sourced(rule: Rule[Any], catalog: Catalog, tmp_path: Path) -> None:
    for finding in findings_about(rule.failing, catalog, tmp_path, today_of(rule)):
        assert finding.position is not None
        assert finding.position.line > 1 or finding.path == ()
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.why
        assert finding.source
        yaml.safe_load(finding.fix)


@by_rule
def test_examples_hold_the_files_that_the_rule_needs(rule: Rule[Any]) -> None:
    for example in (rule.failing, rule.passing):
        files = files_of(example)
        if rule.scope.breakable == "inventory":
            assert files.inventory is not None
        elif rule.scope.breakable == "organization":
            assert files.organization is not None
        else:
            assert len(files.plans) > 1
