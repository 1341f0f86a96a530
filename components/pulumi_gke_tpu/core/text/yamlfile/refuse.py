"""Problems of a YAML file, and what the reader refuses: anchors, tags, duplicate keys."""

import re
from collections.abc import Iterable
from typing import Any

from pulumi_gke_tpu.core.text.findings import (
    Finding,
    Fix,
    Path,
    Rename,
    Severity,
    Verbatim,
    as_only,
    did_you_mean,
    is_visible,
    printable,
    quoted,
    sort_findings,
)
from pulumi_gke_tpu.core.text.findings.emit import in_quotes
from pulumi_gke_tpu.core.text.formats.yaml_scalars import CORE_TAG, CORE_TYPES, AmbiguousScalar
from pulumi_gke_tpu.core.text.yamlfile.source import SourceText, YamlFile, without_properties

_MOST = 100


class YamlProblem(Exception):  # noqa: N818 - people read it as a problem of their file
    """Raised for a file that cannot be used. ``findings`` holds everything that was found, in order of place.

    ``partial`` is the file if it was read to its end: what the findings are about is text or None there, and of two
    equal keys the first one counts. As text the error is one line ``file:line:column: message`` for each finding, safe
    to print.
    """

    def __init__(self, findings: Iterable[Finding], partial: YamlFile | None = None) -> None:
        self.findings = sort_findings(findings)
        self.partial = partial
        super().__init__("\n".join(_line(finding) for finding in self.findings))


class StopReading(Exception):  # noqa: N818 - a signal inside this package
    """Reading cannot continue; the findings are in :class:`Problems`."""


