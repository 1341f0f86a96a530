"""Applies the fix of a finding to the text of its file: what a person does who pastes it.

Only the entry at the place of the finding changes; comments, layout and quotes around it stay. The lines of a fix are
YAML as CONTRIBUTING.md describes it: a new key, entries, or a value.
"""

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import yaml

from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan.base import PlanModel
from pulumi_gke_tpu.plan.inventory import Inventory
from pulumi_gke_tpu.plan.keys import is_plan_model, key_names, type_at
from pulumi_gke_tpu.plan.model import Plan

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RENAME = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"][^:]*):\Z""")
_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:]*):\s+\S""")
_BLOCK = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:\n]*):(?:\n +\S[^\n]*)+\Z""")
"""A key and the entries of its mapping, each on a line of its own."""


class CannotApplyError(Exception):
    """A fix cannot be applied at its place."""


@frozen
class Edit:
    """A part of a text, from ``start`` to ``end``, and the text that replaces it."""

    start: int
    end: int
    text: str


@frozen
class Place:
    """What a finding points at: an entry of a mapping (``key`` and ``value``) or an item of a list (``value``)."""

    path: tuple[str | int, ...]
    key: Any
    value: Any
    around: Any


def difference(old: str, new: str) -> Edit:
    """The part in which two texts differ, as small as it can be."""
    shorter = min(len(old), len(new))
    start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    longest = shorter - start
    same = next((back for back in range(longest) if old[-1 - back] != new[-1 - back]), longest)
    return Edit(start, len(old) - same, new[start : len(new) - same])


def mended(text: str, line: int, column: int, width: int, fix: str) -> str:
    """The text of a file with a fix at its place, of which ``width`` characters are marked.

    Raises:
        CannotApplyError: the fix cannot be applied there.
    """
    return edited(text, Mender(text).edits(line, column, width, fix))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits that do not overlap."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


