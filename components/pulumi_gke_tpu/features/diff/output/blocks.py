"""Blocks of a change that are the same in a terminal and in a comment."""

from collections.abc import Set

from pulumi_gke_tpu.core.output.json import ShownFinding
from pulumi_gke_tpu.core.text.document.model import (
    Bullets,
    Code,
    Column,
    Entries,
    Entry,
    Group,
    Line,
    Name,
    Paragraph,
    Prose,
    Table,
    Toned,
)
from pulumi_gke_tpu.core.text.findings import one_line
from pulumi_gke_tpu.features.diff.engine.model import EngineView
from pulumi_gke_tpu.features.diff.model import ChangeReport
from pulumi_gke_tpu.features.diff.output import engine, texts, unclear
from pulumi_gke_tpu.features.diff.output.page import ChangePage
from pulumi_gke_tpu.features.diff.output.ways import WayAhead, texts_of_fixes


def not_compared(report: ChangeReport) -> Entries:
    """Plans and items whose change is unknown."""
    return Entries(
        [
            Entry(Toned(unclear.LABEL, "bad"), unclear.place(entry), text=Prose(unclear.reason_text(entry)))
            for entry in unclear.left_out(report)
        ]
    )


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
