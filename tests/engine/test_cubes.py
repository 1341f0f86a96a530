"""Cubes for dynamic slicing in the real engine: created, more and fewer of them, each as foretold."""

import copy
import datetime
import pathlib
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import EngineStack, Run
from support.shipped import Plan, acknowledged, program

from pulumi_gke_tpu import load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.diff.classification.compare import compare
from pulumi_gke_tpu.preview import preview_plan

EXAMPLE = pathlib.Path(__file__).parents[2] / "docs" / "examples" / "cubes.yaml"
FLEET = "ironwood"


def of(count: int) -> Plan:
    """The example without what runs in the cluster, with so many cubes."""
    plan: Any = copy.deepcopy(load_plan(EXAMPLE, today=datetime.date(2026, 11, 20)))
    (cluster,) = plan["clusters"].values()
    del cluster["kubernetes"]
    cluster["slices"]["cubes"]["count"] = count
    return acknowledged(plan, "delete", f"{FLEET}/cubes")


def fixed(topology: str = "4x4x8") -> Plan:
    """The example with a static slice in place of its cubes."""
    plan: Any = acknowledged(of(1), "replace", f"{FLEET}/cubes")
    group = plan["clusters"][FLEET]["slices"]["cubes"]
    del group["slicing"]
    group["topology"] = topology
    return plan


def in_place_of_slices(count: int) -> Plan:
    """So many cubes in place of the static slice."""
    return {**of(count), "acknowledge": fixed()["acknowledge"]}


def foretold(before: Plan, after: Plan) -> dict[str, str]:
    catalog = read_catalog()
    old, new = (preview_plan(each, name=FLEET, catalog=catalog) for each in (before, after))
    changes = compare(old, new, catalog.provider, disks=catalog.disks.families)
    return {change.urn.rpartition("::")[2]: change.operation for change in changes if change.operation != "same"}


def planned(run: Run) -> dict[str, str]:
    """The changes of the engine; a replacement without its order."""
    return {name.partition(" ")[2]: op.partition(",")[0] for name, op in run.ops().items()}


@pytest.fixture
def stack(engine: Engine) -> EngineStack:
    engine.cloud.provide(of(5))
    made = engine.stack(FLEET)
    assert made.up(program(of(5), FLEET)).error == ""
    return made


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (5, {}),
        (6, {"ironwood/cubes/cubes-5": "create"}),
        (3, {"ironwood/cubes/cubes-3": "delete", "ironwood/cubes/cubes-4": "delete"}),
    ],
)
def test_only_node_pools_of_the_other_cubes_change(stack: EngineStack, count: int, expected: dict[str, str]) -> None:
    assert foretold(of(5), of(count)) == expected
    run = stack.up(program(of(count), FLEET))
    assert run.error == ""
    assert planned(run) == expected
    assert stack.preview(program(of(count), FLEET)).changes == ()


@pytest.mark.parametrize(("direction", "second"), [("dynamic", "create"), ("static", "delete")])
def test_cubes_and_a_static_slice_take_the_place_of_each_other(engine: Engine, direction: str, second: str) -> None:
    """Also where GKE answers no topology of node pools with a policy: cubes have none from then on."""
    engine.cloud.knobs.reports_policy_topology = False
    plans = (fixed(), in_place_of_slices(2))
    before, after = plans if direction == "dynamic" else plans[::-1]
    engine.cloud.provide(before)
    stack = engine.stack(FLEET)
    assert stack.up(program(before, FLEET)).error == ""
    expected = {
        "ironwood": "update",
        "ironwood/cubes": "replace",
        "ironwood/cubes/cubes-0": "replace",
        "ironwood/cubes/cubes-1": second,
    }
    assert foretold(before, after) == expected
    assert planned(stack.preview(program(after, FLEET))) == expected
    run = stack.up(program(after, FLEET))
    assert run.error == ""
    assert planned(run) == expected
    assert stack.preview(program(after, FLEET)).changes == ()
    topology = engine.cloud.pool("cubes-0").state["placementPolicy"].get("tpuTopology")
    assert topology == (None if direction == "dynamic" else "4x4x8")
