"""Node pools that are one slice group: equal ones whose names follow the pattern, or share a beginning."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_NUMBERED = lazy_pattern(r"(.*?)-(0|[1-9]\d{0,6})\Z")


class Groupable(Protocol):
    """A node pool with the keys of a group that has it alone."""

    @property
    def name(self) -> str:
        """Its name in GKE."""

    @property
    def multi_host(self) -> bool:
        """Whether the node pool is one slice of several hosts."""

    @property
    def adopted(self) -> dict[str, Any]:
        """The keys of what only the node pool of another tool has."""

    def group(self) -> dict[str, Any]:
        """The keys of the group, without those of its name."""


Pool = TypeVar("Pool", bound=Groupable)


@frozen(eq=False)
class AdoptedGroup(Generic[Pool]):
    """A slice group of a plan."""

    key: str
    keys: dict[str, Any]
    members: tuple[Pool, ...]


def grouped(pools: Iterable[Pool]) -> tuple[AdoptedGroup[Pool], ...]:
    """The groups of the node pools of one cluster, with unique keys."""
    found: dict[tuple[str, str], list[Pool]] = {}
    for pool in pools:
        match = _NUMBERED.match(pool.name) if pool.multi_host else None
        base = match[1] if match and match[1] else pool.name
        found.setdefault((base, json.dumps(pool.group(), sort_keys=True, default=repr)), []).append(pool)
    taken: set[str] = set()
    return tuple(_group(base, members, taken) for (base, _), members in found.items())


def _group(base: str, members: list[Pool], taken: set[str]) -> AdoptedGroup[Pool]:
    key = base if base not in taken else members[0].name
    taken.add(key)
    first = members[0]
    keys = first.group()
    if not first.multi_host:
        return AdoptedGroup(key, {**_named(key, first.name), **keys}, tuple(members))
    indices = sorted(_indices(base, members))
    if len(indices) < len(members):  # a name without a number
        adopted = {"pools": [member.name for member in members], **first.adopted}
        return AdoptedGroup(key, {**keys, **_number(keys, len(members)), "adopted": adopted}, tuple(members))
    members = sorted(members, key=lambda member: int(member.name.rpartition("-")[2]))
    if indices == list(range(len(indices))):
        number = _number(keys, len(indices)) if "max" in keys else {"count": len(indices)} if len(indices) > 1 else {}
        return AdoptedGroup(key, {**_named(key, base), **_placed(keys, number)}, tuple(members))
    if "max" in keys:
        adopted = {"pools": [member.name for member in members], **first.adopted}
        return AdoptedGroup(key, {**keys, **_number(keys, len(members)), "adopted": adopted}, tuple(members))
    return AdoptedGroup(key, {**_named(key, base), **_placed(keys, {"indices": indices})}, tuple(members))


def _indices(base: str, members: Iterable[Pool]) -> Iterator[int]:
    for member in members:
        number = member.name.removeprefix(f"{base}-")
        if number != member.name and number.isdecimal():
            yield int(number)


def _named(key: str, name: str) -> dict[str, Any]:
    return {"name": name} if key != name else {}


def _number(keys: dict[str, Any], number: int) -> dict[str, Any]:
    return {"max": number} if "max" in keys else {}


def _placed(keys: dict[str, Any], number: dict[str, Any]) -> dict[str, Any]:
    """The keys with the number of slices behind the topology."""
    placed: dict[str, Any] = {}
    for name, value in keys.items():
        placed[name] = value
        if name == "topology":
            placed |= {other: value for other, value in number.items() if other not in keys}
    return {**placed, **number}
