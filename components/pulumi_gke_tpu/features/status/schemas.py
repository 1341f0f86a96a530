"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.status.output.json import status_schema

SCHEMAS = {"status": status_schema}
