"""Files of other tools, most with something odd, and everything that is read from them."""

import pathlib

import pytest
from support.read_texts import read_text
from support.recorded_results import RecordedResults

from pulumi_gke_tpu.core.catalog import read_catalog

RECORDED = RecordedResults(pathlib.Path(__file__).parent / "data" / "read_files.yaml", block_depth=3)
CASES = RECORDED.data


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: f"{number}-{'-'.join(CASES[number]['files'])}")
def test_what_is_read_and_where_it_is_written(number: int) -> None:
    RECORDED.compare(read_text(CASES[number]["files"], read_catalog()), number, "read")
