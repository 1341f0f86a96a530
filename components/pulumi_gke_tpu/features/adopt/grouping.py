"""Node pools that are one slice group: equal ones whose names follow the pattern, or share a beginning."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.adopt.inversion import Inverted

_NUMBERED = lazy_pattern(r"(.*?)-(0|[1-9]\d{0,6})\Z")


@frozen(eq=False)
class AdoptedGroup:
    """A slice group of a plan."""

    key: str
    keys: dict[str, Any]
    members: tuple[Inverted, ...]


def grouped(pools: Iterable[Inverted]) -> tuple[AdoptedGroup, ...]:
    """The groups of the node pools of one cluster, with unique keys."""
    found: dict[tuple[str, str], list[Inverted]] = {}
    for pool in pools:
        match = _NUMBERED.match(pool.live.name) if pool.multi_host else None
        base = match[1] if match and match[1] else pool.live.name
        found.setdefault((base, json.dumps(pool.group(), sort_keys=True, default=repr)), []).append(pool)
    taken: set[str] = set()
    return tuple(_group(base, members, taken) for (base, _), members in found.items())


def _group(base: str, members: list[Inverted], taken: set[str]) -> AdoptedGroup:
    key = base if base not in taken else members[0].live.name
    taken.add(key)
    first = members[0]
    keys = first.group()
    if not first.multi_host:
        return AdoptedGroup(key, {**_named(key, first.live.name), **keys}, tuple(members))
    indices = sorted(_indices(base, members))
    if len(indices) < len(members):  # a name without a number
        adopted = {"pools": [member.live.name for member in members], **first.adopted}
        return AdoptedGroup(key, {**keys, **_number(keys, len(members)), "adopted": adopted}, tuple(members))
    members = sorted(members, key=lambda member: int(member.live.name.rpartition("-")[2]))
    if indices == list(range(len(indices))):
        number = _number(keys, len(indices)) if "max" in keys else {"count": len(indices)} if len(indices) > 1 else {}
        return AdoptedGroup(key, {**_named(key, base), **_placed(keys, number)}, tuple(members))
    if "max" in keys:
        adopted = {"pools": [member.live.name for member in members], **first.adopted}
        return AdoptedGroup(key, {**keys, **_number(keys, len(members)), "adopted": adopted}, tuple(members))
    return AdoptedGroup(key, {**_named(key, base), **_placed(keys, {"indices": indices})}, tuple(members))


def _indices(base: str, members: Iterable[Inverted]) -> Iterator[int]:
    for member in members:
        number = member.live.name.removeprefix(f"{base}-")
        if number != member.live.name and number.isdecimal():
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
