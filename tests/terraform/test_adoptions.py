"""The second witness of every adoption: the real provider imports each fleet, and plans no change of it."""

import json
import pathlib
import re
from typing import Any

import pytest
import yaml
from support.each import each
from support.fleets import FOLDER, Fleet, adoptions, fleets
from support.terraform.binaries import Programs
from support.terraform.made_fleets import answer_about
from support.terraform.witness import DIFFERENCES, digest, google_beta, modules, recorded, witnessed

FLEETS = tuple(fleet for fleet in fleets() if fleet.adopted or fleet.clusters)
LISTED: dict[str, Any] = yaml.safe_load(DIFFERENCES.read_text("utf-8"))
AGAIN = "record it with tools/adoption_recordings.py"


def listed(fleet: str) -> set[tuple[str, str]]:
    """The listed differences of a fleet: the key of the record, and the text that it has there."""
    return {item for row in LISTED.values() if fleet in row["fleets"] for item in row["record"].items()}


def found(record: dict[str, Any]) -> set[tuple[str, str]]:
    """The differences in the record of a fleet."""
    different: set[tuple[str, str]] = set()
    for item in record.values():
        for change in item.get("changes", {}).values():
            actions = "" if change["actions"] == ["update"] else f"{change['actions']} "
            different |= {("changes", f"{actions}{path}") for path in change["properties"]}
        different |= {("sent", request) for request in item.get("sent", ())}
        different |= {("adopted_from_state", key.rpartition(".")[2]) for key in item.get("adopted_from_state", ())}
    return different


def test_every_adopted_fleet_is_recorded() -> None:
    assert list(recorded()) == [fleet.name for fleet in FLEETS], AGAIN


@each("fleet", FLEETS, lambda fleet: fleet.name)
def test_the_record_is_about_the_module_that_is_written_today(fleet: Fleet) -> None:
    written = {adoption.project: digest(*files) for adoption, *files in modules(fleet)}
    assert {project: item["module"] for project, item in recorded()[fleet.name].items()} == written, AGAIN


@each("fleet", FLEETS, lambda fleet: fleet.name)
def test_the_import_creates_only_terraform_data_and_nothing_changes_afterwards(fleet: Fleet) -> None:
    imported = 0
    for item in recorded()[fleet.name].values():
        numbers = re.fullmatch(r"Plan: (\d+) to import, \d+ to add, (\d+) to change, 0 to destroy\.", item["plan"])
        assert numbers is not None, item["plan"]
        imported += int(numbers[1])
        assert int(numbers[2]) == len(item.get("changes", {}))
        assert (item["next_plan"], item["plan_with_triggers"]) == ("No changes.", "No changes.")
    written = [item.graph.resources for item in adoptions(fleet) if item.graph is not None]
    assert imported == sum(resource.custom for resources in written for resource in resources)


@each("fleet", FLEETS, lambda fleet: fleet.name)
def test_what_differs_from_the_engine_is_listed_with_its_reason(fleet: Fleet) -> None:
    assert found(recorded()[fleet.name]) == listed(fleet.name)
    assert google_beta(fleet) == any(row.get("beta") for row in LISTED.values() if fleet.name in row["fleets"])


def test_every_listed_fleet_is_adopted() -> None:
    names = {fleet.name for fleet in FLEETS}
    assert [name for row in LISTED.values() for name in row["fleets"] if name not in names] == []
    assert all(len(row["reason"].split()) > 10 for row in LISTED.values())


@pytest.mark.parametrize("fleet", FLEETS, ids=lambda fleet: fleet.name)
def test_the_programs_do_what_is_recorded(fleet: Fleet, terraform_programs: Programs, tmp_path: pathlib.Path) -> None:
    assert witnessed(fleet, terraform_programs, tmp_path) == recorded()[fleet.name]


MADE = tuple(fleet for fleet in fleets() if fleet.configuration is not None)


@pytest.mark.parametrize("fleet", MADE, ids=lambda fleet: fleet.name)
def test_the_provider_makes_the_fleets_that_are_recorded(
    fleet: Fleet, terraform_programs: Programs, tmp_path: pathlib.Path
) -> None:
    assert by_name(answer_about(fleet, terraform_programs, tmp_path)) == by_name(fleet.file.read_text("utf-8"))


def by_name(answer: str) -> dict[str, Any]:
    """The answer with its node pools by their names, and without what the cluster has from the first one.

    OpenTofu creates node pools in any order.
    """
    cluster: dict[str, Any] = json.loads(answer)
    own = {key: value for key, value in cluster.items() if key not in ("instanceGroupUrls", "nodeConfig")}
    return {**own, "nodePools": {pool["name"]: pool for pool in cluster["nodePools"]}}


def test_enough_fleets_are_made_by_the_provider_and_every_configuration_is_used() -> None:
    assert len(MADE) >= 10
    assert {path.stem for path in (FOLDER / "configurations").iterdir()} == {fleet.name for fleet in MADE}
