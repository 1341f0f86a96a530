"""The positions of all nodes of a document, in few and small objects: a plan can have a hundred thousand nodes."""

import re
from array import array
from typing import Any

from pulumi_gke_tpu.core.text.findings import Path

_PROPERTIES = re.compile(r"(?:(?:&[^\s,\[\]{}]+|!<[^>\s]*>|![^\s,\[\]{}]*)(?:\s+|#[^\r\n]*)*)*")

PLAIN, QUOTED, BLOCK_SCALAR, ALIAS, FLOW, BLOCK = range(6)
"""Kind of a node: a scalar in one of three styles, an alias, or a collection in one of two."""


class Places:
    """The nodes of a document, numbered in their order.

    ``starts`` and ``ends`` are offsets into the text, tags and anchors included. ``children`` holds for a mapping the
    number of each key's value, for a sequence the numbers of its items. A key is the node before its value; a merge
    key brings the numbers of the entries that it merges. ``targets`` has the node that an alias stands for.
    """

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.starts = array("q")
        self.ends = array("q")
        self.children: dict[int, dict[str, int] | list[int]] = {}
        self.targets: dict[int, int] = {}

    def add(self, kind: int, event: Any) -> int:
        """Add the next node; returns its number."""
        node = len(self.kinds)
        self.kinds.append(kind)
        self.starts.append(event.start_mark.index)
        self.ends.append(event.end_mark.index)
        return node

    def target(self, node: int) -> int:
        """The node that an alias refers to; any other node itself."""
        return self.targets.get(node, node)

    def find(self, path: Path) -> tuple[int, int, bool]:
        """The deepest node on a path, the number of steps to it, and whether it is the value of a key."""
        node, keyed = 0, False
        for taken, step in enumerate(path):
            children = self.children.get(self.target(node))
            if isinstance(children, dict) and step in children:
                node, keyed = children[step], True
            elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
                node, keyed = children[step], False
            else:
                return node, taken, keyed
        return node, len(path), keyed

    def scalar(self, path: Path) -> int | None:
        """The scalar at a path, with aliases resolved; None if there is none."""
        node, taken, _ = self.find(path)
        node = self.target(node)
        return node if taken == len(path) and self.kinds[node] <= BLOCK_SCALAR else None

    def extent(self, node: int, text: str) -> tuple[int, int]:
        """The offsets of a node's first character and of the one after its last, without tag and anchor."""
        start, end = self.starts[node], self.ends[node]
        return (start, end) if self.kinds[node] == ALIAS else without_properties(text, start, end)


def without_properties(text: str, start: int, end: int) -> tuple[int, int]:
    """The extent of a node less the tag and anchor at its beginning."""
    match = _PROPERTIES.match(text, start, end) if text.startswith(("&", "!"), start) else None
    return (match.end() if match else start), end
