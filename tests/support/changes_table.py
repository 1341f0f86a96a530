"""The rows of the page changes.md, and contradictions between them and a run of the engine."""

from typing import Any

from support.tools import tool

from pulumi_gke_tpu.core.catalog import read_catalog

PROVIDER = read_catalog().provider


table = tool("change_table")
ROWS = table.rows(read_catalog())


def rows_for(token: str, path: str, *, name: str = "") -> list[Any]:
    """The rows that apply to an engine path of the resource with a Pulumi name."""
    found: list[Any] = table.rows_for(ROWS, PROVIDER, token, path, pool=table.pool_of(name))
    return found


def against_the_table(name: str, token: str, op: str, paths: list[str]) -> list[str]:
    """What contradicts the page in one step of the engine, an update or a replacement for these differences."""
    found, replacing = [], False
    for path in paths:
        rows = rows_for(token, path, name=name)
        if not rows:
            found.append(f"{name}: the page changes.md has no row for {path}")
        if op == "update" and rows and not any(row.updates for row in rows):
            found.append(f"{name}: updated for {path}, which replaces according to the page changes.md")
        replacing |= any(row.replaces for row in rows)
    if op == "replace" and not replacing:
        found.append(f"{name}: replaced for {paths}, which the page changes.md does not say")
    return found
