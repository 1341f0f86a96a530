"""Applies fixes to the text of a file, as a user does who pastes them.

Only the entry at the place of the finding changes; comments, layout and quotes around it stay. The file is parsed once
for all its fixes: each of them is a few edits of the text as it was.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import PLAN, kind_of_keys
from pulumi_gke_tpu.core.plan.keys import is_plan_model, key_names, type_at
from pulumi_gke_tpu.core.text.findings.fixes import Append, Fix, MoveBelow, Rename, Replace, SetKeys, Verbatim
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SPACE = frozenset(" \t\n\r\f\v")


class CannotApplyError(Exception):
    """A fix cannot be applied at its place."""


@frozen
class Edit:
    """A part of a text, from ``start`` to ``end``, and the text that replaces it. An insertion has no length."""

    start: int
    end: int
    text: str


@frozen
class MarkedEntry:
    """What a finding points at: an entry of a mapping (``key`` and ``value``) or an item of a list (``value``)."""

    path: tuple[str | int, ...]
    key: Any
    value: Any
    around: Any


class Mender:
    """The text of a file, parsed once, and where its entries are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._by_path: dict[tuple[str | int, ...], MarkedEntry] = {}
        self._by_offset: dict[int, MarkedEntry] = {}
        self._scalars: list[MarkedEntry] = []
        try:
            self.root: Any = yaml.compose(text, Loader=_LOADER)
            self.is_parsed = True
        except (yaml.YAMLError, RecursionError):
            self.root, self.is_parsed = None, False
        for place in _places(self.root) if self.root is not None else ():
            self._by_path.setdefault(place.path, place)
            self._by_offset[place.value.start_mark.index] = place
            if place.key is not None:
                self._by_offset[place.key.start_mark.index] = place
            if isinstance(place.value, yaml.ScalarNode):
                self._scalars.append(place)
        self._scalars.sort(key=lambda place: int(place.value.start_mark.index))
        self._scalar_starts = [int(place.value.start_mark.index) for place in self._scalars]
        keys = (key.value for key, _ in self.root.value) if isinstance(self.root, yaml.MappingNode) else ()
        self._model: type[PlanModel] = (kind_of_keys(keys) or PLAN).model

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column, which start at 1."""
        return self._starts[line - 1] + column - 1 if line < len(self._starts) else len(self.text)

    def edits(self, at: int, width: int, fix: Fix) -> tuple[Edit, ...]:
        """What a fix changes for a finding that marks ``width`` characters from an offset.

        Raises:
            CannotApplyError: the fix cannot be applied there.
        """
        try:
            return tuple(sorted(self._edits(at, width, fix), key=lambda edit: (edit.start, edit.end)))
        except (StopIteration, LookupError, ValueError, AttributeError, RecursionError):
            raise CannotApplyError("the entry cannot be found again") from None

    def _edits(self, at: int, width: int, fix: Fix) -> Iterable[Edit]:
        if not self.is_parsed:
            return [self._of_line(at, fix)]
        if at == 0 and width <= 1 and isinstance(self.root, yaml.MappingNode) and isinstance(fix, SetKeys):
            return self._set(self.root, fix.lines)  # about no entry: the file begins there
        place = self._by_offset.get(at) or self._holding(at)
        if place is None:
            return [self._of_line(at, fix)]
        if place.key is not None and at + width > max(self._end(place.value), place.key.end_mark.index):
            return [self._replaced(at, at + width, fix.text)]
        return self._at_place(place, fix)

    def _at_place(self, place: MarkedEntry, fix: Fix) -> Iterable[Edit]:
        if isinstance(fix, Rename):
            if place.key is None:
                raise CannotApplyError("a new key for what has none")
            return [self._over(place.key, fix.written)]
        if isinstance(fix, Replace | Verbatim):
            return [self._over(place.value, self._fitting(fix.text, place.value))]
        if isinstance(fix, Append):
            raise CannotApplyError("entries of a list, whose reasons a person has to write")
        moved = self._moved(place, fix) if isinstance(fix, MoveBelow) else ()
        return moved or self._with_entries(place, fix.lines)

    def _holding(self, at: int) -> MarkedEntry | None:
        """The entry whose value is a text around an offset."""
        index = bisect_right(self._scalar_starts, at) - 1
        found = self._scalars[index] if index >= 0 else None
        return found if found is not None and at < found.value.end_mark.index else None

    def _moved(self, place: MarkedEntry, fix: MoveBelow) -> Sequence[Edit]:
        """Some entries of a mapping moved below a new key in it, if each has lines of its own.

        The lines of the entries are indented, so that their comments and layout stay.
        """
        node, text = place.value, self.text
        if place.key is None or not isinstance(node, yaml.MappingNode) or node.flow_style:
            return ()
        keys = dict(fix.names)
        moved = [(key, self._end(value)) for key, value in node.value if key.value in keys]
        if len(moved) != len(keys):
            return ()
        lines = [
            (text.rfind("\n", 0, key.start_mark.index) + 1, key, text.find("\n", end) + 1 or len(text))
            for key, end in moved
        ]
        column = " " * node.value[0][0].start_mark.column
        deeper = f"{column}{fix.home}:\n" + "".join(
            f"  {line}"
            for start, key, end in lines
            for line in self._renamed(start, key, end, keys[key.value]).splitlines(keepends=True)
        )
        first = lines[0][0]
        return [Edit(first, first, deeper), *(Edit(start, end, "") for start, _, end in lines)]

    def _renamed(self, start: int, key: Any, end: int, name: str) -> str:
        """The text of an entry with its key renamed; as it is if the name is the same."""
        if key.value == name:
            return self.text[start:end]
        return self.text[start : key.start_mark.index] + name + self.text[key.end_mark.index : end]

    def _with_entries(self, place: MarkedEntry, entries: dict[str, str]) -> Iterable[Edit]:
        """Entries inside, instead of, or beside the entry at a place."""
        place = self._around(place, entries)
        part = self._part(place.path[:-1])
        name = place.path[-1]
        if place.key is None or (name not in entries and isinstance(place.value, yaml.MappingNode)):
            inside = self._part(place.path)
            if (
                isinstance(place.value, yaml.MappingNode)
                and inside is not None
                and set(entries) <= set(key_names(inside))
            ):
                return self._set(place.value, entries)
            if place.key is None:
                raise CannotApplyError("keys for an item that is not a mapping")
        if name in entries or (part is not None and not set(entries) & set(key_names(part))):
            return self._set(place.around, entries)
        first, *rest = entries.items()
        if first[0] in {key.value for key, _ in place.around.value}:
            return self._instead(place, entries)
        start = int(place.key.start_mark.index)
        return [self._replaced(start, self._end(place.value), first[1]), *self._set(place.around, dict(rest))]

    def _instead(self, place: MarkedEntry, entries: dict[str, str]) -> list[Edit]:
        """Entries set in a mapping, and another one removed from it."""
        edits = self._set(place.around, entries)
        removed = self._removed(place)
        inside = [edit for edit in edits if removed.start <= edit.start < removed.end]
        if any(edit.start != edit.end for edit in inside):
            raise CannotApplyError("the fix changes what is around it")
        if not inside or inside[0].start == removed.start:
            return [*edits, removed]
        start, (new,) = int(place.key.start_mark.index), inside  # the new entries come in the place of the first one
        changed = Edit(start, self._end(place.value), new.text.rstrip())
        return [*(edit for edit in edits if edit is not new), changed]

    def _removed(self, place: MarkedEntry) -> Edit:
        """The removal of an entry from its mapping."""
        pairs, text = place.around.value, self.text
        index = next(at for at, (key, _) in enumerate(pairs) if key.value == place.path[-1])
        start, end = int(pairs[index][0].start_mark.index), self._end(pairs[index][1])
        if not place.around.flow_style:
            return Edit(text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text), "")
        if index:
            return Edit(self._end(pairs[index - 1][1]), end, "")
        return Edit(start, int(pairs[1][0].start_mark.index), "")

    def _around(self, place: MarkedEntry, entries: Mapping[str, str]) -> MarkedEntry:
        """The entry around the place that the fix names, or the nearest whose mapping has such a key; else itself."""
        steps = list(place.path)
        named = [end for end, step in enumerate(steps, 1) if step in entries]
        if named and named[-1] < len(steps):
            return self._by_path[place.path[: named[-1]]]
        inside = self._part(place.path)
        if inside is not None and set(entries) <= set(key_names(inside)):
            return place
        for end in range(len(steps), 0, -1):
            part = self._part(place.path[: end - 1])
            if isinstance(steps[end - 1], str) and (
                (part is None and end == len(steps)) or (part is not None and set(entries) & set(key_names(part)))
            ):
                return self._by_path[place.path[: end if end == len(steps) else end - 1]]
        return place

    def _part(self, path: tuple[str | int, ...]) -> type[PlanModel] | None:
        kind = type_at(self._model, path)
        return kind if is_plan_model(kind) else None

    def _set(self, node: Any, entries: Mapping[str, str]) -> list[Edit]:
        """Keys of a mapping: each in place of what it has, else before its first key."""
        there = {key.value: (key, value) for key, value in reversed(node.value)}
        edits: list[Edit] = []
        flow, added = node.flow_style, ""
        if flow:
            start = node.start_mark.index + self.text[node.start_mark.index :].index("{") + 1
            gap = ", "
        else:
            start = node.value[0][0].start_mark.index
            gap = "\n" + " " * node.value[0][0].start_mark.column
        for name, line in entries.items():
            if name in there:
                key, value = there[name]
                new = self._indented(key.start_mark.index, line, flow)
                edits.append(self._replaced(int(key.start_mark.index), self._end(value), new))
            else:
                added = self._indented(start, line, flow) + (gap if node.value or added else "") + added
        return [*edits, Edit(int(start), int(start), added)] if added else edits

    def _indented(self, start: int, line: str, flow: bool) -> str:
        first, *rest = line.split("\n")
        if not rest:
            return line
        if flow:
            raise CannotApplyError("lines of a block between braces")
        column = start - (self.text.rfind("\n", 0, start) + 1)
        return "\n".join([first, *(" " * column + each for each in rest)])

    def _end(self, node: Any) -> int:
        """The offset after a node; block collections end after the comments and spaces that follow them."""
        end = int(node.end_mark.index)
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            return end
        if not isinstance(node, yaml.ScalarNode) and node.flow_style:
            return end
        while end and self.text[end - 1] in _SPACE:
            end -= 1
        return end

    def _over(self, node: Any, new: str) -> Edit:
        return self._replaced(int(node.start_mark.index), self._end(node), new)

    def _replaced(self, start: int, end: int, new: str) -> Edit:
        gap = " " if start == end and self.text[start - 1] == ":" else ""
        return Edit(start, end, gap + new)

    def _fitting(self, text: str, node: Any) -> str:
        return self._indented(int(node.start_mark.index), text, bool(getattr(node, "flow_style", False)))

    def _of_line(self, at: int, fix: Fix) -> Edit:
        """In a file that no parser reads, the fix takes the place of a whole line, of its entry, or of a value."""
        text, new = self.text, fix.text
        extent = fix.extent if isinstance(fix, Verbatim) else "value" if isinstance(fix, Replace | Rename) else "entry"
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if extent == "line":
            return Edit(start, end, new)
        if extent == "character":
            return Edit(at, at + 1, new)
        if extent == "entry":
            indent = re.match(r"[ -]*", line)
            first = start + (indent.end() if indent else 0)
            pad = " " * (first - start)
            return Edit(first, end, new.replace("\n", f"\n{pad}"))
        value = lazy_pattern(r"[^,\]}\n]*" if any(bracket in line[: at - start] for bracket in "[{") else r"[^\n]*")
        match = value.match(text, at)
        return Edit(at, match.end() if match else at, new)


def mended(text: str, line: int, column: int, width: int, fix: Fix) -> str:
    """The text of a file with one fix at its place, of which ``width`` characters are marked.

    Raises:
        CannotApplyError: the fix cannot be applied there.
    """
    mender = Mender(text)
    return edited(text, mender.edits(mender.offset(line, column), width, fix))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits in it, which are sorted and do not overlap."""
    parts, at = list[str](), 0
    for edit in edits:
        parts += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*parts, text[at:]))


def _places(root: Any) -> Iterator[MarkedEntry]:
    open_nodes: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    seen: set[int] = set()
    while open_nodes:
        path, node = open_nodes.pop()
        if id(node) in seen:
            continue  # an alias: the entry is where its anchor is
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                name = key.value if isinstance(key, yaml.ScalarNode) else ""
                yield MarkedEntry((*path, name), key, value, node)
                open_nodes.append(((*path, name), value))
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                yield MarkedEntry((*path, index), None, value, node)
                open_nodes.append(((*path, index), value))
