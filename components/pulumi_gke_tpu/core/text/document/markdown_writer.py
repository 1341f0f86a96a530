"""Writes a document as GitHub's Markdown, escaped, whole or cut to a number of bytes."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.document.model import (
    Alert,
    Block,
    Branch,
    Bullets,
    Cell,
    Code,
    Column,
    Document,
    Entries,
    Entry,
    Fields,
    Folded,
    Group,
    Heading,
    Limited,
    Line,
    Lines,
    Link,
    Name,
    Paragraph,
    Piece,
    Prose,
    Series,
    Table,
    Toned,
    Tree,
)
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_SPECIAL = lazy_pattern(r"([\\`*\[\]#|~$]|(?<![^\W_])_|_(?![^\W_]))")
_LEADING = lazy_pattern(r" ?(?:[-+](?=\s|\Z)|\d+[.)](?=\s|\Z)|[=>]|--|:-)")
_INDENT = lazy_pattern(r"\A\s{2,}")
_WORD = lazy_pattern(r"[^\s()\[\]{},;\"'`|\\<>]+")
_LINKED = lazy_pattern(
    r"@|://|www\.|#\d|\bgh-\d|:(?!\d\d?:)[\w+-]+:|(?<![^\W_])(?<!-gke\.)[0-9a-f]{7,}(?![^\W_])", re.IGNORECASE
)
"""What code hosts make links, mentions and pictures of: of numbers between colons only longer ones, since ``12:30:00``
is a time of day. None of it does so in code, and code is copied as it was written.
"""
_MARKS = "-+.)=>:"
_ENDS_CELL = lazy_pattern(r"[|\\]")
"""In a table, a pipe, or a backslash that can be before one, cannot be code."""

DETAILS_END = "</details>"
"""The end of a part that is folded."""


def text(value: str) -> str:
    """Inline text: no markup, HTML, mention, automatic link, reference to an issue or a commit, or emoji.

    A word that would become one of these is inline code.
    """
    safe = _worded(_INDENT.sub(" ", printable(value, 1000)), _escaped, code)
    return _without_mark(safe)


def html_text(value: str) -> str:
    """Text inside an HTML element of ours, where Markdown's escapes mean nothing."""
    return _worded(printable(value, 1000), html.escape, lambda word: f"<code>{html.escape(word)}</code>")


def _worded(value: str, plain: Callable[[str], str], linked: Callable[[str], str]) -> str:
    """The text with each word written one way or the other, and everything between words like plain ones."""
    parts: list[str] = []
    at = 0
    for match in _WORD.finditer(value):
        if not _LINKED.search(match[0]):
            continue
        word = match[0].rstrip(".!?")
        if word.count(":") == 1:
            word = word.removesuffix(":")
        parts += [plain(value[at : match.start()]), linked(word)]
        at = match.start() + len(word)
    return "".join([*parts, plain(value[at:])])


def _escaped(value: str) -> str:
    return _SPECIAL.sub(r"\\\1", value.replace("&", "&amp;").replace("<", "&lt;"))


def _without_mark(safe: str) -> str:
    """The text, escaped so that its beginning is not a list, heading or rule."""
    lead = _LEADING.match(safe)
    if lead is None:
        return safe
    at = next(at for at, char in enumerate(lead[0]) if char in _MARKS)
    return f"{safe[:at]}\\{safe[at:]}"


def code(value: str, *, in_table: bool = False) -> str:
    """Inline code, regardless of backticks in it; text where a pipe would end the cell of a table."""
    if in_table and _ENDS_CELL.search(value):
        return text(value)
    safe = printable(value, 1000)
    fence = "`" * (max((len(run) for run in re.findall("`+", safe)), default=0) + 1)
    padding = " " if safe.startswith("`") or safe.endswith("`") or not safe else ""
    return f"{fence}{padding}{safe}{padding}{fence}"


