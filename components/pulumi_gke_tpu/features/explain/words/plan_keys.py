"""Explains a key of the plan: type, values, default, an example, and the rules about it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan.key_example import example_of
from pulumi_gke_tpu.core.plan.key_table import PlanKey, plan_keys
from pulumi_gke_tpu.core.plan.reading.spellings import TOP_LEVEL, plain
from pulumi_gke_tpu.core.text.findings import number
from pulumi_gke_tpu.features.explain.steps import Explanation, Step

KEY_RULES = Path(__file__).parents[1] / "key_rules.json"
"""The rules about each key. ``tools/key_rules.py`` derives them from the examples of the rules, which takes seconds."""
_IF_NOT_SET = re.compile(r"(?:^|[;:.] )([^;:.]+?),? if not set\b")
"""A default in the description of a key, for one that depends on other keys or that GKE chooses."""


def explain_key(catalog: Catalog, word: str) -> Explanation | None:
    """A key by its path, as in ``clusters.*.slices.*.zone``, or by the end of its path if only one key has this end.

    If several keys have it, their paths are listed.
    """
    word = TOP_LEVEL.get(plain(word), (word, ""))[0]
    found = _keys_of(word)
    if len(found) == 1:
        return _explain_one(catalog, found[0], [key for key in _keys_ending(word) if key != found[0]])
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
    return exact or _keys_ending(word)


def _keys_ending(word: str) -> list[PlanKey]:
    asked = word.replace("[]", "")
    return [key for key in plan_keys() if f".{key.path}".replace("[]", "").endswith(f".{asked}")]


def _is_path(path: str, asked: str) -> bool:
    """Whether a path is the one of a key, with ``*`` or with names of a plan."""
    steps, given = path.replace("[]", "").split("."), re.sub(r"\[\d+\]", "", asked).split(".")
    return len(steps) == len(given) and all(step in ("*", name) for step, name in zip(steps, given, strict=True))


def _explain_one(catalog: Catalog, key: PlanKey, others: Sequence[PlanKey]) -> Explanation:
    """The page of a key; ``others`` are keys with the same name or the same end of their path."""
    rules = _rules_about(key)
    choices = key.kind.startswith("`")
    kind = key.kind.replace("` `", ", ").replace("`", "")
    steps = [
        Step("values" if choices else "type", kind, "as in `gke-tpu schema plan`"),
        Step("default", default_of(key), "if the plan does not set the key"),
    ]
    if key.on_autopilot != "same":
        steps.append(Step("on Autopilot", key.on_autopilot, "in clusters with mode: autopilot"))
    if rules:
        steps.append(
            Step(
                "rules",
                number(len(rules), "rule"),
                "gke-tpu rule ID explains a rule",
                details=rules,
            )
        )
    return Explanation(
        item=key.path,
        kind="key",
        summary=key.description.rstrip("."),
        catalog=catalog.about.version,
        steps=tuple(steps),
        paste=example_of(key.path),
        more=tuple(f"gke-tpu explain '{other.path}'" for other in others),
    )


def _rules_about(key: PlanKey) -> tuple[str, ...]:
    """The rules about a key or a key below it, by id, each with its name and title."""
    found = json.loads(KEY_RULES.read_text(encoding="utf-8"))
    return tuple(f"{rule} {found['rules'][rule]}" for rule in found["keys"][key.path])


def default_of(key: PlanKey) -> str:
    """The value of a key that a plan does not set, or where it comes from."""
    if key.default == "required":
        return "none, the key is required"
    return key.default or "; ".join(_IF_NOT_SET.findall(key.description)) or "none"
