"""Draws a table in a terminal: columns side by side, with wrapped cells if whole cells do not fit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pulumi_gke_tpu.core.text.document.model import Cell, Column, Line, Lines, Table
from pulumi_gke_tpu.core.text.document.terminal import DIM, LineLayout, Word, cells, no_command, words

_GAP = 2
_NARROWEST = 12
"""Columns below which a cell of sentences is hard to read."""


def table_lines(table: Table, page: LineLayout, text_of: Callable[[Line], str]) -> Iterator[str]:
    """The table, or a list of its rows if wrapped cells do not fit side by side either."""
    if not table.rows:
        return
    rows = [[_lines(cell, text_of) for cell in row] for row in table.rows]
    for columns, shown in _attempts(table.columns):
        cells_shown = [[row[number] for number in shown] for row in rows]
        sizes = _sizes(columns, cells_shown, page.room)
        if sizes is not None:
            head = _drawn([[column.name] for column in columns], columns, sizes)
            yield from (page.paint(line, DIM) for line in head)
            for row in cells_shown:
                yield from map(no_command, _drawn(row, columns, sizes))
            return
    yield from _as_list(table.columns, rows, page)


def _attempts(columns: Sequence[Column]) -> Iterator[tuple[list[Column], list[int]]]:
    """Columns to try, with their numbers: all, then without the spare ones, last with names that may be wrapped."""
    shown = list(range(len(columns)))
    spare = [number for number in shown if columns[number].spare]
    yield list(columns), shown
    while spare:
        shown = [number for number in shown if number != spare[-1]]
        spare.pop()
        yield [columns[number] for number in shown], shown
    yield [replace(columns[number], whole=False) for number in shown], shown


def _drawn(row: Sequence[Sequence[str]], columns: Sequence[Column], sizes: Sequence[int]) -> Iterator[str]:
    wrapped = [_wrapped(cell, size) for cell, size in zip(row, sizes, strict=True)]
    for number in range(max(map(len, wrapped))):
        yield _row(columns, [cell[number] if number < len(cell) else "" for cell in wrapped], sizes)


def _lines(cell: Cell, text_of: Callable[[Line], str]) -> list[str]:
    return [text_of(line) for line in cell.lines] if isinstance(cell, Lines) else [text_of(cell)]


def _sizes(columns: Sequence[Column], rows: Sequence[Sequence[list[str]]], room: int) -> list[int] | None:
    """The columns of the terminal that each column of the table gets: the widest are narrowed first."""
    sizes, least = [], []
    for number, column in enumerate(columns):
        lines = [column.name, *(line for row in rows for line in row[number])]
        widest = max(map(cells, lines))
        longest_word = max((cells(word) for line in lines for word in line.split(" ")), default=0)
        sizes.append(widest)
        # Numbers are never broken; nor are names, unless one would take more than a third of the room.
        share = max(room // 3, _NARROWEST)
        least.append(longest_word if column.right else min(widest if column.whole else longest_word, share))
    excess = sum(sizes) + _GAP * (len(sizes) - 1) - room
    while excess > 0:
        narrowable = [number for number, size in enumerate(sizes) if size > least[number]]
        if not narrowable:
            return None
        sizes[max(narrowable, key=lambda number: (not columns[number].whole, sizes[number]))] -= 1
        excess -= 1
    return sizes


def _wrapped(lines: Sequence[str], size: int) -> list[str]:
    return [part for line in lines for part in _folded(line, size)]


def _folded(line: str, size: int) -> Iterator[str]:
    """A line of a cell in lines of its size; words that are longer are broken."""
    current = ""
    for word in line.split(" "):
        whole = f"{current} {word}" if current else word
        if cells(whole) <= size:
            current = whole
            continue
        if current:
            yield current
        current = word
        while cells(current) > size:
            end = next(end for end in range(len(current), 0, -1) if cells(current[:end]) <= size or end == 1)
            yield current[:end]
            current = current[end:]
    yield current


def _row(columns: Sequence[Column], texts: Sequence[str], sizes: Sequence[int]) -> str:
    parts = []
    for column, text, size in zip(columns, texts, sizes, strict=True):
        space = " " * (size - cells(text))
        parts.append(space + text if column.right else text + space)
    return (" " * _GAP).join(parts).rstrip()


def _as_list(columns: Sequence[Column], rows: Sequence[Sequence[list[str]]], page: LineLayout) -> Iterator[str]:
    for first, *others in rows:
        named = [
            f"{column.name} {', '.join(cell)}".strip()
            for column, cell in zip(columns[1:], others, strict=True)
            if any(cell)
        ]
        flowed: list[Word] = words(f"{' '.join(first)}: {', '.join(named)}" if named else " ".join(first))
        yield from page.flow(flowed, hang=_GAP)
