"""A change as text for people: what happens to each item, most dangerous first, then totals and notes."""

from collections.abc import Sequence, Set

from pulumi_gke_tpu.change.model import DANGEROUS, ItemChange, Unclear
from pulumi_gke_tpu.document import terminal
from pulumi_gke_tpu.document.terminal import Page, Word
from pulumi_gke_tpu.findings import MOST_SHOWN, Severity, one_line
from pulumi_gke_tpu.render.change import engine, unclear, words
from pulumi_gke_tpu.render.change.page import ChangePage
from pulumi_gke_tpu.render.change.ways import WayAhead, texts_of_fixes, ways_ahead
from pulumi_gke_tpu.render.findings.json import FindingRecord
from pulumi_gke_tpu.render.findings.parts import first_of, left_out_text

_LABELS = 11
_WEIGHTS = {severity.word: int(severity) for severity in Severity}
_HANG = 2
_MOST_WRITTEN = 12
_MOST_FACTS = 4


def change_text(page: ChangePage, *, resources: bool, width: int, colour: bool) -> str:
    """Show a page to people, in lines of at most ``width`` columns where words allow it; no final line break.

    ``resources`` adds what the engine plans for every resource, property by property.
    """
    lines = Page(width, colour)
    report = page.report.change
    compared = f"{words.compared_words(report, lines.room // 2 - 2)} · catalog {report.catalog_version}"
    top = [*lines.flow(_words(compared)), *lines.flow(_words(words.headline(page.report, page.errors), terminal.BOLD))]
    parts = ["\n".join(top)]
    parts += ["\n".join(_left_out(entry, lines)) for entry in unclear.left_out(report)]
    parts += ["\n".join(_item(item, page, lines, resources)) for item in report.items]
    parts += ["\n".join(_way_ahead(way, lines)) for way in ways_ahead(report)]
    parts.append(_totals(page, lines) if report.plans else "")
    parts.append(_acknowledgements(page, lines))
    parts.append(_engine(page, lines))
    parts.append("\n".join(_flowed(lines, "note: ", report.notes)))
    shown, left_out = first_of(page.findings, MOST_SHOWN, _weight)
    parts.append("\n".join(_findings(shown, page, lines)))
    parts.append("\n".join(lines.flow(_words(left_out_text(left_out)))) if left_out else "")
    parts.append("\n".join(_flowed(lines, "not passed: ", page.failed, terminal.RED)))
    parts.append("\n".join(lines.flow(_words(words.unchanged_words(report)))))
    return "\n\n".join(part for part in parts if part)


def _weight(finding: FindingRecord) -> int:
    return 0 if finding.accepted else _WEIGHTS.get(finding.severity, 0)


def _words(text: str, colour: str = "") -> list[Word]:
    return terminal.words(terminal.no_mark(one_line(text)), colour)


def _flowed(lines: Page, lead: str, texts: Sequence[str], colour: str = "") -> list[str]:
    return [line for text in texts for line in lines.flow(_words(text, colour), lead=lead, hang=_HANG)]


def _left_out(entry: Unclear, lines: Page) -> list[str]:
    head = [Word(unclear.LABEL, terminal.RED), *_words(unclear.place(entry), terminal.BOLD)]
    return [*lines.flow(head, hang=_LABELS), *lines.flow(_words(unclear.reason_words(entry)), lead="  ", hang=_HANG)]


def _item(item: ItemChange, page: ChangePage, lines: Page, resources: bool) -> list[str]:
    looked_at = item.change in DANGEROUS or item.refused
    colour = terminal.RED if looked_at else terminal.GREEN if item.change == "create" else terminal.YELLOW
    where = _words(words.where(item, page.report.change), terminal.BOLD)
    found = lines.flow([Word(f"{words.LABELS[item.change]:<{_LABELS - 2}}", colour), *where], hang=_LABELS)
    for line in words.written_words(item, _MOST_WRITTEN):
        found += lines.flow(_words(line), lead="  ", hang=_HANG + 2)
    found += lines.flow(_words(words.consequence_words(item)), lead="  ", hang=_HANG)
    for line in engine.item_words(item, page.report.engine):
        found += lines.flow(_words(line), lead=_label("engine"), hang=_LABELS)
    for fact in item.facts[:_MOST_FACTS] if looked_at else ():
        found += lines.flow(_words(words.short_fact_words(fact), terminal.DIM), lead=_label("why"), hang=_LABELS)
    return found + (_resources(item, lines) if resources else [])


