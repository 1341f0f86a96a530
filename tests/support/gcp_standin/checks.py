"""What the provider refuses already at preview: unknown arguments, values that no schema allows, missing ones."""

import functools
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from support.gcp_standin.knowledge import CLUSTER, Kind, filled
from support.provider_protocol.wire import Unknown

_MOST_EXCLUSIONS = 20
_WINDOWS = ("dailyMaintenanceWindow", "recurringWindow", "recurringMaintenanceWindow")


@dataclass(frozen=True)
class Problem:
    """A refused argument."""

    path: str
    reason: str


def problems(kind: Kind, inputs: dict[str, Any]) -> list[Problem]:
    """All errors in a program's inputs. Unknown values are not checked."""
    found = [*_unknown(kind, "", inputs), *_missing(kind, inputs)]
    for path, value in _leaves("", inputs):
        found += _wrong(kind, path, value)
    if kind.token == CLUSTER:
        found += [*_beside_another(kind, inputs), *_maintenance(inputs), *_addons(inputs), *_versions(inputs)]
    return found


def completed(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs as ``Check`` gives them back: with every default that is not empty, and ``__defaults`` in each block."""
    conflicting = _rules(kind.token).get("never", ()) if inputs.get("enableAutopilot") is True else ()
    defaults = {path: value for path, value in kind.defaults.items() if value and path not in conflicting}
    return _marked(kind, "", inputs, filled(inputs, defaults))


def _marked(kind: Kind, prefix: str, given: Any, block: dict[str, Any]) -> dict[str, Any]:
    marked: dict[str, Any] = {"__defaults": sorted(block.keys() - given.keys())}
    for name, value in block.items():
        path = f"{prefix}{name}"
        if kind.is_block(path) and isinstance(value, dict):
            marked[name] = _marked(kind, f"{path}.", given[name], value)
        elif kind.is_block(path) and isinstance(value, list):
            marked[name] = [_marked(kind, f"{path}.", item, item) if isinstance(item, dict) else item for item in value]
        else:
            marked[name] = value
    return marked


@functools.cache
def _rules(token: str) -> dict[str, Any]:
    rules = yaml.safe_load(pathlib.Path(__file__).with_name("checks.yaml").read_text())
    return dict(rules[token])


def _unknown(kind: Kind, prefix: str, block: dict[str, Any]) -> Iterator[Problem]:
    for name, value in block.items():
        path = f"{prefix}{name}"
        if path not in kind.properties and name != "__defaults":
            yield Problem(path, f'Invalid or unknown key: "{path}"')
        elif kind.is_block(path):
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, dict):
                    yield from _unknown(kind, f"{path}.", item)


def _missing(kind: Kind, inputs: dict[str, Any]) -> Iterator[Problem]:
    inside = [path for path, change in kind.properties.items() if change.required]
    for path in (*_rules(kind.token).get("required", ()), *inside):
        block, _, name = path.rpartition(".")
        for item in _at(inputs, block):
            if name not in item:
                yield Problem(path, f"Missing required argument: {path}")


def _at(inputs: dict[str, Any], path: str) -> list[dict[str, Any]]:
    """Every block at a path."""
    found: list[Any] = [inputs]
    for step in path.split(".") if path else ():
        below = [item.get(step) for item in found if isinstance(item, dict)]
        found = [inner for item in below for inner in (item if isinstance(item, list) else [item])]
    return [item for item in found if isinstance(item, dict)]


def _leaves(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(f"{prefix}.{name}" if prefix else name, inner)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(prefix, item)
    elif not isinstance(value, Unknown):
        yield prefix, value


def _wrong(kind: Kind, path: str, value: Any) -> Iterator[Problem]:
    rules, change = _rules(kind.token), kind.properties.get(path)
    allowed = rules.get("values", {}).get(path) or (change.values if change is not None else ())
    if allowed and value not in allowed:
        yield Problem(path, f"expected {path} to be one of {[*allowed]}, got {value}")
    least = change.least if change is not None else None
    if least is not None and change.form != "seconds":
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield Problem(path, f"expected number type, got {value!r} for {path}")
        elif value < least:
            yield Problem(path, f"expected {path} to be at least ({least}), got {value}")
    pattern = rules.get("pattern", {}).get(path)
    if pattern is not None and not re.fullmatch(pattern, str(value)):
        yield Problem(path, f"invalid value for {path}: {value}")


def _beside_another(kind: Kind, inputs: dict[str, Any]) -> Iterator[Problem]:
    rules = _rules(kind.token)
    conflicts = dict(rules["beside"])
    if inputs.get("enableAutopilot") is True:
        conflicts["enableAutopilot"] = rules["never"]
    for one, others in conflicts.items():
        for path in others if _has(inputs, one) else ():
            if _has(inputs, path):
                yield Problem(path, f'Conflicting configuration arguments: "{path}": conflicts with {one}')


def _has(inputs: dict[str, Any], path: str) -> bool:
    block, _, name = path.rpartition(".")
    return any(name in item for item in _at(inputs, block))


def _maintenance(inputs: dict[str, Any]) -> Iterator[Problem]:
    policy = inputs.get("maintenancePolicy")
    if not isinstance(policy, dict):
        return
    windows = [name for name in _WINDOWS if name in policy]
    if len(windows) != 1:
        yield Problem("maintenancePolicy", f"only one of {', '.join(_WINDOWS)} must be specified, got {len(windows)}")
    if len(policy.get("maintenanceExclusions", [])) > _MOST_EXCLUSIONS:
        yield Problem("maintenancePolicy.maintenanceExclusions", f"No more than {_MOST_EXCLUSIONS} items are allowed")


def _addons(inputs: dict[str, Any]) -> Iterator[Problem]:
    if inputs.get("addonsConfig") == {}:
        yield Problem("addonsConfig", "one of the add-ons must be specified")


def _versions(inputs: dict[str, Any]) -> Iterator[Problem]:
    node, master = inputs.get("nodeVersion"), inputs.get("minMasterVersion")
    if node and master and node != master:
        yield Problem("nodeVersion", "node_version and min_master_version must be set to equivalent values on create")
