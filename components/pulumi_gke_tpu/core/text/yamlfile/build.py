"""Builds data and positions from the events of the parser, without recursion, and collects all errors."""

from typing import Any

import yaml

from pulumi_gke_tpu.core.text.findings import Path, first_unseen, is_visible
from pulumi_gke_tpu.core.text.formats.yaml_scalars import CORE_TAG, AmbiguousScalar, fits, resolve
from pulumi_gke_tpu.core.text.yamlfile import refuse
from pulumi_gke_tpu.core.text.yamlfile.refuse import Problems
from pulumi_gke_tpu.core.text.yamlfile.source import ALIAS, BLOCK, BLOCK_SCALAR, FLOW, PLAIN, QUOTED, Places

DEEPEST = 60
"""Maximum nesting of mappings and sequences, with aliases expanded."""

_ALWAYS_EXPANDED = 100_000
_EXPANDED_PER_CHARACTER = 5
_MOST_EXPANDED = 1_000_000
_MOST_DIRECTIVES = 100  # the time that libyaml takes grows with the square of their number
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STYLES = {None: PLAIN, "": PLAIN, "'": QUOTED, '"': QUOTED, "|": BLOCK_SCALAR, ">": BLOCK_SCALAR}

_UNKNOWN = object()
_NO_KEY = object()
BROKEN = object()
"""Marks a key or value with a finding, so that it gets no other one."""
_MERGE = object()
"""Marks the key ``<<``."""


class OpenNode:
    """A mapping or sequence that is being read, or that has an anchor.

    ``children`` is what :class:`Places` holds about it. ``step`` leads to it in the branch around it. ``key`` waits
    for its value. ``size`` is the number of values in it with every alias expanded, ``height`` its number of levels.
    ``in_key`` is whether a key is expected in its place. ``as_text`` is whether its text becomes the value.
    """

    __slots__ = (
        "as_text",
        "children",
        "data",
        "height",
        "in_key",
        "key",
        "mapping",
        "merge_key",
        "merged",
        "node",
        "size",
        "step",
        "unread",
    )

    def __init__(self, mapping: bool, node: int, step: str | int | None) -> None:
        self.mapping = mapping
        self.node = node
        self.step = step
        self.data: Any = {} if mapping else []
        self.children: Any = {} if mapping else []
        self.key: Any = _NO_KEY
        self.unread: str | None = None
        self.in_key = False
        self.as_text = False
        self.merge_key: int | None = None
        self.merged: tuple[int, Any] = (node, BROKEN)
        self.size = 1
        self.height = 1


