"""What the stand-in refuses, and when: at preview, in the provider, or in the API; as the real ones do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pytest
from support.engine.engine_cloud import started
from support.engine.pulumi_cli import PulumiCli
from support.engine.stack_run import EngineStack, Program
from support.replayed import merged

POOL: dict[str, Any] = {
    "cluster": "base",
    "location": "us-west4",
    "node_locations": ["us-west4-a"],
    "node_config": {"machine_type": "ct5lp-hightpu-4t"},
}
SLICE = merged(POOL, {"placement_policy": {"type": "COMPACT", "tpu_topology": "4x4"}})
CLUSTER: dict[str, Any] = {"location": "us-west4", "initial_node_count": 1, "deletion_protection": False}
AUTOPILOT: dict[str, Any] = {"location": "us-west4", "enable_autopilot": True, "deletion_protection": False}
WINDOW = {"daily_maintenance_window": {"start_time": "03:00"}}
EXCLUSION = {"exclusion_name": "a", "start_time": "2026-12-01T00:00:00Z", "end_time": "2026-12-02T00:00:00Z"}


@dataclass(frozen=True)
class Refusal:
    """A resource that is refused: its inputs are ``base`` updated with ``wrong``."""

    what: str
    kind: Any
    base: dict[str, Any]
    wrong: dict[str, Any]
    reason: str

    def __str__(self) -> str:
        return self.what


def exclusions(count: int, **values: Any) -> dict[str, Any]:
    items = [{**EXCLUSION, "exclusion_name": f"e{number}", **values} for number in range(count)]
    return {"maintenance_policy": {**WINDOW, "maintenance_exclusions": items}}


NodePool, Cluster = gcp.container.NodePool, gcp.container.Cluster

AT_PREVIEW = (
    Refusal("unknown key", NodePool, POOL, {"node_config": {"nodeColor": "red"}}, "unknown key"),
    Refusal("location policy", NodePool, POOL, {"autoscaling": {"location_policy": "SOME"}}, "one of"),
    Refusal("negative count", NodePool, POOL, {"node_count": -1}, "at least"),
    Refusal("small disk", NodePool, POOL, {"node_config": {"disk_size_gb": 9}}, "at least"),
    Refusal("no placement type", NodePool, POOL, {"placement_policy": {"tpuTopology": "4x4"}}, "Missing"),
    Refusal("taint", NodePool, POOL, {"node_config": {"taints": [{"key": "a", "effect": "NO"}]}}, "Missing"),
    Refusal("long cluster name", Cluster, CLUSTER, {"name": "c" * 41}, "invalid value"),
    Refusal("upper case", Cluster, CLUSTER, {"name": "Base"}, "invalid value"),
    Refusal("channel", Cluster, CLUSTER, {"release_channel": {"channel": "SLOW"}}, "one of"),
    Refusal(
        "two windows",
        gcp.container.Cluster,
        CLUSTER,
        {
            "maintenance_policy": {
                **WINDOW,
                "recurring_window": {
                    "start_time": "2026-01-03T00:00:00Z",
                    "end_time": "2026-01-03T06:00:00Z",
                    "recurrence": "FREQ=DAILY",
                },
            }
        },
        "only one",
    ),
    Refusal(
        "exclusion alone",
        gcp.container.Cluster,
        CLUSTER,
        {"maintenance_policy": {"maintenance_exclusions": [EXCLUSION]}},
        "only one",
    ),
    Refusal("many exclusions", Cluster, CLUSTER, exclusions(21), "No more than 20"),
    Refusal("scope", Cluster, CLUSTER, exclusions(1, exclusion_options={"scope": "NONE"}), "one of"),
    Refusal(
        "autopilot without default pool",
        gcp.container.Cluster,
        AUTOPILOT,
        {"remove_default_node_pool": True},
        "Conflicting",
    ),
    Refusal("autopilot shielded", Cluster, AUTOPILOT, {"enable_shielded_nodes": True}, "Conflicting"),
    Refusal("account id", gcp.serviceaccount.Account, {}, {"account_id": "abc"}, "invalid value"),
    Refusal("network name", gcp.compute.Network, {}, {"name": "My_Network"}, "invalid value"),
    Refusal(
        "policy type",
        gcp.compute.ResourcePolicy,
        {"region": "us-west4"},
        {"workload_policy": {"type": "FAST"}},
        "one of",
    ),
)

AT_UPDATE = (
    Refusal("two counts", NodePool, POOL, {"node_count": 1, "initial_node_count": 1}, "Cannot set both"),
    Refusal("long pool name", NodePool, POOL, {"name": "p" * 41}, "node_pool.name"),
    Refusal("upper case pool", NodePool, POOL, {"name": "Pool"}, "node_pool.name"),
    Refusal(
        "malformed topology",
        gcp.container.NodePool,
        SLICE,
        {"placement_policy": {"tpu_topology": "4by4"}},
        "is not valid for machine type",
    ),
    Refusal(
        "topology on one host",
        gcp.container.NodePool,
        SLICE,
        {"placement_policy": {"tpu_topology": "2x2"}},
        "single-host",
    ),
    Refusal("total limits", NodePool, SLICE, {"autoscaling": {"total_max_node_count": 4}}, "Total node counts"),
    Refusal("maximum", NodePool, SLICE, {"autoscaling": {"max_node_count": 8}}, "not a valid size"),
    Refusal("wrong size", NodePool, SLICE, {"node_count": 3}, "error state"),
    Refusal("machine type", NodePool, POOL, {"node_config": {"machine_type": "tpu-v9"}}, "Invalid machine type"),
    Refusal("policy", NodePool, SLICE, {"placement_policy": {"policy_name": "none"}}, "was not found"),
    Refusal("no auto-upgrade", NodePool, POOL, {"management": {"auto_upgrade": False}}, "Auto_upgrade"),
    Refusal("queued", NodePool, POOL, {"queued_provisioning": {"enabled": True}}, "Queued_provisioning"),
    Refusal("pool on autopilot", NodePool, POOL, {"cluster": "auto"}, "Autopilot"),
    Refusal("no size", Cluster, {"location": "us-west4"}, {}, "initial_node_count"),
    Refusal(
        "zone of the cluster",
        gcp.container.Cluster,
        CLUSTER,
        {"location": "us-west4-a", "node_locations": ["us-west4-a"]},
        "original zone",
    ),
)


@pytest.fixture(scope="module")
def shared(cli: PulumiCli, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineStack]:
    """One stack for all: what was refused left nothing, and what was left is taken away by the next program."""
    with started(cli, tmp_path_factory.mktemp("refusals")) as engine:
        yield engine.stack("refusals")


def program(case: Refusal) -> Program:
    """The resource in question after the clusters that pools are put into."""

    def run() -> None:
        around = [
            gcp.container.Cluster(name, name=name, **sizes) for name, sizes in (("base", CLUSTER), ("auto", AUTOPILOT))
        ]
        case.kind(
            case.what.replace(" ", "-"), **merged(case.base, case.wrong), opts=pulumi.ResourceOptions(depends_on=around)
        )

    return run


@pytest.mark.parametrize("case", AT_PREVIEW, ids=str)
def test_refused_at_preview(shared: EngineStack, case: Refusal) -> None:
    assert case.reason in shared.preview(program(case)).error


@pytest.mark.parametrize("case", AT_UPDATE, ids=str)
def test_refused_in_the_update(shared: EngineStack, case: Refusal) -> None:
    assert shared.preview(program(case)).error == ""
    assert case.reason in shared.up(program(case)).error
