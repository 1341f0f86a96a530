"""How node pools name their cluster: by its bare name. What follows for replacements."""

import copy
from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import DELETE_FIRST, EngineStack
from support.gcp_standin.identity import PROJECT
from support.gcp_standin.knowledge import CLUSTER, POOL

POOLS = {"NodePool east/system": DELETE_FIRST, "NodePool east/train/train-0": DELETE_FIRST}
Transform = Callable[[pulumi.ResourceTransformationArgs], pulumi.ResourceTransformationResult]


def plan(**cluster: Any) -> Any:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
    keys = {"mode": "standard", "location": "us-east5", "deletion_protection": False, "slices": {"train": group}}
    return {"project": PROJECT, "clusters": {"east": {**keys, **cluster}}}


def program(args: Any, *transforms: Transform) -> Callable[[], None]:
    def run() -> None:
        from pulumi_gke_tpu import TpuFleet

        TpuFleet("fleet", copy.deepcopy(args), pulumi.ResourceOptions(transformations=list(transforms)))

    return run


def started(engine: Engine, *transforms: Transform) -> EngineStack:
    stack = engine.stack("prod")
    assert stack.up(program(plan(), *transforms)).error == ""
    return stack


ELSEWHERE = {
    "location": "us-central1",
    "slices": {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-central1-b"}},
}


@pytest.mark.parametrize(
    ("change", "cluster_id"),
    [
        (ELSEWHERE, f"projects/{PROJECT}/locations/us-central1/clusters/east"),
        ({"name": "west"}, f"projects/{PROJECT}/locations/us-east5/clusters/west"),
        ({"extra": {"description": "x"}}, f"projects/{PROJECT}/locations/us-east5/clusters/east"),
    ],
    ids=["location", "name", "neither"],
)
def test_a_replaced_cluster_replaces_its_pools(engine: Engine, change: Any, cluster_id: str) -> None:
    stack, changed = started(engine), program(plan(**change))
    run = stack.up(changed)
    assert run.error == ""
    assert run.ops().items() >= {"Cluster east": DELETE_FIRST, **POOLS}.items()
    assert engine.cloud.names(CLUSTER) == [cluster_id]
    assert {name.rpartition("/nodePools/")[0] for name in engine.cloud.names(POOL)} == {cluster_id}
    assert stack.preview(changed).ops() == {}


def ignoring(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult:
    """Pools for which no difference in ``cluster`` counts, so that an id and a name in the state are the same."""
    if args.type_ == POOL:
        options = pulumi.ResourceOptions(ignore_changes=["cluster"])
        return pulumi.ResourceTransformationResult(args.props, pulumi.ResourceOptions.merge(args.opts, options))
    return pulumi.ResourceTransformationResult(args.props, args.opts)


def test_ignoring_the_difference_would_lose_the_pools_of_a_replaced_cluster(engine: Engine) -> None:
    """Why name and id are not made equal that way: the pools would be gone in GKE, and Pulumi would not create them."""
    stack = started(engine, ignoring)
    replaced = program(plan(extra={"description": "x"}), ignoring)
    assert stack.up(replaced).ops() == {"Cluster east": DELETE_FIRST}
    assert engine.cloud.names(POOL) == []
    assert stack.preview(replaced).ops() == {}


def test_slices_of_a_cluster_that_turns_out_to_be_elsewhere_are_refused_before_a_pool_is_created(
    engine: Engine,
) -> None:
    """The id is known only when the cluster exists; the next preview refuses it as well."""

    def slices() -> None:
        from pulumi_gke_tpu import TpuSlices

        cluster = gcp.container.Cluster("c", name="c", project=PROJECT, location="us-central1", initial_node_count=1)
        group: Any = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
        TpuSlices("c/train", {"project": PROJECT, "location": "us-east5", "cluster": cluster.id, **group})

    stack = engine.stack("elsewhere")
    for run in (stack.up(slices), stack.preview(slices)):
        assert "TPU215 location: cluster `c` is in `us-central1`, not in `us-east5`" in run.error
        assert "Traceback" not in run.error
    assert engine.cloud.names(POOL) == []
