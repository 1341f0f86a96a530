"""The recorded plans and states are those of the real programs, complete, and the same on every computer."""

import json
import pathlib
import re

import pytest
from support.terraform.binaries import Programs
from support.terraform.recordings import RECORDINGS, Scenario, recorded, run, scenarios

SCENARIOS = scenarios()


def test_every_scenario_is_recorded_with_its_configuration() -> None:
    assert sorted(path.name for path in RECORDINGS.iterdir()) == sorted(SCENARIOS)
    made_of = {name: recorded(name).configuration for name in SCENARIOS}
    assert made_of == {name: scenario.checksum for name, scenario in SCENARIOS.items()}


def test_recordings_are_small_and_the_same_on_every_computer() -> None:
    files = [path for path in RECORDINGS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 3_000_000
    for path in files:
        text = path.read_text()
        found = re.findall(r"/tmp/|/home/|/work/|127\.0\.0\.1|\"timestamp\"|lineage|no-credentials", text)
        assert found == [], path


def test_every_plan_has_the_format_that_both_programs_write() -> None:
    for path in RECORDINGS.rglob("*.json"):
        document = json.loads(path.read_text())
        assert (document["format_version"], document["terraform_version"]) in {("1.0", "1.12.6"), ("1.2", "1.12.6")}, (
            path
        )


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)
def test_the_programs_do_what_is_recorded(
    scenario: Scenario, terraform_programs: Programs, tmp_path: pathlib.Path
) -> None:
    folder = RECORDINGS / scenario.name
    kept = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert run(scenario, terraform_programs, tmp_path / "configuration") == kept