class Problems:
    """The findings in one file so far."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.findings: list[Finding] = []

    def add(
        self,
        rule: str,
        start: int,
        end: int,
        message: str,
        *,
        path: Path = (),
        given: str = "",
        allowed: tuple[str, ...] = (),
        why: str = "",
        fix: Fix | None = None,
    ) -> None:
        """Note an error at the place from ``start`` to ``end``, offsets into the text.

        Raises:
            StopReading: so much is wrong that more findings would not help.
        """
        full = len(self.findings) == _MOST
        if full:
            message = f"stopped after {_MOST} problems"
            given, allowed, why, fix = "", (), "", None
        self.findings.append(
            Finding(
                rule,
                Severity.ERROR,
                path,
                message,
                given=printable(given),
                allowed=allowed,
                why=why,
                change=as_only(fix),
                position=self.source.position(start, end),
            )
        )
        if full:
            raise StopReading

    def stop(
        self, rule: str, start: int, end: int, message: str, *, why: str = "", fix: Fix | None = None
    ) -> StopReading:
        """Note an error after which nothing more can be read; the caller raises what this returns."""
        try:
            self.add(rule, start, end, message, why=why, fix=fix)
        except StopReading as stop:
            return stop
        return StopReading()


def _line(finding: Finding) -> str:
    place = finding.position
    where = f"{place}: " if place else ""
    return where + finding.message


_SHOWN = 60
_PASTED = 200


def in_double_quotes(text: str) -> str:
    """A text in double quotes for YAML, without invisible characters; empty if it is too long to show."""
    if len(text) > _PASTED:
        return ""
    return in_quotes(visible(text))


def as_text(text: str) -> Verbatim | None:
    """The fix that puts text in quotes; None if it is too long to show."""
    shown = in_double_quotes(text)
    return Verbatim(shown) if shown else None


def visible(text: str) -> str:
    """A text on one line without its invisible characters."""
    return "".join(char for char in re.sub(r"\s", " ", text) if is_visible(char))


def ambiguous(problems: Problems, path: Path, event: Any, found: AmbiguousScalar) -> None:
    """A scalar that YAML readers interpret differently."""
    shown = printable(event.value, _SHOWN)
    instead = found.instead if len(found.instead) <= _SHOWN else ""
    problems.add(
        "TPU011",
        *without_properties(problems.source.text, *_extent(event)),
        f"ambiguous YAML value `{shown}`",
        path=path,
        given=event.value,
        allowed=tuple(choice for choice in (in_double_quotes(event.value), instead) if choice),
        why=found.why,
        fix=as_text(event.value),
    )


def tag(problems: Problems, path: Path, event: Any) -> None:
    """A tag outside the core schema, or one that does not match its value."""
    core = event.tag.startswith(CORE_TAG)
    shown = printable(f"!!{event.tag[len(CORE_TAG) :]}" if core else event.tag, _SHOWN)
    fits_not = core and event.tag[len(CORE_TAG) :] in CORE_TYPES
    problems.add(
        "TPU009",
        *_extent(event),
        f"the tag {shown} does not match its value" if fits_not else f"unsupported tag {shown}",
        path=path,
        given=shown,
        allowed=() if fits_not else tuple(f"!!{name}" for name in CORE_TYPES),
        why="YAML infers the type from the value; a tag is not needed",
        fix=as_text(event.value) if hasattr(event, "value") else None,
    )


def hidden_character(problems: Problems, path: Path, event: Any, char: str, is_key: bool) -> None:
    """A key or value with an invisible character."""
    start, end = without_properties(problems.source.text, *_extent(event))
    at = problems.source.text.find(char, start, end)
    problems.add(
        "TPU010",
        start if at < 0 else at,
        end if at < 0 else at + 1,
        f"this {'key' if is_key else 'value'} contains the invisible character U+{ord(char):04X}",
        path=path,
        given=event.value,
        why="an invisible character is part of the value, although you cannot see it",
        fix=as_text(event.value),
    )


def key_type(problems: Problems, path: Path, start: int, end: int) -> None:
    """A key that is not a string."""
    written = problems.source.text[start:end]
    if not written:
        problems.add("TPU009", start, end, "missing key", path=path, why="every key is a string")
        return
    problems.add(
        "TPU009",
        start,
        end,
        f"key {quoted(written)} is not a string: quote it",
        path=path,
        given=written,
        why="YAML parsers do not read this key as a string, and every key here is a string",
        fix=Rename.to(visible(written)),
    )


def collection_as_key(problems: Problems, path: Path, event: Any, mapping: bool) -> None:
    """A mapping or list as a key; often the braces of a template."""
    start, text = event.start_mark.index, problems.source.text
    braces = text[max(start - 1, 0) : start + 1] == "{{"
    problems.add(
        "TPU009",
        start,
        start + 1,
        "unfilled template: replace {{ }}, or quote text that contains it"
        if braces
        else f"a {'mapping' if mapping else 'list'} cannot be a key",
        path=path,
        why="gke-tpu does not fill in templates" if braces else "every key is a string",
    )


def second_key(problems: Problems, path: Path, place: tuple[int, int], first: int, key: str) -> None:
    """A duplicate key; the first one is at the offset ``first``."""
    before = problems.source.position(first, first)
    problems.add(
        "TPU004",
        *place,
        f"duplicate key: {quoted(key)} is already defined at line {before.line}, column {before.column}",
        path=path,
        given=key,
        why="most YAML parsers silently keep only one of the two values",
    )


def unknown_anchor(problems: Problems, path: Path, event: Any, anchors: Iterable[str]) -> None:
    """An alias without an anchor before it."""
    name = printable(event.anchor, _SHOWN)
    near = did_you_mean(event.anchor, anchors)
    problems.add(
        "TPU007",
        *_extent(event),
        f"undefined alias *{name}: no anchor &{name} is defined above it",
        path=path,
        given=f"*{event.anchor}",
        why="an alias refers to an anchor that is defined above it, and text that begins with * requires quotes",
        fix=Verbatim(f"*{near}") if near else None,
    )


def recursive_alias(problems: Problems, path: Path, event: Any) -> None:
    """An alias inside the value that it refers to."""
    name = printable(event.anchor, _SHOWN)
    problems.add(
        "TPU007",
        *_extent(event),
        f"recursive alias *{name}: it is inside &{name}",
        path=path,
        given=f"*{event.anchor}",
        why="a value cannot contain itself",
    )


def merge_of_other(problems: Problems, path: Path, start: int, end: int) -> None:
    """A ``<<`` whose value is not a mapping."""
    problems.add(
        "TPU007",
        start,
        end,
        "<< requires an alias of a mapping, or a list of them",
        path=path,
        why="YAML merges the keys of that mapping in place of <<",
        allowed=("<<: *name",),
    )


def too_much(problems: Problems, event: object, most: int) -> StopReading:
    """Aliases that expand to too many values. Returns the exception to raise."""
    return problems.stop(
        "TPU007",
        *_extent(event),
        "the aliases in this file expand to far more values than the file contains",
        why=f"in a file of this size, aliases may expand to at most {most} values",
    )


def too_deep(problems: Problems, event: object, deepest: int) -> StopReading:
    """Too many levels. Returns the exception to raise."""
    return problems.stop(
        "TPU008",
        *_extent(event),
        f"nesting exceeds the limit of {deepest} levels",
        why="every file that gke-tpu reads needs fewer levels",
    )


def second_document(problems: Problems, event: object) -> StopReading:
    """Several documents in one file. Returns the exception to raise."""
    return problems.stop(
        "TPU005",
        *_extent(event),
        "second YAML document: move it to its own file",
        why="--- begins another YAML document, and gke-tpu reads one for each file",
    )


def directives(problems: Problems, start: int) -> StopReading:
    """Too many definitions of tags. Returns the exception to raise."""
    return problems.stop(
        "TPU009",
        start,
        start + len("%TAG"),
        "the file defines too many tags, and tags are not supported",
        why="YAML infers the type from the value; a tag is not needed",
    )


def empty(problems: Problems) -> StopReading:
    """An empty file. Returns the exception to raise."""
    return problems.stop("TPU006", 0, 0, "the file is empty", why="an empty file has no keys")


def _extent(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index
