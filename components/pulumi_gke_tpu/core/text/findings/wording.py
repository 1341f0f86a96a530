"""Formats counts, lists and durations, and escapes text that is not safe to print."""

import datetime
import unicodedata
from collections.abc import Sequence

from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_UNITS = (("d", 86400), ("h", 3600), ("min", 60))


def number(count: int, one: str, many: str = "") -> str:
    """A count with its noun: ``1 host``, ``1,024 hosts``. ``many`` is an irregular plural."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def listed(items: Sequence[str], word: str = "and", *, most: int | None = None, separator: str = ", ") -> str:
    """Format a list: ``a``, ``a and b``, ``a, b and c``.

    With more than ``most`` items, list the first ones and the number of the others: ``a, b and 5 more``, but never
    ``and 1 more``. Without ``word``, the last separator is the same as the others.
    """
    shown = first_few(items, most)
    if len(shown) < len(items):
        return f"{separator.join(shown)} and {len(items) - len(shown):,} more"
    if not word or len(items) == 1:
        return separator.join(items)
    return f"{separator.join(items[:-1])} {word} {items[-1]}" if items else ""


def first_few(items: Sequence[str], most: int | None) -> Sequence[str]:
    """The first items; all of them if only one would be missing."""
    return items if most is None or len(items) <= most + 1 else items[:most]


def duration_text(duration: datetime.timedelta) -> str:
    """``7 d``, ``6 h``, ``90 min``, ``45 s``: in the largest unit without a fraction."""
    seconds = int(duration.total_seconds())
    for unit, size in _UNITS:
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"


_LONGEST = 200
_LONGEST_QUOTED = 100
_LONGEST_PATH = 4096
"""The longest path of a file on Linux (PATH_MAX), in bytes."""
LINE_BREAK = lazy_pattern(r"\r\n|\r|\n")

_BLANK = lazy_pattern(
    "["
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"  # default ignorable
    "\u2800\U00013441\U00013442\U00016fe4\U0001d159"  # a Braille cell without dots, and fillers of other scripts
    "]"
)
"""Invisible characters that Python treats as printable: letters, marks and symbols with the Unicode property
Default_Ignorable_Code_Point, and characters with an empty glyph."""


def is_visible(text: str) -> bool:
    """Whether all characters of a text are visible; spaces count as visible."""
    return (text.isascii() and text.isprintable()) or first_unseen(text) is None


def first_unseen(text: str, allowed: str = "") -> str | None:
    """The first invisible character: a control, format or private-use character, or one with an empty glyph."""
    return next((char for char in text if char not in allowed and _is_unseen(char)), None)


def _is_unseen(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp") or _BLANK.match(char) is not None


def printable(text: object, limit: int = _LONGEST) -> str:
    """Make a value safe for a terminal: escape invisible characters and cut long text.

    Right-to-left marks, escape sequences and lone surrogates are escaped too, because they change the text around them.
    """
    whole = str(text)
    start = whole[:limit]
    cut = "…" if len(whole) > limit else ""
    if start.isascii() and start.isprintable():
        return start + cut
    return "".join(_escaped(char) if _is_unseen(char) else char for char in start) + cut


def printable_path(path: object) -> str:
    """The path of a file, safe to print and whole: its end tells the file from others."""
    return printable(path, _LONGEST_PATH)


_ESCAPES = (("x", 2), ("u", 4), ("U", 8))
"""Letter and number of hexadecimal digits, as in Python's strings."""


def _escaped(char: str) -> str:
    letter, digits = next((letter, digits) for letter, digits in _ESCAPES if ord(char) < 16**digits)
    return f"\\{letter}{ord(char):0{digits}x}"


def safe(text: str) -> str:
    """Escape terminal control sequences and invisible characters, without a length limit."""
    return printable(text, limit=len(text))


def quoted(value: object) -> str:
    """A value of a plan for a message: safe to print, in backquotes, without backquotes in it."""
    return f"`{without_backquotes(printable(value, _LONGEST_QUOTED))}`"


def without_backquotes(text: str) -> str:
    """The text with apostrophes instead of backquotes, which would end a quotation around it."""
    return text.replace("`", "'")


def one_line(text: str) -> str:
    """The safe text with each line break replaced by one space."""
    lines = (safe(line).strip() for line in LINE_BREAK.split(text))
    return " ".join(line for line in lines if line)
