"""Findings as text for people: the place, the line with a caret, what is allowed, a fix to paste, why, the source."""

from collections.abc import Iterable

from pulumi_gke_tpu.core.output.parts import (
    Counts,
    count,
    file_name,
    first_of,
    fix_lines,
    in_order,
    is_accepted,
    left_out_text,
    path_text,
    related_text,
    weight_of,
)
from pulumi_gke_tpu.core.output.read_sources import ReadSources
from pulumi_gke_tpu.core.text.document import terminal
from pulumi_gke_tpu.core.text.document.terminal import LineLayout, Word, words
from pulumi_gke_tpu.core.text.findings import MOST_SHOWN, Finding, Position, Severity, number, one_line, safe

_COLOURS = {Severity.ERROR: terminal.RED, Severity.WARNING: terminal.YELLOW, Severity.NOTE: terminal.CYAN}
_GUTTER = "  | "
_HANG = 4
_LABELS = 11
_BLOCK = " " * 6


def findings_text(
    findings: Iterable[Finding], *, width: int, color: bool, most: int = MOST_SHOWN, read: ReadSources | None = None
) -> str:
    """Findings as text, in order of position, with a summary at the end, and below it what was read.

    Lines have at most ``width`` columns, except for longer words, file names and the fix: text to copy is never broken.
    The text has no final line break, and no control characters except line breaks and, with ``color``, color codes. No
    line of it is a command to a build system that stores it in a log. Of more findings than ``most`` (0 for no limit),
    the most severe are shown, and the number of the others.
    """
    page = LineLayout(width, color)
    ordered = in_order(findings)
    shown, left_out = first_of(ordered, most, weight_of)
    parts = ["\n".join(_finding(finding, page)) for finding in shown]
    if left_out:
        parts.append("\n".join(page.flow(words(left_out_text(left_out)))))
    below = [line for text in read.lines() for line in page.flow(words(_said(text)), hang=_HANG)] if read else []
    return "\n\n".join([*parts, "\n".join([_summary(count(ordered), page), *below])])


def _finding(finding: Finding, page: LineLayout) -> list[str]:
    if is_accepted(finding):
        return [*_head(finding, "accepted", terminal.DIM, page), *_row("reason", finding.accepted, page, terminal.DIM)]
    color = _COLOURS[finding.severity]
    if finding.severity is Severity.NOTE:  # advice on every run; `gke-tpu rule` has the rest
        return [*_head(finding, finding.severity.word, color, page), *_fix(fix_lines(finding), page)]
    quoted = _source(finding.position, color, page) if finding.position else []
    return [
        *_head(finding, finding.severity.word, color, page),
        *quoted,
        *([] if quoted else _row("given", finding.given, page)),
        *_allowed(finding.choices, page),
        *_fix(fix_lines(finding), page),
        *_row("fix", finding.advice, page),
        *_row("why", finding.why, page),
        *_row("source", finding.source, page, terminal.DIM),
        *_row("set in", related_text(finding.related) if finding.related else "", page, terminal.DIM),
        *_row("see", finding.links[0] if finding.links else "", page, terminal.DIM),
    ]


def _head(finding: Finding, word: str, color: str, page: LineLayout) -> list[str]:
    """Location, severity, rule ID and message; only the message is wrapped, so that a search for the others finds them.

    Otherwise the length of a path would decide whether ``error TPU112:`` is on one line.
    """
    place, file = finding.position, file_name(finding)
    where = f"{file}:{place.line}:{place.column}" if place and file else path_text(finding) or "plan"
    quiet = color if color == terminal.DIM else ""
    head = [
        Word(f"{terminal.no_mark(where)}:", quiet or terminal.BOLD),
        Word(word, color, joined=True),
        Word(f"{_said(finding.rule)}:", quiet or terminal.BOLD, joined=True),
    ]
    first, *others = words(_said(finding.message), quiet)
    return page.flow([*head, Word(first.text, first.color, joined=True), *others], hang=_HANG)


def _source(place: Position, color: str, page: LineLayout) -> list[str]:
    """The line with carets under the value; nothing when the line is blank or does not reach as far as the value."""
    start = place.column - 1
    if not place.text.strip() or not 0 <= start <= len(place.text):
        return []
    before, marked, after = (
        safe(place.text[:start]).lstrip(" "),
        safe(place.text[start : place.end_column - 1]),
        safe(place.text[max(start, place.end_column - 1) :]).rstrip(" "),
    )
    # Of equal length, so that the caret stays where it belongs.
    line = terminal.no_mark(before + marked + after, "\N{REPLACEMENT CHARACTER}")
    end = len(before) + len(marked)
    before, marked, after = _view(line[: len(before)], line[len(before) : end], line[end:], page.room - len(_GUTTER))
    gutter = page.paint(_GUTTER, terminal.DIM)
    caret = page.paint("^" * max(1, terminal.cells(marked)), color)
    return [f"{gutter}{before}{marked}{after}".rstrip(" "), f"{gutter}{' ' * terminal.cells(before)}{caret}"]


def _view(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The part of a line around the value that fits the width, with some text on both sides."""
    # The caret under a place after the last character needs a column too.
    room -= 0 if marked or after else 1
    marked = terminal.cut_end(marked, max(room // 2, room - terminal.cells(before + after)))
    spare = room - terminal.cells(marked)
    before = terminal.cut_start(before, spare - min(terminal.cells(after), spare // 3))
    return before, marked, terminal.cut_end(after, spare - terminal.cells(before))


def _row(label: str, text: str, page: LineLayout, color: str = "") -> list[str]:
    if not text:
        return []
    return page.flow(words(_said(text), color), lead=_label(label), hang=_LABELS)


def _allowed(allowed: tuple[str, ...], page: LineLayout) -> list[str]:
    if not allowed:
        return []
    entries = [_said(entry) + ("," if number < len(allowed) else "") for number, entry in enumerate(allowed, 1)]
    flow: list[Word] = []
    for entry in entries:
        fits = terminal.cells(entry) <= page.room - _LABELS
        flow += [Word(entry)] if fits else words(entry)
    return page.flow(flow, lead=_label("allowed"), hang=_LABELS)


def _fix(lines: tuple[str, ...], page: LineLayout) -> list[str]:
    if not lines:
        return []
    painted = [page.paint(terminal.no_command(terminal.no_mark(line)), terminal.GREEN) for line in lines]
    if len(lines) == 1:
        return [_label("try") + painted[0]]
    return [_label("try").rstrip(), *(_BLOCK + line if line else "" for line in painted)]


def _label(label: str) -> str:
    return f"  {label + ':':<{_LABELS - 2}}"


def _said(text: str) -> str:
    return terminal.no_mark(one_line(text))


def _summary(counts: Counts, page: LineLayout) -> str:
    parts = [
        number(counts.errors, "error") if counts.errors else "",
        number(counts.warnings, "warning") if counts.warnings else "",
        number(counts.notes, "note") if counts.notes else "",
        f"{counts.accepted} accepted" if counts.accepted else "",
    ]
    text = ", ".join(part for part in parts if part) or "no findings"
    return page.paint(text, terminal.RED if counts.errors else terminal.YELLOW if counts.warnings else terminal.GREEN)
