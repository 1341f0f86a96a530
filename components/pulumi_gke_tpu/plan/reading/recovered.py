"""Reads past syntax errors that have only one fix, so that one run also reports the mistakes behind them."""

import dataclasses
from collections.abc import Sequence

from pulumi_gke_tpu.findings import Finding, Position
from pulumi_gke_tpu.plan.mending import CannotApplyError, Edit, difference, mended
from pulumi_gke_tpu.yamlfile import YamlProblem
from pulumi_gke_tpu.yamlfile.decode import decode
from pulumi_gke_tpu.yamlfile.file import parse_source
from pulumi_gke_tpu.yamlfile.source import Source

_MOST = 20
"""Maximum number of syntax errors to read past."""
_SYNTAX = "TPU003"


class MendedSource(Source):
    """A corrected text. Positions are those in the original."""

    is_mended = True

    def __init__(self, original: Source, text: str, edits: Sequence[Edit]) -> None:
        super().__init__(original.name, text)
        self._original = original
        self._edits = tuple(edits)
        self.inside: dict[Position, Position] = {}
        """The positions in the corrected text of those in the original."""

    @property
    def file_text(self) -> str:
        """The text of the file before the corrections."""
        return self._original.text

    def position(self, start: int, end: int | None = None) -> Position:
        """The position in the original file."""
        place = self._original.position(self._before(start), None if end is None else self._before(end))
        self.inside[place] = super().position(start, end)
        return place

    def is_corrected(self, start: int) -> bool:
        """Whether an offset is in a line with a correction."""
        first, last = self.line_start(start), self.line_end(start)
        return any(first <= place <= last for place in self._places_of_corrections())

    def _places_of_corrections(self) -> list[int]:
        """The offsets of the corrections in the corrected text."""
        places: list[int] = []
        for edit in self._edits:
            moved = edit.start + len(edit.text) - edit.end
            places = [place + moved if place > edit.start else place for place in places]
            places.append(edit.start)
        return places

    def _before(self, offset: int) -> int:
        for edit in reversed(self._edits):
            new_end = edit.start + len(edit.text)
            if offset >= new_end:
                offset += edit.end - new_end
            elif offset > edit.start:  # in the correction: the corrected text
                offset = min(offset, edit.end)
        return offset


def recovered(content: bytes, name: str, problem: YamlProblem) -> YamlProblem:
    """The problem of a file with further findings, and with the corrected file if that can be read to its end.

    Positions are those in the file as it is. Only a fix of a syntax error is applied without asking: the place of
    another one is in text that no parser reads yet.
    """
    try:
        original = decode(content, name)
    except YamlProblem:
        return problem
    text, edits, errors = original.text, list[Edit](), list[Finding]()
    for _ in range(_MOST):
        source = MendedSource(original, text, edits)
        shown = _parsed(source)
        error = _syntax_error(shown)
        if error is None or shown.partial is not None:
            break
        errors.append(error)
        place = error.position and source.inside[error.position]
        after = _corrected(text, place, error.fix) if place and error.only_fix else None
        if after is None:
            break
        edits.append(difference(text, after))
        text = after
    others = (dataclasses.replace(each, only_fix=False) for each in shown.findings if each.rule != _SYNTAX)
    return YamlProblem([*errors, *others], shown.partial)


def _parsed(source: Source) -> YamlProblem:
    try:
        return YamlProblem((), parse_source(source))
    except YamlProblem as problem:
        return problem


def _syntax_error(problem: YamlProblem) -> Finding | None:
    return next((finding for finding in problem.findings if finding.rule == _SYNTAX), None)


def _corrected(text: str, place: Position, fix: str) -> str | None:
    """The text with the fix of a syntax error; None if it cannot be applied, or the line has several levels."""
    if not _has_one_level(text.split("\n")[: place.line]):
        return None
    try:
        after = mended(text, place.line, place.column, place.end_column - place.column, fix)
    except CannotApplyError:
        return None
    return after if after != text else None


def _has_one_level(lines: list[str]) -> bool:
    """Whether the level of the last line is clear: a tab has no width, so only a line below a new key has one level."""
    *above, last = lines
    if "\t" not in last[: len(last) - len(last.lstrip())]:
        return True
    content = (line.partition(" #")[0].rstrip() for line in reversed(above) if not line.lstrip().startswith("#"))
    return next((line for line in content if line), "").endswith(":")
