"""Where Pods with chips can end up: every placement that the scheduler could choose, not the one that it does choose.

The scheduler places one Pod after the other on any node that its filters allow; which Pod is next, and which of these
nodes it takes, is chance. ``placements`` follows every choice and says for each slice how it can end: whole in one node
pool, split over several, in part, or with no Pod bound. A slice is safe only if it ends whole in every case.

Filters: node selector, required node affinity, hard taints, resources of a node, and required Pod affinity and
anti-affinity by node pool with ``matchLabelKeys`` and ``mismatchLabelKeys``, also those of Pods that are bound already.
Simpler than the scheduler:

- A Pod takes all chips of its host. Pods without chips never compete with others: they are placed alone, by
  ``candidates``.
- Topology keys other than the node pool, and preferences, are unknown. Volumes, preemption and priorities are ignored.
- A topology of n hosts is followed as one of two hosts, if all slices and node pools that compete have a multiple of
  n / 2 Pods and hosts: it can be whole, in part or in two pieces as well.
- Node pools exist from the start and do not grow. Bound Pods stay.
- The search stops with an error beyond ``LIMIT`` states.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.control_plane.client import Object
from support.kubernetes_model.matching import NODE_POOL, REQUIRED, NodePool, hosts_for, matches
from support.kubernetes_model.units import Pods, Unit

LIMIT = 200_000
WHOLE, SPLIT, PARTIAL, PENDING = "whole", "split", "partial", "pending"
_State = tuple[tuple[int, ...], ...]
"""For each class of Pods: the Pods in each node pool."""


class TooManyStatesError(Exception):
    """More placements than the search follows."""


@dataclass(frozen=True)
class Placement:
    """How a slice can end."""

    ends: frozenset[str]
    pools: frozenset[str]
    """The node pools that its Pods can be in."""
    held_by: str
    """``one pod``, ``selector``, ``affinity``, ``only pool``, or ``luck``."""

    @property
    def safe(self) -> bool:
        """Whether the slice is whole in every case."""
        return self.ends == {WHOLE}


@dataclass(frozen=True)
class _Class:
    """Equal Pods of one unit, with the pools that they may use."""

    unit: int
    count: int
    namespace: str
    pods: Pods
    pools: frozenset[int]


def candidates(pods: Pods, pools: Iterable[NodePool]) -> list[NodePool]:
    """The node pools with nodes that a Pod alone fits."""
    return [pool for pool in pools if hosts_for(pods.spec, pool)]


def placements(units: Sequence[Unit], pools: Sequence[NodePool]) -> list[Placement]:
    """How each unit with chips can end, beside all others.

    Raises:
        TooManyStatesError: there are too many placements to follow all.
        ValueError: a Pod uses something that this module does not know.
    """
    classes = list(_classes(units, pools))
    ends: list[set[str]] = [set() for _ in units]
    used: list[set[int]] = [set() for _ in units]
    for part in _competing(classes):
        for state, scale in _finals(part, pools):
            for unit in {one.unit for one in part}:
                rows = [row for one, row in zip(part, state, strict=True) if one.unit == unit]
                where = {index for row in rows for index, count in enumerate(row) if count}
                bound, size = sum(map(sum, rows)) * scale, sum(one.count for one in part if one.unit == unit)
                ends[unit].add(_end(bound, size, len(where)))
                used[unit] |= where
    return [
        Placement(frozenset(ends[index]), frozenset(pools[one].name for one in used[index]), _held_by(unit, pools))
        for index, unit in enumerate(units)
    ]


def _end(bound: int, size: int, pools: int) -> str:
    if bound == size:
        return WHOLE if pools == 1 else SPLIT
    return PARTIAL if bound else PENDING


def _held_by(unit: Unit, pools: Sequence[NodePool]) -> str:
    pods = [one for one in unit.pods if one.chips]
    if unit.size == 1:
        return "one pod"
    if all(NODE_POOL in one.spec.get("nodeSelector", {}) for one in pods):
        return "selector"
    if all(_terms(one.spec, "podAffinity") for one in pods):
        return "affinity"
    return "only pool" if len({pool.name for one in pods for pool in candidates(one, pools)}) == 1 else "luck"


def _classes(units: Sequence[Unit], pools: Sequence[NodePool]) -> Iterator[_Class]:
    keys = {key for unit in units for one in unit.pods for key in _selected_keys(one.spec)}
    for index, unit in enumerate(units):
        counts: dict[str, tuple[Pods, int]] = {}
        for one in unit.pods:
            if not one.chips:
                if any(_terms(one.spec, kind) for kind in ("podAffinity", "podAntiAffinity")):
                    raise ValueError(f"{unit.name}: affinity of Pods without chips is not known here")
                continue
            labels = {key: value for key, value in one.labels.items() if key in keys}
            spec = {key: one.spec.get(key) for key in ("nodeSelector", "affinity", "tolerations", "containers")}
            alike = repr((sorted(labels.items()), spec))
            known = counts.get(alike, (one, 0))
            counts[alike] = (known[0], known[1] + one.count)
        for pods, count in counts.values():
            fitting = frozenset(number for number, pool in enumerate(pools) if hosts_for(pods.spec, pool))
            yield _Class(index, count, unit.namespace, pods, fitting)


def _competing(classes: Sequence[_Class]) -> list[list[_Class]]:
    """The classes in parts that have no node pool in common."""
    parts: list[tuple[set[int], set[int], list[_Class]]] = []
    for one in classes:
        pools, units, members = set(one.pools), {one.unit}, [one]
        for part in [part for part in parts if part[0] & pools or part[1] & units]:
            parts.remove(part)
            pools, units, members = pools | part[0], units | part[1], part[2] + members
        parts.append((pools, units, members))
    return [part[2] for part in parts]


def _finals(classes: Sequence[_Class], pools: Sequence[NodePool]) -> Iterator[tuple[_State, int]]:
    """The states in which no further Pod fits, and how many Pods each counted one stands for."""
    shared = sorted({pool for one in classes for pool in one.pools})
    sizes = [sum(one.count for one in group) for _, group in itertools.groupby(classes, key=lambda one: one.unit)]
    scale = max(math.gcd(*sizes, *(pools[pool].hosts for pool in shared)) // 2, 1)
    if any(one.count % scale for one in classes):
        scale = 1
    rules = _Rules(classes)
    free = [pools[pool].hosts // scale if pool in shared else 0 for pool in range(len(pools))]
    alike = _alike(classes, shared, free)
    start: _State = tuple((0,) * len(pools) for _ in classes)
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        following = list(_next(state, classes, rules, free, scale))
        if not following:
            yield from ((one, scale) for one in _with_alike_pools(state, alike))
        for other in following:
            ordered = _ordered(other, alike)
            if ordered not in seen:
                seen.add(ordered)
                waiting.append(ordered)
        if len(seen) > LIMIT:
            raise TooManyStatesError(f"more than {LIMIT} placements of {len(classes)} classes of Pods")


def _next(
    state: _State, classes: Sequence[_Class], rules: "_Rules", free: Sequence[int], scale: int
) -> Iterator[_State]:
    for index, one in enumerate(classes):
        if sum(state[index]) * scale >= one.count:
            continue
        for pool in one.pools:
            if sum(row[pool] for row in state) < free[pool] and rules.allow(index, pool, state):
                row = (*state[index][:pool], state[index][pool] + 1, *state[index][pool + 1 :])
                yield (*state[:index], row, *state[index + 1 :])


def _alike(classes: Sequence[_Class], shared: Sequence[int], free: Sequence[int]) -> list[list[int]]:
    """Node pools that no class tells apart."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for pool in shared:
        groups.setdefault((free[pool], *(pool in one.pools for one in classes)), []).append(pool)
    return [group for group in groups.values() if len(group) > 1]


