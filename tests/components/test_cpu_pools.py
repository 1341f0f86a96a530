"""Node pools without TPUs: what each key of `cpu_pools` sends, how totals become numbers per zone, and their names."""

from typing import Any

import pytest
import yaml
from support.plans import ACCOUNT, CLUSTER, NODE_POOL, difference, fleet
from support.recording import UNKNOWN, Registration

HEAD = {"machine_type": "n2-standard-64", "nodes": 2, "zones": ["us-east5-b"]}
SOME = {"machine_type": "n2-standard-16", "min_nodes": 3, "max_nodes": 9}


def pool(written: dict[str, Any], **cluster: Any) -> Registration:
    plan = {"mode": "standard", "location": "us-east5", "cpu_pools": {"head": written}, **cluster}
    return fleet(yaml.safe_dump({"clusters": {"c": plan}})).one(NODE_POOL, "c/cpu_pools/head")


def test_a_cpu_pool_in_full() -> None:
    found = pool(HEAD)
    assert found.inputs == {
        "name": "head",
        "cluster": UNKNOWN,
        "project": "acme-ml",
        "location": "us-east5",
        "nodeCount": 2,
        "management": {"autoRepair": True, "autoUpgrade": True},
        "networkConfig": {"enablePrivateNodes": False},
        "nodeConfig": {
            "machineType": "n2-standard-64",
            "serviceAccount": UNKNOWN,
            "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
            "spot": False,
            "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"},
            "shieldedInstanceConfig": {"enableSecureBoot": True, "enableIntegrityMonitoring": True},
            "workloadMetadataConfig": {"mode": "GKE_METADATA"},
            "kubeletConfig": {"insecureKubeletReadonlyPortEnabled": "FALSE"},
        },
        "nodeLocations": ["us-east5-b"],
    }
    assert found.request.deleteBeforeReplace
    assert found.ignore_changes == ()
    assert found.timeouts == {"create": "2h", "update": "2h", "delete": "2h"}


def test_an_autoscaled_cpu_pool_has_total_limits_and_leaves_its_size_to_the_autoscaler() -> None:
    found = pool(SOME)
    assert found.inputs["autoscaling"] == {"totalMinNodeCount": 3, "totalMaxNodeCount": 9, "locationPolicy": "ANY"}
    assert "nodeCount" not in found.inputs
    assert "nodeLocations" not in found.inputs
    assert set(found.ignore_changes) == {"initialNodeCount", "nodeCount"}


@pytest.mark.parametrize(
    ("written", "location", "expected"),
    [
        ({"nodes": 4, "zones": ["us-east5-a", "us-east5-b"]}, "us-east5", {"nodeCount": 2}),
        ({"nodes": 4}, "us-east5-b", {"nodeCount": 4}),
        ({"nodes": 0}, "us-east5", {"nodeCount": 0}),
        ({"max_nodes": 9}, "us-east5", {"initialNodeCount": 0}),
        ({"min_nodes": 3, "max_nodes": 9}, "us-east5", {"initialNodeCount": 1}),
        ({"min_nodes": 3, "max_nodes": 9, "zones": ["us-east5-a", "us-east5-b"]}, "us-east5", {"initialNodeCount": 2}),
        ({"min_nodes": 3, "max_nodes": 9}, "us-east5-b", {"initialNodeCount": 3}),
    ],
)
def test_totals_become_numbers_per_zone(written: dict[str, Any], location: str, expected: dict[str, int]) -> None:
    sent = pool({"machine_type": "n2-standard-16", **written}, location=location).inputs
    assert {key: sent[key] for key in ("nodeCount", "initialNodeCount") if key in sent} == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"machine_type": "n4-standard-64"}, {"nodeConfig.machineType": "n4-standard-64"}),
        ({"nodes": 3}, {"nodeCount": 3}),
        ({"zones": ["us-east5-a"]}, {"nodeLocations": ["us-east5-a"]}),
        ({"spot": True}, {"nodeConfig.spot": True}),
        (
            {"boot_disk": {"type": "hyperdisk-balanced", "size_gib": 200, "iops": 4000, "throughput_mbps": 200}},
            {
                "nodeConfig.bootDisk.diskType": "hyperdisk-balanced",
                "nodeConfig.bootDisk.sizeGb": 200,
                "nodeConfig.bootDisk.provisionedIops": 4000,
                "nodeConfig.bootDisk.provisionedThroughput": 200,
            },
        ),
        ({"node_labels": {"role": "head"}}, {"nodeConfig.labels.role": "head"}),
        (
            {"taints": [{"key": "role", "value": "head", "effect": "NO_SCHEDULE"}]},
            {"nodeConfig.taints": [{"key": "role", "value": "head", "effect": "NO_SCHEDULE"}]},
        ),
        (
            {"node_service_account": "head@acme-ml.iam.gserviceaccount.com"},
            {"nodeConfig.serviceAccount": "head@acme-ml.iam.gserviceaccount.com"},
        ),
        ({"resource_labels": {"team": "heads"}}, {"nodeConfig.resourceLabels.team": "heads"}),
        ({"extra": {"node_config": {"logging_variant": "DEFAULT"}}}, {"nodeConfig.loggingVariant": "DEFAULT"}),
        ({"timeouts": {"create": "4h"}}, {}),
    ],
)
def test_what_a_key_of_a_cpu_pool_sends(written: dict[str, Any], expected: dict[str, Any]) -> None:
    assert difference(pool(HEAD).inputs, pool({**HEAD, **written}).inputs) == expected


