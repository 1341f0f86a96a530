"""How Terraform spells names, types, properties and paths of what the graph has."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.resources.terraform_names import set_among
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_ROLE = lazy_pattern(r"(?:^|/)roles/([A-Za-z.]+)\Z")
_PLAIN = lazy_pattern(r"[a-z0-9_]+(?:-[a-z0-9_]+)*(?:/[a-z0-9_]+(?:-[a-z0-9_]+)*)*\Z")
_DIGITS_OF_HASH = 6
FIRST = ("name", "account_id", "cluster", "project", "location", "region")
"""The attributes that come first in a block."""


def resource_name(key: str) -> str:
    """The name of a resource in Terraform for its key in the plan: ``train_east__pretrain`` for train-east/pretrain.

    Different keys have different names: a key with other characters than names of GKE gets a hash.
    """
    role = _ROLE.search(key)
    plain = key if role is None else f"{key[: role.start()]}/{snake_case(role[1]).replace('.', '_')}"
    name = re.sub(r"[^A-Za-z0-9_]", "_", plain.replace("/", "__"))
    if not _PLAIN.match(plain):
        name += f"_{hashlib.sha256(key.encode()).hexdigest()[:_DIGITS_OF_HASH]}"
    return name if name[:1].isalpha() else f"_{name}"


class TerraformSpelling:
    """The names of one resource type."""

    def __init__(self, catalog: Catalog, resource_type: str) -> None:
        self._names = catalog.terraform.resources[resource_type]
        self._properties = catalog.provider.resources[resource_type].properties
        self._written: dict[str, str] = {}

    @property
    def type(self) -> str:
        """The type in Terraform."""
        return self._names.type

    def name(self, path: str) -> str:
        """The name of a property, by its path in the graph."""
        written = self._written.get(path)
        if written is None:
            written = self._names.names.get(path) or snake_case(path.rpartition(".")[2])
            self._written[path] = written
        return written

    def is_block(self, path: str, value: object) -> bool:
        """Whether Terraform has a block or several for a property; of an unknown one its value decides."""
        known = self._properties.get(path)
        if known is not None:
            return known.type in ("block", "blocks")
        items = value if isinstance(value, list | tuple) else [value]
        return bool(items) and all(isinstance(item, Mapping) for item in items)

    def traversal(self, path: str) -> str:
        """A path of the graph as Terraform writes it: ``node_config[0].taint``."""
        written, here = "", ""
        for step in parse_path(path):
            if not isinstance(step, str):
                continue
            inside = written and self.is_block(here, {})
            if written and self._is_map(here):
                return f'{written}["{step}"]'
            here = f"{here}.{step}" if here else step
            written = f"{written}{'[0]' if inside else ''}{'.' if written else ''}{self.name(here)}"
        return written

    def _is_map(self, path: str) -> bool:
        known = self._properties.get(path)
        return known is not None and known.type == "map"

    def lacking(self, properties: Mapping[str, Any]) -> tuple[str, ...]:
        """The properties among those that are set that only google-beta has, as Terraform writes them."""
        return self._among(properties, self._names.beta)

    def unsent(self, properties: Mapping[str, Any]) -> tuple[str, ...]:
        """The properties among those that are set that google has, but never sends."""
        return self._among(properties, self._names.unsent)

    def needs_beta(self, properties: Mapping[str, Any]) -> bool:
        """Whether only google-beta creates a resource as it is wanted."""
        return bool(self.lacking(properties) or self.unsent(properties))

    def _among(self, properties: Mapping[str, Any], listed: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(map(self.traversal, set_among(listed, properties))))
