"""What a fix does to a file, as a value: it is printed, applied and compared without reading its text again.

A fix that is *only* is the only one that the plan can mean, so that a program may apply it without asking. Where a
second reading exists, the fix is one of several, and a person chooses. The constructors return None for a value that is
missing, empty or cannot be shown whole, so that a rule gives them what it found without asking whether it found
anything.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings.emit import emit, emit_lines, to_add

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

    @property
    def plain(self) -> str:
        """The entry without its comment: in one line, or with lines of its own if it is too long."""
        return emit_lines(self.key, self.value)

    @property
    def text(self) -> str:
        """The entry with its comment, as it is pasted."""
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
class Reading:
    """One of several things that an entry can mean: the entries for it, and what they lead to."""

    fix: "SetKeys"
    meaning: str

    @property
    def text(self) -> str:
        """The entries and what they lead to in one line."""
        return f"{', '.join(self.fix.lines.values())} ({self.meaning})"


@frozen
class SetKeys:
    """Entries in place of the marked one, inside it, or beside it: where the mapping has such keys."""

    entries: tuple[EntryText, ...]
    is_only: bool = False
    in_braces: bool = False
    """Whether the entries are printed in one line, with commas between them and without comments."""
    said: frozenset[str] = frozenset()
    """Texts of the marked entry, and of those beside it, that the new entries say in another form."""
    readings: tuple[Reading, ...] = ()
    """What the marked entry can mean. The fix shows the first, and a person chooses."""

    @classmethod
    def of(cls, keys: Mapping[Any, Value] | None = None, /, **more: Value) -> "SetKeys | None":
        """Keys with their values. A mapping gives keys that are not identifiers of Python, such as a step of a path."""
        values = {**{str(key): value for key, value in (keys or {}).items()}, **more}
        if not values or any(value in (None, "") or not emit_lines(key, value) for key, value in values.items()):
            return None
        return cls(tuple(EntryText(key, value) for key, value in values.items()))

    @classmethod
    def either(cls, key: str, value: Value, other: str) -> "SetKeys | None":
        """A key with its value, and a comment about the other way to agree."""
        fix = cls.of({key: value})
        return fix and fix.with_remark(key, other)

    @classmethod
    def one_of(cls, readings: Sequence[tuple[Mapping[str, Value], str]]) -> "SetKeys | None":
        """The first of several readings, each with what it leads to; a comment has the others."""
        found = tuple(Reading(fix, meaning) for keys, meaning in readings if (fix := cls.of(keys)) is not None)
        if not found:
            return None
        first, *others = found
        common = {entry for entry in first.fix.entries if all(entry in other.fix.entries for other in others)}
        rest = (Reading(other.fix.without(common), other.meaning).text for other in others)
        key = next(entry.key for entry in reversed(first.fix.entries) if not others or entry not in common)
        remark = ", or ".join((first.meaning, *rest))
        return dataclasses.replace(first.fix.with_remark(key, remark), readings=found)

    def without(self, entries: Collection[EntryText]) -> "SetKeys":
        """The fix without some of its entries."""
        return dataclasses.replace(self, entries=tuple(each for each in self.entries if each not in entries))

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
        return tuple(entry.remark for entry in self.entries if entry.remark)

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
    names: tuple[tuple[str, str], ...]
    """Each of the entries, and its key in the new mapping."""
    is_only: bool = False

    @classmethod
    def of(cls, key: str, value: Value, home: str, names: Mapping[str, str]) -> "MoveBelow | None":
        """The marked entry with another value, in which some of its entries are below the key ``home``."""
        return cls(EntryText(key, value), home, tuple(names.items())) if emit_lines(key, value) else None

    @property
    def text(self) -> str:
        """The whole marked entry as it is afterwards."""
        return self.entry.text

    @property
    def lines(self) -> dict[str, str]:
        """The entry as it is pasted where its lines cannot move: between braces."""
        return {self.entry.key: self.entry.text}


@frozen
class Append:
    """Entries at the end of a list: below the key that the mapping has already, or the key with them."""

    key: str
    items: tuple[str, ...]
    """Each as YAML on one line."""
    is_there: bool
    """Whether the mapping has the key already."""
    is_only: bool = False

    @property
    def text(self) -> str:
        """The key with its list, or entries that begin with a dash."""
        return to_add(self.key, self.items, listed=self.is_there)


Fix = Replace | Verbatim | Rename | SetKeys | MoveBelow | Append
_Some = TypeVar("_Some", bound=Fix)


def as_only(fix: _Some | None, is_only: bool = True) -> _Some | None:
    """The fix as the only one that the plan can mean, or as one of several; None without a fix."""
    return None if fix is None else dataclasses.replace(fix, is_only=is_only)
