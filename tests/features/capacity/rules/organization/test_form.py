"""Rules about problems of the organization file itself."""

import datetime
import itertools
from pathlib import Path

import pytest
import yaml
from support.several import findings_about

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import read_organization_content, read_plan_content
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.workflows.check import check_documents
from pulumi_gke_tpu.features.capacity.rules.organization.together import validate_organization

TODAY = datetime.date(2026, 11, 20)

PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""


@pytest.mark.parametrize(
    ("pattern", "fix"),
    [("us-east5", "us-east5-*"), ("us-*5", "us-*5-*"), ("us-east5-z", ""), ("mars", "")],
)
def test_the_fix_of_an_unknown_zone_is_a_pattern_that_some_zone_matches(
    pattern: str, fix: str, catalog: Catalog, tmp_path: Path
) -> None:
    example = f"{PLAN}--- organization\nstandards: {{a: {{zones: ['{pattern}']}}}}"
    (finding,) = [each for each in findings_about(example, catalog, tmp_path, TODAY) if each.rule == "TPU944"]
    assert yaml.safe_load(finding.fix or "''") == fix


@pytest.mark.parametrize(
    ("organization", "rules"),
    [
        ("version: 1\n", ["TPU947"]),
        ("version: 1\nstandards: {}\n", ["TPU947"]),
        ("version: 1\nstandards: {a: {generations: [v6e]}}\n", []),
        ("version: 1\nstandards: {a: {}}\nexemptions: []\n", ["TPU026"]),
    ],
)
def test_a_file_that_checks_nothing_is_reported(organization: str, rules: list[str], catalog: Catalog) -> None:
    assert rules_with(PLAN, organization, catalog) == rules


@pytest.mark.parametrize("key", ["clusters", "groups"])
def test_a_pattern_has_at_most_100_characters(key: str, catalog: Catalog, tmp_path: Path) -> None:
    for length, expected in ((100, False), (101, True)):
        text = f"{PLAN}--- organization\nstandards: {{a: {{names: {{{key}: '{'*' * length}'}}}}}}"
        findings = findings_about(text, catalog, tmp_path, TODAY)
        assert any("100 characters" in finding.message for finding in findings) is expected


def rules_with(plan: str, organization: str, catalog: Catalog) -> list[str]:
    documents = [read_plan_content(plan.encode(), "plan.yaml")]
    standards = read_organization_content(organization.encode(), "organization.yaml")
    return [finding.rule for finding in check_documents(documents, None, catalog, TODAY, standards).findings]


UNCLEAR = "version: 1\nstandards:\n  a: {generations: [v5p], severity: strict}\n  b: {modes: [autopilot]}\n"


def test_a_wrong_entry_does_not_hide_what_plans_break_whatever_it_means(catalog: Catalog) -> None:
    assert sorted(rules_with(PLAN, UNCLEAR, catalog)) == ["TPU023", "TPU921", "TPU923"]


def test_a_broken_plan_does_not_hide_problems_of_the_organization_file(catalog: Catalog) -> None:
    wrong = "version: 1\nstandards: {a: {labels: [Team]}}\nexemptions: []\n"
    assert "TPU945" in rules_with("version: 1\nclusters: [\n", wrong, catalog)


def test_a_broken_organization_file_does_not_hide_problems_of_plans(catalog: Catalog) -> None:
    found = rules_with(PLAN.replace("4x4", "4x5"), "version: 1\nstandards: [\n", catalog)
    assert {"TPU003", "TPU112"} <= set(found)


@pytest.mark.parametrize(
    ("plan", "unused"),
    [
        (PLAN, True),
        (PLAN.replace("4x4", "4x5"), False),
        (PLAN.replace("tpu: v6e", "tpu: [v6e, v5p]"), False),
        ("version: 1\nclusters: [\n", False),
    ],
)
def test_an_exemption_is_unused_only_if_every_plan_could_be_read_whole(
    plan: str, unused: bool, catalog: Catalog
) -> None:
    exempt = "exemptions: [{standard: a, project: acme-ml, reason: launch, until: 2026-12-31}]"
    found = rules_with(plan, f"version: 1\nstandards: {{a: {{generations: [v6e]}}}}\n{exempt}\n", catalog)
    assert ("TPU941" in found) is unused


def test_without_a_date_no_exclusion_has_ended(catalog: Catalog) -> None:
    text = PLAN.replace("us-east5-b}", "us-east5-b, capacity: {reservation: main}}") + (
        "    maintenance: {exclusions: {a: {start: 2020-01-01T00:00:00Z, end: 2020-01-20T00:00:00Z}}}\n"
    )
    standards = read_organization_content(b"version: 1\nstandards: {a: {exclusion: true}}\n", "organization.yaml")
    for today, rules in ((None, []), (TODAY, ["TPU927"])):
        checked = check_plan(read_plan_content(text.encode(), "plan.yaml"), catalog, TODAY)
        assert [each.rule for each in validate_organization([checked], standards, catalog, today=today)] == rules


@pytest.mark.parametrize("name", ['"\\x1b[31m"', '"a\\u202eb"', '"x\\ny"', '"`"', '"%s{}"'])
def test_texts_of_the_file_are_escaped(name: str, catalog: Catalog) -> None:
    organization = (
        f"version: 1\nowner: {name}\nstandards:\n  {name}: {{generations: [{name}], message: {name}}}\n"
        f"exemptions: [{{standard: {name}, of: {name}, reason: {name}, until: 2026-11-19}}]\n"
    )
    documents = [read_plan_content(PLAN.encode(), "plan.yaml")]
    standards = read_organization_content(organization.encode(), "organization.yaml")
    findings = check_documents(documents, None, catalog, TODAY, standards).findings
    texts = itertools.chain.from_iterable((each.message, each.why, *each.allowed) for each in findings)
    assert not {char for text in texts for char in text} & set("\x1b\u202e\n")
    assert {"TPU921", "TPU010"} & {finding.rule for finding in findings}
