"""Applies the fixes that leave no choice to files, and keeps them only if the files become better."""

import codecs
import datetime
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan import (
    Document,
    Plan,
    read_inventory_content,
    read_organization_content,
    read_plan_content,
)
from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import INVENTORY, ORGANIZATION, PLAN, FileKind
from pulumi_gke_tpu.core.plan.files.mending import CannotApplyError, Edit, Mender, edited
from pulumi_gke_tpu.core.text.findings import Finding, Reading, Replacement, SetKeys, Severity, printable_path
from pulumi_gke_tpu.core.workflows.check import check_documents
from pulumi_gke_tpu.core.workflows.kept import Mark, is_all_kept

if TYPE_CHECKING:
    from pulumi_gke_tpu.core.plan.inventory import Inventory
    from pulumi_gke_tpu.core.plan.organization import Organization

_Model = TypeVar("_Model", bound=PlanModel)
_MOST_ROUNDS = 20
_MOST_FIXES = 100
"""Maximum number of fixes that are tried one by one in a round."""

Score = tuple[int, int, int, int]
"""The numbers of unreadable files, errors, warnings and fixes that leave no choice; less is better."""


_ABOUT_VALUES = ("TPU022", "TPU023", "TPU024")
"""Rules about all kinds of values, whose advice is about no value in particular."""


@frozen
class FixableFile:
    """A file, with its name as given and its content. There is at most one that is not a plan of each kind."""

    name: str
    content: bytes
    kind: FileKind = PLAN

    @property
    def text(self) -> str | None:
        """The text without a byte order mark, with line feeds; None if it is not UTF-8."""
        try:
            text = self.content.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError:
            return None
        return text.replace("\r\n", "\n") if self._has_carriage_returns(text) else text

    def with_text(self, text: str) -> "FixableFile":
        """The file with another text, with its byte order mark and its line endings."""
        before = self.content.removeprefix(codecs.BOM_UTF8)
        mark = codecs.BOM_UTF8 if len(before) < len(self.content) else b""
        if self._has_carriage_returns(before.decode()):
            text = text.replace("\n", "\r\n")
        return replace(self, content=mark + text.encode())

    @staticmethod
    def _has_carriage_returns(text: str) -> bool:
        """Whether every line ends with a carriage return and a line feed."""
        return "\r\n" in text and text.count("\n") == text.count("\r\n")


@frozen
class Checked:
    """Files, and the findings about them."""

    files: tuple[FixableFile, ...]
    findings: tuple[Finding, ...]
    score: Score


