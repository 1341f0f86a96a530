"""``gke-tpu explain KEY``: every key has a type, a default, a valid example and its rules."""

import datetime
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.explain.key_example import EVERY_KEY, example_of
from pulumi_gke_tpu.explain.key_table import plan_keys
from pulumi_gke_tpu.explain.steps import Explanation
from pulumi_gke_tpu.explain.words.plan_keys import explain_key
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.plan import parse_plan, read_plan
from pulumi_gke_tpu.rules import check_plan

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
PATHS = [key.path for key in plan_keys()]


def explained(word: str) -> Explanation:
    found = explain_key(CATALOG, word)
    assert found is not None
    return found


def rules_of(word: str) -> set[str]:
    return {line.split()[0] for step in explained(word).steps if step.name == "rules" for line in step.details}


def has(data: Any, steps: list[str]) -> bool:
    """Whether data has a value at a path of the table of keys."""
    if not steps:
        return True
    if isinstance(data, list):
        return any(has(item, steps) for item in data)
    name = steps[0].removesuffix("[]")
    if not isinstance(data, dict):
        return False
    below = data.values() if name == "*" else [data[name]] if name in data else []
    return any(has(value, steps[1:]) for value in below)


def test_every_key_has_an_example_that_contains_it() -> None:
    lacking = [path for path in PATHS if not has(yaml.safe_load(example_of(path) or "{}"), path.split("."))]
    assert lacking == []


def test_the_plan_of_the_examples_has_no_errors() -> None:
    checked = check_plan(read_plan(EVERY_KEY), CATALOG, TODAY)
    assert [finding for finding in checked.findings if finding.severity is Severity.ERROR] == []


def test_no_example_has_an_error_of_form() -> None:
    """An example lacks the other keys of its item; apart from these, it can be pasted."""
    wrong = {}
    for path in PATHS:
        data = {"version": 1, "project": "acme-ml", **yaml.safe_load(example_of(path))}
        findings = parse_plan(data).findings
        others = [f"{item.rule} {item.message}" for item in findings if item.rule != "TPU021"]
        if others:
            wrong[path] = others
    assert wrong == {}


def test_the_page_of_a_key_has_type_default_example_and_rules() -> None:
    page = explained("clusters.*.slices.*.capacity.reservation")
    values = {step.name: step.value for step in page.steps}
    assert values == {"type": "text, or mapping", "default": "none", "rules": "3 rules"}
    assert yaml.safe_load(page.paste)["clusters"]["train"]["slices"]["pretrain"]["capacity"]["reservation"]
    assert "TPU321" in rules_of("clusters.*.slices.*.capacity.reservation")


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("nat", "clusters.*.network.create.nat"),
        ("reservation.block", "clusters.*.slices.*.capacity.reservation.block"),
        ("clusters.prod.slices.a.topology", "clusters.*.slices.*.topology"),
        ("clusters.prod.slices.a.taints[0].effect", "clusters.*.slices.*.taints[].effect"),
        ("clusters.*.slices.*.taints.effect", "clusters.*.slices.*.taints[].effect"),
        ("slices.*.boot_disk", "clusters.*.slices.*.boot_disk"),
        ("moved", "moved"),
    ],
)
def test_a_key_is_found_by_its_path_and_by_an_end_that_no_other_key_has(word: str, path: str) -> None:
    assert explained(word).item == path


def test_an_ambiguous_name_lists_the_paths() -> None:
    page = explained("name")
    assert len(page.steps) > 2
    assert {step.name for step in page.steps} <= set(PATHS)
    assert page.more[0] == "gke-tpu explain 'clusters.*.name'"
    assert explain_key(CATALOG, "no_such_key") is None


@pytest.mark.parametrize(
    ("word", "rules", "without"),
    [
        ("create.mtu", {"TPU266", "TPU267"}, {"TPU261"}),
        ("clusters.*.slices.*.zone", {"TPU203", "TPU204"}, {"TPU201"}),
        ("clusters.*.autoprovisioning.tpu", {"TPU221", "TPU222"}, {"TPU226"}),
        ("clusters.*.slices.*.topology", {"TPU111", "TPU112"}, {"TPU101"}),
    ],
)
def test_the_rules_are_those_whose_example_fails_at_the_key(word: str, rules: set[str], without: set[str]) -> None:
    assert rules <= rules_of(word)
    assert not without & rules_of(word)


def test_the_values_of_a_choice_are_listed() -> None:
    steps = {step.name: step.value for step in explained("clusters.*.mode").steps}
    assert steps["values"] == "standard, autopilot"
    assert steps["default"] == "none, the key is required"
