"""The text of a file, and positions in it for findings."""

import bisect
import functools
import re

from pulumi_gke_tpu.core.text.findings import Position, is_visible, printable, printable_path

WIDEST = 1000
"""Last column of a line to show. A position further right has no text."""

_SHOWN = 200
_LINE_END = re.compile(r"\r\n|\r|\n")


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