def prose(value: str, *, in_table: bool = False) -> str:
    """Sentences in which every second piece between backticks is a name: names become inline code.

    Where the backticks mean something else, they stay what they are.
    """
    pieces = value.split("`")
    if len(pieces) % 2 == 0 or not all(map(str.strip, pieces[1::2])):
        return text(value)
    # Two names without a word between them would share their backticks.
    pieces[2:-1:2] = [piece or " " for piece in pieces[2:-1:2]]
    plain, done = "", ""
    for number, piece in enumerate(pieces):
        if number % 2 == 0 or (in_table and _ENDS_CELL.search(piece)):
            plain += piece  # as one text, because adjacent pieces can form a link
        else:
            done = beside(beside(done, text(plain)), code(piece))
            plain = ""
    return beside(done, text(plain))


def beside(one: str, other: str) -> str:
    """One piece after the other, with a space between them if they would otherwise have another meaning.

    Two pieces of code would share their backticks, and asterisks between a letter and a mark are not emphasis.
    """
    shared = one.endswith("`") and other.startswith("`")
    opening = other.startswith("**") and not _is_mark(one[-1:]) and _is_mark(other[2:3])
    closing = one.endswith("**") and _is_mark(one[-3:-2]) and not _is_mark(other[:1])
    return f"{one} {other}" if shared or opening or closing else one + other


def _is_mark(char: str) -> bool:
    """Whether a character can be beside asterisks: punctuation, a symbol, a space, or the end of the text."""
    return not char or char.isspace() or unicodedata.category(char)[0] in "PS"


