"""Rules are found by walking the packages of rules: a new rule is one decorated function in one file."""

import ast
import configparser
import datetime
import pathlib
import sys
import typing
from collections.abc import Iterator

import pytest
from support.checking import validate

import pulumi_gke_tpu.core.rules.nodes
from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.fleet.checked import PlanInFleet
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.resources.pools import PoolContext
from pulumi_gke_tpu.core.rules import PlanContext, Scope, all_rules
from pulumi_gke_tpu.core.rules.engine import discovery
from pulumi_gke_tpu.core.rules.engine.context import PlanFindings
from pulumi_gke_tpu.core.rules.engine.examples import whole_plan
from pulumi_gke_tpu.core.rules.existing.clusters import SlicesArguments
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml
from pulumi_gke_tpu.features.capacity.rules.inventory.context import InventoryContext
from pulumi_gke_tpu.features.capacity.rules.organization.context import OrganizationContext
from pulumi_gke_tpu.features.check.context import ManifestContext
from pulumi_gke_tpu.features.diff.rules.transition import Transition
from pulumi_gke_tpu.features.explain.reference.rule_page import rule_pages, rules_json
from pulumi_gke_tpu.features.workloads.rendered import RenderedFiles

NEW = """
from collections.abc import Iterable

from pulumi_gke_tpu.core.rules.engine.context import PlanContext
from pulumi_gke_tpu.core.rules.engine.rule import Hit
from pulumi_gke_tpu.core.rules.engine.rule import Scope, rule


@rule(
    "TPU599",
    "reserved-team",
    scope=Scope.PLAN,
    title="Reserved team label",
    why="the label is reserved",
    fix="Use another value.",
    source="The form of a plan",
    basis="format",
    failing="tpu: v6e\\ntopology: 4x4\\nnode_labels: {team: reserved}",
    passing="tpu: v6e\\ntopology: 4x4\\nnode_labels: {team: research}",
)
def reserved_team(context: PlanContext) -> Iterable[Hit]:
    for _, group in context.fleet.groups():
        if group.plan.node_labels.get("team") == "reserved":
            yield Hit.invalid((*group.path, "node_labels", "team"), "team", "reserved")
"""
SUBJECTS = {
    Scope.PLAN: PlanContext,
    Scope.WORKLOADS: PlanContext,
    Scope.RUNS: PlanContext,
    Scope.FINDINGS: PlanFindings,
    Scope.INVENTORY: InventoryContext,
    Scope.ORGANIZATION: OrganizationContext,
    Scope.FLEET: tuple[PlanInFleet, ...],
    Scope.CHANGE: Transition,
    Scope.COMPONENT: SlicesArguments,
    Scope.POOL: PoolContext,
    Scope.STACK: PoolContext,
    Scope.MANIFESTS: ManifestContext,
    Scope.RENDERED: RenderedFiles,
}


@pytest.fixture
def new_rule(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with one rule, which Python imports as if it were in the folder of a topic."""
    (tmp_path / "reserved_team.py").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(
        pulumi_gke_tpu.core.rules.nodes, "__path__", [*pulumi_gke_tpu.core.rules.nodes.__path__, str(tmp_path)]
    )
    discovery.rules_in.cache_clear()
    yield "TPU599"
    sys.modules.pop("pulumi_gke_tpu.core.rules.nodes.reserved_team", None)
    discovery.rules_in.cache_clear()


def test_a_new_module_with_one_decorated_function_is_found_documented_and_run(new_rule: str, catalog: Catalog) -> None:
    (rule,) = [rule for rule in all_rules() if rule.id == new_rule]
    pages = rule_pages(all_rules(), catalog.sources)
    assert pages[f"{new_rule}.md"].startswith("# TPU599: Reserved team label\n\n`reserved-team`\n")
    assert "reserved-team" in pages["README.md"]
    assert "reserved-team" in {entry["name"] for entry in rules_json(all_rules(), catalog.sources)["rules"]}
    for example, expected in ((rule.failing, ["TPU599"]), (rule.passing, [])):
        plan = parse_plan(parse_yaml(whole_plan(example).encode(), "plan.yaml").data).content
        assert plan is not None
        found = validate(plan, catalog, today=datetime.date(2026, 11, 20))
        assert [finding.rule for finding in found] == expected


@pytest.mark.parametrize("scope", SUBJECTS, ids=lambda scope: scope.name)
def test_rules_of_a_scope_are_where_the_scope_is_looked_for(scope: Scope) -> None:
    assert discovery.rules_of(scope) == tuple(rule for rule in all_rules() if rule.scope is scope)
    assert discovery.rules_of(scope)


def test_every_check_takes_what_its_scope_looks_at() -> None:
    wrong = []
    for rule in all_rules():
        if rule.check is not None:
            hints = typing.get_type_hints(rule.check)
            first = next(value for name, value in hints.items() if name != "return")
            wrong += [rule.id] if first != SUBJECTS[rule.scope] else []
    assert wrong == []


def test_nothing_below_the_rules_names_a_module_of_rules() -> None:
    """The engine reaches modules of rules by walking packages only."""
    folder = pathlib.Path(discovery.__file__).parent
    imported = {
        node.module or ""
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    }
    assert [
        name for name in imported if ".rules." in name and not name.startswith("pulumi_gke_tpu.core.rules.engine")
    ] == []


def test_every_topic_is_in_the_contract_that_topics_never_import_each_other() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(pathlib.Path(__file__).parents[4] / ".importlinter", encoding="utf-8")
    for contract, key in (("rule-topics", "modules"), ("engine-of-rules", "forbidden_modules")):
        named = set(contracts[f"importlinter:contract:{contract}"][key].split())
        assert {name for name in named if ".features." not in name} == set(discovery.topics())
