"""``gke-tpu explain KEY``: every key has a type, a default, a valid example and its rules."""

import datetime
import re
from typing import Any

import pytest
import yaml
from support.key_patterns import pattern_of
from support.mistakes import mistakes
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan, read_plan, read_plan_content
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY, example_of, plan_keys
from pulumi_gke_tpu.core.rules import Scope, check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of as rules_in_scope
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.explain.steps import Explanation
from pulumi_gke_tpu.features.explain.words.plan_keys import default_of, explain_key, rules_by_key

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
PATHS = [key.path for key in plan_keys()]
SOME = sample(PATHS, 80, lambda path: path.split(".")[:3:2][-1])


def explained(word: str) -> Explanation:
    found = explain_key(CATALOG, word)
    assert found is not None
    return found


def rules_of(word: str) -> set[str]:
    lines = [line for step in explained(word).steps if step.name == "rules" for line in step.details]
    return {rule for line in lines for rule in re.findall(r"\bTPU\d{3}\b", line)}


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
    lacking = [path for path in SOME if not has(yaml.safe_load(example_of(path) or "{}"), path.split("."))]
    assert lacking == []


def test_the_plan_of_the_examples_has_no_errors() -> None:
    checked = check_plan(read_plan(EVERY_KEY), CATALOG, TODAY)
    assert [finding for finding in checked.findings if finding.severity is Severity.ERROR] == []


def test_no_example_has_an_error_of_form() -> None:
    """An example lacks the other keys of its item; apart from these, it can be pasted."""
    wrong = {}
    for path in SOME:
        data = {"version": 1, "project": "acme-ml", **yaml.safe_load(example_of(path))}
        findings = parse_plan(data).findings
        others = [f"{item.rule} {item.message}" for item in findings if item.rule != "TPU021"]
        if others:
            wrong[path] = others
    assert wrong == {}


def test_the_page_of_a_key_has_type_default_example_and_rules() -> None:
    page = explained("clusters.*.slices.*.capacity.reservation")
    values = {step.name: step.value for step in page.steps}
    found = rules_of("clusters.*.slices.*.capacity.reservation")
    assert values == {"type": "text, or mapping", "default": "none", "keys": "4 keys", "rules": f"{len(found)} rules"}
    assert [step.details for step in page.steps if step.name == "keys"] == [
        (
            "name: text; default: none, the key is required",
            "project: text; default: none",
            "block: text; default: none",
            "sub_block: text; default: none",
        )
    ]
    assert len(found) > 5
    assert yaml.safe_load(page.paste)["clusters"]["train"]["slices"]["pretrain"]["capacity"]["reservation"]
    assert "TPU321" in rules_of("clusters.*.slices.*.capacity.reservation")


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("nat", "clusters.*.network.create.nat"),
        ("capacity.reservation.block", "clusters.*.slices.*.capacity.reservation.block"),
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
    assert page.more[0] == f"gke-tpu explain '{page.steps[0].name}'"
    assert explain_key(CATALOG, "no_such_key") is None


@pytest.mark.parametrize(
    ("word", "rules", "without"),
    [
        ("create.mtu", {"TPU266", "TPU267"}, {"TPU261"}),
        ("clusters.*.slices.*.zone", {"TPU203", "TPU204"}, {"TPU201"}),
        ("clusters.*.autoprovisioning.tpu", {"TPU221", "TPU222"}, {"TPU226"}),
        ("clusters.*.slices.*.topology", {"TPU111", "TPU112"}, {"TPU101"}),
        ("version", set(), {"TPU232", "TPU233"}),
        ("clusters.*.version", {"TPU231", "TPU232", "TPU233"}, {"TPU112"}),
        ("cpu_pools", {"TPU242", "TPU275", "TPU276", "TPU536", "TPU539", "TPU540"}, {"TPU259"}),
        ("clusters.*.autoprovisioning.node_service_account", {"TPU242", "TPU243"}, {"TPU220"}),
        ("clusters.*.cpu_pools.*.boot_disk.size_gib", set(), {"TPU594"}),
        ("clusters.*.slices.*.protect", {"TPU961", "TPU963"}, {"TPU112"}),
        ("workload_policies", {"TPU136", "TPU137", "TPU138", "TPU139", "TPU295"}, {"TPU275"}),
    ],
)
def test_the_rules_are_those_whose_examples_and_texts_are_about_the_key(
    word: str, rules: set[str], without: set[str]
) -> None:
    assert rules <= rules_of(word)
    assert not without & rules_of(word)


