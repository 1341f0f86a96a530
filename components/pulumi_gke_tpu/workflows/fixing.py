"""Applies the fixes that leave no choice to plans and an inventory, and keeps them only if the files become better."""

import bisect
import codecs
import datetime
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pulumi_gke_tpu.catalog import Catalog
from pulumi_gke_tpu.findings import Finding, Position, Replacement, Severity, printable
from pulumi_gke_tpu.frozen import frozen
from pulumi_gke_tpu.plan import Document, Inventory, Plan, read_inventory_content, read_plan_content
from pulumi_gke_tpu.plan.mending import CannotApplyError, Edit, Mender, difference, edited
from pulumi_gke_tpu.workflows.check import check_documents

_MOST_ROUNDS = 20
_MOST_CHECKS = 100
"""Maximum number of times that files are checked in one round."""
_LONGEST_NAME = 4096
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*", re.MULTILINE)

Score = tuple[int, int, int, int]
"""The numbers of unreadable files, of the lines that are read in them (negative), of errors and of warnings.

Less is better.
"""


_ABOUT_VALUES = ("TPU022", "TPU023", "TPU024")
"""Rules about all kinds of values, whose advice is about no value in particular."""


@frozen
class FixableFile:
    """A plan or an inventory, with its name as given and its content."""

    name: str
    content: bytes
    is_inventory: bool = False

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
    """What files are checked with. ``others`` and ``inventory`` cannot be read, and so are not fixed."""

    catalog: Catalog
    today: datetime.date | None
    others: tuple[Document[Plan], ...] = ()
    inventory: Document[Inventory] | None = None

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

    def _round(self, before: Checked) -> tuple[Checked, int]:
        """All fixes at once if that is better, otherwise the first part of them that is; 0 if there is none.

        The parts are halves, then their halves, and so on.
        """
        fixes = [finding for finding in before.findings if is_fixable(finding)]
        parts = [fixes]
        for _ in range(_MOST_CHECKS):
            if not parts:
                break
            part = parts.pop()
            files, number = _with_fixes(before.files, part)
            after = self._check(files) if number else before
            if after.score < before.score:
                return after, number
            if len(part) > 1:
                middle = len(part) // 2
                parts += [part[middle:], part[:middle]]
        return before, 0

    def _check(self, files: tuple[FixableFile, ...]) -> Checked:
        plans = [
            read_plan_content(each.content, each.name, past_syntax=True) for each in files if not each.is_inventory
        ]
        inventories = (each for each in files if each.is_inventory)
        read = (read_inventory_content(each.content, each.name, past_syntax=True) for each in inventories)
        owned = next(read, self.inventory)
        findings = check_documents((*self.others, *plans), owned, self.catalog, self.today).findings
        documents: list[Document[Any]] = [*plans, *([owned] if owned is not None else [])]
        unread = sum(not document.is_read for document in documents)
        lines = sum(_last_syntax_error(document) for document in documents)
        errors = sum(finding.severity is Severity.ERROR for finding in findings)
        warnings = sum(finding.severity is Severity.WARNING and not finding.accepted for finding in findings)
        return Checked(files, findings, (unread, -lines, errors, warnings))


def _last_syntax_error(document: Document[Any]) -> int:
    """The line of the last syntax error that reading reached; 0 without one."""
    places = (finding.position for finding in document.findings if finding.rule == "TPU003")
    return max((place.line for place in places if place), default=0)


def is_fixable(finding: Finding) -> bool:
    """Whether a fix is applied without asking."""
    return (
        finding.only_fix
        and bool(finding.fix)
        and finding.severity > Severity.NOTE
        and not finding.accepted
        and finding.position is not None
    )


def decision(finding: Finding, advice: Mapping[str, str]) -> str:
    """What a person has to decide about a finding that remains; ``advice`` is the fix that each rule describes."""
    if is_fixable(finding):
        return "the fix cannot be applied here without another change; make it by hand"
    if finding.fix:
        return "other fixes are possible: choose one; `try` shows one of them"
    if finding.allowed:
        return "choose one of the allowed values"
    if finding.rule in _ABOUT_VALUES:
        return "write the value that you mean: this one can mean several, or nothing"
    return advice.get(finding.rule, "") or "correct the value"


