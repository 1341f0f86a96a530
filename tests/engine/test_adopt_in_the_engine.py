"""The import file of an adoption in the real engine: the import reads, and the preview after it changes nothing."""

import dataclasses
import json

import pytest
import yaml
from support.engine.engine_cloud import Engine
from support.fleets import Fleet, adoptions, fleets, put_into
from support.shipped import program

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.files import IMPORT, PLAN, files_of

STACK = "prod"


@pytest.mark.parametrize(
    "fleet", [fleet for fleet in fleets() if fleet.adopted or fleet.clusters], ids=lambda fleet: fleet.name
)
def test_the_engine_plans_nothing_after_the_import(engine: Engine, fleet: Fleet) -> None:
    put_into(engine.cloud, fleet)
    for adoption in adoptions(fleet):
        if adoption.graph is None:
            continue
        files = files_of(adoption, read_catalog(), STACK)
        path = engine.folder / f"{adoption.project}.json"
        path.write_text(files[IMPORT], encoding="utf-8")
        stack = engine.stack(STACK)
        assert stack.import_file(path) == ""
        assert {item["id"] for item in stack.state().values()} == set(adoption.ids.values())
        plan = yaml.safe_load(files[PLAN])
        run = stack.preview(program(plan))
        assert (run.error, {step.name: (step.op, step.diff) for step in run.changes}) == ("", {})
        # The engine takes up the arguments of the components, which exist in its state only.
        assert {step.op for step in run.steps if step.type.startswith("gke-tpu:")} <= {"same", "update"}
        assert stack.up(program(plan)).error == ""
        assert [request.what for request in engine.cloud.requests] == []
        assert {step.op for step in stack.preview(program(plan)).steps} <= {"same"}


def test_a_maintenance_policy_that_the_source_does_not_tell_replaces_nothing(engine: Engine) -> None:
    """Only the beta API has it, so the usual answer of gcloud lacks it, and Pulumi reads it at the import."""
    fleet = next(fleet for fleet in fleets() if fleet.name == "xpk_v6e_8")
    put_into(engine.cloud, fleet)
    answer = json.loads(fleet.content)
    for pool in answer["nodePools"]:
        assert pool["config"].pop("hostMaintenancePolicy") == {"maintenanceInterval": "AS_NEEDED"}
    (adoption,) = adoptions(dataclasses.replace(fleet, made=json.dumps(answer)))
    files = files_of(adoption, read_catalog(), STACK)
    path = engine.folder / "import.json"
    path.write_text(files[IMPORT], encoding="utf-8")
    stack = engine.stack(STACK)
    assert stack.import_file(path) == ""
    plan = yaml.safe_load(files[PLAN])
    assert "host_maintenance" not in files[PLAN]
    assert {step.name: step.diff for step in stack.preview(program(plan)).changes} == {}
