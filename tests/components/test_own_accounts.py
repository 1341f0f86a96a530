"""Service accounts of groups, CPU pools and auto-provisioned nodes: least roles, created before the nodes."""

from typing import Any

import pytest
import yaml
from support.plans import ACCOUNT, CLUSTER, MEMBER, NODE_POOL, fleet
from support.recording import UNKNOWN, Recording, record

from pulumi_gke_tpu import TpuSlices

PLAN = """
clusters:
  east:
    mode: standard
    location: us-east5
    autoprovisioning: {cpu: 1000, memory_gib: 4000, node_service_account: create}
    cpu_pools:
      head: {machine_type: n2-standard-64, max_nodes: 1, node_service_account: create}
      other: {machine_type: n2-standard-64, max_nodes: 1}
    slices:
      main: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b, node_service_account: create}
      plain: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
OWNERS = {"east/main": ["east/main/main-0", "east/main/main-1"], "east/cpu_pools/head": ["east/cpu_pools/head"]}

PROVISIONED = "east/autoprovisioning"


@pytest.fixture(scope="module")
def recording() -> Recording:
    return fleet(PLAN)


def test_each_gets_an_account_of_its_own(recording: Recording) -> None:
    assert {item.name for item in recording.of_type(ACCOUNT)} == {"east", PROVISIONED, *OWNERS}
    ids = [item.inputs["accountId"] for item in recording.of_type(ACCOUNT)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("owner", [PROVISIONED, *OWNERS])
def test_it_has_the_roles_of_the_account_of_the_cluster(recording: Recording, owner: str) -> None:
    def roles(name: str) -> set[str]:
        return {item.inputs["role"] for item in recording.of_type(MEMBER) if item.name.startswith(f"{name}/roles/")}

    assert roles(owner) == roles("east") != set()


@pytest.mark.parametrize(("owner", "pools"), OWNERS.items())
def test_its_nodes_start_after_the_grants(recording: Recording, owner: str, pools: list[str]) -> None:
    account = recording.one(ACCOUNT, owner)
    grants = {item.urn for item in recording.of_type(MEMBER) if item.name.startswith(f"{owner}/roles/")}
    for name in pools:
        pool = recording.one(NODE_POOL, name)
        assert pool.inputs["nodeConfig"]["serviceAccount"] == UNKNOWN
        assert {account.urn, *grants} <= set(pool.request.dependencies)


def test_the_cluster_provisions_nodes_after_the_grants_of_their_account(recording: Recording) -> None:
    account, cluster = recording.one(ACCOUNT, PROVISIONED), recording.one(CLUSTER)
    grants = {item.urn for item in recording.of_type(MEMBER) if item.name.startswith(f"{PROVISIONED}/roles/")}
    assert cluster.inputs["clusterAutoscaling"]["autoProvisioningDefaults"]["serviceAccount"] == UNKNOWN
    assert {account.urn, *grants} <= set(cluster.request.dependencies)
    assert list(cluster.request.propertyDependencies["clusterAutoscaling"].urns) == [account.urn]


def test_without_its_own_account_auto_provisioning_uses_that_of_the_cluster() -> None:
    plan = yaml.safe_load(PLAN)
    del plan["clusters"]["east"]["autoprovisioning"]["node_service_account"]
    recording = fleet(yaml.safe_dump(plan))
    assert {item.name for item in recording.of_type(ACCOUNT)} == {"east", *OWNERS}
    urns = recording.one(CLUSTER).request.propertyDependencies["clusterAutoscaling"].urns
    assert list(urns) == [recording.one(ACCOUNT, "east").urn]


def test_other_node_pools_keep_the_account_of_the_cluster(recording: Recording) -> None:
    account = recording.one(ACCOUNT, "east")
    for name in ("east/plain/plain-0", "east/cpu_pools/other", "east/system"):
        dependencies = recording.one(NODE_POOL, name).request.propertyDependencies["nodeConfig"].urns
        assert list(dependencies) == [account.urn]


def test_the_account_of_a_group_belongs_to_its_component(recording: Recording) -> None:
    assert recording.one(ACCOUNT, "east/main").request.parent.endswith("TpuSlices::east/main")
    assert recording.one(ACCOUNT, "east/cpu_pools/head").request.parent.endswith("StandardCluster::east")


def test_renames_keep_the_account() -> None:
    plan = yaml.safe_load(PLAN)
    slices = plan["clusters"]["east"]["slices"]
    slices["train"] = slices.pop("main")
    plan["clusters"]["west"] = {**plan["clusters"].pop("east")}
    plan["moved"] = [{"from": "east", "to": "west"}, {"from": "east/main", "to": "west/train"}]
    before, after = fleet(PLAN), fleet(yaml.safe_dump(plan))
    for old, new in (
        (PROVISIONED, "west/autoprovisioning"),
        ("east/main", "west/train"),
        ("east/cpu_pools/head", "west/cpu_pools/head"),
    ):
        was, will = before.one(ACCOUNT, old), after.one(ACCOUNT, new)
        assert was.inputs["accountId"] == will.inputs["accountId"]
        assert old in will.former_names
        assert {
            name
            for item in after.of_type(MEMBER)
            if item.name.startswith(f"{new}/roles/")
            for name in item.former_names
        } >= {item.name for item in before.of_type(MEMBER) if item.name.startswith(f"{old}/roles/")}


def test_a_given_account_waits_for_no_grant_of_the_cluster() -> None:
    plan = {
        "mode": "standard",
        "existing": "projects/acme-ml/locations/us-east5/clusters/shared",
        "node_service_account": "create",
        "cpu_pools": {
            "head": {"machine_type": "n2-standard-64", "max_nodes": 1},
            "other": {
                "machine_type": "n2-standard-64",
                "max_nodes": 1,
                "node_service_account": "other@acme-ml.iam.gserviceaccount.com",
            },
        },
    }
    recording = fleet(yaml.safe_dump({"clusters": {"c": plan}}))
    grants = {item.urn for item in recording.of_type(MEMBER)}
    waiting = {item.name: grants & set(item.request.dependencies) for item in recording.of_type(NODE_POOL)}
    assert waiting == {"c/cpu_pools/head": grants, "c/cpu_pools/other": set()}


@pytest.mark.parametrize(
    ("written", "accounts"), [({}, []), ({"node_service_account": "create"}, ["gke-train-"])], ids=str
)
def test_slices_by_themselves_can_have_an_account(written: dict[str, Any], accounts: list[str]) -> None:
    slices: Any = {
        "project": "acme-ml",
        "location": "us-east5",
        "cluster": "c",
        "zone": "us-east5-b",
        "tpu": "v6e",
        "topology": "2x2",
        **written,
    }
    recording = record(lambda: TpuSlices("east/train", slices))
    found = [item.inputs["accountId"] for item in recording.of_type(ACCOUNT)]
    assert [name[: len("gke-train-")] for name in found] == accounts
    given = recording.one(NODE_POOL).inputs["nodeConfig"].get("serviceAccount")
    assert given == (UNKNOWN if accounts else None)


def test_the_name_of_an_account_has_at_most_the_100_characters_that_google_cloud_accepts() -> None:
    """With the key of its cluster, that of a group is longer."""
    key = "a" * 100
    plan = yaml.safe_load(PLAN)
    slices = plan["clusters"]["east"]["slices"]
    slices[key] = slices.pop("main") | {"name": "main"}
    account = fleet(yaml.safe_dump(plan)).one(ACCOUNT, f"east/{key}")
    assert account.inputs["displayName"] == f"GKE nodes of east/{key}"[:100]
