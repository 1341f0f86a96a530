"""Reads forms of other tools that arrange a value differently: lists with names, ``key=value`` texts, ranges."""

import re
from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.plan.reading.spellings import COUNTED
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_TAINT = lazy_pattern(r"(?P<key>[^=:\s]+)(?:=(?P<value>[^=:\s]*))?:(?P<effect>[A-Za-z_]+)\Z")
_RANGE = lazy_pattern(r"(\d{1,9})\s*(?:-|\u2013|\.{2,3}|to|:)\s*(\d{1,9})\Z")
_ENDS = {
    **dict.fromkeys(("min", "minimum", "least", "from", "min_slices", "minSlices", "min_count", "minCount"), "min"),
    **dict.fromkeys(("max", "maximum", "most", "to", "max_slices", "maxSlices", "max_count", "maxCount"), "max"),
}
_PAIR = lazy_pattern(r"(?P<key>[^=:\s]+)(?:=|:\s+)(?P<value>[^=\s]*)\Z")
_QUANTITY = lazy_pattern(r"(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.0+)?\s*([a-z]*)\Z", re.IGNORECASE)
_GIBIBYTES = {"": 1, "g": 1, "gb": 1, "gi": 1, "gib": 1, "ti": 1024, "tib": 1024}


def by_name(entries: object) -> dict[str, Any] | None:
    """The mapping of names that a list means; None if an entry has no name, or two have the same one.

    An entry has its name under ``name``, as its only key, or before ``=``: ``{name: freeze, end: ...}``,
    ``{freeze: {end: ...}}`` or ``team=ml``; of ``{key: team, value: ml}``, the key is the name.
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


def as_pairs(entries: object) -> object:
    """The pairs in a text such as ``team=ml,stage=test``, as gcloud has labels; anything else as it is."""
    is_text = isinstance(entries, str) and "=" in entries
    return [part.strip() for part in str(entries).split(",")] if is_text else entries


def _named(entry: object) -> tuple[str, Any] | None:
    pair = _PAIR.match(entry) if isinstance(entry, str) else None
    if pair:
        return pair["key"], pair["value"]
    if not isinstance(entry, Mapping):
        return None
    if entry.keys() == {"key", "value"} and isinstance(entry["key"], str):
        return entry["key"], entry["value"]
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
    return {f"{_singular(key)}-{number}": entry for number, entry in enumerate(entries, 1)}


def as_taint(text: str) -> dict[str, str] | None:
    """A taint as kubectl writes it, ``key=value:NoSchedule``; None for another text."""
    match = _TAINT.match(text)
    if match is None:
        return None
    return {name: part for name, part in match.groupdict().items() if part}


def as_range(count: object) -> dict[str, Any] | None:
    """The smallest and largest number in ``0-8`` or ``{minimum: 0, maximum: 8}``; None for something else."""
    match = _RANGE.match(count.strip()) if isinstance(count, str) else None
    if match:
        return {"min": int(match[1]), "max": int(match[2])}
    if not isinstance(count, Mapping) or not count or not count.keys() <= _ENDS.keys():
        return None
    ends = {_ENDS[name]: value for name, value in count.items()}
    return ends if len(ends) == len(count) else None


def below_a_name(key: str, entries: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping of names that one entry without a name means, with a possible name for it."""
    return {f"my-{_singular(key)}": dict(entries)}


def _singular(key: str) -> str:
    """``workload-policy`` for the key ``workload_policies``."""
    for end, other in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if key.endswith(end):
            return (key.removesuffix(end) + other).replace("_", "-")
    return key


def with_unit_of(word: str, name: str, value: object) -> object:
    """A number with the unit that a name has and the key does not: ``ttl_seconds: 60`` is ``ttl: 60s``."""
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str) and value.strip().isdecimal():
        number = int(value)
    parts = [*_WORDS.findall(word)]
    unit = next((_UNITS[part.lower()] for part in parts if part.lower() in _UNITS), "")
    if number is None or not unit or len(parts) == 1 or {*map(str.lower, parts)} & {*name.split("_")} & {*_UNITS}:
        return value
    return f"{number}{unit}"


_WORDS = lazy_pattern(r"[A-Z]{2,}|[A-Z]?[a-z]+")
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "m"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("mb", "mi", "mib"), "Mi"),
    "gib": "Gi",
    "gi": "Gi",
    "gb": "G",
}


def as_number(kind: Any, name: str, text: str) -> Any:
    """The number in a text for a key, such as ``200Gi`` for a key in GiB; None if its unit is that of another key."""
    match = _QUANTITY.match(text)
    if match is None:
        return None
    number, unit = int(match[1].replace(",", "")), match[2].lower()
    factors = dict(_GIBIBYTES) if name.endswith("_gib") else {"": 1}
    if {*COUNTED.get(unit.removesuffix("s"), ())} & {*name.split("_")}:
        factors[unit] = 1
    return kind(number * factors[unit]) if unit in factors else None
