"""Compares the inputs of a program with the state, as the real provider does: the differences and their effects."""

import ipaddress
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from support.gcp_standin.api import COMPUTE
from support.gcp_standin.knowledge import POOL, Kind
from support.gcp_standin.outputs import is_always_there, is_null
from support.gcp_standin.planned import planned
from support.provider_protocol.wire import Step, Unknown, format_path, has_unknown

META = "__meta"
"""Where the provider puts a replacement that no single property asks for."""
UNREAD = (("nodeConfig", "resourceManagerTags"), ("nodeConfig", "linuxNodeConfig", "sysctls"))
"""Maps that a difference of a pool names as long as the pool was not read since its creation; alone they are none."""
_NAMES_OF_NETWORKS = re.compile(r"(^|\.)(network|subnetwork|privateEndpointSubnetwork)$")


@dataclass(frozen=True)
class Difference:
    """One property that differs. ``path`` as the engine writes it, ``replaces`` if it takes a new resource."""

    steps: tuple[Step, ...]
    how: Literal["add", "update", "delete"]
    replaces: bool = False

    @property
    def path(self) -> str:
        return format_path(self.steps)

    @property
    def plain_path(self) -> str:
        """The names only, without list indices."""
        return ".".join(step for step in self.steps if isinstance(step, str))


def differences(
    kind: Kind, state: dict[str, Any], inputs: dict[str, Any], ignored: tuple[str, ...]
) -> list[Difference]:
    """Every difference between the state and filled inputs, in the order of their paths."""
    if inputs.get("enableAutopilot"):
        ignored += tuple(path for path, change in kind.properties.items() if change.ignored_on_autopilot)
    found = [*_inside(kind, (), state, planned(kind, inputs, state)), *_cleared(kind, state, inputs)]
    found = [item for item in found if not _is_ignored(item, ignored)]
    found = [_with_state(kind, item, state, inputs) for item in found]
    found += _without_a_property(kind, found, state, inputs)
    if found and kind.token == POOL:
        found += [Difference(steps, "add") for steps in _unread(state) if value_at(inputs, steps) is None]
    if any(item.replaces for item in found):
        found = [_with_its_block(kind, item) for item in found]
    return sorted(found, key=lambda item: item.path)


def _is_ignored(item: Difference, ignored: tuple[str, ...]) -> bool:
    return any(item.path == path or item.path.startswith((f"{path}.", f"{path}[")) for path in ignored)


def _unread(state: dict[str, Any]) -> Iterator[tuple[Step, ...]]:
    for steps in UNREAD:
        if isinstance(value_at(state, steps[:-1]), dict) and value_at(state, steps) is None:
            yield steps


def _cleared(kind: Kind, state: dict[str, Any], inputs: dict[str, Any]) -> Iterator[Difference]:
    """Computed properties that the provider removes, unless a property beside them stays what it is."""
    for steps, beside in kind.cleared:
        was = value_at(state, beside)
        stays = was and (value_at(inputs, beside) == was or value_at(inputs, beside[:-1]) is None)
        if not stays and not _is_empty(value_at(state, steps)) and value_at(inputs, steps) is None:
            yield Difference(steps, "delete")


