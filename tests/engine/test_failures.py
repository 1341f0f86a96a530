"""Updates that fail half-way in the real engine: what is left, and what brings the stack back."""

from conftest import Engine
from gcp_standin.knowledge import POOL
from plan_changes import base
from shipped import program
from stack_run import EngineStack

POOLS = 6
URN = "urn:pulumi:prod::gke-tpu::gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster$gke-tpu:index:TpuSlices$"
THIRD = f"{URN}gcp:container/nodePool:NodePool::train-east/sweep/sweep"


def test_a_second_update_finishes_an_interrupted_one(engine: Engine) -> None:
    stack = engine.stack("prod")
    engine.cloud.knobs.fail_once.add("sweep")
    assert "503" in stack.up(program(base())).error
    assert len(engine.cloud.names(POOL)) < POOLS
    assert stack.up(program(base())).error == ""
    assert len(engine.cloud.names(POOL)) == POOLS
    assert stack.preview(program(base())).ops() == {}


def out_of_capacity(engine: Engine) -> EngineStack:
    stack = engine.stack("prod")
    engine.cloud.knobs.out_of_capacity.add("sweep")
    run = stack.up(program(base()))
    assert 'in the error state "ERROR"' in run.error
    engine.cloud.knobs.out_of_capacity.clear()
    return stack


def test_a_pool_without_capacity_looks_healthy_afterwards(engine: Engine) -> None:
    """The trap: the engine takes the failed pool for created, and nothing tells that it is not."""
    stack = out_of_capacity(engine)
    again = stack.up(program(base()))
    assert again.error == ""
    assert again.ops()["NodePool train-east/sweep/sweep"] == "update"
    assert engine.cloud.sent("train-east/sweep/sweep") == ["POST NodePool"]
    assert stack.refresh().error == ""
    assert stack.preview(program(base())).ops() == {}
    assert engine.cloud.pool("sweep").status == "ERROR"


def test_the_documented_way_out_makes_the_pool_anew(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    assert stack.up(program(base()), replace=[THIRD]).error == ""
    assert engine.cloud.sent("train-east/sweep/sweep") == ["POST NodePool", "DELETE NodePool", "POST NodePool"]
    assert engine.cloud.pool("sweep").status == "RUNNING"
    assert stack.preview(program(base())).ops() == {}
