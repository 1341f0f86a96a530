"""The graph of a previewed program: resources with their types, inputs and options, as plain data."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.property_values import SetValue
from pulumi_gke_tpu.core.text.jsonfile.fields import OPTIONAL, OptionalText

_SEPARATORS = 3
"""How often ``::`` is in a URN at least: between stack, project, types and name."""


def _check_urn(urn: str) -> str:
    if not urn.startswith("urn:") or urn.count("::") < _SEPARATORS:
        raise PydanticCustomError("urn", "a URN is expected: urn:pulumi:STACK::PROJECT::TYPES::NAME")
    return urn


def _check_alias(alias: str) -> str:
    return _check_urn(alias) if alias.startswith("urn:") else alias


Urn = Annotated[str, AfterValidator(_check_urn)]
Alias = Annotated[str, AfterValidator(_check_alias)]
"""A URN, or the short form ``name=..., type=...``."""
Timeouts = Annotated[
    tuple[tuple[str, str], ...],
    BeforeValidator(lambda data: tuple(sorted(data.items())) if isinstance(data, dict) else data),
    PlainSerializer(dict),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""Durations by operation; a mapping in JSON."""


@frozen
class Options:
    """The resource options of a registration, as the engine gets them. Property paths are camelCase."""

    protect: bool | None = None
    delete_before_replace: bool | None = None
    """None leaves it to the provider."""
    replace_on_changes: tuple[str, ...] = ()
    ignore_changes: tuple[str, ...] = ()
    retain_on_delete: bool | None = None
    custom_timeouts: Timeouts = ()
    aliases: tuple[Alias, ...] = ()
    depends_on: tuple[str, ...] = ()
    provider: OptionalText = ""


@frozen
class Resource:
    """One resource. ``inputs`` has camelCase keys; values known later are :class:`Unknown`.

    Resources may share values, so do not change them.
    """

    urn: Urn
    type: str
    name: str
    parent: Annotated[Urn, OPTIONAL]
    custom: bool
    inputs: Mapping[str, SetValue]
    """A value that is known later is {"$unknown": [the URNs that it comes from]}."""
    options: Options = field(default_factory=Options)
    plan_path: Annotated[OptionalText, Field(alias="path")] = ""
    """Where in the plan the resource comes from; empty for programs without a plan."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Top-level property -> URNs of the resources that its value comes from, also where the value is known."""

    @property
    def component(self) -> bool:
        """Whether this is a component, which exists in Pulumi only."""
        return not self.custom


@frozen
class Graph:
    """All resources of a program, in the order of their URNs."""

    resources: tuple[Resource, ...]

    def of_type(self, type_token: str) -> Iterator[Resource]:
        """The resources of one type."""
        return (resource for resource in self.resources if resource.type == type_token)

    def __getitem__(self, urn: str) -> Resource:
        for resource in self.resources:
            if resource.urn == urn:
                return resource
        raise KeyError(urn)


Kind = TypeVar("Kind")
_PLAIN = (str, int, bool, float, type(None))
"""The types of most values, which are compared first, because abstract base classes are slow to test."""


def instances_in(value: object, kind: type[Kind]) -> Iterator[Kind]:
    """Every instance of a class inside a value, at any depth of mappings and lists."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from instances_in(item, kind)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from instances_in(item, kind)
