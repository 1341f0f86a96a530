"""The content of a YAML file as plain data that knows the position of each value."""

from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Path, Position
from pulumi_gke_tpu.core.text.yamlfile.places import BLOCK, BLOCK_SCALAR, FLOW, Places
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText


@frozen
class YamlFile:
    """The content of a file: its name as given, plain data, and the position of each value."""

    name: str
    data: Any
    _source: SourceText = field(repr=False, compare=False)
    _places: Places = field(repr=False, compare=False)

    @classmethod
    def empty(cls, name: str) -> "YamlFile":
        """A file without content."""
        return cls(name, None, SourceText(name, ""), Places())

    @property
    def text(self) -> str:
        """The text of the file, without a byte order mark."""
        return self._source.file_text

    @property
    def is_mended(self) -> bool:
        """Whether syntax errors of the file were corrected while it was read."""
        return self._source.is_mended

    def is_corrected(self, path: Path) -> bool:
        """Whether the entry at ``path`` is in a line with a corrected syntax error."""
        node = self._places.find(path)[0]
        return self.is_mended and self._source.is_corrected(self._places.extent(node, self._source.text)[0])

    def position(self, path: Path, *, key: bool = False) -> Position:
        """The position of the value at ``path``, or with ``key`` of its key.

        A value without text of its own, such as a mapping in block style or an empty value, has the position of its
        key. A path that does not exist has the position of the deepest key that does; the root is at 1:1. An alias has
        its own position; the values in it, and those of a merge key, have their positions at the anchor.
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
        """The position from the key at one path to the end of the value at another, and the text from the value on."""
        start = self._places.find(first)[0]
        end = self._places.find(last)[0]
        text = self._source.text
        value, stop = self._places.extent(start, text)[0], self._places.extent(end - 1, text)[1]
        return self._source.position(self._places.extent(start - 1, text)[0], stop), text[value:stop]

    def in_braces(self, path: Path) -> bool:
        """Whether ``path`` is inside braces or brackets, where a comment would hide the rest of the line."""
        return any(self._places.kinds[self._places.find(path[:end])[0]] == FLOW for end in range(len(path)))

    def written(self, path: Path) -> str | None:
        """The scalar at ``path`` exactly as in the file, with its quotes; None if there is none."""
        node = self._places.scalar(path)
        if node is None:
            return None
        start, end = self._places.extent(node, self._source.text)
        text = self._source.text[start:end]
        return text.rstrip() if self._places.kinds[node] == BLOCK_SCALAR else text
