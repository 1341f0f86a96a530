"""Plans of the documents and stacks without and with an edit: what follows from them, and how they compare."""

import pathlib

import pytest
import yaml
from support.edited import changed_lines, edited, plan_data
from support.planned_texts import change_lines, planned_lines
from support.recorded_results import RecordedResults

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "edited_plans.yaml", block_depth=2)


@pytest.mark.parametrize(("name", "edits"), [(name, edits) for name, found in RECORDED.data.items() for edits in found])
def test_an_edit_changes_what_follows_from_it(name: str, edits: str) -> None:
    before = plan_data(name)
    after = edited(before, yaml.safe_load(edits))
    lines = changed_lines([*planned_lines(before)] if after != before else [], [*planned_lines(after)])
    RECORDED.compare(lines + "".join(f"{line}\n" for line in change_lines(before, after)), name, edits)
