"""The items that an entry of a plan can name, and the misspellings of their names."""

import re
from collections.abc import Iterable

from pulumi_gke_tpu.core.plan import Plan

_PARTS = re.compile(r"[-_/.:]")
_LEVEL = "/.:"
"""Marks between a cluster and its group, the valid one first."""
_SHORTEST_PART = 4
"""Characters of a part of a name in which one other letter is a slip; ``eu`` and ``us`` are different names."""
_MOST_LOOKUPS = 20
_LONGEST = 200


def items_of(plan: Plan) -> set[str]:
    """Everything that a plan can name: its clusters as CLUSTER, its groups as CLUSTER/GROUP."""
    groups = {f"{key}/{group}" for key, cluster in plan.clusters.items() for group in cluster.slices}
    return groups | plan.clusters.keys() | plan.unread


class MisspelledItems:
    """Finds the item that a misspelled entry means.

    An entry for another item would lift the protection of that item, or make it the successor of another one, so it is
    not enough that two names are similar: one part of the name has one letter too many, too few, replaced, or exchanged
    with the next one. Names that differ in a digit or in a short part, such as ``train-1`` and ``train-2``, are names
    of different items.
    """

    def __init__(self, items: Iterable[str]) -> None:
        self._items = sorted(items)
        self._lookups = 0

    def meant(self, name: str) -> str | None:
        """The only item that a name without its cluster, or a misspelled one, means; None if there is not just one.

        Only the first lookups find an item, because comparing names takes time.
        """
        self._lookups += 1
        if self._lookups > _MOST_LOOKUPS or len(name) > _LONGEST:
            return None
        found = [item for item in self._items if item.endswith(f"/{name}")]
        found = found or [item for item in self._items if _is_slip(name.lower(), item.lower())]
        return found[0] if len(found) == 1 else None


def _is_slip(name: str, item: str) -> bool:
    if [mark in _LEVEL for mark in _PARTS.findall(name)] != [mark in _LEVEL for mark in _PARTS.findall(item)]:
        return False
    differing = [pair for pair in zip(_PARTS.split(name), _PARTS.split(item), strict=True) if pair[0] != pair[1]]
    return len(differing) <= 1 and all(
        min(len(part), len(other)) >= _SHORTEST_PART and _is_one_letter_off(part, other) for part, other in differing
    )


def _is_one_letter_off(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    short, long = short[start:], long[start:]
    if short[:1].isdigit() or long[:1].isdigit():
        return False
    if len(short) == len(long):
        return short[1:] == long[1:] or (short[:2] == long[1::-1] and short[2:] == long[2:])
    return short == long[1:]
