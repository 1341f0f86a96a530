"""Writes a plan as YAML: short mappings on one line, long ones with a key on each."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pulumi_gke_tpu.core.text.findings.emit import flow

_WIDTH: Final = 100
_OPEN: Final = frozenset({"clusters", "slices", "kubernetes", "workloads", "cpu_pools"})
"""Keys whose entries begin on lines of their own."""


def written_plan(plan: Mapping[str, Any], schema: str) -> str:
    """The plan, with the comment by which editors find its schema."""
    return "\n".join([f"# yaml-language-server: $schema={schema}", *plan_lines(plan, 0)]) + "\n"


def plan_lines(entries: Mapping[str, Any], depth: int, *, is_named: bool = False) -> Iterator[str]:
    """The lines of some keys of a plan at a depth."""
    indent = "  " * depth
    for key, value in entries.items():
        line = f"{indent}{flow(str(key))}: {flow(value)}"
        is_open = is_named or key in _OPEN
        if isinstance(value, dict) and value and (is_open or len(line) > _WIDTH):
            yield f"{indent}{flow(str(key))}:"
            yield from plan_lines(value, depth + 1, is_named=key in _OPEN and key != "kubernetes" and not is_named)
        else:
            yield line
