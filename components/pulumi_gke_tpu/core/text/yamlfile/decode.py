"""Decodes the bytes of a file, and rejects invisible characters and ambiguous line breaks."""

import codecs
import contextlib
import heapq
import re

from yaml.reader import Reader

from pulumi_gke_tpu.core.text.yamlfile.problem import Problems, StopReading, YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_NOT_YAML = Reader.NON_PRINTABLE
"""Characters that YAML does not allow. The pattern is compiled with PyYAML; our own would take another 2 ms."""
_AMBIGUOUS = re.compile("\r(?!\n)|\x85|\u2028|\u2029|\ufeff")
_LINE_BREAKS = {
    "\r": "a carriage return",
    "\x85": "the line break U+0085",
    "\u2028": "the line break U+2028",
    "\u2029": "the line break U+2029",
}


def decode(content: bytes, name: str, *, strict: bool = True) -> SourceText:
    """The text of a file in UTF-8; a byte order mark at its beginning is left out.

    Raises:
        YamlProblem: it is not UTF-8, or contains control characters; with ``strict``, also if it contains line breaks
            that not all programs see.
    """
    _refuse_other_encodings(content, name)
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise _bad_byte(content, name, error.start) from None
    source = SourceText(name, text)
    problems = Problems(source)
    with contextlib.suppress(StopReading):
        ambiguous = _AMBIGUOUS.finditer(text) if strict else ()
        for match in heapq.merge(_NOT_YAML.finditer(text), ambiguous, key=re.Match.start):
            _forbidden(problems, match.start(), match[0])
    if problems.findings:
        raise YamlProblem(problems.findings)
    return source


def _refuse_other_encodings(content: bytes, name: str) -> None:
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)
    first = content[:2]
    if encoding is None and len(first) > 1 and first.count(0) == 1:
        encoding = "UTF-16"
    if encoding:
        problems = Problems(SourceText(name, ""))
        problems.add(
            "TPU002", 0, 0, f"the file is encoded as {encoding}: save it as UTF-8", why="only UTF-8 is supported"
        )
        raise YamlProblem(problems.findings)


def _bad_byte(content: bytes, name: str, start: int) -> YamlProblem:
    problems = Problems(SourceText(name, content.decode(errors="replace")))
    at = len(content[:start].decode())
    problems.add(
        "TPU002",
        at,
        at + 1,
        f"the file is not UTF-8: invalid byte 0x{content[start]:02X}",
        why="only UTF-8 is supported",
    )
    return YamlProblem(problems.findings)


def _forbidden(problems: Problems, at: int, char: str) -> None:
    if char in _LINE_BREAKS:
        rule, what = "TPU010", _LINE_BREAKS[char]
        why = "only some programs start a new line after this character, so a comment could hide a key"
    elif char == "\ufeff":
        rule, what = "TPU010", "a byte order mark"
        why = "it is invisible, and allowed only at the start of a file"
    else:
        rule, what = "TPU003", f"the control character U+{ord(char):04X}"
        why = "it is invisible, and YAML does not allow it"
    problems.add(rule, at, at + 1, f"{what} is not allowed here: remove it", why=why)
