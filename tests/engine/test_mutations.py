"""Deliberately broken components: the checks of the other tests of this folder must detect each."""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from support.engine.engine_cloud import Engine
from support.engine.plan_changes import FREE, REPLACING, PlanChange, added, base, edited, group, renamed
from support.engine.stack_run import EngineStack
from support.shipped import program, shipped_plan

from pulumi_gke_tpu.core.graph.builders import slices
from pulumi_gke_tpu.core.graph.builders.node_pool import node_pools
from pulumi_gke_tpu.core.graph.declared import Declared, DeclaredOptions

Mutation = Callable[[pytest.MonkeyPatch], None]
CHANGES = {change.what: change for change in FREE} | {f"reserved {change.what}": change for change in REPLACING}


def pools(edit: Callable[[Declared], Declared]) -> Mutation:
    """Other TPU pools."""

    def mutate(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(slices, "node_pools", lambda *args: [edit(pool) for pool in node_pools(*args)])

    return mutate


def options(edit: Callable[[DeclaredOptions], DeclaredOptions]) -> Mutation:
    """Other options for TPU pools."""
    return pools(lambda pool: dataclasses.replace(pool, options=edit(pool.options)))


def properties(edit: Callable[[dict[str, Any]], object]) -> Mutation:
    """Other properties for TPU pools."""

    def edited_copy(pool: Declared) -> Declared:
        written = copy.deepcopy(dict(pool.properties))
        edit(written)
        return dataclasses.replace(pool, properties=written)

    return pools(edited_copy)


def without_path(word: str) -> Mutation:
    def edit(written: DeclaredOptions) -> DeclaredOptions:
        paths = tuple(path for path in written.replace_on_changes if word not in path)
        assert len(paths) < len(written.replace_on_changes) or word == "autoscaling"
        return dataclasses.replace(written, replace_on_changes=paths)

    return options(edit)


def without(option: str) -> Mutation:
    default = getattr(DeclaredOptions(), option)
    return options(lambda written: dataclasses.replace(written, **{option: default}))


@pytest.mark.parametrize(
    ("mutation", "what"),
    [
        (without_path("tpuTopology"), "topology"),
        (without_path("machineType"), "machine type"),
        (without_path("nodeLocations"), "zone"),
        (without_path("group-name"), "collection"),
        (without("delete_before_replace"), "topology"),
        (properties(lambda written: written.pop("name")), "spot to on demand"),
    ],
    ids=["topology", "machine type", "zone", "collection", "delete before replace", "name"],
)
def test_a_change_is_planned_otherwise(
    prod: EngineStack, monkeypatch: pytest.MonkeyPatch, mutation: Mutation, what: str
) -> None:
    change = CHANGES[what]
    assert prod.preview(program(edited(change.edit))).ops() == change.ops
    mutation(monkeypatch)
    assert prod.preview(program(edited(change.edit))).ops() != change.ops


def test_protection_left_out(prod: EngineStack, monkeypatch: pytest.MonkeyPatch) -> None:
    change: PlanChange = CHANGES["reserved topology"]
    assert prod.preview(program(edited(change.edit))).error
    without("protect")(monkeypatch)
    assert prod.preview(program(edited(change.edit))).error == ""


def test_aliases_left_out(prod: EngineStack, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = edited(renamed("sweep", "trials"))
    plan["moved"] = [{"from": "train-east/sweep", "to": "train-east/trials"}]
    assert prod.preview(program(plan)).ops() == {}
    without("aliases")(monkeypatch)
    monkeypatch.setattr(slices, "former_names", lambda names: ())  # a parent's alias would be enough
    assert prod.preview(program(plan)).ops() != {}


def test_the_node_count_looked_at(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    properties(lambda written: written.pop("ignoreNodeCountChanges", None))(monkeypatch)
    stack = engine.stack("prod")
    assert stack.up(program(base())).error == ""
    engine.cloud.kill_host("pretrain-0")
    assert stack.refresh().error == ""
    assert stack.preview(program(base())).ops() == {"NodePool train-east/pretrain/pretrain-0": "update"}


def test_static_without_a_replacement(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    without_path("autoscaling")(monkeypatch)
    autoscaled = edited(added("trial", tpu="v6e", topology="4x4", count={"min": 0, "max": 1}, zone="us-east5-b"))
    stack = engine.stack("prod")
    assert stack.up(program(autoscaled)).error == ""
    assert "501" in stack.up(program(edited(group("trial", count=1), autoscaled))).error


@pytest.mark.parametrize(
    "edit",
    [
        lambda placement: placement.update(type="COMPACT"),
        lambda placement: placement.pop("tpuTopology"),
    ],
    ids=["type", "topology"],
)
def test_a_slice_bound_to_its_policy_otherwise(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, edit: Callable[[dict[str, Any]], object]
) -> None:
    def change(written: dict[str, Any]) -> None:
        if written.get("placementPolicy", {}).get("policyName"):
            edit(written["placementPolicy"])

    properties(change)(monkeypatch)
    stack, plan = engine.stack("ironwood"), program(shipped_plan("ironwood"), "ironwood")
    assert stack.up(plan).error == ""
    assert stack.refresh().error == ""
    settled = stack.preview(plan)
    assert settled.error or settled.ops() != {}
