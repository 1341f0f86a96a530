"""Replaces resources for what the provider updates in place although GKE fixed it at creation.

The graph lists these properties (``replace_on_changes``). Terraform has no such option, but replaces a resource if
something else changes: a resource that a property refers to, or a ``terraform_data`` with the values of the properties.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declared, Ref
from pulumi_gke_tpu.core.graph.model import NODE_POOL, instances_in
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.pools import ResourceFamily, is_autoscaled
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name
from pulumi_gke_tpu.features.export.terraform.syntax import Attribute, Block, Expression, Gap

_KIND = "terraform_data"
_SHAPE, _AUTOSCALED = "shape", "autoscaled"
_SIZE = "autoscaling"


@frozen
class ReplaceTriggers:
    """What replaces a resource."""

    triggers: tuple[str, ...] = ()
    by_values: bool = False
    """Whether a ``terraform_data`` has the values."""
    block: Block | None = None
    """The ``terraform_data``, only with the first resource that refers to it."""


def replacement_of(family: ResourceFamily, addresses: Addresses, catalog: Catalog) -> ReplaceTriggers:
    """What replaces the resource of a family in Terraform."""
    first = family.first
    paths = [path for path in first.options.replace_on_changes if not _replaced_by_provider(catalog, first, path)]
    if not paths:
        return ReplaceTriggers()
    refs = [ref for path in paths for ref in instances_in(_at(first.properties, path), Ref)]
    if refs:
        return ReplaceTriggers(tuple(dict.fromkeys(map(addresses.id_of, refs))))
    spelling = addresses.spelling(first.type)
    shape = {path: _at(first.properties, path) for path in paths if path != _SIZE}
    values = {spelling.traversal(path).rpartition(".")[2]: value for path, value in shape.items() if value is not None}
    name = trigger_name(family, family.key, addresses)
    trigger = f"{_KIND}.{name}{'[each.key]' if family.of_slices else ''}.input"
    if not family.of_slices:
        body = (Attribute("input", {_SHAPE: values}),)
        return ReplaceTriggers((f"{trigger}.{_SHAPE}",), True, Block("resource", (_KIND, name), body))
    slices = addresses.slices(family.key)
    triggers = [f"{trigger}.{_SHAPE}", *([f"{trigger}.{_AUTOSCALED}"] if _SIZE in paths else [])]
    block = Block("resource", (_KIND, name), tuple(_of_slices(family, slices, values)))
    written_before = slices[0].key != first.key
    return ReplaceTriggers(tuple(triggers), True, None if written_before else block)


def trigger_name(family: ResourceFamily, key: str, addresses: Addresses) -> str:
    """The name of the ``terraform_data`` for a key: all node pools of a group have one in common."""
    kind = family.first.type
    return resource_name(key if kind == NODE_POOL else f"{key}/{addresses.spelling(kind).type}")


def _of_slices(family: ResourceFamily, slices: list[Declared], values: Mapping[str, Any]) -> Iterator[Attribute | Gap]:
    autoscaled = {family.instance(item): is_autoscaled(item) for item in slices}
    yield Attribute("for_each", autoscaled)
    yield Gap()
    yield Attribute("input", {_AUTOSCALED: Expression("each.value"), _SHAPE: dict(values)})


def _replaced_by_provider(catalog: Catalog, resource: Declared, path: str) -> bool:
    change = change_of(catalog.provider, resource.type, path)
    return change is not None and change.change == "replace"


def _at(properties: Mapping[str, Any], path: str) -> Any:
    """The value at a path; None where there is none."""
    value: Any = properties
    for step in parse_path(path):
        if not isinstance(value, Mapping) or step not in value:
            return None
        value = value[step]
    return value
