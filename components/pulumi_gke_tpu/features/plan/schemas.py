"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.plan.preview.json import preview_schema

SCHEMAS = {"preview": preview_schema}
