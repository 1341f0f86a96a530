"""Findings as JSON: all of them, with every detail."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.cli.writers.findings import ShownFindings
from pulumi_gke_tpu.core.output.json import findings_json
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text


def write(shown: ShownFindings, _: Screen) -> str:
    """The document that ``gke-tpu schema findings`` describes."""
    return json_text(findings_json(shown.findings))
