"""The blocks of a resource: its properties, its lifecycle, and where it was before."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import printable
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.pools import ResourceFamily
from pulumi_gke_tpu.features.export.terraform.replacement import ReplaceTriggers, replacement_of, trigger_name
from pulumi_gke_tpu.features.export.terraform.spelling import FIRST, TerraformSpelling
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

_LONGEST_PATH = 200
_REPLACES = "A change of these values replaces node pools: the provider would plan an update that never takes effect."


@frozen
class ResourceForm:
    """What decides how resources are written."""

    addresses: Addresses
    catalog: Catalog
    importing: bool = False
    """Whether the resources exist: then nothing may be replaced because its ``terraform_data`` is new."""


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
    lacking = spelling.lacking(first.properties)
    if lacking:
        head += [
            Comment(f"The provider google lacks {', '.join(lacking)}."),
            Attribute("provider", StaticReference("google-beta")),
            Gap(),
        ]
    properties = {name: addresses.value(value) for name, value in first.properties.items() if value is not None}
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
    triggers = () if form.importing and replacement.by_values else replacement.triggers
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
    """The properties that Terraform does not compare: also taints of an imported pool, which it cannot read."""
    ignored = family.first.options.ignore_changes
    tainted = form.importing and (family.first.properties.get("nodeConfig") or {}).get("taints")
    return (*ignored, "nodeConfig.taints") if tainted else ignored


def _static(texts: Iterable[str]) -> list[StaticReference] | None:
    return [StaticReference(text) for text in texts] or None


def moved_blocks(family: ResourceFamily, form: ResourceForm) -> Iterator[Block]:
    """Where a resource was before, so that Terraform does not replace it: under another key, or as the other kind.

    Terraform follows a chain of moves, and refuses two moves to one address.
    """
    spelling = form.addresses.spelling(family.first.type)
    own, *others = family.names_of(family.key)
    before = [name for key in reversed(family.former) for name in reversed(family.names_of(key))]
    chain = [f"{spelling.type}.{name}" for name in (*before, *others, own)]
    if len(chain) == 1:
        return
    for index in (f'["{family.instance(item)}"]' if family.of_slices else "" for item in family.resources):
        for source, target in itertools.pairwise(chain):
            yield _moved(f"{source}{index}", f"{target}{index}")


def moved_triggers(family: ResourceFamily, form: ResourceForm) -> Iterator[Block]:
    """The same for the ``terraform_data`` of a resource."""
    replacement = replacement_of(family, form.addresses, form.catalog)
    if replacement.block is None:
        return
    names = [trigger_name(family, key, form.addresses) for key in (*reversed(family.former), family.key)]
    for source, target in itertools.pairwise(names):
        yield _moved(f"terraform_data.{source}", f"terraform_data.{target}")


def _moved(source: str, target: str) -> Block:
    return Block("moved", (), attributes({"from": StaticReference(source), "to": StaticReference(target)}))
