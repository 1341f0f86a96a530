"""Pairs old and new resources as the engine does, with their references and the names that both need."""

import dataclasses
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.differences import LaterValues
from pulumi_gke_tpu.core.graph.model import Graph, Resource, instances_in
from pulumi_gke_tpu.core.graph.semantics import Semantics
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import contains, parse_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.features.diff.model import ResourceChange

_ALIAS_PART = lazy_pattern(r"(?:^|, )(name|type|project)=")


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


References = Mapping[str, frozenset[str]]
"""Top-level property -> URNs of the resources that its value comes from."""


def references_of(resource: Resource) -> References:
    """The properties with outputs of other resources: as registered, or found by their unknown values."""
    if resource.sources:
        return {name: frozenset(urns) for name, urns in resource.sources.items()}
    found = {
        name: frozenset(urn for unknown in instances_in(value, Unknown) for urn in unknown.urns)
        for name, value in resource.inputs.items()
    }
    return {name: urns for name, urns in found.items() if urns}


def in_order(references: Mapping[str, References]) -> list[str]:
    """The URNs, each after all of its references. Linear and without recursion, because chains can be long."""
    order: dict[str, None] = {}
    for start in references:
        waiting = [(start, iter(_sources(references, start)))]
        begun = {start}
        while waiting and start not in order:
            urn, sources = waiting[-1]
            following = next((other for other in sources if other not in order and other not in begun), None)
            if following is None:
                order[urn] = None
                waiting.pop()
            else:
                begun.add(following)
                waiting.append((following, iter(_sources(references, following))))
    return list(order)


def _sources(references: Mapping[str, References], urn: str) -> list[str]:
    return [source for urns in references[urn].values() for source in sorted(urns) if source in references]


class Dependents:
    """The existing resources by their references: those that the engine deletes before it deletes one of them."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources = {resource.urn: resource for resource in resources if resource.custom}
        self._references = {urn: references_of(resource) for urn, resource in self._resources.items()}
        self._referrers: dict[str, list[str]] = {}
        for urn, references in self._references.items():
            for source in sorted(frozenset[str]().union(*references.values())):
                self._referrers.setdefault(source, []).append(urn)

    def deleted_with(self, urn: str, semantics: Mapping[str, Semantics]) -> list[str]:
        """The URNs of all resources that must be replaced with a resource that is deleted first.

        The engine asks the provider with the whole top-level property unknown, and without regard to ignored changes.
        It applies the option ``replace_on_changes`` as the state has it, because the program has not run that far.
        """
        found: dict[str, None] = {urn: None}
        waiting = deque([urn])
        while waiting:
            gone = waiting.popleft()
            for referrer in self._referrers.get(gone, ()):
                if referrer not in found and self._falls(referrer, gone, semantics):
                    found[referrer] = None
                    waiting.append(referrer)
        return list(found)[1:]

    def crashing_with(self, urns: Iterable[str], semantics: Mapping[str, Semantics]) -> str:
        """The URN of a resource at which the provider crashes when the engine asks what must be replaced with these."""
        for gone in urns:
            for referrer in self._referrers.get(gone, ()):
                known = semantics[self._resources[referrer].type]
                for name, sources in self._references[referrer].items():
                    change = known.change(name)
                    if gone in sources and change is not None and change.crashes_unknown:
                        return referrer
        return ""

    def sources_of(self, urn: str) -> frozenset[str]:
        """All references of a resource."""
        return frozenset[str]().union(*self._references[urn].values())

    def _falls(self, referrer: str, gone: str, semantics: Mapping[str, Semantics]) -> bool:
        resource = self._resources[referrer]
        known = semantics[resource.type]
        replacing = [parse_path(path) for path in resource.options.replace_on_changes]
        for name, urns in self._references[referrer].items():
            if gone not in urns:
                continue
            change = known.change(name)
            by_provider = change is not None and (change.change == "replace" or change.unknown_replaces)
            if by_provider or any(contains(path, (name,)) for path in replacing):
                return True
        return False


_PLACES = ("project", "region", "location", "cluster")
"""The properties that define where a name must be unique."""
_AT_THE_END = ""


class HeldNames:
    """The names of the resources before a change, and the moment at which the engine releases them."""

    def __init__(
        self,
        pairs: Sequence[ResourcePair],
        semantics: Mapping[str, Semantics],
        known: LaterValues,
        changes: Iterable[ResourceChange],
        *,
        references: Mapping[str, References],
        deleted_with: Mapping[str, str],
    ) -> None:
        """``changes`` are those of the pairs, ``references`` those after the change by new URN.

        ``deleted_with`` contains, by old URN, the replaced resource with which the engine deletes another one early.
        """
        self._semantics = semantics
        self._known = known
        self._changes = {change.urn: change for change in changes}
        self._references = references
        self._deleted_with = deleted_with
        self._heads = {pair.head.urn: pair.head for pair in pairs if pair.head is not None}
        self._holders: dict[tuple[str, str], list[ResourcePair]] = {}
        for pair in pairs:
            name = self._name(pair.base)
            if pair.base is not None and name:
                self._holders.setdefault((pair.base.type, name), []).append(pair)

    def checked(self, change: ResourceChange) -> ResourceChange:
        """The change, as refused if its new resource needs a name that another one releases too late."""
        head = self._heads.get(change.urn)
        if head is None or change.refused or change.operation not in ("create", "replace"):
            return change
        for pair in self._holders.get((head.type, self._name(head) or ""), ()):
            other = pair.base
            if other is None or other.urn == change.former_urn or not self._same_place(other, head):
                continue
            release = self._release(pair)
            if release == _AT_THE_END:
                why = f"the engine creates the new resource before it deletes {other.name}"
                return self._refused(change, head, why)
            if release is not None and release not in self._waits_for(change.urn):
                why = f"the engine does not wait until {other.name} is deleted"
                return dataclasses.replace(self._refused(change, head, why), racing=True)
        return change

    def _refused(self, change: ResourceChange, head: Resource, why: str) -> ResourceChange:
        return dataclasses.replace(change, refused=f"{self._name(head)} is still in use: {why}", refused_by="GKE")

    def _release(self, pair: ResourcePair) -> str | None:
        """When a resource releases its name: at the end, or with the replacement of a resource (its new URN).

        None if it keeps the name.
        """
        base, head = pair.base, pair.head
        assert base is not None
        if head is None:
            cause = self._deleted_with.get(base.urn)
            return _AT_THE_END if cause is None else self._known.after.get(cause, _AT_THE_END)
        change = self._changes.get(head.urn)
        if change is None or change.operation != "replace":
            return None
        return head.urn if change.delete_first else _AT_THE_END

    def _same_place(self, other: Resource, head: Resource) -> bool:
        return all(self._known.equal(other.inputs.get(key), head.inputs.get(key)) for key in _PLACES)

    def _name(self, resource: Resource | None) -> str | None:
        return None if resource is None else self._semantics[resource.type].explicit_name(resource.inputs)

    def _waits_for(self, urn: str) -> set[str]:
        """The resources that exist before the engine creates a resource."""
        found: set[str] = set()
        waiting = [urn]
        while waiting:
            head = self._heads.get(waiting.pop())
            if head is not None:
                named = (source for urns in self._references[head.urn].values() for source in urns)
                new = {*named, *head.options.depends_on} - found
                found |= new
                waiting += new
        return found