def _ordered(state: _State, alike: Iterable[Sequence[int]]) -> _State:
    """One state for all that differ only in which of equal pools is which."""
    columns = list(zip(*state, strict=True))
    for group in alike:
        for pool, column in zip(group, sorted((columns[pool] for pool in group), reverse=True), strict=True):
            columns[pool] = column
    return tuple(zip(*columns, strict=True))


def _with_alike_pools(state: _State, alike: Sequence[Sequence[int]]) -> Iterator[_State]:
    """The state, with each equal pool at the place of each other once."""
    yield state
    for group in alike:
        columns = list(zip(*state, strict=True))
        for turn in range(1, len(group)):
            turned = list(columns)
            for index, pool in enumerate(group):
                turned[pool] = columns[group[(index + turn) % len(group)]]
            yield tuple(zip(*turned, strict=True))


class _Rules:
    """Required affinity and anti-affinity between classes of Pods."""

    def __init__(self, classes: Sequence[_Class]) -> None:
        every = range(len(classes))
        avoids = [[_matches_any(one, "podAntiAffinity", other) for other in classes] for one in classes]
        self._apart = [[other for other in every if avoids[one][other] or avoids[other][one]] for one in every]
        self._beside: list[list[int] | None] = [
            [number for number, other in enumerate(classes) if _matches_all(one, other)]
            if _terms(one.pods.spec, "podAffinity")
            else None
            for one in classes
        ]

    def allow(self, index: int, pool: int, state: _State) -> bool:
        """Whether one more Pod of a class may be in a pool.

        A Pod that matches its own affinity is the first of its kind if no other Pod matches it anywhere.
        """
        if any(state[other][pool] for other in self._apart[index]):
            return False
        beside = self._beside[index]
        if beside is None or any(state[other][pool] for other in beside):
            return True
        return index in beside and not any(any(state[other]) for other in beside)


