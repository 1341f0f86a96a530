"""How a resource's state comes about: after a creation, after an update, and as a preview foretells it."""

import copy
from typing import Any

from gcp_standin.difference import Difference
from gcp_standin.knowledge import CLUSTER, POOL, Kind
from gcp_standin.planned import planned
from gcp_standin.wire import UNKNOWN

_VERSIONS = {"RAPID": "1.35.1-gke.1396000"}
"""Newest version of a release channel where it is not the one reported by default."""


def after_creation(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """What is read back after creating a resource from placed inputs."""
    inputs = {name: value for name, value in inputs.items() if name != "__defaults"}
    state = _merge(copy.deepcopy(kind.reported), planned(kind, inputs))
    for name in kind.outputs:
        state.setdefault(name, f"{name}-of-{inputs.get('name', kind.short)}")
    if kind.token == CLUSTER:
        _set_versions(state)
    if kind.token == POOL:
        _set_limits(state)
        if state["upgradeSettings"].get("strategy") == "BLUE_GREEN":
            state["upgradeSettings"].update(maxSurge=0, maxUnavailable=0)
    return state


def forecast(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """What a preview shows of a resource to come: its inputs, what follows from them, and unknowns."""
    inputs = {name: value for name, value in inputs.items() if name != "__defaults"}
    state = planned(kind, copy.deepcopy(inputs))
    for name, change in kind.properties.items():
        if change.computed and "." not in name and "[" not in name:
            state.setdefault(name, UNKNOWN)
    for name in kind.outputs:
        state.setdefault(name, UNKNOWN)
    for path in kind.unknown:
        *blocks, name = path.split(".")
        block: Any = state
        for step in blocks:
            block = block.setdefault(step, {}) if isinstance(block, dict) else None
        if isinstance(block, dict):
            block.setdefault(name, UNKNOWN)
    return state


def after_update(kind: Kind, old: dict[str, Any], inputs: dict[str, Any], found: list[Difference]) -> dict[str, Any]:
    """The old state with the differences applied that the provider does not lose."""
    state, wanted = copy.deepcopy(old), planned(kind, inputs)
    for item in found:
        if not _is_lost(kind, item):
            _apply(state, wanted, list(item.steps))
    if kind.token == CLUSTER and any(item.path.startswith("minMasterVersion") for item in found):
        _set_versions(state)
    return state


def sends(kind: Kind, item: Difference, old: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Whether an update of a property reaches the API."""
    change = kind.change(item.path)
    if change is None or change.change in ("no-op", "client-side", "create-only"):
        return False
    if change.change == "no-op-off":
        return bool(inputs.get(item.path))
    if change.change == "no-op-lower":
        return str(inputs.get(item.path, "")) > str(old.get(item.path, ""))
    return True


def read_inputs(kind: Kind, inputs: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """The program's inputs with the values that a refresh found."""
    return {
        name: value if name == "__defaults" or name not in state else _as_read(value, state[name])
        for name, value in inputs.items()
    }


def _as_read(value: Any, found: Any) -> Any:
    if isinstance(value, dict) and isinstance(found, dict):
        return {name: _as_read(item, found[name]) if name in found else item for name, item in value.items()}
    return found


def _is_lost(kind: Kind, item: Difference) -> bool:
    """A property without an update keeps its old value; a block that is added is taken in and never looked at."""
    change = kind.change(item.path)
    return (
        change is not None and change.change == "no-op" and not (item.how == "add" and kind.is_block(item.plain_path))
    )


def _apply(state: dict[str, Any], wanted: dict[str, Any], steps: list[Any]) -> None:
    """Take one property over; of a list always the whole."""
    first_index = next((number for number, step in enumerate(steps) if isinstance(step, int)), len(steps))
    *blocks, name = steps[:first_index]
    target, source = state, wanted
    for step in blocks:
        target = target.setdefault(step, {})
        source = source.get(step) or {}
    value = source.get(name) if isinstance(source, dict) else None
    if value is None:
        target.pop(name, None)
    else:
        target[name] = copy.deepcopy(value)


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    for name, value in over.items():
        below = base.get(name)
        base[name] = (
            _merge(below, value) if isinstance(value, dict) and isinstance(below, dict) else copy.deepcopy(value)
        )
    return base


def _set_versions(state: dict[str, Any]) -> None:
    channel = state.get("releaseChannel", {}).get("channel", "")
    version = _VERSIONS.get(channel, state["masterVersion"])
    wanted = str(state.get("minMasterVersion", ""))
    if wanted > version:
        version = wanted
    state["masterVersion"] = state["nodeVersion"] = version


def _set_limits(state: dict[str, Any]) -> None:
    """GKE reports all four limits of an autoscaled pool, and how nodes are spread."""
    if state.get("autoscaling"):
        limits = ("minNodeCount", "maxNodeCount", "totalMinNodeCount", "totalMaxNodeCount")
        state["autoscaling"] = {"locationPolicy": "BALANCED", **dict.fromkeys(limits, 0), **state["autoscaling"]}
