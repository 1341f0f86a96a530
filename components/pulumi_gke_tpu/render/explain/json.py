"""Explanations as JSON for programs."""

from typing import Any

from pulumi_gke_tpu.explain.steps import Explanation
from pulumi_gke_tpu.jsonfile.form import to_data

FORMAT = 1
"""The version of this format. A new key keeps it; removing or changing a key raises it."""


def explain_json(explanation: Explanation) -> dict[str, Any]:
    """Give an explanation as data that ``json.dumps`` takes. Every key is always there."""
    return {"format": FORMAT, **to_data(explanation)}
