"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.adopt.output.json import adoption_schema, drift_schema

SCHEMAS = {"adopt": adoption_schema, "drift": drift_schema}
