"""Whether fixes keep what a file says: all entries, values and comments but those that their findings mark.

This uses no code that applies fixes, so that a bug there cannot remove anything from a file.
"""

import re
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any

import yaml

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.reading.meanings import meanings
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COMMENT = lazy_pattern(r"#[^\n]*")
_MAYBE_COMMENT = lazy_pattern(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)
_WORD = lazy_pattern(r"[0-9]+|[^\W\d_]+")
"""Letters or digits: `NO_UPGRADES` and `no-upgrades`, `2026-12-01` and `2026-12-01T00:00:00Z` have the same words."""
_ITEM = "[]"
"""The step of a path to an item of a list: items may move."""

_ELSEWHERE = (sys.maxsize, sys.maxsize)
"""The offsets of what is at an anchor elsewhere: no mark begins or ends there."""

_Entry = tuple[tuple[str, ...], str, str]
"""A path, the tag and the text of a value without entries of its own."""


@frozen
class Mark:
    """What a finding marks: ``width`` characters from the offset ``at``, because of the value at ``path``."""

    path: Path
    at: int
    width: int
    said: frozenset[str] = frozenset()
    """Texts of the marked entry, and of those beside it, that the fix says in another form."""


@frozen
class _Leaf:
    """A value without entries of its own."""

    path: Path
    tag: str
    text: str
    spans: tuple[tuple[int, int, int], ...] = field(repr=False)
    """For each step of the path the offsets of its key, of its value, and of the end of its value."""

    @property
    def entry(self) -> _Entry:
        return tuple(map(_step, self.path)), self.tag, self.text


def is_all_kept(before: str, after: str, marks: Iterable[Mark]) -> bool:
    """Whether the text after fixes has everything of the text before, except what the fixes replace or rename.

    A fix may replace the marked entry if that has one value. Of several values, each word must be in the new entries,
    and of a text that no parser can read, each word in the new text. ``marks`` are those of the fixes, in the text
    before all of them.
    """
    try:
        old = tuple(_leaves(yaml.compose(before, Loader=_LOADER)))
    except (yaml.YAMLError, RecursionError):
        return not _words(before) - _words(after) and not _maybe_comments(before) - _maybe_comments(after)
    try:
        new = Counter(leaf.entry for leaf in _leaves(yaml.compose(after, Loader=_LOADER)))
        comments = _comments(before) - _comments(after)
    except (yaml.YAMLError, RecursionError):
        return False
    entries = Counter(leaf.entry for leaf in old)
    lost, added = entries - new, new - entries
    marks = tuple(marks)
    return not comments and _is_replaced(old, _without_said(_without_respelled(lost, added), marks), added, marks)


def _without_said(lost: Counter[_Entry], marks: Sequence[Mark]) -> Counter[_Entry]:
    """The lost entries without those that the new entries say in another form, in or beside what is marked."""
    said = [(tuple(map(_step, mark.path[:-1])), mark.said) for mark in marks if mark.said]
    return Counter(
        {
            entry: count
            for entry, count in lost.items()
            if not any(entry[2] in texts and entry[0][: len(above)] == above for above, texts in said)
        }
    )


def _step(step: str | int) -> str:
    return _ITEM if isinstance(step, int) else step


def _without_respelled(lost: Counter[_Entry], added: Counter[_Entry]) -> Counter[_Entry]:
    """The lost entries without those that are there in another spelling: ``trillium`` and ``v6e`` are equal."""
    there = Counter((path, meaning) for path, _, text in added.elements() for meaning in meanings(text))
    found: Counter[_Entry] = Counter()
    for entry in lost.elements():
        path, _, text = entry
        wanted = Counter((path, meaning) for meaning in meanings(text))
        if wanted <= there:
            there -= wanted
        else:
            found[entry] += 1
    return found


def _is_replaced(old: Sequence[_Leaf], lost: Counter[_Entry], added: Counter[_Entry], marks: Sequence[Mark]) -> bool:
    """Whether what is lost was marked, and is in the new entries unless it was the only value of a marked entry."""
    marked: dict[Path, _Leaf] = {}
    alone: dict[Path, _Leaf] = {}
    places = _Places(old)
    for mark in marks:
        named = places.entry_at(mark)
        found = places.of(named, mark)
        marked |= {leaf.path: leaf for leaf in found}
        if named and len(found) == 1 and (named == found[0].path or isinstance(named[-1], str)):
            alone[found[0].path] = found[0]
    if lost - Counter(leaf.entry for leaf in marked.values()):
        return False
    lost = lost - Counter(leaf.entry for leaf in alone.values())
    above = max((len(mark.path) - 1 for mark in marks if mark.path), default=0)
    parts = (part for path, _, text in added.elements() for part in (*path[above:], text, *meanings(text)))
    there = _words(" ".join(parts))
    wanted = sum((_words_in(text, there) for _, _, text in lost.elements()), Counter[str]())
    return wanted <= there


