"""Resources as a program declares them: plain values that name each other."""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.model import instances_in

Key = str
"""``TYPE::NAME``, which is unique among the resources of a program."""


def key_of(resource_type: str, name: str) -> Key:
    """The key of a resource."""
    return f"{resource_type}::{name}"


@frozen
class Ref:
    """A property of another resource."""

    resource: Key
    property: str
    read: Callable[[Any], Any] | None = None
    """Takes the needed part out of the property's value."""
    secret: bool = False
    """Whether Pulumi encrypts the value in the state."""


@frozen
class Composed:
    """An output that is made of several properties."""

    refs: tuple[Ref, ...]
    make: Callable[..., Any]
    """Takes the values of the properties."""
    secret: bool = False
    """Whether Pulumi encrypts the value in the state."""


@frozen
class Alias:
    """A name or a type that a resource had before; empty where it is the present one."""

    name: str = ""
    type: str = ""

    def __str__(self) -> str:
        parts = (("name", self.name), ("type", self.type))
        return ", ".join(f"{part}={value}" for part, value in parts if value)


@frozen
class DeclaredOptions:
    """The options of a declared resource. Property paths are camelCase."""

    protect: bool | None = None
    """None inherits the option of the parent."""
    delete_before_replace: bool | None = None
    """None leaves it to the provider."""
    replace_on_changes: tuple[str, ...] = ()
    ignore_changes: tuple[str, ...] = ()
    custom_timeouts: tuple[tuple[str, str], ...] = ()
    """``create``, ``delete`` and ``update``, each with a duration."""
    aliases: tuple[Alias, ...] = ()
    depends_on: tuple[Key, ...] = ()
    """Resources that have to exist first, besides those that the properties refer to."""
    secret_outputs: tuple[str, ...] = ()
    """Outputs that Pulumi encrypts in the state."""
    adopted: bool = False
    """Whether another tool created the resource."""
    checked_update: bool = False
    """Whether a hook of the component decides before each update (see ``components.creation``)."""


@frozen
class Declared:
    """One resource, or one component.

    ``properties`` has camelCase keys for a resource, and the written arguments for a component. Values may hold
    :class:`Ref` and values that are known only later, at any depth. A property that is None is not sent.
    """

    type: str
    name: str
    parent: Key
    """Empty for the outermost component."""
    properties: Mapping[str, Any]
    options: DeclaredOptions = field(default_factory=DeclaredOptions)
    plan_path: str = ""
    """Where in the plan it comes from; empty for the fleet."""
    outputs: Mapping[str, Any] | None = None
    """The outputs of a component, which may hold :class:`Ref`; None for a resource."""

    @property
    def key(self) -> Key:
        """The key by which other resources refer to it."""
        return key_of(self.type, self.name)

    @property
    def custom(self) -> bool:
        """Whether a provider makes it; components exist in Pulumi only."""
        return self.outputs is None

    def __getitem__(self, property_name: str) -> Ref:
        return Ref(self.key, property_name)


class Declarations:
    """The resources of a program. Each comes after its parent and after what it refers to."""

    def __init__(self, resources: Iterator[Declared]) -> None:
        self.resources: Sequence[Declared] = tuple(resources)
        self._children: dict[Key, list[Declared]] = {}
        for resource in self.resources:
            self._children.setdefault(resource.parent, []).append(resource)

    def __iter__(self) -> Iterator[Declared]:
        return iter(self.resources)

    @property
    def outermost(self) -> Declared:
        """The component around everything else."""
        return self.resources[0]

    def children(self, key: Key) -> Sequence[Declared]:
        """The resources and components directly inside a component, in order."""
        return self._children.get(key, ())

    def wanted(self, key: Key) -> frozenset[str]:
        """The properties of a resource that others refer to."""
        return self._wanted.get(key, frozenset())

    @functools.cached_property
    def _wanted(self) -> Mapping[Key, frozenset[str]]:
        found: dict[Key, set[str]] = {}
        for resource in self.resources:
            refs = instances_in((resource.properties, resource.outputs), Ref)
            inner = (ref for composed in instances_in(resource.outputs, Composed) for ref in composed.refs)
            for ref in itertools.chain(refs, inner):
                found.setdefault(ref.resource, set()).add(ref.property)
        return {key: frozenset(names) for key, names in found.items()}
