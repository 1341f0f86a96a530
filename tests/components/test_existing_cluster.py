"""Slices in a cluster that exists already: what a plan registers, and what it leaves alone."""

from typing import Any

import pulumi
import yaml
from support.recording import UNKNOWN, record

from pulumi_gke_tpu import TpuFleet, TpuSlices

CLUSTER = "projects/acme-ml/locations/us-east5/clusters/shared"
ACCOUNT = "tpu-nodes@acme-ml.iam.gserviceaccount.com"
GROUPS: dict[str, Any] = yaml.safe_load("""
pretrain: {tpu: v6e, topology: 4x4, count: 2, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
sweep: {tpu: v6e, topology: 2x2, count: {min: 0, max: 4}, zone: us-east5-b, capacity: spot}
""")
POOL, POLICY = "gcp:container/nodePool:NodePool", "gcp:compute/resourcePolicy:ResourcePolicy"


def plan(**keys: Any) -> Any:
    cluster = {"mode": "standard", "existing": CLUSTER, "node_service_account": ACCOUNT, "slices": GROUPS}
    return {"project": "acme-ml", "clusters": {"train": {**cluster, **keys}}}


def registered(**keys: Any) -> Any:
    return record(lambda: TpuFleet("fleet", plan(**keys)))


def test_only_the_node_pools_of_the_slices_are_registered() -> None:
    recording = registered()
    assert sorted((item.type, item.name) for item in recording if item.request.custom) == [
        (POOL, "train/pretrain/pretrain-0"),
        (POOL, "train/pretrain/pretrain-1"),
        (POOL, "train/sweep/sweep"),
    ]


def test_a_policy_is_created_for_slices_that_need_one() -> None:
    central = "projects/acme-ml/locations/us-central1/clusters/shared"
    cube = {"tpu": "tpu7x", "topology": "4x4x4", "zone": "us-central1-c"}
    recording = registered(existing=central, slices={"cube": cube})
    assert recording.one(POLICY).inputs["name"] == "shared-cube-4x4x4"
    assert recording.one(POLICY).inputs["region"] == "us-central1"


def test_the_pools_are_those_of_the_component_for_slices_alone() -> None:
    """A program with TpuSlices can be replaced by a plan without a change of node pools."""
    args: Any = {
        "project": "acme-ml",
        "cluster": CLUSTER,
        "location": "us-east5",
        "node_service_account": ACCOUNT,
        "private_nodes": True,
    }

    def alone() -> None:
        for name, group in GROUPS.items():
            TpuSlices(f"train/{name}", {**args, **group})

    of_plan, of_slices = registered(private_nodes=True), record(alone)
    assert {pool.name: pool.inputs for pool in of_plan.of_type(POOL)} == {
        pool.name: pool.inputs for pool in of_slices.of_type(POOL)
    }
    assert [pool.replace_on_changes for pool in of_plan.of_type(POOL)] == [
        pool.replace_on_changes for pool in of_slices.of_type(POOL)
    ]


def test_what_the_plan_does_not_say_is_left_to_the_cluster() -> None:
    cluster = plan()
    del cluster["clusters"]["train"]["node_service_account"]
    for pool in record(lambda: TpuFleet("fleet", cluster)).of_type(POOL):
        assert "networkConfig" not in pool.inputs
        assert "serviceAccount" not in pool.inputs["nodeConfig"]


def test_an_account_is_created_on_request_before_the_pools() -> None:
    recording = registered(node_service_account="create")
    (account,) = recording.of_type("gcp:serviceaccount/account:Account")
    grants = {grant.urn for grant in recording.of_type("gcp:projects/iAMMember:IAMMember")}
    assert len(grants) == 2
    for pool in recording.of_type(POOL):
        assert pool.inputs["nodeConfig"]["serviceAccount"] == UNKNOWN
        assert grants < set(pool.request.dependencies)
    # The program that created the cluster may have created an account for the cluster's nodes.
    created = {"mode": "standard", "location": "us-east5", "name": "shared"}
    of_cluster = record(lambda: TpuFleet("fleet", {"project": "acme-ml", "clusters": {"train": created}}))
    assert of_cluster.one("gcp:serviceaccount/account:Account").inputs["accountId"] != account.inputs["accountId"]


def test_an_output_can_be_the_account() -> None:
    recording = record(
        lambda: TpuFleet("fleet", plan(node_service_account=pulumi.Output.from_input(ACCOUNT)))  # in its event loop
    )
    assert [pool.inputs["nodeConfig"]["serviceAccount"] for pool in recording.of_type(POOL)] == [ACCOUNT] * 3


def test_security_of_the_nodes_can_be_set() -> None:
    recording = registered(security={"workload_identity": False, "tpu_secure_boot": True})
    for pool in recording.of_type(POOL):
        assert "workloadMetadataConfig" not in pool.inputs["nodeConfig"]
        assert pool.inputs["nodeConfig"]["shieldedInstanceConfig"]["enableSecureBoot"] is True


def test_labels_of_the_plan_are_on_the_nodes() -> None:
    recording = record(lambda: TpuFleet("fleet", {**plan(), "resource_labels": {"team": "research"}}))
    for pool in recording.of_type(POOL):
        assert pool.inputs["nodeConfig"]["resourceLabels"] == {"team": "research"}


def test_autopilot_registers_components_only() -> None:
    groups = {"notebook": {"tpu": "v5e", "topology": "2x2"}}
    recording = registered(mode="autopilot", existing=CLUSTER.replace("us-east5", "us-central1"), slices=groups)
    assert [item.urn for item in recording if item.request.custom] == []
    assert recording.one("gke-tpu:index:TpuSlices").name == "train/notebook"


def test_the_outputs_lead_to_the_cluster_and_its_slices() -> None:
    found: dict[str, Any] = {}

    def program() -> None:
        fleet = TpuFleet("fleet", plan())
        cluster = fleet.clusters["train"]
        values = pulumi.Output.all(
            name=cluster.cluster_name,
            id=cluster.cluster_id,
            command=cluster.kubeconfig_command,
            account=cluster.node_service_account,
            commands=fleet.kubeconfig_commands,
            pools=cluster.slices["pretrain"].pool_names,
        )
        values.apply(found.update)

    record(program)
    command = "gcloud container clusters get-credentials shared --location us-east5 --project acme-ml"
    assert found == {
        "name": "shared",
        "id": CLUSTER,
        "command": command,
        "account": ACCOUNT,
        "commands": {"train": command},
        "pools": ["pretrain-0", "pretrain-1"],
    }


def test_a_rename_of_the_key_keeps_the_pools() -> None:
    renamed = plan()
    renamed["clusters"] = {"tuning": renamed["clusters"]["train"]}
    renamed["moved"] = [{"from": "train", "to": "tuning"}]
    before = registered(node_service_account="create")
    renamed["clusters"]["tuning"]["node_service_account"] = "create"
    after = record(lambda: TpuFleet("fleet", renamed))
    former = {alias.spec.name for item in after for alias in item.request.aliases}
    for pool in before.of_type(POOL):
        assert pool.name in former
    accounts = [run.one("gcp:serviceaccount/account:Account").inputs["accountId"] for run in (before, after)]
    assert accounts[0] == accounts[1]
