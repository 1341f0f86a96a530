"""Examples of the rules about manifests: the failing one breaks exactly its rule, the passing one breaks none."""

from typing import Any

import yaml
from support.each import by_id, each
from support.manifests import findings_of_example

from pulumi_gke_tpu.core.rules import Rule, all_rules

ABOUT_MANIFESTS = [rule for rule in all_rules() if rule.scope.breakable == "manifests"]

by_rule = each("rule", ABOUT_MANIFESTS, by_id)


BESIDE = {
    *(f"TPU{number}" for number in range(304, 311)),
    *(f"TPU{number}" for number in range(315, 319)),
    "TPU326",
    "TPU339",
    "TPU340",
    "TPU349",
    "TPU353",
    "TPU358",
    "TPU399",
    *(f"TPU{number}" for number in range(368, 398) if number != 376),
    *(f"TPU{number}" for number in (*range(823, 831), 848, 849, *range(881, 884), 898, 899)),
    "TPU570",
    "TPU572",
    "TPU573",
    "TPU579",
    "TPU580",
    "TPU859",
    "TPU866",
    "TPU867",
    "TPU868",
    "TPU869",
}
"""Rules with other numbers: all from TPU720 on are in use."""


def test_there_are_rules_about_manifests() -> None:
    assert ABOUT_MANIFESTS
    assert {rule.id for rule in ABOUT_MANIFESTS if not "TPU720" <= rule.id <= "TPU799"} == BESIDE


@by_rule
def test_the_failing_example_breaks_exactly_this_rule(rule: Rule[Any]) -> None:
    findings = findings_of_example(rule.failing)
    assert {finding.rule for finding in findings} == {rule.id}, [f"{item.rule}: {item.message}" for item in findings]


@by_rule
def test_the_passing_example_breaks_no_rule(rule: Rule[Any]) -> None:
    assert [f"{item.rule}: {item.message}" for item in findings_of_example(rule.passing)] == []


@by_rule
def test_what_is_found_is_placed_explained_and_sourced(rule: Rule[Any]) -> None:
    for finding in findings_of_example(rule.failing):
        assert finding.position is not None
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.why
        assert finding.source
        yaml.safe_load(finding.fix)


@by_rule
def test_the_severity_of_the_failing_example_is_that_of_the_rule(rule: Rule[Any]) -> None:
    assert {finding.severity for finding in findings_of_example(rule.failing)} == {rule.severity}
