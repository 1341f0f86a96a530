"""Writes ``features/explain/key_rules.json``: the rules about each key of the plan, derived from the examples of the rules.

A rule is about a key if its failing example breaks it there, would break it there with the same or an ordinary value,
or is in order without the key; if its text names the key and its examples use it; or, for a rule about changes, if its
failing example changes the key.
"""

import copy
import datetime
import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import Document, Plan, parse_plan, read_inventory_content, read_plan_content
from pulumi_gke_tpu.core.plan.base import Form
from pulumi_gke_tpu.core.plan.canonical import plan_data
from pulumi_gke_tpu.core.plan.key_example import EVERY_KEY, values_at
from pulumi_gke_tpu.core.plan.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.core.plan.keys import documented_keys, field_of, form_of, inner_type, is_plan_model
from pulumi_gke_tpu.core.rules import Rule, Scope, check_plan
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.rules.engine.rule import ON_PLANS
from pulumi_gke_tpu.core.rules.fleet.together import validate_fleet
from pulumi_gke_tpu.core.text.findings import Finding, Path, Severity
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml, read_yaml
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.explain.words.plan_keys import KEY_RULES

_TODAY = datetime.date(2026, 11, 20)
"""The day on which examples of rules are checked, unless the rule names another one."""
_SCOPES = (*ON_PLANS, Scope.FINDINGS, Scope.FLEET, Scope.INVENTORY, Scope.CHANGE)
_ALWAYS_WRITTEN = ("version", "project")
"""Keys that the examples of all rules have."""
_TOGETHER = (Scope.FLEET, Scope.INVENTORY)
_CLUSTERS = ("clusters",)
"""The beginning of the paths in plans that rules about several files report; the others are in the inventory."""


def main() -> None:
    """Bring the file up to date."""
    KEY_RULES.write_text(key_rules_file(read_catalog()), encoding="utf-8")


def key_rules_file(catalog: Catalog) -> str:
    """The rules about each key or a key below it, by id, as ``gke-tpu explain`` reads them."""
    rules = rules_of(*_SCOPES)
    keys = {key.path: [rule.id for rule in rules if is_about(rule, catalog, key)] for key in plan_keys()}
    used = {rule for ids in keys.values() for rule in ids}
    data = {"rules": {rule.id: f"{rule.name}: {rule.title}" for rule in rules if rule.id in used}, "keys": keys}
    return f"{json.dumps(data, indent=1)}\n"


def is_about(rule: Rule[Any], catalog: Catalog, key: PlanKey) -> bool:
    """Whether a rule is about a key or a key below it."""
    return (
        any(_concerns(pattern, message, key) for pattern, message in _hits_of(rule, catalog))
        or any(_is_within(pattern, key) for pattern in _changed(rule))
        or _names(rule, key)
        or _depends(rule, catalog, key)
        or _breaks_elsewhere(rule, catalog, key)
        or _breaks_in_example(rule, catalog, key)
    )


def pattern_of(path: Path) -> str:
    """The path of a value as ``documented_keys`` writes it."""
    kind: Any = Plan
    steps: list[str] = []
    for step in path:
        if is_plan_model(kind):
            field = field_of(kind, str(step))
            kind = inner_type(field.annotation) if field else None
            steps.append(str(step))
        elif get_origin(kind) is list and steps:
            kind = inner_type(get_args(kind)[0])
            steps[-1] += "[]"
        else:
            kind = inner_type(get_args(kind)[1]) if get_origin(kind) is dict else None
            steps.append("*")
    return ".".join(steps)


def _is_within(pattern: str, key: PlanKey) -> bool:
    return pattern == key.path or pattern.startswith((f"{key.path}.", f"{key.path}[]"))


def _concerns(pattern: str, message: str, key: PlanKey) -> bool:
    """Whether a finding is at the key or below it, or at its mapping and names the key."""
    return _is_within(pattern, key) or (
        pattern in (key.parent, key.parent.removesuffix(".*")) and f"`{key.name}`" in message
    )


