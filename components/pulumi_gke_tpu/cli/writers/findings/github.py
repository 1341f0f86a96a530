"""Findings as annotations of a workflow of GitHub Actions."""

from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.cli.writers.findings import ShownFindings
from pulumi_gke_tpu.core.output.github import findings_github


def write(shown: ShownFindings, _: Screen) -> str:
    """One workflow command for each of the most severe findings."""
    return findings_github(shown.findings, shown.max_findings)
