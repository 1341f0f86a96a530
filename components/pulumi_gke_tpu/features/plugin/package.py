"""The package schema as the plugin uses it: the name of a property in other languages, and its name here."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.output import Unknown

from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text import findings

SCHEMA_FILE = Path(__file__).with_name("schema.json")
_TYPES = "#/types/"

Property = Mapping[str, Any]
"""A property as the schema describes it."""


@frozen
class Package:
    """The schema: its text, and in it the components by token and the object types by token."""

    text: str
    components: Mapping[str, Any]
    types: Mapping[str, Any]

    def arguments(self, token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of a component as another language sends them, as arguments in Python.

        Keys get their Python names, whole numbers are integers again. Keys that the schema does not know stay, so
        that they are found wrong instead of being ignored.
        """
        return self._members(inputs, self.components[token]["inputProperties"])

    def outputs(self, token: str, component: pulumi.ComponentResource) -> dict[str, Any]:
        """The outputs of a component under their names in the schema."""
        return {name: getattr(component, snake_case(name)) for name in self.components[token]["properties"]}

    def _members(self, given: Mapping[str, Any], known: Mapping[str, Property]) -> dict[str, Any]:
        return {
            snake_case(name) if name in known else name: self._value(value, known.get(name, {}))
            for name, value in given.items()
            if value is not None  # as in other languages, null is the same as nothing
        }

    def _value(self, value: object, described: Property) -> Any:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, Unknown):
            return pulumi.Output.from_input(value)
        if isinstance(value, Mapping):
            reference = described.get("$ref", "")
            if reference.startswith(_TYPES):
                return self._members(value, self.types[reference.removeprefix(_TYPES)]["properties"])
            inner = described.get("additionalProperties", {})
            return {name: self._value(item, inner) for name, item in value.items()}
        if isinstance(value, list):
            return [self._value(item, described.get("items", {})) for item in value]
        return value


def read_package() -> Package:
    """The schema that is shipped with this package."""
    text = SCHEMA_FILE.read_text(encoding="utf-8")
    schema = json.loads(text)
    return Package(text, schema["resources"], schema["types"])


def path_as_given(path: findings.Path, inputs: Any) -> findings.Path:
    """The path of a finding with the property names of the caller: bootDisk for boot_disk, other names unchanged."""
    steps: list[str | int] = []
    here = inputs
    for given in path:
        known = not isinstance(given, str) or (isinstance(here, Mapping) and given in here)
        step = given if known else camel_case(str(given))
        steps.append(step)
        inside = isinstance(here, Mapping) or (isinstance(here, list) and isinstance(step, int) and step < len(here))
        here = (here.get(step) if isinstance(here, Mapping) else here[step]) if inside else None
    return tuple(steps)
