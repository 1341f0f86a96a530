"""Addresses of resources, and values of the graph as Terraform expresses them."""

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Composed, Declarations, Key, Ref
from pulumi_gke_tpu.core.text.formats.hcl_scalars import quoted_text
from pulumi_gke_tpu.core.text.formats.names import bare_name
from pulumi_gke_tpu.features.export.terraform.pools import families
from pulumi_gke_tpu.features.export.terraform.spelling import TerraformSpelling
from pulumi_gke_tpu.features.export.terraform.syntax import Expression


class _ReadPart:
    """Stands for the value of a property, and records which part of it is read."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get(self, name: str) -> "_ReadPart":
        """A property of the block that this value is."""
        return _ReadPart(f"{self.text}[0].{snake_case(name)}")


@frozen
class Place:
    """The resource of Terraform in which a resource of the graph is; several pools are instances of one."""

    resource: str
    instance: str = ""

    @property
    def address(self) -> str:
        """The address of the instance."""
        return f"{self.resource}[{quoted_text(self.instance)}]" if self.instance else self.resource


class Addresses:
    """The address of every resource of a program, and its values."""

    def __init__(self, declared: Declarations, catalog: Catalog) -> None:
        self._catalog = catalog
        self._spellings: dict[str, TerraformSpelling] = {}
        self._components = {item.key: item for item in declared if not item.custom}
        self.families = families(declared)
        self._places: dict[Key, Place] = {}
        for family in self.families:
            for item in family.resources:
                resource = f"{self.spelling(item.type).type}.{family.name}"
                self._places[item.key] = Place(resource, family.instance(item))

    def spelling(self, resource_type: str) -> TerraformSpelling:
        """The names of a resource type."""
        if resource_type not in self._spellings:
            self._spellings[resource_type] = TerraformSpelling(self._catalog, resource_type)
        return self._spellings[resource_type]

    def address(self, key: Key) -> str:
        """The address of a resource, with the instance."""
        return self._places[key].address

    def dependencies(self, keys: Iterable[Key]) -> tuple[str, ...]:
        """The addresses of resources for ``depends_on``."""
        return tuple(dict.fromkeys(self._places[key].resource for key in keys))

    def id_of(self, ref: Ref) -> str:
        """The attribute that is another one as soon as a resource is replaced."""
        return f"{self._places[ref.resource].address}.id"

    def value(self, value: object) -> Any:
        """A value with an expression for each reference in it; None for what is only known encrypted."""
        if isinstance(value, str | int | float):
            return value
        if isinstance(value, Ref):
            return self._referred(value)
        if isinstance(value, Composed):
            return None
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list | tuple) else value

    def _referred(self, ref: Ref) -> Any:
        component = self._components.get(ref.resource)
        if component is not None:
            return self.value((component.outputs or {})[ref.property])
        if ref.secret:
            return None
        text = f"{self._places[ref.resource].address}.{snake_case(ref.property)}"
        if ref.read is None:
            return Expression(text)
        # The ID is not known as long as the resource does not exist, so its replacement replaces what refers to it.
        return Expression(f"basename({text})" if ref.read is bare_name else ref.read(_ReadPart(text)).text)
