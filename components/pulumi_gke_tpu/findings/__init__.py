"""Findings: one shape for everything the tool has to say about a plan, wherever it is found."""

from pulumi_gke_tpu.findings.model import (
    MOST_SHOWN,
    Finding,
    FindingsError,
    Path,
    Position,
    Severity,
    format_path,
    parse_path,
    sort_findings,
)
from pulumi_gke_tpu.findings.words import (
    did_you_mean,
    first_unseen,
    is_visible,
    number,
    one_line,
    printable,
    quoted,
    safe,
)

__all__ = [
    "MOST_SHOWN",
    "Finding",
    "FindingsError",
    "Path",
    "Position",
    "Severity",
    "did_you_mean",
    "first_unseen",
    "format_path",
    "is_visible",
    "number",
    "one_line",
    "parse_path",
    "printable",
    "quoted",
    "safe",
    "sort_findings",
]
