"""``gke-tpu export rego``: the files, what they contain, and what the command never overwrites."""

import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.documents import ROOT

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.features.export.rego.facts import RULES, facts_of
from pulumi_gke_tpu.features.export.rego.files import KEY, policy_files

FILES = ("facts.json", "gke_tpu.rego", "gke_tpu_test.rego")
PLAN = ROOT / "stacks" / "prod" / "plan.yaml"


@pytest.fixture
def export(gke_tpu: Any, tmp_path: pathlib.Path) -> Any:
    """Exports the policy to the folder out."""

    def run(*options: object) -> Any:
        return gke_tpu("export", "rego", "-o", tmp_path / "out", *options)

    return run


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    return facts_of(read_catalog())


def test_the_files_are_written_once_and_are_always_the_same(export: Any, tmp_path: pathlib.Path) -> None:
    run = export()
    assert (run.code, run.err) == (0, "")
    assert run.out == "".join(f"wrote {tmp_path}/out/{name}\n" for name in FILES)
    assert (export().code, export().out, export().err) == (0, "", "")
    assert policy_files(read_catalog()) == {name: (tmp_path / "out" / name).read_text() for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_an_edited_file_stays(name: str, export: Any, tmp_path: pathlib.Path) -> None:
    export()
    path = tmp_path / "out" / name
    edited = path.read_text().replace("multi_host", "mine")
    path.write_text(edited)
    run = export()
    assert run.code == 2
    assert "already exists; use --force to overwrite" in run.err
    run = export("--force")
    assert (run.code, path.read_text()) == (2, edited)
    assert f"Edited since gke-tpu wrote it: {path}" in run.err


def test_files_of_an_earlier_version_are_overwritten_only_if_asked(export: Any, tmp_path: pathlib.Path) -> None:
    overlay = tmp_path / "facts.yaml"
    overlay.write_text(
        "zones:\n  families:\n    ct6e:\n      documented:\n        zones: [us-east5-b]\n        source: [plan-tpus]\n"
        '        as_of: "2026-11-01"\n        confidence: medium\n'
    )
    assert export("--catalog", overlay).code == 0
    family = json.loads((tmp_path / "out" / "facts.json").read_text())[KEY]["families"]["ct6e"]
    assert (family["fact"]["confidence"], family["fact"]["certain"]) == ("medium", False)
    assert export().code == 2
    assert export("--force").out == f"wrote {tmp_path}/out/facts.json\n"


def test_the_files_can_be_beside_an_exported_module(gke_tpu: Any, export: Any, tmp_path: pathlib.Path) -> None:
    gke_tpu("export", "terraform", PLAN, "-o", tmp_path / "out", "--today", "2026-11-20")
    assert (export().code, export().err) == (0, "")
    again = gke_tpu("export", "terraform", PLAN, "-o", tmp_path / "out", "--today", "2026-11-20")
    assert (again.code, again.out, again.err) == (0, "", "")


@pytest.mark.parametrize(
    "options",
    [(PLAN,), ("--json",), ("--module",), ("--standalone",), ("--import",), ("--data-sources",), ("--strict",)],
)
def test_what_belongs_to_a_module_is_refused(options: tuple[object, ...], export: Any, tmp_path: pathlib.Path) -> None:
    run = export(*options)
    assert run.code == 2
    assert "takes no PLAN, and only the options -o, --force and --catalog" in run.err
    assert not (tmp_path / "out").exists()


def each_fact(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        if "certain" in value:
            yield path, value
        for key, inner in value.items():
            yield from each_fact(inner, f"{path}/{key}")


def test_every_fact_has_sources_a_date_and_a_confidence(facts: dict[str, Any]) -> None:
    found = dict(each_fact(facts))
    assert len(found) > 100
    for path, fact in found.items():
        assert fact["source"], path
        assert set(fact["source"]) <= facts["sources"].keys(), path
        assert fact["as_of"], path
        assert fact["certain"] is (fact["confidence"] == "high" and "conflict" not in fact), path


def test_machine_types_zones_and_capacity_modes_of_every_generation(facts: dict[str, Any]) -> None:
    catalog: Catalog = read_catalog()
    assert facts["generations"].keys() == {*catalog.generation_names}
    for name in catalog.generation_names:
        found = catalog.generation(name)
        assert found.machine_types.keys() <= facts["machine_types"].keys()
        for family in found.families:
            about = facts["families"][family]
            assert about["documented_zones"] == [*catalog.zones.families[family].documented.zones]
            assert about["capacity"].keys() >= {"on_demand", "spot", "reservation", "flex_start", "queued"}
        for row in found.topologies.rows:
            assert row.topology in facts["machine_types"][row.machine_type]["hosts"]


def test_the_policy_has_exactly_its_rules() -> None:
    text = policy_files(read_catalog())["gke_tpu.rego"]
    assert set(re.findall(r'found\(pool, "(TPU\d+)"', text)) == set(RULES)
    assert set(re.findall(r"TPU\d+", policy_files(read_catalog())["gke_tpu_test.rego"])) == set(RULES)
