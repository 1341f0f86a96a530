"""Reads files with Kubernetes objects: every object of every document and list, and everything else."""

import dataclasses
import posixpath
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.document import KubernetesObject, OtherDocument, items, mapping
from pulumi_gke_tpu.core.objects.outlines import is_outline, json_lines, outlined
from pulumi_gke_tpu.core.text.findings import Finding, Path
from pulumi_gke_tpu.core.text.jsonfile.parsing import JsonError
from pulumi_gke_tpu.core.text.patterns import lazy_pattern
from pulumi_gke_tpu.core.text.yamlfile import YamlFile, YamlProblem
from pulumi_gke_tpu.core.text.yamlfile.file import LARGEST, unreadable
from pulumi_gke_tpu.core.text.yamlfile.stream import StreamDocument, parse_stream

_NAMES = frozenset({"kustomization.yaml", "kustomization.yml"})
_LISTS = ("patches", "patchesStrategicMerge", "patchesJson6902")


def patch_files(documents: Iterable[tuple[str, Any]]) -> frozenset[str]:
    """The normalized names of the files that kustomizations name as patches, from the names and data of all files."""
    return frozenset(
        normalized(posixpath.join(posixpath.dirname(normalized(name)), path))
        for name, data in documents
        if posixpath.basename(normalized(name)) in _NAMES
        for path in _paths(mapping(data))
    )


def normalized(name: str) -> str:
    """The name of a file in the form that names are compared in."""
    return posixpath.normpath(name.replace("\\", "/"))


def _paths(data: dict[str, Any]) -> Iterator[str]:
    """The files of patches; an entry of `patchesStrategicMerge` can also be the patch itself."""
    for key in _LISTS:
        for entry in items(data.get(key)):
            path = mapping(entry).get("path") if isinstance(entry, dict) else entry
            if isinstance(path, str) and path and "\n" not in path:
                yield path


_LIST = "List"
_SYNTAX_ERRORS = frozenset({"TPU003", "TPU007", "TPU009"})
_TEMPLATE = lazy_pattern(r"\{\{|\{%|<%|\$\{")
_OBJECT = lazy_pattern(r"\bapiVersion[\"']?\s*:")
_SECRET = lazy_pattern(r"\bkind[\"']?\s*:\s*[\"']?\w*Secret")


@frozen
class ManifestFile:
    """A file of manifests: its name in findings and its content, or the findings that it cannot be read."""

    name: str
    content: bytes = b""
    findings: tuple[Finding, ...] = ()
    asked: bool = False
    """Whether somebody named the file, not a folder around it."""
    in_snapshot: bool = False
    """Whether the file is in the folder of a snapshot."""


@frozen
class ObjectList:
    """What the name of a file in a snapshot says of its objects."""

    folder: str
    cluster: str
    kind: str


@frozen
class Manifests:
    """The documents of some files, in order, and the findings of reading them."""

    objects: tuple[KubernetesObject, ...]
    others: tuple[OtherDocument, ...]
    findings: tuple[Finding, ...]
    lists: Mapping[str, ObjectList] = field(default_factory=dict)
    """The files of snapshots with all objects of a kind in a cluster."""

    @property
    def strange(self) -> tuple[OtherDocument, ...]:
        """The documents that hold something other than objects. An empty list of a snapshot holds nothing."""
        return tuple(each for each in self.others if each.data is not None or each.file.name not in self.lists)

    @property
    def documents(self) -> tuple[KubernetesObject | OtherDocument, ...]:
        """All documents by their index."""
        return tuple(sorted((*self.objects, *self.others), key=lambda document: document.index))


def read_manifests(files: Iterable[tuple[str, bytes]]) -> Manifests:
    """Read files, given as names and contents. Every problem is a finding."""
    reader = _Reader()
    for name, content in files:
        reader.read(name, content)
    return reader.without_patches()


