"""Explanations as JSON for programs."""

from typing import Any

from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data
from pulumi_gke_tpu.features.explain.steps import Explanation

FORMAT = 1
"""The version of this format. A new key keeps it; removing or changing a key raises it."""


def explain_json(explanation: Explanation) -> dict[str, Any]:
    """Give an explanation as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, **to_data(explanation)}


def explain_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`explain_json`."""
    schema = schema_of(
        Explanation, title="Explanation", description="What `gke-tpu explain --format json` writes, except for rules."
    )
    version = "The version of this format. A new key keeps it; removing or changing a key raises it."
    schema["properties"] = {"format": {"const": FORMAT, "description": version}, **schema["properties"]}
    schema["required"] = ["format", *schema["required"]]
    return schema
