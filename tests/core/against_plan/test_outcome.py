"""What the provider would change if a plan had a resource: neither what it ignores, nor what it does not read."""

from dataclasses import replace
from typing import Any

import pytest
from support.plan_edits import document

from pulumi_gke_tpu.core.against_plan.outcome import ResourceComparer
from pulumi_gke_tpu.core.against_plan.places import clusters_by_place, resources_by_place
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.model import Graph, Resource
from pulumi_gke_tpu.core.rules import check_plan

PLAN = """version: 1
project: acme-ml
clusters:
  train:
    name: train-east
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""


def graph(plan: str = PLAN) -> Graph:
    text = document(plan)
    checked = check_plan(text, read_catalog())
    assert checked.fleet is not None
    assert text.yaml is not None
    return fleet_graph(text.yaml.data, checked.fleet, read_catalog())


def pool() -> Resource:
    return resources_by_place(graph())["train-east", "us-east5", "pretrain-0"]


def outcome(live: dict[str, Any], resource: Resource) -> tuple[list[str], list[str]]:
    found = ResourceComparer(read_catalog()).outcome(live, resource)
    return [item.path for item in found.planned], [item.path for item in found.left]


def test_resources_are_found_by_the_names_in_gke() -> None:
    assert clusters_by_place(graph()).keys() == {("us-east5", "train-east")}
    assert pool().inputs["cluster"] == "train-east"
    assert (clusters_by_place(None), resources_by_place(None)) == ({}, {})


def test_a_resource_equals_itself() -> None:
    assert outcome(pool().inputs, pool()) == ([], [])


def test_another_value_is_planned() -> None:
    live = {**pool().inputs, "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x8"}}
    assert outcome(live, pool()) == (["placementPolicy.tpuTopology"], [])


def test_what_the_engine_ignores_stays_as_it_is() -> None:
    wanted = pool()
    ignoring = replace(wanted, options=replace(wanted.options, ignore_changes=("nodeConfig.gvnic",)))
    live = {**wanted.inputs, "nodeConfig": {**wanted.inputs["nodeConfig"], "gvnic": {"enabled": False}}}
    assert outcome(live, wanted) == (["nodeConfig.gvnic.enabled"], [])
    assert outcome(live, ignoring) == ([], ["nodeConfig.gvnic.enabled"])


def test_a_source_without_the_present_size_has_no_other_size() -> None:
    live = {name: value for name, value in pool().inputs.items() if name != "nodeCount"}
    assert outcome(live, pool()) == ([], [])


# Blocks that GKE answers empty

SINGLE_HOST = PLAN.replace("topology: 4x4", "topology: 2x4, chips_per_host: 8")
EMPTY = (
    "queuedProvisioning",
    "placementPolicy",
    "nodeConfig.ephemeralStorageLocalSsdConfig",
    "nodeConfig.fastSocket",
    "nodeConfig.localNvmeSsdBlockConfig",
)


def single_host() -> Resource:
    return resources_by_place(graph(SINGLE_HOST))["train-east", "us-east5", "pretrain"]


def live_with(wanted: Resource, path: str, value: Any) -> dict[str, Any]:
    if path.startswith("nodeConfig."):
        config = {**wanted.inputs["nodeConfig"], path.removeprefix("nodeConfig."): value}
        return {**wanted.inputs, "nodeConfig": config}
    return {**wanted.inputs, path: value}


def ignoring(resource: Resource, *paths: str) -> Resource:
    return replace(resource, options=replace(resource.options, ignore_changes=paths))


@pytest.mark.parametrize("path", EMPTY)
def test_an_empty_block_is_planned_unless_the_engine_ignores_it(path: str) -> None:
    live = live_with(single_host(), path, {})
    assert outcome(live, ignoring(single_host())) == ([path], [])
    assert outcome(live, ignoring(single_host(), path)) == ([], [path])


def test_a_block_of_zero_values_is_planned_too() -> None:
    path, zeros = "nodeConfig.advancedMachineFeatures", {"enableNestedVirtualization": False}
    assert outcome(live_with(single_host(), path, zeros), ignoring(single_host())) == ([path], [])


@pytest.mark.parametrize(
    "path", ["nodeConfig.sandboxConfig", "nodeConfig.windowsNodeConfig", "nodeConfig.confidentialNodes"]
)
def test_an_empty_block_that_the_provider_does_not_read_or_keeps_is_ignored(path: str) -> None:
    assert outcome(live_with(single_host(), path, {}), ignoring(single_host())) == ([], [])
