"""A change as a document: the effect on each item, the most dangerous first, then totals, notes and details.

In a terminal, what matters most is last, where the reader looks; on a pull request it is first, and the rest is folded.
"""

import re
from collections.abc import Iterable, Sequence, Set

from pulumi_gke_tpu.change.model import DANGEROUS, ChangeReport, ItemChange, ResourceChange
from pulumi_gke_tpu.document.markdown_writer import write_markdown
from pulumi_gke_tpu.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Entries,
    Entry,
    Folded,
    Group,
    Heading,
    Limited,
    Line,
    Lines,
    Link,
    Name,
    Paragraph,
    Prose,
    Series,
    Table,
    Tone,
    Toned,
)
from pulumi_gke_tpu.document.text_writer import write_text
from pulumi_gke_tpu.engine_check.model import EngineView
from pulumi_gke_tpu.engine_check.report import Report
from pulumi_gke_tpu.findings import MOST_SHOWN, Severity, number, one_line
from pulumi_gke_tpu.render.change import engine, texts, unclear
from pulumi_gke_tpu.render.change.page import ChangePage
from pulumi_gke_tpu.render.change.ways import WayAhead, texts_of_fixes, ways_ahead
from pulumi_gke_tpu.render.findings.json import FindingRecord
from pulumi_gke_tpu.render.findings.parts import first_of, left_out_text

MARKER = "<!-- gke-tpu diff -->"
"""The first line of every comment, which identifies it."""

_LINK = re.compile(r"https?://[A-Za-z0-9./:_-]{1,300}\Z", re.ASCII)
_WEIGHTS = {severity.word: int(severity) for severity in Severity}
_TONES: dict[str, Tone] = {"error": "bad", "warning": "careful", "note": "info", "accepted": "info"}
_MOST_WRITTEN_IN_TERMINAL = 12
_MOST_WRITTEN = 5
_MOST_FACTS = 4
_MOST_DETAILS = 20


LIMIT = 60_000
"""Bytes of the longest comment; GitHub accepts 65,536 characters."""


def change_text(page: ChangePage, *, resources: bool, width: int, color: bool) -> str:
    """The page as text for a terminal, in lines of at most ``width`` columns unless a word is longer.

    ``resources`` adds what the engine plans for every resource, property by property.
    """
    return write_text(_terminal_document(page, width, resources=resources), width=width, color=color)


def change_markdown(page: ChangePage, *, limit: int = LIMIT) -> str:
    """The page as Markdown of at most ``limit`` bytes for one comment. The same page gives the same bytes.

    Nothing that a plan contains can change what is around it: it stays text in its cell or line.
    """
    return write_markdown(
        _comment_document(page), limit=limit, rest="The text output of `gke-tpu diff` shows everything."
    )


def failed_markdown(base: str, head: str, log: str) -> str:
    """A comment that the comparison failed, with the marker of a comparison, so that it replaces an older one.

    ``base`` and ``head`` are commits, ``log`` is the address of the error; each is empty where it is not known.
    """
    commits: Line = (Name(base), " with ", Name(head)) if base and head else "the two sides"
    see = Link("the log of the workflow run", log) if _LINK.match(log) else "the log of the command"
    unknown = Toned("The effect of this change on TPU slices is unknown.", "strong")
    earlier = " Results of earlier comparisons are no longer shown."
    lead = (Name("gke-tpu diff"), " could not compare ", *(commits if isinstance(commits, tuple) else (commits,)))
    return write_markdown(
        [
            Heading("TPU plan: the comparison failed", 3, MARKER),
            Paragraph((*lead, ". ", unknown, earlier)),
            Paragraph(("See ", see, " for the error.")),
        ]
    )


def _terminal_document(page: ChangePage, width: int, *, resources: bool) -> Document:
    """The change for a terminal; with ``resources``, the planned operation on every resource, property by property."""
    report = page.report.change
    compared = f"{texts.compared_text(report, width // 2 - 2)} · catalog {report.catalog_version}"
    shown, left_out = first_of(page.findings, MOST_SHOWN, _weight)
    return [
        Group([Paragraph(compared), Heading(texts.headline(page.report, page.errors))]),
        _not_compared(report),
        Entries([_item(item, page.report, resources=resources, in_terminal=True) for item in report.items]),
        Series([_way(way) for way in ways_ahead(report)]),
        _totals(report),
        _acknowledgements(report),
        Bullets([*_engine_lines(page.report.engine), *_engine_messages(page.report.engine)], label="engine"),
        _notes(report),
        _findings_in_terminal(shown, report),
        Paragraph(left_out_text(left_out)) if left_out else Group([]),
        _gates(page),
        Paragraph(texts.unchanged_text(report)),
    ]


