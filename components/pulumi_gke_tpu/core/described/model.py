"""A plan that was made of resources, and where each of its keys comes from."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.described.part import Keys
from pulumi_gke_tpu.core.fleet import Fleet
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.keys import CLUSTER_KEYS, CPU_POOL_KEYS, GROUP_KEYS, plan_keys
from pulumi_gke_tpu.core.plan import Document, Plan
from pulumi_gke_tpu.core.plan.base import Resource
from pulumi_gke_tpu.core.text.findings import Path

_CLUSTER = 2
_ITEM = 4
_KINDS: Mapping[str, tuple[str, Resource]] = {
    "slices": (GROUP_KEYS, "TPU node pool"),
    "cpu_pools": (CPU_POOL_KEYS, "CPU pool"),
    "workload_policies": (f"{CLUSTER_KEYS}workload_policies.*.", "workload policy"),
}


@frozen(eq=False)
class DescribedSource:
    """A resource, or a node pool inside a cluster, that a part of the plan describes."""

    urn: str
    name: str
    place: str = ""
    """The path in the resource: empty, or with a dot at the end."""
    exists: bool = False
    """Whether it existed before the program ran."""


@frozen(eq=False)
class DescribedPart:
    """A cluster, slice group, CPU pool or workload policy of the plan."""

    sources: tuple[DescribedSource, ...]
    """Several for a slice group of equal node pools; none for a cluster that no source contains."""
    properties: Mapping[Keys, str] = field(default_factory=dict)
    """Key below the part -> property, in Pulumi's spelling."""
    inside: Mapping[Keys, Path] = field(default_factory=dict)
    """Key -> where its value is inside the property, if that is not the rest of the key."""
    elsewhere: Mapping[Keys, DescribedSource] = field(default_factory=dict)
    """Key -> the resource that has its value, if that is not the one that the part describes."""
    kept: Mapping[str, Any] = field(default_factory=dict)
    """What a plan says only of what it takes over."""
    exists: bool = False
    """Whether all that it describes existed before the program ran."""
    unknown: frozenset[str] = frozenset()
    """The keys below the part whose value the source does not know, dotted."""


@frozen(eq=False)
class Located:
    """The place of a plan's value in the resource that it comes from."""

    source: DescribedSource
    property: str
    inside: Path = ()
    """The keys and indices below the property, such as the name of a label."""


@frozen(eq=False, slots=False)
class DescribedPlan:
    """The plan, derived from nothing else than resources."""

    document: Document[Plan]
    parts: Mapping[Path, DescribedPart]
    left_out: Mapping[str, str] = field(default_factory=dict)
    """URN of a resource that no plan can describe -> the reason, as a clause."""
    only_versions: bool | None = None
    """True of a plan for the rules about versions alone, False of one for the others, None of one for all rules."""
    versions: "DescribedPlan | None" = None
    """The plan for the rules about versions, if node pools have another version than their cluster."""
    fleet: Fleet | None = None
    """What was derived from the plan, if it was already."""

    @property
    def by_rules(self) -> "tuple[DescribedPlan, ...]":
        """The plans that together show what every rule is about."""
        return (self,) if self.versions is None else (self, self.versions)

    @functools.cached_property
    def _inside(self) -> Mapping[Path, list[Path]]:
        found: dict[Path, list[Path]] = {}
        for path in self.parts:
            if len(path) == _ITEM and path[_CLUSTER] != "workload_policies":
                found.setdefault(path[:_CLUSTER], []).append(path)
        return found

    def inside(self, cluster: Path) -> Sequence[Path]:
        """The slice groups and CPU pools of a cluster."""
        return self._inside.get(cluster, ())

    def part_of(self, path: Path) -> tuple[DescribedPart | None, Path, Keys]:
        """The innermost part that holds a path of the plan, its path, and the rest of the path."""
        for end in (_ITEM, _CLUSTER):
            found = self.parts.get(tuple(path[:end])) if len(path) >= end else None
            if found is not None:
                return found, tuple(path[:end]), tuple(path[end:])
        return None, (), tuple(path)

    def located(self, path: Path) -> tuple[Located, ...]:
        """Where a value of the plan comes from, or would have to be: one place in each resource of the part."""
        part, at, rest = self.part_of(path)
        if part is None:
            return ()
        property, inside = _property_of(part, at, rest)
        sources = (part.elsewhere[rest],) if rest in part.elsewhere else part.sources
        return tuple(Located(source, property, inside) for source in sources)

    def is_unknown(self, part: Path, key: str) -> bool:
        """Whether the source does not know a key of a part, or a part of it."""
        found = self.parts.get(part)
        return found is not None and any(_overlap(key, item) for item in found.unknown)


def _property_of(part: DescribedPart, at: Path, rest: Keys) -> tuple[str, Path]:
    """The property of a key below a part, empty if it has none, and where the value is inside it."""
    for end in range(len(rest), 0, -1):
        found = part.properties.get(rest[:end])
        if found is not None:
            around = (rest[:length] for length in range(len(rest), end - 1, -1))
            return found, next((part.inside[keys] for keys in around if keys in part.inside), rest[end:])
    return property_of_key(at, ".".join(str(step) for step in rest if isinstance(step, str))), ()


def property_of_key(at: Path, key: str) -> str:
    """The property that a key below a part sets, as its declaration has it."""
    prefix, resource = _kind(at)
    return plan_keys().property_of(f"{prefix}{key}", resource) if key else ""


def is_key_of(at: Path, key: str) -> bool:
    """Whether the declaration of a part has a key."""
    return f"{_kind(at)[0]}{key}" in plan_keys().keys


def _kind(at: Path) -> tuple[str, Resource]:
    return _KINDS[str(at[_ITEM - 2])] if len(at) == _ITEM else (CLUSTER_KEYS, "cluster")


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")
