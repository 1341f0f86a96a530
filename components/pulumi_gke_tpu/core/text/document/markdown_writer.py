"""Writes a document as GitHub's Markdown, whole or cut to a number of bytes."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from pulumi_gke_tpu.core.text.document.fitting import Section, fitted
from pulumi_gke_tpu.core.text.document.markdown_escape import (
    DETAILS_END,
    beside,
    code,
    details_head,
    fenced,
    prose,
    text,
)
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