def _comment_document(page: ChangePage) -> Document:
    """The change for a comment on a pull request."""
    report = page.report.change
    view = page.report.engine
    messages = _engine_messages(view)
    return [
        Heading(f"TPU plan: {texts.headline(page.report, page.errors)}", 3, MARKER),
        Paragraph(texts.compared_text(report)),
        Limited(_not_compared(report), "plans and items that are not compared", 10),
        Limited(
            Entries(
                [_item(item, page.report, resources=False, in_terminal=False) for item in report.items],
                ("", "where", "change", "consequence"),
            ),
            "changes",
            45,
        ),
        Limited(Series([_way(way) for way in ways_ahead(report)]), "required entries", 10),
        Limited(_gates(page), "gates", 5),
        Limited(_findings_in_comment(page), "findings", 10),
        Limited(_totals(report), "totals", 10),
        Limited(_acknowledgements(report), "acknowledgements", 8),
        Paragraph(f"{texts.unchanged_text(report)}. Catalog {report.catalog_version[:200]}."),
        Limited(
            Bullets(_engine_lines(page.report.engine), title="The engine's own view:"), "lines about the engine", 10
        ),
        Limited(
            Folded("Messages of the engine and of policies", Bullets(_first(messages, _MOST_DETAILS))),
            "engine's messages",
            10,
        ),
        Limited(_notes(report), "notes", 8),
        Limited(Series([_details(item, report) for item in report.items if _has_details(item)]), "details"),
    ]


def _weight(finding: FindingRecord) -> int:
    return 0 if finding.accepted else _WEIGHTS[finding.severity]


def _not_compared(report: ChangeReport) -> Entries:
    return Entries(
        [
            Entry(Toned(unclear.LABEL, "bad"), unclear.place(entry), text=Prose(unclear.reason_text(entry)))
            for entry in unclear.left_out(report)
        ]
    )


def _item(item: ItemChange, report: Report, *, resources: bool, in_terminal: bool) -> Entry:
    looked_at = item.change in DANGEROUS or bool(item.refused)
    tone: Tone = "bad" if looked_at else "good" if item.change == "create" else "careful"
    remarks: list[tuple[str, Line]] = [("engine", Prose(line)) for line in engine.item_text(item, report.engine)]
    if in_terminal and looked_at:
        facts = (texts.short_fact_text(fact) for fact in item.facts[:_MOST_FACTS])
        remarks += [("why", Toned(fact, "quiet")) for fact in facts]
    return Entry(
        Toned(texts.LABELS[item.change], tone),
        texts.where(item, report.change),
        tuple(texts.written_text(item, _MOST_WRITTEN_IN_TERMINAL if in_terminal else _MOST_WRITTEN)),
        Prose(texts.consequence_text(item)),
        tuple(remarks),
        tuple(_resource(resource) for resource in item.resources) if resources else (),
    )


def _resource(resource: ResourceChange) -> Block:
    """A resource with its properties, below an item in a terminal."""
    differences = [
        f"{difference.path}: {texts.value_text(difference.was)} → {texts.value_text(difference.will)} "
        f"({texts.LABELS[difference.effect].lower()})"
        for difference in resource.differences
    ]
    name = f"{texts.operation_text(resource)} {texts.resource_text(resource)}"
    return Bullets([name], below=((*differences,),))


def _way(way: WayAhead) -> Group:
    lead: Line = (f"{way.lead} ", Name(way.plan), Prose(f"{way.where}:"))
    after = [Paragraph(Prose(way.after))] if way.after else []
    return Group([Paragraph(lead), Code(way.text), *after])


def _totals(report: ChangeReport) -> Table:
    rows = (
        [(row.what, row.was, row.will, row.change) for row in texts.total_rows(report.totals)] if report.plans else []
    )
    return Table((Column(""), *(Column(name, right=True) for name in ("before", "after", "change"))), rows)