def _inside(kind: Kind, steps: tuple[Step, ...], old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    for name in sorted({*old, *new}):
        yield from _property(kind, (*steps, name), old.get(name), new.get(name))


def _property(kind: Kind, steps: tuple[Step, ...], old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(new, Unknown):
        yield Difference(steps, "update" if old is not None else "add")
    elif new is None:
        yield from _left_out(kind, steps, old)
    elif isinstance(new, dict):
        yield from _block_or_map(kind, steps, old, new)
    elif isinstance(new, list):
        yield from _list(kind, steps, old or [], new)
    elif not _equal(steps, old, new):
        yield Difference(steps, "add" if old is None and _stays_absent(kind, steps) else "update")


def _stays_absent(kind: Kind, steps: tuple[Step, ...]) -> bool:
    """Whether a scalar that was not sent is absent in the state: a key of a map is, most properties read as empty."""
    in_map = len(steps) > 1 and not isinstance(steps[-2], int) and not kind.is_block(format_path(steps[:-1]))
    return in_map or format_path(steps) in kind.unset or is_null(kind, ".".join(map(str, steps)))


def _left_out(kind: Kind, steps: tuple[Step, ...], old: Any) -> Iterator[Difference]:
    """Only what the program once set can go: outputs, computed values and empty ones stay as they are."""
    path = format_path(steps)
    change = kind.change(path)
    plain = ".".join(step for step in steps if isinstance(step, str))
    if change is None and len(steps) > 1 and steps[0] in kind.follows:
        yield Difference(steps, "delete")
    if change is None or change.computed or old == change.reported or not _is_settable(kind, steps):
        return
    if _is_empty(old) and not (isinstance(old, dict) and kind.is_block(plain) and not is_always_there(kind, plain)):
        return
    if isinstance(steps[-1], str) and steps[-1].startswith("goog-gke"):
        return
    if isinstance(old, dict) and (change.type == "map" or plain in _only_reported(kind)):
        inside = [item for key in sorted(old) for item in _left_out(kind, (*steps, key), old[key])]
        if change.type == "map":
            yield from inside
        elif inside:
            yield Difference(steps, "delete")
        return
    yield Difference(steps, "delete")


def _is_settable(kind: Kind, steps: tuple[Step, ...]) -> bool:
    """Whether a program can set it: a property, or a key of a map; not an output inside of a block."""
    plain, around = (".".join(step for step in part if isinstance(step, str)) for part in (steps, steps[:-1]))
    return plain in kind.properties or (around in kind.properties and not kind.is_block(around))


def _is_empty(value: Any) -> bool:
    """Whether a value says nothing, or a block says nothing inside; the block itself is there even so."""
    if isinstance(value, dict | list):
        return all(map(_is_empty, value.values() if isinstance(value, dict) else value))
    return not value


def _only_reported(kind: Kind) -> set[str]:
    """Blocks that the API always reports, whether the program has them or not."""
    found: set[str] = set()

    def walk(prefix: str, block: dict[str, Any]) -> None:
        for name, value in block.items():
            if isinstance(value, dict):
                found.add(prefix + name)
                walk(f"{prefix}{name}.", value)

    walk("", kind.reported)
    return found


def _block_or_map(kind: Kind, steps: tuple[Step, ...], old: Any, new: dict[str, Any]) -> Iterator[Difference]:
    if isinstance(old, dict):
        yield from _inside(kind, steps, old, new)
    elif new:
        yield Difference(steps, "add")


def _list(kind: Kind, steps: tuple[Step, ...], old: list[Any], new: list[Any]) -> Iterator[Difference]:
    if not old or not new:
        if old != new:
            yield Difference(steps, "add" if new else "delete")
        return
    if format_path(steps) in kind.sets and not has_unknown(new):
        yield from _unordered(kind, steps, old, new)
        return
    for index in range(max(len(old), len(new))):
        if index >= len(new):
            yield Difference((*steps, index), "delete")
        elif index >= len(old):
            yield Difference((*steps, index), "add")
        else:
            yield from _property(kind, (*steps, index), old[index], new[index])


def _unordered(kind: Kind, steps: tuple[Step, ...], old: list[Any], new: list[Any]) -> Iterator[Difference]:
    """Items that only one side has, by their positions there; the provider does not find new items that hold blocks."""
    before, after = [_canonical(item) for item in old], [_canonical(item) for item in new]
    removed = {index for index, item in enumerate(before) if item not in after}
    added = {index for index, item in enumerate(after) if item not in before}
    if added and kind.holds_blocks(format_path(steps)):
        yield Difference(steps, "update")
        return
    for index in sorted(removed | added):
        if index in removed & added:
            yield from _property(kind, (*steps, index), old[index], new[index])
        else:
            yield Difference((*steps, index), "delete" if index in removed else "add")


def _canonical(value: Any) -> str:
    return json.dumps(_without_empty(value), sort_keys=True)


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_empty(item) for name, item in value.items() if not _is_empty(item)}
    return value


def _equal(steps: tuple[Step, ...], old: Any, new: Any) -> bool:
    """Absent equals false, zero and empty; a network is the same by name and by path."""
    if old == new or (not old and not new):
        return True
    if isinstance(old, str) and isinstance(new, str) and _NAMES_OF_NETWORKS.search(format_path(steps)):
        old, new = old.removeprefix(COMPUTE), new.removeprefix(COMPUTE)
        return old == new or (("/" not in old or "/" not in new) and old.rsplit("/", 1)[-1] == new.rsplit("/", 1)[-1])
    return False


def _with_state(kind: Kind, item: Difference, state: dict[str, Any], inputs: dict[str, Any]) -> Difference:
    change = kind.change(item.path)
    replaces = change is not None and change.change == "replace"
    replaces = replaces or (item.path in kind.whole and isinstance(value_at(inputs, item.steps), Unknown))
    if not replaces and item.how != "update" and kind.is_block(item.plain_path):
        block = value_at(inputs if item.how == "add" else state, item.steps)
        replaces = any(_replaces(kind, item.plain_path, inner) for inner in _names_inside(block))
    return replace(item, replaces=replaces)


def _replaces(kind: Kind, block: str, inner: str) -> bool:
    change = kind.change(f"{block}.{inner}")
    return change is not None and change.change == "replace"


def _names_inside(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _names_inside(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if inner is not None:
                yield name
            yield from (f"{name}.{below}" for below in _names_inside(inner))


def value_at(value: Any, steps: tuple[Step, ...]) -> Any:
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _with_its_block(kind: Kind, item: Difference) -> Difference:
    """Once something replaces, what differs beside it in a block that replaces as a whole is counted in as well."""
    change = kind.change(format_path(item.steps[:-1])) if len(item.steps) > 1 else None
    inside = change is not None and change.change == "replace" and not isinstance(item.steps[-1], int)
    return replace(item, replaces=item.replaces or inside)


def _without_a_property(
    kind: Kind, found: list[Difference], state: dict[str, Any], inputs: dict[str, Any]
) -> list[Difference]:
    """Replacements that depend on the direction of a change, and outputs that follow from what is planned."""
    extra = []
    for item in found:
        change = kind.change(item.path)
        rule = change.change if change else ""
        old, new = value_at(state, item.steps), value_at(inputs, item.steps)
        if (rule == "replace-off" and old and not new) or (rule == "replace-shrink" and _shrinks(old, new)):
            extra.append(Difference((META,), "update", replaces=True))
    return extra


def _shrinks(old: Any, new: Any) -> bool:
    if not (isinstance(old, str) and isinstance(new, str)):
        return False
    before, after = ipaddress.IPv4Network(old), ipaddress.IPv4Network(new)
    return not before.subnet_of(after)
