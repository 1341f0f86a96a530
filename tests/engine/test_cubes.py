"""Cubes for dynamic slicing in the real engine: created, more and fewer of them, each as foretold."""

import copy
import datetime
import pathlib
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import EngineStack
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


def foretold(count: int) -> dict[str, str]:
    catalog = read_catalog()
    before, after = (preview_plan(of(each), name=FLEET, catalog=catalog) for each in (5, count))
    changes = compare(before, after, catalog.provider, disks=catalog.disks.families)
    return {change.urn.rpartition("::")[2]: change.operation for change in changes if change.operation != "same"}


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
    assert foretold(count) == expected
    run = stack.up(program(of(count), FLEET))
    assert run.error == ""
    assert {step.urn.rpartition("::")[2]: step.op for step in run.changes} == expected
    assert stack.preview(program(of(count), FLEET)).changes == ()


def test_cubes_in_place_of_a_static_slice_get_no_topology(engine: Engine) -> None:
    """Also where the topology of the group is ignored from then on."""
    engine.cloud.knobs.reports_policy_topology = False
    static: Any = acknowledged(of(1), "replace", f"{FLEET}/cubes")
    group = static["clusters"]["ironwood"]["slices"]["cubes"]
    del group["slicing"]
    group["topology"] = "4x4x8"
    engine.cloud.provide(static)
    stack = engine.stack(FLEET)
    assert stack.up(program(static, FLEET)).error == ""
    assert stack.up(program({**of(1), "acknowledge": static["acknowledge"]}, FLEET)).error == ""
    assert not engine.cloud.pool("cubes-0").state["placementPolicy"].get("tpuTopology")
