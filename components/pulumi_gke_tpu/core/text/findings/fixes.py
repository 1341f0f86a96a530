"""What a fix does to a file, as a value: it is printed, applied and compared without reading its text again."""

import json
import re

from pulumi_gke_tpu.core.frozen import frozen

_REMARK = re.compile(r"\s+# *([^\n]*)")
_RENAME = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"][^:]*):\Z""")
_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:]*):\s+\S""")
_BLOCK = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:\n]*):(?:\n +\S[^\n]*)+\Z""")
"""A key and the entries of its mapping, each on a line of its own."""


@frozen
class EntryText:
    """A key, and the lines of the whole entry as they are pasted; those below the first one are indented."""

    key: str
    text: str

    @property
    def pasted_value(self) -> str:
        """The value as it is pasted, with its remark; empty if it has lines of its own."""
        head, newline, _ = self.text.partition("\n")
        return "" if newline else head.partition(": ")[2]

    @property
    def value(self) -> str:
        """The value as it is written, without a remark; empty if it has lines of its own."""
        return _REMARK.sub("", self.pasted_value).strip()


@frozen
class Replace:
    """Another value in place of the marked one, or another text in place of a line that no parser can read."""

    text: str

    @property
    def entries(self) -> tuple[EntryText, ...]:
        """The entries that the fix sets: none."""
        return ()


@frozen
class Rename:
    """Another key for the marked entry. The value stays."""

    key: str
    """The key as it is written in YAML."""

    @property
    def text(self) -> str:
        """The key with its colon."""
        return f"{self.key}:"

    @property
    def entries(self) -> tuple[EntryText, ...]:
        """The entries that the fix sets: none."""
        return ()


@frozen
class SetKeys:
    """Entries in place of the marked one, inside it, or beside it: where the mapping has such keys."""

    entries: tuple[EntryText, ...]
    in_braces: bool = False
    """Whether the entries are printed in one line, with commas between them."""

    @property
    def between_braces(self) -> "SetKeys | None":
        """The fix in one line, without remarks; None if an entry has several lines.

        Between braces, a remark would take in the rest of the line.
        """
        if any("\n" in entry.text for entry in self.entries):
            return None
        return SetKeys(
            tuple(EntryText(entry.key, _REMARK.sub("", entry.text)) for entry in self.entries), in_braces=True
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """The comments of the entries."""
        return tuple(remark for entry in self.entries for remark in _REMARK.findall(entry.text))

    @property
    def text(self) -> str:
        """The entries, each on lines of its own, or with commas between them."""
        return (", " if self.in_braces else "\n").join(entry.text for entry in self.entries)


@frozen
class MoveBelow:
    """Some entries of the marked mapping one level deeper, below a new key in it. Their lines and comments stay."""

    entry: EntryText
    """The whole marked entry as it is afterwards."""
    home: str
    names: frozenset[str]

    @property
    def text(self) -> str:
        """The whole marked entry as it is afterwards."""
        return self.entry.text

    @property
    def entries(self) -> tuple[EntryText, ...]:
        """The entry that the fix sets where it cannot move lines: between braces."""
        return (self.entry,)


Fix = Replace | Rename | SetKeys | MoveBelow


def fix_of(text: str) -> Fix | None:
    """The fix that YAML to paste is: a new key, entries, or a value. None without a text."""
    if not text:
        return None
    lines = text.split("\n")
    if len(lines) == 1 and _RENAME.match(text):
        return Rename(text[:-1])
    if not all(map(_ENTRY.match, lines)) and not _BLOCK.match(text):
        return Replace(text)
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
    return tuple(EntryText(key, text) for key, text in found.items())


def _unquoted(key: str) -> str:
    try:
        return str(json.loads(key)) if key.startswith('"') else key
    except ValueError:
        return key  # an escape that only YAML knows
