"""Every plan that the tests and documents of this repository have, by where it comes from.

Plans are data as a plan file gives it, with the day on which they are read. Some have errors; those that nothing can be
derived from are left out.
"""

import datetime
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from support import documents
from support.editing import BASES, edited
from support.edits import EDITS
from support.matrix import GENERATIONS, cells, plan_of
from support.shipped import NAMES, TODAY, shipped_plan

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.key_table import EVERY_KEY
from pulumi_gke_tpu.core.rules import all_rules
from pulumi_gke_tpu.core.rules.engine.examples import files_of
from pulumi_gke_tpu.core.text.yamlfile import YamlProblem, parse_yaml

UNREGISTRABLE = {
    "rule TPU027 failing 0": "has the keys that mark secrets and assets for the SDK",
    "rule TPU413 failing 0": "has two resources of one name",
}
"""Plans with errors that no program can register, and why."""
ACCEPTANCE = documents.ROOT / "tests" / "acceptance"


@dataclass(frozen=True, eq=False)
class Source:
    """One plan. ``data`` is what a program gives ``TpuFleet``, ``fleet`` what follows from it."""

    name: str
    data: Any
    fleet: Fleet

    def __str__(self) -> str:
        return self.name


def sources(kind: str) -> list[Source]:
    """The plans of one kind, in a fixed order."""
    return [found for found in _derived(kind) if found is not None]


def _derived(kind: str) -> Iterator[Source | None]:
    for name, data, today in KINDS[kind]():
        if name not in UNREGISTRABLE:
            yield source(name, data, today)


def source(name: str, data: Any, today: datetime.date) -> Source | None:
    """A plan with its fleet; None where the data is not a plan."""
    plan = parse_plan({key: value for key, value in data.items() if key != "today"}).content
    return None if plan is None else Source(name, data, derive(plan, catalog(), today))


@functools.cache
def catalog() -> Catalog:
    """The shipped facts."""
    return read_catalog()


Named = Iterator[tuple[str, Any, datetime.date]]


def _stacks() -> Named:
    for name in NAMES:
        yield f"stack {name}", shipped_plan(name), TODAY
    for base in BASES:
        yield f"base {base}", BASES[base](), TODAY
    yield "every key", _read(EVERY_KEY.read_text(encoding="utf-8")), TODAY
    for file in ("data/fuller.yaml", "data/minimal.yaml"):
        yield file, _read((ACCEPTANCE / file).read_text(encoding="utf-8")), TODAY


def _edits() -> Named:
    for edit in EDITS:
        yield f"edit {edit}", edited(edit), TODAY


def _matrix() -> Named:
    for generation in GENERATIONS:
        for mode in ("standard", "autopilot"):
            yield f"matrix {generation} {mode}", plan_of(list(cells(generation, mode))), TODAY


def _rules() -> Named:
    for rule in all_rules():
        if rule.scope.breakable not in (
            "component",
            "manifests",
            "rendered manifests",
        ):  # arguments of TpuSlices, and Kubernetes objects
            today = datetime.date.fromisoformat(rule.today) if rule.today else TODAY
            for kind in ("failing", "passing"):
                for number, text in enumerate(files_of(getattr(rule, kind)).plans):
                    data = _read(text)
                    if isinstance(data, dict):
                        yield f"rule {rule.id} {kind} {number}", data, today


def _pages() -> Named:
    pages = [*documents.PAGES, *sorted((documents.ROOT / "docs").rglob("*/*.md"))]
    for block in documents.blocks(*pages):
        data = _read(block.text) if block.language == "yaml" else None
        if isinstance(data, dict) and "clusters" in data:
            yield f"page {block}", data, TODAY


KINDS = {"stacks": _stacks, "edits": _edits, "matrix": _matrix, "rules": _rules, "pages": _pages}


def _read(text: str) -> Any:
    try:
        return parse_yaml(text.encode(), "plan.yaml").data
    except YamlProblem:
        return None
