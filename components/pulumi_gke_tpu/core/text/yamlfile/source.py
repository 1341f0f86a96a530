"""The text of a YAML file: its positions, its comments, and the content that must not be lost."""

import bisect
import functools
from array import array
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path, Position, is_visible, printable, printable_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

WIDEST = 1000
"""Last column of a line to show. A position further right has no text."""

_SHOWN = 200
_LINE_END = lazy_pattern(r"\r\n|\r|\n")


class SourceText:
    """A file's name and text. Places are offsets into the text, in characters from 0.

    The text may be a part of the file: ``lines_before`` counts the lines before it.
    """

    is_mended = False
    """Whether the text is not that of the file, but a corrected one."""

    def __init__(self, name: str, text: str, lines_before: int = 0) -> None:
        self.name = name
        self.text = text
        self.lines_before = lines_before

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @property
    def file_text(self) -> str:
        """The text of the file."""
        return self.text

    def is_corrected(self, start: int) -> bool:
        """Whether an offset is in a line with a correction."""
        return False

    def line_number(self, offset: int) -> int:
        """The line of the text that holds an offset, from 1."""
        return bisect.bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """The offset at which the line that holds ``offset`` begins."""
        return self._starts[self.line_number(offset) - 1]

    def line_end(self, offset: int) -> int:
        """The offset after the last character of the line that holds ``offset``, its line break left out."""
        number = self.line_number(offset)
        after = self._starts[number] if number < len(self._starts) else len(self.text)
        if self.text[after - 1 : after] == "\n" and number < len(self._starts):
            after -= 1
        return after - (self.text[after - 1 : after] == "\r" and number < len(self._starts))

    def position(self, start: int, end: int | None = None) -> Position:
        """The position from ``start`` to ``end``: at least one character, at most to the end of the line.

        ``column`` is always exact. In ``text``, one other character replaces each character that could disturb a
        terminal, so that a caret under ``column`` is correct. The text is cut after 200 characters, or after the
        position if that is further right, and is empty if the position is beyond column 1000.
        """
        start = min(start, len(self.text))
        first, last = self.line_start(start), self.line_end(start)
        column = start - first + 1
        end_column = max(column + 1, min(start + 1 if end is None else end, last) - first + 1)
        text = ""
        if column <= WIDEST:
            limit = min(max(_SHOWN, end_column), WIDEST)
            line = self.text[first : min(last, first + limit + 1)]
            if not is_visible(line):
                line = "".join(_one_column(char) for char in line)
            text = printable(line, limit)
        line_number = self.lines_before + self.line_number(start)
        return Position(printable_path(self.name), line_number, column, end_column, text)


def _one_column(char: str) -> str:
    if char == "\t":
        return " "
    return char if is_visible(char) else "\N{REPLACEMENT CHARACTER}"


_PROPERTIES = lazy_pattern(r"(?:(?:&[^\s,\[\]{}]+|!<[^>\s]*>|![^\s,\[\]{}]*)(?:\s+|#[^\r\n]*)*)*")

PLAIN, QUOTED, BLOCK_SCALAR, ALIAS, FLOW, BLOCK = range(6)
"""Kind of a node: a scalar in one of three styles, an alias, or a collection in one of two."""


