"""Text that is safe to print: whatever it contains, nothing is hidden and no terminal is disturbed."""

import re
import unicodedata

_LONGEST = 200
_LONGEST_QUOTED = 100
LINE_BREAK = re.compile(r"\r\n|\r|\n")

_BLANK = re.compile(
    "["
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"  # default ignorable
    "\u2800\U00013441\U00013442\U00016fe4\U0001d159"  # a Braille cell without dots, and fillers of other scripts
    "]"
)
"""Characters that render as nothing, although Python counts them as printable: the letters, marks and symbols with
the Unicode property Default_Ignorable_Code_Point, and those whose glyph is empty by definition."""


def is_visible(text: str) -> bool:
    """Whether people see every character of a text; spaces count as seen."""
    return (text.isascii() and text.isprintable()) or first_unseen(text) is None


def first_unseen(text: str, allowed: str = "") -> str | None:
    """The first character that people do not see: a control, format or private one, or one that renders as nothing."""
    return next((char for char in text if char not in allowed and _is_unseen(char)), None)


def _is_unseen(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "C" or category in ("Zl", "Zp") or _BLANK.match(char) is not None


def printable(text: object, limit: int = _LONGEST) -> str:
    """Make any value safe for a terminal: what people would not see is escaped, long text is cut.

    Right-to-left marks, escape sequences and lone surrogates can change the text around them; none survives.
    """
    whole = str(text)
    start = whole[:limit]
    cut = "…" if len(whole) > limit else ""
    if start.isascii() and start.isprintable():
        return start + cut
    return "".join(_escaped(char) if _is_unseen(char) else char for char in start) + cut


_ESCAPES = (("x", 2), ("u", 4), ("U", 8))
"""Letter and number of hexadecimal digits, as in Python's strings."""


def _escaped(char: str) -> str:
    letter, digits = next((letter, digits) for letter, digits in _ESCAPES if ord(char) < 16**digits)
    return f"\\{letter}{ord(char):0{digits}x}"


def safe(text: str) -> str:
    """The text with what could disturb a terminal escaped, uncut. Text that is safe already stays as it is."""
    return printable(text, limit=len(text))


def quoted(value: object) -> str:
    """A value of a plan in a message: safe to print, and between backquotes, of which it contains none itself."""
    inside = printable(value, _LONGEST_QUOTED).replace("`", "'")
    return f"`{inside}`"


def one_line(text: str) -> str:
    """The safe text with each line break replaced by one space."""
    lines = (safe(line).strip() for line in LINE_BREAK.split(text))
    return " ".join(line for line in lines if line)