@frozen
class FixReport:
    """The files before and after the fixes, the findings that remain, and the number of fixes."""

    before: tuple[FixableFile, ...]
    after: tuple[FixableFile, ...]
    findings: tuple[Finding, ...]
    applied: int

    @property
    def changed(self) -> tuple[tuple[FixableFile, FixableFile], ...]:
        """Each changed file before and after."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple((old, new) for old, new in pairs if old.content != new.content)


@frozen
class Fixer:
    """What files are checked with.

    ``others``, ``inventory`` and ``organization`` cannot be read, and so are not fixed.
    """

    catalog: Catalog
    today: datetime.date | None
    others: tuple[Document[Plan], ...] = ()
    inventory: "Document[Inventory] | None" = None
    organization: "Document[Organization] | None" = None

    def fix(self, files: Sequence[FixableFile]) -> FixReport:
        """Apply fixes until none is left. The result is the files as given if they would not become better."""
        first = current = self._check(tuple(files))
        applied = 0
        for _ in range(_MOST_ROUNDS):
            following, number = self._round(current)
            if number == 0:
                break
            current, applied = following, applied + number
        if current.score >= first.score:
            current, applied = first, 0
        return FixReport(first.files, current.files, current.findings, applied)

    def decide(self, report: FixReport, choose: Callable[[Finding], Reading | None]) -> FixReport:
        """Apply the readings that a person chooses, and the fixes that they make possible."""
        chosen = [(finding, choose(finding)) for finding in report.findings if readings_of(finding)]
        decided = [replace(finding, change=reading.fix) for finding, reading in chosen if reading]
        files, number = _with_fixes(report.after, decided)
        if not number:
            return report
        after = self.fix(files)
        return self.decide(
            FixReport(report.before, after.after, after.findings, report.applied + number + after.applied), choose
        )

    def _round(self, before: Checked) -> tuple[Checked, int]:
        """All fixes at once if that is better, otherwise the first one that is; 0 if there is none."""
        fixes = [finding for finding in before.findings if is_fixable(finding)]
        files, number = _with_fixes(before.files, fixes)
        if number:
            after = self._check(files)
            if after.score < before.score:
                return after, number
        for finding in fixes[:_MOST_FIXES] if number != 1 else ():
            files, number = _with_fixes(before.files, [finding])
            after = self._check(files) if number else before
            if after.score < before.score:
                return after, 1
        return before, 0

    def _check(self, files: tuple[FixableFile, ...]) -> Checked:
        plans = [_read(each, read_plan_content) for each in files if each.kind == PLAN]
        owned = next((_read(each, read_inventory_content) for each in files if each.kind == INVENTORY), self.inventory)
        organizations = (_read(each, read_organization_content) for each in files if each.kind == ORGANIZATION)
        standards = next(organizations, self.organization)
        findings = check_documents((*self.others, *plans), owned, self.catalog, self.today, standards).findings
        unread = sum(not document.is_read for document in (*plans, owned, standards) if document is not None)
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        warnings = sum(finding.severity is Severity.WARNING and not finding.accepted for finding in findings)
        return Checked(files, findings, (unread, errors, warnings, sum(map(is_fixable, findings))))


def _read(file: FixableFile, read: Callable[..., Document[_Model]]) -> Document[_Model]:
    return read(file.content, file.name, past_syntax=True)


def is_fixable(finding: Finding) -> bool:
    """Whether a fix is applied without asking."""
    return (
        finding.only_fix
        and finding.change is not None
        and finding.severity > Severity.NOTE
        and not finding.accepted
        and finding.position is not None
    )


def readings_of(finding: Finding) -> tuple[Reading, ...]:
    """What a finding that remains can mean, for a person who chooses."""
    is_open = finding.severity > Severity.NOTE and not finding.accepted and finding.position is not None
    return finding.change.readings if is_open and isinstance(finding.change, SetKeys) else ()


def decision(finding: Finding) -> str:
    """What a person has to decide about a finding that remains."""
    if is_fixable(finding):
        return "the fix cannot be applied here without another change; make it by hand"
    readings = readings_of(finding)
    if readings:
        return f"write {', or '.join(reading.text for reading in readings)}"
    if finding.fix:
        return "other fixes are possible: choose one; `try` shows one of them"
    if finding.allowed:
        return "choose one of the allowed values"
    if finding.rule in _ABOUT_VALUES:
        return "write the value that you mean: this one can mean several, or nothing"
    return (finding.why if finding.rule == "TPU020" else finding.advice) or "correct the value"


def _with_fixes(files: tuple[FixableFile, ...], findings: Iterable[Finding]) -> tuple[tuple[FixableFile, ...], int]:
    """The files with all fixes that do not touch each other, and their number."""
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        assert finding.position is not None
        by_file.setdefault(finding.position.file, []).append(finding)
    number, changed = 0, []
    for file in files:
        text, fixes = file.text, by_file.get(printable_path(file.name), [])
        if text is None or not fixes:
            changed.append(file)
            continue
        text, applied = fixed_text(text, fixes)
        number += applied
        changed.append(file.with_text(text) if applied else file)
    return tuple(changed), number


def fixed_text(text: str, findings: Iterable[Finding]) -> tuple[str, int]:
    """The text with the fixes of findings in it, and their number.

    Of fixes that change the same part, only the first is applied. A fix that would remove a comment or an entry that
    it does not replace is not applied. The text is read once for all fixes, and all are checked together; only if one
    of them removes something, halves of them are checked until it is found.
    """
    placed = _placed(Mender(text), findings)
    kept = _kept(text, placed)
    return edited(text, _in_order(kept)), len(kept)


@frozen
class _PlacedFix:
    """What a finding marks, and what its fix changes."""

    finding: Finding
    mark: Mark
    edits: tuple[Edit, ...]


def _placed(mender: Mender, findings: Iterable[Finding]) -> tuple[_PlacedFix, ...]:
    """The fixes that change different parts of a text, in its order."""
    free = _FreeParts()
    places = [(finding, finding.position) for finding in findings if finding.position is not None]
    found: list[_PlacedFix] = []
    for finding, place in sorted(places, key=lambda entry: (entry[1].line, entry[1].column, entry[0].rule)):
        if finding.change is None:
            continue
        start, width = mender.offset(place.line, place.column), place.end_column - place.column
        try:
            edits = mender.edits(start, width, finding.change)
        except CannotApplyError:
            continue
        if _changes(mender.text, edits) and free.take(edits):
            found.append(_PlacedFix(finding, _mark(finding, start, width), edits))
    return tuple(found)


def _mark(finding: Finding, start: int, width: int) -> Mark:
    change = finding.change
    return Mark(finding.path, start, width, change.said if isinstance(change, SetKeys) else frozenset())


def _changes(text: str, edits: Iterable[Edit]) -> bool:
    """Whether edits change a text at all."""
    return any(text[edit.start : edit.end] != edit.text for edit in edits)


class _FreeParts:
    """The parts of a text that fixes change, sorted by their start."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []

    def take(self, edits: Sequence[Edit]) -> bool:
        """Whether no edit touches a part that another fix changes; if so, their parts are taken."""
        if any(self._is_taken(edit.start, edit.end) for edit in edits):
            return False
        for edit in edits:
            insort(self._taken, (edit.start, edit.end))
        return True

    def _is_taken(self, start: int, end: int) -> bool:
        index = bisect_left(self._taken, (start, end))
        before, after = self._taken[max(0, index - 2) : index], self._taken[index : index + 2]
        return any(
            (other_start, other_end) == (start, end) or (other_start < end and start < other_end)
            for other_start, other_end in (*before, *after)
        )


