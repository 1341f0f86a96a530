"""Findings: the diagnostics about plans."""

from pulumi_gke_tpu.core.text.findings.fixes import (
    Append,
    EntryText,
    Fix,
    MoveBelow,
    Reading,
    Rename,
    Replace,
    SetKeys,
    Verbatim,
    as_only,
)
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
    with_one_reading,
)
from pulumi_gke_tpu.core.text.findings.respelling import is_respelling
from pulumi_gke_tpu.core.text.findings.suggestions import did_you_mean, is_misspelled, is_slip, misspelled_choice
from pulumi_gke_tpu.core.text.findings.wording import (
    duration_text,
    first_few,
    first_unseen,
    is_visible,
    listed,
    number,
    one_line,
    printable,
    printable_path,
    quoted,
    safe,
    without_backquotes,
)
