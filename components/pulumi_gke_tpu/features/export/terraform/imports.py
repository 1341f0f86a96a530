"""The IDs by which ``import`` blocks find resources that exist."""

import string
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.graph.declared import Declarations, Declared, Ref
from pulumi_gke_tpu.core.graph.model import ACCOUNT
from pulumi_gke_tpu.features.export.terraform.addresses import Addresses
from pulumi_gke_tpu.features.export.terraform.syntax import Block, StaticReference, attributes


def import_blocks(declared: Declarations, addresses: Addresses, catalog: Catalog) -> Iterator[Block]:
    """One block for each resource, which takes it into the state. It has no effect on one that is in the state."""
    made = {item.key: item for item in declared if item.custom}
    for item in made.values():
        written = catalog.terraform.resources[item.type].import_id
        names = [name for _, name, _, _ in string.Formatter().parse(written) if name]
        found = written.format(**{name: _known(item.properties[name], made, catalog) for name in names})
        yield Block("import", (), attributes({"to": StaticReference(addresses.address(item.key)), "id": found}))


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
