"""The content of a YAML file as plain data that knows the position of each value."""

from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.findings import Path, Position
from pulumi_gke_tpu.yamlfile.places import BLOCK, BLOCK_SCALAR, FLOW, PLAIN, Places
from pulumi_gke_tpu.yamlfile.source import Source


@dataclass(frozen=True)
class YamlFile:
    """A file that was read: its name as given, its content as plain data, and where each value stands."""

    name: str
    data: Any
    _source: Source = field(repr=False, compare=False)
    _places: Places = field(repr=False, compare=False)

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Where the value at ``path`` stands, or with ``key`` its key.

        A value without text of its own, such as a mapping in block style or nothing at all, is found at its key. What
        does not exist is found at the key of the deepest level that does; the root is at 1:1. An alias stands where it
        is written; what it holds, and what a merge key brings, stands at the anchor.
        """
        node, taken, keyed = self._places.find(path)
        if taken == 0:
            return self._source.position(0, 0)
        start, end = self._places.extent(node, self._source.text)
        no_text = self._places.kinds[node] == BLOCK or start == end
        if keyed and (key or no_text or taken < len(path)):
            start, end = self._places.extent(node - 1, self._source.text)
        return self._source.position(start, end)

    def span(self, first: Path, last: Path) -> tuple[Position, str]:
        """The place from the key at one path to the end of what is at another, and the text from the value on."""
        start = self._places.find(first)[0]
        end = self._places.find(last)[0]
        text = self._source.text
        value, stop = self._places.extent(start, text)[0], self._places.extent(end - 1, text)[1]
        return self._source.position(self._places.extent(start - 1, text)[0], stop), text[value:stop]

    def in_braces(self, path: Path) -> bool:
        """Whether what is at ``path`` is written between braces or brackets, where a comment hides what follows it."""
        return any(self._places.kinds[self._places.find(path[:end])[0]] == FLOW for end in range(len(path)))

    def written(self, path: Path) -> str | None:
        """The scalar at ``path`` exactly as it stands in the file, quotes included; None where there is none."""
        node = self._places.scalar(path)
        if node is None:
            return None
        start, end = self._places.extent(node, self._source.text)
        text = self._source.text[start:end]
        return text.rstrip() if self._places.kinds[node] == BLOCK_SCALAR else text

    def is_plain(self, path: Path) -> bool:
        """Whether there is a scalar at ``path`` that is written without quotes."""
        node = self._places.scalar(path)
        return node is not None and self._places.kinds[node] == PLAIN
