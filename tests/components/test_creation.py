"""Node pools whose creation failed: the updates that are rejected, and those without a hook."""

import asyncio
import contextvars
import gc
import threading
from collections.abc import Callable
from typing import Any

import pulumi
import pytest
from pulumi import resource_hooks
from pulumi.runtime import settings
from pulumi.runtime.mocks import MockMonitor
from support.plans import NODE_POOL
from support.real_outputs import Real, nested, real_resources
from support.recording import record

from pulumi_gke_tpu import StandardCluster, TpuFleet, TpuSlices
from pulumi_gke_tpu.components import creation, registration
from pulumi_gke_tpu.components.creation import hides_a_failure
from pulumi_gke_tpu.core.catalog import read_catalog

CATALOG = read_catalog()
SENT: dict[str, Any] = {
    "__defaults": [],
    "name": "train-0",
    "nodeCount": 4,
    "nodeLocations": ["us-east5-b"],
    "placementPolicy": {"type": "", "policyName": "p"},
    "nodeConfig": {"machineType": "ct6e-standard-4t", "spot": False, "labels": {"team": "ml"}},
}
"""What a program asks for."""
CLUSTER: Any = {
    "project": "acme-ml",
    "location": "us-east5",
    "slices": {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}},
}


def changed(**properties: Any) -> dict[str, Any]:
    """Other properties of the pool and, in ``node``, of its nodes; None takes one out."""
    node = {**SENT["nodeConfig"], **properties.pop("node", {})}
    pool = {**SENT, "nodeConfig": {name: value for name, value in node.items() if value is not None}, **properties}
    return {name: value for name, value in pool.items() if value is not None}


@pytest.mark.parametrize(
    "found",
    [
        SENT,
        changed(instanceGroupUrls=["u"], version="1.34", maxPodsPerNode=110),
        changed(node={"imageType": "COS_CONTAINERD", "resourceLabels": {"goog-gke-x": "y"}, "spot": None}),
        changed(node={"advancedMachineFeatures": {"threadsPerCore": 1, "enableNestedVirtualization": False}}),
        changed(placementPolicy={"policyName": "p"}),
        changed(nodeCount=4.0),
    ],
    ids=["all of it", "outputs", "what GKE adds", "threads of TPU hosts", "empty", "numbers of the wire"],
)
def test_an_update_with_nothing_to_send_hides_a_failure(found: dict[str, Any]) -> None:
    assert hides_a_failure(CATALOG, SENT, SENT, found)


@pytest.mark.parametrize(
    "found",
    [
        changed(nodeCount=3),
        changed(nodeLocations=["us-east5-a"]),
        changed(nodeLocations=["us-east5-b", "us-east5-c"]),
        changed(node={"labels": {"team": "other"}}),
        changed(node={"labels": {}}),
        changed(node={"labels": {"team": "ml", "other": "x"}}),
        changed(node={"taints": [{"key": "a", "value": "b", "effect": "NO_EXECUTE"}]}),
        changed(autoscaling={"minNodeCount": 0, "maxNodeCount": 4}),
        changed(nodeLocations={"zone": "us-east5-b"}),
        changed(placementPolicy=["p"]),
        {},
    ],
    ids=[
        "count",
        "zone",
        "zones",
        "label",
        "label gone",
        "label more",
        "taint more",
        "autoscaled",
        "a mapping in place of a list",
        "a list in place of a mapping",
        "nothing known",
    ],
)
def test_an_update_that_failed_is_tried_again(found: dict[str, Any]) -> None:
    assert not hides_a_failure(CATALOG, SENT, SENT, found)


NEVER_SENT = sorted(
    path
    for path, item in CATALOG.provider.resources[NODE_POOL].properties.items()
    if item.change in ("client-side", "create-only", "no-op") and "." not in path
)


@pytest.mark.parametrize("path", NEVER_SENT)
def test_a_property_that_is_never_sent_hides_a_failure(path: str) -> None:
    assert hides_a_failure(CATALOG, SENT, SENT, {**SENT, path: "what only the provider knows"})


@pytest.mark.parametrize("pool", real_resources(NODE_POOL), ids=str)
def test_the_real_outputs_of_a_pool_without_changes_hide_a_failure(pool: Real) -> None:
    for state in pool.states:
        assert hides_a_failure(CATALOG, pool.inputs, pool.inputs, nested(state))


@pytest.mark.parametrize("pool", real_resources(NODE_POOL), ids=str)
def test_a_label_that_the_real_outputs_lack_is_sent_again(pool: Real) -> None:
    node = {**pool.inputs["nodeConfig"], "labels": {**pool.inputs["nodeConfig"].get("labels", {}), "team": "ml"}}
    labelled = {**pool.inputs, "nodeConfig": node}
    for state in pool.states:
        assert not hides_a_failure(CATALOG, labelled, labelled, nested(state))


