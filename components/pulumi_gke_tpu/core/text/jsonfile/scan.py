"""Walks a large JSON document and builds only the parts that are asked for.

The plan of a large Terraform configuration has hundreds of megabytes, of which a command needs a few kilobytes.
"""

import bisect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_BRACKET = lazy_pattern(rf'[^"{{}}\[\]]*(?:{_STRING}[^"{{}}\[\]]*)*([{{}}\[\]])', re.DOTALL)
"""Everything up to the next bracket that is not in a string."""
_LINE = lazy_pattern(r"\n")
_SPACE = lazy_pattern(r"[ \t\r\n]*")
_DEEPEST = 200
_LONGEST_KEY = 10_000


class JsonPart:
    """A value in a document, which begins at ``start``. It is read when it is asked for."""

    def __init__(self, text: str, start: int, lines: list[int] | None = None) -> None:
        self.text = text
        self.start = start
        self._end = -1
        self._lines = [] if lines is None else lines
        """Where each line of the document begins, once a position was asked for. All parts share it."""
        self._parts: dict[str | int, JsonPart] | None = None
        self._further: Iterator[tuple[str | int, JsonPart]] | None = None
        """The parts of an object or a list that are not among ``_parts`` yet."""

    @property
    def first(self) -> str:
        """The first character, which tells an object from a list and from a scalar."""
        return self.text[self.start : self.start + 1]

    @property
    def end(self) -> int:
        """Where the value ends."""
        if self._end < 0:
            self._end = self._skipped() if self.first in ("{", "[") else self._decoded()[1]
        return self._end

    def has(self, text: str) -> bool:
        """Whether the value, as it is written, contains some text."""
        return self.text.find(text, self.start, self.end) >= 0

    def value(self) -> Any:
        """The value as data.

        Raises:
            JsonError: it is not JSON, or is nested too deeply.
        """
        found, self._end = self._decoded()
        return found

    def members(self) -> Iterator[tuple[str, "JsonPart"]]:
        """The keys and values of an object, in order; none if the value is not an object.

        Raises:
            JsonError: the object is not JSON, or ends too early.
        """
        parts: dict[str | int, JsonPart] = {}
        at = self._first_of("{", "}")
        while at >= 0:
            name = JsonPart(self.text, at)
            key = name.value() if name.first == '"' else None
            at = _skip(self.text, name.end)
            if not isinstance(key, str) or self.text[at : at + 1] != ":":
                raise _broken(at)
            value = JsonPart(self.text, _skip(self.text, at + 1), self._lines)
            parts.setdefault(key[:_LONGEST_KEY], value)
            yield key[:_LONGEST_KEY], value
            at = self._next(value.end, "}")
        self._parts = parts

    def elements(self) -> Iterator["JsonPart"]:
        """The elements of a list, in order; none if the value is not a list.

        Raises:
            JsonError: the list is not JSON, or ends too early.
        """
        at = self._first_of("[", "]")
        while at >= 0:
            value = JsonPart(self.text, at, self._lines)
            yield value
            at = self._next(value.end, "]")

    def beside(self, start: int) -> "JsonPart":
        """Another value of the same text: some texts have a document in each line."""
        return JsonPart(self.text, start, self._lines)

    def at(self, *path: str | int) -> "JsonPart":
        """The value at a path, or the innermost value on the way to it that exists."""
        found = self
        for step in path:
            inner = found._inside(step)
            if inner is None:
                break
            found = inner
        return found

    def _inside(self, step: str | int) -> "JsonPart | None":
        """A part of an object or a list. Those in front of it are kept: many findings are in one document."""
        if self._parts is None:
            self._parts = {}
            self._further = enumerate(self.elements()) if self.first == "[" else self.members()
        parts = self._parts
        while step not in parts and self._further is not None:
            found = next(self._further, None)
            if found is None:
                self._further = None
            else:
                parts.setdefault(*found)
        return parts.get(step)

    def locator(self, file: str, *above: str | int) -> Callable[[Path], Position]:
        """Finds values by their paths below ``above``."""
        return lambda path: self.at(*above, *path).position(file)

    def position(self, file: str) -> Position:
        """Where the value begins."""
        if not self._lines:
            self._lines += [0, *(match.end() for match in _LINE.finditer(self.text))]
        line = bisect.bisect_right(self._lines, self.start)
        column = self.start - self._lines[line - 1] + 1
        return Position(file, line, column, column + 1)

    def _decoded(self) -> tuple[Any, int]:
        try:
            found, end = _DECODER.raw_decode(self.text, self.start)
        except (ValueError, RecursionError):
            raise _broken(self.start) from None
        return found, end

    def _skipped(self) -> int:
        depth, at = 0, self.start
        while match := _BRACKET.match(self.text, at):
            at = match.end()
            depth += 1 if match[1] in "{[" else -1
            if not depth:
                return at
            if depth > _DEEPEST:
                raise JsonError((), "it is nested too deeply")
        raise JsonError((), "it ends too early, or is not valid JSON")

    def _first_of(self, opening: str, closing: str) -> int:
        """Where the first part begins; -1 if there is none."""
        if self.first != opening:
            return -1
        at = _skip(self.text, self.start + 1)
        if self.text[at : at + 1] == closing:
            self._end = at + 1
            return -1
        return at

    def _next(self, at: int, closing: str) -> int:
        """Where the next part begins; -1 after the last one."""
        at = _skip(self.text, at)
        found = self.text[at : at + 1]
        if found == closing:
            self._end = at + 1
            return -1
        if found != ",":
            raise _broken(at)
        return _skip(self.text, at + 1)


def document(content: bytes) -> JsonPart:
    """The first value of a document in UTF-8, with a byte order mark or without.

    Raises:
        JsonError: the document is not UTF-8, or empty.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError((), f"it is not UTF-8 at byte {error.start + 1:,}") from None
    start = _skip(text, 0)
    if start == len(text):
        raise JsonError((), "it is empty")
    return JsonPart(text, start)


def check_end(part: JsonPart) -> None:
    """Require that nothing follows a value.

    Raises:
        JsonError: something does.
    """
    if _skip(part.text, part.end) != len(part.text):
        raise JsonError((), "something follows the document")


def _number(text: str) -> int | float:
    return int(text) if len(text) < _MOST_CHARACTERS else float("nan")


_MOST_CHARACTERS = 400
"""A longer number would take seconds to print."""
_DECODER = json.JSONDecoder(parse_int=_number)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _broken(at: int) -> JsonError:
    return JsonError((), f"it is not valid JSON at character {at + 1:,}")