@functools.cache
def _hits_of(rule: Rule[Any], catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """Where the failing example of a rule breaks it, as patterns, with the messages."""
    plans = files_of(rule.failing).plans
    documents = [read_plan_content(text.encode(), f"plan-{index}.yaml") for index, text in enumerate(plans)]
    return tuple((pattern_of(item.path), item.message) for item in _findings(rule, catalog, documents))


def _findings(rule: Rule[Any], catalog: Catalog, documents: Sequence[Document[Plan]]) -> list[Finding]:
    """What a rule finds in plans, beside the inventory of its failing example; nothing for a rule about changes."""
    if rule.check is None or rule.scope not in (*ON_PLANS, *_TOGETHER):
        return []
    today = _today(rule)
    if rule.scope in ON_PLANS:
        found = check_plan(documents[0], catalog, today, rules=(rule,)).findings
    else:
        plans = [check_plan(document, catalog, today) for document in documents]
        written = files_of(rule.failing).inventory
        if rule.scope is Scope.FLEET or written is None:
            found = validate_fleet(plans, catalog, today=today)
        else:
            inventory = read_inventory_content(written.encode(), "inventory.yaml")
            found = validate_inventory(plans, inventory, catalog, today=today)
    return [item for item in found if item.rule == rule.id and (rule.scope in ON_PLANS or item.path[:1] == _CLUSTERS)]


def _today(rule: Rule[Any]) -> datetime.date:
    return datetime.date.fromisoformat(rule.today) if rule.today else _TODAY


def _names(rule: Rule[Any], key: PlanKey) -> bool:
    """Whether the texts of a rule name the key, and one of its examples uses it or no other key has the name."""
    named = re.compile(rf"`{re.escape(key.name)}(?:: [^`]*)?`")
    if key.path in _ALWAYS_WRITTEN or not any(named.search(text) for text in (rule.title, rule.why, rule.fix)):
        return False
    if [other.path for other in plan_keys() if other.name == key.name and other.path not in _ALWAYS_WRITTEN] == [
        key.path
    ]:
        return True
    return any(True for plan in _plans(rule) for _ in values_at(plan, key.path.split(".")))


@functools.cache
def _plans(rule: Rule[Any]) -> tuple[Any, ...]:
    """The plans in the examples of a rule, as data."""
    texts = [text for example in (rule.failing, rule.passing) for text in files_of(example).plans]
    return tuple(parse_yaml(text.encode(), "plan.yaml").data for text in texts)


@functools.cache
def _changed(rule: Rule[Any]) -> frozenset[str]:
    """The keys that differ between the plans of the failing example of a rule about changes."""
    if rule.scope is not Scope.CHANGE:
        return frozenset()
    before, after = (parse_yaml(text.encode(), "plan.yaml").data for text in files_of(rule.failing).plans)
    return frozenset(pattern_of(path) for path in _differing((), before, after))


def _differing(path: Path, before: object, after: object) -> Iterator[Path]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in dict.fromkeys((*before, *after)):
            yield from _differing((*path, name), before.get(name), after.get(name))
    elif before != after:
        yield path


def _depends(rule: Rule[Any], catalog: Catalog, key: PlanKey) -> bool:
    """Whether the failing example of a rule uses a key, and is in order without it.

    Without a whole item, such as a slice group, every plan is valid, which shows nothing about the item. The same
    holds if the plan has another error without the key.
    """
    if not _hits_of(rule, catalog) or key.kind.startswith("name -> mapping"):
        return False
    examples = _canonical(rule)
    plans = [_without(plan, key) for plan in examples]
    if plans == list(examples):
        return False
    documents = [parse_plan(plan) for plan in plans]
    if any(document.findings for document in documents) or _broken(rule, catalog, documents):
        return False
    return not _errors(rule, catalog, documents) - _errors(rule, catalog, [parse_plan(plan) for plan in examples])


def _without(plan: object, key: PlanKey) -> object:
    plan = copy.deepcopy(plan)
    above, _, name = key.path.rpartition(".")
    for item in list(values_at(plan, above.split(".") if above else [])):
        if isinstance(item, dict):
            item.pop(name, None)
    return plan


def _errors(rule: Rule[Any], catalog: Catalog, documents: Sequence[Document[Plan]]) -> set[str]:
    checked = (check_plan(document, catalog, _today(rule)) for document in documents)
    return {item.rule for plan in checked for item in plan.findings if item.severity is Severity.ERROR}


@functools.cache
def _canonical(rule: Rule[Any]) -> tuple[object, ...]:
    """The plans of the failing example with the keys that follow from others, such as the location of a cluster."""
    contents = [parse_plan(plan).content for plan in _plans(rule)[: len(files_of(rule.failing).plans)]]
    return tuple({} if content is None else plan_data(content) for content in contents)


def _breaks_elsewhere(rule: Rule[Any], catalog: Catalog, key: PlanKey) -> bool:
    """Whether the value in the failing example of a rule breaks it as well at a key of the same name or form."""
    if rule.check is None or rule.scope not in ON_PLANS:
        return False
    for pattern in dict.fromkeys(pattern for pattern, _ in _hits_of(rule, catalog)):
        name = pattern.rpartition(".")[2].removesuffix("[]")
        form = _forms().get(pattern)
        others = [
            other
            for other in plan_keys()
            if _is_within(other.path, key)
            and (other.name == name or (form is not None and _forms().get(other.path) == form))
        ]
        value = next(values_at(_plans(rule)[0], pattern.removesuffix("[]").split(".")), None) if others else None
        if value is not None and any(_breaks(rule, catalog, other, value) for other in others):
            return True
    return False


def _breaks_in_example(rule: Rule[Any], catalog: Catalog, key: PlanKey) -> bool:
    """Whether an ordinary value of the key breaks the rule in its failing example, as on Autopilot."""
    if rule.check is None or rule.scope not in ON_PLANS:
        return False
    steps = key.path.split(".")
    value = next(values_at(_every_key(), steps), None)
    plan = copy.deepcopy(_plans(rule)[0])
    added = False
    for mapping in values_at(plan, steps[:-1]):
        if isinstance(mapping, dict) and value is not None and steps[-1] not in mapping:
            mapping[steps[-1]] = copy.deepcopy(value)
            added = True
    return added and any(_is_within(pattern, key) for pattern in _broken(rule, catalog, [parse_plan(plan)]))


@functools.cache
def _every_key() -> object:
    return read_yaml(EVERY_KEY).data


@functools.cache
def _forms() -> Mapping[str, Form]:
    """Path of a key -> the form of its texts, such as a zone or a version."""
    return {path: form for path, field, _ in documented_keys(Plan) if (form := form_of(field)) is not None}


def _breaks(rule: Rule[Any], catalog: Catalog, key: PlanKey, value: object) -> bool:
    """Whether a value breaks a rule at a key of the plan that has every key, where the value there does not."""
    plan = copy.deepcopy(_every_key())
    before = _broken(rule, catalog, [parse_plan(plan)])
    above, _, name = key.path.rpartition(".")
    for mapping in values_at(plan, above.split(".") if above else []):
        if isinstance(mapping, dict) and name in mapping:
            mapping[name] = _in_place_of(mapping[name], value)
    broken = _broken(rule, catalog, [parse_plan(plan)])
    return any(_is_within(pattern, key) for pattern in broken - before)


def _in_place_of(written: object, value: object) -> object:
    """A value as the only entry of a mapping or list, if a key has one."""
    if isinstance(value, dict | list):
        return value
    if isinstance(written, dict):
        return dict.fromkeys(list(written)[:1], value)
    return [value] if isinstance(written, list) else value


def _broken(rule: Rule[Any], catalog: Catalog, documents: Sequence[Document[Plan]]) -> frozenset[str]:
    return frozenset(pattern_of(item.path) for item in _findings(rule, catalog, documents))


if __name__ == "__main__":
    main()
