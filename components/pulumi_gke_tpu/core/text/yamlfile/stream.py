"""Reads the documents of Kubernetes manifests: several in a file, as YAML or JSON, with the positions of all values.

A plan must mean the same to every YAML reader; a manifest only has to mean something to Kubernetes, whose reader
follows YAML 1.1 for booleans and octal numbers. Template expressions without values are kept as their text. A document
with an error does not hide the others.
"""

import contextlib
import functools
import json
import re
from collections.abc import Iterator
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.text.findings import Finding, sort_findings
from pulumi_gke_tpu.core.text.formats.yaml_scalars import AmbiguousScalar, Scalar, fits, resolve
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile.build import BROKEN, Builder, OpenNode
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST, LFS, LFS_POINTER, decode, too_large, unreadable
from pulumi_gke_tpu.core.text.yamlfile.refuse import Problems, StopReading, YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.source import QUOTED, SourceText, YamlFile

MOST_DOCUMENTS = 10_000
"""Maximum number of documents in a file."""
DEEPEST = 100
"""Maximum nesting. The schemas of large custom resources have about 40 levels."""

_MARKER = lazy_pattern(r"^(---|\.\.\.)(?=\s|\Z)", re.MULTILINE)
_CONTENT = lazy_pattern(r"(?:\A---[ \t]+|^[ \t]*)(?![#%\s])(?!---(?:\s|\Z))\S", re.MULTILINE)
_DIRECTIVE = lazy_pattern(r"^%", re.MULTILINE)
_JSON = lazy_pattern(r"\s*\{")
_BOOLEANS = {"yes": True, "on": True, "no": False, "off": False}
_BRACES = "{{"
_KEPT_VALUES = 4096
"""Values of scalars to keep: the documents of a file have mostly the same ones."""


@frozen
class StreamDocument:
    """One document of a file, and the findings of reading it.

    The text of ``file`` is that of the document. ``complete`` is whether it was read to its end; otherwise it has no
    data.
    """

    file: YamlFile
    complete: bool
    findings: tuple[Finding, ...] = ()


def parse_stream(content: bytes, name: str) -> Iterator[StreamDocument]:
    """The documents of a file that have content, in order. ``name`` is what findings call the file.

    Raises:
        YamlProblem: the file is too large, is not text in UTF-8, or has too many documents.
    """
    if len(content) > LARGEST:
        raise unreadable(name, too_large())
    if content.startswith(LFS):
        raise unreadable(name, LFS_POINTER)
    whole = decode(content, name, strict=False)
    parts = list(_parts(whole.text))
    if len(parts) > MOST_DOCUMENTS:
        raise unreadable(name, f"it contains more than {MOST_DOCUMENTS:,} documents")
    for start, end in parts:
        document = _read(SourceText(name, whole.text[start:end], whole.line_number(start) - 1))
        if document.file.data is not None or document.findings:
            yield document


def only_document(content: bytes, name: str) -> YamlFile | None:
    """The one document of a file; None if it has several or none, or cannot be read without findings."""
    try:
        documents = tuple(parse_stream(content, name))
    except YamlProblem:
        return None
    return documents[0].file if len(documents) == 1 and not documents[0].findings else None


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """The extents of the documents, without empty ones.

    ``---`` at the beginning of a line always starts a document, even inside a text of several lines.
    """
    values = _json_values(text)
    if values:
        yield from values
        return
    start = 0
    for match in _MARKER.finditer(text):
        yield from _filled(text, start, match.start())
        start = match.start() if match[1] == "---" else match.end()
    yield from _filled(text, start, len(text))


def _filled(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The extent of a document from its first line with content; from its beginning if it has directives."""
    document = text[start:end]
    first = _CONTENT.search(document)
    if first:
        yield start if _DIRECTIVE.search(document, 0, first.start()) else start + first.start(), end


def _json_values(text: str) -> list[tuple[int, int]]:
    """The extents of the values of a file with several JSON values and nothing else; empty for any other file."""
    found: list[tuple[int, int]] = []
    decoder, at = json.JSONDecoder(), 0
    with contextlib.suppress(ValueError, RecursionError):
        while match := _JSON.match(text, at):
            start = match.end() - 1
            _, at = decoder.raw_decode(text, start)
            found.append((start, at))
        if len(found) > 1 and not text[at:].strip():
            return found
    return []


def _read(source: SourceText) -> StreamDocument:
    problems = Problems(source)
    builder = LenientBuilder(problems)
    with contextlib.suppress(StopReading):
        builder.read()
    file = YamlFile(source.name, builder.data if builder.complete else None, source, builder.places)
    return StreamDocument(file, builder.complete, sort_findings(problems.findings))


class LenientBuilder(Builder):
    """Reads a document, and reports only errors of syntax, and duplicate keys.

    Keys are text. The value of a template expression without quotes, ``{{ .Values.topology }}``, is its text.
    """

    deepest = DEEPEST

    def _new_plain(self, event: Any) -> Any:
        value = kubernetes_value(event.value)
        self._plain[event.value] = value
        return value

    def _other_scalar(self, event: Any) -> Any:
        text = event.value
        value = text if event.tag is None else fits(text, event.tag)
        return text if type(value) is AmbiguousScalar else value

    def _key(self, top: OpenNode, node: int, value: object) -> Any:
        if type(value) is not str and value is not BROKEN:
            start, end = self.places.extent(node, self._text)
            value = self._text[start:end] if self.places.kinds[node] <= QUOTED else ""
        return super()._key(top, node, value)

    def _other_tag(self, event: Any) -> None:
        """Accept the tag: the program that the file is for knows it."""

    def _collection_as_key(self, around: OpenNode, event: Any, mapping: bool) -> None:
        start = event.start_mark.index
        if mapping and self._text[max(start - 1, 0) : start + 1] == _BRACES:
            around.as_text = True
        elif not self._text.startswith(_BRACES, start):
            super()._collection_as_key(around, event, mapping)

    def _end(self, event: Any) -> None:
        branch = self._open[-1]
        super()._end(event)
        if branch.as_text:
            text = self._text[self.places.starts[branch.node] : self.places.ends[branch.node]]
            if not self._open:
                self.data = text
            elif branch.step is not None and not branch.in_key:
                self._open[-1].data[branch.step] = text

    def _without_content(self) -> None:
        """Leave an empty document without data."""


@functools.lru_cache(maxsize=_KEPT_VALUES)
def kubernetes_value(text: str) -> Scalar:
    """The value that Kubernetes reads: ``yes`` is true and ``0644`` an octal number; other doubtful values are text."""
    value = resolve(text)
    if not isinstance(value, AmbiguousScalar):
        return value
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    try:
        return int(text, 8) if text.startswith("0") else text
    except ValueError:
        return text
