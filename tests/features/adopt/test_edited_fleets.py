"""Fleets without and with an edit: what is adopted, how it changes, and how it compares with the plan of the fleet."""

import functools
import json
import pathlib
from typing import Any

import pytest
import yaml
from support.adopted_texts import adopted_lines, compared_lines, plan_of
from support.edited import changed_lines, edited
from support.fleets import fleets
from support.recorded_results import RecordedResults

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "edited_fleets.yaml", block_depth=3)
FLEETS = {fleet.name: fleet for fleet in fleets()}
CASES = [(name, part, edits) for name, parts in RECORDED.data.items() for part in parts for edits in parts[part]]


@functools.cache
def fleet_data(name: str) -> Any:
    return json.loads(FLEETS[name].content)


@pytest.mark.parametrize(("name", "part", "edits"), CASES)
def test_an_edit_changes_what_is_adopted_and_how_it_compares(name: str, part: str, edits: str) -> None:
    before, slices_only = fleet_data(name), part == "slices only"
    after = edited(before, yaml.safe_load(edits))
    usual = [*adopted_lines(before, slices_only=slices_only)] if after != before else []
    lines = changed_lines(usual, [*adopted_lines(after, slices_only=slices_only)])
    plan = "" if slices_only else plan_of(before)
    compared = "".join(f"{line}\n" for line in compared_lines(after, plan)) if plan else ""
    RECORDED.compare(lines + compared, name, part, edits)
