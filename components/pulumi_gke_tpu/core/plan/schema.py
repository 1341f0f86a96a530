"""The JSON Schemas of plans, inventories and organization files for editors, from the models that read them."""

from collections.abc import Iterator
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import Inventory, Plan
from pulumi_gke_tpu.core.plan.base import SPEC
from pulumi_gke_tpu.core.plan.files.kinds import ORGANIZATION
from pulumi_gke_tpu.core.plan.schema_forms import (
    FORMS,
    Forms,
    forms_of,
    refine,
    refine_inventory,
    refine_organization,
)

_ADDRESS = "https://OWNER.github.io/pulumi-gke-tpu/docs/schemas"
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ON_AUTOPILOT = {
    "refused": "On Autopilot: refused.",
    "legacy": "On Autopilot: only for a machine type of a legacy family.",
    "noted": "On Autopilot: no effect.",
    "region": "On Autopilot: not every value.",
}
_WITH_CLASS = "With fallback: no effect."
_ON_EXISTING = {
    "fact": "On an existing cluster: a fact about it.",
    "refused": "On an existing cluster: refused.",
    "only": "On a new cluster: refused.",
}


class _PublicNames(GenerateJsonSchema):
    """Gives models their public names in a schema."""

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name).removesuffix(SPEC)


def plan_schema(catalog: Catalog | None = None) -> dict[str, Any]:
    """What a plan file may contain, shorthands included. Names are those of the catalog, by default the shipped one."""
    schema = Plan.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    _require_one(schema["$defs"]["Cluster"], "location", "existing")
    catalog = catalog or read_catalog()
    refine(schema, catalog)
    finished = _finished(schema, "Plan of gke-tpu", "plan", forms_of(catalog))
    _by_type(finished)
    return finished


def inventory_schema() -> dict[str, Any]:
    """What an inventory file may contain."""
    schema = Inventory.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    refine_inventory(schema)
    return _finished(schema, "Inventory of gke-tpu", "inventory", FORMS)


def organization_schema() -> dict[str, Any]:
    """What an organization file may contain."""
    schema = ORGANIZATION.model.model_json_schema(schema_generator=_PublicNames)
    _without_null(schema)
    refine_organization(schema, read_catalog())
    return _finished(schema, "Organization file of gke-tpu", "organization", FORMS)


def _finished(schema: dict[str, Any], title: str, name: str, forms: Forms) -> dict[str, Any]:
    parts = schema.pop("$defs", {})
    for part in (*parts.values(), schema):
        part.pop("title", None)
        for value in part.get("properties", {}).values():
            whole = parts.get(value.get("$ref", "").rsplit("/", 1)[-1], {})
            _describe(value, whole.get("description", ""), forms)
    return {"$schema": _DRAFT, "$id": f"{_ADDRESS}/{name}.schema.json", "title": title, **schema, "$defs": parts}


def _describe(value: dict[str, Any], otherwise: str, forms: Forms) -> None:
    """Describe a key, also on Autopilot and on existing clusters, and the form of its texts.

    Drop the titles, which only repeat the key.
    """
    value.pop("title", None)
    on_autopilot = _ON_AUTOPILOT.get(value.pop("autopilot", ""), "")
    on_existing = _ON_EXISTING.get(value.pop("existing", ""), "")
    value.pop("instead", None)
    value.pop("effect", None)
    value.pop("instead_existing", None)
    with_class = _WITH_CLASS if value.pop("instead_class", "") else ""
    parts = (value.get("description", otherwise), on_autopilot, on_existing, with_class)
    value["description"] = " ".join(part for part in parts if part)
    form = value.pop("form", "")
    for part in _parts_of(value):
        if part.get("type") == "string" and (form or "form" in part):
            part.update(forms[part.pop("form", form)])


def _parts_of(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A schema, and those of its alternatives, entries and values."""
    yield value
    for part in (*value.get("anyOf", ()), value.get("items"), value.get("additionalProperties")):
        if isinstance(part, dict):
            yield from _parts_of(part)


def _without_null(schema: Any) -> None:
    """Remove null from alternatives.

    A key without a value is an error (TPU022), and editors name a nested typo only if there is one alternative.
    """
    if isinstance(schema, list):
        for item in schema:
            _without_null(item)
    if not isinstance(schema, dict):
        return
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    forms = schema.get("anyOf", [])
    if {"type": "null"} in forms:
        forms.remove({"type": "null"})
        if len(forms) == 1:
            del schema["anyOf"]
            schema |= {key: value for key, value in forms[0].items() if key != "description" or key not in schema}
    for value in schema.values():
        _without_null(value)


def _by_type(schema: Any) -> None:
    """Select an alternative by its type, so that editors name a typo in a mapping instead of expecting a word."""
    if isinstance(schema, list):
        for item in schema:
            _by_type(item)
    if not isinstance(schema, dict):
        return
    forms = schema.get("anyOf", [])
    mappings = [form for form in forms if "$ref" in form or form.get("type") == "object"]
    words = [form for form in forms if form not in mappings]
    if mappings and words:
        del schema["anyOf"]
        schema["if"] = {"type": "object"}
        schema["then"] = mappings[0] if len(mappings) == 1 else _network(*mappings)
        schema["else"] = words[0] if len(words) == 1 else {"anyOf": words}
    for value in schema.values():
        _by_type(value)


def _network(either: dict[str, Any], existing: dict[str, Any]) -> dict[str, Any]:
    """The two mappings of the key `network`: `create` or `existing`, and the keys of `existing` directly."""
    direct = {"anyOf": [{"required": ["network"]}, {"required": ["subnetwork"]}]}
    return {"if": direct, "then": existing, "else": either}


def _require_one(part: dict[str, Any], key: str, other: str) -> None:
    """Let another key stand for a required one."""
    part["required"].remove(key)
    part["anyOf"] = [{"required": [name]} for name in (key, other)]