class Mender:
    """The text of a file, read once, and the edits that apply fixes at their places in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._root: Any = None
        self._at: dict[int, Place] = {}
        self._by_path: dict[tuple[str | int, ...], Place] = {}
        self._scalars: list[tuple[int, int, Place]] = []
        try:
            self._root = yaml.compose(text, Loader=_LOADER)
        except (yaml.YAMLError, RecursionError):
            return
        for place in _places(self._root):
            self._by_path.setdefault(place.path, place)
            for node in (place.value, place.key):
                if node is not None:
                    self._at[node.start_mark.index] = place
            if isinstance(place.value, yaml.ScalarNode):
                self._scalars.append((place.value.start_mark.index, place.value.end_mark.index, place))
        self._scalars.sort(key=lambda entry: entry[:2])
        keys = {key.value for key, _ in self._root.value} if isinstance(self._root, yaml.MappingNode) else set()
        self._kind: type[PlanModel] = Plan if "clusters" in keys else Inventory

    def offset(self, line: int, column: int) -> int:
        """The offset of a place in the text."""
        return self._starts[min(line, len(self._starts)) - 1] + column - 1

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset, from 1."""
        line = self.text.count("\n", 0, offset) + 1
        return line, offset - self.text.rfind("\n", 0, offset)

    def edits(self, line: int, column: int, width: int, fix: str) -> tuple[Edit, ...]:
        """What a fix changes, with ``width`` characters marked at a place.

        Raises:
            CannotApplyError: the fix cannot be applied there.
        """
        try:
            found = self._edits(self.offset(line, column), width, fix)
        except (yaml.YAMLError, StopIteration, LookupError, ValueError, AttributeError, RecursionError):
            raise CannotApplyError("the entry cannot be found again") from None
        return tuple(edit for edit in found if self.text[edit.start : edit.end] != edit.text)

    def _edits(self, at: int, width: int, fix: str) -> Iterable[Edit]:
        if self._root is None:
            return [self._line(at, fix)]
        place = self._at.get(at) or self._scalar_at(at)
        if place is None:
            whole = at == 0 and isinstance(self._root, yaml.MappingNode)
            return self._set(self._root, _entries(fix.split("\n"))) if whole else [self._line(at, fix)]
        if place.key is not None and at + width > max(self._end(place.value), place.key.end_mark.index):
            return [self._replaced(at, at + width, fix)]
        return self._mended_place(place, _lines_of(fix, place))

    def _scalar_at(self, at: int) -> Place | None:
        index = bisect.bisect_right(self._scalars, at, key=lambda entry: entry[0]) - 1
        start, end, place = self._scalars[index] if index >= 0 else (0, 0, None)
        return place if start <= at < end else None

    def _mended_place(self, place: Place, lines: list[str]) -> Iterable[Edit]:
        """A new key, a new value, or other entries at a place."""
        fix = "\n".join(lines)
        if len(lines) == 1 and _RENAME.match(fix):
            if place.key is None:
                raise CannotApplyError("a new key for what has none")
            return [self._over(place.key, fix[:-1])]
        nested = self._one_level_deeper(place, fix)
        if nested is not None:
            return nested
        if not all(_ENTRY.match(each) for each in lines) and not _BLOCK.match(fix):
            return [self._over(place.value, self._fitting(fix, place.value))]
        return self._with_entries(place, _entries(lines))

    def _one_level_deeper(self, place: Place, fix: str) -> list[Edit] | None:
        """The entries of a mapping that a fix moves below a new key in it; None if the fix does something else.

        The lines of the entries are indented, so that their comments and layout stay.
        """
        node, text = place.value, self.text
        if place.key is None or not isinstance(node, yaml.MappingNode) or node.flow_style or "\n" in fix:
            return None
        written = yaml.safe_load(fix)
        new = written.get(place.key.value) if isinstance(written, dict) else None
        old = [key.value for key, _ in node.value]
        if not isinstance(new, dict):
            return None
        homes = [key for key in new if key not in old]
        inner = new[homes[0]] if len(homes) == 1 else None
        if not isinstance(inner, dict) or {*new, *inner} - {*homes} != {*old} or not {*inner} <= {*old}:
            return None
        moved = [(key.start_mark.index, self._end(value)) for key, value in node.value if key.value in inner]
        lines = [(text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)) for start, end in moved]
        column = " " * node.value[0][0].start_mark.column
        deeper = f"{column}{homes[0]}:\n" + "".join(
            f"  {line}" for start, end in lines for line in text[start:end].splitlines(keepends=True)
        )
        first, *others = lines
        return [Edit(*first, deeper), *(Edit(start, end, "") for start, end in others)]

    def _with_entries(self, place: Place, entries: dict[str, str]) -> list[Edit]:
        """Entries inside, instead of, or beside the entry at a place."""
        place = self._around(place, entries)
        part = self._part(place.path[:-1])
        name = place.path[-1]
        if place.key is None or (name not in entries and isinstance(place.value, yaml.MappingNode)):
            inside = self._part(place.path)
            is_mapping = isinstance(place.value, yaml.MappingNode)
            if is_mapping and inside is not None and set(entries) <= set(key_names(inside)):
                return self._set(place.value, entries)
            if place.key is None:
                raise CannotApplyError("keys for an item that is not a mapping")
        if name not in entries and (part is None or set(entries) & set(key_names(part))):
            (first, line), *rest = entries.items()
            if first in {key.value for key, _ in place.around.value}:
                return [*self._set(place.around, entries, without=str(name)), self._without(place)]
            here = self._replaced(place.key.start_mark.index, self._end(place.value), line)
            return [here, *self._set(place.around, dict(rest))]
        return self._set(place.around, entries)

    def _around(self, place: Place, entries: dict[str, str]) -> Place:
        """The entry around the place that the fix names, or the nearest with such a key beside it; else the place."""
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
                # The mapping around the key is the value to set keys in.
                return self._by_path[place.path[: end if end == len(steps) else end - 1]]
        return place

    def _part(self, path: tuple[str | int, ...]) -> type[PlanModel] | None:
        kind = type_at(self._kind, path)
        return kind if is_plan_model(kind) else None

    def _set(self, node: Any, entries: Mapping[str, str], without: str = "") -> list[Edit]:
        """Set keys of a mapping: each in place of its present entry, else before the first key.

        ``without`` is an entry that is removed.
        """
        present = {key.value: (key, value) for key, value in reversed(node.value)}
        found = [self._replaced_entry(present[key], line, node) for key, line in entries.items() if key in present]
        new = [line for key, line in entries.items() if key not in present]
        if not new:
            return found
        if node.flow_style:
            start = self.text.index("{", node.start_mark.index) + 1
            pasted = ", ".join(self._indented(start, line, True) for line in reversed(new))
            return [*found, Edit(start, start, pasted + (", " if node.value else ""))]
        first = next(key for key, _ in node.value if key.value != without)
        start, column = first.start_mark.index, first.start_mark.column
        pasted = "".join(f"{self._indented(start, line, False)}\n{' ' * column}" for line in reversed(new))
        return [*found, Edit(start, start, pasted)]

    def _replaced_entry(self, pair: tuple[Any, Any], line: str, node: Any) -> Edit:
        start = pair[0].start_mark.index
        return self._replaced(start, self._end(pair[1]), self._indented(start, line, node.flow_style))

    def _without(self, place: Place) -> Edit:
        """The removal of the entry of a place, which is not the only one."""
        pairs, text = place.around.value, self.text
        index = next(at for at, (key, _) in enumerate(pairs) if key.value == place.path[-1])
        start, end = pairs[index][0].start_mark.index, self._end(pairs[index][1])
        line = text.rfind("\n", 0, start) + 1
        if not place.around.flow_style and not text[line:start].strip():
            return Edit(line, text.find("\n", end) + 1 or len(text), "")
        if index:
            return Edit(self._end(pairs[index - 1][1]), end, "")
        return Edit(start, pairs[1][0].start_mark.index, "")

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
        while self.text[end - 1 : end].isspace():
            end -= 1
        return end

    def _over(self, node: Any, new: str) -> Edit:
        return self._replaced(node.start_mark.index, self._end(node), new)

    def _replaced(self, start: int, end: int, new: str) -> Edit:
        gap = " " if start == end and self.text[start - 1] == ":" else ""
        return Edit(start, end, gap + new)

    def _fitting(self, fix: str, node: Any) -> str:
        return self._indented(node.start_mark.index, fix, bool(getattr(node, "flow_style", False)))

    def _line(self, at: int, fix: str) -> Edit:
        """In a file that no parser reads, the fix replaces a whole line, an entry in it, or a value."""
        text = self.text
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if fix.startswith(" ") or text[at] == "\t":
            return Edit(start, end, fix)
        if fix in ("]", "}"):
            return Edit(at, at + 1, fix)
        if _ENTRY.match(fix) or "\n" in fix:
            indent = re.match(r"[ -]*", line)
            first = start + (indent.end() if indent else 0)
            pad = " " * (first - start)
            return Edit(first, end, fix.replace("\n", f"\n{pad}"))
        value = re.compile(r"[^,\]}\n]*" if any(bracket in line[: at - start] for bracket in "[{") else r"[^\n]*")
        match = value.match(text, at)
        return Edit(at, match.end() if match else at, fix)


