"""The context that decides the effect of an update: the resource before and after, and its users."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.formats.property_path import Steps
from pulumi_gke_tpu.features.diff.classification.differences import PropertyDiff
from pulumi_gke_tpu.features.diff.classification.semantics import Semantics

_TAINTS = ("nodeConfig", "taints")
_EXCLUSIONS = "maintenanceExclusions"
_SCOPES = ("NO_MINOR_UPGRADES", "NO_MINOR_OR_NODE_UPGRADES", "NO_UPGRADES")
"""Each scope prevents more upgrades than those before it; the last one is the default."""


@frozen
class UpdateContext:
    """One resource before and after a change."""

    semantics: Semantics
    base: Mapping[str, Any]
    """Its inputs before."""
    head: Mapping[str, Any]
    in_use: bool = False
    """Whether a cluster refers to it before the change."""

    @property
    def multi_host(self) -> bool:
        """Whether it is a multi-host slice: only these have a topology or a workload policy."""
        placement = self.base.get("placementPolicy")
        return isinstance(placement, Mapping) and bool(placement.get("tpuTopology") or placement.get("policyName"))

    @property
    def short_lived(self) -> bool:
        """Whether it is a flex-start or queued node pool."""
        return bool(at(self.base, ("nodeConfig", "flexStart")) or at(self.base, ("queuedProvisioning", "enabled")))

    def fewer(self, found: PropertyDiff) -> bool:
        """Whether a number decreases; if GKE chose the old one, its largest possible value counts."""
        change = self.semantics.change(found.path)
        was = [found.was] if is_number(found.was) else [at(self.base, path.split(".")) for path in _bounds(change)]
        return is_number(found.will) and any(found.will < number for number in was if is_number(number))

    def capped(self, found: PropertyDiff) -> bool:
        """Whether the new autoscaling limits can be below the current number of nodes."""
        for path, change in self.semantics.properties.items():
            for bound in change.bounded_by:
                if not (bound == found.plain_path or bound.startswith(f"{found.plain_path}.")):
                    continue
                most, was = at(self.head, bound.split(".")), at(self.base, bound.split("."))
                before = was if is_number(was) else at(self.base, path.split("."))
                if is_number(most) and is_number(before) and most < before:
                    return True
        return False

    def new_taints(self, found: PropertyDiff, effect: str) -> bool:
        """Whether a difference adds a taint with this effect."""
        if found.steps[:2] != _TAINTS:
            return False
        before, after = at(self.base, _TAINTS), at(self.head, _TAINTS)
        index = next(iter(found.steps[len(_TAINTS) :]), None)
        taints = after if isinstance(after, list) else []
        asked = taints if index is None else taints[index : index + 1] if isinstance(index, int) else []
        known = before if isinstance(before, list) else []
        return any(taint not in known for taint in asked if isinstance(taint, dict) and taint.get("effect") == effect)


def lifts(found: PropertyDiff) -> bool:
    """Whether maintenance exclusions are removed, or prevent fewer upgrades than before."""
    after = {str(item.get("exclusionName")): item for item in _exclusions(found.steps, found.will)}
    before = _exclusions(found.steps, found.was)
    return any(_holds_less(item, after.get(str(item.get("exclusionName")))) for item in before)


def at(value: Any, steps: Sequence[str]) -> Any:
    """The value at the end of a path of names; None if there is none."""
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def is_number(value: Any) -> bool:
    """Whether it is a number and not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(change: Any) -> Sequence[str]:
    return change.bounded_by if change is not None else ()


def _exclusions(steps: Steps, value: Any) -> Iterator[Mapping[str, Any]]:
    """The exclusions in a value: of the list itself, or of the block around it."""
    inside = value if steps[-1] == _EXCLUSIONS else at(value, (_EXCLUSIONS,))
    if isinstance(inside, list):
        yield from (item for item in inside if isinstance(item, Mapping))


def _holds_less(was: Mapping[str, Any], will: Mapping[str, Any] | None) -> bool:
    """Times are UTC in one form, so that the earlier one is the smaller text. No end is the end of support."""
    if will is None or _scope(will) < _scope(was):
        return True
    start, end = str(was.get("startTime") or ""), str(was.get("endTime") or "")
    new_start, new_end = str(will.get("startTime") or ""), str(will.get("endTime") or "")
    return new_start > start or (bool(new_end) and (not end or new_end < end))


def _scope(exclusion: Mapping[str, Any]) -> int:
    scope = str(at(exclusion, ("exclusionOptions", "scope")))
    return _SCOPES.index(scope) if scope in _SCOPES else len(_SCOPES) - 1
