"""The shipped stacks in the real engine: no drift appears, and a stack can be destroyed as documented."""

import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import EngineStack, Run
from support.gcp_standin.knowledge import ACCOUNT, CLUSTER, NETWORK, POLICY, POOL, SUBNETWORK
from support.shipped import NAMES, acknowledged, program, shipped_plan, stack_program

TYPES = (ACCOUNT, CLUSTER, NETWORK, POLICY, POOL, SUBNETWORK)
every_stack = pytest.mark.parametrize("name", NAMES)
CLUSTERS = {"dev": "dev", "prod": "train-east", "ironwood": "ironwood", "shared": "shared"}
PROTECTED = {"dev": [], "prod": ["pretrain-0", "pretrain-1"], "ironwood": ["train-0"], "shared": ["finetune-0"]}
UNPROTECTED = {
    "dev": [],
    "prod": ["ablation-0", "sweep", "system"],
    "ironwood": ["serve", "system"],
    "shared": ["evaluate"],
}
"""Node pools by their GKE names."""


def brought_up(engine: Engine, name: str) -> EngineStack:
    engine.cloud.provide(shipped_plan(name))
    stack = engine.stack(name)
    run = stack.up(program(shipped_plan(name), name))
    assert run.error == ""
    assert {step.op for step in run.changes} == {"create"}
    engine.cloud.requests.clear()
    return stack


def settled(run: Run) -> bool:
    """Whether a run went through and changed nothing."""
    return (run.error, run.ops()) == ("", {})


def pools(engine: Engine) -> list[str]:
    return [pool.rsplit("/", 1)[1] for pool in engine.cloud.names(POOL)]


@every_stack
def test_the_second_run_changes_nothing(engine: Engine, name: str) -> None:
    engine.cloud.provide(shipped_plan(name))
    stack = engine.stack(name)
    first = stack.up(stack_program)
    assert first.error == ""
    assert sorted(pools(engine)) == sorted(PROTECTED[name] + UNPROTECTED[name])
    assert settled(stack.preview(stack_program))
    assert stack.refresh().error == ""
    assert settled(stack.preview(stack_program))


@every_stack
def test_up_sends_nothing_where_nothing_changed(engine: Engine, name: str) -> None:
    stack = brought_up(engine, name)
    assert settled(stack.up(program(shipped_plan(name), name)))
    assert engine.cloud.requests == []


@pytest.mark.parametrize(("name", "pool"), [("prod", "pretrain-0"), ("ironwood", "train-0")])
def test_a_slice_with_a_missing_host_is_left_alone(engine: Engine, name: str, pool: str) -> None:
    stack = brought_up(engine, name)
    engine.cloud.kill_host(pool)
    plan = program(shipped_plan(name), name)
    assert settled(stack.up(plan, refresh=True))
    assert stack.refresh().error == ""
    assert settled(stack.preview(plan))
    assert engine.cloud.requests == []


def test_three_of_four_hosts(engine: Engine) -> None:
    plan = shipped_plan("prod")
    plan["clusters"]["train-east"]["slices"]["pretrain"] |= {"topology": "4x4", "count": 1}
    stack = engine.stack("prod")
    assert stack.up(program(plan)).error == ""
    assert engine.cloud.pool("pretrain-0").hosts == 4
    engine.cloud.kill_host("pretrain-0")
    assert stack.refresh().error == ""
    assert settled(stack.preview(program(plan)))


@pytest.mark.parametrize(("pool", "hosts"), [("sweep", 5), ("ablation-0", 16), ("system", 3)])
def test_a_resize_by_the_autoscaler_is_not_a_change(engine: Engine, pool: str, hosts: int) -> None:
    stack = brought_up(engine, "prod")
    engine.cloud.resize(pool, hosts)
    assert stack.refresh().error == ""
    assert settled(stack.preview(program(shipped_plan("prod"))))


@every_stack
def test_destroy_after_the_documented_steps(engine: Engine, name: str) -> None:
    stack = brought_up(engine, name)
    lifted = acknowledged(shipped_plan(name), "delete", CLUSTERS[name])
    assert stack.up(program(lifted, name)).error == ""
    assert not [request.what for request in engine.cloud.requests if "NodePool" in request.what]
    assert stack.destroy().error == ""
    left = {token: engine.cloud.names(token) for token in TYPES if engine.cloud.names(token)}
    existing = [cluster["existing"] for cluster in lifted["clusters"].values() if "existing" in cluster]
    assert left == ({CLUSTER: existing} if existing else {})


@pytest.mark.parametrize("name", [name for name in NAMES if PROTECTED[name]])
def test_destroy_without_them_deletes_only_unprotected_pools(engine: Engine, name: str) -> None:
    stack = brought_up(engine, name)
    before = {token: engine.cloud.names(token) for token in TYPES if token != POOL}
    run = stack.destroy()
    assert "because it is protected" in run.error
    assert pools(engine) == PROTECTED[name]
    assert {token: engine.cloud.names(token) for token in TYPES if token != POOL} == before


def test_destroy_stops_at_deletion_protection(engine: Engine) -> None:
    """Without protected pools it is the cluster's own protection that is left, and by then the pools are gone."""
    plan = shipped_plan("prod")
    plan["clusters"]["train-east"]["slices"]["pretrain"]["protect"] = False
    stack = engine.stack("prod")
    assert stack.up(program(plan)).error == ""
    run = stack.destroy()
    assert "deletion_protection" in run.error
    assert pools(engine) == []
    assert len(engine.cloud.names(CLUSTER)) == 1


def test_destroy_of_development_needs_no_steps(engine: Engine) -> None:
    stack = brought_up(engine, "dev")
    assert stack.destroy().error == ""
    assert engine.cloud.names(CLUSTER) == []
