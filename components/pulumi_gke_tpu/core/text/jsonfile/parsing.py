"""Parses JSON from an untrusted file, of limited size and depth, without duplicate keys and NaN; writes JSON."""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path, format_path, printable

_ANY_NUMBER = 10**9
_MOST_DIGITS = 400
"""Digits of the largest number; more of them would take seconds to print."""


class JsonError(ValueError):
    """The content is not the expected document. The message has the path and the reason, safe to print."""

    def __init__(self, path: Path, problem: str) -> None:
        place = printable(format_path(path)) if path else "the document"
        super().__init__(f"{place}: {problem}")


@frozen
class Limits:
    """How large a document and its parts may be."""

    size: int
    """Bytes of the document."""
    depth: int
    """Levels of nested objects and lists."""
    entries: int = _ANY_NUMBER
    """Entries of one object or list."""
    is_text: Callable[[str], bool] | None = None
    """Whether a text, or the key of an object, is acceptable; None if each is."""


def parse_json(content: bytes, limits: Limits) -> Any:
    """Parse a document in any UTF, with a byte order mark or without: some shells write UTF-16 into files.

    Raises:
        JsonError: the content is not JSON, or exceeds a limit.
    """
    if len(content) > limits.size:
        raise JsonError((), f"it is larger than {limits.size // 1_000_000} MB")
    try:
        data = json.loads(content, object_pairs_hook=_unique, parse_constant=_no_constant)
    except JsonError:
        raise
    except (ValueError, RecursionError):
        raise JsonError((), "it is not valid JSON, or nested too deeply") from None
    _check(data, limits)
    return data


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonError((), "duplicate key in an object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise JsonError((), f"{name} is not a number")


def _check(data: object, limits: Limits) -> None:
    """Check every value, level by level: recursion would end before the limit of depth does."""
    level: list[Any] = [data]
    plain = limits.is_text is None and limits.entries == _ANY_NUMBER
    for depth in range(limits.depth):
        inside: list[Any] = []
        for value in level:
            kind = type(value)
            if kind is bool or value is None or (kind is str and limits.is_text is None):
                continue  # most values of a large file
            if not (plain and kind in (dict, list)) and (problem := _problem(value, limits)):
                raise JsonError(_path_of(data, value, depth), problem)
            if isinstance(value, dict):
                inside += value.values()
            elif isinstance(value, list):
                inside += value
        if not inside:
            return
        level = inside
    raise JsonError((), f"it is nested more than {limits.depth} levels deep")


def _problem(value: object, limits: Limits) -> str:
    """The problem of a value or of its keys; empty if there is none."""
    if isinstance(value, str):
        fine = limits.is_text is None or limits.is_text(value)
        return "" if fine else "the text is too long, or contains characters that cannot be printed"
    if isinstance(value, dict | list):
        if len(value) > limits.entries:
            return f"more than {limits.entries:,} entries"
        fine = limits.is_text is None or isinstance(value, list) or all(map(limits.is_text, value))
        return "" if fine else "a key is too long, or contains characters that cannot be printed"
    if isinstance(value, int) and abs(value) >= 10**_MOST_DIGITS:
        return f"the number has more than {_MOST_DIGITS} digits"
    return "the number is too large" if value in (float("inf"), float("-inf")) else ""


def _path_of(data: object, wanted: object, depth: int) -> Path:
    """The path of a value at a depth; only errors need it."""
    level: list[tuple[Path, Any]] = [((), data)]
    for _ in range(depth):
        level = [
            ((*path, step), inner)
            for path, value in level
            if isinstance(value, dict | list)
            for step, inner in (value.items() if isinstance(value, dict) else enumerate(value))
        ]
    return next(path for path, value in level if value is wanted)


def json_text(data: object) -> str:
    """A JSON document for people and programs, without a line break at its end."""
    return json.dumps(data, indent=2, ensure_ascii=False)