def test_every_key_below_another_is_in_its_list() -> None:
    paths = {key.path for key in plan_keys()}
    above = {path: re.sub(r"(?:\.\*|\[\])?\.[^.]+$", "", path) for path in paths if "." in path}
    listed = {
        (path, line.partition(":")[0])
        for path in sorted(set(above.values()))
        for step in explained(path).steps
        if step.name == "keys"
        for line in step.details
    }
    assert listed == {(over, path.rpartition(".")[2]) for path, over in above.items()}


def test_the_page_of_a_plain_value_lists_no_keys() -> None:
    assert "keys" not in [step.name for step in explained("clusters.*.slices.*.zone").steps]


def test_the_rules_of_existing_clusters_are_all_there() -> None:
    """Of a plan, of several plans, and of a change."""
    plan, several, change = (
        {"TPU284", "TPU285", "TPU286", "TPU287", "TPU288", "TPU636", "TPU879"},
        {"TPU844", "TPU846"},
        {"TPU966", "TPU967"},
    )
    assert rules_of("clusters.*.existing") == plan | several | change


def test_every_finding_in_the_corpus_of_mistakes_is_by_a_rule_about_its_key() -> None:
    """Rules declare their keys; the corpus is independent of them."""
    keys = {key.path.replace("[]", ""): key for key in plan_keys()}
    by_id = {rule.id: rule for rule in rules_in_scope(Scope.PLAN)}
    found = set()
    for case in mistakes():
        if case.base == "inventory":
            continue
        document = read_plan_content(case.text.encode(), "plan.yaml")
        for item in check_plan(document, CATALOG, TODAY).findings:
            path = pattern_of(item.path).replace("[]", "")
            while path and path not in keys:
                path = path.rpartition(".")[0]
            if path and item.rule in by_id and by_id[item.rule].check is not None:
                found.add((item.rule, path))
    assert len(found) > 30
    declared = {path: {rule.id for rule in rules} for path, rules in rules_by_key().items()}
    assert [pair for pair in sorted(found) if pair[0] not in declared[keys[pair[1]].path]] == []


def test_a_default_that_depends_on_other_keys_is_shown() -> None:
    """The default is in the description, for example where GKE chooses it."""
    for key in plan_keys():
        if " if not set" in key.description and not key.default:
            shown = default_of(key)
            assert shown.rpartition("; ")[2] in key.description, key.path
            assert shown != "none", key.path
    values = {step.name: step.value for step in explained("private_nodes").steps}
    assert values["default"] == "true with network and false without it; the setting of the cluster"


def test_the_page_of_a_key_names_the_other_keys_of_this_name() -> None:
    page = explained("version")
    assert page.item == "version"
    assert page.more[0] == "gke-tpu explain 'clusters.*.version'"
    assert all(
        re.fullmatch(
            r"gke-tpu explain 'clusters\.\*\.(kubernetes\.(operators\.\w+|[a-z.*_]+\.inference_pool)\.)?version'", more
        )
        for more in page.more
    )
    assert explained("protect").more == ()


def test_the_values_of_a_choice_are_listed() -> None:
    steps = {step.name: step.value for step in explained("clusters.*.mode").steps}
    assert steps["values"] == "standard, autopilot"
    assert steps["default"] == "none, the key is required"
