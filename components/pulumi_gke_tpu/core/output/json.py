"""Findings as a JSON document for programs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.output.parts import count, file_name, fix_lines, in_order, is_accepted, path_text
from pulumi_gke_tpu.core.output.read_sources import Line, ReadSources
from pulumi_gke_tpu.core.text.findings import Finding, Related, one_line, safe
from pulumi_gke_tpu.core.text.jsonfile.fields import Count
from pulumi_gke_tpu.core.text.jsonfile.form import schema_of, to_data

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic_core import CoreSchema

Lines = Annotated[str, Field(pattern=r"^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f]*$")]
"""Text without control characters but line breaks."""
FilePosition = Annotated[int, Field(ge=1)]
"""A line or a column of a file."""


@frozen
class ShownPlace:
    """Another place that a finding is about."""

    text: Line
    """The name of that place, such as "standard `size`"."""
    file: Line
    """The file as it was named to the command."""
    line: FilePosition
    """Counted from 1."""
    column: FilePosition
    """In characters, counted from 1."""


@frozen
class ShownFinding:
    """A finding as outputs show it: texts in one line and safe to print, and complete when it is read from a file."""

    rule: Annotated[str, Field(pattern=r"^TPU[0-9]{3}$")]
    """The stable id of the rule; `gke-tpu rule ID` explains it."""
    severity: Literal["error", "warning", "note"]
    """An error refuses the plan. A warning may be accepted in the plan, with a reason."""
    path: Line
    """Where in the plan, such as clusters.dev.slices.notebook.topology; empty for the whole plan."""
    file: Line | None
    """The file as it was named to the command; null for a plan that is not a file."""
    line: FilePosition | None
    """Counted from 1."""
    column: FilePosition | None
    """Where the value starts, in characters, counted from 1."""
    end_column: FilePosition | None
    """The column after the last character of the value on this line."""
    message: Line
    """The problem, the doubt or the information, in one sentence."""
    given: Line
    """The value as written."""
    allowed: tuple[Line, ...]
    """Valid values; empty where they cannot be listed."""
    why: Line
    """The reason."""
    fix: Lines
    """Text to paste into the plan, of one or several lines; empty where there is none."""
    source: Line
    """The source of the fact behind the finding."""
    accepted: Line
    """The reason under which the plan accepts this finding; empty when it does not."""
    links: tuple[Line, ...] = ()
    """The addresses of the first sources that have one."""
    only_fix: bool = False
    """Whether no other fix is possible; `gke-tpu validate --fix` writes such fixes of errors and warnings."""
    related: ShownPlace | None = None
    """Where the requirement is set, if that is another file of the user; null otherwise."""
    advice: Line = ""
    """What to do, in words; empty with a fix."""

    def __post_init__(self) -> None:
        if any((self.file is None) != (number is None) for number in (self.line, self.column, self.end_column)):
            raise ValueError("file, line, column and end_column are all null or all given")
        if self.accepted and self.severity == "error":
            raise ValueError("an error cannot be accepted")

    @classmethod
    def __get_pydantic_json_schema__(cls, core: "CoreSchema", handler: "GetJsonSchemaHandler") -> dict[str, Any]:
        """What ``__post_init__`` checks, as JSON Schema."""
        schema = handler.resolve_ref_schema(handler(core))
        schema["allOf"] = [
            {"if": {"properties": {"file": {"type": "null"}}}, "then": _all_are("null"), "else": _all_are("integer")},
            {
                "if": {"properties": {"severity": {"const": "error"}}},
                "then": {"properties": {"accepted": {"const": ""}}},
            },
        ]
        return schema


def _all_are(kind: str) -> dict[str, Any]:
    return {"properties": {key: {"type": kind} for key in ("line", "column", "end_column")}}


@frozen
class FindingCounts:
    """How many findings of each kind there are. An accepted one counts as accepted only."""

    error: Count
    warning: Count
    note: Count
    accepted: Count


@frozen
class FindingsDocument:
    """What ``gke-tpu validate`` and ``gke-tpu check`` write with ``--format json``."""

    format: Literal[1]
    """The version of this format. A new key keeps it; removing or changing a key raises it."""
    findings: tuple[ShownFinding, ...]
    """In order of place."""
    counts: FindingCounts
    read: ReadSources | None = None
    """What `gke-tpu check` read, and what not; null for plans."""


def findings_document(findings: Iterable[Finding], read: ReadSources | None = None) -> FindingsDocument:
    """The findings in order of place, and what was read.

    ``file``, ``line``, ``column`` and ``end_column`` are None for a plan that is not a file; other texts can be
    empty. An accepted finding keeps its severity, but is counted as accepted only.
    """
    ordered = in_order(findings)
    counts = count(ordered)
    return FindingsDocument(
        format=1,
        findings=tuple(map(_record, ordered)),
        counts=FindingCounts(counts.errors, counts.warnings, counts.notes, counts.accepted),
        read=read,
    )


def findings_json(findings: Iterable[Finding], read: ReadSources | None = None) -> dict[str, Any]:
    """Findings, and what was read, as data for ``json.dumps``."""
    return to_data(findings_document(findings, read))


def findings_schema() -> dict[str, Any]:
    """The JSON Schema of :func:`findings_json`."""
    return schema_of(
        FindingsDocument,
        title="Findings of gke-tpu",
        description="What `gke-tpu validate` and `gke-tpu check` write with `--format json`, in order of place.",
    )


def _record(finding: Finding) -> ShownFinding:
    place = finding.position
    return ShownFinding(
        rule=one_line(finding.rule),
        severity=finding.severity.word,
        path=path_text(finding),
        file=file_name(finding) if place else None,
        line=place.line if place else None,
        column=place.column if place else None,
        end_column=place.end_column if place else None,
        message=one_line(finding.message),
        given=one_line(finding.given),
        allowed=tuple(map(one_line, finding.allowed)),
        why=one_line(finding.why),
        fix="\n".join(fix_lines(finding)),
        source=one_line(finding.source),
        accepted=one_line(finding.accepted) if is_accepted(finding) else "",
        links=tuple(map(one_line, finding.links)),
        only_fix=finding.only_fix,
        related=_related(finding.related),
        advice=one_line(finding.advice),
    )


def _related(related: Related | None) -> ShownPlace | None:
    if related is None:
        return None
    place = related.position
    return ShownPlace(one_line(related.text), safe(place.file), place.line, place.column)
