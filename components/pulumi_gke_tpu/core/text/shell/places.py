"""Places of the words of a script, also of one within another text."""

import bisect
import functools
import re


class ScriptPlaces:
    """Lines and columns of offsets; of a script within another one, those of the outer one."""

    def __init__(self, text: str, line: int = 1, column: int = 1) -> None:
        self._text = text
        self._line = line
        self._column = column

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self._text))]

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        row = bisect.bisect_right(self._starts, offset) - 1
        column = offset - self._starts[row] + 1
        return self._line + row, column + self._column - 1 if row == 0 else column


class OnePlace(ScriptPlaces):
    """The same place for every offset of a text."""

    def __init__(self, text: str, line: int, column: int) -> None:
        super().__init__(text)
        self._place = line, column

    def at(self, _offset: int) -> tuple[int, int]:
        """The place, whatever the offset."""
        return self._place