def _acknowledgements(report: ChangeReport) -> Bullets:
    return Bullets(
        [
            f"{use.change} {use.of} until {use.until}: {texts.state_text(use)} ({use.reason})"
            for use in report.acknowledgements
        ],
        title="Acknowledged:",
        label="acknowledged",
    )


def _notes(report: ChangeReport) -> Bullets:
    return Bullets([Prose(note) for note in report.notes], title="Notes:", label="note")


def _gates(page: ChangePage) -> Bullets:
    return Bullets(
        [Prose(gate) for gate in page.failed], title=Toned("Failed gates:", "strong"), label="failed gates", tone="bad"
    )


def _engine_lines(view: EngineView | None) -> list[Line]:
    """The engine's results that belong to no item."""
    return [Prose(line) for line in engine.view_text(view)] if view else []


def _engine_messages(view: EngineView | None) -> list[Line]:
    """The messages of the engine and of the policies, unchanged."""
    if view is None:
        return []
    more = engine.left_out_text(view)
    said = [*map(engine.policy_text, view.policies), *map(engine.diagnostic_text, view.diagnostics)]
    return [*said, *([more] if more else [])]


def _findings_in_terminal(findings: Sequence[FindingRecord], report: ChangeReport) -> Group:
    shown_above = _fixes_shown(report)
    return Group([block for finding in findings for block in _finding(finding, shown_above)])


def _finding(finding: FindingRecord, shown_above: Set[str]) -> list[Block]:
    state = _state(finding)
    head: Line = (f"{_place(finding) or 'plan'}: ", Toned(state, _TONES[state]), f" {finding.rule}: {finding.message}")
    fix = "" if one_line(finding.fix) in shown_above else finding.fix
    return [Paragraph(head), Code(fix, label="try")] if fix else [Paragraph(head)]


def _findings_in_comment(page: ChangePage) -> Table:
    shown_above = _fixes_shown(page.report.change)
    rows = []
    for finding in page.findings:
        fix = one_line(finding.fix)
        message = Prose(finding.message)
        said = (message,) if fix in shown_above else (message, f"try: {fix}")
        rows.append((f"{_state(finding)} {finding.rule}", _place(finding), Lines(said)))
    return Table((Column("finding"), Column("location"), Column("message")), rows)


def _fixes_shown(report: ChangeReport) -> Set[str]:
    """Fixes that are in the blocks to paste, which findings need not show again."""
    return {"", *map(one_line, texts_of_fixes(report.items))}


def _state(finding: FindingRecord) -> str:
    return "accepted" if finding.accepted else finding.severity


def _place(finding: FindingRecord) -> str:
    return f"{finding.file}:{finding.line}:{finding.column}" if finding.file else finding.path


def _has_details(item: ItemChange) -> bool:
    return bool(item.facts or item.resources) or len(item.written) > _MOST_WRITTEN


def _details(item: ItemChange, report: ChangeReport) -> Folded:
    """The reasons, and the operation on each resource."""
    blocks: list[Block] = [Bullets(_first([Prose(texts.fact_text(fact)) for fact in item.facts], _MOST_DETAILS))]
    if len(item.written) > _MOST_WRITTEN:
        blocks.append(Bullets(texts.written_text(item, _MOST_DETAILS)))
    rows = [row for resource in item.resources for row in _resource_rows(resource)]
    if len(rows) > _MOST_DETAILS:
        rows = [*rows[: _MOST_DETAILS - 1], (f"... {len(rows) - _MOST_DETAILS + 1:,} more", "", "", "", "")]
    columns = ("resource", "operation", "property", "before", "after")
    blocks.append(Table(tuple(map(Column, columns)), rows))
    summary = (
        f"{texts.LABELS[item.change]} {texts.where(item, report)}: why, and {number(len(item.resources), 'resource')}"
    )
    return Folded(summary, Group(blocks))


def _resource_rows(resource: ResourceChange) -> Iterable[tuple[str, ...]]:
    name, operation = texts.resource_text(resource), texts.operation_text(resource)
    if not resource.differences:
        return [(name, operation, "", "", "")]
    return [
        (name, operation, difference.path, texts.value_text(difference.was), texts.value_text(difference.will))
        for difference in resource.differences
    ]


def _first(lines: Sequence[Line], most: int) -> Sequence[Line]:
    """The first lines, and the number of the others."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"... {len(lines) - most + 1:,} more"]
