"""Markdown that user text cannot break: every character with a meaning is escaped."""

import html
import re
import unicodedata
from collections.abc import Callable

from pulumi_gke_tpu.core.text.findings import printable

_SPECIAL = re.compile(r"([\\`*\[\]#|~$]|(?<![^\W_])_|_(?![^\W_]))")
_LEADING = re.compile(r" ?(?:[-+](?=\s|\Z)|\d+[.)](?=\s|\Z)|[=>]|--|:-)")
_INDENT = re.compile(r"\A\s{2,}")
_WORD = re.compile(r"[^\s()\[\]{},;\"'`|\\<>]+")
_LINKED = re.compile(
    r"@|://|www\.|#\d|\bgh-\d|:(?!\d\d?:)[\w+-]+:|(?<![^\W_])(?<!-gke\.)[0-9a-f]{7,}(?![^\W_])", re.IGNORECASE
)
"""What code hosts make links, mentions and pictures of: of numbers between colons only longer ones, since ``12:30:00``
is a time of day. None of it does so in code, and code is copied as it was written.
"""
_MARKS = "-+.)=>:"
_ENDS_CELL = re.compile(r"[|\\]")
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
