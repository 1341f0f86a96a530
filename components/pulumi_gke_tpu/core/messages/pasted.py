"""A pasted text as messages are searched in it: without colors, escapes, quotation marks and line breaks."""

import bisect
import functools
import re

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

LARGEST = 8 * 1024 * 1024
"""The number of bytes of a text that are read."""

_ESCAPE_IN_WORDS = lazy_pattern(r"\\(?:u001[bB]|x1[bB]|033|e)(?=\[)|\^\[(?=\[)")
_TERMINAL_CODE = lazy_pattern(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07?|[@-Z\\-_])")
_CONTROL = lazy_pattern(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]")
_BACKSLASHES = lazy_pattern(r"\\{2,}")
_QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00b4"
_START = rf"^[ \t{_QUOTES}]*"
_LEAD = lazy_pattern(
    _START
    + r"(?:[│┃╷╵├└|>#*]{1,8}[ \t]+){1,8}|"
    + _START
    + r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[ \t]+|"
    r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9} +\d{1,9} [\w./-]{1,100}:\d{1,9}\] ",
    re.MULTILINE,
)
_WORDS_FOR_CHARACTERS = {
    "\\n": "\n",
    "\\r": "\n",
    "\\t": " ",
    '\\"': '"',
    "\\'": "'",
    "\\/": "/",
    "\\u0026": "&",
    "\\u0027": "'",
    "\\u0022": '"',
    "\\u0060": "`",
    "\\u003c": "<",
    "\\u003e": ">",
    "\\u003C": "<",
    "\\u003E": ">",
    "\\u2018": "'",
    "\\u2019": "'",
    "&quot;": '"',
    "&#34;": '"',
    "&#39;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    "\u00a0": " ",
    "\u2011": "-",
    "\u0130": "I",
}
"""What a JSON string, a Go string or a web page writes for a character."""
_NO_QUOTES = dict.fromkeys(map(ord, _QUOTES))
_QUOTED = lazy_pattern(rf"(?<![^ ])[{_QUOTES}]+ |[{_QUOTES}]+")
"""Quotation marks on one line, and the space behind a word of nothing else."""


_SPACE = lazy_pattern(" ")

_Removed = tuple[list[int], list[int]]
"""Where something was removed from a text, and how many characters were removed up to each of these places."""


@frozen(slots=False)
class PastedText:
    """A text as it was pasted, and in the two forms in which messages are searched."""

    quoted: str
    """On one line, without colors and escapes; in its own case, with its quotation marks."""

    @functools.cached_property
    def text(self) -> str:
        """The same without quotation marks."""
        return _QUOTED.sub("", self.quoted).rstrip()

    @functools.cached_property
    def folded(self) -> str:
        """The text in lower case; each position is that of the same character in ``text``."""
        return self.text.lower()

    def with_quotes(self, start: int, end: int) -> str:
        """A part of ``text`` with its quotation marks, and with the second one of a pair at its ends."""
        first, last = self._place(start), self._place(end - 1) + 1
        for quote in _QUOTES:
            if self.quoted.count(quote, first, last) % 2:
                last += self.quoted[last : last + 1] == quote
                first -= self.quoted.count(quote, first, last) % 2 and self.quoted[first - 1 : first] == quote
        return self.quoted[first:last]

    def _place(self, position: int) -> int:
        """The place in ``quoted`` of a character of ``text``."""
        return _place_before(position, self._quotes)

    @functools.cached_property
    def _quotes(self) -> _Removed:
        return _removed(_QUOTED, self.quoted)

    @functools.cached_property
    def _spaces(self) -> _Removed:
        return _removed(_SPACE, self.text)

    @functools.cached_property
    def closed(self) -> str:
        """The folded text without spaces, for messages that were broken within words."""
        return self.folded.replace(" ", "")

    @functools.cached_property
    def closed_text(self) -> str:
        """The text without spaces, in its own case."""
        return self.text.replace(" ", "")

    def with_spaces(self, start: int, end: int) -> str:
        """A part of ``closed_text`` with its spaces and quotation marks."""
        first, last = (_place_before(position, self._spaces) for position in (start, end - 1))
        return self.with_quotes(first, last + 1)


def _removed(pattern: re.Pattern[str], text: str) -> _Removed:
    places: list[int] = []
    lengths = [0]
    for match in pattern.finditer(text):
        places.append(match.start() - lengths[-1])
        lengths.append(lengths[-1] + len(match[0]))
    return places, lengths


def _place_before(position: int, removed: _Removed) -> int:
    """The place of a character in the text from which something was removed."""
    places, lengths = removed
    return position + lengths[bisect.bisect_right(places, position)]


def read_pasted(content: str) -> PastedText:
    """A pasted text: a message, a log, a JSON or YAML document. Takes time in proportion to its length."""
    return PastedText(" ".join(_readable(content).split()))


def plain(content: str) -> str:
    """A text without quotation marks and what terminals, JSON and logs put into it; its lines stay apart."""
    return _readable(content).translate(_NO_QUOTES)


def _readable(content: str) -> str:
    if "\\" in content:
        content = _ESCAPE_IN_WORDS.sub("\x1b", content)
    content = _TERMINAL_CODE.sub("", content) if "\x1b" in content else content
    content = _BACKSLASHES.sub(r"\\", content)
    for written, meant in _WORDS_FOR_CHARACTERS.items():
        content = content.replace(written, meant)
    return _LEAD.sub("", _CONTROL.sub("", content))
