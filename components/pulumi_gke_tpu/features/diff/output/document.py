"""A change as a document: the effect on each item, the most dangerous first, then totals, notes and findings."""

from collections.abc import Sequence, Set

from pulumi_gke_tpu.core.output.json import ShownFinding
from pulumi_gke_tpu.core.output.parts import first_of, left_out_text
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Column,
    Document,
    Entries,
    Entry,
    Group,
    Heading,
    Line,
    Name,
    Paragraph,
    Prose,
    Series,
    Table,
    Tone,
    Toned,
)
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Severity, one_line, quoted
from pulumi_gke_tpu.features.diff.engine.model import EngineView, Report
from pulumi_gke_tpu.features.diff.model import ChangeReport, ItemChange, ResourceChange
from pulumi_gke_tpu.features.diff.output import engine, texts
from pulumi_gke_tpu.features.diff.output.labels import LABELS, label, title, words_of
from pulumi_gke_tpu.features.diff.output.page import ChangePage
from pulumi_gke_tpu.features.diff.output.ways import WayAhead, texts_of_fixes, ways_ahead


def not_compared(report: ChangeReport) -> Entries:
    """Plans and items whose change is unknown."""
    return Entries(
        [
            Entry(Toned(texts.NOT_COMPARED, "bad"), texts.unclear_place(entry), text=Prose(texts.unclear_reason(entry)))
            for entry in texts.left_out(report)
        ]
    )


def objects(report: ChangeReport) -> Bullets:
    """The objects with the consequence for what runs."""
    several = len(report.plans) > 1
    lines = []
    for item in report.objects:
        place = f"{item.plan} {item.cluster}" if several else item.cluster
        means = f": {item.means}" if item.means else ""
        disruptive = " (disruptive)" if item.disruptive else ""
        lines.append(Prose(f"{item.operation}{disruptive} {quoted(item.object)} in {quoted(place)}{means}"))
    return Bullets(lines, title=Toned("Kubernetes objects:", "strong"), label="kubernetes")


def way_block(way: WayAhead) -> Group:
    """One block to paste, with its instruction."""
    lead: Line = (f"{way.lead} ", Name(way.plan), Prose(f"{way.where}:"))
    after = [Paragraph(Prose(way.after))] if way.after else []
    return Group([Paragraph(lead), Code(way.text), *after])


def totals(report: ChangeReport) -> Table:
    """All totals before and after."""
    rows = (
        [(row.what, row.was, row.will, row.change) for row in texts.total_rows(report.totals)] if report.plans else []
    )
    return Table((Column(""), *(Column(name, right=True) for name in ("before", "after", "change"))), rows)


def acknowledgements(report: ChangeReport) -> Bullets:
    """The acknowledgements that matter to the change."""
    return Bullets(
        [
            f"{use.change} {use.of} until {use.until}: {texts.state_text(use, report.items)} ({use.reason})"
            for use in report.acknowledgements
        ],
        title="Acknowledged:",
        label="acknowledged",
    )


def order(report: ChangeReport) -> Bullets:
    """The order of applies for plans that share a limit."""
    return Bullets(list(texts.order_texts(report)), title="Order of applies:", label="order", tone="careful")


def notes(report: ChangeReport) -> Bullets:
    """The notes of the report."""
    return Bullets([Prose(note) for note in report.notes], title="Notes:", label="note")


def gates(page: ChangePage) -> Bullets:
    """The failed gates."""
    return Bullets(
        [Prose(gate) for gate in page.failed], title=Toned("Failed gates:", "strong"), label="failed gates", tone="bad"
    )


def if_it_fails(page: ChangePage) -> Bullets:
    """The pages about what the update can end in."""
    return Bullets([Prose(str(each)) for each in page.if_it_fails], title="If it fails:")


def engine_lines(view: EngineView | None) -> list[Line]:
    """The engine's results that belong to no item."""
    return [Prose(line) for line in engine.view_text(view)] if view else []


def engine_messages(view: EngineView | None) -> list[Line]:
    """The messages of the engine and of the policies, unchanged."""
    if view is None:
        return []
    more = engine.left_out_text(view)
    said = [*map(engine.policy_text, view.policies), *map(engine.diagnostic_text, view.diagnostics)]
    return [*said, *([more] if more else [])]


def fixes_shown(report: ChangeReport) -> Set[str]:
    """Fixes that are in the blocks to paste, which findings need not show again."""
    return {"", *map(one_line, texts_of_fixes(report.items))}


