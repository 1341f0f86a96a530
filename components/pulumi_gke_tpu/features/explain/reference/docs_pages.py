"""The generated part of the documentation: rules, policies, keys of a plan, JSON Schemas."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pulumi_gke_tpu.core.catalog.records.facts import Source
from pulumi_gke_tpu.core.output.schemas import all_schemas
from pulumi_gke_tpu.core.rules import Rule
from pulumi_gke_tpu.features.explain.reference.plan_keys import (
    inventory_keys_page,
    organization_keys_page,
    plan_keys_page,
)
from pulumi_gke_tpu.features.explain.reference.rule_page import rule_pages
from pulumi_gke_tpu.features.policy_pack.page import policy_page


def docs_pages(rules: Iterable[Rule[Any]], sources: Mapping[str, Source]) -> dict[str, str]:
    """Path below ``docs/`` -> content of every generated page and schema."""
    pages = {f"rules/{name}": page for name, page in rule_pages(rules, sources).items()}
    pages["plan-keys.md"] = plan_keys_page()
    pages["inventory-keys.md"] = inventory_keys_page()
    pages["organization-keys.md"] = organization_keys_page()
    pages["policies.md"] = policy_page()
    for name, schema in all_schemas().items():
        pages[f"schemas/{name}.schema.json"] = _json(schema)
    return pages


def _json(schema: Callable[[], dict[str, Any]]) -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
