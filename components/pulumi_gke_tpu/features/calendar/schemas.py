"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.calendar.output.json import calendar_schema

SCHEMAS = {"calendar": calendar_schema}
