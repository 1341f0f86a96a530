"""Findings as a Code Quality report of GitLab, which shows them in merge requests."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.output.parts import fingerprint, fix_lines, in_order, is_accepted, path_text, slashed_file
from pulumi_gke_tpu.core.text.findings import Finding, Severity, one_line
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def findings_gitlab(findings: Iterable[Finding]) -> str:
    """All findings but accepted ones. GitLab compares the report with that of the target branch and shows new ones."""
    seen = Counter[str]()
    entries = []
    for finding in in_order(findings):
        if not is_accepted(finding):
            identity = fingerprint(finding)
            entries.append(_entry(finding, identity, seen[identity]))
            seen[identity] += 1
    return json_text(entries)


def _entry(finding: Finding, identity: str, earlier: int) -> dict[str, Any]:
    """An entry. GitLab drops all but one with the same fingerprint, so ``earlier`` ones are part of it."""
    place, file = finding.position, slashed_file(finding)
    # GitLab requires a file and a line: a finding about a whole plan has its path in the plan, or `plan`.
    path = file or path_text(finding) or "plan"
    line = place.line if place and file else 1
    unique = hashlib.sha256(f"{path}\n{identity}\n{earlier}".encode()).hexdigest()
    return {
        "description": _description(finding),
        "check_name": one_line(finding.rule),
        "fingerprint": unique,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path, "lines": {"begin": line}},
    }


def _description(finding: Finding) -> str:
    """The rule and the message, which GitLab shows in one line, with a fix that fits into it."""
    fix = fix_lines(finding)
    return (
        f"{one_line(finding.rule)}: {one_line(finding.message)}{f' (try: {one_line(fix[0])})' if len(fix) == 1 else ''}"
    )
