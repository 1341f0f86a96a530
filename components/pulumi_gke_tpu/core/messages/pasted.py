"""A pasted text as messages are searched in it: without colors, escapes, quotation marks and line breaks."""

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
_LEAD = lazy_pattern(
    r"^[ \t]*(?:[│┃╷╵├└|>#*]{1,8}[ \t]+){1,8}|"
    r"^[ \t]*\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[ \t]+|"
    r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9} +\d{1,9} [\w./-]{1,100}:\d{1,9}\] ",
    re.MULTILINE,
)
_WORDS_FOR_CHARACTERS = {
    "\\n": "\n",
    "\\r": "\n",
    "\\t": " ",
    '\\"': "",
    "\\'": "",
    "\\/": "/",
    "\\u0026": "&",
    "\\u0027": "",
    "\\u0022": "",
    "\\u0060": "",
    "\\u003c": "<",
    "\\u003e": ">",
    "\\u003C": "<",
    "\\u003E": ">",
    "\\u2018": "",
    "\\u2019": "",
    "&quot;": "",
    "&#34;": "",
    "&#39;": "",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
    "\u00a0": " ",
    "\u2011": "-",
    "\u0130": "I",
}
"""What a JSON string, a Go string or a web page writes for a character; quotation marks are left out."""
_QUOTES = "'\"`\u2018\u2019\u201c\u201d\u00b4"


@frozen(slots=False)
class PastedText:
    """A text as it was pasted, and in the two forms in which messages are searched."""

    text: str
    """On one line, without quotation marks, colors and escapes; in its own case."""

    @functools.cached_property
    def folded(self) -> str:
        """The text in lower case; each position is that of the same character in ``text``."""
        return self.text.lower()

    @functools.cached_property
    def closed(self) -> str:
        """The folded text without spaces, for messages that were broken within words."""
        return self.folded.replace(" ", "")

    @functools.cached_property
    def closed_text(self) -> str:
        """The text without spaces, in its own case."""
        return self.text.replace(" ", "")


def read_pasted(content: str) -> PastedText:
    """A pasted text: a message, a log, a JSON or YAML document. Takes time in proportion to its length."""
    return PastedText(" ".join(plain(content).split()))


def plain(content: str) -> str:
    """A text without what terminals, JSON and logs put into it; its lines stay apart."""
    if "\\" in content:
        content = _ESCAPE_IN_WORDS.sub("\x1b", content)
    content = _TERMINAL_CODE.sub("", content) if "\x1b" in content else content
    content = _BACKSLASHES.sub(r"\\", content)
    for written, meant in _WORDS_FOR_CHARACTERS.items():
        content = content.replace(written, meant)
    for quote in _QUOTES:
        content = content.replace(quote, "")
    return _LEAD.sub("", _CONTROL.sub("", content))
