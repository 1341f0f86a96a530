"""What the errors of rules rest on: the plan's own format, observed behavior, or a certain fact of the catalog."""

import dataclasses
import datetime
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.each import by_id, each

from pulumi_gke_tpu.core.catalog import Catalog, Fact, read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Confidence, Note
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan
from pulumi_gke_tpu.core.rules.engine.rule import Basis, Hit, Scope
from pulumi_gke_tpu.core.rules.engine.run import finding_of, weighed
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

RULES = all_rules()
CATALOG = read_catalog()
ERRORS = [rule for rule in RULES if rule.severity is Severity.ERROR]
NOTED = [rule for rule in ERRORS if rule.note]
Check = Callable[[str, datetime.date], tuple[Finding, ...]]


def notes() -> Iterator[Note]:
    for section in (CATALOG.platform, CATALOG.capacity, CATALOG.maintenance, CATALOG.zones):
        yield from section.notes


def fact(confidence: Confidence = "high", conflict: str = "", contested: tuple[str, ...] = ()) -> Fact:
    return Fact(source=("plan-tpus",), as_of="2026", confidence=confidence, conflict=conflict, contested=contested)


def rule_of(basis: Basis, note: str = "", severity: Severity = Severity.ERROR) -> Rule:
    return dataclasses.replace(RULES[0], severity=severity, basis=basis, note=note)


# Every rule


@each("rule", [rule for rule in ERRORS if rule.scope is Scope.PLAN and rule.check is not None], by_id)
def test_a_rule_of_severity_error_is_one_in_its_example(rule: Rule[Any], check: Check) -> None:
    """A rule with an uncertain fact is declared as a warning, as on its page."""
    today = datetime.date.fromisoformat(rule.today or "2026-11-20")
    assert {finding.severity for finding in check(rule.failing, today) if finding.rule == rule.id} == {Severity.ERROR}


@each("rule", NOTED, by_id)
def test_a_note_that_a_rule_rests_on_is_in_the_catalog_and_certain(rule: Rule[Any]) -> None:
    (note,) = [note for note in notes() if note.id == rule.note]
    assert note.is_certain


@each("rule", [rule for rule in RULES if rule.basis == "observed"], by_id)
def test_a_rule_about_observed_behavior_names_the_observation(rule: Rule[Any]) -> None:
    observed = any(name.startswith("OBSERVED_") for name in rule.references)
    assert observed or "observed" in rule.source.lower()


def test_the_numbers_in_the_texts_of_rules_are_those_of_the_catalog() -> None:
    rules = {rule.id: rule for rule in RULES}
    time = CATALOG.maintenance.availability
    period = f"at least {time.min_hours} hours of maintenance time in every period of {time.rolling_days} days"
    assert period in rules["TPU605"].why
    assert f"a maintenance window of at least {time.piece_hours} hours" in rules["TPU602"].why
    days = CATALOG.maintenance.exclusions.max_no_upgrades_days
    assert f"GKE limits its length to {days} days" in rules["TPU612"].why
    assert f"GKE limits an exclusion of all upgrades to {days} days" in rules["TPU617"].why
    generations = [CATALOG.generation(name) for name in CATALOG.generation_names]
    (step,) = {item.custom_topologies.multiple_of for item in generations if item.custom_topologies}
    assert f"is a multiple of {step}." in rules["TPU113"].why
    assert f"the next multiple of {step} " in rules["TPU113"].fix


@each("rule", [rule for rule in RULES if rule.id[3] == "0"], by_id)
def test_rules_about_the_form_of_a_file_rest_on_the_format(rule: Rule[Any]) -> None:
    assert rule.basis in ("format", "observed")
    assert rule.note == ""


def test_the_tables_behind_the_rules_of_shapes_are_certain() -> None:
    """These rules are always errors because of the plan's format, so the catalog needs high confidence for them."""
    for name in CATALOG.generation_names:
        generation = CATALOG.generation(name)
        assert generation.topologies.for_item("rows").is_certain, name
        if generation.custom_topologies is not None:
            for item in ("multiple_of", "above_chips", "max_chips", "modes"):
                assert generation.custom_topologies.for_item(item).is_certain, (name, item)


