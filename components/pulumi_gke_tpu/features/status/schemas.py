"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.status.output.json import doctor_schema, status_schema

SCHEMAS = {"status": status_schema, "doctor": doctor_schema}
