"""Single changes of the prod plan in the real engine: planned as in the catalog, stopped by protection."""

import copy
import functools
import re

import pytest
from support.changes_table import against_the_table
from support.edits_at_once import apart
from support.engine.engine_cloud import Engine
from support.engine.plan_changes import (
    ABLATION,
    CHAT,
    CLUSTER,
    DELETING,
    FREE,
    PRETRAIN,
    REPLACING,
    SWALLOWED,
    SWEEP,
    SYSTEM,
    UNGUARDED,
    PlanChange,
    added,
    base,
    cluster,
    edited,
    group,
    moved_to,
    removed,
    renamed,
)
from support.engine.stack_run import DELETE_FIRST, EngineStack, Run
from support.gcp_standin import knowledge
from support.gcp_standin.knowledge import kind_of
from support.replayed import NOISE
from support.shipped import Plan, acknowledged, program

from pulumi_gke_tpu.core.catalog.records.provider import replace_paths

LOCATION = moved_to("europe-west4", "europe-west4-a", "europe-west4-b")
REFUSED = re.compile(
    r'resource "[^"]+::train-east/pretrain/pretrain-\d".* (?:it is protected|marked for protection)', re.DOTALL
)
STATIC_RULE = "autoscaling"
"""Replaces only a multi-host pool that becomes static."""


def contradictions(run: Run) -> list[str]:
    """Steps that contradict the catalog, or the page made from it, for the properties that differ."""
    found = []
    for step in run.changes:
        kind = kind_of(step.type)
        fixed = set(replace_paths(kind.provider, kind.token))
        replacing = [path for path in step.diff if path in fixed or _replaces(kind.token, path)]
        if step.op == "update" and replacing:
            found.append(f"{step.name} is updated although {replacing} would replace it")
        if step.op == "replace" and not replacing and STATIC_RULE not in step.diff:
            found.append(f"{step.name} is replaced for {sorted(step.diff)}")
        if step.op in ("update", "replace") and STATIC_RULE not in step.diff:
            found += against_the_table(step.name, kind.token, step.op, sorted(step.diff.keys() - {NOISE}))
    return found


def _replaces(token: str, path: str) -> bool:
    kind = kind_of(token)
    change = kind.change(path)
    whole_list = path.partition("[")[0]
    return change is not None and (change.change == "replace" or whole_list in replace_paths(kind.provider, token))


AT_ONCE = apart((*FREE, *SWALLOWED, *UNGUARDED), lambda change: (base(), edited(change.edit)), 8)


@pytest.mark.parametrize("changes", AT_ONCE, ids=lambda changes: ", and ".join(map(str, changes)))
def test_changes_that_nothing_prevents(prod: EngineStack, changes: list[PlanChange]) -> None:
    """Each run has changes of different parts of the plan."""
    run = prod.preview(program(functools.reduce(lambda plan, change: edited(change.edit, plan), changes, base())))
    expected = {resource: op for change in changes for resource, op in change.ops.items()}
    assert (run.error, run.ops()) == ("", expected)
    assert contradictions(run) == []


@pytest.mark.parametrize("change", [*REPLACING, *DELETING, PlanChange("location", LOCATION, {})], ids=str)
def test_protection_stops_it(prod: EngineStack, change: PlanChange) -> None:
    run = prod.preview(program(edited(change.edit)))
    assert REFUSED.search(run.error)


@pytest.mark.parametrize("change", REPLACING, ids=str)
def test_an_acknowledged_replacement_goes_through(prod: EngineStack, change: PlanChange) -> None:
    plan = acknowledged(edited(change.edit), "replace", "train-east/pretrain")
    run = prod.preview(program(plan))
    assert (run.error, run.ops()) == ("", change.ops)
    assert contradictions(run) == []


@pytest.mark.parametrize("change", DELETING, ids=str)
def test_a_deletion_takes_two_updates(prod: EngineStack, lifted: EngineStack, change: PlanChange) -> None:
    plan = acknowledged(edited(change.edit), "delete", "train-east")
    assert REFUSED.search(prod.preview(program(plan)).error)
    run = lifted.preview(program(plan))
    assert (run.error, run.ops()) == ("", change.ops)


def test_another_location_replaces_the_cluster_and_all_in_it(lifted: EngineStack) -> None:
    run = lifted.preview(program(acknowledged(edited(LOCATION), "delete", "train-east")))
    ops = run.ops()
    pools = dict.fromkeys((*PRETRAIN, SWEEP, ABLATION, CHAT, SYSTEM), DELETE_FIRST)
    assert run.error == ""
    assert "Network train-east" not in ops
    assert {name: ops.get(name) for name in (CLUSTER, *pools)} == {CLUSTER: DELETE_FIRST, **pools}


# Carried out


def test_a_refused_change_sends_nothing(engine: Engine) -> None:
    stack = _stack(engine, base())
    run = stack.up(program(edited(group("pretrain", topology="8x16"))))
    assert REFUSED.search(run.error)
    assert engine.cloud.requests == []


def test_an_acknowledged_topology_is_deleted_and_created(engine: Engine) -> None:
    stack = _stack(engine, base())
    plan = acknowledged(edited(group("pretrain", topology="8x16")), "replace", "train-east/pretrain")
    assert stack.up(program(plan)).error == ""
    for pool in ("pretrain-0", "pretrain-1"):
        assert engine.cloud.sent(f"train-east/pretrain/{pool}") == ["DELETE NodePool", "POST NodePool"]
        assert engine.cloud.pool(pool).hosts == 32
    assert stack.preview(program(plan)).ops() == {}


