"""Plans of the documents and stacks without and with an edit: what follows from them, and how they compare."""

import pathlib
from typing import Any

import pytest
import yaml
from support import documents
from support.edited import changed_lines, edited
from support.planned_texts import change_lines, planned_lines
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "edited_plans.yaml", block_depth=2)


def plan_data(name: str) -> Any:
    return parse_yaml((documents.ROOT / name).read_bytes(), name).data


@pytest.mark.parametrize(("name", "edits"), [(name, edits) for name, found in RECORDED.data.items() for edits in found])
def test_an_edit_changes_what_follows_from_it(name: str, edits: str) -> None:
    before = plan_data(name)
    after = edited(before, yaml.safe_load(edits))
    lines = changed_lines([*planned_lines(before)] if after != before else [], [*planned_lines(after)])
    RECORDED.compare(lines + "".join(f"{line}\n" for line in change_lines(before, after)), name, edits)
