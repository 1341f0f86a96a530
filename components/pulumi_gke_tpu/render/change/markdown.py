"""A change as Markdown for one comment on a pull request: what matters first, the rest folded, never too long."""

from collections.abc import Sequence

from pulumi_gke_tpu.change.model import (
    DANGEROUS,
    AcknowledgementUse,
    ChangeReport,
    Difference,
    ItemChange,
    ResourceChange,
    Unclear,
)
from pulumi_gke_tpu.document.fitting import Section, fitted
from pulumi_gke_tpu.document.markdown_escape import (
    Markup,
    code,
    details,
    fenced,
    lines_of,
    prose,
    table_head,
    table_row,
    text,
)
from pulumi_gke_tpu.engine_check.model import EngineView
from pulumi_gke_tpu.engine_check.report import Report
from pulumi_gke_tpu.findings import number, one_line
from pulumi_gke_tpu.render.change import engine, unclear, words
from pulumi_gke_tpu.render.change.page import ChangePage
from pulumi_gke_tpu.render.change.ways import WayAhead, texts_of_fixes, ways_ahead
from pulumi_gke_tpu.render.findings.json import FindingRecord

MARKER = "<!-- gke-tpu diff -->"
"""The first line of every comment, by which it is found again."""

LIMIT = 60_000
"""Bytes of the longest comment; GitHub takes 65,536 characters."""

_MOST_WRITTEN = 5
_MOST_DETAILS = 20


def change_markdown(page: ChangePage, *, limit: int = LIMIT) -> str:
    """Show a page as Markdown of at most ``limit`` bytes. The same page gives the same bytes.

    Nothing that a plan contains can change what stands around it: it stays text in its cell or line.
    """
    return fitted([section for section in _sections(page) if section], limit)


def _sections(page: ChangePage) -> list[Section | None]:
    report = page.report.change
    return [
        Section("", _top(page)),
        _left_out(unclear.left_out(report)),
        _changes(page.report),
        _to_go_ahead(report),
        _gates(page.failed),
        _findings(page),
        _totals(report) if report.plans else None,
        _acknowledgements(report.acknowledgements),
        Section("", text(f"{words.unchanged_words(report)}. Catalog {report.catalog_version[:200]}.")),
        *_engine(page.report.engine),
        _notes(report.notes),
        _details(report),
    ]


def _top(page: ChangePage) -> str:
    said = f"TPU plan: {words.headline(page.report, page.errors)}"
    return f"{MARKER}\n### {text(said)}\n\n{text(words.compared_words(page.report.change))}"


def _left_out(entries: Sequence[Unclear]) -> Section | None:
    def bullet(entry: Unclear) -> str:
        return f"- **{unclear.LABEL}** {text(f'{unclear.place(entry)}:')} {prose(unclear.reason_words(entry))}"

    return Section("plans and items that are not compared", "", entries, bullet, share=10) if entries else None


def _changes(report: Report) -> Section | None:
    def row(item: ItemChange) -> str:
        label = words.LABELS[item.change]
        return table_row(
            [
                Markup(f"**{label}**" if _needs_a_look(item) else label),
                words.where(item, report.change),
                lines_of(words.written_words(item, _MOST_WRITTEN)),
                _consequence(item, report.engine),
            ]
        )

    items = report.change.items
    head = "\n".join(table_head(["", "where", "change", "consequence"]))
    return Section("changes", head, items, row, share=45, kinds=words.counted_labels) if items else None


def _consequence(item: ItemChange, view: EngineView | None) -> Markup:
    said = [words.consequence_words(item), *(f"Engine: {line}" for line in engine.item_words(item, view))]
    return Markup("<br>".join(prose(line, in_table=True) for line in said if line))


def _needs_a_look(item: ItemChange) -> bool:
    return item.change in DANGEROUS or bool(item.refused)


def _to_go_ahead(report: ChangeReport) -> Section | None:
    ways = ways_ahead(report)

    def part(way: WayAhead) -> str:
        block = f"{way.lead} {code(way.plan)}{prose(way.where)}:\n\n{fenced(way.text, 'yaml')}"
        return f"{block}\n\n{prose(way.after)}" if way.after else block

    return Section("ways to go ahead", "", ways, part, spaced=True, share=10) if ways else None


def _gates(failed: Sequence[str]) -> Section | None:
    return Section("gates", "**Not passed:**\n", failed, _bullet, share=5) if failed else None


