"""What follows from the plans of the documents and stacks beside their resources and objects."""

import pathlib

import pytest
from support.derived_texts import derived_lines
from support.edited import plan_data
from support.recorded_results import RecordedResults
from support.shipped import TODAY

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "derived_facts.yaml", block_depth=1)


@pytest.mark.parametrize("name", RECORDED.data)
def test_what_follows_from_a_plan(name: str) -> None:
    checked = check_plan(parse_plan(plan_data(name)), read_catalog(), TODAY)
    RECORDED.compare("".join(f"{line.rstrip()}\n" for line in derived_lines(checked, read_catalog())), name)
