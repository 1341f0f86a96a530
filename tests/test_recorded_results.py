"""``--record`` writes what a test finds, and without it the test compares."""

import pathlib

import pytest
from support.recorded_results import RecordedResults, write_changed
from support.sampling import SELECTION


def test_a_result_is_compared_and_recorded_only_if_asked(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "results.yaml"
    file.write_text("# What is found.\na: {text: old}\nb: {text: kept}\n")
    found = {"text": "one\ntwo\n", "items": [{"zone": "us-east5-b"}, {}]}
    monkeypatch.setattr(SELECTION, "record", False)
    with pytest.raises(AssertionError):
        RecordedResults(file, block_depth=2).compare(found, "a")
    assert "old" in file.read_text()
    monkeypatch.setattr(SELECTION, "record", True)
    RecordedResults(file, block_depth=2).compare(found, "a")
    write_changed()
    monkeypatch.setattr(SELECTION, "record", False)
    RecordedResults(file, block_depth=2).compare(found, "a")
    items = "  items: [{zone: us-east5-b}, {}]\n"
    assert file.read_text() == f"# What is found.\na:\n  text: |\n    one\n    two\n{items}b:\n  text: kept\n"
