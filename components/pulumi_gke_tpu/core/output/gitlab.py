"""Findings as a Code Quality report of GitLab, which shows them in merge requests."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.output.parts import (
    fingerprint,
    fix_lines,
    in_order,
    is_accepted,
    path_text,
    slashed,
    slashed_file,
)
from pulumi_gke_tpu.core.output.read_sources import ReadSources
from pulumi_gke_tpu.core.text.findings import Finding, Severity, one_line
from pulumi_gke_tpu.core.text.jsonfile.parsing import json_text

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.NOTE: "info"}


def findings_gitlab(findings: Iterable[Finding], read: ReadSources | None = None) -> str:
    """All findings but accepted ones, and what was not read.

    GitLab compares the report with that of the target branch and shows new entries. An entry requires a file, so the
    number of clusters and node pools that were read is only in other formats.
    """
    seen = Counter[str]()
    entries = []

    def numbered(identity: str) -> str:
        """GitLab drops all but one entry with the same fingerprint, so the number of earlier ones is part of it."""
        seen[identity] += 1
        return f"{identity}\n{seen[identity] - 1}"

    for finding in in_order(findings):
        if not is_accepted(finding):
            entries.append(_of_finding(finding, numbered(fingerprint(finding))))
    for part in read.not_read if read is not None else ():
        file, text = slashed(part.file), f"not read: {part.text}"
        identity = numbered(f"{file}\n{text}")
        line = part.line or 1
        entries.append(_entry("not-read", text, severity="info", path=file, line=line, identity=identity))
    return json_text(entries)


def _of_finding(finding: Finding, identity: str) -> dict[str, Any]:
    place, file = finding.position, slashed_file(finding)
    # GitLab requires a file and a line: a finding about a whole plan has its path in the plan, or `plan`.
    path = file or path_text(finding) or "plan"
    line = place.line if place and file else 1
    return _entry(
        one_line(finding.rule),
        _description(finding),
        severity=_SEVERITIES[finding.severity],
        path=path,
        line=line,
        identity=identity,
    )


def _entry(name: str, description: str, *, severity: str, path: str, line: int, identity: str) -> dict[str, Any]:
    return {
        "description": description,
        "check_name": name,
        "fingerprint": hashlib.sha256(f"{path}\n{identity}".encode()).hexdigest(),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": line}},
    }


def _description(finding: Finding) -> str:
    """The rule and the message, which GitLab shows in one line, with a fix that fits into it, or how to fix it."""
    lines, advice = fix_lines(finding), one_line(finding.advice)
    fix = f" (try: {one_line(lines[0])})" if len(lines) == 1 else f" (fix: {advice})" if advice else ""
    return f"{one_line(finding.rule)}: {one_line(finding.message)}{fix}"
