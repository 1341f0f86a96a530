"""JSON documents in which something is odd: another kind of value, a missing or strange key, deep nesting."""

import copy
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

Path = tuple[str | int, ...]
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that no output has: they would change what a terminal shows."""


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


ODD = st.one_of(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    st.sampled_from(["::", "urn:x", "urn:pulumi:a::b::c", "urn:pulumi:a::b::c::d", "name=x, type=", "\ud800", "\x00"]),
    st.sampled_from([10**401, "a" * 5_000, {}, [], {"": {}}, {"$unknown": ["x"]}, {"$unknown": 1}, {"$absent": True}]),
    st.sampled_from([nested(20), nested(55), nested(200), {"a": nested(100)}]),
)


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a document, the whole apart."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def odd_versions(document: Any) -> st.SearchStrategy[Any]:
    """The document with one to three changes."""
    places = list(paths(document))
    change = st.tuples(st.sampled_from(places), st.sampled_from(["put", "remove", "rename", "repeat"]), ODD)
    return st.lists(change, min_size=1, max_size=3).map(lambda changes: _changed(document, changes))


def _changed(document: Any, changes: list[tuple[Path, str, Any]]) -> Any:
    result = copy.deepcopy(document)
    for path, how, odd in changes:
        target = _at(result, path[:-1])
        key = path[-1]
        if isinstance(target, dict) and key in target:
            if how == "remove":
                del target[key]
            elif how == "rename" and isinstance(odd, str):
                target[odd] = target.pop(key)
            else:
                target[key] = odd
        elif isinstance(target, list) and isinstance(key, int) and key < len(target):
            if how == "repeat":
                target.append(copy.deepcopy(target[key]))
            else:
                target[key] = odd
    return result


def _at(value: Any, path: Path) -> Any:
    for key in path:
        if isinstance(value, dict):
            value = value.get(key)
        else:
            value = value[key] if isinstance(value, list) and isinstance(key, int) and key < len(value) else None
    return value
