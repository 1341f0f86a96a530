"""The JSON Schemas of the data that this feature writes."""

from pulumi_gke_tpu.features.explain.messages.output import diagnosis_schema, symptom_schema
from pulumi_gke_tpu.features.explain.output.json import explain_schema
from pulumi_gke_tpu.features.explain.reference.rule_page import rules_schema

SCHEMAS = {"explain": explain_schema, "rule": rules_schema, "diagnosis": diagnosis_schema, "symptom": symptom_schema}