class _Reader:
    def __init__(self) -> None:
        self.objects: list[KubernetesObject] = []
        self.others: list[OtherDocument] = []
        self.findings: list[Finding] = []

    @property
    def _next(self) -> int:
        return len(self.objects) + len(self.others)

    def read(self, name: str, content: bytes) -> None:
        """Read a file."""
        before = self._next, len(self.findings)
        if is_outline(content) or (len(content) > LARGEST and content.lstrip()[:1] in (b"{", b"[")):
            try:
                self.objects += outlined(json_lines(content), name, self._next)
            except JsonError as error:
                self.findings += unreadable(name, str(error)).findings
            return
        try:
            documents = list(parse_stream(content, name))
        except YamlProblem as problem:
            self.findings += problem.findings
            return
        template = next((document for document in documents if _is_template(document)), None)
        if template is not None:
            self.others.append(OtherDocument(self._next, template.file, (), None, template=True))
            documents = [document for document in documents if not _is_template(document)]
        foreign = not any(map(_may_be_object, documents))
        for document in documents:
            self._read(document, foreign=foreign)
        if (self._next, len(self.findings)) == before:
            self.others.append(OtherDocument(self._next, YamlFile.empty(name), (), None))

    def without_patches(self) -> Manifests:
        """The documents; those in files that a kustomization names as patches are not objects."""
        every: list[KubernetesObject | OtherDocument] = [*self.objects, *self.others]
        patches = patch_files((document.file.name, document.data) for document in every if not document.base)
        objects = [item for item in self.objects if normalized(item.file.name) not in patches]
        others = [item for item in self.others if normalized(item.file.name) not in patches]
        others += (
            OtherDocument(item.index, item.file, item.base, item.data, patch=True)
            for item in every
            if normalized(item.file.name) in patches
        )
        return Manifests(tuple(objects), tuple(others), tuple(self.findings))

    def _read(self, document: StreamDocument, *, foreign: bool) -> None:
        """Read a document; ``foreign`` if its file has no object, so that it belongs to another program."""
        if document.findings and foreign:
            self.others.append(OtherDocument(self._next, document.file, (), None, invalid=True))
            return
        self.findings += (_without_secrets(document, finding) for finding in document.findings)
        if not document.complete:
            return
        for base, data in _expanded(document.file.data):
            kind, version = _identity(data)
            if kind:
                self.objects.append(KubernetesObject(self._next, document.file, base, data, version, kind))
            else:
                self.others.append(OtherDocument(self._next, document.file, base, data))


def _expanded(data: object) -> Iterator[tuple[Path, Any]]:
    """The items of a list object with their paths; any other data itself."""
    waiting: deque[tuple[Path, Any]] = deque([((), data)])
    while waiting:
        path, value = waiting.popleft()
        kind, version = _identity(value)
        contents = value.get("items") if kind.endswith(_LIST) and isinstance(value, dict) else None
        if not isinstance(contents, list):
            yield path, value
            continue
        for index, item in enumerate(contents):
            typed = isinstance(item, dict) and kind != _LIST
            whole = {"apiVersion": version, "kind": kind.removesuffix(_LIST), **item} if typed else item
            waiting.append(((*path, "items", index), whole))


def _identity(data: object) -> tuple[str, str]:
    """The kind and API version of an object; empty if the data is not one."""
    if not isinstance(data, dict):
        return "", ""
    kind, version = data.get("kind"), data.get("apiVersion")
    return (kind, version) if isinstance(kind, str) and isinstance(version, str) and kind and version else ("", "")


def _is_template(document: StreamDocument) -> bool:
    """Whether the document has errors of syntax because it is a template."""
    broken = any(finding.rule in _SYNTAX_ERRORS for finding in document.findings)
    return broken and _TEMPLATE.search(document.file.text) is not None


def _may_be_object(document: StreamDocument) -> bool:
    """Whether a document may be a Kubernetes object, also if it has errors."""
    text = document.file.text
    return _OBJECT.search(text) is not None or _SECRET.search(text) is not None


def _without_secrets(document: StreamDocument, finding: Finding) -> Finding:
    """The finding; without text of a document that may be a Secret, or that is not a Kubernetes object."""
    text = document.file.text
    secret = _SECRET.search(text) is not None
    if not secret and _OBJECT.search(text):
        return finding
    place = finding.position and dataclasses.replace(finding.position, text="")
    what = "a Secret" if secret else "a document that is not a Kubernetes object"
    broken = finding.rule in _SYNTAX_ERRORS
    message = f"invalid YAML in {what}; its content is not shown" if broken else finding.message
    return dataclasses.replace(finding, message=message, given="", allowed=(), change=None, position=place)