def test_an_update_of_the_program_is_never_refused() -> None:
    assert not hides_a_failure(CATALOG, changed(nodeCount=2), SENT, SENT)


class Answers(pulumi.runtime.Mocks):
    """Answers with the inputs of the request."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        return f"{args.name}-id", dict(args.inputs)

    def call(self, args: pulumi.runtime.MockCallArgs) -> dict[str, Any]:
        return {}


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the SDK's mocks leave their event loops open
def test_programs_under_mocks_start_no_server_for_hooks() -> None:
    seen: list[object] = []

    def test_of_somebody() -> None:
        asyncio.set_event_loop(loop)
        pulumi.runtime.set_mocks(Answers(), project="theirs", stack="test", preview=False)

        @pulumi.runtime.test
        def body() -> pulumi.Output[Any]:
            names = StandardCluster("east", CLUSTER).slices["train"].pool_names
            return names.apply(lambda names: seen.append((names, settings.SETTINGS.callbacks)))

        body()

    # Mocks are set for good in the context in which that happens.
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=contextvars.Context().run, args=(test_of_somebody,))
    thread.start()
    thread.join()
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()
    gc.collect()
    assert seen == [(["train-0"], None)]


@pytest.mark.parametrize("monitor", [None, MockMonitor(Answers())], ids=["no engine", "mocks"])
def test_hooks_that_no_engine_would_call_are_not_made(
    monkeypatch: pytest.MonkeyPatch, monitor: MockMonitor | None
) -> None:
    monkeypatch.setattr(creation, "get_monitor", lambda: monitor)
    monkeypatch.setattr(resource_hooks, "register_resource_hook", lambda hook: None)
    assert creation.creation_hooks("TpuFleet fleet", CATALOG) is None


def test_an_engine_without_hooks_gets_none() -> None:
    """A CLI from before July 2025."""
    recording = record(lambda: StandardCluster("east", CLUSTER))
    assert [list(pool.request.hooks.before_update) for pool in recording.of_type(NODE_POOL)] == [[], []]


# What the hook does


def test_the_hook_refuses_only_an_update_whose_stored_outputs_have_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creation, "_engine_calls_hooks", lambda: True)
    monkeypatch.setattr(resource_hooks, "register_resource_hook", lambda hook: None)
    binding = creation.creation_hooks("TpuFleet fleet", CATALOG)
    assert binding is not None
    (hook,) = binding.before_update or []
    assert isinstance(hook, pulumi.ResourceHook)

    def update(stored: dict[str, Any] | None) -> pulumi.ResourceHookArgs:
        return pulumi.ResourceHookArgs(
            urn="urn", id="id", name="train-0", type=NODE_POOL, new_inputs=SENT, old_inputs=SENT, old_outputs=stored
        )

    hook(update(changed(nodeCount=3)))
    hook(update(None))
    with pytest.raises(RuntimeError, match="node pool train-0 was created"):
        hook(update(SENT))


# Who registers the hook


@pytest.fixture
def owners(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The owners of the hooks that components ask for, in order."""
    asked: list[str] = []
    monkeypatch.setattr(registration, "creation_hooks", lambda owner, catalog: asked.append(owner))
    return asked


GROUP: Any = {"project": "acme-ml", "location": "us-east5", "cluster": "east", **CLUSTER["slices"]["train"]}
FLEET: Any = {"project": "acme-ml", "clusters": {"east": {"mode": "standard", **CLUSTER}}}
del FLEET["clusters"]["east"]["project"]


def fleet_of(*modes: str) -> Any:
    """A plan with one empty cluster of each mode."""
    return {"project": "acme-ml", "clusters": {mode: {"mode": mode, "location": "us-east5"} for mode in modes}}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (lambda: TpuSlices("east/train", GROUP), ["TpuSlices east/train"]),
        (lambda: TpuSlices("east/train", {**GROUP, "mode": "autopilot"}), []),
        (lambda: StandardCluster("east", CLUSTER), ["StandardCluster east"]),
        (lambda: TpuFleet("fleet", FLEET), ["TpuFleet fleet"]),
        (lambda: TpuFleet("fleet", fleet_of("standard", "autopilot")), ["TpuFleet fleet"]),
        (lambda: TpuFleet("fleet", fleet_of("autopilot")), []),
    ],
    ids=[
        "slices alone",
        "slices without node pools",
        "cluster",
        "fleet",
        "fleet with both modes",
        "fleet without node pools",
    ],
)
def test_the_outermost_component_registers_one_hook_for_all_pools(
    owners: list[str], program: Callable[[], object], expected: list[str]
) -> None:
    record(program)
    assert owners == expected
