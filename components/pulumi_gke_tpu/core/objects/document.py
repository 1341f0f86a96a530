"""One document of a file: a Kubernetes object, or something else."""

import dataclasses
from dataclasses import field
from typing import Any

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.objects.open_values import is_open
from pulumi_gke_tpu.core.text.findings import Finding, Path, Position, quoted
from pulumi_gke_tpu.core.text.formats.property_path import value_at
from pulumi_gke_tpu.core.text.yamlfile import YamlFile


@frozen(eq=False)
class OtherDocument:
    """A document, or an item of a list, that is not a Kubernetes object.

    ``index`` numbers all documents of a check, in order. ``base`` is the path of the data in its file.
    """

    index: int
    file: YamlFile = field(repr=False)
    base: Path
    data: Any = field(repr=False)
    template: bool = False
    """Whether the document is a template that is not YAML before a program fills it in."""
    invalid: bool = False
    """Whether the document is neither an object nor valid YAML."""
    patch: bool = False
    """Whether the document is a patch of Kustomize, which is not a whole object."""
    asked: bool = False
    """Whether somebody named its file, which has no object."""

    def at(self, *steps: str | int) -> Path:
        """The path, for a hit, of a value in the document."""
        return (self.index, *steps)


@frozen(eq=False)
class KubernetesObject:
    """An object with ``apiVersion`` and ``kind``.

    ``index`` numbers all documents of a check, in order. ``base`` is the path of the object in its document:
    ``("items", 3)`` in a list. Texts are empty if they are missing or not text, and can be open.
    """

    index: int
    file: YamlFile = field(repr=False)
    base: Path
    data: dict[str, Any] = field(repr=False)
    api_version: str
    kind: str
    is_outline: bool = False
    """Whether only some of its fields were read, so that one that is missing says nothing."""

    @property
    def group(self) -> str:
        """The API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version of the API group, such as ``v1``."""
        return self.api_version.rpartition("/")[2]

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata; empty if it is missing."""
        return mapping(self.data.get("metadata"))

    @property
    def spec(self) -> dict[str, Any]:
        """The specification; empty if it is missing."""
        return mapping(self.data.get("spec"))

    @property
    def name(self) -> str:
        """The name; empty for a generated one."""
        return text(self.metadata.get("name"))

    @property
    def namespace(self) -> str:
        """The namespace that the object states; empty otherwise."""
        return text(self.metadata.get("namespace"))

    @property
    def exists(self) -> bool:
        """Whether the API server has the object: it has accepted it, or GKE has made it."""
        return isinstance(self.metadata.get("uid"), str)

    def may_share_namespace(self, other: "KubernetesObject") -> bool:
        """Whether both can be in one namespace: it is decided at ``kubectl apply`` for objects that state none."""
        return self.namespace == other.namespace or not self.namespace or not other.namespace

    @property
    def annotations(self) -> dict[str, Any]:
        """The annotations."""
        return mapping(self.metadata.get("annotations"))

    @property
    def labels(self) -> dict[str, Any]:
        """The labels."""
        return mapping(self.metadata.get("labels"))

    @property
    def title(self) -> str:
        """The kind and name for a message: ``Job `train```."""
        return f"{self.kind} {quoted(self.name)}" if self.name else self.kind

    @property
    def is_secret(self) -> bool:
        """Whether findings must not show values of the object."""
        return self.kind.endswith("Secret")

    def is_a(self, kind: str, group: str = "") -> bool:
        """Whether the object has this kind and API group."""
        return self.kind == kind and self.group == group

    def at(self, *steps: str | int) -> Path:
        """The path, for a hit, of a value in the object."""
        return (self.index, *steps)

    def value(self, *steps: str | int) -> object:
        """The value at a path in the object; None if there is none."""
        return value_at(self.data, steps)


def placed(document: KubernetesObject | OtherDocument, finding: Finding) -> Finding:
    """A finding with its path in the document and its position; without values of Secrets and other documents."""
    path = (*document.base, *finding.path[1:])
    position = document.file.position(path)
    if not (isinstance(document, OtherDocument) or document.is_secret):
        return dataclasses.replace(finding, path=path, position=position)
    hidden = Position(position.file, position.line, position.column, position.end_column)
    return dataclasses.replace(finding, path=path, position=hidden, given="")


def mapping(value: object) -> dict[str, Any]:
    """The value if it is a mapping; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """The value if it is a list; otherwise an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """The value if it is text; otherwise an empty one."""
    return value if isinstance(value, str) else ""


def known_text(value: object) -> str:
    """Text that no template fills in; empty for anything else."""
    return "" if is_open(value) else text(value)


def count(value: object, default: int) -> int | None:
    """A number of pods or groups; the default if it is missing, None if it is open, negative or not a number."""
    if value is None:
        return default
    if is_open(value) or isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value
