"""Writes a document as text for a terminal: wrapped, with colors where wanted, and without log commands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from pulumi_gke_tpu.core.text.document import terminal
from pulumi_gke_tpu.core.text.document.model import (
    Alert,
    Block,
    Branch,
    Bullets,
    Code,
    Document,
    Entries,
    Entry,
    Fields,
    Folded,
    Group,
    Heading,
    Limited,
    Line,
    Link,
    Paragraph,
    Piece,
    Series,
    Table,
    Tone,
    Toned,
    Tree,
)
from pulumi_gke_tpu.core.text.document.terminal import BOLD, LineLayout, Word, cells, no_command, no_mark, words
from pulumi_gke_tpu.core.text.document.text_table import table_lines
from pulumi_gke_tpu.core.text.findings import one_line, safe
from pulumi_gke_tpu.core.text.findings.wording import LINE_BREAK

_GAP = "  "
_INDENT = "    "


def tree_lines(tree: Tree, page: LineLayout) -> Iterator[str]:
    """The tree. Cells of a branch that do not fit on one line continue below it, along the rail."""
    title = Word(f"{_shown(tree.title)}  ", BOLD)
    yield from page.flow([title, *words(_shown(tree.about))], hang=2)
    yield from _branches(tree.branches, "", page)


def _shown(text: str) -> str:
    return no_mark(one_line(text))


def _branches(branches: Sequence[Branch], rail: str, page: LineLayout) -> Iterator[str]:
    shown = [[_shown(cell) for cell in branch.cells] for branch in branches]
    # The last cell of a branch is not aligned with those of others.
    sizes = [
        max((cells(row[column]) for row in shown if column < len(row) - 1), default=0)
        for column in range(max(map(len, shown), default=0))
    ]
    for number, (branch, row) in enumerate(zip(branches, shown, strict=True)):
        last = number == len(branches) - 1
        further = f"{rail}{'   ' if last else '│  '}"
        yield from _branch(row, sizes, f"{rail}{'└─ ' if last else '├─ '}", further, page)
        yield from _branches(branch.below, further, page)


def _branch(row: Sequence[str], sizes: Sequence[int], lead: str, rail: str, page: LineLayout) -> Iterator[str]:
    line, empty = lead, True
    for cell, size in zip(row[:-1], sizes, strict=False):
        if not empty and cells(line) + cells(cell) > page.room:
            yield no_command(line.rstrip())
            line = f"{rail}{_INDENT}"
        line += f"{cell}{' ' * (size - cells(cell))}{_GAP}"
        empty = False
    text = row[-1]
    if not empty and cells(line) + cells(text) > page.room and cells(line) > page.room // 2:
        yield line.rstrip()
        line = f"{rail}{_INDENT}"
    hang = f"{rail}{' ' * (cells(line) - cells(rail))}"
    for number, part in enumerate(_wrapped(text, page.room - cells(line))):
        yield no_command(f"{line if number == 0 else hang}{part}".rstrip())


def _wrapped(text: str, room: int) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        if line and cells(line) + 1 + cells(word) > room:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


_COLOURS: dict[Tone, str] = {
    "": "",
    "strong": terminal.BOLD,
    "quiet": terminal.DIM,
    "good": terminal.GREEN,
    "careful": terminal.YELLOW,
    "bad": terminal.RED,
    "info": terminal.CYAN,
}
_LABELS = 11
"""Columns of the labels of an item."""


def write_text(document: Document, *, width: int, color: bool) -> str:
    """The document in lines of at most ``width`` columns where words allow it; no final line break.

    Nothing to copy is broken. The text has no control characters but line breaks and, with ``color``, the codes of
    colors, and no line of it is a command to the build system in whose log it may be.
    """
    page = LineLayout(width, color)
    blocks = (block.block if isinstance(block, Limited) else block for block in document)
    return "\n\n".join(text for block in blocks if (text := "\n".join(_lines(block, page))))


def _lines(block: Block, page: LineLayout) -> list[str]:
    return _WRITERS[type(block)](block, page)


def words_of(line: Line, tone: Tone = "") -> list[Word]:
    """The words of a line, safe to print."""
    if isinstance(line, str):
        return _safe_words(one_line(line).split(" "), tone)
    found = [Word("")]
    for piece in line if isinstance(line, tuple) else (line,):
        text, own = _toned(piece, tone)
        first, *others = _safe_words(safe(LINE_BREAK.sub(" ", text)).split(" "), own)
        last = found.pop()
        found += [Word(terminal.no_mark(last.text + first.text), last.color if last.text else first.color), *others]
    return found


def _toned(piece: Piece, tone: Tone) -> tuple[str, Tone]:
    if isinstance(piece, Toned):
        return piece.text, piece.tone
    return (f"{piece.text} ({piece.address})" if isinstance(piece, Link) else piece), tone


def _safe_words(words: Iterable[str], tone: Tone) -> list[Word]:
    return [Word(terminal.no_mark(word), _COLOURS[tone]) for word in words]


def text_of(line: Line) -> str:
    """The text of a line, safe to print."""
    return " ".join(word.text for word in words_of(line))


def _heading(block: Heading, page: LineLayout) -> list[str]:
    return page.flow(words_of(block.line, "strong"))


def _alert(block: Alert, page: LineLayout) -> list[str]:
    return [line for inner in block.blocks for line in _lines(inner, page)]


def _paragraph(block: Paragraph, page: LineLayout) -> list[str]:
    lead, hang = (_label(block.label), _LABELS) if block.label else ("", 2)
    return page.flow(words_of(block.line, block.tone), lead=lead, hang=hang)


def _bullets(block: Bullets, page: LineLayout) -> list[str]:
    title = [] if block.label or not (block.title and block.entries) else page.flow(words_of(block.title), hang=2)
    lead = f"{block.label}: " if block.label else "- "
    lines = title
    for entry, below in zip_longest(block.entries, block.below, fillvalue=()):
        lines += page.flow(words_of(entry, block.tone), lead, hang=4 if block.below else 2)
        for further in below:
            lines += page.flow(words_of(further), lead="    ", hang=6)
    return lines


def _code(block: Code, page: LineLayout) -> list[str]:
    lines = [terminal.no_command(terminal.no_mark(safe(line))) for line in block.text.split("\n")]
    painted = [page.paint(line, _COLOURS[block.tone]) for line in lines]
    if not block.label:
        return painted
    return [f"{_label(block.label) if at == 0 else ' ' * _LABELS}{line}" for at, line in enumerate(painted)]


def _entries(block: Entries, page: LineLayout) -> list[str]:
    blocks = ["\n".join(_entry(entry, page)) for entry in block.entries]
    return "\n\n".join(blocks).split("\n") if blocks else []


def _entry(entry: Entry, page: LineLayout) -> list[str]:
    label = Word(f"{text_of(entry.label.text):<{_LABELS - 2}}", _COLOURS[entry.label.tone])
    lines = page.flow([label, *words_of(entry.title, "strong")], hang=_LABELS)
    for line in entry.lines:
        lines += page.flow(words_of(line), lead="  ", hang=4)
    if entry.text:
        lines += page.flow(words_of(entry.text), lead="  ", hang=2)
    for name, remark in entry.remarks:
        lines += page.flow(words_of(remark), lead=_label(name), hang=_LABELS)
    return [*lines, *(f"  {line}" for below in entry.below for line in _lines(below, _narrower(page, 2)))]


def _label(name: str) -> str:
    return f"  {name + ':':<{_LABELS - 2}}"


def _fields(block: Fields, page: LineLayout) -> list[str]:
    size = max((cells(name) for name, field in block.fields if isinstance(field, Paragraph)), default=0) + 2
    parts = ["\n".join(_field(name, field, size, page)) for name, field in block.fields]
    return "\n\n".join(parts).split("\n")


def _field(name: str, block: Block, size: int, page: LineLayout) -> list[str]:
    if isinstance(block, Paragraph):
        return page.flow(words_of(block.line, block.tone), lead=f"{name:<{size}}", hang=size)
    return [name, *(f"    {line}".rstrip() for line in _lines(block, _narrower(page, 4)))]


def _narrower(page: LineLayout, columns: int) -> LineLayout:
    return LineLayout(page.width - columns, page.color)


def _group(block: Group, page: LineLayout) -> list[str]:
    return [line for inner in block.blocks for line in _lines(inner, page)]


def _series(block: Series, page: LineLayout) -> list[str]:
    parts = [part for inner in block.blocks if (part := "\n".join(_lines(inner, page)))]
    return "\n\n".join(parts).split("\n") if parts else []


def _folded(block: Folded, page: LineLayout) -> list[str]:
    return _lines(block.block, page)


def _tree(block: Tree, page: LineLayout) -> list[str]:
    return list(tree_lines(block, page))


def _table(block: Table, page: LineLayout) -> list[str]:
    return list(table_lines(block, page, text_of))


_WRITERS: dict[type, Callable[[Any, LineLayout], list[str]]] = {
    Alert: _alert,
    Heading: _heading,
    Paragraph: _paragraph,
    Bullets: _bullets,
    Table: _table,
    Code: _code,
    Tree: _tree,
    Entries: _entries,
    Fields: _fields,
    Group: _group,
    Series: _series,
    Folded: _folded,
}
