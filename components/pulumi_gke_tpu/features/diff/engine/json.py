"""The JSON that the engine writes: text in UTF-8 or UTF-16, lines, strictly parsed, and values of the wanted kind."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

WRITE_AGAIN = "write it again: pulumi preview --json > events.json"

_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


class EventsError(ValueError):
    """A file without a preview of the engine. The message contains the location and the problem, safe to print."""


def decoded(content: bytes) -> str:
    """As UTF-8, or as the UTF-16 that PowerShell writes."""
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8-sig")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise EventsError(f"line {line}: it is not UTF-8 text; {WRITE_AGAIN}") from None


def filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def parsed(text: str) -> Any:  # noqa: ANN401 - JSON has no type until it is checked
    """Parse JSON without duplicate keys; numbers stay strings, because none is needed.

    Raises:
        json.JSONDecodeError: the text is not JSON, or incomplete.
        EventsError: a key is duplicate, or the document is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_int=str, parse_float=str, parse_constant=_no_constant)
    except RecursionError:
        raise EventsError("it is nested too deeply") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise EventsError("duplicate key in an object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise EventsError(f"{name} is not JSON")


def object_at(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The object under a key.

    Raises:
        EventsError: there is none.
    """
    found = data.get(key)
    if not isinstance(found, dict):
        raise EventsError(f"{key}: it must be an object")
    return found


def text_at(data: Mapping[str, Any], key: str) -> str:
    """The string value of a key; empty if the key is absent.

    Raises:
        EventsError: the value is not a string.
    """
    found = data.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise EventsError(f"{key}: it must be a string")
    return found