def test_timeouts_of_a_cpu_pool_reach_its_options() -> None:
    assert pool({**HEAD, "timeouts": {"create": "4h"}}).timeouts == {"create": "14400s", "update": "2h", "delete": "2h"}


@pytest.mark.parametrize(
    ("cluster", "expected"),
    [
        ({"security": {"secure_boot": False}}, {"nodeConfig.shieldedInstanceConfig.enableSecureBoot": False}),
        ({"security": {"workload_identity": False}}, {"nodeConfig.workloadMetadataConfig.mode": None}),
        ({"resource_labels": {"team": "ml"}}, {"nodeConfig.resourceLabels.team": "ml"}),
        ({"network": {"create": {"nat": False}}}, {"networkConfig.enablePrivateNodes": True}),
        (
            {"node_service_account": "n@acme-ml.iam.gserviceaccount.com"},
            {"nodeConfig.serviceAccount": "n@acme-ml.iam.gserviceaccount.com"},
        ),
    ],
)
def test_a_cpu_pool_follows_its_cluster_like_the_system_pool(cluster: dict[str, Any], expected: dict[str, Any]) -> None:
    assert difference(pool(HEAD).inputs, pool(HEAD, **cluster).inputs) == expected


def test_a_cpu_pool_without_the_key_adds_nothing() -> None:
    plan = {"clusters": {"c": {"mode": "standard", "location": "us-east5"}}}
    assert [item.name for item in fleet(yaml.safe_dump(plan)).of_type(NODE_POOL)] == ["c/system"]


def test_a_cpu_pool_leaves_the_cluster_and_the_system_pool_as_they_are() -> None:
    def inputs(**keys: Any) -> list[Any]:
        plan = {"clusters": {"c": {"mode": "standard", "location": "us-east5", **keys}}}
        recording = fleet(yaml.safe_dump(plan))
        return [recording.one(CLUSTER, "c").inputs, recording.one(NODE_POOL, "c/system").inputs]

    assert inputs() == inputs(cpu_pools={"head": HEAD})


def test_a_long_key_is_shortened_in_gke_only() -> None:
    key = "data-loaders-of-the-large-model-in-september"
    plan = {"clusters": {"c": {"mode": "standard", "location": "us-east5", "cpu_pools": {key: SOME}}}}
    found = fleet(yaml.safe_dump(plan)).one(NODE_POOL, f"c/cpu_pools/{key}")
    assert len(found.inputs["name"]) <= 40
    assert found.inputs["name"].startswith("data-loaders-of-the-large-model")


def test_a_renamed_cluster_keeps_its_cpu_pools() -> None:
    plan = {
        "clusters": {"west": {"mode": "standard", "location": "us-east5", "cpu_pools": {"head": HEAD}}},
        "moved": [{"from": "east", "to": "west"}],
    }
    found = fleet(yaml.safe_dump(plan)).one(NODE_POOL, "west/cpu_pools/head")
    assert found.former_names == ("east/cpu_pools/head",)


def test_an_existing_cluster_gets_cpu_pools_and_accounts_of_their_own() -> None:
    plan = {
        "clusters": {
            "c": {
                "mode": "standard",
                "existing": "projects/acme-ml/locations/us-east5/clusters/shared",
                "cpu_pools": {"head": {**HEAD, "node_service_account": "create"}},
            }
        }
    }
    recording = fleet(yaml.safe_dump(plan))
    assert recording.of_type(CLUSTER) == []
    (found,) = recording.of_type(NODE_POOL)
    assert (found.name, found.inputs["cluster"]) == ("c/cpu_pools/head", "shared")
    assert found.inputs["nodeConfig"]["serviceAccount"] == UNKNOWN
    assert recording.one(ACCOUNT, "c/cpu_pools/head").inputs["accountId"].startswith("gke-head-")
