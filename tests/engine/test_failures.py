"""Updates that fail half-way in the real engine: what is left, what hides it, and what brings the stack back."""

import os
import pathlib
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.engine.engine_cloud import Engine
from support.engine.javascript_run import plugin_on_path
from support.engine.plan_changes import CHAT, SWEEP, base, edited, group, removed
from support.engine.stack_run import DELETE_FIRST, EngineStack, Run
from support.gcp_standin.knowledge import POOL
from support.shipped import acknowledged, program, shipped_plan

from pulumi_gke_tpu import TpuSlices
from pulumi_gke_tpu.components import registration

POOLS = {
    "prod": {"ablation-0", "chat", "pretrain-0", "pretrain-1", "sweep", "system"},
    "ironwood": {"serve", "system", "train-0"},
}
SLICES = "urn:pulumi:prod::gke-tpu::gke-tpu:index:TpuFleet$gke-tpu:index:StandardCluster$gke-tpu:index:TpuSlices$"
REFUSAL = "This update would send nothing, succeed, and hide that."


def urn(pool: str) -> str:
    return f"{SLICES}gcp:container/nodePool:NodePool::train-east/{pool}"


def test_a_second_update_finishes_an_interrupted_one(engine: Engine) -> None:
    stack = engine.stack("prod")
    engine.cloud.knobs.fail_once.add("sweep")
    assert "503" in stack.up(program(base())).error
    assert len(engine.cloud.names(POOL)) < len(POOLS["prod"])
    assert stack.up(program(base())).error == ""
    assert len(engine.cloud.names(POOL)) == len(POOLS["prod"])
    assert stack.preview(program(base())).ops() == {}


# A pool whose creation failed


def out_of_capacity(engine: Engine, pool: str = "sweep") -> EngineStack:
    """A stack with a pool that GKE made and left in ERROR; everything else is there."""
    stack = engine.stack("prod")
    engine.cloud.knobs.out_of_capacity.add(pool)
    first = stack.up(program(base()), continue_on_error=True)
    assert 'in the error state "ERROR"' in first.error
    engine.cloud.knobs.out_of_capacity.clear()
    return stack


def refused(run: Run) -> bool:
    return REFUSAL in run.error


