"""The blocks of a resource: its properties, its lifecycle, and where it was before."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.resource_types import NODE_POOL
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.imports import ImportPlan
from pulumi_gke_tpu.features.export.terraform.pools import ResourceFamily
from pulumi_gke_tpu.features.export.terraform.replacement import ReplaceTriggers, replacement_of, trigger_name
from pulumi_gke_tpu.features.export.terraform.spelling import FIRST, TerraformSpelling, resource_name
from pulumi_gke_tpu.features.export.terraform.syntax import (
    Attribute,
    Block,
    Comment,
    Expression,
    Gap,
    Item,
    StaticReference,
    attributes,
)
from pulumi_gke_tpu.features.export.terraform.variables import NO_VARIABLES, ModuleVariables

_LONGEST_PATH = 200
_DEFAULT_POOL = "removeDefaultNodePool"
"""Has an effect at creation; for a cluster that exists, it deletes the pool."""
_REPLACES = "A change of these values replaces node pools: the provider would plan an update that never takes effect."


@frozen
class ResourceForm:
    """What decides how resources are written."""

    addresses: Addresses
    catalog: Catalog
    variables: ModuleVariables = NO_VARIABLES
    imports: ImportPlan | None = None
    """The resources that exist: nothing may be replaced because its ``terraform_data`` is new."""


def resource_blocks(family: ResourceFamily, form: ResourceForm) -> Iterator[Item]:
    """The resource, and the ``terraform_data`` whose change replaces it."""
    addresses = form.addresses
    spelling, first = addresses.spelling(family.first.type), family.first
    replacement = replacement_of(family, addresses, form.catalog)
    if replacement.block is not None:
        yield Comment(_REPLACES)
        yield replacement.block
        yield Gap()
    place = f"{printable(first.plan_path, _LONGEST_PATH)}"
    yield Comment(place)
    head: list[Item] = []
    lacking, unsent = spelling.lacking(first.properties), spelling.unsent(first.properties)
    head += [Comment(f"The provider google lacks {', '.join(lacking)}.")] if lacking else []
    head += [Comment(f"The provider google takes {', '.join(unsent)}, but never sends it.")] if unsent else []
    if head:
        head += [Attribute("provider", StaticReference("google-beta")), Gap()]
    properties = {name: addresses.value(value) for name, value in first.properties.items() if value is not None}
    properties = form.variables.applied(properties)
    if family.of_slices:
        names = {family.instance(item): addresses.value(item.properties["name"]) for item in family.resources}
        head += [Attribute("for_each", names), Gap()]
        properties["name"] = Expression("each.value")
    body = [*head, *_top(spelling, properties), *_options(family, form, replacement)]
    yield Block("resource", (spelling.type, family.name), tuple(body))


def _top(spelling: TerraformSpelling, properties: Mapping[str, Any]) -> Iterator[Item]:
    """The properties of a resource, with an empty line before each block."""
    for item in _properties(spelling, properties, ""):
        if isinstance(item, Block) or isinstance(getattr(item, "value", None), dict):
            yield Gap()
        yield item


def _properties(spelling: TerraformSpelling, properties: Mapping[str, Any], before: str) -> Iterator[Attribute | Block]:
    """Attributes, then maps, then blocks, each sorted by name; those that identify a resource come first."""
    found: list[tuple[int, str, Attribute | Block]] = []
    for key, value in properties.items():
        path = f"{before}{key}"
        name = spelling.name(path)
        if value is None:
            continue
        if not spelling.is_block(path, value):
            rank = 2 if isinstance(value, Mapping) else 1
            if not before and name in FIRST:
                rank = FIRST.index(name) - len(FIRST)
            found.append((rank, name, Attribute(name, value)))
            continue
        for item in value if isinstance(value, list | tuple) else [value]:
            inner = tuple(_properties(spelling, item, f"{path}."))
            found.append((3, name, Block(name, (), inner)))
    # The order of blocks of one name is that of the graph.
    return (item for _, _, item in sorted(found, key=lambda entry: entry[:2]))


def _options(family: ResourceFamily, form: ResourceForm, replacement: ReplaceTriggers) -> Iterator[Item]:
    options, addresses = family.first.options, form.addresses
    spelling = addresses.spelling(family.first.type)
    if options.custom_timeouts:
        yield Gap()
        yield Block("timeouts", (), attributes(dict(sorted(options.custom_timeouts))))
    triggers = replacement.triggers
    if form.imports is not None and (replacement.block is not None or form.imports.created):
        triggers = ()
    lifecycle = attributes(
        {
            "create_before_destroy": True if options.delete_before_replace is False else None,
            "prevent_destroy": True if options.protect else None,
            "ignore_changes": _static(map(spelling.traversal, _ignored(family, form))),
            "replace_triggered_by": _static(triggers),
        }
    )
    if lifecycle:
        yield Gap()
        yield Block("lifecycle", (), lifecycle)
    needed = addresses.dependencies(options.depends_on)
    if needed:
        yield Gap()
        yield Attribute("depends_on", _static(needed))


def _ignored(family: ResourceFamily, form: ResourceForm) -> tuple[str, ...]:
    """The properties that Terraform does not compare.

    For an imported cluster it would delete the default pool, and taints of an imported pool it cannot read. Of an
    adopted resource it would store the timeouts in an update of its own.
    """
    properties, options = family.first.properties, family.first.options
    ignored = options.ignore_changes
    if options.adopted and options.custom_timeouts:
        ignored = (*ignored, "timeouts")
    if properties.get(_DEFAULT_POOL) is not None:
        ignored = (*ignored, _DEFAULT_POOL)
    tainted = form.imports is not None and (properties.get("nodeConfig") or {}).get("taints")
    if not tainted or family.first.type != NODE_POOL or "nodeConfig.taints" in ignored:
        return ignored
    return (*ignored, "nodeConfig.taints")


def _static(texts: Iterable[str]) -> list[StaticReference] | None:
    return [StaticReference(text) for text in texts] or None


def moved_blocks(family: ResourceFamily, form: ResourceForm) -> Iterator[Block]:
    """Where a resource and its ``terraform_data`` were before: under other keys of the plan.

    Terraform follows a chain of moves, and refuses two moves to one address.
    """
    if not family.former:
        return
    keys = (*reversed(family.former), family.key)
    kind = form.addresses.spelling(family.first.type).type
    if replacement_of(family, form.addresses, form.catalog).block is not None:
        yield from _chain("terraform_data", [trigger_name(family, key, form.addresses) for key in keys])
    yield from _chain(kind, [resource_name(key) for key in keys])


def _chain(kind: str, names: Sequence[str]) -> Iterator[Block]:
    for source, target in itertools.pairwise(names):
        places = {"from": StaticReference(f"{kind}.{source}"), "to": StaticReference(f"{kind}.{target}")}
        yield Block("moved", (), attributes(places))
