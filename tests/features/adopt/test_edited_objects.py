"""Objects of a plan without and with an edit: the keys that are found, and what a comparison with the plan finds."""

import functools
import pathlib

import pytest
import yaml
from support.adopted_texts import adopted_objects_lines, compared_objects, rendered_objects
from support.edited import changed_lines, edited, plan_data
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.features.adopt.comparison import Compared
from pulumi_gke_tpu.features.adopt.output.json import drift_json

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "edited_objects.yaml", block_depth=3)
CASES = [(name, part, edits) for name, parts in RECORDED.data.items() for part in parts for edits in parts[part]]


@functools.cache
def usual_lines(name: str, part: str) -> tuple[str, ...]:
    plan = plan_data(name)
    objects = rendered_objects(plan)
    return (*adopted_objects_lines(plan, objects, commands=part == "with commands", pages=False),)


@pytest.mark.parametrize(("name", "part", "edits"), CASES)
def test_an_edit_changes_which_keys_are_found(name: str, part: str, edits: str) -> None:
    plan, changes = plan_data(name), yaml.safe_load(edits)
    objects = edited(rendered_objects(plan), changes)
    found = [*adopted_objects_lines(plan, objects, commands=part == "with commands", pages=not changes)]
    RECORDED.compare(changed_lines(usual_lines(name, part) if changes else (), found), name, part, edits)


def test_a_comparison_differs_if_an_object_does() -> None:
    plan = plan_data("docs/examples/cubes.yaml")
    objects = rendered_objects(plan)
    fewer = {key: found[1:] for key, found in objects.items()}
    same = Compared((), (), (), (), ())
    for found, differs in ((None, False), (objects, False), (fewer, True)):
        compared = None if found is None else compared_objects(plan, found)
        assert drift_json(same, compared)["differs"] is differs
