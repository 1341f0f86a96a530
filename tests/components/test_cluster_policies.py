"""Workload policies of a cluster: what they send, and node pools that refer to them."""

from typing import Any

import pytest
from support.plans import CLUSTER, NODE_POOL, POLICY, fleet
from support.recording import Recording

PLAN = """
clusters:
  iron:
    mode: standard
    location: us-central1
    workload_policies:
      cubes: {topology: 4x4x4}
      sliced: {topology: 4x4x4, topology_mode: provision_only}
      near: {max_topology_distance: subblock}
      apart: {type: high_availability}
    slices:
      one: {tpu: tpu7x, topology: 4x4x4, count: 2, zone: us-central1-c, placement: {workload_policy: cubes}}
      two: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: cubes}}
      other: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, placement: {workload_policy: somewhere}}
      own: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c}
"""
SENT = {
    "cubes": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4"},
    "sliced": {
        "type": "HIGH_THROUGHPUT",
        "acceleratorTopology": "4x4x4",
        "acceleratorTopologyMode": "PROVISION_ONLY",
    },
    "near": {"type": "HIGH_THROUGHPUT", "maxTopologyDistance": "SUBBLOCK"},
    "apart": {"type": "HIGH_AVAILABILITY"},
}


@pytest.fixture(scope="module")
def recording() -> Recording:
    return fleet(PLAN)


def placement(recording: Recording, pool: str) -> Any:
    return recording.one(NODE_POOL, f"iron/{pool}").inputs["placementPolicy"]


@pytest.mark.parametrize("name", SENT)
def test_a_policy_has_its_key_as_name_and_its_settings(recording: Recording, name: str) -> None:
    policy = recording.one(POLICY, f"iron/workload_policies/{name}")
    assert policy.inputs == {
        "name": name,
        "project": "acme-ml",
        "region": "us-central1",
        "workloadPolicy": SENT[name],
    }
    assert policy.request.parent.endswith("StandardCluster::iron")


@pytest.mark.parametrize("pool", ["one/one-0", "one/one-1", "two/two-0"])
def test_node_pools_of_several_groups_refer_to_one_policy(recording: Recording, pool: str) -> None:
    assert placement(recording, pool) == {"type": "", "policyName": "cubes", "tpuTopology": "4x4x4"}
    sources = recording.one(NODE_POOL, f"iron/{pool}").request.propertyDependencies["placementPolicy"].urns
    assert list(sources) == [recording.one(POLICY, "iron/workload_policies/cubes").urn]


def test_a_name_that_the_cluster_does_not_create_is_an_existing_policy(recording: Recording) -> None:
    assert placement(recording, "other/other-0")["policyName"] == "somewhere"
    assert not recording.one(NODE_POOL, "iron/other/other-0").request.propertyDependencies["placementPolicy"].urns


def test_a_group_that_names_no_policy_still_gets_its_own(recording: Recording) -> None:
    assert {item.name for item in recording.of_type(POLICY)} == {
        "iron/own",
        *(f"iron/workload_policies/{name}" for name in SENT),
    }


def test_policies_for_auto_provisioned_nodes_need_no_slice_group() -> None:
    for mode in ("autopilot", "standard"):
        policies = "workload_policies: {cubes: {topology: 4x4x4}}"
        found = fleet(f"clusters: {{c: {{mode: {mode}, location: us-central1, {policies}}}}}")
        assert [item.inputs["name"] for item in found.of_type(POLICY)] == ["cubes"]
        assert found.one(CLUSTER)


def test_an_existing_cluster_gets_policies_but_no_cluster_resource() -> None:
    plan = PLAN.replace(
        "    location: us-central1\n",
        "    existing: projects/acme-ml/locations/us-central1-c/clusters/iron\n    node_service_account: create\n",
    )
    found = fleet(plan)
    assert found.one(POLICY, "iron/workload_policies/cubes").inputs["region"] == "us-central1"
    assert not found.of_type(CLUSTER)
    assert placement(found, "one/one-0")["policyName"] == "cubes"


def test_a_renamed_cluster_keeps_its_policies() -> None:
    moved = PLAN.replace("  iron:", "  steel:") + "moved: [{from: iron, to: steel}]\n"
    found = fleet(moved)
    assert "iron/workload_policies/cubes" in found.one(POLICY, "steel/workload_policies/cubes").former_names
