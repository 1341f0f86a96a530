"""Reads forms of other tools that arrange a value differently: lists with names, ``key=value`` texts, taints."""

import re
from collections.abc import Mapping
from typing import Any

_TAINT = re.compile(r"(?P<key>[^=:\s]+)(?:=(?P<value>[^=:\s]*))?:(?P<effect>[A-Za-z_]+)\Z")
_PAIR = re.compile(r"(?P<key>[^=:\s]+)(?:=|:\s+)(?P<value>[^=\s]*)\Z")


def by_name(entries: object) -> dict[str, Any] | None:
    """The mapping of names that a list means; None if an entry has no name, or two have the same one.

    An entry has its name under ``name``, as its only key, or before ``=``: ``{name: freeze, end: ...}``,
    ``{freeze: {end: ...}}`` or ``team=ml``.
    """
    if not isinstance(entries, list) or not entries:
        return None
    found: dict[str, Any] = {}
    for entry in entries:
        named = _named(entry)
        if named is None or named[0] in found:
            return None
        found[named[0]] = named[1]
    return found


def _named(entry: object) -> tuple[str, Any] | None:
    pair = _PAIR.match(entry) if isinstance(entry, str) else None
    if pair:
        return pair["key"], pair["value"]
    if not isinstance(entry, Mapping):
        return None
    if isinstance(entry.get("name"), str) and len(entry) > 1:
        return entry["name"], {key: value for key, value in entry.items() if key != "name"}
    (name, value), *others = [*entry.items(), (None, None)]
    return (str(name), value) if len(others) == 1 and isinstance(name, str) and name != "name" else None


def numbered(key: str, entries: object) -> dict[str, Any] | None:
    """A mapping with possible names for the entries of a list, ``exclusion-1`` and so on; None if it has others."""
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    if any("name" in entry for entry in entries):
        return None
    name = key.removesuffix("s").replace("_", "-")
    return {f"{name}-{number}": entry for number, entry in enumerate(entries, 1)}


def as_taint(text: str) -> dict[str, str] | None:
    """A taint as kubectl writes it, ``key=value:NoSchedule``; None for another text."""
    match = _TAINT.match(text)
    if match is None:
        return None
    return {name: part for name, part in match.groupdict().items() if part}
