"""Applies the fix of a finding to the text of its file, as a user does who pastes it.

Only the entry at the place of the finding changes; comments, layout and quotes around it stay. The lines of a fix are
YAML as CONTRIBUTING.md describes it: a new key, entries, or a value.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import PLAN, kind_of_keys
from pulumi_gke_tpu.core.plan.keys import is_plan_model, key_names, type_at

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RENAME = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"][^:]*):\Z""")
_ENTRY = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:]*):\s+\S""")
_BLOCK = re.compile(r"""("(?:[^"\\]|\\.)*"|[^\s:"{\[][^:\n]*):(?:\n +\S[^\n]*)+\Z""")
"""A key and the entries of its mapping, each on a line of its own."""


class CannotApplyError(Exception):
    """A fix cannot be applied at its place."""


@frozen
class Place:
    """What a finding points at: an entry of a mapping (``key`` and ``value``) or an item of a list (``value``)."""

    path: tuple[str | int, ...]
    key: Any
    value: Any
    around: Any


def mended(text: str, line: int, column: int, width: int, fix: str) -> str:
    """The text of a file with a fix at its place, of which ``width`` characters are marked.

    Raises:
        CannotApplyError: the fix cannot be applied there.
    """
    at = sum(len(each) for each in text.splitlines(keepends=True)[: line - 1]) + column - 1
    try:
        return _mended(text, at, width, fix)
    except (yaml.YAMLError, StopIteration, LookupError, ValueError, AttributeError, RecursionError):
        raise CannotApplyError("the entry cannot be found again") from None


def _mended(text: str, at: int, width: int, fix: str) -> str:
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError:
        return _mended_line(text, at, fix)
    if _is_about_file(root, at, width) and _ENTRY.match(fix):
        return _set(text, root, _entries(fix.split("\n")))
    place = next((found for found in reversed(list(_places(root))) if _is_at(found, at)), None)
    if place is None:
        place = next((found for found in reversed(list(_places(root))) if _holds(found, at)), None)
    if place is None:
        return _mended_line(text, at, fix)
    if place.key is not None and at + width > max(_end(text, place.value), place.key.end_mark.index):
        return _replaced(text, at, at + width, fix)
    return _mended_place(text, root, place, _lines_of(fix, place))


def _is_about_file(root: Any, at: int, width: int) -> bool:
    """Whether a finding marks no entry, but only where the file begins: its fix is new keys."""
    return at == 0 and width <= 1 and isinstance(root, yaml.MappingNode)


def _lines_of(fix: str, place: Place) -> list[str]:
    """The entries of a fix: lines of a block, or parts with commas between braces."""
    lines = fix.split("\n")
    if not (place.key and place.around.flow_style and _ENTRY.match(fix)) or len(lines) > 1:
        return lines
    mapping = yaml.compose(f"{{{fix}}}", Loader=_LOADER)
    pairs = mapping.value if isinstance(mapping, yaml.MappingNode) else []
    return [fix[key.start_mark.index - 1 : value.end_mark.index - 1] for key, value in pairs]


def _mended_place(text: str, root: Any, place: Place, lines: list[str]) -> str:
    """The text with a new key, a new value, or other entries at a place."""
    fix = "\n".join(lines)
    if len(lines) == 1 and _RENAME.match(fix):
        if place.key is None:
            raise CannotApplyError("a new key for what has none")
        return _over(text, place.key, fix[:-1])
    nested = _one_level_deeper(text, place, fix)
    if nested is not None:
        return nested
    if not all(_ENTRY.match(each) for each in lines) and not _BLOCK.match(fix):
        return _over(text, place.value, _fitting(fix, place.value, text))
    return _with_entries(text, root, place, _entries(lines))


def _one_level_deeper(text: str, place: Place, fix: str) -> str | None:
    """The text with some entries of a mapping moved below a new key in it; None if the fix does something else.

    The lines of the entries are indented, so that their comments and layout stay.
    """
    node = place.value
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
    moved = [(key.start_mark.index, _end(text, value)) for key, value in node.value if key.value in inner]
    lines = [(text.rfind("\n", 0, start) + 1, text.find("\n", end) + 1 or len(text)) for start, end in moved]
    column = " " * node.value[0][0].start_mark.column
    deeper = f"{column}{homes[0]}:\n" + "".join(
        f"  {line}" for start, end in lines for line in text[start:end].splitlines(keepends=True)
    )
    for start, end in reversed(lines):
        text = text[:start] + text[end:]
    return text[: lines[0][0]] + deeper + text[lines[0][0] :]


def _with_entries(text: str, root: Any, place: Place, entries: dict[str, str]) -> str:
    """The text with entries inside, instead of, or beside the entry at a place."""
    place = _around(root, place, entries)
    part = _part(root, place.path[:-1])
    name = place.path[-1]
    if place.key is None or (name not in entries and isinstance(place.value, yaml.MappingNode)):
        inside = _part(root, place.path)
        if isinstance(place.value, yaml.MappingNode) and inside is not None and set(entries) <= set(key_names(inside)):
            return _set(text, place.value, entries)
        if place.key is None:
            raise CannotApplyError("keys for an item that is not a mapping")
    if name not in entries and (part is None or set(entries) & set(key_names(part))):
        first, *rest = entries.items()
        if first[0] in {key.value for key, _ in place.around.value}:
            return _without(_set(text, place.around, entries), place)
        text = _replaced(text, place.key.start_mark.index, _end(text, place.value), first[1])
        return _set(text, _same(text, place), dict(rest)) if rest else text
    return _set(text, place.around, entries)


def _around(root: Any, place: Place, entries: dict[str, str]) -> Place:
    """The entry around the place that the fix names, or the nearest whose mapping has such a key; else the place."""
    steps = list(place.path)
    named = [end for end, step in enumerate(steps, 1) if step in entries]
    if named and named[-1] < len(steps):
        return _entry_at(root, place.path[: named[-1]])
    inside = _part(root, place.path)
    if inside is not None and set(entries) <= set(key_names(inside)):
        return place
    for end in range(len(steps), 0, -1):
        part = _part(root, place.path[: end - 1])
        if isinstance(steps[end - 1], str) and (
            (part is None and end == len(steps)) or (part is not None and set(entries) & set(key_names(part)))
        ):
            return _entry_at(root, place.path[:end]) if end == len(steps) else _beside(root, place.path[:end])
    return place


def _entry_at(root: Any, path: tuple[str | int, ...]) -> Place:
    return next(place for place in _places(root) if place.path == path)


def _beside(root: Any, path: tuple[str | int, ...]) -> Place:
    """The mapping that holds what the path leads to, as the value to set keys in."""
    return _entry_at(root, path[:-1])


def _without(text: str, place: Place) -> str:
    """The text without the entry of a place."""
    around = _same(text, place)
    pairs = around.value
    index = next(at for at, (key, _) in enumerate(pairs) if key.value == place.path[-1])
    start, end = pairs[index][0].start_mark.index, _end(text, pairs[index][1])
    if not around.flow_style:
        return text[: text.rfind("\n", 0, start) + 1] + text[text.find("\n", end) + 1 :]
    if index:
        return text[: _end(text, pairs[index - 1][1])] + text[end:]
    return text[:start] + text[pairs[1][0].start_mark.index :]


def _same(text: str, place: Place) -> Any:
    node = yaml.compose(text, Loader=_LOADER)
    for step in place.path[:-1]:
        node = next(value for key, value in _children(node) if key == step)
    return node


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


def _children(node: Any) -> list[tuple[str | int, Any]]:
    if isinstance(node, yaml.MappingNode):
        return [(key.value, value) for key, value in node.value]
    return list(enumerate(node.value))


def _is_at(place: Place, at: int) -> bool:
    return at in (place.value.start_mark.index, *((place.key.start_mark.index,) if place.key else ()))


def _holds(place: Place, at: int) -> bool:
    value = place.value
    return isinstance(value, yaml.ScalarNode) and value.start_mark.index <= at < value.end_mark.index


def _part(root: Any, path: tuple[str | int, ...]) -> type[PlanModel] | None:
    file = kind_of_keys(key.value for key, _ in root.value) or PLAN
    kind = type_at(file.model, path)
    return kind if is_plan_model(kind) else None


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


def _set(text: str, node: Any, entries: dict[str, str]) -> str:
    """Set keys of a mapping: each in place of what it has, else before its first key."""
    for key, line in entries.items():
        there = next((pair for pair in node.value if pair[0].value == key), None)
        if there:
            indented = _indented(text, there[0].start_mark.index, line, node.flow_style)
            text = _replaced(text, there[0].start_mark.index, _end(text, there[1]), indented)
        elif node.flow_style:
            start = node.start_mark.index + text[node.start_mark.index :].index("{") + 1
            pasted = _indented(text, start, line, True)
            text = text[:start] + pasted + (", " if node.value else "") + text[start:]
        else:
            start = node.value[0][0].start_mark.index
            column = node.value[0][0].start_mark.column
            pasted = _indented(text, start, line, False)
            text = f"{text[:start]}{pasted}\n{' ' * column}{text[start:]}"
        node = _at_offset(text, node)
    return text


def _at_offset(text: str, node: Any) -> Any:
    """The mapping that began at the same offset, in the changed text."""
    root = yaml.compose(text, Loader=_LOADER)
    same = [root, *(place.value for place in _places(root))]
    found = [
        each for each in same if isinstance(each, yaml.MappingNode) and each.start_mark.index == node.start_mark.index
    ]
    if not found:
        raise CannotApplyError("the fix changes what is around it")
    return found[-1]


def _indented(text: str, start: int, line: str, flow: bool) -> str:
    first, *rest = line.split("\n")
    if not rest:
        return line
    if flow:
        raise CannotApplyError("lines of a block between braces")
    column = start - (text.rfind("\n", 0, start) + 1)
    return "\n".join([first, *(" " * column + each for each in rest)])


def _end(text: str, node: Any) -> int:
    """The offset after a node; block collections end after the comments and spaces that follow them."""
    if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
        return int(node.end_mark.index)
    if not isinstance(node, yaml.ScalarNode) and node.flow_style:
        return int(node.end_mark.index)
    return len(text[: node.end_mark.index].rstrip())


def _over(text: str, node: Any, new: str) -> str:
    return _replaced(text, node.start_mark.index, _end(text, node), new)


def _replaced(text: str, start: int, end: int, new: str) -> str:
    gap = " " if start == end and text[start - 1] == ":" else ""
    return text[:start] + gap + new + text[end:]


def _fitting(fix: str, node: Any, text: str) -> str:
    return _indented(text, node.start_mark.index, fix, bool(getattr(node, "flow_style", False)))


def _mended_line(text: str, at: int, fix: str) -> str:
    """The text of a file that no parser reads: the fix takes the place of a whole line, of its entry, or of a value."""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    end = len(text) if end < 0 else end
    line = text[start:end]
    if fix.startswith(" ") or text[at] == "\t":
        return text[:start] + fix + text[end:]
    if fix in ("]", "}"):
        return text[:at] + fix + text[at + 1 :]
    if _ENTRY.match(fix) or "\n" in fix:
        indent = re.match(r"[ -]*", line)
        first = start + (indent.end() if indent else 0)
        pad = " " * (first - start)
        return text[:first] + fix.replace("\n", f"\n{pad}") + text[end:]
    value = re.compile(r"[^,\]}\n]*" if any(bracket in line[: at - start] for bracket in "[{") else r"[^\n]*")
    match = value.match(text, at)
    return text[:at] + fix + text[match.end() if match else at :]
