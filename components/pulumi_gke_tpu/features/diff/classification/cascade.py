"""The references between resources: the order of the comparison, and the resources deleted with another one."""

from collections import deque
from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.graph.model import Resource
from pulumi_gke_tpu.core.graph.walk import instances_in
from pulumi_gke_tpu.core.plan.base import Unknown
from pulumi_gke_tpu.core.text.formats.property_path import contains, parse_path
from pulumi_gke_tpu.features.diff.classification.semantics import Semantics

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