def fenced(block: str, language: str) -> str:
    """A code block, regardless of fences in it."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", block)), default=0) + 1)
    return f"{fence}{language}\n{block}\n{fence}"


def details_head(summary: str) -> str:
    """The beginning of a part that is folded. ``summary`` is plain text."""
    return f"<details><summary>{html_text(summary)}</summary>"


_ROOM_TO_SAY_SO = 600
"""Bytes reserved for the line about omitted parts."""


@frozen
class Section:
    """Parts below a head. Each part is on its own lines; ``spaced`` ones are separate blocks."""

    name: str
    """What its parts are, in the plural: what is left out is called so."""
    head: str
    things: Sequence[Any] = ()
    """What the parts are made of, one each."""
    write: Callable[[Any], str] = str
    """Makes a part. Called only for those that may fit."""
    spaced: bool = False
    share: int = 100
    """Its maximum percentage of the size if not everything fits; the rest is for later blocks."""
    kinds: Callable[[Sequence[Any]], str] | None = None
    """What those that are left out are, in a few words."""
    tail: str = ""
    """What follows the parts."""
    _written: list[str] = field(default_factory=list)

    def part(self, number: int) -> str:
        """A part, built at its first use."""
        while len(self._written) <= number:
            self._written.append(self.write(self.things[len(self._written)]))
        return self._written[number]

    def fitting(self, room: int) -> int:
        """How many of the first parts fit into so many bytes, with the head."""
        room -= _size(self.head) + 2 + (_size(self.tail) + 2 if self.tail else 0)
        for number in range(len(self.things)):
            room -= _size(self.part(number)) + (2 if self.spaced else 1)
            if room < 0:
                return number
        return len(self.things)

    def block(self, parts: int) -> str:
        """Head and first parts."""
        gap = "\n\n" if self.spaced else "\n"
        lead = f"{self.head}{gap}" if self.head and parts else self.head
        tail = f"\n\n{self.tail}" if self.tail else ""
        return f"{lead}{gap.join(self.part(number) for number in range(parts))}{tail}"


def fitted(sections: Sequence[Section], limit: int, rest: str) -> str:
    """The sections as one text of at most ``limit`` bytes in UTF-8, with a final line break.

    ``rest`` names the place of the omitted parts. Sections without parts are never left out: it is the caller's task to
    keep them small.
    """
    whole = _whole(sections, limit)
    return whole if whole is not None else _cut(sections, limit, rest)


def _whole(sections: Sequence[Section], limit: int) -> str | None:
    blocks: list[str] = []
    left = limit - 1
    for section in sections:
        if section.fitting(left) < len(section.things):
            return None
        blocks.append(section.block(len(section.things)))
        left -= _size(blocks[-1]) + 2
    text = "\n\n".join(blocks) + "\n"
    return text if _size(text) <= limit else None


def _cut(sections: Sequence[Section], limit: int, rest: str) -> str:
    blocks: list[str] = []
    missing: list[str] = []
    left = limit - _ROOM_TO_SAY_SO - sum(_size(section.head) + 2 for section in sections if not section.things)
    for section in sections:
        if not section.things:
            blocks.append(section.head)
            continue
        kept = section.fitting(min(left, limit * section.share // 100))
        if kept:
            blocks.append(section.block(kept))
            left -= _size(blocks[-1]) + 2
        if kept < len(section.things):
            missing.append(_missing(section, kept))
    blocks.append(f"**Cut to {limit:,} bytes.** Left out: {'; '.join(missing)}.{rest and f' {rest}'}")
    return "\n\n".join(blocks) + "\n"


def _missing(section: Section, kept: int) -> str:
    left_out = section.things[kept:]
    kinds = f" ({section.kinds(left_out)})" if section.kinds else ""
    return f"{len(left_out):,} of {len(section.things):,} {section.name}{kinds}"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


_UNLIMITED = 10**12


def write_markdown(document: Document, *, limit: int = _UNLIMITED, rest: str = "") -> str:
    """The document with a final line break, in at most ``limit`` bytes of UTF-8.

    ``rest`` is a sentence in Markdown that names the place of the omitted parts.

    Blocks that are too long are cut between their parts, and what is left out is counted. Blocks that are not
    :class:`Limited` are never cut: it is the caller's task to keep them small. The same document gives the same bytes.
    """
    sections = (_section(block) for block in document)
    return fitted([section for section in sections if section is not None], limit, rest)


def _section(block: Block | Limited) -> Section | None:
    """A block in parts; None where there is nothing to show."""
    if not isinstance(block, Limited):
        written = _write(block)
        return Section("", written) if written else None
    inner = block.block
    kinds = _labels if isinstance(inner, Entries) else None
    folded = inner if isinstance(inner, Folded) else None
    inner = folded.block if folded else inner
    head, parts, write = _parts(inner)
    if not parts:
        return None
    spaced = not isinstance(inner, Table | Entries | Bullets)
    tail = ""
    if folded:
        before, tail = details_head(folded.summary), DETAILS_END
        head = f"{before}\n\n{head}" if head else before if spaced else f"{before}\n"
    return Section(block.name, head, parts, write, spaced, block.share, kinds, tail)


def _parts(block: Block) -> tuple[str, Sequence[Any], Callable[[Any], str]]:
    """What is before the parts of a block, the parts, and what writes one of them."""
    match block:
        case Table():
            return _table_head(block.columns), block.rows, _row
        case Entries():
            return f"{_inline(block.title)}\n" if block.title else "", block.entries, _entry
        case Bullets():
            return f"{_inline(block.title)}\n" if block.title else "", block.entries, _bullet
        case Series():
            return "", block.blocks, _write
        case _:
            return "", [block] if _write(block) else [], _write


def _labels(entries: Sequence[Entry]) -> str:
    """``3 REPLACE, 809 CREATE``."""
    return ", ".join(f"{count:,} {label}" for label, count in Counter(entry.label.text for entry in entries).items())


def _write(block: Block) -> str:
    return _WRITERS[type(block)](block)


def _inline(line: Line, *, in_table: bool = False) -> str:
    """One line of inline Markdown. Plain texts beside each other are one text: together they could be a link."""
    merged: list[Piece] = []
    for piece in line if isinstance(line, tuple) else (line,):
        if merged and type(piece) is str and type(merged[-1]) is str:
            merged[-1] += piece
        else:
            merged.append(piece)
    written = ""
    for piece in merged:
        written = beside(written, _piece(piece, in_table))
    return written


def _piece(piece: Piece, in_table: bool) -> str:
    if isinstance(piece, Link):
        return f"[{text(piece.text)}]({piece.address})"
    if isinstance(piece, Toned):
        shown = text(piece.text.strip())  # a space beside the asterisks would make text of them
        return f"**{shown}**" if piece.tone in ("strong", "bad") and shown else shown
    if isinstance(piece, Prose):
        return prose(piece, in_table=in_table)
    if isinstance(piece, Name):
        return code(piece, in_table=in_table)
    return text(piece)


def _cell(cell: Cell) -> str:
    lines = cell.lines if isinstance(cell, Lines) else (cell,)
    return "<br>".join(_inline(line, in_table=True) for line in lines)


def _row(row: Sequence[Cell]) -> str:
    return f"| {' | '.join(map(_cell, row))} |"


def _table_head(columns: Sequence[Column]) -> str:
    names = " | ".join(text(column.name) for column in columns)
    rules = " | ".join("--:" if column.right else "---" for column in columns)
    return f"| {names} |\n| {rules} |"


def _table(block: Table) -> str:
    return "\n".join([_table_head(block.columns), *map(_row, block.rows)]) if block.rows else ""


def _entries(block: Entries) -> str:
    title = [f"{_inline(block.title)}\n"] if block.title and block.entries else []
    return "\n".join([*title, *map(_entry, block.entries)])


def _labeled(name: str, remark: Line) -> Line:
    return (f"{name}: ", *(remark if isinstance(remark, tuple) else (remark,)))


def _entry(entry: Entry) -> str:
    """One line: label, title, what differs, what that means, remarks."""
    about: list[Line] = [*entry.lines, *([entry.text] if entry.text else [])]
    about += [_labeled(name, remark) for name, remark in entry.remarks]
    return f"- {_inline(entry.label)} {text(f'{entry.title}:')} {' · '.join(map(_inline, about))}".rstrip()


def _heading(block: Heading) -> str:
    marker = f"{block.marker}\n" if block.marker else ""
    return f"{marker}{'#' * block.level} {_inline(block.line)}"


def _alert(block: Alert) -> str:
    written = "\n\n".join(map(_write, block.blocks))
    quoted = "\n".join(f"> {line}".rstrip() for line in written.split("\n"))
    return f"> [!{block.kind.upper()}]\n{quoted}" if written else ""


def _paragraph(block: Paragraph) -> str:
    return _inline(block.line)


def _bullet(entry: Line) -> str:
    return f"- {_inline(entry)}"


def _bullets(block: Bullets) -> str:
    if not block.entries:
        return ""
    title = [f"{_inline(block.title)}\n"] if block.title else []
    return "\n".join([*title, *map(_bullet, block.entries)])


def _code(block: Code) -> str:
    return fenced(block.text, block.language)


def _tree(block: Tree) -> str:
    lines = [f"- {_inline((Toned(block.title, 'strong'), f' {block.about}'))}", *_branches(block.branches, "  ")]
    return "\n".join(lines)


def _branches(branches: Sequence[Branch], indent: str) -> list[str]:
    found = []
    for branch in branches:
        found.append(f"{indent}- {text(', '.join(filter(None, branch.cells)))}")
        found += _branches(branch.below, f"{indent}  ")
    return found


def _fields(block: Fields) -> str:
    marks = "#" * block.level
    return "\n\n".join(f"{marks} {text(name)}\n\n{_write(field)}" for name, field in block.fields)


def _several(block: Group | Series) -> str:
    return "\n\n".join(written for inner in block.blocks if (written := _write(inner)))


def _folded(block: Folded) -> str:
    body = _write(block.block)
    return f"{details_head(block.summary)}\n\n{body}\n\n{DETAILS_END}" if body else ""


_WRITERS: dict[type, Callable[[Any], str]] = {
    Alert: _alert,
    Heading: _heading,
    Paragraph: _paragraph,
    Bullets: _bullets,
    Table: _table,
    Code: _code,
    Tree: _tree,
    Entries: _entries,
    Fields: _fields,
    Group: _several,
    Series: _several,
    Folded: _folded,
}
