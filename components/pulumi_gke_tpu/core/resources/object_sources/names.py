"""The names of properties in Kubernetes objects of tools that are made from the Terraform provider."""

import functools
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.spelling import camel_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import mapping
from pulumi_gke_tpu.core.resources.terraform_names import TerraformNames, names_of

_REFERENCE = "Ref"
_SELECTOR = "Selector"


@frozen(eq=False, slots=False)
class ObjectNames(TerraformNames):
    """The properties of one resource type by their names in an object: those of Terraform in camelCase.

    A property that names another resource can be written as a reference: ``clusterRef`` instead of ``cluster``.
    """

    references: Mapping[str, str] = field(default_factory=dict)
    """Name of a reference -> name of its property, where that is not the same without its ending."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Pulumi path that no object has -> the one with its meaning."""

    def terraform(self, path: str) -> str:
        """The path in an object of a property in Pulumi's spelling: ``nodeConfig.taint``."""
        steps, at = [], ""
        for step in self.instead.get(path, path).split("."):
            name, bracket, rest = step.partition("[")
            at = f"{at}.{name}" if at else name
            steps.append(self.names.get(at, name) + bracket + rest)
        return ".".join(steps)

    def referred(self, name: str) -> str:
        """The name of the property that a reference or a selector gives a value; empty for any other name."""
        for ending in (_REFERENCE, _SELECTOR):
            if name.endswith(ending) and name != ending:
                return self.references.get(name, name.removesuffix(ending))
        return ""

    def knows(self, name: str, path: str) -> bool:
        """Whether a property below a path, which is empty or ends with a dot, is one of the provider."""
        return f"{path}{self.of(name, path)}" in self.types

    def steps(self, path: str, data: Any, *, lists: bool) -> tuple[str | int, ...]:
        """Where a property is in the data of an object. With ``lists``, a block that is missing would be a list."""
        found: list[str | int] = []
        at = ""
        for step in self.instead.get(path, path).split("."):
            name, _, index = step.partition("[")
            at = f"{at}.{name}" if at else name
            own = self.names.get(at, name)
            if isinstance(data, dict) and own not in data:
                reference = next((key for key in data if self.referred(key) == own), None)
                if reference is not None:
                    return (*found, reference, *_key_of(data[reference]))
            found.append(own)
            data = mapping(data).get(own)
            if index.rstrip("]").isdecimal():
                number = int(index.rstrip("]"))
                found.append(number)
                data = data[number] if isinstance(data, list) and number < len(data) else None
            elif self.types.get(at) == "block" and (isinstance(data, list) or (data is None and lists)):
                found.append(0)
                data = data[0] if data else None
        if found[-1] == 0 and self.types.get(at) == "block":
            found.pop()
        return tuple(found)


def _key_of(reference: Any) -> tuple[str, ...]:
    """The key of a reference that has its value."""
    keys = ("external", "name", "matchLabels")
    return next(((key,) for key in keys if isinstance(reference, dict) and key in reference), ())


@functools.cache
def object_names(
    catalog: Catalog,
    resource_type: str,
    others: tuple[tuple[str, str], ...] = (),
    references: tuple[tuple[str, str], ...] = (),
    instead: tuple[tuple[str, str], ...] = (),
) -> ObjectNames:
    """The names of the properties of a type. ``others`` are names that differ from those of Terraform."""
    known = names_of(catalog, resource_type)
    names = {path: camel_case(name) for path, name in known.names.items()} | dict(others)
    return ObjectNames(known.types, names, dict(references), dict(instead))
