"""The graph of a previewed program: every resource with its inputs and options, as plain data.

This module imports nothing of Pulumi, so that graphs can be stored, read and compared without it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_gke_tpu.plan.base import Unknown

UNKNOWN_KEY = "$unknown"
ABSENT_KEY = "$absent"
"""Keys of the objects that stand in JSON for a value known later, and for none."""


@dataclass(frozen=True, slots=True)
class Options:
    """The resource options of a registration, as the engine gets them. Property paths are camelCase."""

    protect: bool | None = None
    delete_before_replace: bool | None = None
    """None leaves it to the provider."""
    replace_on_changes: tuple[str, ...] = ()
    ignore_changes: tuple[str, ...] = ()
    retain_on_delete: bool | None = None
    custom_timeouts: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource. ``inputs`` has camelCase keys; values known later are :class:`Unknown`.

    Resources may share values, so do not change them.
    """

    urn: str
    type: str
    name: str
    parent: str
    custom: bool
    inputs: Mapping[str, Any]
    options: Options = field(default_factory=Options)
    plan_path: str = ""
    """Where in the plan the resource comes from; empty for programs without a plan."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Top-level property -> URNs of the resources that its value comes from, also where the value is known."""

    @property
    def component(self) -> bool:
        """Whether this is a component, which exists in Pulumi only."""
        return not self.custom


@dataclass(frozen=True, slots=True)
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


def plain(value: Any) -> Any:
    """Inputs as JSON data: a value known later is ``{"$unknown": [urns]}``."""
    if isinstance(value, Unknown):
        return {UNKNOWN_KEY: list(value.urns)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