DECIDING = (
    "GKE:",
    "GKE cluster autoscaler:",
    "Compute Engine:",
    "Google API discovery documents",
    "Google provider:",
    "Kubernetes:",
    "API error ",
    "Terraform notes with an API error",
    "XPK pull request 900",  # an answer of the API
)
"""How the titles of sources begin that decide by themselves."""


def facts_behind_errors(rule: Rule[Any]) -> Iterator[Fact]:
    """The facts on which the errors in a rule's failing example rest."""
    text = whole_plan(rule.failing).encode()
    plan = parse_plan(parse_yaml(text, "plan.yaml").data).content
    assert plan is not None
    assert rule.check is not None
    today = datetime.date.fromisoformat(rule.today or "2026-11-20")
    for hit in rule.check(PlanContext(plan, CATALOG, derive(plan, CATALOG, today), today)):
        severity, found = weighed(rule, hit.severity, hit.fact, CATALOG)
        if severity is Severity.ERROR and found is not None:
            yield found


@each(
    "rule",
    [rule for rule in ERRORS if rule.basis == "catalog" and rule.scope is Scope.PLAN and rule.check is not None],
    by_id,
)
def test_an_error_rests_on_two_sources_or_on_one_that_decides(rule: Rule[Any]) -> None:
    found = list(facts_behind_errors(rule))
    assert found
    for item in found:
        titles = [CATALOG.sources[name].title for name in item.source]
        assert len(titles) > 1 or titles[0].startswith(DECIDING), titles


# How a finding is weighed


@pytest.mark.parametrize(
    ("basis", "found", "expected"),
    [
        ("format", None, Severity.ERROR),
        ("observed", None, Severity.ERROR),
        ("catalog", None, Severity.WARNING),
        ("catalog", fact("high"), Severity.ERROR),
        ("catalog", fact("medium"), Severity.WARNING),
        ("catalog", fact("low"), Severity.WARNING),
        ("catalog", fact("high", "another page says otherwise"), Severity.WARNING),
        ("format", fact("medium"), Severity.WARNING),
        ("observed", fact("high", "another page says otherwise"), Severity.WARNING),
    ],
)
def test_an_error_needs_a_certain_fact_or_a_basis_without_facts(
    basis: Basis, found: Fact | None, expected: Severity
) -> None:
    assert weighed(rule_of(basis), None, found, CATALOG) == (expected, found)


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.NOTE])
def test_warnings_and_notes_keep_their_severity(severity: Severity) -> None:
    assert weighed(rule_of("catalog"), severity, None, CATALOG) == (severity, None)
    assert weighed(rule_of("catalog", severity=severity), None, None, CATALOG) == (severity, None)


def test_a_hit_can_be_an_error_under_a_rule_that_warns() -> None:
    rule = rule_of("observed", severity=Severity.WARNING)
    assert weighed(rule, Severity.ERROR, None, CATALOG) == (Severity.ERROR, None)


def test_the_note_of_a_rule_stands_in_for_the_fact_of_a_hit() -> None:
    severity, found = weighed(rule_of("catalog", "label-syntax"), None, None, CATALOG)
    assert severity is Severity.ERROR
    assert isinstance(found, Note)
    assert found.id == "label-syntax"
    own = fact("medium")
    assert weighed(rule_of("catalog", "label-syntax"), None, own, CATALOG) == (Severity.WARNING, own)


def test_a_rule_without_its_note_warns() -> None:
    assert weighed(rule_of("catalog", "no-such-note"), None, None, CATALOG) == (Severity.WARNING, None)


@pytest.mark.parametrize(
    ("contested", "item", "certain"),
    [((), "boot", False), (("attach",), "boot", True), (("attach",), "attach", False), (("a", "b"), "b", False)],
)
def test_a_conflict_about_one_item_leaves_the_others_certain(
    contested: tuple[str, ...], item: str, certain: bool
) -> None:
    assert fact("high", "another page says otherwise", contested).for_item(item).is_certain is certain


def test_a_finding_on_a_contested_fact_quotes_the_other_source(catalog: Catalog) -> None:
    hit = Hit((), "the window is short", fact=fact("high", "The older page says 32 days."))
    finding = finding_of(rule_of("catalog"), hit, catalog, {})
    assert finding.severity is Severity.WARNING
    assert finding.source.endswith(". Sources disagree: The older page says 32 days")
