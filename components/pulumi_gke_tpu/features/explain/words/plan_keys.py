"""Explains keys of the plan, features, add-ons and disk types."""

import functools
import re
from collections.abc import Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.naming import hardware
from pulumi_gke_tpu.core.catalog.places import generation_of
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.key_table import PlanKey, example_of, plan_keys
from pulumi_gke_tpu.core.plan.keys import documented_keys
from pulumi_gke_tpu.core.plan.reading.spellings import TOP_LEVEL, plain
from pulumi_gke_tpu.core.rules import Rule, Scope
from pulumi_gke_tpu.core.rules.engine.discovery import rules_of
from pulumi_gke_tpu.core.text.findings import listed, number
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.explain.steps import Explanation, Step, evidence, fitting_notes

_NOT_ABOUT_PLANS = (Scope.MANIFESTS, Scope.ORGANIZATION, Scope.POOL, Scope.STACK)
"""The scopes whose rules are about no key of a plan. Importing them takes a third of the time of an explanation."""
_IF_NOT_SET = lazy_pattern(r"(?:^|[;:.] )([^;:.]+?),? if not set\b")
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
    more = tuple(f"gke-tpu explain '{key.path}'" for key in found)
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
    below = _keys_below(key)
    if below:
        steps.append(Step("keys", number(len(below), "key"), "of the mapping", details=below))
    if rules:
        # The rules about a large mapping would fill the page, and each of its keys lists its own.
        listed = (", ".join(line.split()[0] for line in rules),) if below else rules
        steps.append(Step("rules", number(len(rules), "rule"), "gke-tpu rule ID explains a rule", details=listed))
    return Explanation(
        item=key.path,
        kind="key",
        summary=key.description.rstrip("."),
        catalog=catalog.about.version,
        steps=tuple(steps),
        remarks=fitting_notes(catalog, frozenset(), {key.path}),
        paste=example_of(key.path),
        more=tuple(f"gke-tpu explain '{other.path}'" for other in others),
    )


def _keys_below(key: PlanKey) -> tuple[str, ...]:
    """The keys of a mapping, each with its type and default."""
    prefix = key.path.replace("[]", "")
    found = []
    for other in plan_keys():
        above, _, name = other.path.replace("[]", "").rpartition(".")
        if above.removesuffix(".*") == prefix and name != "*":
            kind = other.kind.replace("` `", ", ").replace("`", "")
            found.append(f"{name}: {kind}; default: {default_of(other)}")
    return tuple(found)


def _rules_about(key: PlanKey) -> tuple[str, ...]:
    """The rules about a key or a key below it, by id, each with its name and title."""
    return tuple(f"{rule.id} {rule.name}: {rule.title}" for rule in rules_by_key()[key.path])


@functools.cache
def rules_by_key() -> dict[str, tuple[Rule[Any], ...]]:
    """The rules about each key of a plan or about a key below it, by path of the key, sorted by id."""
    fields = {path: field for path, field, _ in documented_keys(Plan)}
    found: dict[str, dict[str, Rule[Any]]] = {path: {} for path in fields}
    above = {path: [other for other in fields if _is_within(path, other)] for path in fields}
    for rule in rules_of(*(scope for scope in Scope if scope not in _NOT_ABOUT_PLANS)):
        for about in rule.about:
            keys = [about] if isinstance(about, str) else [path for path, field in fields.items() if about(field)]
            for other in (other for key in keys for other in above[key]):
                found[other][rule.id] = rule
    return {path: tuple(rules.values()) for path, rules in found.items()}


def _is_within(path: str, other: str) -> bool:
    """Whether a key is the other one or below it."""
    return path == other or path.startswith((f"{other}.", f"{other}[]"))


def default_of(key: PlanKey) -> str:
    """The value of a key that a plan does not set, or where it comes from."""
    if key.default == "required":
        return "none, the key is required"
    return key.default or "; ".join(_IF_NOT_SET.findall(key.description)) or "none"


def explain_feature(catalog: Catalog, word: str) -> Explanation | None:
    """A feature of GKE with a minimum version."""
    feature = catalog.versions.features.get(word)
    if feature is None:
        return None
    facts = evidence(catalog, feature)
    reason = f"minimum GKE version for {feature.title}"
    steps = [
        Step(mode.title(), version, reason, facts)
        for mode, version in (("standard", feature.standard), ("autopilot", feature.autopilot))
        if version is not None
    ]
    if feature.alternatives:
        steps.append(Step("or", listed(feature.alternatives, "or"), "the minimum if the minor version is older", facts))
    if feature.channels:
        steps.append(Step("channels", listed(feature.channels), "release channels with the feature", facts))
    if word == "collections":
        labels = catalog.platform.names
        reason = "node label with the name of the collection"
        steps.append(
            Step("label", labels.node_labels.collection, reason, evidence(catalog, labels.labels, "documented"))
        )
    return Explanation(
        item=word,
        kind="feature",
        summary=f"a feature with a minimum GKE version: {feature.title}",
        catalog=catalog.about.version,
        steps=tuple(steps) or (Step("version", "unknown", reason, facts),),
    )


def explain_addon(catalog: Catalog, word: str) -> Explanation | None:
    """A cluster add-on."""
    addon = catalog.platform.addons.get(word)
    if addon is None:
        return None
    uses = [f"{mode.title()} (optional)" for mode in addon.modes]
    uses += [f"{mode.title()} (always enabled)" for mode in addon.always_on]
    step = Step("modes", listed(uses), "cluster modes that support the add-on", evidence(catalog, addon))
    return Explanation(
        item=word,
        kind="addon",
        summary=f"a cluster add-on: {addon.title}",
        catalog=catalog.about.version,
        steps=(step,),
        paste=f"addons: [{word}]",
    )


_SUPPORTED, _DOUBTFUL = "supported", "sources disagree on whether the disk type is supported"


def explain_disk(catalog: Catalog, word: str) -> Explanation | None:
    """A disk type and the machine families that boot from it or attach it."""
    steps = []
    for family, disks in catalog.disks.families.items():
        uses = [use for use, types in (("boot disk", disks.boot), ("attached disk", disks.attach)) if word in types]
        if uses:
            doubts = [
                text
                for text, types in (
                    ("only on confidential nodes", disks.confidential_only),
                    (_DOUBTFUL, disks.doubtful),
                )
                if word in types
            ]
            name = hardware(generation_of(catalog, family), family)
            steps.append(Step(name, listed(uses), "; ".join(doubts) or _SUPPORTED, evidence(catalog, disks)))
    for family, boot in catalog.disks.cpu_families.items():
        if word in (*boot.boot, *boot.doubtful):
            text = _DOUBTFUL if word in boot.doubtful else _SUPPORTED
            steps.append(Step(family, "boot disk", text, evidence(catalog, boot)))
    if not steps:
        return None
    return Explanation(
        item=word,
        kind="disk",
        summary="a disk type; machine families that are not in this list do not support it",
        catalog=catalog.about.version,
        steps=tuple(steps),
    )
