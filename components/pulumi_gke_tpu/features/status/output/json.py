"""The status of a fleet as data."""

from typing import Any

from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.status.model import FleetStatus

FORMAT = 1


def status_json(status: FleetStatus) -> dict[str, Any]:
    """A status as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, "wrong": status.is_wrong, **to_data(status)}


def status_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`status_json`."""
    schema = schema_of(FleetStatus, title="Status", description="What `gke-tpu status --format json` writes.")
    version = "The version of this format. A new key keeps it; removing or changing a key raises it."
    first = {"format": {"const": FORMAT, "description": version}}
    first["wrong"] = {"type": "boolean", "description": "Whether anything is wrong or differs from the plan."}
    schema["properties"] = {**first, **schema["properties"]}
    schema["required"] = [*first, *schema["required"]]
    return schema
