"""What the provider stores as outputs: every property of a type, whether the program or the API names it or not."""

import copy
import functools
import pathlib
from dataclasses import dataclass, field
from typing import Any

import yaml
from support.gcp_standin.knowledge import CLUSTER, POOL, Kind
from support.gcp_standin.planned import planned
from support.provider_protocol.wire import UNKNOWN

_EMPTY: dict[str, Any] = {"absent": None, "string": "", "number": 0, "boolean": False, "list": [], "block": {}}
_NOT_IN_A_CLUSTER = ("cluster", "deletionPolicy", "id", "location", "operation", "project")
"""Outputs of a node pool that an entry in the cluster's ``nodePools`` leaves out."""


@dataclass
class _Node:
    """One property: what is stored where it has no value, and the properties inside of it."""

    empty: Any = None
    after_a_read: Any = None
    known: bool = False
    """Whether the preview of a creation shows the empty value as well."""
    inside: dict[str, "_Node"] = field(default_factory=dict)

    def at(self, path: str) -> "_Node":
        node = self
        for name in path.replace("[]", "").split("."):
            node = node.inside.setdefault(name, _Node())
        return node


def secrets(kind: Kind) -> tuple[str, ...]:
    """The outputs of a type that the provider marks as secret."""
    return tuple(_data(kind.token).get("secret", ()))


def outputs(kind: Kind, state: dict[str, Any], resource_id: str, *, read: bool) -> dict[str, Any]:
    """The outputs of a resource whose API shows ``state``; ``read`` is False of a resource just created."""
    stored = copy.deepcopy(state)
    _fill(_tree(kind.token), stored, read=read)
    stored["id"] = resource_id
    return stored


def entry(pool: dict[str, Any]) -> dict[str, Any]:
    """A node pool as its cluster shows it."""
    stored = copy.deepcopy(pool)
    _fill(_tree(POOL), stored, read=True)
    return {name: value for name, value in stored.items() if name not in _NOT_IN_A_CLUSTER}


def forecast(kind: Kind, inputs: dict[str, Any]) -> dict[str, Any]:
    """What a preview shows of a resource to come: its inputs, what follows from them, unknown values, and nulls."""
    state = kind.filled(planned(kind, copy.deepcopy(inputs)))
    _hide(kind, inputs, state)
    _foresee(kind, _tree(kind.token), "", state)
    state["id"] = UNKNOWN
    return state


def is_null(kind: Kind, path: str) -> bool:
    """Whether a property is stored as null where it has no value."""
    return path in _data(kind.token)["empty"].get("absent", ())


def is_always_there(kind: Kind, path: str) -> bool:
    """Whether a block is stored without a request for it, so that it says nothing if it is empty."""
    return path in _data(kind.token)["empty"].get("block", ())


def _hide(kind: Kind, inputs: dict[str, Any], state: dict[str, Any]) -> None:
    """Show as null what the preview of a creation leaves out although the inputs have it."""
    autopilot = inputs.get("enableAutopilot") is True
    suppressed = [path for path, change in kind.properties.items() if autopilot and change.ignored_on_autopilot]
    for path in (*_data(kind.token).get("null_if_off", ()), *suppressed):
        *blocks, name = path.split(".")
        block: Any = state
        for step in blocks:
            block = block.get(step) if isinstance(block, dict) else None
        if isinstance(block, dict) and name in block and (path in suppressed or not block[name]):
            block[name] = None


def _fill(node: _Node, block: dict[str, Any], *, read: bool) -> None:
    for name, property_ in node.inside.items():
        value = block.get(name)
        if value is None:
            empty = property_.after_a_read if read and property_.after_a_read is not None else property_.empty
            value = block[name] = copy.deepcopy(empty)
        for item in value if isinstance(value, list) else (value,):
            if property_.inside and isinstance(item, dict):
                _fill(property_, item, read=read)


def _foresee(kind: Kind, node: _Node, prefix: str, block: dict[str, Any]) -> None:
    for name, property_ in node.inside.items():
        path = f"{prefix}{name}"
        if name not in block:
            block[name] = copy.deepcopy(property_.empty) if property_.known else _unknown(kind, path)
        value = block[name]
        for item in value if isinstance(value, list) else (value,):
            if property_.inside and isinstance(item, dict):
                _foresee(kind, property_, f"{path}.", item)


def _unknown(kind: Kind, path: str) -> Any:
    """The value of a property that the program does not set: the API's, if the provider takes it over."""
    change = kind.properties.get(path)
    return UNKNOWN if change is None or change.computed else None


@functools.cache
def _tree(token: str) -> _Node:
    data, root = _data(token), _Node()
    for word, paths in data["empty"].items():
        for path in paths:
            root.at(path).empty = _EMPTY[word]
    for path, value in data.get("values", {}).items():
        root.at(path).empty = value
    for path, value in data.get("after_a_read", {}).items():
        root.at(path).after_a_read = value
    for path in data.get("known", ()):
        root.at(path).known = True
    if token == CLUSTER:
        root.inside["nodeConfig"] = _tree(POOL).inside["nodeConfig"]
    return root


def _data(token: str) -> dict[str, Any]:
    data: dict[str, Any] = _all_data()[token]
    return data


@functools.cache
def _all_data() -> dict[str, Any]:
    text = pathlib.Path(__file__).with_name("outputs.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return data