def test_by_itself_a_pool_without_capacity_looks_healthy_afterwards(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine regards the failed pool as created, and nothing shows that it is not."""
    monkeypatch.setattr(registration, "creation_hooks", lambda *args: None)
    stack = out_of_capacity(engine)
    again = stack.up(program(base()))
    assert (again.error, again.ops()) == ("", {SWEEP: "update"})
    assert engine.cloud.sent("train-east/sweep/sweep") == ["POST NodePool"]
    assert stack.refresh().error == ""
    assert stack.preview(program(base())).ops() == {}
    assert engine.cloud.pool("sweep").status == "ERROR"


def test_the_next_update_is_refused_with_the_way_out(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    for run in (stack.preview(program(base())), stack.up(program(base())), stack.up(program(base()))):
        assert refused(run)
        assert f"pulumi up --replace '{urn('sweep/sweep')}'\n" in run.error
        assert "describe sweep --cluster train-east --location us-east5 --project acme-ml" in run.error
        assert "Traceback" not in run.error
    assert engine.cloud.sent("train-east/sweep/sweep") == ["POST NodePool"]


def test_a_change_of_the_plan_is_a_way_out_too(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    for edit, op in ((group("sweep", zone="us-east5-a"), DELETE_FIRST), (removed("sweep"), "delete")):
        run = stack.preview(program(edited(edit)))
        assert (run.error, run.ops()) == ("", {SWEEP: op})


@pytest.mark.parametrize("name", ["prod", "ironwood"])
def test_every_kind_of_pool_is_guarded(engine: Engine, name: str) -> None:
    plan = program(base() if name == "prod" else shipped_plan(name), name)
    stack = engine.stack(name)
    engine.cloud.knobs.out_of_capacity |= POOLS[name]
    assert stack.up(plan, continue_on_error=True).error
    run = stack.up(plan, continue_on_error=True)
    assert run.error.count(REFUSAL) == len(POOLS[name])
    assert {pool for pool in POOLS[name] if f"describe {pool} --cluster" in run.error} == POOLS[name]


def test_slices_alone_are_guarded(engine: Engine) -> None:
    def slices() -> None:
        cluster = gcp.container.Cluster(
            "theirs", name="theirs", project="acme-ml", location="us-east5", initial_node_count=1
        )
        group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "cluster": cluster.id}
        TpuSlices("theirs/train", {"project": "acme-ml", "location": "us-east5", **group})

    stack = engine.stack("alone")
    engine.cloud.knobs.out_of_capacity.add("train-0")
    assert 'in the error state "ERROR"' in stack.up(slices).error
    engine.cloud.knobs.out_of_capacity.clear()
    assert refused(stack.preview(slices))
    run = stack.up(slices)
    assert refused(run)
    assert "describe train-0 --cluster theirs --location us-east5 --project acme-ml" in run.error


def test_the_way_out_makes_the_pool_anew(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    assert stack.up(program(base()), replace=[urn("sweep/sweep")]).error == ""
    assert engine.cloud.sent("train-east/sweep/sweep") == ["POST NodePool", "DELETE NodePool", "POST NodePool"]
    assert engine.cloud.pool("sweep").status == "RUNNING"
    assert stack.preview(program(base())).ops() == {}


def test_the_way_out_of_a_protected_pool_takes_an_acknowledgement(engine: Engine) -> None:
    stack = out_of_capacity(engine, "pretrain-0")
    pool = urn("pretrain/pretrain-0")
    assert "If it is protected, acknowledge its replacement in the plan first" in stack.up(program(base())).error
    assert "marked for protection" in stack.up(program(base()), replace=[pool]).error
    plan = acknowledged(base(), "replace", "train-east/pretrain")
    assert stack.up(program(plan), replace=[pool]).error == ""
    assert engine.cloud.pool("pretrain-0").status == "RUNNING"
    assert stack.preview(program(base())).ops() == {}


def test_a_pool_that_got_its_capacity_later_needs_only_a_refresh(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    engine.cloud.find_capacity("sweep")
    assert refused(stack.preview(program(base())))
    assert stack.refresh().error == ""
    run = stack.up(program(base()))
    assert (run.error, run.ops()) == ("", {})


def test_other_resources_can_be_updated_meanwhile(engine: Engine) -> None:
    stack = out_of_capacity(engine)
    changed = edited(group("chat", node_labels={"team": "ml"}))
    run = stack.up(program(changed), target=[urn("chat/chat")])
    assert (run.error, run.ops()) == ("", {CHAT: "update"})
    assert refused(stack.preview(program(changed)))


def test_the_same_through_the_plugin_for_other_languages(
    engine: Engine, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plugin_on_path(tmp_path).parent
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    slices = {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}}
    cluster = {"project": "acme-ml", "location": "us-east5", "slices": slices}

    def remote() -> None:
        pulumi.ComponentResource("gke-tpu:index:StandardCluster", "east", cluster, remote=True)

    stack = engine.stack("plugin")
    engine.cloud.knobs.out_of_capacity.add("train-0")
    assert 'in the error state "ERROR"' in stack.up(remote).error
    engine.cloud.knobs.out_of_capacity.clear()
    assert refused(stack.up(remote))
    (failed,) = (name for name in stack.state() if name.endswith("::east/train/train-0"))
    assert stack.up(remote, replace=[failed]).error == ""
    assert engine.cloud.pool("train-0").status == "RUNNING"


@pytest.mark.parametrize(
    "then",
    [
        lambda stack: stack.refresh(),
        lambda stack: stack.up(program(base()), refresh=True),
        lambda stack: stack.up(program(edited(group("sweep", node_labels={"team": "ml"})))),
    ],
    ids=["refresh", "up --refresh", "a label"],
)
def test_what_nothing_protects_from(engine: Engine, then: Callable[[EngineStack], Run]) -> None:
    """A refresh, or an update that GKE takes, ends the error in Pulumi's eyes; the provider does not show the state."""
    stack = out_of_capacity(engine)
    assert then(stack).error == ""
    assert engine.cloud.pool("sweep").status == "ERROR"


# No false alarms

TAINT = {"key": "a", "value": "b", "effect": "NO_EXECUTE"}
UPDATES: tuple[dict[str, Any], ...] = (
    {"node_labels": {"team": "ml"}, "taints": [TAINT]},
    {"node_labels": {"team": "ml"}},
    {"node_labels": {"team": "ml"}, "count": {"min": 0, "max": 10}},
)
"""Each after the one before: a label and a taint, no taint, a limit."""


@pytest.mark.parametrize("error", ["503: unavailable: {name}, backendError", "403: not allowed: {name}, forbidden"])
def test_a_failed_update_is_tried_again(engine: Engine, error: str) -> None:
    stack = engine.stack("prod")
    engine.cloud.knobs.error = error
    assert stack.up(program(base())).error == ""
    for number, values in enumerate(UPDATES):
        plan = edited(group("sweep", **values))
        engine.cloud.requests.clear()
        engine.cloud.knobs.fail_update_once.add("sweep")
        assert error.format(name="sweep") in stack.up(program(plan)).error, number
        run = stack.up(program(plan))
        assert (run.error, run.ops()) == ("", {SWEEP: "update"}), number
        first, second = engine.cloud.sent("train-east/sweep/sweep")
        assert first == second
    assert stack.preview(program(plan)).ops() == {}


def behind_the_back(change: Callable[[Any], object]) -> Callable[[Engine], object]:
    return lambda engine: change(engine.cloud.pool("sweep").state["nodeConfig"])


DRIFT: tuple[Callable[[Engine], object], ...] = (
    behind_the_back(lambda config: config.update(taints=[TAINT])),
    behind_the_back(lambda config: config["labels"].update(team="ml")),
    behind_the_back(lambda config: config["resourceLabels"].update(cost="x")),
    lambda engine: engine.cloud.resize("sweep", 3),
    lambda engine: engine.cloud.kill_host("pretrain-0"),
)


def test_drift_is_mended_as_ever(engine: Engine) -> None:
    stack, plan = engine.stack("prod"), program(edited(group("sweep", count=2, node_labels={"a": "b"})))
    assert stack.up(plan).error == ""
    for happens in DRIFT:
        happens(engine)
    run = stack.up(plan, refresh=True)
    assert (run.error, run.ops()) == ("", {SWEEP: "update"})
    assert stack.preview(plan).ops() == {}