def _lines_of(fix: str, place: Place) -> list[str]:
    """The entries of a fix: lines of a block, or parts with commas between braces."""
    lines = fix.split("\n")
    if not (place.key and place.around.flow_style and _ENTRY.match(fix)) or len(lines) > 1:
        return lines
    mapping = yaml.compose(f"{{{fix}}}", Loader=_LOADER)
    pairs = mapping.value if isinstance(mapping, yaml.MappingNode) else []
    return [fix[key.start_mark.index - 1 : value.end_mark.index - 1] for key, value in pairs]


def _entries(lines: list[str]) -> dict[str, str]:
    """Key -> line. A line that belongs to the one before it is part of that."""
    found: dict[str, str] = {}
    for line in lines:
        if line.startswith((" ", "-")) and found:
            last = next(reversed(found))
            found[last] += f"\n{line}"
        else:
            (key,) = yaml.safe_load(line if _ENTRY.match(line) else f"{line} 1")
            found[key] = line
    return found


def _places(root: Any) -> Iterator[Place]:
    open_nodes: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    seen: set[int] = set()
    while open_nodes:
        path, node = open_nodes.pop()
        if id(node) in seen:
            continue  # an alias: the entry is where its anchor is
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                yield Place((*path, key.value), key, value, node)
                open_nodes.append(((*path, key.value), value))
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                yield Place((*path, index), None, value, node)
                open_nodes.append(((*path, index), value))
