"""The names of properties in Terraform, and what its lists are in Pulumi.

A block of at most one element is its element. ``catalog/provider.yaml`` has the types of all properties,
``catalog/terraform.yaml`` their names in Terraform where these are not simply the same in snake case.
"""

import dataclasses
import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.spelling import camel_case, snake_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph import resource_types
from pulumi_gke_tpu.core.resources.model import RESERVATION, Spelling
from pulumi_gke_tpu.core.resources.values import UNKNOWN
from pulumi_gke_tpu.core.text.findings import Path
from pulumi_gke_tpu.core.text.formats.hcl_scalars import template_text, value_text
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_VALUE = lazy_pattern(r"`([a-z][a-z0-9_.]*): (?:(-?\d+|true|false|\"[^\"`]*\")|([\w.-]+))`", re.ASCII)
_CAMEL = lazy_pattern(r"\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[a-z]\w*(?:\.[a-z]\w*)+\b")

_OF_ITS_CLUSTER = "minMasterVersion"
"""The property of the cluster that findings about its node pools name."""


@frozen(eq=False, slots=False)
class TerraformNames:
    """The properties of one resource type by their names in Terraform.

    A mapping holds what is below a block: for the keys of a map, such as labels, it is None.
    """

    types: Mapping[str, str]
    """Pulumi path -> type of the property."""
    names: Mapping[str, str]
    """Pulumi path -> name in Terraform."""

    def properties(self, attributes: Mapping[str, Any], path: str = "") -> dict[str, Any]:
        """The attributes of a resource, or of a block, in Pulumi's spelling. Absent values are left out."""
        found = {}
        for name, value in attributes.items():
            own = self.of(name, path)
            inner = self._value(value, f"{path}{own}")
            if inner is not None:
                found[own] = inner
        return found

    def of(self, name: str, path: str = "") -> str:
        """The name in Pulumi of an attribute below a path, which is empty or ends with a dot."""
        return self._own.get((path, name)) or camel_case(name)

    @functools.cached_property
    def _own(self) -> dict[tuple[str, str], str]:
        """The path around a property and its name in Terraform -> its name in Pulumi."""
        found = {}
        for path, name in self.names.items():
            above, dot, own = path.rpartition(".")
            found[f"{above}{dot}", name] = own
        return found

    def is_block(self, path: str) -> bool:
        """Whether a path in Terraform is a block, not an attribute."""
        return path in self._blocks

    @functools.cached_property
    def _blocks(self) -> frozenset[str]:
        """The paths in Terraform with other properties below them."""
        return frozenset(self.terraform(path.rpartition(".")[0]) for path in self.names)

    @functools.cached_property
    def spelling(self) -> Spelling:
        """How Terraform spells the properties."""
        return Spelling(written=self.terraform, place=self.place, words=self.words, entry=_entry)

    @functools.cached_property
    def spelling_in_json(self) -> Spelling:
        """How Terraform spells the properties in its JSON syntax."""
        return dataclasses.replace(self.spelling, entry=_entry_in_json)

    def place(self, path: str) -> Path:
        """Where a property is in the values of a resource: a block is a list with one element."""
        steps: list[str | int] = []
        at = ""
        for step in path.split("."):
            name, _, index = step.partition("[")
            at = f"{at}.{name}" if at else name
            steps.append(self.terraform(at).rpartition(".")[2])
            if index.rstrip("]").isdecimal():
                steps.append(int(index.rstrip("]")))
            elif self.types.get(at) == "block":
                steps.append(0)
        return tuple(steps)

    def words(self, text: str) -> str:
        """A sentence with the names of properties as Terraform spells them."""
        spelled = _CAMEL.sub(lambda match: self._word(match[0]), text)
        return _VALUE.sub(lambda match: f"`{match[1]} = {match[2] or value_text(match[3])}`", spelled)

    def _word(self, word: str) -> str:
        path = self._by_end.get(word.rpartition(".")[2])
        if path is None:
            return snake_case(word) if word == _OF_ITS_CLUSTER else word
        return self.terraform(word) if word in self.types else self.terraform(path).rpartition(".")[2]

    @functools.cached_property
    def _by_end(self) -> dict[str, str]:
        """The paths of properties by their last name."""
        return {path.rpartition(".")[2]: path for path in self.types}

    def terraform(self, path: str) -> str:
        """The path in Terraform of a property in Pulumi's spelling: ``node_config.taint``."""
        steps, at = [], ""
        for step in path.split("."):
            name, bracket, rest = step.partition("[")
            at = f"{at}.{name}" if at else name
            steps.append((self.names.get(at) or snake_case(name)) + bracket + rest)
        return ".".join(steps)

    def _value(self, value: Any, path: str) -> Any:
        kind = self.types.get(path, "")
        if kind == "map" or not isinstance(value, dict | list):
            return value
        if isinstance(value, dict):
            return self.properties(value, f"{path}.")
        if kind == "block":
            return self._value(value[0], path) if value and value[0] is not None else None
        below = [self.properties(item, f"{path}.") if isinstance(item, dict) else item for item in value]
        return below or None


