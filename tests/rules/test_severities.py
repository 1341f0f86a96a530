"""A rule declares every severity that its findings can have; the declaration is held against the code of its check."""

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import Any

import pytest

import pulumi_gke_tpu.core.rules
import pulumi_gke_tpu.features.diff.rules
from pulumi_gke_tpu.core.rules import Rule, all_rules
from pulumi_gke_tpu.core.rules.engine.hit import Hit
from pulumi_gke_tpu.core.text.findings import Severity

RULES = all_rules()
PACKAGES = (pulumi_gke_tpu.core.rules, pulumi_gke_tpu.features.diff.rules)


def reached(function: Any, seen: dict[str, types.FunctionType]) -> None:
    """The function and all functions of the rules that it calls, or that its closure holds."""
    if not isinstance(function, types.FunctionType) or not function.__module__.startswith(
        tuple(package.__name__ for package in PACKAGES)
    ):
        return
    name = f"{function.__module__}.{function.__qualname__}"
    if name in seen:
        return
    seen[name] = function
    for constant in names_in(function.__code__):
        reached(function.__globals__.get(constant), seen)
    for cell in function.__closure__ or ():
        reached(cell.cell_contents, seen)


def names_in(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def severities_in(function: types.FunctionType) -> set[Severity]:
    """Those that the hits which a function makes are given."""
    body = ast.parse(textwrap.dedent(inspect.getsource(function)))
    hits = [
        node
        for node in ast.walk(body)
        if isinstance(node, ast.Call) and Hit.__name__ in ast.unparse(node.func).split(".")
    ]
    given = [keyword.value for hit in hits for keyword in hit.keywords if keyword.arg == "severity"]
    return {severity for value in given for severity in severities_of(value, body, function.__globals__)}


def severities_of(value: ast.expr, body: ast.AST, names: dict[str, Any]) -> set[Severity]:
    """Those that an expression names, or a function that it calls; for a variable those of the whole function."""
    found = named_in(value)
    for call in (node for node in ast.walk(value) if isinstance(node, ast.Call)):
        called = names.get(getattr(call.func, "id", ""))
        if isinstance(called, types.FunctionType):
            found |= named_in(ast.parse(textwrap.dedent(inspect.getsource(called))))
    return found or named_in(body)


def named_in(node: ast.AST) -> set[Severity]:
    attributes = [item for item in ast.walk(node) if isinstance(item, ast.Attribute)]
    return {Severity[item.attr] for item in attributes if getattr(item.value, "id", "") == Severity.__name__}


CHECKS = {rule.id: rule.check for rule in RULES if rule.check is not None}


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.id in CHECKS], ids=lambda rule: rule.id)
def test_a_rule_declares_every_severity_that_its_hits_are_given(rule: Rule[Any]) -> None:
    functions: dict[str, types.FunctionType] = {}
    reached(CHECKS[rule.id], functions)
    made: set[Severity] = set()
    for function in functions.values():
        if "severity" in inspect.getsource(function):
            made |= severities_in(function)
    if rule.id == "TPU261":
        made.add(Severity.WARNING)  # passed on as an argument
    assert set(rule.otherwise) == made - {rule.severity}, "state in `otherwise` when a hit has which severity"


def test_most_checks_are_examined() -> None:
    without = {rule.id for rule in RULES if rule.id not in CHECKS}
    assert len(CHECKS) > 200
    assert {id for id in without if id[3] != "0"} == {"TPU971"}  # reported where plan files are paired


@pytest.mark.parametrize("rule", RULES, ids=[rule.id for rule in RULES])
def test_severities_follow_from_the_rule_its_hits_and_the_weight_of_facts(rule: Rule[Any]) -> None:
    severities = rule.severities
    assert next(iter(severities.items())) == (rule.severity, "")
    by_weight = rule.basis == "catalog" and rule.severity is Severity.ERROR
    assert set(severities) == {rule.severity, *rule.otherwise, *([Severity.WARNING] if by_weight else [])}
    assert ("less than high confidence" in severities.get(Severity.WARNING, "")) is by_weight
    assert all(where.startswith("if ") for severity, where in severities.items() if severity is not rule.severity)
