"""Keeps what is right of a document with errors, so that one mistake does not hide what rules say about the rest."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from pulumi_gke_tpu.findings import Path
from pulumi_gke_tpu.plan.base import Part
from pulumi_gke_tpu.plan.keys import field_of, is_part, type_at

_STAND_INS = {("version",): 1, ("project",): "unknown-project"}
"""For what a plan cannot do without, so that its clusters can still be judged."""


def salvage(kind: type[Part], data: Any, error: ValidationError) -> tuple[Any, set[Path]]:
    """The document without its smallest wrong parts, and the paths of those."""
    bad = {
        _part_to_drop(kind, entry["loc"], entry["type"])
        for entry in error.errors(include_url=False, include_context=False)
    }
    for path in sorted(bad, key=_reading_order, reverse=True):  # from the end, so that list indices stay true
        data = data | {path[0]: _STAND_INS[path]} if path in _STAND_INS else _without(data, path)
    return data, bad


def lacks_only(path: Path, dropped: Iterable[Path]) -> bool:
    """Whether something stood below ``path`` that was dropped: what is missed there now is no mistake of its own."""
    return any(gone[: len(path)] == path for gone in dropped)


def _part_to_drop(kind: type[Part], path: Path, problem: str) -> Path:
    """A key nobody knows goes alone, a wrong group as a whole; of a cluster the key, unless the cluster needs it."""
    if problem == "extra_forbidden" or path in _STAND_INS:
        return path
    if len(path) >= 4 and path[0] == "clusters" and path[2] == "slices":
        return path[:4]
    if len(path) >= 3 and path[0] == "clusters" and not _required(kind, path[:3]):
        return path[:3]
    return path[:2]


def _required(kind: type[Part], path: Path) -> bool:
    parent = type_at(kind, path[:-1])
    field = field_of(parent, str(path[-1])) if is_part(parent) else None
    return field is None or field.is_required()


def _reading_order(path: Path) -> tuple[str, ...]:
    return tuple(f"{step:08}" if isinstance(step, int) else step for step in path)


def _without(data: Any, path: Path) -> Any:
    """A copy of ``data`` without the value at ``path``; only the containers on the way are copied."""
    if not path:
        return None
    step, rest = path[0], path[1:]
    if isinstance(data, dict) and step in data:
        if not rest:
            return {key: value for key, value in data.items() if key != step}
        return data | {step: _without(data[step], rest)}
    if isinstance(data, list) and isinstance(step, int) and step < len(data):
        if not rest:
            return data[:step] + data[step + 1 :]
        return [*data[:step], _without(data[step], rest), *data[step + 1 :]]
    return data
