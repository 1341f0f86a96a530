"""The JSON Schemas of plans and inventories for editors, from the models that read them."""

from typing import Any

from pulumi_gke_tpu.plan import Inventory, Plan
from pulumi_gke_tpu.plan.base import PlanModel

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_ON_AUTOPILOT = {
    "refused": "On Autopilot: refused.",
    "legacy": "On Autopilot: only for a machine type of a legacy family.",
    "noted": "On Autopilot: no effect.",
    "region": "On Autopilot: not every value.",
}
_NUMBER = {"type": "integer", "minimum": 0}
_DEFAULTS = {"const": True, "description": "With its defaults."}


def plan_schema() -> dict[str, Any]:
    """What a plan file may hold, shorthands included. Complete in itself, without an ``$id``."""
    schema = _schema(Plan, "Plan of gke-tpu")
    parts = schema["$defs"]
    _allow(parts["SliceGroup"], "count", {"$ref": "#/$defs/Count"})
    parts["Count"] = {
        "type": "object",
        "description": "Left to the autoscaler: between min and max slices.",
        "properties": {
            "min": {**_NUMBER, "description": "Fewest slices."},
            "max": {**_NUMBER, "minimum": 1, "description": "Most slices."},
        },
        "additionalProperties": False,
    }
    _allow(parts["Exclusion"], "end", {"const": "end_of_support"})
    _allow(parts["Capacity"], "flex_start", _DEFAULTS)
    _allow(parts["Network"], "create", _DEFAULTS)
    return schema


def inventory_schema() -> dict[str, Any]:
    """What an inventory file may hold."""
    return _schema(Inventory, "Inventory of gke-tpu")


def _schema(model: type[PlanModel], title: str) -> dict[str, Any]:
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})
    for part in (*parts.values(), schema):
        part.pop("title", None)
        for value in part.get("properties", {}).values():
            whole = parts.get(value.get("$ref", "").rsplit("/", 1)[-1], {})
            _describe(value, whole.get("description", ""))
    return {"$schema": _DRAFT, "title": title, **schema, "$defs": parts}


def _describe(value: dict[str, Any], otherwise: str) -> None:
    """Say what a key means, also on Autopilot; drop the titles, which only repeat the key."""
    value.pop("title", None)
    on_autopilot = _ON_AUTOPILOT.get(value.pop("autopilot", ""), "")
    value.pop("instead", None)
    value["description"] = " ".join(part for part in (value.get("description", otherwise), on_autopilot) if part)


def _allow(part: dict[str, Any], key: str, form: dict[str, Any]) -> None:
    """Add a shorthand to the forms of a key."""
    forms: list[dict[str, Any]] = part["properties"][key]["anyOf"]
    forms.insert(len(forms) - 1, form)
