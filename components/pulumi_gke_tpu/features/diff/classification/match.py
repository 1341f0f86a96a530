"""Finds the old resource of each new one as the engine does: by URN, then by aliases."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import Graph, Resource

_ALIAS_PART = re.compile(r"(?:^|, )(name|type|project)=")


@frozen
class ResourcePair:
    """A resource before and after; one of them is None if it is created or deleted."""

    base: Resource | None
    head: Resource | None


@frozen
class Matching:
    """All custom resources in pairs. Components exist only in Pulumi; their aliases apply to their children."""

    pairs: tuple[ResourcePair, ...]
    after: Mapping[str, str]
    """Old URN -> new URN, for resources that stay."""
    same_urns: bool
    """Whether every URN before is the URN after."""


def match(base: Graph, head: Graph) -> Matching:
    """Pair the resources of two graphs. The comparison ignores the stack and the project in a URN."""
    before = {_key(resource.urn): resource for resource in base.resources}
    aliases = _aliases(head)
    pairs: list[ResourcePair] = []
    after: dict[str, str] = {}
    taken: set[str] = set()
    for resource in head.resources:
        key = _key(resource.urn)
        found = key if key in before else next((alias for alias in aliases[key] if _free(alias, before, taken)), None)
        old = None
        if found is not None and before[found].custom == resource.custom:
            taken.add(found)
            old = before[found]
            after[old.urn] = resource.urn
        if resource.custom:
            pairs.append(ResourcePair(old, resource))
    pairs += [ResourcePair(resource, None) for key, resource in before.items() if key not in taken and resource.custom]
    return Matching(tuple(pairs), after, all(old == new for old, new in after.items()))


def _free(alias: str, before: Mapping[str, Resource], taken: set[str]) -> bool:
    return alias in before and alias not in taken


def _key(urn: str) -> str:
    """A URN without stack and project: types and name."""
    return urn.split("::", 2)[2]


def _aliases(graph: Graph) -> dict[str, Sequence[str]]:
    """Key of every resource -> its possible old keys: its own aliases, combined with those of its parents."""
    resources = {resource.urn: resource for resource in graph.resources}
    found: dict[str, Sequence[str]] = {}

    def of(resource: Resource) -> Sequence[str]:
        key = _key(resource.urn)
        if key not in found:
            parent = resources.get(resource.parent)
            found[key] = tuple(dict.fromkeys(_former_keys(resource, of(parent) if parent else ())))
        return found[key]

    for resource in graph.resources:
        of(resource)
    return found


def _former_keys(resource: Resource, parent_aliases: Sequence[str]) -> Iterator[str]:
    if not resource.options.aliases and not parent_aliases:
        return
    types = _types_of_parent(resource.urn)
    own = [_alias_parts(alias, resource) for alias in resource.options.aliases]
    for whole, type_token, name in own:
        yield whole or _joined(types, type_token, name)
    parent_name = resource.parent.split("::", 3)[3] if resource.parent else ""
    for parent_alias in parent_aliases:
        former_types, former_name = parent_alias.split("::", 1)
        yield _joined(former_types, resource.type, _renamed(resource.name, parent_name, former_name))
        for whole, type_token, name in own:
            if not whole:
                yield _joined(former_types, type_token, _renamed(name, parent_name, former_name))


def _alias_parts(alias: str, resource: Resource) -> tuple[str, str, str]:
    """A complete key, or type and name if the alias contains only the difference."""
    if alias.startswith("urn:"):
        return _key(alias), "", ""
    _, *parts = _ALIAS_PART.split(alias)
    said = dict(zip(parts[::2], parts[1::2], strict=True))
    return "", said.get("type", resource.type), said.get("name", resource.name)


def _types_of_parent(urn: str) -> str:
    return urn.split("::")[2].rpartition("$")[0]


def _joined(types: str, type_token: str, name: str) -> str:
    return f"{types}${type_token}::{name}" if types else f"{type_token}::{name}"


def _renamed(name: str, parent: str, former_parent: str) -> str:
    """A child whose name begins with the name of its parent also had the old name of the parent in its name."""
    return former_parent + name[len(parent) :] if parent and name.startswith(parent) else name
