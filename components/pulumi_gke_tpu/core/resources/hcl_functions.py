"""The functions of Terraform whose results follow from their arguments alone."""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_MOST = 10_000
"""The most items of a result, and the longest text."""
_VERB = lazy_pattern(r"%(?:%|(?P<flags>[-+0 ]*)(?P<width>\d{0,3})(?P<digits>\.\d{1,3})?(?P<verb>[svdqtf]))", re.ASCII)


class HclRefusedError(Exception):
    """Terraform refuses an expression: a key is missing, or a function does not take its arguments."""


class HclSet(list[Any]):
    """A set, in the order in which Terraform writes it."""


def called(name: str, arguments: Sequence[Any]) -> Any:
    """The result of a function; unknown if it is none of those here, or an argument decides that is not known.

    Raises:
        HclRefusedError: Terraform refuses the arguments.
    """
    shaped, plain = _OF_SHAPES.get(name), _OF_VALUES.get(name)
    if shaped is None and plain is None:
        return UNKNOWN
    if any(map(is_unknown if shaped is None else _is_open, arguments)):
        return UNKNOWN
    try:
        found = (shaped or plain)(*arguments)  # type: ignore[misc]
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError):
        raise HclRefusedError(name) from None
    return UNKNOWN if isinstance(found, str | list | dict) and len(found) > _MOST else found


def _is_open(value: Any) -> bool:
    return value is UNKNOWN


def is_unknown(value: Any) -> bool:
    """Whether a value, or a part of it, is not known."""
    if isinstance(value, dict):
        return any(map(is_unknown, value.values()))
    return any(map(is_unknown, value)) if isinstance(value, list) else value is UNKNOWN


def text_of(value: Any) -> str:
    """A value as text.

    Raises:
        ValueError: it is a list or a mapping.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError


def as_set(items: Sequence[Any]) -> HclSet:
    """The different items of a list, sorted as Terraform does it."""
    found = HclSet(_once(items))
    if all(isinstance(each, str) for each in found):
        found.sort()
    return found


def _once(items: Sequence[Any]) -> list[Any]:
    return [*{repr(each): each for each in items}.values()]


def _merge(*maps: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for each in maps if each is not None for key, value in dict(each).items()}


def _flatten(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    waiting = [*reversed(items)]
    while waiting and len(found) <= _MOST:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        else:
            found.append(item)
    return UNKNOWN if any(map(_is_open, found)) else found  # type: ignore[return-value]


def _lookup(found: Mapping[str, Any], key: str, *default: Any) -> Any:
    return found[key] if key in found or not default else default[0]


def _format(pattern: str, *arguments: Any) -> str:
    values = iter(arguments)

    def filled(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value, verb = next(values), match["verb"]
        if verb == "d":
            text = str(int(value))
        elif verb == "f":
            text = f"{float(value):{match['digits'] or '.6'}f}"
        else:
            text = f'"{text_of(value)}"' if verb == "q" else text_of(value)
        width = int(match["width"] or 0)
        if "-" in match["flags"]:
            return text.ljust(width)
        return text.zfill(width) if "0" in match["flags"] else text.rjust(width)

    try:
        return _VERB.sub(filled, pattern)
    except StopIteration:
        raise ValueError from None


def _coalesced(values: Sequence[Any]) -> Any:
    found = [value for value in values if value is not None and value != ""]
    if not found:
        raise ValueError
    return found[0]


def _one(items: Sequence[Any]) -> Any:
    if len(items) > 1:
        raise ValueError
    return items[0] if items else None


def _substr(text: str, start: int, length: int) -> str:
    begin = start if start >= 0 else max(len(text) + start, 0)
    return text[begin:] if length < 0 else text[begin : begin + length]


def _replace(text: str, old: str, new: str) -> Any:
    if len(old) > 1 and old.startswith("/") and old.endswith("/"):
        return UNKNOWN
    return text.replace(old, new)


def _range(*numbers: int) -> Any:
    found = range(*numbers)
    return list(found) if len(found) <= _MOST else UNKNOWN


def _product(*lists: Sequence[Any]) -> Any:
    if math.prod(map(len, lists)) > _MOST:
        return UNKNOWN
    return [list(each) for each in itertools.product(*lists)]


def _keys(found: Mapping[str, Any]) -> list[str]:
    return sorted(found.keys())


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError
    if isinstance(value, str):
        return int(value) if value.lstrip("-").isdecimal() and len(value) < 20 else float(value)  # noqa: PLR2004
    return value + 0


def _boolean(value: Any) -> bool:
    if value in ("true", "false"):
        return bool(value == "true")
    if not isinstance(value, bool):
        raise TypeError
    return value


def _same(value: Any) -> Any:
    return value


def _listed(items: Any) -> list[Any]:
    if not isinstance(items, list):
        raise TypeError
    return [*items]


_OF_SHAPES: Final[Mapping[str, Callable[..., Any]]] = {
    "concat": lambda *lists: [item for each in lists for item in _listed(each)],
    "element": lambda items, index: items[int(index) % len(items)],
    "flatten": _flatten,
    "keys": _keys,
    "length": len,
    "lookup": _lookup,
    "merge": _merge,
    "nonsensitive": _same,
    "one": _one,
    "reverse": lambda items: [*reversed(items)],
    "sensitive": _same,
    "slice": lambda items, first, last: items[first:last],
    "tolist": _listed,
    "tomap": dict,
    "values": lambda found: [found[key] for key in _keys(found)],
    "zipmap": lambda keys, values: dict(zip(keys, values, strict=True)),
}
"""Functions whose arguments may have items that are not known."""
_OF_VALUES: Final[Mapping[str, Callable[..., Any]]] = {
    "abs": abs,
    "alltrue": all,
    "anytrue": any,
    "ceil": math.ceil,
    "coalesce": lambda *values: _coalesced(values),
    "coalescelist": lambda *lists: _coalesced([each or None for each in lists]),
    "compact": lambda items: [item for item in items if item not in (None, "")],
    "contains": lambda items, value: value in items,
    "distinct": lambda items: _once(_listed(items)),
    "endswith": str.endswith,
    "floor": math.floor,
    "format": _format,
    "formatlist": lambda pattern, items: [_format(pattern, item) for item in items],
    "join": lambda separator, items: separator.join(map(text_of, items)),
    "lower": str.lower,
    "max": max,
    "min": min,
    "range": _range,
    "replace": _replace,
    "setproduct": _product,
    "setunion": lambda *sets: as_set([item for each in sets for item in each]),
    "sort": sorted,
    "split": lambda separator, text: text.split(separator),
    "startswith": str.startswith,
    "strcontains": lambda text, part: part in text,
    "substr": _substr,
    "sum": sum,
    "title": str.title,
    "tobool": _boolean,
    "tonumber": _number,
    "toset": as_set,
    "tostring": lambda value: value if value is None else text_of(value),
    "trim": lambda text, characters: text.strip(characters),
    "trimprefix": str.removeprefix,
    "trimspace": str.strip,
    "trimsuffix": str.removesuffix,
    "upper": str.upper,
}
"""Functions whose arguments have to be known in all their parts."""
