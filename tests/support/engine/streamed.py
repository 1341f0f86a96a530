"""What a run of the engine told, written as the events that ``pulumi preview --json`` streams, and read again."""

import json
import re
from typing import Any

from support.engine.stack_run import Run, Step

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.features.diff.engine.events import EngineRun, read_engine_events
from pulumi_gke_tpu.features.diff.engine.view import engine_view, resources_of
from pulumi_gke_tpu.features.diff.model import ItemChange, ResourceChange
from pulumi_gke_tpu.preview import Graph

PROVIDER = read_catalog().provider
_NEXT = re.compile(r"\n(?=unable to |Preview failed: |preview failed)")


def as_engine_run(run: Run) -> EngineRun:
    """A run as it is read from its events."""
    events = [*map(_event, run.steps), *map(_error, filter(None, _NEXT.split(run.error)))]
    events.append({"summaryEvent": {"isPreview": True, "result": "failed" if run.error else "succeeded"}})
    lines = [json.dumps({"sequence": number, **event}) for number, event in enumerate(events)]
    return read_engine_events("\n".join(lines).encode())


def doubts(before: Graph, after: Graph, changes: tuple[ResourceChange, ...], run: Run) -> list[str]:
    """What the engine's own view does not confirm of changes between two graphs, as far as the run came."""
    none = Range(0, 0)
    item = ItemChange("plan", "a", "a", "slices", "", "in-place", (), "", (), "", (), None, none, none, changes)
    view = engine_view([as_engine_run(run)], [resources_of("plan", before, after)], [item], PROVIDER)
    fine = ("confirmed", "open") if run.error else ("confirmed",)
    return [*view.notes, *(f"{found.name}: {found.said}" for found in view.verdicts if found.verdict not in fine)]


def _event(step: Step) -> dict[str, Any]:
    state = {"custom": step.type.startswith("gcp:")}
    diff = {path: {"diffKind": kind.replace("_", "-")} for path, kind in step.diff.items()}
    data = {"urn": step.urn, "op": step.op, "old": state, "new": state, "detailedDiff": diff}
    return {"resourcePreEvent": {"metadata": data, "planning": True}}


def _error(text: str) -> dict[str, Any]:
    return {"diagnosticEvent": {"severity": "error", "message": text}}
