"""The three plans of the format's description: without findings, and what exists when they are applied."""

import datetime
import pathlib
from typing import Any

import pytest

from pulumi_gke_tpu import load_plan
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Fleet, Range, derive
from pulumi_gke_tpu.core.plan import read_inventory, read_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.workflows.check import check_documents
from pulumi_gke_tpu.preview import Graph, preview_plan

DATA = pathlib.Path(__file__).parent / "data"
TODAY = datetime.date(2026, 11, 20)
NODE_POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"


def fleet_of(name: str) -> Fleet:
    document = read_plan(DATA / f"{name}.yaml")
    assert document.content is not None
    return derive(document.content, read_catalog(), TODAY)


@pytest.fixture(scope="module")
def fuller() -> Graph:
    return preview_plan(load_plan(DATA / "fuller.yaml", today=TODAY))


def inputs(graph: Graph, type_token: str, name: str) -> Any:
    (found,) = (resource for resource in graph.of_type(type_token) if resource.name == name)
    return found.inputs


@pytest.mark.parametrize("names", [["minimal"], ["fuller"], ["minimal", "fuller"]])
@pytest.mark.parametrize("inventory", [None, DATA / "inventory.yaml"])
def test_they_have_no_findings(names: list[str], inventory: pathlib.Path | None) -> None:
    plans = [read_plan(DATA / f"{name}.yaml") for name in names]
    checked = check_documents(plans, inventory and read_inventory(inventory), read_catalog(), TODAY)
    assert checked.findings == ()


def test_the_inventory_is_read() -> None:
    document = read_inventory(DATA / "inventory.yaml")
    assert document.findings == ()
    owned = document.content
    assert isinstance(owned, Inventory)
    (reservation,), (quota,) = owned.reservations, owned.quotas
    assert (reservation.name, reservation.zone, reservation.vms, reservation.workload) == (
        "v6e-pretrain",
        "us-east5-b",
        128,
        "batch",
    )
    assert (quota.metric, quota.family, quota.limit) == ("tpus_per_tpu_family", "CT6E", 512)
    assert owned.gke_versions == {"us-east5": {"regular": ["1.34.4-gke.1047000"]}}


def test_the_minimal_plan_is_a_cluster_and_a_selector() -> None:
    graph = preview_plan(load_plan(DATA / "minimal.yaml", today=TODAY))
    cluster = inputs(graph, CLUSTER, "dev")
    assert (cluster["enableAutopilot"], cluster["location"], cluster["releaseChannel"]) == (
        True,
        "us-central1",
        {"channel": "REGULAR"},
    )
    assert list(graph.of_type(NODE_POOL)) == []
    (group,) = fleet_of("minimal").clusters[0].groups
    assert (group.chips, group.hosts, group.shape.machine_type) == (Range(4, 4), Range(1, 1), "ct5lp-hightpu-4t")
    assert group.node_selector == {
        "cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice",
        "cloud.google.com/gke-tpu-topology": "2x2",
    }


def test_the_fuller_plan_has_these_pools(fuller: Graph) -> None:
    assert [pool.name for pool in fuller.of_type(NODE_POOL)] == [
        "train-east/system",
        "train-east/pretrain/pretrain-0",
        "train-east/pretrain/pretrain-1",
        "train-east/serve/serve",
        "train-east/sweep/sweep",
    ]


@pytest.mark.parametrize("index", [0, 1])
def test_pretrain_is_two_reserved_slices_of_64_hosts(fuller: Graph, index: int) -> None:
    pool = inputs(fuller, NODE_POOL, f"train-east/pretrain/pretrain-{index}")
    assert (pool["nodeCount"], pool["nodeConfig"]["machineType"]) == (64, "ct6e-standard-4t")
    assert pool["placementPolicy"] == {"type": "COMPACT", "tpuTopology": "16x16"}
    assert pool["nodeConfig"]["reservationAffinity"]["values"] == ["v6e-pretrain"]
    assert pool["nodeConfig"]["bootDisk"] == {"diskType": "hyperdisk-balanced", "sizeGb": 200}
    (registered,) = (item for item in fuller.resources if item.name == f"train-east/pretrain/pretrain-{index}")
    assert registered.options.protect is True


def test_sweep_is_up_to_eight_hosts_of_eight_chips_on_spot(fuller: Graph) -> None:
    pool = inputs(fuller, NODE_POOL, "train-east/sweep/sweep")
    assert pool["autoscaling"] == {"totalMinNodeCount": 0, "totalMaxNodeCount": 8, "locationPolicy": "ANY"}
    assert (pool["nodeConfig"]["machineType"], pool["nodeConfig"]["spot"]) == ("ct6e-standard-8t", True)
    assert "placementPolicy" not in pool


def test_serve_is_a_collection_of_two_to_six_hosts(fuller: Graph) -> None:
    pool = inputs(fuller, NODE_POOL, "train-east/serve/serve")
    assert pool["autoscaling"] == {"totalMinNodeCount": 2, "totalMaxNodeCount": 6, "locationPolicy": "ANY"}
    assert pool["initialNodeCount"] == 2
    assert pool["nodeConfig"]["machineType"] == "ct6e-standard-4t"
    assert pool["nodeConfig"]["labels"] == {
        "cloud.google.com/gke-nodepool-group-name": "chat",
        "cloud.google.com/gke-workload-type": "HIGH_AVAILABILITY",
    }


def test_the_cluster_of_the_fuller_plan(fuller: Graph) -> None:
    cluster = inputs(fuller, CLUSTER, "train-east")
    assert cluster["maintenancePolicy"] == {
        "recurringWindow": {
            "startTime": "2026-01-03T02:00:00Z",
            "endTime": "2026-01-03T08:00:00Z",
            "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU",
        },
        "maintenanceExclusions": [
            {
                "exclusionName": "frontier-run",
                "startTime": "2026-12-01T00:00:00Z",
                "endTime": "2026-12-20T00:00:00Z",
                "exclusionOptions": {"scope": "NO_MINOR_OR_NODE_UPGRADES"},
            }
        ],
    }
    assert cluster["masterAuthorizedNetworksConfig"]["cidrBlocks"] == [
        {"displayName": "office", "cidrBlock": "203.0.113.0/24"}
    ]
    assert cluster["addonsConfig"]["gcsFuseCsiDriverConfig"] == {"enabled": True}
    assert cluster["addonsConfig"]["rayOperatorConfigs"] == [{"enabled": True}]
    assert cluster["resourceLabels"] == {"team": "research"}
    assert cluster["minMasterVersion"] == "1.34"
    system = inputs(fuller, NODE_POOL, "train-east/system")
    assert (system["nodeConfig"]["machineType"], system["autoscaling"]["totalMaxNodeCount"]) == ("n2-standard-4", 3)
    network = inputs(fuller, "gcp:compute/network:Network", "train-east")
    assert (network["mtu"], network["autoCreateSubnetworks"]) == (8896, False)


def test_the_fuller_plan_in_numbers() -> None:
    groups = {group.name: (group.slices, group.hosts, group.chips) for _, group in fleet_of("fuller").groups()}
    assert groups == {
        "pretrain": (Range(2, 2), Range(128, 128), Range(512, 512)),
        "sweep": (Range(0, 8), Range(0, 8), Range(0, 64)),
        "serve": (Range(2, 6), Range(2, 6), Range(8, 24)),
    }
