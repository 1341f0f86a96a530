"""Findings in the formats of the command line."""

from collections.abc import Mapping

from pulumi_gke_tpu.cli.options import json_text, terminal_width, wants_color
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, Replacement, printable_path


def render_findings(
    findings: tuple[Finding, ...], form: str, most: int = MOST_SHOWN, texts: Mapping[str, str] | None = None
) -> str:
    """Findings in a format of the command line; ``most`` limits text and GitHub annotations, not JSON and SARIF.

    ``texts`` are the files by name, in which SARIF describes fixes.
    """
    if form == "json":
        from pulumi_gke_tpu.core.output.json import findings_json

        return json_text(findings_json(findings))
    if form == "sarif":
        from pulumi_gke_tpu._version import __version__
        from pulumi_gke_tpu.core.output.sarif import findings_sarif
        from pulumi_gke_tpu.core.rules import all_rules

        replacements = _replacements(findings, texts or {})
        return json_text(findings_sarif(findings, version=__version__, rules=all_rules(), replacements=replacements))
    if form == "github":
        from pulumi_gke_tpu.core.output.github import findings_github

        return findings_github(findings, most).rstrip("\n")
    from pulumi_gke_tpu.core.output.text import findings_text

    return findings_text(findings, width=terminal_width(), color=wants_color(), most=most).rstrip("\n")


_MOST_REPLACEMENTS = 100


def _replacements(findings: tuple[Finding, ...], texts: Mapping[str, str]) -> dict[Finding, Replacement]:
    """What the first fixes without an alternative change in the files."""
    from pulumi_gke_tpu.core.workflows.fixing import replacement

    by_name = {printable_path(name): text for name, text in texts.items()}
    fixes = [(finding, finding.position) for finding in findings if finding.only_fix and finding.position]
    found = {
        finding: replacement(by_name[place.file], finding)
        for finding, place in fixes[:_MOST_REPLACEMENTS]
        if place.file in by_name
    }
    return {finding: changed for finding, changed in found.items() if changed is not None}
