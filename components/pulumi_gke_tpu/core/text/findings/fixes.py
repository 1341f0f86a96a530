"""What a fix does to a file, as a value: it is printed, applied and compared without reading its text again.

A fix that is *only* is the only one that the plan can mean, so that a program may apply it without asking. Where a
second reading exists, the fix is one of several, and a person chooses. The constructors return None for a value that is
missing, empty or cannot be shown whole, so that a rule gives them what it found without asking whether it found
anything.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal, TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings.emit import emit, emit_lines

_REMARK = re.compile(r"\s+# *([^\n]*)")
_RENAME = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"][^:]*):\Z""")
_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:]*):\s+\S""")
_BLOCK = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:\n]*):(?:\n +\S[^\n]*)+\Z""")
"""A key and the entries of its mapping, each on a line of its own."""
_GAP = " " * 6

Value = str | int | float | Sequence[object] | Mapping[str, object] | None
"""Plain data as a plan contains it."""
Extent = Literal["value", "character", "entry", "line"]


@frozen
class EntryText:
    """A key and its value, plain data as a plan contains it, with a comment behind it."""

    key: str
    value: object = field(hash=False)
    remark: str = ""
    pasted: str = ""

    @property
    def plain(self) -> str:
        """The entry without its comment: in one line, or with lines of its own if it is too long."""
        return _REMARK.sub("", self.pasted) if self.pasted else emit_lines(self.key, self.value)

    @property
    def text(self) -> str:
        """The entry with its comment, as it is pasted."""
        if self.pasted:
            return self.pasted
        return f"{self.plain}{_GAP}# {self.remark}" if self.remark else self.plain


@frozen
class Replace:
    """Another value in place of the marked one."""

    new: object = field(hash=False)
    is_only: bool = False

    @classmethod
    def value(cls, new: Value) -> "Replace | None":
        """A value instead of the marked one."""
        return cls(new) if new not in (None, "") and emit(new) else None

    @property
    def text(self) -> str:
        """The value in one line."""
        return emit(self.new)


@frozen
class Verbatim:
    """Text instead of a value: for a file that no parser reads, or a command to run.

    ``extent`` is the part of an unreadable file that the text replaces: from the marked place to the end of the value,
    one character, the entry in the line, or the whole line with its indentation.
    """

    text: str
    extent: Extent = "value"
    is_only: bool = False


@frozen
class Rename:
    """Another key for the marked entry. The value stays."""

    key: str
    is_only: bool = False

    @classmethod
    def to(cls, key: str | None) -> "Rename | None":
        """The marked entry with another key."""
        return cls(key) if key and emit(key) else None

    @property
    def text(self) -> str:
        """The key with its colon."""
        return f"{self.written}:"

    @property
    def written(self) -> str:
        """The key as it is written in YAML."""
        return emit(self.key)


@frozen
class SetKeys:
    """Entries in place of the marked one, inside it, or beside it: where the mapping has such keys."""

    entries: tuple[EntryText, ...]
    is_only: bool = False
    in_braces: bool = False
    """Whether the entries are printed in one line, with commas between them and without comments."""

    @classmethod
    def of(cls, keys: Mapping[str, Value] | None = None, /, **more: Value) -> "SetKeys | None":
        """Keys with their values. A mapping gives keys that are not identifiers of Python."""
        values = {**(keys or {}), **more}
        if not values or any(value in (None, "") or not emit_lines(key, value) for key, value in values.items()):
            return None
        return cls(tuple(EntryText(key, value) for key, value in values.items()))

    def with_remark(self, key: str, remark: str) -> "SetKeys":
        """The fix with a comment behind one of its entries."""
        entries = (dataclasses.replace(each, remark=remark) if each.key == key else each for each in self.entries)
        return dataclasses.replace(self, entries=tuple(entries))

    @property
    def single(self) -> EntryText | None:
        """The only entry that the fix sets; None if it sets several."""
        return self.entries[0] if len(self.entries) == 1 else None

    @property
    def between_braces(self) -> "SetKeys | None":
        """The fix in one line, without comments; None if an entry has several lines.

        Between braces, a comment would take in the rest of the line.
        """
        if any("\n" in entry.text for entry in self.entries):
            return None
        return dataclasses.replace(self, in_braces=True)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The comments of the entries."""
        found = ((entry.remark,) if not entry.pasted else _REMARK.findall(entry.text) for entry in self.entries)
        return tuple(remark for remarks in found for remark in remarks if remark)

    @property
    def lines(self) -> dict[str, str]:
        """Each entry as it is pasted, by its key."""
        return {entry.key: entry.plain if self.in_braces else entry.text for entry in self.entries}

    @property
    def text(self) -> str:
        """The entries, each on lines of its own, or with commas between them."""
        return (", " if self.in_braces else "\n").join(self.lines.values())


@frozen
class MoveBelow:
    """Some entries of the marked mapping one level deeper, below a new key in it. Their lines and comments stay."""

    entry: EntryText
    """The whole marked entry as it is afterwards."""
    home: str
    names: frozenset[str]
    is_only: bool = False

    @classmethod
    def of(cls, key: str, value: Value, home: str, names: Iterable[str]) -> "MoveBelow | None":
        """The marked entry with another value, in which some of its entries are below the key ``home``."""
        return cls(EntryText(key, value), home, frozenset(names)) if emit_lines(key, value) else None

    @property
    def text(self) -> str:
        """The whole marked entry as it is afterwards."""
        return self.entry.text

    @property
    def lines(self) -> dict[str, str]:
        """The entry as it is pasted where its lines cannot move: between braces."""
        return {self.entry.key: self.entry.text}


Fix = Replace | Verbatim | Rename | SetKeys | MoveBelow
_Some = TypeVar("_Some", bound=Fix)


def as_only(fix: _Some | None, is_only: bool = True) -> _Some | None:
    """The fix as the only one that the plan can mean, or as one of several; None without a fix."""
    return None if fix is None else dataclasses.replace(fix, is_only=is_only)


def fix_of(text: str) -> Fix | None:
    """The fix that YAML to paste is: a new key, entries, or a value. None without a text."""
    if not text:
        return None
    lines = text.split("\n")
    if len(lines) == 1 and _RENAME.match(text):
        return Rename(_unquoted(text[:-1]))
    if not all(map(_ENTRY.match, lines)) and not _BLOCK.match(text):
        return Replace(text) if emit(text) == text else Verbatim(text)
    return SetKeys(_in_lines(lines))


def _in_lines(lines: list[str]) -> tuple[EntryText, ...]:
    """An entry for each line. A line that belongs to the one before it is part of that."""
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith((" ", "-")) and found:
            last = next(reversed(found))
            found[last] += f"\n{line}"
        else:
            match = _ENTRY.match(line) or _RENAME.match(line)
            key = match[1] if match else line
            found[_unquoted(key)] = line
    return tuple(EntryText(key, _value(text), "".join(_REMARK.findall(text)[:1]), text) for key, text in found.items())


def _value(text: str) -> str:
    head, newline, _ = text.partition("\n")
    return "" if newline else _REMARK.sub("", head.partition(": ")[2]).strip().strip("\"'")


def _unquoted(key: str) -> str:
    try:
        return str(json.loads(key)) if key.startswith('"') else key
    except ValueError:
        return key  # an escape that only YAML knows
