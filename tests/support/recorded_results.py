"""Results that tests compare whole: a YAML file for each, which tests with ``--record`` write anew."""

import functools
import io
import pathlib
from typing import Any

import yaml
from support.sampling import SELECTION


class RecordedResults:
    """The results in one file, by their keys. Values from ``block_depth`` on are in one line."""

    def __init__(self, path: pathlib.Path, block_depth: int) -> None:
        self.path, self.block_depth = path, block_depth

    @functools.cached_property
    def data(self) -> Any:
        """The content of the file, with the cases that tests take from it."""
        return yaml.safe_load(self.path.read_text(encoding="utf-8"))

    def compare(self, value: Any, *keys: Any) -> None:
        """Compare a result with the recorded one; record it instead with ``--record``."""
        *above, last = keys
        holder = functools.reduce(lambda data, key: data[key], above, self.data)
        if SELECTION.record:
            holder[last] = value
            _CHANGED[self.path] = self
        assert value == holder[last]

    def write(self) -> None:
        """Write the file anew."""
        before = self.path.read_text(encoding="utf-8")
        comment = "".join(line for line in before.splitlines(keepends=True) if line.startswith("#"))
        node = yaml.SafeDumper(io.StringIO(), sort_keys=False).represent_data(self.data)
        _arrange(node, self.block_depth)
        text = yaml.serialize(node, Dumper=yaml.SafeDumper, width=100_000, allow_unicode=True)
        self.path.write_text(comment + text, encoding="utf-8")


_CHANGED: dict[pathlib.Path, RecordedResults] = {}
"""The results that a run with ``--record`` writes at its end."""


def write_changed() -> None:
    """Write all results that were recorded."""
    while _CHANGED:
        _CHANGED.popitem()[1].write()


def _arrange(node: yaml.Node, block_depth: int) -> None:
    """Write outer mappings, lists and texts of several lines in blocks, and the inner ones in one line."""
    if isinstance(node, yaml.ScalarNode):
        if "\n" in node.value and block_depth >= 0:
            node.style = "|"
        return
    assert isinstance(node, yaml.CollectionNode)
    node.flow_style = block_depth <= 0
    for inner in node.value:
        for each in inner if isinstance(inner, tuple) else (inner,):
            _arrange(each, block_depth - 1)
