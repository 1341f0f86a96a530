"""Words for messages: text that is safe to print, and the nearest valid choice."""

import difflib
import unicodedata
from collections.abc import Iterable

_LONGEST = 200


def printable(text: object, limit: int = _LONGEST) -> str:
    """Make any value safe for a terminal: control, format and private characters are escaped, long text is cut.

    Right-to-left marks, escape sequences and lone surrogates can change what stands around them; none survives.
    """
    out: list[str] = []
    for char in str(text):
        if len(out) >= limit:
            out.append("…")
            break
        category = unicodedata.category(char)
        if category[0] == "C" or category in ("Zl", "Zp"):
            code = ord(char)
            out.append(f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}")
        else:
            out.append(char)
    return "".join(out)


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """The choice nearest to ``word``, or None when none is near enough to suggest."""
    folded = {choice.lower().replace("-", "_"): choice for choice in choices}
    close = difflib.get_close_matches(word.lower().replace("-", "_")[:100], folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def number(count: int, one: str, many: str = "") -> str:
    """A count with its noun: ``1 host``, ``1,024 hosts``. ``many`` is what more than one are called, if not by an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
