"""Edits of plans as the real engine and the real gcp provider planned them; the file says how it was recorded."""

import functools
import json
import pathlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import yaml
from support.shipped import TODAY, Plan

from pulumi_gke_tpu import load_plan

STACK = "test"
"""The name of the recorded stack, and of the fleet in it."""
UNREAD = ("nodeConfig.resourceManagerTags", "nodeConfig.linuxNodeConfig.sysctls")
"""What the provider names beside every difference of a node pool until it reads the pool; alone it causes nothing.
The record does not have the first of these."""

_FILE = pathlib.Path(__file__).parents[1] / "engine" / "data" / "observed_plan_edits.json"


@dataclass(frozen=True)
class Step:
    """What the engine does with a resource."""

    op: Literal["update", "replace"]
    diff: Mapping[str, str] = field(default_factory=dict)
    """Path -> kind. Empty if the engine replaces the resource with another one, without a question to the provider."""


@dataclass(frozen=True, eq=False)
class ObservedEdit:
    """One edit. ``steps`` has no resource that is created, deleted or not touched."""

    base: str
    name: str
    before: Plan
    after: Plan
    steps: Mapping[str, Step]
    """Type and name of a resource -> its step."""
    stopped: Mapping[str, str] = field(default_factory=dict)
    """What stopped the preview, so that later steps are missing: ``by`` whom, and the resource or the rule."""

    @property
    def takes_the_engine(self) -> bool:
        """Whether more than the answers of the provider decides: a replacement, a move, or what stops a preview."""
        replaces = any(step.op == "replace" for step in self.steps.values())
        return replaces or bool(self.stopped) or self.after.get("moved") != self.before.get("moved")

    def __str__(self) -> str:
        return f"{self.base}: {self.name}"


@functools.cache
def observed_edits() -> tuple[ObservedEdit, ...]:
    """All of them, in the order of the file."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    return tuple(
        _edit(base, name, data["bases"][base], seen)
        for base, edits in data["edits"].items()
        for name, seen in edits.items()
    )


def _edit(base: str, name: str, before: Plan, seen: Mapping[str, Any]) -> ObservedEdit:
    steps = {
        resource: Step(step["op"], step.get("diff", {})) for step in seen.get("steps", ()) for resource in step["of"]
    }
    return ObservedEdit(base, name, before, _patched(before, seen["change"]), steps, seen.get("stopped", {}))


def _patched(value: Any, patch: Any) -> Any:
    """A value after a JSON merge patch: null removes, mappings are merged, everything else is replaced."""
    if not isinstance(patch, dict):
        return patch
    result = dict(value) if isinstance(value, dict) else {}
    for key, item in patch.items():
        if item is None:
            result.pop(key, None)
        else:
            result[key] = _patched(result.get(key), item)
    return result


def as_arguments(plan: Plan) -> Plan:
    """A plan as a program loads it, on the day of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.yaml"
        path.write_text(as_text(plan), encoding="utf-8")
        return cast(Plan, load_plan(path, today=TODAY))


def as_text(plan: Plan) -> str:
    """A plan as a plan file."""
    text: str = yaml.safe_dump(plan, sort_keys=False)
    return text
