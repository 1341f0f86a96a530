"""Reads past syntax errors that have only one fix, so that one run also reports the mistakes behind them."""

import dataclasses
from collections.abc import Sequence

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.plan.files.mending import CannotApplyError, mended
from pulumi_gke_tpu.core.text.findings import Finding, Position, as_only
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.file import decode, parse_source
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText

_MOST = 20
"""Maximum number of syntax errors to read past."""
_SYNTAX = "TPU003"


@frozen
class ReplacedSpan:
    """One replaced part of a text: its begin, and its end before and after the correction, as offsets."""

    start: int
    old_end: int
    new_end: int

    @classmethod
    def between(cls, old: str, new: str) -> "ReplacedSpan":
        """The only part in which two texts differ."""
        shorter = min(len(old), len(new))
        start = next((at for at in range(shorter) if old[at] != new[at]), shorter)
        longest = shorter - start
        same = next((back for back in range(longest) if old[-1 - back] != new[-1 - back]), longest)
        return cls(start, len(old) - same, len(new) - same)

    def before(self, offset: int) -> int:
        """The offset in the old text of an offset in the new one; inside the new part, that of the old part."""
        if offset <= self.start:
            return offset
        return min(offset, self.old_end) if offset < self.new_end else offset - self.new_end + self.old_end


class MendedSource(SourceText):
    """A corrected text. Positions are those in the original."""

    is_mended = True

    def __init__(self, original: SourceText, text: str, edits: Sequence[ReplacedSpan]) -> None:
        super().__init__(original.name, text)
        self._original = original
        self._edits = tuple(edits)

    @property
    def file_text(self) -> str:
        """The text of the file before the corrections."""
        return self._original.text

    def position(self, start: int, end: int | None = None) -> Position:
        """The position in the original file."""
        return self._original.position(self._before(start), None if end is None else self._before(end))

    def is_corrected(self, start: int) -> bool:
        """Whether an offset is in a line with a correction."""
        first, last = self.line_start(start), self.line_end(start)
        return any(first <= place <= last for place in self._corrected())

    def _corrected(self) -> list[int]:
        """The offsets of the corrections in the corrected text."""
        places: list[int] = []
        for edit in self._edits:
            moved = edit.new_end - edit.old_end
            places = [place + moved if place > edit.start else place for place in places]
            places.append(edit.start)
        return places

    def _before(self, offset: int) -> int:
        for edit in reversed(self._edits):
            offset = edit.before(offset)
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
    text, edits, errors = original.text, list[ReplacedSpan](), list[Finding]()
    for _ in range(_MOST):
        shown = _parsed(MendedSource(original, text, edits))
        error = _syntax_error(shown)
        if error is None or shown.partial is not None:
            break
        errors.append(error)
        inside = _syntax_error(_parsed(SourceText(name, text)))
        after = _corrected(text, inside) if inside else None
        if after is None:
            break
        edits.append(ReplacedSpan.between(text, after))
        text = after
    others = [each for each in shown.findings if each.rule != _SYNTAX]
    others = [dataclasses.replace(each, change=as_only(each.change, is_only=False)) for each in others]
    return YamlProblem([*errors, *others], shown.partial)


def _parsed(source: SourceText) -> YamlProblem:
    try:
        return YamlProblem((), parse_source(source))
    except YamlProblem as problem:
        return problem


def _syntax_error(problem: YamlProblem) -> Finding | None:
    return next((finding for finding in problem.findings if finding.rule == _SYNTAX), None)


def _corrected(text: str, error: Finding) -> str | None:
    """The text with the fix of a syntax error; None if there is no fix, or several levels for the line."""
    place = error.position
    if (
        place is None
        or error.change is None
        or not error.change.is_only
        or not _has_one_level(text.split("\n")[: place.line])
    ):
        return None
    try:
        after = mended(text, place.line, place.column, place.end_column - place.column, error.change)
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
