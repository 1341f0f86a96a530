"""The plan that describes resources of any source."""

import json

import pytest
from support.foreign_files import Made, answer, pulumi_state, terraform_plan, terraform_state
from support.raw_pools import HOSTS, REGIONAL, SLICE, changed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.described.describe import describe
from pulumi_gke_tpu.core.described.model import DescribedPlan
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL, RESOURCE_POLICY
from pulumi_gke_tpu.core.resource_rules.files import members_of
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules.engine.run import check_plan

CATALOG = read_catalog()
READER = ResourceReader(CATALOG)
SOURCES = (terraform_plan, terraform_state, pulumi_state, answer)
TRAIN: Made = (CLUSTER, "train", REGIONAL)


def described(*made: Made, write: object = terraform_plan) -> DescribedPlan:
    resources = READER.read("fleet.json", write(made))  # type: ignore[operator]
    assert resources is not None
    return describe((member for member, _ in members_of(resources.found)), CATALOG)


def derived(plan: DescribedPlan) -> CheckedPlan:
    return check_plan(plan.document, CATALOG, rules=())


@pytest.mark.parametrize("write", SOURCES)
def test_a_node_pool_keeps_its_name(write: object) -> None:
    pools = [(NODE_POOL, name, {**SLICE, "name": name}) for name in ("pretrain-0", "pretrain-7", "alice")]
    fleet = derived(described(TRAIN, *pools, (NODE_POOL, "chat", {**HOSTS, "name": "chat"}), write=write)).fleet
    assert fleet is not None
    groups = {group.key: [pool.name for pool in group.pools] for _, group in fleet.groups()}
    assert groups == {"train/pretrain-0": ["pretrain-0", "pretrain-7", "alice"], "train/chat": ["chat"]}
    assert {group.key: group.slices.maximum for _, group in fleet.groups()} == {"train/pretrain-0": 3, "train/chat": 2}


def test_a_wrong_value_stays() -> None:
    wrong = changed(HOSTS, {"nodeCount": None, "autoscaling": {"totalMinNodeCount": 9, "totalMaxNodeCount": 2}})
    plan = described(TRAIN, (NODE_POOL, "main", wrong)).document.content
    assert plan is not None
    (group,) = plan.clusters["train"].slices.values()
    assert (group.min, group.max) == (9, 2)


def test_a_value_that_no_plan_can_have_is_named_and_hides_nothing() -> None:
    wrong = changed(SLICE, {"nodeConfig.bootDisk": {"diskType": "pd-ssd", "sizeGb": 5}})
    plan = described(TRAIN, (NODE_POOL, "main", wrong))
    assert [finding.path[4:] for finding in plan.document.findings] == [("boot_disk", "size_gib")]
    assert plan.document.content is not None
    (group,) = plan.document.content.clusters["train"].slices.values()
    assert group.boot_disk is not None
    assert group.boot_disk.type == "pd-ssd"


def test_a_node_pool_without_its_cluster_is_in_one_that_exists() -> None:
    plan = described((NODE_POOL, "main", SLICE)).document.content
    assert plan is not None
    assert plan.clusters["train"].existing == "projects/acme-ml/locations/us-east5/clusters/train"


def test_another_version_than_that_of_the_cluster_is_a_plan_of_its_own() -> None:
    cluster = (CLUSTER, "train", {**REGIONAL, "minMasterVersion": "1.34"})
    same = described(cluster, (NODE_POOL, "main", {**SLICE, "version": "1.34"}))
    other = described(
        cluster,
        (NODE_POOL, "main", {**SLICE, "version": "1.33.4-gke.100"}),
        (NODE_POOL, "chat", {**HOSTS, "name": "chat"}),
    )
    assert same.versions is None
    assert other.versions is not None
    assert other.versions.document.content is not None
    versions = {
        item.version or item.min_version: [name for group in item.slices.values() for name in group.pool_names]
        for item in other.versions.document.content.clusters.values()
    }
    assert versions == {"1.34": ["chat"], "1.33.4-gke.100": ["pretrain-0"]}


def test_a_value_that_is_not_known_is_noted() -> None:
    plan = json.loads(terraform_plan([TRAIN, (NODE_POOL, "main", SLICE)]))
    change = plan["resource_changes"][1]["change"]
    del change["after"]["placement_policy"]
    change["after_unknown"] = {"placement_policy": True}
    resources = READER.read("plan.json", json.dumps(plan).encode())
    assert resources is not None
    found = describe((member for member, _ in members_of(resources.found)), CATALOG)
    assert found.is_unknown(("clusters", "train", "slices", "pretrain-0"), "topology")


CUBE = changed(
    SLICE,
    {
        "nodeConfig.machineType": "tpu7x-standard-4t",
        "placementPolicy": {"policyName": "cubes", "tpuTopology": "4x4x4", "type": "COMPACT"},
        "nodeConfig.reservationAffinity": {
            "consumeReservationType": "SPECIFIC_RESERVATION",
            "key": "compute.googleapis.com/reservation-name",
            "values": ["ironwood/reservationBlocks/block-1"],
        },
    },
)
MODE = {"cloud.google.com/gke-accelerator-topology-mode": "PROVISION_ONLY"}


def policy(**keys: str) -> Made:
    workload = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4", **keys}
    return (RESOURCE_POLICY, "cubes", {"name": "cubes", "region": "us-east5", "workloadPolicy": workload})


@pytest.mark.parametrize("write", SOURCES)
@pytest.mark.parametrize(
    ("topology", "others", "labels", "dynamic"),
    [
        ("4x4x4", (policy(acceleratorTopologyMode="PROVISION_ONLY"),), {}, True),
        ("", (policy(acceleratorTopologyMode="PROVISION_ONLY"),), {}, True),
        ("4x4x4", (policy(),), {}, False),
        ("4x4x4", (policy(acceleratorTopologyMode="AUTO_CONNECT"),), {}, False),
        ("4x4x4", (), {}, False),
        ("4x4x4", (), MODE, True),
        ("", (), MODE, True),
    ],
)
def test_the_policy_or_a_label_tells_cubes_from_static_slices(
    topology: str, others: tuple[Made, ...], labels: dict[str, str], dynamic: bool, write: object
) -> None:
    pool = changed(CUBE, {"placementPolicy.tpuTopology": topology or None, "nodeConfig.labels": labels})
    plan = described(TRAIN, *others, (NODE_POOL, "cubes-0", {**pool, "name": "cubes-0"}), write=write).document.content
    assert plan is not None
    (group,) = plan.clusters["train"].slices.values()
    assert (group.dynamic, group.topology) == (dynamic, None if dynamic else "4x4x4")


@pytest.mark.parametrize("inside", [True, False])
def test_a_policy_is_found_by_its_address_and_for_node_pools_in_their_cluster(inside: bool) -> None:
    address = "projects/acme-ml/regions/us-east5/resourcePolicies/cubes"
    pool = {**changed(CUBE, {"placementPolicy.policyName": address}), "name": "cubes-0"}
    own = {key: value for key, value in pool.items() if key not in ("cluster", "location", "project")}
    made = [(CLUSTER, "train", {**REGIONAL, "nodePools": [own]})] if inside else [TRAIN, (NODE_POOL, "cubes-0", pool)]
    plan = described(*made, policy(acceleratorTopologyMode="PROVISION_ONLY"))
    assert plan.document.content is not None
    (group,) = plan.document.content.clusters["train"].slices.values()
    assert group.dynamic
