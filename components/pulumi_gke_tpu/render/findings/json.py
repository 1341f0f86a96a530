"""Findings as plain data for programs; :mod:`pulumi_gke_tpu.render.findings.schema` describes it."""

from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.findings import Finding
from pulumi_gke_tpu.render.findings.parts import count, file_name, fix_lines, in_order, is_accepted, one_line, path_text

FORMAT = 1
"""The version of the form. A new key keeps it; a key that goes away or changes its meaning raises it."""


def findings_json(findings: Iterable[Finding]) -> dict[str, Any]:
    """Give findings as data that ``json.dumps`` takes, in order of place.

    Every key is always there. ``file``, ``line``, ``column`` and ``end_column`` are None for a plan that is no file;
    other texts are empty where there is nothing to say. An accepted finding keeps its severity, but is counted as
    accepted only.
    """
    ordered = in_order(findings)
    counts = count(ordered)
    return {
        "format": FORMAT,
        "findings": [_finding(finding) for finding in ordered],
        "counts": {
            "error": counts.errors,
            "warning": counts.warnings,
            "note": counts.notes,
            "accepted": counts.accepted,
        },
    }


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.position
    return {
        "rule": one_line(finding.rule),
        "severity": finding.severity.word,
        "path": path_text(finding),
        "file": file_name(finding) if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "end_column": place.end_column if place else None,
        "message": one_line(finding.message),
        "given": one_line(finding.given),
        "allowed": [one_line(entry) for entry in finding.allowed],
        "why": one_line(finding.why),
        "fix": "\n".join(fix_lines(finding)),
        "source": one_line(finding.source),
        "accepted": one_line(finding.accepted) if is_accepted(finding) else "",
    }
