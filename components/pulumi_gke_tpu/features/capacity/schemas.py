"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.capacity.output.json import headroom_schema

SCHEMAS = {"quota": headroom_schema}
