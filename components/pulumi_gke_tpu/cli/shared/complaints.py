"""Writes findings to stderr, for commands that cannot go on with them."""

from pulumi_gke_tpu.cli.options import screen
from pulumi_gke_tpu.cli.writers import echo, written
from pulumi_gke_tpu.cli.writers.findings import ShownFindings
from pulumi_gke_tpu.core.text.findings import Finding


def complain(findings: tuple[Finding, ...]) -> None:
    """Write findings to stderr as text."""
    echo(written("text", screen(), findings=lambda: ShownFindings(findings)), err=True)
