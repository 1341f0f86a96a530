"""Reads a YAML file into plain data that knows the position of each value."""

import codecs
import contextlib
import hashlib
import heapq
import json
import os
import pathlib
import re
import stat
from typing import Any

from yaml.reader import Reader

from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.build import Builder
from pulumi_gke_tpu.core.text.yamlfile.refuse import Problems, StopReading, YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText, YamlFile

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_NOT_YAML = Reader.NON_PRINTABLE
"""Characters that YAML does not allow. The pattern is compiled with PyYAML; our own would take another 2 ms."""
_AMBIGUOUS = lazy_pattern("\r(?!\n)|\x85|\u2028|\u2029|\ufeff")
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


LARGEST = 5_000_000
"""Maximum size of a file, in bytes."""

LFS = b"version https://git-lfs.github.com/spec/"
LFS_POINTER = "it is a Git LFS pointer, not the file itself: run `git lfs pull`; Git revisions hold only the pointer"


class UnreadableError(Exception):
    """Raised for a file that cannot be read. The message is the reason; it follows "cannot read the file: "."""


def read_yaml(path: pathlib.Path, name: str | None = None) -> YamlFile:
    """Read a file. ``name`` is what findings call it, the path unless given.

    Raises:
        YamlProblem: it cannot be read, or is not one valid YAML document.
    """
    name = str(path) if name is None else name
    return parse_yaml(read_content(path, name), name)


def read_content(path: pathlib.Path, name: str) -> bytes:
    """The bytes of a file.

    Raises:
        YamlProblem: it cannot be read.
    """
    try:
        return read_bytes(path)
    except UnreadableError as error:
        raise unreadable(name, str(error)) from None


def read_bytes(path: pathlib.Path, largest: int = LARGEST) -> bytes:
    """The bytes of a regular file. Opening never blocks, even if a pipe replaces the file in the meantime.

    Raises:
        UnreadableError: it cannot be read, or has more than ``largest`` bytes.
    """
    try:
        _check(os.stat(path), largest)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as stream:
            _check(os.fstat(handle), largest)
            content = stream.read(largest + 1) or b""
    except UnicodeError:
        raise UnreadableError("its name contains characters that file names cannot contain") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableError(reason[:1].lower() + reason[1:]) from None
    if len(content) > largest:
        raise UnreadableError(too_large(largest))
    return content


def too_large(largest: int = LARGEST) -> str:
    """Why a file of more than ``largest`` bytes is not read."""
    return f"it is larger than {largest // 1_000_000} MB"


def parse_yaml(content: bytes, name: str) -> YamlFile:
    """Read the content of a file. ``name`` is what findings call it.

    Raises:
        YamlProblem: it is not one valid YAML document.
    """
    if len(content) > LARGEST:
        raise unreadable(name, too_large())
    if content.startswith(LFS):
        raise unreadable(name, LFS_POINTER)
    return parse_source(decode(content, name))


def parse_source(source: SourceText) -> YamlFile:
    """Read the text of a file.

    Raises:
        YamlProblem: it is not one valid YAML document.
    """
    problems = Problems(source)
    builder = Builder(problems)
    with contextlib.suppress(StopReading):
        builder.read()
    file = YamlFile(source.name, builder.data, source, builder.places)
    if problems.findings:
        raise YamlProblem(problems.findings, file if builder.complete else None)
    return file


def _check(status: os.stat_result, largest: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError("it is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("it is not a regular file")
    if status.st_size > largest:
        raise UnreadableError(too_large(largest))


def unreadable(name: str, reason: str) -> YamlProblem:
    """The problem of a file that cannot be read."""
    problems = Problems(SourceText(name, ""))
    problems.add("TPU001", 0, 0, f"cannot read the file: {printable(reason)}")
    return YamlProblem(problems.findings)


FOLDER = "_prepared"
FORMAT = 1
"""Raise it when the reader gives other data for the same text: all prepared files are then made again."""


def read_prepared(path: pathlib.Path) -> Any:
    """The plain data of a YAML file.

    Raises:
        YamlProblem: the file cannot be read, or is not valid YAML.
    """
    text = read_content(path, str(path))
    stamp = f"{FORMAT} {hashlib.sha256(text).hexdigest()}"
    place = path.parent / FOLDER / f"{path.stem}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(place.read_bytes())
        if stored["made_from"] == stamp:
            return stored["content"]
    content = parse_yaml(text, str(path)).data
    with contextlib.suppress(OSError):
        _write(place, json.dumps({"made_from": stamp, "content": content}, ensure_ascii=False, separators=(",", ":")))
    return content


def _write(place: pathlib.Path, text: str) -> None:
    """Write a whole file or none: other processes may read it at the same time."""
    place.parent.mkdir(exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