def advice_of(finding: ShownFinding) -> str:
    """What to do, in words; empty for a note and for an accepted finding, as in other outputs."""
    return "" if finding.accepted or finding.severity == "note" else finding.advice


def finding_state(finding: ShownFinding) -> str:
    """The severity, or that the finding is accepted."""
    return "accepted" if finding.accepted else finding.severity


def finding_origin(finding: ShownFinding) -> str:
    """Where the requirement of a finding is set, in parentheses; empty if that is not a file of the user."""
    place = finding.related
    return f" ({place.file}:{place.line}:{place.column})" if place else ""


def finding_place(finding: ShownFinding) -> str:
    """File and position, or else the path."""
    return f"{finding.file}:{finding.line}:{finding.column}" if finding.file else finding.path


_WEIGHTS = {severity.word: int(severity) for severity in Severity}
_TONES: dict[str, Tone] = {"error": "bad", "warning": "careful", "note": "info", "accepted": "info"}
_MOST_WRITTEN = 12
_MOST_FACTS = 4


def change_text(page: ChangePage, *, resources: bool, width: int, color: bool) -> str:
    """The page as text for a terminal, in lines of at most ``width`` columns unless a word is longer.

    ``resources`` adds what the engine plans for every resource, property by property.
    """
    return write_text(_terminal_document(page, width, resources=resources), width=width, color=color)


def _terminal_document(page: ChangePage, width: int, *, resources: bool) -> Document:
    """The change for a terminal; with ``resources``, the planned operation on every resource, property by property."""
    report = page.report.change
    compared = f"{texts.compared_text(report, width // 2 - 2)} · catalog {report.catalog_version}"
    shown, left_out = first_of(page.findings, MOST_SHOWN, _weight)
    return [
        Group([Paragraph(compared), Heading(texts.headline(page.report, page.errors))]),
        not_compared(report),
        Entries([_item(item, page.report, resources=resources) for item in report.items]),
        objects(report),
        Series([way_block(way) for way in ways_ahead(report)]),
        totals(report),
        acknowledgements(report),
        order(report),
        Bullets([*engine_lines(page.report.engine), *engine_messages(page.report.engine)], label="engine"),
        notes(report),
        _findings_in_terminal(shown, report),
        Paragraph(left_out_text(left_out)) if left_out else Group([]),
        gates(page),
        if_it_fails(page),
        Paragraph(texts.unchanged_text(report)),
    ]


def _weight(finding: ShownFinding) -> int:
    return 0 if finding.accepted else _WEIGHTS[finding.severity]


def _item(item: ItemChange, report: Report, *, resources: bool) -> Entry:
    tone: Tone = "bad" if item.is_dangerous else "good" if item.change == "create" else "careful"
    remarks: list[tuple[str, Line]] = [("engine", Prose(line)) for line in engine.item_text(item, report.engine)]
    if item.is_dangerous:
        facts = (texts.short_fact_text(fact) for fact in item.facts[:_MOST_FACTS])
        remarks += [("why", Toned(fact, "quiet")) for fact in facts]
    return Entry(
        Toned(label(item), tone),
        title(item, report.change),
        tuple(texts.written_text(item, _MOST_WRITTEN, words_of(report.change))),
        Prose(texts.consequence_text(item)),
        tuple(remarks),
        tuple(_resource(resource) for resource in item.resources) if resources else (),
    )


def _resource(resource: ResourceChange) -> Block:
    """A resource with its properties, below an item in a terminal."""
    differences = [
        f"{difference.path}: {texts.value_text(difference.was)} → {texts.value_text(difference.will)} "
        f"({LABELS[difference.effect].lower()})"
        for difference in resource.differences
    ]
    name = f"{texts.operation_text(resource)} {texts.resource_text(resource)}"
    return Bullets([name], below=((*differences,),))


def _findings_in_terminal(findings: Sequence[ShownFinding], report: ChangeReport) -> Group:
    shown_above = fixes_shown(report)
    return Group([block for finding in findings for block in _finding(finding, shown_above)])


def _finding(finding: ShownFinding, shown_above: Set[str]) -> list[Block]:
    state = finding_state(finding)
    head: Line = (
        f"{finding_place(finding) or 'plan'}: ",
        Toned(state, _TONES[state]),
        f" {finding.rule}: {finding.message}{finding_origin(finding)}",
    )
    lines: list[Block] = [Paragraph(head)]
    if one_line(finding.fix) not in shown_above:
        lines.append(Code(finding.fix, label="try"))
    if advice := advice_of(finding):
        lines.append(Paragraph(Prose(advice), label="fix"))
    return lines
