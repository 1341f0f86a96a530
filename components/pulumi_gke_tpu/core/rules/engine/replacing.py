"""Finds the resources that a fix replaces or deletes if they exist, for the text of a finding."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args, get_origin

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import replace_paths
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import RESOURCES, KeyEffect, is_within, plan_keys
from pulumi_gke_tpu.core.plan import Plan
from pulumi_gke_tpu.core.plan.base import PlanModel, Resource
from pulumi_gke_tpu.core.plan.keys import field_of, inner_type, is_plan_model
from pulumi_gke_tpu.core.text.findings import Fix, Path, Replace, SetKeys, listed

_POOLS: tuple[Resource, ...] = ("TPU node pool", "CPU pool", "system pool")
_NAMES: dict[Resource, str] = {"cluster": "the cluster", **dict.fromkeys(_POOLS, "the node pools")}
"""The resources whose loss matters, as a finding names them."""


def replaced_by(fix: Fix, path: Path, plan: Plan, catalog: Catalog) -> str:
    """A sentence without its period that says what the fix replaces or deletes; empty if it does neither."""
    changed = [(key, was, will) for key, was, will in _entries(fix, path, plan) if not _is_same(was, will)]
    found = {_NAMES[kind] for key, _, _ in changed for kind in _replaced(key, catalog) if kind in _NAMES}
    if found:
        return f"If {listed(sorted(found))} exist already, the fix replaces them"
    fewer = any(_is_less(was, will) and _creates_pools(key) for key, was, will in changed)
    return "If the node pools exist already, the fix deletes some of them" if fewer else ""


def _entries(fix: Fix, path: Path, plan: Plan) -> Iterator[tuple[str, object, object]]:
    """The keys that a fix sets, with ``*`` for names, and their values before and after.

    A key is at the marked place, inside it or beside it.
    """
    steps = [_Step("", Plan, plan), *_steps(plan, path)]
    if isinstance(fix, Replace):
        yield _key(steps), steps[-1].value, fix.new
    elif isinstance(fix, SetKeys):
        for entry in fix.entries:
            for length in range(len(steps), 0, -1):
                around = steps[length - 1]
                if is_plan_model(around.kind) and field_of(around.kind, entry.key) is not None:
                    yield _key([*steps[:length], _Step(entry.key)]), _written(around.value, entry.key), entry.value
                    break


@frozen
class _Step:
    """One step of a path: a key, or ``*`` for a name, with the type and the value at this place."""

    name: str
    kind: Any = None
    value: object = None
    """None where the plan does not set it."""


def _key(steps: Sequence[_Step]) -> str:
    return ".".join(step.name for step in steps[1:])


def _steps(plan: Plan, path: Path) -> Iterator[_Step]:
    kind: Any = Plan
    value: object = plan
    for step in path:
        if get_origin(kind) is dict:
            kind = inner_type(get_args(kind)[-1])
            value = value.get(step) if isinstance(value, dict) else None
            yield _Step("*", kind, value)
        elif isinstance(step, str):
            field = field_of(kind, step) if is_plan_model(kind) else None
            kind = inner_type(field.annotation) if field is not None else None
            value = _written(value, step)
            yield _Step(step, kind, value)


def _written(part: object, key: str) -> object:
    return getattr(part, key, None) if isinstance(part, PlanModel) and part.written(key) else None


def _is_same(was: object, will: object) -> bool:
    """Whether a list has the same items, once or twice, in any order."""
    if isinstance(was, list) and isinstance(will, list | tuple):
        return all(item in will for item in was) and all(item in was for item in will)
    return was == will


def _is_less(was: object, will: object) -> bool:
    """Whether a number is smaller, or a list lacks items."""
    if isinstance(was, list) and isinstance(will, list | tuple):
        return any(item not in will for item in was)
    return isinstance(was, int) and isinstance(will, int) and will < was


def _creates_pools(key: str) -> bool:
    return any("TPU node pool" in effect.creates for path, effect in plan_keys().keys.items() if is_within(path, key))


def _replaced(key: str, catalog: Catalog) -> Iterator[Resource]:
    """The resources that another value of a key replaces or deletes."""
    keys = plan_keys().keys
    effects = [effect for path, effect in keys.items() if is_within(path, key)]
    nearest = max((path for path in keys if is_within(key, path)), key=len, default="")
    for effect in effects or ([keys[nearest]] if nearest else []):
        yield from effect.creates if _is_kind(effect) else ()
        for resource, properties in effect.sets.items():
            facts = catalog.provider.resources[RESOURCES[resource]].properties
            paths = replace_paths(catalog.provider, RESOURCES[resource])
            if any(name in paths or (name in facts and facts[name].change == "replace") for name in properties):
                yield resource


def _is_kind(effect: KeyEffect) -> bool:
    """Whether a key decides which kinds of resources there are, and not their number."""
    return len(effect.creates) > 1 and not effect.sets
