"""Findings: the diagnostics about plans."""

from pulumi_gke_tpu.core.text.findings.fixes import EntryText, Fix, MoveBelow, Rename, Replace, SetKeys, fix_of
from pulumi_gke_tpu.core.text.findings.model import (
    MOST_SHOWN,
    Finding,
    FindingsError,
    Path,
    Position,
    Related,
    Replacement,
    Severity,
    format_path,
    parse_path,
    sort_findings,
)
from pulumi_gke_tpu.core.text.findings.printing import (
    first_unseen,
    is_visible,
    one_line,
    printable,
    printable_path,
    quoted,
    safe,
    without_backquotes,
)
from pulumi_gke_tpu.core.text.findings.respelling import is_respelled
from pulumi_gke_tpu.core.text.findings.suggestions import did_you_mean, is_misspelled
from pulumi_gke_tpu.core.text.findings.wording import duration_text, listed, number

__all__ = [
    "MOST_SHOWN",
    "EntryText",
    "Finding",
    "FindingsError",
    "Fix",
    "MoveBelow",
    "Path",
    "Position",
    "Related",
    "Rename",
    "Replace",
    "Replacement",
    "SetKeys",
    "Severity",
    "did_you_mean",
    "duration_text",
    "first_unseen",
    "fix_of",
    "format_path",
    "is_misspelled",
    "is_respelled",
    "is_visible",
    "listed",
    "number",
    "one_line",
    "parse_path",
    "printable",
    "printable_path",
    "quoted",
    "safe",
    "sort_findings",
    "without_backquotes",
]
