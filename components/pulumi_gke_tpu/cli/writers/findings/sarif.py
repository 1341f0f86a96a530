"""Findings as SARIF, with the first fixes as changes of the files."""

from pulumi_gke_tpu._version import __version__
from pulumi_gke_tpu.cli.writers import Screen
from pulumi_gke_tpu.cli.writers.findings import ShownFindings
from pulumi_gke_tpu.core.output.sarif import findings_sarif
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.text.findings import Finding, Replacement, printable_path
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text
from pulumi_gke_tpu.core.workflows.fixing import replacements

_MOST_REPLACEMENTS = 100


def write(shown: ShownFindings, _: Screen) -> str:
    """One run with all rules and all findings."""
    replacements = _replacements(shown)
    return json_text(findings_sarif(shown.findings, version=__version__, rules=all_rules(), replacements=replacements))


def _replacements(shown: ShownFindings) -> dict[Finding, Replacement]:
    """What the first fixes without an alternative change in the files."""
    by_name = {printable_path(name): text for name, text in shown.texts.items()}
    fixes = [(finding, finding.position) for finding in shown.findings if finding.only_fix and finding.position]
    by_file: dict[str, list[Finding]] = {}
    for finding, place in fixes[:_MOST_REPLACEMENTS]:
        by_file.setdefault(place.file, []).append(finding)
    found: dict[Finding, Replacement] = {}
    for name, findings in by_file.items():
        if name in by_name:
            found |= replacements(by_name[name], findings)
    return found
