"""Every shape that the catalog lists, in both modes and every way of getting capacity, from plan text to properties.

The expected results are computed here from the catalog's YAML, without the code that reads it.
"""

import copy
import pathlib
from typing import Any

import pytest
import yaml
from support.checking import validate
from support.matrix import ASKED, GENERATIONS, MOST, SELECTED, Cell, cells, facts, plan_of
from support.recording import record

from pulumi_gke_tpu import TpuFleet, load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.preview import Graph, preview_plan

NODE_POOL = "gcp:container/nodePool:NodePool"
POLICY = "gcp:compute/resourcePolicy:ResourcePolicy"
SLICES = "gke-tpu:index:TpuSlices"


def plan_file(path: pathlib.Path, table: list[Cell]) -> pathlib.Path:
    """The plan of a table as a file."""
    path.write_text(yaml.safe_dump(plan_of(table)), encoding="utf-8")
    return path


def check_findings(path: pathlib.Path, table: list[Cell]) -> None:
    """No error, and for each group exactly the warnings that follow from the catalog."""
    document = read_plan(path)
    assert document.content is not None
    findings = [*document.findings, *validate(document.content, read_catalog())]
    assert [finding for finding in findings if finding.severity is Severity.ERROR] == []
    warned: dict[Any, set[str]] = {}
    for finding in findings:
        if finding.severity is Severity.WARNING:
            group = finding.path[3] if finding.path[2:3] == ("slices",) else "the cluster"
            warned.setdefault(group, set()).add(finding.rule)
    assert warned == {cell.key: cell.warnings() for cell in table if cell.warnings()}


def named(graph: Graph, type_token: str) -> dict[str, Any]:
    """Inputs of the slice groups' resources of a type, by the part of the name below the cluster."""
    return {
        resource.name.partition("/")[2]: resource.inputs
        for resource in graph.of_type(type_token)
        if not resource.name.endswith("/system")
    }


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_shape_becomes_the_node_pools_of_its_row(generation: str, tmp_path: pathlib.Path) -> None:
    table = list(cells(generation, "standard"))
    path = plan_file(tmp_path / "plan.yaml", table)
    check_findings(path, table)
    graph = preview_plan(load_plan(path))
    pools = named(graph, NODE_POOL)
    assert set(pools) == {f"{cell.key}/{name}" for cell in table for name in cell.pools()}
    assert set(named(graph, POLICY)) == {cell.key for cell in table if cell.policy}
    for cell in table:
        for name, expected in cell.pools().items():
            pool = dict(pools[f"{cell.key}/{name}"])
            assert pool["name"] == name
            assert pool["nodeLocations"] == [cell.zone]
            about = ("nodeCount", "initialNodeCount", "autoscaling", "ignoreNodeCountChanges", "placementPolicy")
            shown = copy.deepcopy({key: pool[key] for key in about if key in pool})
            bound = shown.get("placementPolicy", {}).pop("policyName", None)
            assert shown == expected
            assert (bound is not None) == cell.policy
            assert pool.get("queuedProvisioning") == ({"enabled": True} if cell.capacity == "queued" else None)
            about = ("machineType", "spot", "flexStart", "maxRunDuration", "reservationAffinity", "labels")
            assert {key: pool["nodeConfig"][key] for key in about if key in pool["nodeConfig"]} == cell.node_config()


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_shape_on_autopilot_is_labels_and_nothing_else(generation: str, tmp_path: pathlib.Path) -> None:
    table = list(cells(generation, "autopilot"))
    path = plan_file(tmp_path / "plan.yaml", table)
    check_findings(path, table)
    args = load_plan(path)
    recording = record(lambda: TpuFleet("matrix", args))
    groups = {item.urn: item for item in recording.of_type(SLICES)}
    assert [item.urn for item in recording if item.request.parent in groups] == []
    assert [item.urn for item in recording if item.type in (NODE_POOL, POLICY)] == []
    assert {item.name.partition("/")[2]: item.outputs for item in groups.values()} == {
        cell.key: {
            "accelerator": cell.label,
            "node_selector": {
                "cloud.google.com/gke-tpu-accelerator": cell.label,
                "cloud.google.com/gke-tpu-topology": cell.topology,
                **SELECTED[cell.capacity],
            },
            "pool_names": [],
            "slices": MOST[cell.capacity],
            "chips": cell.chips * MOST[cell.capacity],
            "hosts": cell.hosts * MOST[cell.capacity],
        }
        for cell in table
    }


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_matrix_is_whole(mode: str) -> None:
    """Each generation, capacity mode and kind of host is there, and rows and tables agree on what is multi-host."""
    table = [cell for generation in GENERATIONS for cell in cells(generation, mode)]
    assert {cell.generation for cell in table} == set(GENERATIONS)
    assert {cell.capacity for cell in table} == set(ASKED)
    assert len(table) > 150
    for generation in GENERATIONS:
        for row in facts(f"generations/{generation}")["topologies"]["rows"]:
            cell = Cell(generation, mode, "on_demand", row["topology"], row["machine_type"], False)
            assert (cell.hosts > 1, cell.chips % cell.machine["chips"]) == (row["hosts"] == "multi", 0)
