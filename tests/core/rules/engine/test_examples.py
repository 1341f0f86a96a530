"""Every rule's examples: the failing one breaks exactly that rule, the passing one breaks none."""

import datetime
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.each import by_id, each

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan
from pulumi_gke_tpu.core.text.findings import Finding
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

RULES = all_rules()
IN_A_PLAN = [rule for rule in RULES if rule.scope.breakable == "plan"]
DEFAULT_TODAY = "2026-11-20"

Check = Callable[[str, datetime.date], tuple[Finding, ...]]


def today_of(rule: Rule[Any]) -> datetime.date:
    return datetime.date.fromisoformat(rule.today or DEFAULT_TODAY)


@each("rule", IN_A_PLAN, by_id)
def test_the_failing_example_breaks_exactly_this_rule(rule: Rule[Any], check: Check) -> None:
    findings = check(rule.failing, today_of(rule))
    assert {finding.rule for finding in findings} == {rule.id}, [f"{item.rule}: {item.message}" for item in findings]


@each("rule", IN_A_PLAN, by_id)
def test_the_passing_example_breaks_no_rule(rule: Rule[Any], check: Check) -> None:
    findings = check(rule.passing, today_of(rule))
    assert [f"{item.rule}: {item.message}" for item in findings] == []


@each("rule", [rule for rule in RULES if rule.edit], by_id)
def test_an_edit_changes_one_place_of_the_failing_example(rule: Rule[Any]) -> None:
    assert rule.edit is not None
    old, new = rule.edit
    assert rule.failing.count(old) == 1
    assert rule.passing == new.join(rule.failing.split(old))


@each("rule", IN_A_PLAN, by_id)
def test_what_is_found_is_placed_explained_and_sourced(rule: Rule[Any], check: Check) -> None:
    for finding in check(rule.failing, today_of(rule)):
        assert finding.position is not None
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.why or rule.why
        assert finding.source or rule.source


@each("rule", IN_A_PLAN, by_id)
def test_a_fix_is_yaml_that_can_be_pasted(rule: Rule[Any], check: Check) -> None:
    for finding in check(rule.failing, today_of(rule)):
        entries = re.sub(r" {2,}# .*", "", finding.fix)
        between_braces = ", " in entries and entries.count(": ") > 1 and not entries.endswith(("]", "}"))
        yaml.safe_load(f"{{{finding.fix}}}" if between_braces else finding.fix)


@each("rule", [rule for rule in IN_A_PLAN if rule.check is not None], by_id)
def test_the_examples_have_the_same_findings_without_a_file(rule: Rule[Any], catalog: Catalog) -> None:
    for example, expected in ((rule.failing, {rule.id}), (rule.passing, set())):
        document = parse_plan(parse_yaml(whole_plan(example).encode(), "plan.yaml").data)
        assert document.content is not None
        assert {item.rule for item in validate(document.content, catalog, today=today_of(rule))} == expected


def test_ids_and_names_are_unique_and_ids_in_order() -> None:
    ids = [rule.id for rule in RULES]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"TPU\d{3}", id) for id in ids)
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)] == []


def test_every_rule_names_sources_of_the_catalog_or_what_it_rests_on_instead(catalog: Catalog) -> None:
    assert [(rule.id, name) for rule in RULES for name in rule.references if name not in catalog.sources] == []
    assert [rule.id for rule in RULES if not (rule.references or rule.source)] == []


@each("rule", list(RULES), by_id)
def test_a_rule_has_all_its_texts(rule: Rule[Any]) -> None:
    for text in (rule.title, rule.why, rule.fix, rule.failing, rule.passing):
        assert text == text.strip("\n")
        assert text
    assert not rule.title.endswith(".")
    assert not rule.why.endswith(".")
    assert rule.title[0].isupper() or rule.title.startswith("`")


@pytest.mark.parametrize("key", ["version: 1", "project: acme-ml"])
def test_an_example_with_a_key_of_the_whole_plan_is_not_wrapped(key: str) -> None:
    text = f"{key}\nclusters: {{}}\n"
    assert whole_plan(text) == text