def _words_in(text: str, there: Counter[str]) -> Counter[str]:
    """The words of a text; those of its meaning if they are not there as they are written."""
    written = _words(text)
    return written if written <= there else _words(" ".join(meanings(text)))


class _Places:
    """The entries of a text by their offsets, so that each mark is looked up without going through the whole file."""

    def __init__(self, leaves: Sequence[_Leaf]) -> None:
        self._leaves = leaves
        self._extents: dict[Path, tuple[int, int]] = {}
        self._at: dict[int, list[Path]] = {}
        spans: dict[Path, tuple[int, int]] = {}
        for number, leaf in enumerate(leaves):
            for depth, (key, value, end) in enumerate(leaf.spans):
                path = leaf.path[: depth + 1]
                first, _ = self._extents.get(path, (number, number))
                self._extents[path] = first, number + 1
                if path in spans:
                    continue
                spans[path] = key, end
                for offset in {key, value}:
                    self._at.setdefault(offset, []).append(path)
        self._spans = sorted((key, end, number) for number, (key, end) in enumerate(spans.values()))
        self._keys = [key for key, _, _ in self._spans]
        self._paths = tuple(spans)
        texts = [(leaf.spans[-1][1], leaf.spans[-1][2], leaf.path) for leaf in leaves if leaf.spans and leaf.text]
        self._texts = sorted(texts, key=lambda each: each[:2])
        self._text_starts = [start for start, _, _ in self._texts]

    def entry_at(self, mark: Mark) -> Path:
        """The path of the innermost entry that begins at a mark and that the finding is about; empty if there is none.

        A mark inside the text of a value is about that value.
        """
        found = [path for path in self._at.get(mark.at, ()) if path[-1] in mark.path]
        index = bisect_left(self._text_starts, mark.at) - 1
        if index >= 0 and mark.at < self._texts[index][1]:
            found.append(self._texts[index][2])
        return max(found, key=len, default=())

    def of(self, named: Path, mark: Mark) -> tuple[_Leaf, ...]:
        """The values of an entry, and those of the entries within the marked characters, in their order."""
        extents = [self._extents[named]] if named else []
        until = mark.at + mark.width
        for index in range(bisect_left(self._keys, mark.at), bisect_right(self._keys, until)):
            _, end, number = self._spans[index]
            if end <= until:
                extents.append(self._extents[self._paths[number]])
        numbers = sorted({number for first, last in extents for number in range(first, last)})
        return tuple(self._leaves[number] for number in numbers)


def _leaves(root: Any) -> Iterator[_Leaf]:
    """Every value without entries, in the order of the file. An alias is a value; what it repeats comes once."""
    numbers: dict[int, str] = {}
    seen: set[int] = set()
    open_nodes: list[tuple[Path, Any, tuple[tuple[int, int, int], ...]]] = [((), root, ())] if root else []
    while open_nodes:
        path, node, spans = open_nodes.pop()
        if isinstance(node, yaml.ScalarNode):
            yield _Leaf(path, node.tag, node.value, spans)
        elif id(node) in seen:
            yield _Leaf(path, "alias", numbers.setdefault(id(node), f"*{len(numbers)}"), spans)
        elif not node.value:
            yield _Leaf(path, node.tag, "", spans)
        else:
            seen.add(id(node))
            for step, value, extent in reversed([*_children(node)]):
                open_nodes.append(((*path, step), value, (*spans, extent)))


def _children(node: Any) -> Iterator[tuple[str | int, Any, tuple[int, int, int]]]:
    """The step, the value and the offsets of each entry or item. An alias has no text here but that of its key."""
    last = node.start_mark.index
    for index, each in enumerate(node.value):
        key, value = each if isinstance(each, tuple) else (None, each)
        start, end = value.start_mark.index, value.end_mark.index
        if key is not None:
            last = key.end_mark.index
        if start < last:
            start, end = _ELSEWHERE
        else:
            last = end
        if key is None:
            yield index, value, (start, start, end)
        else:
            name = key.value if isinstance(key, yaml.ScalarNode) else key.start_mark.index
            yield str(name), value, (key.start_mark.index, start, end)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _maybe_comments(text: str) -> Counter[str]:
    """The comments of a text that no parser can read, and what looks like a comment."""
    return Counter(_MAYBE_COMMENT.findall(text))


def _comments(text: str) -> Counter[str]:
    """The comments of a file: what is neither part of a token nor space."""
    found: Counter[str] = Counter()
    last = 0
    for token in yaml.scan(text, Loader=_LOADER):
        start, end = token.start_mark.index, token.end_mark.index
        if start > last:
            found.update(_COMMENT.findall(text, last, start))
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            head = text[start:end].partition("\n")[0]
            found.update(_COMMENT.findall(head))
        last = max(last, end)
    found.update(_COMMENT.findall(text, last))
    return found
