"""Every JSON Schema of this tool by name: of the files it reads, and of the data it writes."""

from collections.abc import Callable
from typing import Any

from pulumi_gke_tpu.core.catalog.document import json_schema as catalog_schema
from pulumi_gke_tpu.core.output.json import findings_schema
from pulumi_gke_tpu.core.plan.schema import inventory_schema, organization_schema, plan_schema
from pulumi_gke_tpu.features.calendar.output.json import calendar_schema
from pulumi_gke_tpu.features.capacity.output.json import headroom_schema
from pulumi_gke_tpu.features.cost.output.json import cost_schema
from pulumi_gke_tpu.features.cost.recommend.output.json import recommendation_schema
from pulumi_gke_tpu.features.diff.output.json import change_schema
from pulumi_gke_tpu.features.explain.output.json import explain_schema
from pulumi_gke_tpu.features.explain.reference.rule_json import rules_schema
from pulumi_gke_tpu.features.plan.preview.json import preview_schema

SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "plan": plan_schema,
    "inventory": inventory_schema,
    "organization": organization_schema,
    "catalog": catalog_schema,
    "findings": findings_schema,
    "preview": preview_schema,
    "diff": change_schema,
    "calendar": calendar_schema,
    "cost": cost_schema,
    "quota": headroom_schema,
    "recommend": recommendation_schema,
    "explain": explain_schema,
    "rule": rules_schema,
}
"""plan, inventory, organization and catalog (an overlay) are read; the others are written with ``--format json``."""
