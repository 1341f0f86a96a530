"""From declared resources to what the engine gets: URNs, values that are known already, and every dependency.

It does what the SDK does with a registration; tests compare the result with the requests of the SDK.
"""

from collections.abc import Mapping
from typing import Any

from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key, Ref
from pulumi_gke_tpu.core.graph.model import Graph, Options, Resource
from pulumi_gke_tpu.core.graph.walk import instances_in
from pulumi_gke_tpu.core.plan.base import Unknown


def registered(declared: Declarations, *, project: str, stack: str) -> Graph:
    """The graph that a program with these declarations registers in a preview."""
    engine = _Engine(f"urn:pulumi:{stack}::{project}::")
    resources = [engine.register(resource) for resource in declared]
    return Graph(tuple(sorted(resources, key=lambda resource: resource.urn)))


class _Engine:
    """The resources that are registered so far, with their known values."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._chains: dict[Key, str] = {"": ""}
        """The types of a component and of all around it, each with a ``$`` behind."""
        self._urns: dict[Key, str] = {"": ""}
        self._inputs: dict[Key, Mapping[str, Any]] = {}
        self._values: dict[int, tuple[Any, tuple[str, ...]]] = {}
        """By identity of a declared value, which the pools of a group share."""
        self._options: dict[Options, Options] = {}

    def register(self, declared: Declared) -> Resource:
        key, chain = declared.key, self._chains[declared.parent] + declared.type
        urn = f"{self._place}{chain}::{declared.name}"
        self._chains[key], self._urns[key] = f"{chain}$", urn
        inputs: dict[str, Any] = {}
        sources: dict[str, tuple[str, ...]] = {}
        for name, value in sorted(declared.properties.items()):
            if value is not None:
                inputs[name], urns = self._value(value)
                if urns:
                    sources[name] = urns
        self._inputs[key] = inputs
        return Resource(
            urn=urn,
            type=declared.type,
            name=declared.name,
            parent=self._urns[declared.parent],
            custom=declared.custom,
            inputs=inputs,
            options=self._registered_options(declared, sources),
            plan_path=declared.plan_path,
            sources=sources,
        )

    def _registered_options(self, declared: Declared, sources: Mapping[str, tuple[str, ...]]) -> Options:
        given = declared.options
        explicit = (self._urns[key] for key in given.depends_on)
        options = Options(
            protect=given.protect,
            delete_before_replace=given.delete_before_replace,
            replace_on_changes=given.replace_on_changes,
            ignore_changes=given.ignore_changes,
            custom_timeouts=given.custom_timeouts,
            aliases=tuple(map(str, given.aliases)),
            depends_on=tuple(sorted({*explicit, *(urn for urns in sources.values() for urn in urns)})),
        )
        return self._options.setdefault(options, options)

    def _value(self, value: object) -> tuple[Any, tuple[str, ...]]:
        """A property as it is sent, and the URNs of all that it comes from."""
        if not isinstance(value, Mapping | list | tuple | Ref | Unknown):
            return _scalar(value), ()
        found = self._values.get(id(value))
        if found is None:
            urns = tuple(sorted({self._urns[ref.resource] for ref in instances_in(value, Ref)}))
            found = self._values[id(value)] = (self._sent(value, Unknown(urns)), urns)
        return found

    def _sent(self, value: object, unknown: Unknown) -> Any:
        if isinstance(value, Mapping):
            return {name: self._sent(item, unknown) for name, item in sorted(value.items())}
        if isinstance(value, list | tuple):
            return [self._sent(item, unknown) for item in value]
        if isinstance(value, Ref):
            return self._referred(value, unknown)
        return unknown if isinstance(value, Unknown) else _scalar(value)

    def _referred(self, ref: Ref, unknown: Unknown) -> Any:
        """The value of a property that the other resource is sent; any other is unknown until that resource exists."""
        found = self._inputs[ref.resource].get(ref.property, unknown)
        if isinstance(found, Unknown):
            return unknown
        return ref.read(found) if ref.read else found


def _scalar(value: object) -> Any:
    """A number as the engine gets it: numbers are sent as doubles, and whole ones are read as integers again."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number
