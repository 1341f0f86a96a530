"""A cluster that the plan creates becomes an existing one, and the reverse: what the engine does, and what is safe."""

import copy
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
import yaml
from support import plan_edits
from support.engine.engine_cloud import Engine
from support.engine.stack_run import DELETE_FIRST, EngineStack, Run
from support.gcp_standin.knowledge import ACCOUNT, CLUSTER, POOL
from support.shipped import program

from pulumi_gke_tpu.features.diff.model import ItemChange

REFERENCE = "projects/acme-ml/locations/us-east5/clusters/east"
EMAIL = "gke-east-ad54bf19@acme-ml.iam.gserviceaccount.com"
"""The account that gke-tpu creates for the cluster."""
TRAIN, SYSTEM = f"{REFERENCE}/nodePools/train-0", f"{REFERENCE}/nodePools/system"
OF_THE_CLUSTER = (
    "Account east",
    "Cluster east",
    "IAMMember east/roles/artifactregistry.reader",
    "IAMMember east/roles/container.defaultNodeServiceAccount",
    "NodePool east/system",
)
SLICE = "NodePool east/train/train-0"


def plan(**keys: Any) -> Any:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    return {"project": "acme-ml", "clusters": {"east": {"mode": "standard", "slices": {"train": group}, **keys}}}


CREATED = plan(location="us-east5")
UNPROTECTED = plan(location="us-east5", deletion_protection=False)
EXISTING = plan(existing=REFERENCE, node_service_account=EMAIL)
ELSEWHERE = plan(existing=f"{REFERENCE}-2", node_service_account=EMAIL)


def retaining(args: Any) -> Callable[[], None]:
    """The plan in a program that keeps in the cloud what leaves the program."""

    def run() -> None:
        from pulumi_gke_tpu import TpuFleet

        TpuFleet("prod", copy.deepcopy(args), pulumi.ResourceOptions(retain_on_delete=True))

    return run


def brought_up(engine: Engine, args: Any) -> EngineStack:
    engine.cloud.provide(args)
    stack = engine.stack("prod")
    assert stack.up(program(args)).error == ""
    engine.cloud.requests.clear()
    return stack


def requests(engine: Engine) -> list[str]:
    return [request.what for request in engine.cloud.requests]


def items(before: Any, after: Any) -> dict[str, ItemChange]:
    """What ``gke-tpu diff`` reports."""
    return plan_edits.items(*(yaml.safe_dump({"version": 1, **args}) for args in (before, after)))


def assert_settled(run: Run) -> None:
    assert (run.error, run.ops()) == ("", {})


def test_the_cluster_is_deleted_with_the_slices_that_the_preview_shows_as_unchanged(engine: Engine) -> None:
    stack = brought_up(engine, UNPROTECTED)
    run = stack.preview(program(EXISTING))
    assert run.ops() == dict.fromkeys(OF_THE_CLUSTER, "delete")
    assert stack.up(program(EXISTING)).error == ""
    assert (engine.cloud.names(CLUSTER), engine.cloud.names(POOL)) == ([], [])
    found = items(UNPROTECTED, EXISTING)
    assert {name: item.change for name, item in found.items()} == {"east": "delete", "east/train": "delete"}
    assert found["east/train"].hosts_gone.maximum == 4
    assert {change.name for change in found["east"].resources} == {name.partition(" ")[2] for name in OF_THE_CLUSTER}


def test_deletion_protection_stops_the_update_after_the_system_pool_is_deleted(engine: Engine) -> None:
    stack = brought_up(engine, CREATED)
    run = stack.up(program(EXISTING))
    assert "deletion_protection" in run.error
    assert (engine.cloud.names(CLUSTER), engine.cloud.names(POOL)) == ([REFERENCE], [TRAIN])
    assert requests(engine) == ["DELETE NodePool"]
    refused = items(CREATED, EXISTING)["east"].refused
    assert refused.startswith("`pulumi up` will fail at the deletion protection of the cluster, after it has deleted")


