"""What expressions of Terraform refer to, as far as it is written beside them: locals, variables, and files.

A resource yields what it writes. What else it yields is unknown, and so is what a data source or a module of a registry
yields.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.objects.document import items
from pulumi_gke_tpu.core.resources.hcl import HclBlock, HclValue
from pulumi_gke_tpu.core.resources.hcl_evaluation import Evaluation, Names, below, pairs
from pulumi_gke_tpu.core.resources.hcl_expressions import HclCall, HclReference
from pulumi_gke_tpu.core.resources.hcl_functions import HclRefusedError, as_set, is_unknown
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_DEEPEST_NAMES = 30
_MOST_ITEMS = 100
_MOST_REPEATED = 5_000
"""The most resources and blocks that the files of a folder repeat."""
_LARGEST = 10_000
"""The most values in a name."""
_STEPS = 20_000
"""The steps that evaluation may take, beside ten for each character of the files."""
_REPEATING = frozenset({"count", "for_each"})
_LOCAL_NAME = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]*")
VALUES = ".tfvars"
VALUES_IN_JSON = ".tfvars.json"
_LOADED = (".auto.tfvars", "terraform.tfvars")


def folder_of(file: str) -> str:
    """The folder of a file, whose files are one module."""
    return posixpath.dirname(file.replace("\\", "/"))


def google_provider(written: str, required: Mapping[str, Any]) -> str:
    """``google`` or ``google-beta`` for a reference such as ``google-beta.east``; empty for any other provider."""
    name = _LOCAL_NAME.search(written)
    if name is None:
        return ""
    known = required.get(name[0])
    source = known.get("source", name[0]) if isinstance(known, dict) else name[0]
    own = source.rpartition("/")[2] if isinstance(source, str) else ""
    return own if own in ("google", "google-beta") else ""


class HclScope:
    """The names that the files of one folder declare.

    ``decoded`` reads another file of data at a path; unknown if there is none.
    """

    def __init__(self, folder: str = "", decoded: Callable[[str], Any] = lambda _: UNKNOWN) -> None:
        self._folder = folder
        self._decoded = decoded
        self._locals: dict[str, Any] = {}
        self._variables: dict[str, Any] = {}
        self._types: dict[str, Any] = {}
        self._given: dict[str, Any] = {}
        """Variables that a file of values or a caller sets; unknown where it is not certain that it does."""
        self._known: dict[tuple[str, str], Any] = {}
        self._resources: dict[tuple[str | int, ...], HclBlock | None] = {}
        """Type and name -> the block; None of several."""
        self._providers: dict[str, Any] = {}
        """Local name of a provider -> what ``required_providers`` says of it."""
        self.gets_providers = False
        """Whether a caller gives the module its providers."""
        self._left = _MOST_REPEATED
        self._nested = 0
        self._size = 0
        self.evaluation = Evaluation(self._referred, decoded, _STEPS)

    def called_with(self, values: Mapping[str, Any], *, providers: bool) -> "HclScope":
        """The names of the folder as a module that gets these variables, and its providers or not."""
        found = HclScope(self._folder, self._decoded)
        found._locals, found._variables, found._types = self._locals, self._variables, self._types
        found._given, found._providers, found.gets_providers = dict(values), self._providers, providers
        found._resources = self._resources
        found.evaluation.steps += 10 * self._size
        return found

    def add(self, file: str, root: HclBlock, size: int) -> None:
        """Add what a file declares, or the values in a file of variables."""
        self._size += size
        self.evaluation.steps += 10 * size
        if file.endswith(VALUES):
            self.give_file(file, {name: each.value for name, each in root.attributes.items()})
            return
        for block in root.blocks:
            if block.type == "locals":
                for name, each in block.attributes.items():
                    _declare(self._locals, name, each.value)
            elif block.type == "variable" and block.labels:
                if "default" in block.attributes:
                    _declare(self._variables, block.labels[0], block.attributes["default"].value)
                if "type" in block.attributes:
                    self._types.setdefault(block.labels[0], block.attributes["type"].value)
            elif block.type == "resource":
                self._resources[block.labels] = None if block.labels in self._resources else block
            elif block.type == "terraform":
                required = (inner for inner in block.blocks if inner.type == "required_providers")
                self._providers |= {name: each.value for inner in required for name, each in inner.attributes.items()}

    def google_provider(self, written: str) -> str:
        """``google`` or ``google-beta`` for the provider that a resource names; empty if that is not known."""
        return "" if self.gets_providers else google_provider(written, self._providers)

    def give_file(self, file: str, values: Mapping[str, Any]) -> None:
        """Set variables to the values of a file, if Terraform loads it of its own accord."""
        loaded = file.removesuffix(".json").endswith(_LOADED)
        self.give({name: value if loaded else UNKNOWN for name, value in values.items()})

    def give(self, values: Mapping[str, Any]) -> None:
        """Set variables."""
        for name, value in values.items():
            _declare(self._given, name, value)

    def value(self, written: Any, names: Names) -> Any:
        """A value of a file with what its expressions refer to. ``names`` are those of an instance: ``each``."""
        return self.evaluation.value(written, names)

    def _referred(self, steps: tuple[str | int, ...], names: Names) -> Any:
        first, *rest = steps
        if first in names:
            found = names[str(first)]
        elif rest and first in ("local", "var"):
            found = self._declared(str(first), str(rest.pop(0)))
        elif steps == ("path", "module"):
            return self._folder or "."
        elif self._resources.get(steps[:2]) is not None:
            return self._written(steps)
        else:
            return UNKNOWN
        for step in rest:
            found = below(found, step)
        return found

    def _written(self, steps: tuple[str | int, ...]) -> Any:
        """What a resource writes at a path; unknown if the provider may compute it, or for one of several instances."""
        kind, name, *rest = steps
        block = self._resources[kind, name]
        if block is None or _REPEATING & block.attributes.keys():
            return UNKNOWN
        known = (str(kind), str(name))
        if known not in self._known:
            self._known[known] = UNKNOWN  # while it is worked out, for resources that refer to each other
            self._nested += 1
            found = self.data(block, {}) if self._nested <= _DEEPEST_NAMES else UNKNOWN
            self._nested -= 1
            self._known[known] = found if _size(found, _LARGEST) < _LARGEST else UNKNOWN
        found = self._known[known]
        try:
            for step in rest:
                found = below(found, step)
        except HclRefusedError:
            return UNKNOWN
        return UNKNOWN if found is None else found

    def _declared(self, kind: str, name: str) -> Any:
        """A local or a variable, which is worked out once; unknown if it refers to itself, or is too large."""
        if (kind, name) not in self._known:
            self._known[kind, name] = UNKNOWN
            default = self._variables.get(name, UNKNOWN)
            written = self._locals.get(name, UNKNOWN) if kind == "local" else self._given.get(name, default)
            self._nested += 1
            found = self.value(written, {}) if self._nested <= _DEEPEST_NAMES else UNKNOWN
            self._nested -= 1
            if kind == "var" and name in self._types:
                found = _typed(found, self._types[name])
            self._known[kind, name] = found if _size(found, _LARGEST) < _LARGEST else UNKNOWN
        return self._known[kind, name]

    def instances(self, block: HclBlock) -> "Iterable[tuple[str, Names]]":
        """The suffix of the address of each instance of a resource or a module, and its names."""
        count = block.attributes.get("count")
        if count is not None:
            number = self.value(count.value, {})
            if not isinstance(number, int) or number > min(_MOST_ITEMS, self._left):
                return [("", {})]
            self._left -= number
            return [(f"[{index}]", {"count": {"index": index}}) for index in range(number)]
        each = block.attributes.get("for_each")
        found = self._items(each, {})
        if found is None:
            return [("", {})]
        return [(f'["{key}"]', {"each": {"key": key, "value": value}}) for key, value in found]

    def _items(self, each: HclValue | None, names: Names) -> list[tuple[Any, Any]] | None:
        """The keys and values over which ``for_each`` repeats a block; None if they are not known."""
        value = self.value(each.value, names) if each is not None else None
        if not isinstance(value, dict | list) or len(value) > min(_MOST_ITEMS, self._left):
            return None
        self._left -= len(value)
        return [*pairs(value)]

    def data(self, block: HclBlock, names: Names) -> dict[str, Any]:
        """The attributes, and the blocks as lists, as a plan has them; a dynamic block whose items are not known is."""
        found = {name: self.value(each.value, names) for name, each in block.attributes.items()}
        for inner in block.blocks:
            if inner.type == "dynamic":
                name = inner.labels[0] if inner.labels else ""
                made, before = self._dynamic(inner, name, names), found.get(name, [])
                found[name] = [*before, *made] if made is not None and isinstance(before, list) else UNKNOWN
            elif isinstance(found.get(inner.type, []), list):
                found.setdefault(inner.type, []).append(self.data(inner, names))
        return found

    def in_each_case(self, block: HclBlock, names: Names) -> Iterator[dict[str, Any]]:
        """The same as ``data`` if the only test that is not known holds, and if not; nothing for other blocks."""
        self.evaluation.undecided.clear()
        self.data(block, names)
        for assumed in (True, False) if len(self.evaluation.undecided) == 1 else ():
            self.evaluation.assumed = assumed
            yield self.data(block, names)
            self.evaluation.assumed = None

    def _dynamic(self, block: HclBlock, name: str, names: Names) -> list[Any] | None:
        each, iterator = block.attributes.get("for_each"), block.attributes.get("iterator")
        if iterator is not None and isinstance(iterator.value, HclReference):
            name = str(iterator.value.steps[0])
        content = next((inner for inner in block.blocks if inner.type == "content"), None)
        items = self._items(each, names)
        if content is None or items is None:
            return None
        return [self.data(content, {**names, name: {"key": key, "value": value}}) for key, value in items]


def _declare(names: dict[str, Any], name: str, value: Any) -> None:
    """Set a name, which is unknown if it is set twice: the files of several configurations can be in one folder."""
    names[name] = value if names.get(name, value) == value else UNKNOWN


def _typed(value: Any, kind: Any) -> Any:
    """A value of a variable with what its type adds: attributes that may be missing, and sets."""
    if isinstance(kind, HclCall) and kind.arguments:
        inner = kind.arguments[0]
        if kind.name == "optional":
            return _typed(value, inner)
        if kind.name == "map" and isinstance(value, dict):
            return {key: _typed(item, inner) for key, item in value.items()}
        if isinstance(value, list):
            items = [_typed(item, inner) for item in value]
            return as_set(items) if kind.name == "set" and not is_unknown(items) else items
        if isinstance(value, dict) and isinstance(inner, dict):
            usual = {name: _usual(each) for name, each in inner.items()}
            return usual | {name: _typed(item, inner.get(name)) for name, item in value.items()}
    return value


def _usual(kind: Any) -> Any:
    """What an attribute of an object has that nothing sets."""
    if not isinstance(kind, HclCall) or kind.name != "optional":
        return UNKNOWN
    usual = kind.arguments[1] if len(kind.arguments) > 1 else None
    return usual if isinstance(usual, str | int | float | list | dict) or usual is None else UNKNOWN


def _size(value: Any, most: int) -> int:
    """The number of values in a value, at most ``most``."""
    found = 1
    for item in value.values() if isinstance(value, dict) else items(value):
        if found >= most:
            break
        found += _size(item, most - found)
    return found
