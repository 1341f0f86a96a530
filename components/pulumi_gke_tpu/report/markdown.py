"""Markdown that user text cannot break: every character with a meaning is escaped."""

import html
import re
from collections.abc import Sequence

from pulumi_gke_tpu.findings import printable

_SPECIAL = re.compile(r"([\\`*\[\]#|~$]|(?<![^\W_])_|_(?![^\W_]))")
_LEADING = re.compile(r" ?(?:[-+](?=\s|\Z)|\d+[.)](?=\s|\Z)|[=>]|--|:-)")
_INDENT = re.compile(r"\A\s{2,}")
_INVISIBLE = "\u2060"
"""A word joiner: what it stands in is no mention, link or reference any more, and reads as before."""

_MENTION = re.compile("@")
_LINK = re.compile(r":(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_ISSUE = re.compile(r"(?<=#)(?=\d)|(?<=\bgh-)(?=\d)", re.IGNORECASE)
_EMOJI = re.compile(r"(?<=:)(?!\d\d?:)(?=[\w+-]+:)")
"""Of numbers only longer ones are pictures: ``12:30:00`` is a time of day."""
_HASH = re.compile(r"(?<![^\W_])(?<!-gke\.)[0-9a-f]{7,}(?![^\W_])", re.IGNORECASE)
_SHORTEST_HASH = 7


class Markup(str):
    """Markdown that is ready: :func:`table` takes it as it is."""

    __slots__ = ()


def text(value: str) -> str:
    """Inline text: no markup, HTML, mention, automatic link, reference to an issue or a commit, or emoji."""
    safe = _disarmed(_INDENT.sub(" ", printable(value, 1000))).replace("&", "&amp;").replace("<", "&lt;")
    safe = _SPECIAL.sub(r"\\\1", safe)
    return f"{_INVISIBLE}{safe}" if _LEADING.match(safe) else safe


def html_text(value: str) -> str:
    """Text inside an HTML element of ours, where Markdown's escapes mean nothing."""
    return html.escape(_disarmed(printable(value, 1000)), quote=True)


def _disarmed(value: str) -> str:
    """What code hosts turn into links and pictures, in the words that readers see, turned into plain words."""
    value = _MENTION.sub(f"@{_INVISIBLE}", value)
    value = _LINK.sub(lambda match: f"{match[0]}{_INVISIBLE}", value)
    value = _ISSUE.sub(_INVISIBLE, value)
    value = _EMOJI.sub(_INVISIBLE, value)
    return _HASH.sub(_broken_hash, value)


def _broken_hash(match: re.Match[str]) -> str:
    """What could be a commit's hash, in pieces too short for one."""
    size = _SHORTEST_HASH - 1
    return _INVISIBLE.join(match[0][start : start + size] for start in range(0, len(match[0]), size))


def code(value: str) -> str:
    """Inline code, whatever backticks it contains. Not for tables, where a pipe would end the cell."""
    safe = printable(value, 1000)
    fence = "`" * (max((len(run) for run in re.findall("`+", safe)), default=0) + 1)
    padding = " " if safe.startswith("`") or safe.endswith("`") or not safe else ""
    return f"{fence}{padding}{safe}{padding}{fence}"


def prose(value: str, *, in_table: bool = False) -> Markup:
    """Sentences in which every second piece between backticks is a name: names become inline code.

    Where the backticks mean something else, they stay what they are.
    """
    pieces = value.split("`")
    if len(pieces) % 2 == 0 or not all(map(str.strip, pieces[1::2])):
        return Markup(text(value))
    # Two names without a word between them would share their backticks.
    pieces[2:-1:2] = [piece or " " for piece in pieces[2:-1:2]]
    kept = [text(piece) if number % 2 == 0 else _name(piece, in_table) for number, piece in enumerate(pieces)]
    return Markup("".join(kept))


def _name(value: str, in_table: bool) -> str:
    """Inline code, where it can be that: in a table a pipe, or a backslash that may stand before one, is none."""
    return text(value) if in_table and re.search(r"[|\\]", value) else code(value)


def fenced(block: str, language: str) -> str:
    """A code block, whatever fences it contains."""
    fence = "`" * max(3, max((len(run) for run in re.findall("`+", block)), default=0) + 1)
    return f"{fence}{language}\n{block}\n{fence}"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; empty without rows. Cells are plain text, or :class:`Markup` that contains no pipe and no line break."""
    return "\n".join([*table_head(headings), *map(table_row, rows)]) if rows else ""


def table_head(headings: Sequence[str]) -> tuple[str, str]:
    """The first two lines of a table."""
    return f"| {' | '.join(headings)} |", f"| {' | '.join(['---'] * len(headings))} |"


def table_row(cells: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cell if isinstance(cell, Markup) else text(cell) for cell in cells)} |"


def lines_of(values: Sequence[str]) -> Markup:
    """Several texts in one cell, each on a line of its own."""
    return Markup("<br>".join(map(text, values)))


def details(summary: str, body: str) -> str:
    """A part that is folded. ``summary`` is plain text, ``body`` Markdown."""
    return f"<details><summary>{html_text(summary)}</summary>\n\n{body}\n\n</details>"
