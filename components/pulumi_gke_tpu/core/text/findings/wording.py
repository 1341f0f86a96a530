"""Formats counts, lists and durations."""

import datetime
from collections.abc import Sequence

_UNITS = (("d", 86400), ("h", 3600), ("min", 60))


def number(count: int, one: str, many: str = "") -> str:
    """A count with its noun: ``1 host``, ``1,024 hosts``. ``many`` is an irregular plural."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def listed(items: Sequence[str], word: str = "and", *, most: int | None = None, separator: str = ", ") -> str:
    """Format a list: ``a``, ``a and b``, ``a, b and c``.

    With more than ``most`` items, list the first ones and the number of the others: ``a, b and 5 more``, but never
    ``and 1 more``. Without ``word``, the last separator is the same as the others.
    """
    shown = first_few(items, most)
    if len(shown) < len(items):
        return f"{separator.join(shown)} and {len(items) - len(shown):,} more"
    if not word or len(items) == 1:
        return separator.join(items)
    return f"{separator.join(items[:-1])} {word} {items[-1]}" if items else ""


def first_few(items: Sequence[str], most: int | None) -> Sequence[str]:
    """The first items; all of them if only one would be missing."""
    return items if most is None or len(items) <= most + 1 else items[:most]


def duration_text(duration: datetime.timedelta) -> str:
    """``7 d``, ``6 h``, ``90 min``, ``45 s``: in the largest unit without a fraction."""
    seconds = int(duration.total_seconds())
    for unit, size in _UNITS:
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"