def _bullet(said: str) -> str:
    return f"- {prose(said)}"


def _findings(page: ChangePage) -> Section | None:
    findings = page.findings
    said_above = {"", *map(one_line, texts_of_fixes(page.report.change.items))}

    def row(item: FindingRecord) -> str:
        fix = one_line(item.fix)
        said = [item.message, "" if fix in said_above else f"try: {fix}"]
        state = "accepted" if item.accepted else item.severity
        return table_row([f"{state} {item.rule}", _place(item), lines_of([part for part in said if part])])

    head = "\n".join(table_head(["finding", "place", "what is wrong"]))
    return Section("findings", head, findings, row, share=10) if findings else None


def _place(finding: FindingRecord) -> str:
    return f"{finding.file}:{finding.line}:{finding.column}" if finding.file else finding.path


def _totals(report: ChangeReport) -> Section:
    def row(total: words.TotalRow) -> str:
        return table_row([total.what, total.was, total.will, total.change])

    head = "\n".join(table_head(["total", "before", "after", "change"]))
    return Section("totals", head, words.total_rows(report.totals), row, share=10)


def _acknowledgements(uses: Sequence[AcknowledgementUse]) -> Section | None:
    def row(use: AcknowledgementUse) -> str:
        return table_row([f"{use.change} {use.of}", use.until, words.state_words(use), use.reason])

    head = "\n".join(table_head(["acknowledged", "until", "state", "reason"]))
    return Section("acknowledgements", head, uses, row, share=8) if uses else None


def _notes(notes: Sequence[str]) -> Section | None:
    return Section("notes", "Notes:\n", notes, _bullet, share=8) if notes else None


def _engine(view: EngineView | None) -> list[Section | None]:
    """What the engine says beside the items; its messages are folded."""
    if view is None:
        return []
    lines = engine.view_words(view)
    said = [*map(engine.policy_words, view.policies), *map(engine.diagnostic_words, view.diagnostics)]
    more = engine.left_out_words(view)
    body = "\n".join(f"- {text(line)}" for line in [*said[:_MOST_DETAILS], *([more] if more else [])])
    if len(said) > _MOST_DETAILS:
        body += f"\n- ... {len(said) - _MOST_DETAILS:,} more"
    folded = [details("Messages of the engine and of policies", body)] if said else []
    return [
        Section("lines about the engine", "The engine's own view:\n", lines, _bullet, share=10) if lines else None,
        Section("engine's messages", "", folded, spaced=True, share=10) if folded else None,
    ]


def _details(report: ChangeReport) -> Section | None:
    """Why it is so, and what the engine does with each resource."""

    def part(item: ItemChange) -> str:
        parts = [_some([_bullet(words.fact_words(fact)) for fact in item.facts])]
        if len(item.written) > _MOST_WRITTEN:
            parts.append(_some([f"- {text(line)}" for line in words.written_words(item, _MOST_DETAILS)]))
        if item.resources:
            rows = [table_row(row) for resource in item.resources for row in _resource_rows(resource)]
            parts.append("\n".join([*table_head(["resource", "operation", "property", "was", "will be"]), _some(rows)]))
        count = number(len(item.resources), "resource")
        summary = f"{words.LABELS[item.change]} {words.where(item, report)}: why, and {count}"
        return details(summary, "\n\n".join(part for part in parts if part))

    folded = [item for item in report.items if item.facts or item.resources or len(item.written) > _MOST_WRITTEN]
    return Section("details", "", folded, part, spaced=True) if folded else None


def _resource_rows(resource: ResourceChange) -> list[list[str]]:
    name, operation = words.resource_words(resource), words.operation_words(resource)
    if not resource.differences:
        return [[name, operation, "", "", ""]]
    return [[name, operation, *_cells(difference)] for difference in resource.differences]


def _cells(difference: Difference) -> list[str]:
    return [difference.path, words.value_words(difference.was), words.value_words(difference.will)]


def _some(lines: Sequence[str]) -> str:
    """The first lines, and how many more there are."""
    if len(lines) <= _MOST_DETAILS:
        return "\n".join(lines)
    more = f"{len(lines) - _MOST_DETAILS + 1:,} more"
    last = table_row([f"... {more}", "", "", "", ""]) if lines[0].startswith("|") else f"- ... {more}"
    return "\n".join([*lines[: _MOST_DETAILS - 1], last])
