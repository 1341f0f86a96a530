"""Data as JSON."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text


def write(data: object, _: Screen) -> str:
    """A JSON document."""
    return json_text(data)