def _kept(text: str, fixes: Sequence[_PlacedFix]) -> tuple[_PlacedFix, ...]:
    """The fixes that keep everything which they do not replace."""
    if not fixes or is_all_kept(text, edited(text, _in_order(fixes)), [fix.mark for fix in fixes]):
        return tuple(fixes)
    half = len(fixes) // 2
    return (*_kept(text, fixes[:half]), *_kept(text, fixes[half:])) if half else ()


def _in_order(fixes: Iterable[_PlacedFix]) -> list[Edit]:
    return sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: (edit.start, edit.end))


def replacements(text: str, findings: Iterable[Finding]) -> dict[Finding, Replacement]:
    """What the fix of each finding alone changes in the text of its file, if it is applied without asking."""
    mender, fixable = Mender(text), [*filter(is_fixable, findings)]
    together = _placed(mender, fixable)
    done = {fix.finding for fix in together}
    alone = [fix for finding in fixable if finding not in done for fix in _placed(mender, [finding])]
    kept = (*_kept(text, together), *(fix for each in alone for fix in _kept(text, [each])))
    return {fix.finding: _difference(text, edited(text, fix.edits), fix.edits) for fix in kept}


def _difference(text: str, after: str, edits: Sequence[Edit]) -> Replacement:
    """The smallest part of a text in which another one differs; both differ only in the edits."""
    start, end = edits[0].start, max(edit.end for edit in edits)
    new_end = len(after) - (len(text) - end)
    while start < min(end, new_end) and text[start] == after[start]:
        start += 1
    while end > start and new_end > start and text[end - 1] == after[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    line, column = _line_and_column(text, start)
    end_line, end_column = _line_and_column(text, end)
    return Replacement(line, column, end_line, end_column, after[start:new_end])


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
