"""Files of another kind: findings about them never quote their content.

A plan may be a symbolic link, and what it leads to may be anything, also a secret. Findings reach logs and code
scanning, so findings quote a line only if the file is a plan.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping

from pulumi_gke_tpu.core.plan.base import PlanModel
from pulumi_gke_tpu.core.plan.files.kinds import KINDS, PLAN, FileKind, kind_of_keys, kind_of_model
from pulumi_gke_tpu.core.plan.keys import key_names
from pulumi_gke_tpu.core.text.findings import Finding, Position, Severity, is_misspelled

_ENOUGH = 2
"""Number of top-level keys that identify a plan or an inventory. One key occurs in many other files."""

_MOST_KEYS = 20

_WITHOUT_CONTENT = frozenset({"TPU001", "TPU002", "TPU006"})
"""Rules about a file as a whole, whose findings do not quote its content."""


def is_ours(kind: type[PlanModel], content: bytes, data: object = None) -> bool:
    """Whether a file is of the kind that a model reads. ``data`` is its content; None if it is not valid YAML."""
    found = _keys(kind, content, data)
    if len(found) >= _ENOUGH or not isinstance(data, dict):
        return len(found) >= _ENOUGH
    own = kind_of_keys(data)
    mapped = any(isinstance(data[key], dict) for key in found)
    return mapped and own is not None and own.model is kind and len(found) + _misspelled(kind, data) >= _ENOUGH


def _misspelled(kind: type[PlanModel], data: Mapping[object, object]) -> int:
    """The number of top-level keys that misspell a key of a model by a letter.

    Names that are only alike do not count: `apiVersion` and `users` beside `clusters` are a kubeconfig.
    """
    names = key_names(kind)
    others = [str(key) for key in data if key not in names][:_MOST_KEYS]
    free = [name for name in names if name not in data]
    return sum(
        any(abs(len(name) - len(key)) <= 1 and is_misspelled(key, name, free) for name in free) for key in others
    )


def _keys(kind: type[PlanModel], content: bytes, data: object) -> set[str]:
    """The top-level keys of a model that a file has."""
    names = set(key_names(kind))
    if isinstance(data, dict):
        return names & data.keys()
    text = content.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    before = r"[{,\s]" if text.startswith("{") else "^"
    return {name for name in names if re.search(rf"{before}[\"']?{name}[\"']?\s*:", text, re.MULTILINE)}


def of_another_kind(
    kind: type[PlanModel], findings: Iterable[Finding], content: bytes, data: object = None
) -> tuple[Finding, ...]:
    """The finding about a file that is not of the kind that a model reads."""
    return without_content(kind, findings, _other_kind(kind, content, data))


def _other_kind(kind: type[PlanModel], content: bytes, data: object) -> FileKind | None:
    """The kind of such a file, if it is one of ours."""
    keys = set[str]().union(*(_keys(each.model, content, data) for each in KINDS))
    found = kind_of_keys(keys)
    if found is None or found.model is kind or len(_keys(found.model, content, data)) < _ENOUGH:
        return None
    return found


def without_content(
    kind: type[PlanModel], findings: Iterable[Finding], other: FileKind | None = None
) -> tuple[Finding, ...]:
    """One finding instead of all, with a position and without content of the file.

    ``other`` is the kind of the file, if it is one of ours.
    """
    first = next(iter(findings), Finding("TPU022", Severity.ERROR, (), ""))
    place = first.position
    shown = place and Position(place.file, place.line, place.column, place.column + 1)
    if first.rule in _WITHOUT_CONTENT:
        return (dataclasses.replace(first, position=shown),)
    expected, keys = kind_of_model(kind), ", ".join(key_names(kind))
    message = f"not {expected.shown}: it has fewer than two of the top-level keys {keys}"
    why = "the rest of the content is not shown: the path may be a link to a secret"
    if expected is PLAN:
        why += ". `gke-tpu check` reads clusters, node pools and Kubernetes objects"
    if other is not None:
        message, why = f"this is {other.shown}, not {expected.shown}", other.usage
    return (Finding(first.rule, Severity.ERROR, (), message, why=why, position=shown),)