def test_the_first_of_two_slices_can_be_retired(engine: Engine) -> None:
    stack = _stack(engine, base(), acknowledged(base(), "delete", "train-east/pretrain"))
    assert stack.up(program(edited(group("pretrain", count=None, indices=[1])))).error == ""
    assert [request.resource for request in engine.cloud.requests] == ["train-east/pretrain/pretrain-0"]


@pytest.mark.parametrize("name", ["sweep", "pretrain"])
def test_a_moved_group_stays(engine: Engine, name: str) -> None:
    stack = _stack(engine, base())
    plan = edited(renamed(name, "trials"))
    plan["moved"] = [{"from": f"train-east/{name}", "to": "train-east/trials"}]
    assert stack.preview(program(plan)).ops() == {}
    assert stack.up(program(plan)).error == ""
    assert engine.cloud.requests == []
    assert stack.preview(program(plan)).ops() == {}


@pytest.mark.parametrize(("name", "static", "pool", "hosts"), [("sweep", 4, "sweep", 4), ("trial", 1, "trial-0", 4)])
def test_autoscaled_to_static_and_back(engine: Engine, name: str, static: int, pool: str, hosts: int) -> None:
    autoscaled = edited(added("trial", tpu="v6e", topology="4x4", count={"min": 0, "max": 1}, zone="us-east5-b"))
    stack = _stack(engine, autoscaled)
    fixed = edited(group(name, count=static), autoscaled)
    for plan, expected in ((fixed, hosts), (autoscaled, None), (fixed, hosts)):
        assert stack.up(program(plan)).error == ""
        assert expected in (None, engine.cloud.pool(pool).hosts)
        assert stack.preview(program(plan)).ops() == {}
        assert stack.preview(program(plan), refresh=True).ops() == {}


def test_static_to_autoscaled_to_another_topology(engine: Engine) -> None:
    """Without a refresh in between the state still has the fixed count, which must not come back with the new slice."""
    static = edited(added("trial", tpu="v6e", topology="4x4", zone="us-east5-b"))
    autoscaled = edited(group("trial", count={"min": 0, "max": 1}), static)
    stack = _stack(engine, static, autoscaled)
    larger = edited(group("trial", topology="4x8"), autoscaled)
    assert stack.up(program(larger)).error == ""
    assert engine.cloud.pool("trial-0").hosts == 0
    assert engine.cloud.pool("trial-0").state["autoscaling"]["maxNodeCount"] == 8
    assert stack.preview(program(larger)).ops() == {}
    fixed = edited(group("trial", count=1), larger)
    assert stack.up(program(fixed)).error == ""
    assert engine.cloud.pool("trial-0").hosts == 8


def test_an_add_on_left_out_again(engine: Engine) -> None:
    """Those that are always sent go off; the others GKE keeps, and what is turned off there by hand stays off."""
    stack = _stack(engine, edited(cluster(addons=["gcs_fuse", "ray_operator", "dns_cache"])))
    assert stack.preview(program(base())).ops() == {}
    assert stack.preview(program(edited(cluster(addons=["gcs_fuse", "dns_cache"])))).ops() == {CLUSTER: "update"}
    (name,) = engine.cloud.names(knowledge.CLUSTER)
    record = engine.cloud.read(name)
    assert record is not None
    record.state["addonsConfig"]["dnsCacheConfig"]["enabled"] = False
    engine.cloud.keep(name, record.state)
    assert stack.refresh().error == ""
    assert stack.preview(program(base())).ops() == {}


def test_location_carried_out(engine: Engine) -> None:
    plan = acknowledged(base(), "delete", "train-east")
    stack = _stack(engine, base(), plan)
    elsewhere = edited(LOCATION, plan)
    assert stack.up(program(elsewhere)).error == ""
    assert stack.preview(program(elsewhere)).ops() == {}
    assert engine.cloud.names(knowledge.CLUSTER) == ["projects/acme-ml/locations/europe-west4/clusters/train-east"]


@pytest.mark.parametrize(("before", "after"), [("standard", "autopilot"), ("autopilot", "standard")])
def test_another_mode_replaces_the_cluster(engine: Engine, before: str, after: str) -> None:
    def plan(mode: str) -> Plan:
        group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
        cluster = {"mode": mode, "location": "us-east5", "deletion_protection": False, "slices": {"a": group}}
        return {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}

    stack = _stack(engine, plan(before))
    run = stack.up(program(plan(after)))
    assert (run.error, run.ops()["Cluster c"]) == ("", DELETE_FIRST)
    assert {"NodePool c/system", "NodePool c/a/a-0"} & run.ops().keys()
    assert stack.preview(program(plan(after))).ops() == {}


def test_a_group_that_is_gone_is_not_missed(engine: Engine) -> None:
    stack = _stack(engine, base())
    plan = edited(removed("sweep"))
    assert stack.up(program(plan)).error == ""
    assert engine.cloud.sent("train-east/sweep/sweep") == ["DELETE NodePool"]
    assert stack.preview(program(plan)).ops() == {}


def _stack(engine: Engine, *plans: Plan) -> EngineStack:
    stack = engine.stack("prod")
    for plan in plans:
        assert stack.up(program(copy.deepcopy(plan))).error == ""
    engine.cloud.requests.clear()
    return stack
