"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.cost.output.json import cost_schema
from pulumi_gke_tpu.features.cost.recommend.output.json import recommendation_schema

SCHEMAS = {"cost": cost_schema, "recommend": recommendation_schema}
