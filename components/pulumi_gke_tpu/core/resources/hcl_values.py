"""What expressions of Terraform refer to, as far as it is written beside them: locals, and defaults of variables.

Functions and operators are not evaluated: what they yield is unknown, and so is what a module or a resource yields.
"""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclReference, HclTemplate, HclValue
from pulumi_gke_tpu.core.resources.values import UNKNOWN

_DEEPEST, _DEEPEST_NAMES = 20, 30
_MOST_ITEMS = 100
_MOST_REPEATED = 5_000
"""The most resources and blocks that the files of a folder repeat."""
_LARGEST, _LONGEST = 10_000, 10_000
"""The most values in a name, and the longest text."""
_VALUES = ".tfvars"
_LOADED = (".auto.tfvars", "terraform.tfvars")


def folder_of(file: str) -> str:
    """The folder of a file, whose files are one module."""
    return posixpath.dirname(file.replace("\\", "/"))


class HclScope:
    """The names that the files of one folder declare."""

    def __init__(self) -> None:
        self._locals: dict[str, Any] = {}
        self._variables: dict[str, Any] = {}
        self._given: dict[str, Any] = {}
        """Variables that a file of values or a caller sets; unknown where it is not certain that it does."""
        self._known: dict[tuple[str, str], Any] = {}
        self._left = _MOST_REPEATED
        self._nested = 0

    def add(self, file: str, root: HclBlock) -> None:
        """Add what a file declares, or the values in a file of variables."""
        if file.endswith(_VALUES):
            loaded = file.endswith(_LOADED)
            self.give({name: each.value if loaded else UNKNOWN for name, each in root.attributes.items()})
            return
        for block in root.blocks:
            if block.type == "locals":
                for name, each in block.attributes.items():
                    _declare(self._locals, name, each.value)
            elif block.type == "variable" and block.labels and "default" in block.attributes:
                _declare(self._variables, block.labels[0], block.attributes["default"].value)

    def give(self, values: Mapping[str, Any]) -> None:
        """Set variables."""
        for name, value in values.items():
            _declare(self._given, name, value)

    def value(self, written: Any, names: Mapping[str, Any], depth: int = 0) -> Any:
        """A value of a file with what its expressions refer to. ``names`` are those of an instance: ``each``."""
        if depth > _DEEPEST:
            return UNKNOWN
        if isinstance(written, HclReference):
            return self._referred(written.steps, names)
        if isinstance(written, HclTemplate):
            return _filled([self.value(part, names, depth + 1) for part in written.parts])
        if isinstance(written, list):
            return [self.value(item, names, depth + 1) for item in written]
        if isinstance(written, dict):
            return {key: self.value(item, names, depth + 1) for key, item in written.items()}
        return written

    def _referred(self, steps: tuple[str | int, ...], names: Mapping[str, Any]) -> Any:
        first, *rest = steps
        if first in names:
            found = names[str(first)]
        elif rest and first in ("local", "var"):
            found = self._declared(str(first), str(rest.pop(0)))
        else:
            return UNKNOWN
        for step in rest:
            inside = found.get(step, UNKNOWN) if isinstance(found, dict) else UNKNOWN
            if isinstance(found, list) and isinstance(step, int) and step < len(found):
                inside = found[step]
            found = inside
        return found

    def _declared(self, kind: str, name: str) -> Any:
        """A local or a variable, which is worked out once; unknown if it refers to itself, or is too large."""
        if (kind, name) not in self._known:
            self._known[kind, name] = UNKNOWN
            default = self._variables.get(name, UNKNOWN)
            written = self._locals.get(name, UNKNOWN) if kind == "local" else self._given.get(name, default)
            self._nested += 1
            found = self.value(written, {}) if self._nested <= _DEEPEST_NAMES else UNKNOWN
            self._nested -= 1
            self._known[kind, name] = found if _size(found, _LARGEST) < _LARGEST else UNKNOWN
        return self._known[kind, name]

    def instances(self, block: HclBlock) -> "Iterable[tuple[str, Mapping[str, Any]]]":
        """The suffix of the address of each instance of a resource, and its names. Without ``for_each``, one."""
        each = block.attributes.get("for_each")
        found = self._items(each, {})
        if found is None:
            return [("", {})]
        return [(f'["{key}"]', {"each": {"key": key, "value": value}}) for key, value in found]

    def _items(self, each: HclValue | None, names: Mapping[str, Any]) -> list[tuple[Any, Any]] | None:
        """The keys and values over which ``for_each`` repeats a block; None if they are not known."""
        value = self.value(each.value, names) if each is not None else None
        if not isinstance(value, dict | list) or len(value) > min(_MOST_ITEMS, self._left):
            return None
        self._left -= len(value)
        return [*value.items()] if isinstance(value, dict) else [*enumerate(value)]

    def data(self, block: HclBlock, names: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes, and the blocks as lists, as a plan has them; a dynamic block whose items are not known is."""
        found = {name: self.value(each.value, names) for name, each in block.attributes.items()}
        for inner in block.blocks:
            if inner.type == "dynamic":
                name = inner.labels[0] if inner.labels else ""
                made = self._dynamic(inner, name, names)
                found[name] = UNKNOWN if made is None else [*found[name], *made] if name in found else made
            elif isinstance(found.get(inner.type, []), list):
                found.setdefault(inner.type, []).append(self.data(inner, names))
        return found

    def _dynamic(self, block: HclBlock, name: str, names: Mapping[str, Any]) -> list[Any] | None:
        each, iterator = block.attributes.get("for_each"), block.attributes.get("iterator")
        content = next((inner for inner in block.blocks if inner.type == "content"), None)
        items = self._items(each, names)
        if content is None or items is None or iterator is not None:
            return None
        return [self.data(content, {**names, name: {"key": key, "value": value}}) for key, value in items]


def _declare(names: dict[str, Any], name: str, value: Any) -> None:
    """Set a name, which is unknown if it is set twice: the files of several configurations can be in one folder."""
    names[name] = value if names.get(name, value) == value else UNKNOWN


def _filled(parts: list[Any]) -> Any:
    """The text of a template; unknown if a part is."""
    if not all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
        return UNKNOWN
    text = "".join(map(str, parts))
    return text if len(text) <= _LONGEST else UNKNOWN


def _size(value: Any, most: int) -> int:
    """The number of values in a value, at most ``most``."""
    found = 1
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if found >= most:
            break
        found += _size(item, most - found)
    return found