class Builder:
    """Reads one document into ``data`` and ``places``, and reports errors to ``problems``.

    ``complete`` is whether the document was read to its end.
    """

    deepest = DEEPEST

    def __init__(self, problems: Problems) -> None:
        self.data: Any = None
        self.complete = False
        self.places = Places()
        self._problems = problems
        self._text = problems.source.text
        self._open: list[OpenNode] = []
        self._anchors: dict[str, tuple[int, Any, OpenNode | None]] = {}
        self._plain: dict[str, Any] = {}
        self._expanded = 0
        self._most_expanded = min(_ALWAYS_EXPANDED + _EXPANDED_PER_CHARACTER * len(self._text), _MOST_EXPANDED)

    def read(self) -> None:
        """Read the text.

        Raises:
            Stop: reading cannot go on.
        """
        if self._text.count("\n%TAG") > _MOST_DIRECTIVES:
            raise refuse.directives(self._problems, self._text.index("%TAG"))
        loader = _LOADER(self._text)
        try:
            self._read(loader)
            self.complete = True
        except yaml.YAMLError as error:
            from pulumi_gke_tpu.core.text.yamlfile.mistakes import syntax_error  # only files with errors need it

            raise syntax_error(self._problems, error, self._bracket()) from None
        finally:
            loader.dispose()

    def _read(self, loader: Any) -> None:
        next_event = loader.get_event
        documents = 0
        while True:
            event = next_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._start(event, kind is yaml.MappingStartEvent)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._end(event)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise refuse.second_document(self._problems, event)
            elif kind is yaml.StreamEndEvent:
                break
        if not documents or (self.places.kinds[0] == PLAIN and self.places.starts[0] == self.places.ends[0]):
            self._without_content()

    def _without_content(self) -> None:
        """Refuse an empty document."""
        raise refuse.empty(self._problems)

    def _put(self, node: int, value: object) -> None:
        """Store a node as root, item, key, or value of the key before."""
        if not self._open:
            self.data = None if value is BROKEN else value
            return
        top = self._open[-1]
        key = top.key
        if not top.mapping:
            top.data.append(None if value is BROKEN else value)
            top.children.append(node)
        elif key is _NO_KEY:
            top.key = self._key(top, node, value)
        else:
            if key is _MERGE:
                top.merged = (node, value)
            elif key is not BROKEN:
                top.data[key] = None if value is BROKEN else value
                top.children[key] = node
            top.key, top.unread = _NO_KEY, None

    def _path(self) -> Path:
        """The path of the current node."""
        steps = [branch.step for branch in self._open] + [self._step()]
        return tuple(step for step in steps if step is not None)

    def _step(self) -> str | int | None:
        """The index or key of the current node in the innermost collection; None for a key."""
        if not self._open:
            return None
        top = self._open[-1]
        if not top.mapping:
            return len(top.data)
        return top.key if type(top.key) is str else top.unread if top.key is BROKEN else None

    def _bracket(self) -> int | None:
        """The offset of the innermost bracket that is still open."""
        node = self._open[-1].node if self._open else None
        return None if node is None or self.places.kinds[node] != FLOW else self.places.starts[node]

    def _wants_key(self) -> bool:
        return bool(self._open) and self._open[-1].mapping and self._open[-1].key is _NO_KEY

    # Scalars

    def _scalar(self, event: Any) -> None:
        node = self.places.add(_STYLES[event.style], event)
        if event.tag is None and not event.style:
            value = self._plain.get(event.value, _UNKNOWN)
            if value is _UNKNOWN:
                value = self._new_plain(event)
        else:
            value = self._other_scalar(event)
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, value, None)
        self._put(node, value)

    def _new_plain(self, event: Any) -> Any:
        text = event.value
        if not is_visible(text):
            return text if self._can_be_seen(event) or not self._wants_key() else BROKEN
        value = resolve(text)
        if type(value) is AmbiguousScalar:
            if self._wants_key():
                return value
            refuse.ambiguous(self._problems, self._path(), event, value)
            return text
        self._plain[text] = value
        return value

    def _other_scalar(self, event: Any) -> Any:
        text = event.value
        if not is_visible(text) and not self._can_be_seen(event):
            return BROKEN if self._wants_key() else text
        if event.tag is None:
            return text
        value = fits(text, event.tag)
        if type(value) is AmbiguousScalar:
            refuse.tag(self._problems, self._path(), event)
            return BROKEN if self._wants_key() else text
        return value

    def _can_be_seen(self, event: Any) -> bool:
        """Whether a text has only visible characters; a finding reports the first other one."""
        is_key = self._wants_key()
        breaks = "" if is_key else "\n\t" if event.style else "\n"
        char = first_unseen(event.value, breaks)
        if char is not None:
            refuse.hidden_character(self._problems, self._path(), event, char, is_key)
            if is_key:
                self._open[-1].unread = refuse.visible(event.value)
        return char is None

    # Mappings and sequences

    def _start(self, event: Any, mapping: bool) -> None:
        if len(self._open) == self.deepest:
            raise refuse.too_deep(self._problems, event, self.deepest)
        if event.tag is not None and event.tag != CORE_TAG + ("map" if mapping else "seq"):
            self._other_tag(event)
        node = self.places.add(FLOW if event.flow_style else BLOCK, event)
        branch = OpenNode(mapping, node, self._step())
        around = self._open[-1] if self._open else None
        branch.in_key = around is not None and (around.in_key or self._wants_key())
        if around is not None and branch.in_key and not around.in_key:
            self._collection_as_key(around, event, mapping)
        if self._wants_key():
            self._put(node, BROKEN)
        else:
            self._put(node, branch.data)
        self.places.children[node] = branch.children
        if event.anchor is not None:
            self._anchors[event.anchor] = (node, branch.data, branch)
        self._open.append(branch)

    def _other_tag(self, event: Any) -> None:
        """Refuse a mapping or sequence with a tag other than that of its kind."""
        refuse.tag(self._problems, self._path(), event)

    def _collection_as_key(self, around: OpenNode, event: Any, mapping: bool) -> None:
        """Refuse a mapping or sequence as a key of the mapping around it."""
        refuse.collection_as_key(self._problems, self._path(), event, mapping)

    def _end(self, event: Any) -> None:
        branch = self._open.pop()
        self.places.ends[branch.node] = event.end_mark.index
        if branch.merge_key is not None:
            self._merge(branch)
        branch.size += len(branch.data)
        self._grow(branch)

    def _grow(self, child: OpenNode) -> None:
        if self._open:
            parent = self._open[-1]
            parent.size += child.size
            if parent.height <= child.height:
                parent.height = child.height + 1

    # Keys

    def _key(self, top: OpenNode, node: int, value: object) -> Any:
        if value is BROKEN:
            return BROKEN
        places = self.places
        start, end = places.starts[node], places.ends[node]
        if type(value) is not str:
            refuse.key_type(self._problems, self._path(), start, end)
            return BROKEN
        if value == "<<" and places.kinds[node] == PLAIN:
            if top.merge_key is None:
                top.merge_key = node
                return _MERGE
            first = top.merge_key
        elif value not in top.data:
            return value
        else:
            first = top.children[value] - 1
        refuse.second_key(self._problems, (*self._path(), value), (start, end), places.starts[first], value)
        return BROKEN

    def _merge(self, branch: OpenNode) -> None:
        """Merge the mappings under ``<<``: own entries take precedence, then those of earlier mappings."""
        data: dict[str, Any] = {}
        places: dict[str, int] = {}
        for node, source in self._merged(*branch.merged):
            children: Any = self.places.children[node]
            for key in source:
                if key not in data:
                    data[key] = source[key]
                    places[key] = children[key]
        data.update(branch.data)
        places.update(branch.children)
        branch.data.clear()
        branch.data.update(data)
        branch.children.clear()
        branch.children.update(places)

    def _merged(self, node: int, value: object) -> list[tuple[int, dict[str, Any]]]:
        items: Any = self.places.children.get(self.places.target(node))
        parts = zip(items, value, strict=True) if isinstance(value, list) else [(node, value)]
        sources = []
        for part, source in parts:
            if isinstance(source, dict):
                sources.append((self.places.target(part), source))
            elif source is not BROKEN:
                refuse.merge_of_other(self._problems, self._path(), self.places.starts[part], self.places.ends[part])
        return sources

    # Aliases

    def _alias(self, event: Any) -> None:
        node = self.places.add(ALIAS, event)
        target, value, branch = self._anchors.get(event.anchor, (node, BROKEN, None))
        if target == node:
            refuse.unknown_anchor(self._problems, self._path(), event, self._anchors)
        elif branch in self._open:
            refuse.recursive_alias(self._problems, self._path(), event)
            value = BROKEN
        else:
            self.places.targets[node] = target
            if branch:
                self._expand(event, branch)
        self._put(node, value)

    def _expand(self, event: object, branch: OpenNode) -> None:
        self._expanded += branch.size
        if self._expanded > self._most_expanded:
            raise refuse.too_much(self._problems, event, self._most_expanded)
        if len(self._open) + branch.height > self.deepest:
            raise refuse.too_deep(self._problems, event, self.deepest)
        self._grow(branch)
