"""The keys of one part of a plan, read from the properties of a resource, with the property of each."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_origin

from pulumi_gke_tpu.core.graph.differences import says_something
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.copied import CopiedKey, copied_keys
from pulumi_gke_tpu.core.resources.values import UNKNOWN, NotKnownError, Values, steps_of
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.property_path import set_value

Keys = tuple[str | int, ...]
"""The path of a key below its part."""

_OLDER = {"nodeConfig.bootDisk.diskType": "nodeConfig.diskType", "nodeConfig.bootDisk.sizeGb": "nodeConfig.diskSizeGb"}
"""Properties that another one of the same meaning replaced."""


@dataclass(eq=False)
class Part:
    """The keys of a cluster, slice group or CPU pool, which grow while its properties are read."""

    values: Values
    keys: dict[str, Any] = field(default_factory=dict)
    properties: dict[Keys, str] = field(default_factory=dict)
    """Key -> the property that has its value."""
    inside: dict[Keys, Path] = field(default_factory=dict)
    """Key -> where its value is inside the property, if that is not the rest of the key."""
    elsewhere: dict[Keys, Any] = field(default_factory=dict)
    """Key -> the resource that has its value, if that is not the described one."""
    unknown: set[str] = field(default_factory=set)
    """The keys whose value the source does not know, dotted."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What a plan says only of what it takes over: keys below ``adopted``, and values that GKE and the provider set
    where a program sets nothing."""
    reason: str = ""
    """Why no keys say all of it, as a clause; empty if they may."""

    def set(self, key: str, value: Any, source: str) -> None:
        """Set the key of a dotted path to the value of a property. Without a value it is left out."""
        self._set(self.keys, key, value, source)

    def keep(self, key: str, source: str, get: Callable[[], Any]) -> None:
        """The same for what only a plan says that takes the resource over. What is not known is left out."""
        try:
            self._set(self.kept, key, get(), source)
        except NotKnownError:
            return

    def _set(self, holder: dict[str, Any], key: str, value: Any, source: str) -> None:
        if value is None or (not value and isinstance(value, str | dict | list)):
            return
        steps = steps_of(key)
        set_value(holder, steps, value)
        self.properties[steps] = source

    def origin(self, keys: Keys) -> tuple[Keys, str]:
        """The key, or the innermost one around it, with its property; empty if it has none."""
        around = (keys[:end] for end in range(len(keys), 0, -1))
        return next(((each, self.properties[each]) for each in around if self.properties.get(each)), ((), ""))

    def read(self, key: str, source: str, get: Callable[[], Any] | None = None) -> Any:
        """Set a key to what ``get`` reads of a property, or to the property itself; None if it is not known."""
        try:
            value = self.values.get(source) if get is None else get()
        except NotKnownError:
            self.unknown.add(key)
            return None
        self.set(key, value, source)
        return value

    def note(self, key: str, source: str) -> None:
        """Where the value of a key comes from, or would come from."""
        self.properties[steps_of(key)] = source

    def copied(self, model: type[PlanModel], *left_out: str) -> None:
        """Read every key of a model that is copied from a property, except those below some keys."""
        blocks: dict[str, Any] = {}
        for item, block, name in _copied_keys(model, left_out):
            if block not in blocks:
                blocks[block] = self._block(block)
            holder, source = blocks[block], item.path
            value = holder.get(name) if isinstance(holder, dict) else holder
            older = _OLDER.get(source, "")
            if older and value is not UNKNOWN and not says_something(value):
                before = self.values.unless_known(older)
                value, source = (before, older) if before is UNKNOWN or says_something(before) else (value, source)
            if value is UNKNOWN:
                self.unknown.add(item.key)
            elif value is not None and (word := _word(item, value)) is not None:
                self.set(item.key, word, source)

    def _block(self, path: str) -> Any:
        """The mapping around properties; None if there is none, ``UNKNOWN`` if it is not known."""
        block = self.values.unless_known(path) if path else self.values.data
        return block if block is UNKNOWN or isinstance(block, dict) else None


@functools.cache
def _copied_keys(model: type[PlanModel], left_out: tuple[str, ...]) -> tuple[tuple[CopiedKey, str, str], ...]:
    """Each copied key with the block of its property and the name in it."""
    items = (item for item in copied_keys(model) if item.names[0] not in left_out)
    return tuple((item, *item.path.rpartition(".")[::2]) for item in items)


def _word(item: CopiedKey, value: Any) -> Any:
    """The value of a key as the plan has it; None if there is none, or if no word says it."""
    if item.values is not None:
        return next((word for word, other in item.values.items() if other == value), None)
    if item.type is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool):
        return value if item.type is bool else None
    if not value:
        return None  # GKE and the provider report what is not set as zero, or as empty
    if get_origin(item.type) is Literal:
        return value if value in get_args(item.type) else None
    return value if _has_type(item, value) else None


def _has_type(item: CopiedKey, value: Any) -> bool:
    if isinstance(value, dict):
        return get_origin(item.type) is dict and all(isinstance(each, str) for each in value.values())
    if isinstance(value, list):
        return get_origin(item.type) is list and all(isinstance(each, str) for each in value)
    return item.type is not bool and isinstance(value, int if item.type is int else str)


def account_of(values: Values, path: str) -> str:
    """The service account of nodes; empty for the default account."""
    account = values.text(path)
    return "" if account == "default" else account


def entries(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """The mappings in a list with their positions; none of any other value.

    Raises:
        NotKnownError: one of them is not known.
    """
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if item is UNKNOWN:
            raise NotKnownError
        if isinstance(item, dict):
            yield index, item


def strings(value: Any) -> dict[str, Any]:
    """The entries of a map whose values are text or not known yet."""
    items = value.items() if isinstance(value, dict) else ()
    return {key: item for key, item in items if isinstance(item, str) or item is UNKNOWN}
