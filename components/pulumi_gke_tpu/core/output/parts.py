"""What all formats of findings share: the order, the counts, safe text, the location and the details of a finding."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, Related, Severity, format_path, one_line, safe, sort_findings
from pulumi_gke_tpu.core.text.findings.wording import LINE_BREAK

_Found = TypeVar("_Found")


@frozen
class Counts:
    """How many findings of each kind there are. An accepted one counts as accepted only."""

    errors: int
    warnings: int
    notes: int
    accepted: int


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings by place, then weight; the result does not depend on the order of the input."""
    return sort_findings(sorted(findings, key=repr))


def is_accepted(finding: Finding) -> bool:
    """Whether the plan accepts this finding. An error can never be accepted."""
    return bool(finding.accepted) and finding.severity is not Severity.ERROR


def count(findings: Iterable[Finding]) -> Counts:
    """Count findings by what they mean for the reader."""
    kinds = [None if is_accepted(finding) else finding.severity for finding in findings]
    return Counts(
        errors=kinds.count(Severity.ERROR),
        warnings=kinds.count(Severity.WARNING),
        notes=kinds.count(Severity.NOTE),
        accepted=kinds.count(None),
    )


def first_of(findings: Sequence[_Found], most: int, weight: Callable[[_Found], int]) -> tuple[tuple[_Found, ...], int]:
    """At most so many findings, 0 for all, the ones of most weight in their order; and how many are left out."""
    if most <= 0 or len(findings) <= most:
        return tuple(findings), 0
    heaviest = sorted(range(len(findings)), key=lambda index: -weight(findings[index]))[:most]
    return tuple(findings[index] for index in sorted(heaviest)), len(findings) - most


def weight_of(finding: Finding) -> int:
    """How much a finding matters to the reader: an accepted one least."""
    return 0 if is_accepted(finding) else int(finding.severity)


def left_out_text(left_out: int) -> str:
    """The sentence about findings that are not shown."""
    return f"{left_out:,} more findings are not shown; --format json lists all of them"


def fix_lines(finding: Finding) -> tuple[str, ...]:
    """The lines of the fix, safe to print and ready to paste; none if there is no fix."""
    lines = [safe(line).rstrip() for line in LINE_BREAK.split(finding.fix)]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def path_text(finding: Finding) -> str:
    """The path in the plan as users write it; empty for the whole plan."""
    return safe(format_path(finding.path))


def file_name(finding: Finding) -> str:
    """The file as written, safe to print; empty when the finding has no place in a file."""
    return safe(finding.position.file) if finding.position else ""


def slashed_file(finding: Finding) -> str:
    """The file with forward slashes and without a leading ``./``, as code hosts name files; empty without a file."""
    return slashed(finding.position.file) if finding.position else ""


def slashed(file: str) -> str:
    """The name of a file as code hosts write it, safe to print."""
    return safe(file).replace("\\", "/").removeprefix("./")


def detail_lines(finding: Finding) -> tuple[str, ...]:
    """The lines after the message of a finding, unwrapped; for an accepted finding only the reason."""
    if is_accepted(finding):
        return (f"reason: {one_line(finding.accepted)}",)
    lines = []
    if finding.choices:
        lines.append(f"allowed: {', '.join(map(one_line, finding.choices))}")
    fix = fix_lines(finding)
    if len(fix) == 1:
        lines.append(f"try: {fix[0]}")
    elif fix:
        lines += ["try:", *(f"    {line}" if line else "" for line in fix)]
    elif finding.advice:
        lines.append(f"fix: {one_line(finding.advice)}")
    if finding.why:
        lines.append(f"why: {one_line(finding.why)}")
    if finding.source:
        lines.append(f"source: {one_line(finding.source)}")
    if finding.related:
        lines.append(f"set in: {related_text(finding.related)}")
    if finding.links:
        lines.append(f"see: {one_line(finding.links[0])}")
    return tuple(lines)


def related_text(related: Related) -> str:
    """``organization.yaml:3:3 (standard `size`)``."""
    place = related.position
    return f"{safe(place.file)}:{place.line}:{place.column} ({one_line(related.text)})"


def fingerprint(finding: Finding) -> str:
    """An identity of a finding without its line, so that it stays the same if lines move."""
    parts = [finding.rule, path_text(finding), one_line(finding.given)]
    identity = json.dumps([*parts, one_line(finding.related.text)] if finding.related else parts)
    return hashlib.sha256(identity.encode()).hexdigest()[:32]
