"""Files that are not plans: findings about them never quote their content.

A plan may be a symbolic link, and what it leads to may be anything, also a secret. Findings reach logs and code
scanning, so findings quote a line only if the file is a plan.
"""

import dataclasses
import re
from collections.abc import Iterable

from pulumi_gke_tpu.findings import Finding, Position, Severity
from pulumi_gke_tpu.plan.base import PlanModel
from pulumi_gke_tpu.plan.keys import key_names

_ENOUGH = 2
"""Number of top-level keys that identify a plan or an inventory. One key occurs in many other files."""

_WITHOUT_CONTENT = frozenset({"TPU001", "TPU002", "TPU006"})
"""Rules about a file as a whole, whose findings do not quote its content."""


def is_ours(kind: type[PlanModel], content: bytes, data: object = None) -> bool:
    """Whether a file is a plan or an inventory. ``data`` is its content; None if it is not valid YAML."""
    names = key_names(kind)
    if isinstance(data, dict):
        return len(data.keys() & set(names)) >= _ENOUGH
    text = content.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    before = r"[{,\s]" if text.startswith("{") else "^"
    found = (re.search(rf"{before}[\"']?{name}[\"']?\s*:", text, re.MULTILINE) for name in names)
    return sum(match is not None for match in found) >= _ENOUGH


def without_content(kind: type[PlanModel], findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding instead of all, with a position and without content of the file."""
    first = next(iter(findings), Finding("TPU022", Severity.ERROR, (), ""))
    place = first.position
    shown = place and Position(place.file, place.line, place.column, place.column + 1)
    if first.rule in _WITHOUT_CONTENT:
        return (dataclasses.replace(first, position=shown),)
    keys = ", ".join(key_names(kind))
    return (
        Finding(
            first.rule,
            Severity.ERROR,
            (),
            f"not a {kind.__name__.lower()} file: it has fewer than two of the top-level keys {keys}",
            why="the rest of the content is not shown: the path may be a link to a secret",
            position=shown,
        ),
    )