def test_a_state_that_retains_the_cluster_hands_it_over_without_a_request(engine: Engine) -> None:
    """The way that TPU966 and the report name."""
    stack = brought_up(engine, CREATED)
    assert_settled(stack.up(retaining(CREATED)))
    run = stack.up(program(EXISTING))
    assert (run.error, run.ops()) == ("", dict.fromkeys(OF_THE_CLUSTER, "delete"))
    assert requests(engine) == []
    assert engine.cloud.names(POOL) == [SYSTEM, TRAIN]
    assert_settled(stack.up(program(EXISTING)))
    assert [urn.rpartition("::")[2] for urn in stack.state()] == ["east/train/train-0"]
    assert "retain_on_delete=True" in items(CREATED, EXISTING)["east"].consequence
    # From now on, the stack takes only its slices with it.
    assert stack.destroy().error == ""
    assert (engine.cloud.names(CLUSTER), engine.cloud.names(POOL)) == ([REFERENCE], [SYSTEM])
    assert len(engine.cloud.names(ACCOUNT)) == 1


def test_another_account_replaces_the_slices_before_the_cluster_is_deleted(engine: Engine) -> None:
    stack = brought_up(engine, UNPROTECTED)
    run = stack.preview(program(plan(existing=REFERENCE, node_service_account="create")))
    assert run.ops()[SLICE] == DELETE_FIRST
    assert run.ops()["Account east"] == DELETE_FIRST


def test_slices_move_to_another_existing_cluster_before_their_own_is_deleted(engine: Engine) -> None:
    engine.cloud.provide(ELSEWHERE)
    stack = brought_up(engine, UNPROTECTED)
    run = stack.up(program(ELSEWHERE))
    assert (run.error, run.ops()) == ("", dict.fromkeys(OF_THE_CLUSTER, "delete") | {SLICE: DELETE_FIRST})
    assert engine.cloud.names(CLUSTER) == [f"{REFERENCE}-2"]
    assert engine.cloud.names(POOL) == [f"{REFERENCE}-2/nodePools/train-0"]
    found = items(UNPROTECTED, ELSEWHERE)
    assert {name: item.change for name, item in found.items()} == {"east": "delete", "east/train": "replace"}


def test_a_cluster_that_exists_cannot_be_created_and_the_slices_stay(engine: Engine) -> None:
    stack = brought_up(engine, EXISTING)
    run = stack.up(program(CREATED))
    assert "already exists" in run.error
    assert engine.cloud.names(POOL) == [TRAIN]
    assert items(EXISTING, CREATED)["east"].refused.startswith("`pulumi up` will fail: the cluster exists already")


def test_a_second_cluster_replaces_the_slices(engine: Engine) -> None:
    second = plan(location="us-east5", name="east-2")
    stack = brought_up(engine, EXISTING)
    run = stack.up(program(second))
    assert (run.error, run.ops()[SLICE], run.ops()["Cluster east"]) == ("", DELETE_FIRST, "create")
    assert engine.cloud.names(CLUSTER) == [REFERENCE, f"{REFERENCE}-2"]
    found = items(EXISTING, second)
    assert {name: item.change for name, item in found.items()} == {"east": "create", "east/train": "replace"}


@pytest.mark.parametrize("protected", [True, False])
def test_another_reference_replaces_the_slices(engine: Engine, protected: bool) -> None:
    before, after = copy.deepcopy(EXISTING), copy.deepcopy(ELSEWHERE)
    for args in (before, after):
        args["clusters"]["east"]["slices"]["train"]["protect"] = protected
    engine.cloud.provide(after)
    stack = brought_up(engine, before)
    run = stack.preview(program(after))
    item = items(before, after)["east/train"]
    assert item.change == "replace"
    assert bool(item.refused) == protected == ("`protect` flag" in run.error)
    assert protected or run.ops() == {SLICE: DELETE_FIRST}


def test_facts_about_the_cluster_change_nothing(engine: Engine) -> None:
    stack = brought_up(engine, EXISTING)
    stated = plan(
        existing=REFERENCE,
        location="us-east5",
        name="east",
        version="1.34",
        release_channel="stable",
        network={"network": "shared", "subnetwork": "tpu"},
        security={"dataplane_v2": True},
        node_service_account=EMAIL,
    )
    assert_settled(stack.up(program(stated)))
    assert requests(engine) == []
    assert items(EXISTING, stated) == {}
