"""Formats of findings, and how many of them a format for people shows."""

from collections.abc import Mapping
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding


@frozen
class ShownFindings:
    """The findings, how many of them a format for people shows, and the files by name in which fixes are described."""

    findings: tuple[Finding, ...]
    max_findings: int = MOST_SHOWN
    """0 shows all of them."""
    texts: Mapping[str, str] = field(default_factory=dict)
