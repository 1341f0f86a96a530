"""The IDs by which ``import`` blocks find resources that exist."""

import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Key, Ref
from pulumi_gke_tpu.core.graph.resource_types import ACCOUNT
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.values import Values
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.syntax import Block, StaticReference, attributes

Existing = Mapping[tuple[str, str], str]
"""Resources that exist, by type and import ID, each with its status in GKE; empty if the source has none."""
_NAMED_BY_PATH = ("cluster", "region", "router")
"""Properties that sources may spell as the path or the address of a resource."""
_WORKING = ("", "RUNNING", "RECONCILING")


@frozen(eq=False)
class ImportPlan:
    """What Terraform imports, and what it creates."""

    ids: Mapping[Key, str]
    types: Mapping[Key, str]
    created: tuple[Key, ...] = ()


def import_plan(declared: Declarations, catalog: Catalog, existing: Existing | None) -> ImportPlan:
    """The IDs of the resources that exist; ``existing`` is None if all of them do."""
    made = {item.key: item for item in declared if item.custom}
    ids: dict[Key, str] = {}
    for item in made.values():
        values = {name: _known(item.properties[name], made, catalog) for name in _names(catalog, item.type)}
        identity = catalog.terraform.resources[item.type].import_id.format(**values)
        if existing is None or (item.type, identity) in existing:
            ids[item.key] = identity
    types = {key: item.type for key, item in made.items()}
    return ImportPlan(ids, types, tuple(key for key in made if key not in ids))


def import_blocks(imports: ImportPlan, addresses: Addresses) -> Iterator[Block]:
    """One block for each resource, which takes it into the state. It has no effect on one that is in the state."""
    for key, identity in imports.ids.items():
        yield Block("import", (), attributes({"to": StaticReference(addresses.address(key)), "id": identity}))


def existing_resources(found: Iterable[RawResource], catalog: Catalog) -> Existing:
    """The resources in files of other tools, as far as the files tell what identifies them."""
    existing: dict[tuple[str, str], str] = {}
    for raw in found:
        if raw.type in catalog.terraform.resources and raw.existing is not None:
            values = {name: _read(raw, raw.existing, name) for name in _names(catalog, raw.type)}
            if all(values.values()):
                identity = catalog.terraform.resources[raw.type].import_id.format(**values)
                existing.setdefault((raw.type, identity), raw.existing.known_text("status"))
    return existing


def notes(imports: ImportPlan, addresses: Addresses, existing: Existing) -> Iterator[str]:
    """What a person should know before the apply."""
    for key in imports.created:
        yield f"{addresses.address(key)}: not in SOURCE, so Terraform creates it"
    for key, identity in imports.ids.items():
        status = existing[imports.types[key], identity]
        if status not in _WORKING:
            yield f"{addresses.address(key)}: its status is {status}, which no plan of Terraform shows"


def _names(catalog: Catalog, resource_type: str) -> list[str]:
    """The properties in the import ID of a type."""
    written = catalog.terraform.resources[resource_type].import_id
    return [name for _, name, _, _ in string.Formatter().parse(written) if name]


def _known(value: object, made: dict[str, Declared], catalog: Catalog) -> Any:
    """A value without Terraform: a reference leads to the name or the e-mail address of its resource."""
    if not isinstance(value, Ref):
        return value
    target = made[value.resource]
    if target.type == ACCOUNT:
        identity = catalog.terraform.resources[ACCOUNT].import_id.format(**target.properties)
        email = identity.rpartition("/")[2]
        return f"serviceAccount:{email}" if value.property == "member" else email
    return target.properties["name"]


def _read(raw: RawResource, values: Values, name: str) -> str:
    """A property as the import ID has it; empty if the source does not contain it."""
    if name == "project":
        return raw.effective_project
    value = values.known_text(name)
    if name == "accountId" and not value:
        value = values.known_text("email").partition("@")[0]
    if name == "bucket":
        return value.removeprefix("b/")
    return value.rpartition("/")[2] if name in _NAMED_BY_PATH else value