def _with_fixes(files: tuple[FixableFile, ...], findings: Iterable[Finding]) -> tuple[tuple[FixableFile, ...], int]:
    """The files with all fixes that do not touch each other, and their number."""
    by_file: dict[str, list[Finding]] = {}
    for finding in findings:
        assert finding.position is not None
        by_file.setdefault(finding.position.file, []).append(finding)
    number, changed = 0, []
    for file in files:
        text, fixes = file.text, by_file.get(printable(file.name, _LONGEST_NAME), [])
        if text is None or not fixes:
            changed.append(file)
            continue
        text, applied = fixed_text(text, fixes)
        number += applied
        changed.append(file.with_text(text) if applied else file)
    return tuple(changed), number


def fixed_text(text: str, findings: Iterable[Finding]) -> tuple[str, int]:
    """The text with the fixes of findings in it, and their number.

    Of fixes that change the same text, the last one is applied. A fix that would remove a comment is not applied.
    """
    mender, chosen = Mender(text), list[Edit]()
    applied = 0
    places = ((finding, finding.position) for finding in findings if finding.position is not None)
    for finding, place in sorted(
        places, key=lambda entry: (entry[1].line, entry[1].column, entry[0].rule), reverse=True
    ):
        edits = _edits(mender, place, finding.fix)
        if edits and not any(_is_changed(chosen, edit) for edit in edits):
            for edit in edits:
                bisect.insort(chosen, edit, key=lambda edit: edit.start)
            applied += 1
    return edited(text, chosen), applied


def _edits(mender: Mender, place: Position, fix: str) -> tuple[Edit, ...]:
    """What a fix changes; nothing if it cannot be applied, or would remove a comment."""
    try:
        edits = mender.edits(place.line, place.column, place.end_column - place.column, fix)
    except CannotApplyError:
        return ()
    whole = _joined(mender.text, edits)
    if whole is None:
        return ()
    start = mender.text.rfind("\n", 0, whole.start) + 1
    end = mender.text.find("\n", whole.end)
    before, after = mender.text[start : whole.start], mender.text[whole.end : end if end >= 0 else None]
    old = before + mender.text[whole.start : whole.end] + after
    return () if _comments(old) - _comments(before + whole.text + after) else edits


def _is_changed(chosen: list[Edit], edit: Edit) -> bool:
    """Whether an edit touches one of those that are chosen, which are in order and apart from each other."""
    index = bisect.bisect_left(chosen, edit.start, key=lambda each: each.start)
    return any(each.start <= edit.end and edit.start <= each.end for each in chosen[max(index - 1, 0) : index + 1])


def _joined(text: str, edits: tuple[Edit, ...]) -> Edit | None:
    """Edits as one that changes everything from the first to the last of them; None if there is none."""
    if not edits:
        return None
    start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    inner = (Edit(edit.start - start, edit.end - start, edit.text) for edit in edits)
    return Edit(start, end, edited(text[start:end], inner))


def replacements(text: str, findings: Iterable[Finding]) -> dict[Finding, Replacement]:
    """What the fix of each finding changes in the text of its file, if it is applied without asking."""
    mender, found = Mender(text), dict[Finding, Replacement]()
    for finding in findings:
        edits = _edits(mender, finding.position, finding.fix) if is_fixable(finding) and finding.position else ()
        whole = _joined(text, edits)
        if whole is not None:
            part = difference(text[whole.start : whole.end], whole.text)
            start = mender.line_and_column(whole.start + part.start)
            found[finding] = Replacement(*start, *mender.line_and_column(whole.start + part.end), part.text)
    return found


def _comments(text: str) -> Counter[str]:
    """The comments of a file; also what looks like one inside of text."""
    return Counter(_COMMENT.findall(text))
