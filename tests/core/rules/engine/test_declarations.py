"""What rules declare about themselves: the keys that they are about, and the severities of their findings."""

import datetime

import pytest
from support.key_patterns import pattern_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan, read_plan_content
from pulumi_gke_tpu.core.rules import Rule, Scope, all_rules, check_plan
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.rules.engine.rule import ON_PLANS, Hit
from pulumi_gke_tpu.core.rules.engine.run import finding_of
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.explain.words.plan_keys import rules_by_key

CATALOG = read_catalog()
RULES = all_rules()
KEYS = {path: {rule.id for rule in rules} for path, rules in rules_by_key().items()}


def test_the_failing_example_of_a_rule_breaks_it_at_a_key_that_the_rule_declares() -> None:
    elsewhere = []
    for rule in RULES:
        if rule.scope not in ON_PLANS or rule.check is None:
            continue
        today = datetime.date.fromisoformat(rule.today or "2026-11-20")
        (text, *_) = files_of(rule.failing).plans
        checked = check_plan(read_plan_content(text.encode(), "plan.yaml"), CATALOG, today, rules=(rule,))
        hits = [finding for finding in checked.findings if finding.rule == rule.id]
        assert hits, rule.id
        keys = {key: None for hit in hits for key in near(pattern_of(hit.path))}
        elsewhere += [] if any(rule.id in KEYS[key] for key in keys) else [(rule.id, [str(hit) for hit in hits])]
    assert elsewhere == []


def near(pattern: str) -> list[str]:
    """The keys at a place, or those of the mapping that a finding is at."""
    place = pattern.removesuffix(".*").removesuffix("[]")
    return [key for key in KEYS if key == place or key.startswith(f"{place}.")] or list(KEYS)


def test_every_rule_about_one_plan_declares_its_keys() -> None:
    without = {rule.id for rule in RULES if rule.scope in ON_PLANS and rule.check is not None and not rule.about}
    assert without == set()


def test_every_path_that_a_rule_declares_is_a_key_of_the_plan() -> None:
    named = [(rule.id, about) for rule in RULES for about in rule.about if isinstance(about, str)]
    assert len(named) > 300
    assert {rule_id for rule_id, about in named} <= set.union(*KEYS.values())
    assert [pair for pair in named if pair[1] not in KEYS] == []


def test_a_predicate_of_a_rule_finds_keys() -> None:
    asked = {rule.id for rule in RULES if any(callable(about) for about in rule.about)}
    assert asked == {"TPU244", "TPU281", "TPU282", "TPU286", "TPU342"}
    assert "TPU244" in KEYS["clusters.*.slices.*.boot_disk.kms_key"]
    assert "TPU281" in KEYS["clusters.*.slices.*.zones"]
    assert "TPU282" in KEYS["clusters.*.slices.*.taints"]
    assert "TPU286" in KEYS["clusters.*.addons"]
    assert "TPU342" in KEYS["clusters.*.slices.*.indices"]


def test_a_severity_that_a_rule_does_not_declare_is_an_error_of_the_rule() -> None:
    rule = Rule("TPU000", "example", title="", why="", fix="", failing="", passing="", basis="format")
    plan = parse_plan({"version": 1, "project": "acme-ml", "clusters": {}}).content
    assert finding_of(rule, Hit((), "wrong"), CATALOG, plan).severity is Severity.ERROR
    with pytest.raises(ValueError, match="TPU000 does not declare the severity note"):
        finding_of(rule, Hit((), "wrong", severity=Severity.NOTE), CATALOG, plan)


def test_severities_follow_from_the_rule_its_hits_and_the_weight_of_facts() -> None:
    for rule in RULES:
        severities = rule.severities
        assert next(iter(severities.items())) == (rule.severity, ""), rule.id
        by_weight = rule.basis == "catalog" and rule.severity is Severity.ERROR
        weaker = [Severity.WARNING] if by_weight else []
        assert set(severities) == {rule.severity, *rule.otherwise, *weaker}, rule.id
        assert ("less than high confidence" in severities.get(Severity.WARNING, "")) is by_weight, rule.id
        others = [where for severity, where in severities.items() if severity is not rule.severity]
        assert all(where.startswith("if ") for where in others), rule.id


def test_only_rules_of_the_reader_have_no_check() -> None:
    without = {rule.id for rule in RULES if rule.check is None}
    # Reported where plan files are paired, and where files of other tools are read.
    of_files = {"TPU890", "TPU891", "TPU892", "TPU893", "TPU894", "TPU895", "TPU896", "TPU971", "TPU972"}
    assert {id for id in without if id[3] != "0"} == of_files
    assert {rule.scope for rule in RULES if rule.id in without} <= {
        Scope.PLAN,
        Scope.FILE,
        Scope.INVENTORY,
        Scope.ORGANIZATION,
        Scope.MANIFESTS,
    }
