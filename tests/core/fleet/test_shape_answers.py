"""The shape of many groups, or the whole problem of each: message, reason, allowed values and fix."""

import pathlib
from typing import Any

import pytest
import yaml
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.facts import Mode
from pulumi_gke_tpu.core.fleet.model import ShapeProblem
from pulumi_gke_tpu.core.fleet.shapes.shape import shape_of
from pulumi_gke_tpu.core.plan import SliceGroupSpec

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "shapes.yaml", block_depth=2)


def answer(mode: Mode, keys: dict[str, Any]) -> str:
    found = shape_of(read_catalog(), mode, SliceGroupSpec.model_validate(keys))
    if isinstance(found, ShapeProblem):
        return problem_text(found)
    return f"{found.topology}: {found.hosts} x {found.machine_type} ({found.family}, {found.accelerator_label})"


def problem_text(problem: ShapeProblem) -> str:
    first, *_, last = problem.allowed if len(problem.allowed) > 1 else (*problem.allowed, "", "")
    fix = "; ".join(problem.fix.splitlines())
    only = ", the only one" if getattr(problem.change, "is_only", False) else ""
    parts = (f"{len(problem.allowed)} from {first} to {last}" if last else first, f"{fix}{only}")
    text = " | ".join((f"{problem.rule} {problem.key}: {problem.message}; {problem.why}", *parts))
    return f"{text} | behind: {problem.behind.rule}" if problem.behind else text


@pytest.mark.parametrize(
    ("mode", "keys"), [(mode, keys) for mode, answers in RECORDED.data.items() for keys in answers]
)
def test_a_group_has_its_shape_or_a_problem_with_a_way_out(mode: Mode, keys: str) -> None:
    RECORDED.compare(answer(mode, yaml.safe_load(f"{{{keys}}}")), mode, keys)
