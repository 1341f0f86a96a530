"""Puts Markdown together so that it fits: sections are cut between their parts, and what is left out is counted."""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen

_ROOM_TO_SAY_SO = 600
"""Bytes reserved for the line about omitted parts."""


@frozen
class Section:
    """Parts below a head. Each part is on its own lines; ``spaced`` ones are separate blocks."""

    name: str
    """What its parts are, in the plural: what is left out is called so."""
    head: str
    things: Sequence[Any] = ()
    """What the parts are made of, one each."""
    write: Callable[[Any], str] = str
    """Makes a part. Called only for those that may fit."""
    spaced: bool = False
    share: int = 100
    """Its maximum percentage of the size if not everything fits; the rest is for later blocks."""
    kinds: Callable[[Sequence[Any]], str] | None = None
    """What those that are left out are, in a few words."""
    tail: str = ""
    """What follows the parts."""
    _written: list[str] = field(default_factory=list)

    def part(self, number: int) -> str:
        """A part, built at its first use."""
        while len(self._written) <= number:
            self._written.append(self.write(self.things[len(self._written)]))
        return self._written[number]

    def fitting(self, room: int) -> int:
        """How many of the first parts fit into so many bytes, with the head."""
        room -= _size(self.head) + 2 + (_size(self.tail) + 2 if self.tail else 0)
        for number in range(len(self.things)):
            room -= _size(self.part(number)) + (2 if self.spaced else 1)
            if room < 0:
                return number
        return len(self.things)

    def block(self, parts: int) -> str:
        """Head and first parts."""
        gap = "\n\n" if self.spaced else "\n"
        lead = f"{self.head}{gap}" if self.head and parts else self.head
        tail = f"\n\n{self.tail}" if self.tail else ""
        return f"{lead}{gap.join(self.part(number) for number in range(parts))}{tail}"


def fitted(sections: Sequence[Section], limit: int, rest: str) -> str:
    """The sections as one text of at most ``limit`` bytes in UTF-8, with a final line break.

    ``rest`` names the place of the omitted parts. Sections without parts are never left out: it is the caller's task to
    keep them small.
    """
    whole = _whole(sections, limit)
    return whole if whole is not None else _cut(sections, limit, rest)


def _whole(sections: Sequence[Section], limit: int) -> str | None:
    blocks: list[str] = []
    left = limit - 1
    for section in sections:
        if section.fitting(left) < len(section.things):
            return None
        blocks.append(section.block(len(section.things)))
        left -= _size(blocks[-1]) + 2
    text = "\n\n".join(blocks) + "\n"
    return text if _size(text) <= limit else None


def _cut(sections: Sequence[Section], limit: int, rest: str) -> str:
    blocks: list[str] = []
    missing: list[str] = []
    left = limit - _ROOM_TO_SAY_SO - sum(_size(section.head) + 2 for section in sections if not section.things)
    for section in sections:
        if not section.things:
            blocks.append(section.head)
            continue
        kept = section.fitting(min(left, limit * section.share // 100))
        if kept:
            blocks.append(section.block(kept))
            left -= _size(blocks[-1]) + 2
        if kept < len(section.things):
            missing.append(_missing(section, kept))
    blocks.append(f"**Cut to {limit:,} bytes.** Left out: {'; '.join(missing)}.{rest and f' {rest}'}")
    return "\n\n".join(blocks) + "\n"


def _missing(section: Section, kept: int) -> str:
    left_out = section.things[kept:]
    kinds = f" ({section.kinds(left_out)})" if section.kinds else ""
    return f"{len(left_out):,} of {len(section.things):,} {section.name}{kinds}"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