class Places:
    """The nodes of a document, numbered in their order.

    ``starts`` and ``ends`` are offsets into the text, tags and anchors included. ``children`` holds for a mapping the
    number of each key's value, for a sequence the numbers of its items. A key is the node before its value; a merge
    key brings the numbers of the entries that it merges. ``targets`` has the node that an alias stands for.
    """

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.starts = array("q")
        self.ends = array("q")
        self.children: dict[int, dict[str, int] | list[int]] = {}
        self.targets: dict[int, int] = {}

    def add(self, kind: int, event: Any) -> int:
        """Add the next node; returns its number."""
        node = len(self.kinds)
        self.kinds.append(kind)
        self.starts.append(event.start_mark.index)
        self.ends.append(event.end_mark.index)
        return node

    def target(self, node: int) -> int:
        """The node that an alias refers to; any other node itself."""
        return self.targets.get(node, node)

    def find(self, path: Path) -> tuple[int, int, bool]:
        """The deepest node on a path, the number of steps to it, and whether it is the value of a key."""
        node, keyed = 0, False
        for taken, step in enumerate(path):
            children = self.children.get(self.target(node))
            if isinstance(children, dict) and step in children:
                node, keyed = children[step], True
            elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
                node, keyed = children[step], False
            else:
                return node, taken, keyed
        return node, len(path), keyed

    def scalar(self, path: Path) -> int | None:
        """The scalar at a path, with aliases resolved; None if there is none."""
        node, taken, _ = self.find(path)
        node = self.target(node)
        return node if taken == len(path) and self.kinds[node] <= BLOCK_SCALAR else None

    def extent(self, node: int, text: str) -> tuple[int, int]:
        """The offsets of a node's first character and of the one after its last, without tag and anchor."""
        start, end = self.starts[node], self.ends[node]
        return (start, end) if self.kinds[node] == ALIAS else without_properties(text, start, end)


def without_properties(text: str, start: int, end: int) -> tuple[int, int]:
    """The extent of a node less the tag and anchor at its beginning."""
    match = _PROPERTIES.match(text, start, end) if text.startswith(("&", "!"), start) else None
    return (match.end() if match else start), end


@frozen
class YamlFile:
    """The content of a file: its name as given, plain data, and the position of each value."""

    name: str
    data: Any
    _source: SourceText = field(repr=False, compare=False)
    _places: Places = field(repr=False, compare=False)

    @classmethod
    def empty(cls, name: str, lines_before: int = 0) -> "YamlFile":
        """A file without content, or a line of one whose content is not shown."""
        return cls(name, None, SourceText(name, "", lines_before), Places())

    @property
    def text(self) -> str:
        """The text of the file, without a byte order mark."""
        return self._source.file_text

    @property
    def is_mended(self) -> bool:
        """Whether syntax errors of the file were corrected while it was read."""
        return self._source.is_mended

    def is_corrected(self, path: Path) -> bool:
        """Whether the entry at ``path`` is in a line with a corrected syntax error."""
        node = self._places.find(path)[0]
        return self.is_mended and self._source.is_corrected(self._places.extent(node, self._source.text)[0])

    def position(self, path: Path, *, key: bool = False) -> Position:
        """The position of the value at ``path``, or with ``key`` of its key.

        A value without text of its own, such as a mapping in block style or an empty value, has the position of its
        key. A path that does not exist has the position of the deepest key that does; the root is at 1:1. An alias has
        its own position; the values in it, and those of a merge key, have their positions at the anchor.
        """
        node, taken, keyed = self._places.find(path)
        if taken == 0:
            return self._source.position(0, 0)
        start, end = self._places.extent(node, self._source.text)
        no_text = self._places.kinds[node] == BLOCK or start == end
        if keyed and (key or no_text or taken < len(path)):
            start, end = self._places.extent(node - 1, self._source.text)
        return self._source.position(start, end)

    def span(self, first: Path, last: Path) -> tuple[Position, str]:
        """The position from the key at one path to the end of the value at another, and the text from the value on."""
        start = self._places.find(first)[0]
        end = self._places.find(last)[0]
        text = self._source.text
        value, stop = self._places.extent(start, text)[0], self._places.extent(end - 1, text)[1]
        return self._source.position(self._places.extent(start - 1, text)[0], stop), text[value:stop]

    def in_braces(self, path: Path) -> bool:
        """Whether ``path`` is inside braces or brackets, where a comment would hide the rest of the line."""
        return any(self._places.kinds[self._places.find(path[:end])[0]] == FLOW for end in range(len(path)))

    def written(self, path: Path) -> str | None:
        """The scalar at ``path`` exactly as in the file, with its quotes; None if there is none."""
        node = self._places.scalar(path)
        if node is None:
            return None
        start, end = self._places.extent(node, self._source.text)
        text = self._source.text[start:end]
        return text.rstrip() if self._places.kinds[node] == BLOCK_SCALAR else text
