"""The status of a fleet as data."""

from typing import Any

from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.status.model import Diagnosed, FleetStatus

FORMAT = 1


def status_json(status: FleetStatus | Diagnosed) -> dict[str, Any]:
    """A status, or what a plan needs, as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, "wrong": status.is_wrong, **to_data(status)}


def status_schema() -> dict[str, Any]:
    """The JSON Schema of a status."""
    return _schema(FleetStatus, "Status", "status")


def doctor_schema() -> dict[str, Any]:
    """The JSON Schema of what a plan needs."""
    return _schema(Diagnosed, "Doctor", "doctor")


def _schema(kind: type[FleetStatus | Diagnosed], title: str, command: str) -> dict[str, Any]:
    schema = schema_of(kind, title=title, description=f"What `gke-tpu {command} --format json` writes.")
    version = "The version of this format. A new key keeps it; removing or changing a key raises it."
    first = {"format": {"const": FORMAT, "description": version}}
    first["wrong"] = {"type": "boolean", "description": "Whether anything is wrong, missing or not as planned."}
    schema["properties"] = {**first, **schema["properties"]}
    schema["required"] = [*first, *schema["required"]]
    return schema
