"""The rows of docs/changes.md, and contradictions between them and a run of the engine."""

import importlib.util
import pathlib
import sys
from typing import Any

from pulumi_gke_tpu.catalog import read_catalog

ROOT = pathlib.Path(__file__).parents[2]
PROVIDER = read_catalog().provider


def _module(name: str) -> Any:
    """A module of tools/, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for the module of their class
    spec.loader.exec_module(module)
    return module


table = _module("change_table")
ROWS = table.rows(read_catalog())


def rows_for(token: str, path: str, *, name: str = "") -> list[Any]:
    """The rows that speak for an engine path of the resource with a Pulumi name."""
    found: list[Any] = table.rows_for(ROWS, PROVIDER, token, path, pool=table.pool_of(name))
    return found


def against_the_table(name: str, token: str, op: str, paths: list[str]) -> list[str]:
    """What contradicts the page in one step of the engine, an update or a replacement for these differences."""
    found, replacing = [], False
    for path in paths:
        rows = rows_for(token, path, name=name)
        if not rows:
            found.append(f"{name}: docs/changes.md has no row for {path}")
        if op == "update" and rows and not any(row.updates for row in rows):
            found.append(f"{name}: updated for {path}, which replaces according to docs/changes.md")
        replacing |= any(row.replaces for row in rows)
    if op == "replace" and not replacing:
        found.append(f"{name}: replaced for {paths}, which docs/changes.md does not say")
    return found
