"""A change as text for a terminal: the effect on each item, the most dangerous first, then totals, notes and findings.

The most important part is last, directly above the prompt.
"""

from collections.abc import Sequence, Set

from pulumi_gke_tpu.core.output.json import ShownFinding
from pulumi_gke_tpu.core.output.parts import first_of, left_out_text
from pulumi_gke_tpu.core.text.document.model import (
    Block,
    Bullets,
    Code,
    Document,
    Entries,
    Entry,
    Group,
    Heading,
    Line,
    Paragraph,
    Prose,
    Series,
    Tone,
    Toned,
)
from pulumi_gke_tpu.core.text.document.text_writer import write_text
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Severity, one_line
from pulumi_gke_tpu.features.diff.engine.report import Report
from pulumi_gke_tpu.features.diff.model import DANGEROUS, ChangeReport, ItemChange, ResourceChange
from pulumi_gke_tpu.features.diff.output import blocks, engine, objects, texts
from pulumi_gke_tpu.features.diff.output.labels import LABELS, label, title
from pulumi_gke_tpu.features.diff.output.page import ChangePage
from pulumi_gke_tpu.features.diff.output.ways import ways_ahead

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
        blocks.not_compared(report),
        Entries([_item(item, page.report, resources=resources) for item in report.items]),
        objects.block(report),
        Series([blocks.way_block(way) for way in ways_ahead(report)]),
        blocks.totals(report),
        blocks.acknowledgements(report),
        blocks.order(report),
        Bullets(
            [*blocks.engine_lines(page.report.engine), *blocks.engine_messages(page.report.engine)], label="engine"
        ),
        blocks.notes(report),
        _findings_in_terminal(shown, report),
        Paragraph(left_out_text(left_out)) if left_out else Group([]),
        blocks.gates(page),
        Paragraph(texts.unchanged_text(report)),
    ]


def _weight(finding: ShownFinding) -> int:
    return 0 if finding.accepted else _WEIGHTS[finding.severity]


def _item(item: ItemChange, report: Report, *, resources: bool) -> Entry:
    looked_at = item.change in DANGEROUS or bool(item.refused)
    tone: Tone = "bad" if looked_at else "good" if item.change == "create" else "careful"
    remarks: list[tuple[str, Line]] = [("engine", Prose(line)) for line in engine.item_text(item, report.engine)]
    if looked_at:
        facts = (texts.short_fact_text(fact) for fact in item.facts[:_MOST_FACTS])
        remarks += [("why", Toned(fact, "quiet")) for fact in facts]
    return Entry(
        Toned(label(item), tone),
        title(item, report.change),
        tuple(texts.written_text(item, _MOST_WRITTEN)),
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
    shown_above = blocks.fixes_shown(report)
    return Group([block for finding in findings for block in _finding(finding, shown_above)])


def _finding(finding: ShownFinding, shown_above: Set[str]) -> list[Block]:
    state = blocks.finding_state(finding)
    head: Line = (
        f"{blocks.finding_place(finding) or 'plan'}: ",
        Toned(state, _TONES[state]),
        f" {finding.rule}: {finding.message}{blocks.finding_origin(finding)}",
    )
    fix = "" if one_line(finding.fix) in shown_above else finding.fix
    return [Paragraph(head), Code(fix, label="try")] if fix else [Paragraph(head)]
