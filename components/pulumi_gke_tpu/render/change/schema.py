"""The JSON Schema of :func:`pulumi_gke_tpu.render.change.json.change_json`, taken from the classes that it writes."""

from typing import Any

from pulumi_gke_tpu.change.model import CLASSES, ChangeReport
from pulumi_gke_tpu.render.change.form import SPECIAL_DEFINITIONS, definitions, properties_of
from pulumi_gke_tpu.render.change.json import FORMAT
from pulumi_gke_tpu.render.change.page import ChangePage


def change_schema() -> dict[str, Any]:
    """The schema, complete in itself."""
    count = {"type": "integer", "minimum": 0}
    page = properties_of(ChangePage)
    properties = {
        "format": {"const": FORMAT, "description": "Version of this form."},
        "dangerous": {"type": "boolean", "description": "Whether any item needs a second look."},
        "counts": {
            "description": "How many items there are of each class.",
            "type": "object",
            "properties": dict.fromkeys(CLASSES, count),
            "required": list(CLASSES),
            "additionalProperties": False,
        },
        **properties_of(ChangeReport),
        **{name: page[name] for name in page if name != "report"},
    }
    records = definitions(ChangePage)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What a change does",
        "description": "What `gke-tpu diff --format json` writes. Money is in USD, as text; null is unknown.",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": {
            **{name: record for name, record in records.items() if name not in ("ChangePage", "ChangeReport")},
            **SPECIAL_DEFINITIONS,
        },
    }