def set_among(paths: Iterable[str], properties: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths without indexes at which there is a value, in any item of a list on the way."""
    return tuple(path for path in paths if _has(properties, path.split(".")))


def _has(value: object, steps: Sequence[str]) -> bool:
    if isinstance(value, list | tuple):
        return any(_has(item, steps) for item in value)
    if not steps or value is None:
        return value is not None and value is not UNKNOWN
    return isinstance(value, Mapping) and steps[0] in value and _has(value[steps[0]], steps[1:])


def types_of(catalog: Catalog) -> Mapping[str, str]:
    """The type in Terraform, of google and google-beta -> the type in Pulumi."""
    created = {item.type: token for token, item in catalog.terraform.resources.items()}
    return {**created, "google_compute_reservation": RESERVATION}


def type_in_hcl(kind: str, catalog: Catalog) -> str | None:
    """The type in Pulumi of a block of Terraform, or of Pulumi's dialect of HCL: ``gcp_container_node_pool``."""
    types = types_of(catalog)
    if not kind.startswith("gcp_"):
        return types.get(kind)
    return next((token for token in types.values() if _without_marks(token) == kind.replace("_", "")), None)


def _without_marks(token: str) -> str:
    """``gcpcontainernodepool`` of ``gcp:container/nodePool:NodePool``."""
    package, module, name = token.split(":")
    return f"{package}{module.partition('/')[0]}{name}".lower()


@functools.lru_cache(maxsize=64)
def names_of(catalog: Catalog, resource_type: str) -> TerraformNames:
    """The names of the properties of a type in Pulumi; without its schema, lists stay lists."""
    types, names = _schema(catalog, resource_type)
    if resource_type == resource_types.CLUSTER:
        pool_types, pool_names = _schema(catalog, resource_types.NODE_POOL)
        types |= {f"nodePools.{path}": kind for path, kind in pool_types.items()}
        names |= {f"nodePools.{path}": name for path, name in pool_names.items()}
    return TerraformNames(types, names)


def _schema(catalog: Catalog, resource_type: str) -> tuple[dict[str, str], dict[str, str]]:
    """The types of all properties, and their names in Terraform."""
    known = catalog.provider.resources.get(resource_type)
    if known is None:
        return {}, {}
    written = catalog.terraform.resources[resource_type].names
    paths = [path for path in known.properties if '"' not in path]
    names = {path: written.get(path) or snake_case(path.rpartition(".")[2]) for path in paths}
    return {path: item.type for path, item in known.properties.items()}, names


def _entry(path: str, value: object) -> str:
    """A property and its value in HCL."""
    return f"{snake_case(path.rpartition('.')[2])} = {value_text(value)}"


def _entry_in_json(path: str, value: object) -> str:
    """A property and its value in JSON."""
    written = template_text(value) if isinstance(value, str) else value
    return f'"{snake_case(path.rpartition(".")[2])}": {json.dumps(written, ensure_ascii=False, default=dict)}'