def _label(label: str) -> str:
    return f"  {f'{label}:' if label else '':<{_LABELS - 2}}"


def _way_ahead(way: WayAhead, lines: Page) -> list[str]:
    """A block from the first column on: what is to be copied is neither broken nor indented."""
    found = lines.flow(_words(f"{way.lead} {way.plan}{way.where}:"))
    found += [lines.paint(terminal.no_command(terminal.no_mark(line)), terminal.GREEN) for line in way.text.split("\n")]
    return [*found, *lines.flow(_words(way.after))] if way.after else found


def _fix(fix: str, lines: Page) -> list[str]:
    """What is to be copied is never broken."""
    if not fix:
        return []
    painted = [lines.paint(terminal.no_command(terminal.no_mark(line)), terminal.GREEN) for line in fix.split("\n")]
    return [f"{_label('try') if number == 0 else ' ' * _LABELS}{line}" for number, line in enumerate(painted)]


def _resources(item: ItemChange, lines: Page) -> list[str]:
    found = []
    for resource in item.resources:
        found += lines.flow(
            _words(f"{words.operation_words(resource)} {words.resource_words(resource)}"), lead="  - ", hang=6
        )
        for difference in resource.differences:
            was, will = words.value_words(difference.was), words.value_words(difference.will)
            said = f"{difference.path}: {was} → {will} ({words.LABELS[difference.effect].lower()})"
            found += lines.flow(_words(said), lead="      ", hang=8)
    return found


def _totals(page: ChangePage, lines: Page) -> str:
    """A table of plain columns: what, before, after, change."""
    rows = [
        tuple(terminal.no_mark(one_line(cell)) for cell in (row.what, row.was, row.will, row.change))
        for row in words.total_rows(page.report.change.totals)
    ]
    return "\n".join(_table([("", "before", "after", "change"), *rows], lines))


def _acknowledgements(page: ChangePage, lines: Page) -> str:
    said = [
        f"{use.change} {use.of} until {use.until}: {words.state_words(use)} ({use.reason})"
        for use in page.report.change.acknowledgements
    ]
    return "\n".join(_flowed(lines, "acknowledged: ", said))


def _engine(page: ChangePage, lines: Page) -> str:
    """What the engine says beside the items."""
    view = page.report.engine
    if view is None:
        return ""
    said = [*map(engine.policy_words, view.policies), *map(engine.diagnostic_words, view.diagnostics)]
    more = engine.left_out_words(view)
    return "\n".join(_flowed(lines, "engine: ", [*engine.view_words(view), *said, *([more] if more else [])]))


def _table(rows: Sequence[tuple[str, ...]], lines: Page) -> list[str]:
    """Columns side by side, the first one to the left and the others to the right; where that is too wide, a list."""
    sizes = [max(terminal.cells(row[column]) for row in rows) for column in range(len(rows[0]))]
    if sum(sizes) + 2 * len(sizes) > lines.room:
        return [
            line
            for what, *cells in rows[1:]
            for line in lines.flow(_words(f"{what}: {cells[0]} → {cells[1]} {cells[2]}".rstrip()), hang=_HANG)
        ]
    found = []
    for number, row in enumerate(rows):
        cells = [row[0] + " " * (sizes[0] - terminal.cells(row[0]))]
        cells += [" " * (size - terminal.cells(cell)) + cell for cell, size in zip(row[1:], sizes[1:], strict=True)]
        line = "  ".join(cells).rstrip()
        found.append(lines.paint(line, terminal.DIM) if number == 0 else line)
    return found


def _findings(findings: Sequence[FindingRecord], page: ChangePage, lines: Page) -> list[str]:
    said_above = set(texts_of_fixes(page.report.change.items))
    return [line for finding in findings for line in _finding(finding, lines, said_above)]


def _finding(finding: FindingRecord, lines: Page, said_above: Set[str]) -> list[str]:
    place = f"{finding.file}:{finding.line}:{finding.column}" if finding.file else finding.path or "plan"
    severity = "accepted" if finding.accepted else finding.severity
    colour = {"error": terminal.RED, "warning": terminal.YELLOW}.get(severity, terminal.CYAN)
    head = [*_words(f"{place}:"), Word(severity, colour), *_words(f"{finding.rule}: {finding.message}")]
    fix = "" if finding.fix in said_above else finding.fix
    return [*lines.flow(head, hang=4), *_fix(fix, lines)]