def _terms(spec: Object, kind: str) -> list[Object]:
    return list((spec.get("affinity") or {}).get(kind, {}).get(REQUIRED, ()))


def _selected_keys(spec: Object) -> Iterator[str]:
    for kind in ("podAffinity", "podAntiAffinity"):
        for term in _terms(spec, kind):
            yield from term.get("labelSelector", {}).get("matchLabels", {})
            yield from (one["key"] for one in term.get("labelSelector", {}).get("matchExpressions", ()))
            yield from (*term.get("matchLabelKeys", ()), *term.get("mismatchLabelKeys", ()))


def _matches_any(one: _Class, kind: str, other: _Class) -> bool:
    return any(_matches(term, one, other) for term in _terms(one.pods.spec, kind))


def _matches_all(one: _Class, other: _Class) -> bool:
    return all(_matches(term, one, other) for term in _terms(one.pods.spec, "podAffinity"))


def _matches(term: Mapping[str, Any], one: _Class, other: _Class) -> bool:
    """Whether a term of a Pod selects another Pod; the API server adds the keys to its selector."""
    if term["topologyKey"] != NODE_POOL:
        raise ValueError(f"topology key {term['topologyKey']} is not known here")
    selector, labels = term["labelSelector"], one.pods.labels
    expressions = [
        *({"key": key, "operator": "In", "values": [value]} for key, value in selector.get("matchLabels", {}).items()),
        *selector.get("matchExpressions", ()),
        *(_own(key, "In", labels) for key in term.get("matchLabelKeys", ()) if key in labels),
        *(_own(key, "NotIn", labels) for key in term.get("mismatchLabelKeys", ()) if key in labels),
    ]
    return _in_namespace(term, one, other) and all(matches(item, other.pods.labels) for item in expressions)


def _own(key: str, operator: str, labels: Mapping[str, str]) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": [labels[key]]}


def _in_namespace(term: Mapping[str, Any], one: _Class, other: _Class) -> bool:
    if "namespaceSelector" not in term:
        return other.namespace in (term.get("namespaces") or [one.namespace])
    selector, labels = term["namespaceSelector"], {"kubernetes.io/metadata.name": other.namespace}
    own = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
    return other.namespace in term.get("namespaces", ()) or (
        own and all(matches(item, labels) for item in selector.get("matchExpressions", ()))
    )
