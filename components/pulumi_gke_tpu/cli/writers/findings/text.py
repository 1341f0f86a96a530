"""Findings as text for a terminal."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.cli.writers.findings import ShownFindings
from pulumi_gke_tpu.core.output.text import findings_text


def write(shown: ShownFindings, screen: Screen) -> str:
    """The most severe findings, with the lines that they are about."""
    return findings_text(shown.findings, width=screen.width, color=screen.color, most=shown.max_findings)
