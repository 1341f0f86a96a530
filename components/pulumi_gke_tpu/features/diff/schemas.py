"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.diff.output.json import change_schema

SCHEMAS = {"diff": change_schema}
