"""Explains a key of the plan: type, values, default, an example, and the rules about it."""

import datetime
import functools
import re
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.explain.key_example import example_of
from pulumi_gke_tpu.explain.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.explain.steps import Explanation, Step
from pulumi_gke_tpu.findings import Path, number
from pulumi_gke_tpu.plan import Plan, read_plan_content
from pulumi_gke_tpu.plan.keys import field_of, inner_type, is_plan_model
from pulumi_gke_tpu.plan.reading.spellings import TOP_LEVEL, plain
from pulumi_gke_tpu.rules import Rule, Scope, check_plan
from pulumi_gke_tpu.rules.engine.discovery import rules_of
from pulumi_gke_tpu.rules.engine.examples import whole_plan

_TODAY = datetime.date(2026, 11, 20)
"""The day on which examples of rules are checked, unless the rule names another one."""


def explain_key(catalog: Catalog, word: str) -> Explanation | None:
    """A key by its path, as in ``clusters.*.slices.*.zone``, or by the end of its path if only one key has this end.

    If several keys have it, their paths are listed.
    """
    found = _keys_of(TOP_LEVEL.get(plain(word), (word, ""))[0])
    if len(found) == 1:
        return _explain_one(catalog, found[0])
    if not found:
        return None
    steps = tuple(Step(key.path, key.description.rstrip("."), key.kind.replace("`", "")) for key in found)
    more = tuple(f"gke-tpu explain '{key.path}'" for key in found[:2])
    summary = f"{number(len(found), 'key')} of the plan"
    return Explanation(item=word, kind="key", summary=summary, catalog=catalog.about.version, steps=steps, more=more)


def _keys_of(word: str) -> list[PlanKey]:
    keys = plan_keys()
    asked = word.replace("[]", "")
    exact = [key for key in keys if _is_path(key.path, asked)]
    return exact or [key for key in keys if f".{key.path}".replace("[]", "").endswith(f".{asked}")]


def _is_path(path: str, asked: str) -> bool:
    """Whether a path is the one of a key, with ``*`` or with names of a plan."""
    steps, given = path.replace("[]", "").split("."), re.sub(r"\[\d+\]", "", asked).split(".")
    return len(steps) == len(given) and all(step in ("*", name) for step, name in zip(steps, given, strict=True))


def _explain_one(catalog: Catalog, key: PlanKey) -> Explanation:
    rules = tuple(_rules_about(catalog, key))
    choices = key.kind.startswith("`")
    kind = key.kind.replace("` `", ", ").replace("`", "")
    steps = [
        Step("values" if choices else "type", kind, "as in `gke-tpu schema plan`"),
        Step("default", _default(key), "if the plan does not set the key"),
    ]
    if key.on_autopilot != "same":
        steps.append(Step("on Autopilot", key.on_autopilot, "in clusters with mode: autopilot"))
    if rules:
        steps.append(
            Step(
                "rules",
                number(len(rules), "rule"),
                "gke-tpu rule ID explains a rule",
                details=tuple(f"{rule.id} {rule.name}: {rule.title}" for rule in rules),
            )
        )
    return Explanation(
        item=key.path,
        kind="key",
        summary=key.description.rstrip("."),
        catalog=catalog.about.version,
        steps=tuple(steps),
        paste=example_of(key.path),
    )


def _default(key: PlanKey) -> str:
    if key.default == "required":
        return "none, the key is required"
    return key.default or "none"


def _rules_about(catalog: Catalog, key: PlanKey) -> Iterator[Rule[Any]]:
    """The rules about one plan whose failing example breaks them at the key.

    Only rules that mention the key are tried, because each try checks a plan.
    """
    mention = re.compile(rf"\b{re.escape(key.name)}\b")
    for rule in rules_of(Scope.PLAN):
        texts = (rule.title, rule.why, rule.fix, rule.failing, rule.passing)
        mentioned = any(mention.search(text) for text in texts if isinstance(text, str))
        if rule.check is None or not mentioned:
            continue
        if any(_concerns(pattern, message, key) for pattern, message in _hits_of(rule, catalog)):
            yield rule


@functools.cache
def _hits_of(rule: Rule[Any], catalog: Catalog) -> tuple[tuple[str, str], ...]:
    """Where the failing example of a rule breaks it, as a path of ``documented_keys``, with the messages."""
    today = datetime.date.fromisoformat(rule.today) if rule.today else _TODAY
    document = read_plan_content(whole_plan(rule.failing).encode(), "example.yaml")
    found = check_plan(document, catalog, today, rules=(rule,)).findings
    return tuple((_pattern(item.path), item.message) for item in found if item.rule == rule.id)


def _concerns(pattern: str, message: str, key: PlanKey) -> bool:
    """Whether a finding is at the key or below it, or at its mapping and names the key."""
    if pattern == key.path or pattern.startswith((f"{key.path}.", f"{key.path}[]")):
        return True
    return pattern in (key.parent, key.parent.removesuffix(".*")) and f"`{key.name}`" in message


def _pattern(path: Path) -> str:
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
