"""The JSON Schemas of the data that this feature reads and writes."""

from pulumi_gke_tpu.features.status.folder_schema import snapshot_schema
from pulumi_gke_tpu.features.status.output.json import doctor_schema, status_schema

SCHEMAS = {"status": status_schema, "doctor": doctor_schema, "snapshot": snapshot_schema}
