"""Every fleet: what is adopted and left alone, and that no secret gets into a file."""

import json
import statistics
from typing import Any

import pytest
from support.each import each
from support.fleets import FOLDER, Fleet, adoptions, as_json, fleets, texts_in
from support.recorded_results import RecordedResults
from support.sampling import SELECTION, sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.core.text.yamlfile.file import parse_yaml
from pulumi_gke_tpu.features.adopt.files import IMPORT, PLAN, files_of
from pulumi_gke_tpu.features.adopt.output.json import adoption_json

RECORDED = RecordedResults(FOLDER / "adopted.yaml", block_depth=3)
ALL = pytest.mark.parametrize("fleet", sample(fleets(), 14), ids=lambda fleet: fleet.name)


def recorded(fleet: Fleet) -> Any:
    """The plans of a fleet, and the whole report about it without the findings in the plans."""
    found = adoptions(fleet)
    entries = adoption_json(found, (), ())["plans"]
    written = {
        "plans": [item.plan if item.graph is not None else None for item in found],
        "report": without_none([{**entry, "findings": None} for entry in entries]),
    }
    return json.loads(json.dumps(written, default=str))


def without_none(value: Any) -> Any:
    """JSON without null and empty parts."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item not in (None, "", [], {})}
    return [*map(without_none, value)] if isinstance(value, list) else value


@pytest.mark.parametrize("fleet", fleets(), ids=lambda fleet: fleet.name)
def test_the_whole_plan_and_the_whole_report(fleet: Fleet) -> None:
    RECORDED.compare(recorded(fleet), fleet.name)


@ALL
def test_every_node_pool_is_adopted_or_left_alone_with_a_reason(fleet: Fleet) -> None:
    found = adoptions(fleet)
    assert sum(len(item.pools) for item in found) == fleet.adopted
    assert sum(len(item.alone) for item in found) == fleet.alone
    assert sum(len(item.clusters) for item in found) == fleet.clusters
    assert all(left.reason for item in found for left in item.clusters_alone)
    assert all(left.reason for item in found for left in item.alone)


@ALL
def test_the_written_plan_is_the_one_that_was_proven_and_has_no_errors(fleet: Fleet) -> None:
    for adoption in adoptions(fleet):
        if adoption.graph is not None:
            assert parse_yaml(files_of(adoption, read_catalog(), "dev")[PLAN].encode(), PLAN).data == adoption.plan
            assert [item for item in adoption.warnings if item.severity is Severity.ERROR] == []


@ALL
def test_the_import_file_has_every_resource_after_its_parent(fleet: Fleet) -> None:
    for adoption in adoptions(fleet):
        if adoption.graph is None:
            continue
        entries = json.loads(files_of(adoption, read_catalog(), "dev")[IMPORT])["resources"]
        names = [entry["name"] for entry in entries]
        assert len(set(names)) == len(names)
        for number, entry in enumerate(entries):
            assert entry.get("parent") in (None, *names[:number])
            assert ("id" in entry) != bool(entry.get("component"))
        ids = [entry["id"] for entry in entries if "id" in entry]
        assert len(ids) == sum(1 for resource in adoption.graph.resources if resource.custom)


def secrets(value: Any) -> set[str]:
    """The texts of the metadata of nodes."""
    found: set[str] = set()
    if isinstance(value, dict):
        metadata = value.get("metadata")
        kept = {key: text for key, text in (metadata or {}).items() if key not in ("cluster_name", "node_pool")}
        found |= {text for text in texts_in(kept) if text != "true"}
        found |= {text for inner in value.values() for text in secrets(inner)}
    elif isinstance(value, list):
        found |= {text for inner in value for text in secrets(inner)}
    return found


@each("fleet", sample(fleets(), 14), lambda fleet: fleet.name)
def test_metadata_of_nodes_gets_into_no_file(fleet: Fleet) -> None:
    written = "".join(
        text
        for adoption in adoptions(fleet)
        if adoption.graph is not None
        for text in files_of(adoption, read_catalog(), "dev").values()
    )
    assert [text for text in secrets(as_json(fleet)) if text in written] == []


def test_plans_are_short() -> None:
    lengths = [
        len(files_of(adoption, read_catalog(), "dev")[PLAN].splitlines())
        for fleet in sample(fleets(), 14)
        for adoption in adoptions(fleet)
        if adoption.graph is not None
    ]
    assert len(fleets()) >= 30
    assert statistics.median(lengths) <= (25 if SELECTION.everything else 30)
