"""The JSON Schemas by name: of the files that this tool reads, and of the data that features write."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from pulumi_gke_tpu.core.catalog.document import json_schema as catalog_schema
from pulumi_gke_tpu.core.modules import in_features
from pulumi_gke_tpu.core.output.json import findings_schema
from pulumi_gke_tpu.core.plan.schema import inventory_schema, organization_schema, plan_schema

READ: dict[str, Callable[[], dict[str, Any]]] = {
    "plan": plan_schema,
    "inventory": inventory_schema,
    "organization": organization_schema,
    "catalog": catalog_schema,
}
"""Of files; the one of the catalog is of an overlay."""


@functools.cache
def all_schemas() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every schema: those of files first, then those of the data that ``--format json`` writes, by name.

    A feature has its schemas in ``SCHEMAS`` of its module ``schemas``.
    """
    written = {"findings": findings_schema}
    for module in in_features("schemas"):
        written |= importlib.import_module(module).SCHEMAS
    return {**READ, **dict(sorted(written.items()))}
