"""Changes outside of Pulumi, and the reaction of the engine: the observed cases, and no drift of our pools."""

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.engine.engine_cloud import Engine
from support.engine.stack_run import DELETE_FIRST, EngineStack, Program
from support.gcp_standin.cloud import Cloud

LABELS = {"labels": {"team": "ml"}}
RESOURCE_LABELS = {"resource_labels": {"team": "ml"}}
SERVER_LABELS = {"cloud.google.com/gke-tpu-topology": "4x4"}


def pool(options: pulumi.ResourceOptions | None = None, node_config: Any = None, **inputs: Any) -> Program:
    """A cluster with one v5e pool."""

    def run() -> None:
        cluster = gcp.container.Cluster("c", name="c", initial_node_count=1, deletion_protection=False)
        config = {"machine_type": "ct5lp-hightpu-4t", **(node_config or {})}
        gcp.container.NodePool(
            "np",
            name="np",
            cluster=cluster.id,
            node_locations=["us-west4-a"],
            node_config=config,
            opts=options,
            **inputs,
        )

    return run


def started(engine: Engine, program: Program) -> EngineStack:
    engine.cloud.knobs.added = ()  # these programs ignore nothing
    stack = engine.stack("drift")
    assert stack.up(program).error == ""
    return stack


def labelled(kind: str, labels: dict[str, str]) -> Callable[[Cloud], None]:
    return lambda cloud: cloud.pool("np").state["nodeConfig"][kind].update(labels)


def deleted(cloud: Cloud) -> None:
    cloud.delete("np", cloud.pool("np").id)


AUTOSCALED = {"autoscaling": {"min_node_count": 0, "max_node_count": 4}}
CASES: list[tuple[str, Program, Callable[[Cloud], None], dict[str, str]]] = [
    ("autoscaled pool grew", pool(**AUTOSCALED), lambda cloud: cloud.resize("np", 4), {}),
    ("initial count only", pool(initial_node_count=1), lambda cloud: cloud.resize("np", 2), {}),
    ("server label, no own labels", pool(node_count=1), labelled("labels", SERVER_LABELS), {}),
    ("label of GKE's own", pool(node_count=1), labelled("resourceLabels", {"goog-gke-x": "y"}), {}),
    ("fixed count", pool(node_count=1), lambda cloud: cloud.resize("np", 2), {"NodePool np": "update"}),
    (
        "server label beside own",
        pool(node_count=1, node_config=LABELS),
        labelled("labels", SERVER_LABELS),
        {"NodePool np": "update"},
    ),
    (
        "other resource label",
        pool(node_count=1, node_config=RESOURCE_LABELS),
        labelled("resourceLabels", {"cost": "x"}),
        {"NodePool np": "update"},
    ),
    ("deleted", pool(node_count=1), deleted, {"NodePool np": "create"}),
]


@pytest.mark.parametrize(("program", "happens", "ops"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_drift(engine: Engine, program: Program, happens: Callable[[Cloud], None], ops: dict[str, str]) -> None:
    stack = started(engine, program)
    happens(engine.cloud)
    assert stack.refresh().error == ""
    assert stack.preview(program).ops() == ops


SLICE: dict[str, Any] = {"placement_policy": {"type": "COMPACT", "tpu_topology": "4x4"}, "node_count": 4}


def test_a_missing_host_of_a_plain_static_slice_cannot_be_asked_for(engine: Engine) -> None:
    """Why static slices make the provider ignore the count."""
    stack = started(engine, pool(**SLICE))
    engine.cloud.kill_host("np")
    run = stack.up(pool(**SLICE), refresh=True)
    assert "501" in run.error
    assert stack.preview(pool(**SLICE)).ops() == {"NodePool np": "update"}


def test_a_plain_slice_stays_at_nothing_once_it_is_static(engine: Engine) -> None:
    """Why an autoscaled slice that becomes static is replaced."""
    autoscaled = {"placement_policy": SLICE["placement_policy"], **AUTOSCALED}
    stack = started(engine, pool(**autoscaled))
    for _ in range(2):
        assert "501" in stack.up(pool(**SLICE)).error
        assert engine.cloud.pool("np").hosts == 0


@pytest.mark.parametrize(
    ("placement", "ops"),
    [
        ({"type": "", "tpu_topology": "2x2x2"}, {}),
        ({"type": ""}, {"NodePool np": DELETE_FIRST}),
        ({"type": "COMPACT", "tpu_topology": "2x2x2"}, {"NodePool np": "update"}),
    ],
    ids=["as ours", "policy name only", "with a type"],
)
def test_slices_bound_to_a_policy(engine: Engine, placement: dict[str, str], ops: dict[str, str]) -> None:
    """Why ours send an empty type and the topology."""
    options = pulumi.ResourceOptions(replace_on_changes=["placementPolicy.tpuTopology"], delete_before_replace=True)

    def program() -> None:
        policy = gcp.compute.ResourcePolicy(
            "wp", name="wp", workload_policy={"type": "HIGH_THROUGHPUT", "accelerator_topology": "2x2x2"}
        )
        pool(
            options,
            {"machine_type": "tpu7x-standard-4t"},
            node_count=2,
            placement_policy={**placement, "policy_name": policy.name},
        )()

    stack = started(engine, program)
    assert stack.refresh().error == ""
    assert stack.preview(program).ops() == ops
