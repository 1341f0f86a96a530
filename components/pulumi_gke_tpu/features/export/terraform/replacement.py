"""Replaces resources for what the provider updates in place although GKE fixed it at creation.

The graph lists these properties (``replace_on_changes``). Terraform has no such option, but replaces a resource if
something else changes: a resource that a property refers to, or a ``terraform_data`` with the values of the properties.
"""

import functools
import re

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.catalog.records.provider import change_of
from pulumi_gke_tpu.core.catalog.spelling import snake_case
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Ref
from pulumi_gke_tpu.core.graph.model import instances_in
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.text.formats.property_path import parse_path, value_at
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.pools import ResourceFamily
from pulumi_gke_tpu.features.export.terraform.spelling import resource_name
from pulumi_gke_tpu.features.export.terraform.syntax import Attribute, Block

_KIND = "terraform_data"
_AUTOSCALED = "autoscaled"
_SIZE = "autoscaling"


@frozen
class ReplaceTriggers:
    """What replaces a resource."""

    triggers: tuple[str, ...] = ()
    block: Block | None = None
    """The ``terraform_data`` with the values, if the triggers are values."""


def replacement_of(family: ResourceFamily, addresses: Addresses, catalog: Catalog) -> ReplaceTriggers:
    """What replaces the resource of a family in Terraform."""
    first = family.first
    paths = _left_to_terraform(catalog, first.type, first.options.replace_on_changes)
    if not paths:
        return ReplaceTriggers()
    refs = [ref for path in paths for ref in instances_in(value_at(first.properties, parse_path(path)), Ref)]
    if refs:
        return ReplaceTriggers(tuple(dict.fromkeys(map(addresses.id_of, refs))))
    # A property that is left out is not named: the provider then keeps the value that GKE reports.
    values = {path: value for path in paths if (value := value_at(first.properties, parse_path(path))) is not None}
    inputs = {_name(path): value for path, value in values.items()}
    named = list(inputs)
    if family.of_slices:
        inputs[_AUTOSCALED] = first.properties.get(_SIZE) is not None
        # Only a slice that is not autoscaled has this among its paths: GKE cannot resize it.
        named += [_AUTOSCALED] if _SIZE in paths else []
    name = trigger_name(family, family.key, addresses)
    block = Block("resource", (_KIND, name), (Attribute("input", dict(sorted(inputs.items()))),))
    return ReplaceTriggers(tuple(f"{_KIND}.{name}.input.{item}" for item in sorted(named)), block)


def _name(path: str) -> str:
    """The attribute for a property: the end of its path, in words that Terraform allows after a period."""
    last = str(parse_path(path)[-1]).rpartition("/")[2]
    return re.sub(r"[^a-z0-9]+", "_", snake_case(last))


def trigger_name(family: ResourceFamily, key: str, addresses: Addresses) -> str:
    """The name of the ``terraform_data`` for a key: all node pools of a group have one in common."""
    kind = family.first.type
    return resource_name(key if kind == NODE_POOL else f"{key}/{addresses.spelling(kind).type}")


@functools.lru_cache(maxsize=64)
def _left_to_terraform(catalog: Catalog, resource_type: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths whose change the provider itself does not answer with a replacement."""
    changes = {path: change_of(catalog.provider, resource_type, path) for path in paths}
    return tuple(path for path, change in changes.items() if change is None or change.change != "replace")
