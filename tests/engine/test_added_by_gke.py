"""What GKE reports although no request set it, in the real engine: no difference with the facts, and one without."""

import copy
import functools
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from support.engine.engine_cloud import Engine
from support.engine.stack_run import DELETE_FIRST, EngineStack, Program
from support.fleets import adoptions, fleets, put_into
from support.gcp_standin.cloud import Cloud
from support.gcp_standin.knowledge import CLUSTER, POOL
from support.shipped import program, shipped_plan

from pulumi_gke_tpu import TpuFleet
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.records.gke_adds import AddedTo
from pulumi_gke_tpu.features.adopt.files import IMPORT, PLAN, files_of

STACK = "prod"
STANDARD = {"mode": "standard", "location": "us-east5"}
OFFICE = {"authorized_networks": {"office": "198.51.100.0/24"}}


def before_the_facts(plan: dict[str, Any]) -> Program:
    """A plan as a program that ignores nothing that GKE adds."""
    catalog = copy.copy(read_catalog())
    catalog.__dict__["gke_adds"] = dict.fromkeys(catalog.gke_adds, ())
    args: Any = copy.deepcopy(plan)

    def run() -> None:
        TpuFleet(STACK, args, catalog=catalog)

    return run


def report(cloud: Cloud, *added_to: AddedTo) -> None:
    """Have the cloud report what GKE adds to resources of these kinds."""
    for token in (CLUSTER, POOL):
        for addition in read_catalog().gke_adds[token]:
            for state in _states(cloud, token, addition.added_to) if addition.added_to in added_to else ():
                *blocks, name = addition.path.split(".")
                around = functools.reduce(dict.__getitem__, blocks, state)
                if addition.effect != "none" and not around.get(name):
                    around[name] = copy.deepcopy(addition.stored)


def _states(cloud: Cloud, token: str, added_to: AddedTo) -> Iterator[dict[str, Any]]:
    for record in cloud._of(token):
        machine = (record.state.get("nodeConfig") or {}).get("machineType", "")
        endpoints = record.state.get("controlPlaneEndpointsConfig") or {}
        if added_to == "tpu" and not machine.startswith(("ct", "tpu")):
            continue
        if added_to == "no_ip_endpoint" and endpoints["ipEndpointsConfig"]["enabled"] is not False:
            continue
        yield record.state


def nothing_changes(engine: Engine, stack: EngineStack, plan: Program) -> None:
    for _ in range(2):
        run = stack.preview(plan)
        assert (run.error, {step.name: (step.op, step.diff) for step in run.changes}) == ("", {})
        sent = len(engine.cloud.requests)
        assert stack.up(plan).error == ""
        assert engine.cloud.requests[sent:] == []


@pytest.mark.parametrize("name", ["prod", "ironwood"])
def test_the_second_update_of_a_stack_that_exists_changes_nothing(engine: Engine, name: str) -> None:
    plan = shipped_plan(name)
    stack = engine.stack(STACK)
    assert stack.up(before_the_facts(plan)).error == ""
    assert stack.preview(program(plan)).ops() == {}
    report(engine.cloud, "tpu", "no_ip_endpoint")
    assert stack.refresh().error == ""
    run = stack.preview(before_the_facts(plan))
    pools = {step.name for step in run.steps if step.type == POOL and "/" in step.name and "system" not in step.name}
    assert pools
    assert "protect" in run.error or {run.ops()[f"NodePool {pool}"] for pool in pools} == {DELETE_FIRST}
    nothing_changes(engine, stack, program(plan))


def test_a_change_beside_it_is_an_update(engine: Engine) -> None:
    group: dict[str, Any] = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    plan = {"version": 1, "project": "acme-ml", "clusters": {"east": {**STANDARD, "slices": {"train": group}}}}
    stack = engine.stack(STACK)
    assert stack.up(program(plan)).error == ""
    report(engine.cloud, "tpu", "no_ip_endpoint")
    assert stack.refresh().error == ""
    group["node_labels"] = {"team": "research"}
    assert stack.preview(program(plan)).ops() == {"NodePool east/train/train-0": "update"}
    assert stack.up(program(plan)).error == ""
    assert stack.refresh().error == ""
    nothing_changes(engine, stack, program(plan))


@pytest.mark.parametrize("more", [{}, {"private_nodes": True}, {"mode": "autopilot"}], ids=str)
def test_an_ip_endpoint_is_turned_on_and_off_again(engine: Engine, more: dict[str, Any]) -> None:
    stack = engine.stack(STACK)
    for control_plane in ({}, OFFICE, {}, {"private": True}, {}):
        cluster = {**STANDARD, **more, "control_plane": control_plane}
        plan = program({"version": 1, "project": "acme-ml", "clusters": {"east": cluster}})
        assert stack.up(plan).error == ""
        report(engine.cloud, "no_ip_endpoint")
        (record,) = engine.cloud._of(CLUSTER)
        endpoints = record.state["controlPlaneEndpointsConfig"]["ipEndpointsConfig"]
        assert endpoints["enabled"] == bool(control_plane)
        assert stack.refresh().error == ""
        nothing_changes(engine, stack, plan)


@pytest.mark.parametrize("reported", [("tpu", "console"), ("tpu", "console", "auto_provisioned"), ("tpu",)], ids=str)
def test_adopted_pools_of_the_console_stay(engine: Engine, reported: tuple[AddedTo, ...]) -> None:
    fleet = next(fleet for fleet in fleets() if fleet.name == "gcloud_v6e")
    put_into(engine.cloud, fleet)
    report(engine.cloud, *reported)
    (adoption,) = adoptions(fleet)
    files = files_of(adoption, read_catalog(), STACK)
    path = engine.folder / "import.json"
    path.write_text(files[IMPORT], encoding="utf-8")
    stack = engine.stack(STACK)
    assert stack.import_file(path) == ""
    plan = yaml.safe_load(files[PLAN])
    replaced = stack.preview(before_the_facts(plan)).ops()
    assert DELETE_FIRST in replaced.values()
    assert stack.up(program(plan)).error == ""
    nothing_changes(engine, stack, program(plan))
