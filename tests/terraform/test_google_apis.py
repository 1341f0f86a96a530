"""The stand-in of the Google APIs, held against what the real APIs and the real provider were observed to do."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from support.gke.refusals import RefusedError
from support.google_apis.server import Google, google_apis
from support.terraform.recordings import make_by_hand

CLUSTER = "projects/my-project/locations/us-east5/clusters/training"


@pytest.fixture
def google() -> Iterator[Google]:
    with google_apis() as google:
        make_by_hand(google, "cluster")
        yield google


def add_pool(google: Google, **pool: Any) -> dict[str, Any]:
    return google.send("POST", "container", f"{CLUSTER}/nodePools", {"nodePool": {"name": "a", **pool}})


def pool(google: Google, name: str = "a") -> dict[str, Any]:
    return google.send("GET", "container", f"{CLUSTER}/nodePools/{name}")


def a_slice(hosts: int = 4, **more: Any) -> dict[str, Any]:
    return {
        "initialNodeCount": hosts,
        "locations": ["us-east5-b"],
        "config": {"machineType": "ct6e-standard-4t"},
        "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
        **more,
    }


def test_it_answers_over_http_what_it_stores_and_notes_the_request(google: Google) -> None:
    with urllib.request.urlopen(f"{google.url}/container/v1/{CLUSTER}") as answer:
        cluster = json.load(answer)
    assert (cluster["name"], [each["name"] for each in cluster["nodePools"]]) == ("training", ["default-pool"])
    assert [(request.method, request.path, request.status) for request in google.requests] == [
        ("GET", "locations/us-east5/clusters/training", 200)
    ]
    assert google.writes() == []


def test_an_unknown_service_and_an_unknown_object_are_not_found(google: Google) -> None:
    assert google.answer("GET", "/storage/v1/b/x", {})[0] == 404
    status, answer = google.answer("GET", "/container/v1/projects/p/locations/l/clusters/x", {})
    assert (status, answer["error"]["errors"][0]["reason"]) == (404, "notFound")


def test_gke_completes_a_pool_and_adds_its_taint(google: Google) -> None:
    add_pool(google, **a_slice())
    config = pool(google)["config"]
    assert config["taints"] == [{"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}]
    assert (config["diskType"], config["diskSizeGb"], config["bootDisk"]["sizeGb"]) == ("pd-balanced", 100, "100")
    assert pool(google)["management"] == {"autoRepair": True, "autoUpgrade": True}


def test_the_instance_group_of_a_pool_has_the_count_and_a_new_name_after_it_is_made_again(google: Google) -> None:
    def group() -> dict[str, Any]:
        (found,) = (each for each in google.container.groups("my-project", "us-east5-b") if "-a-" in each["name"])
        return found

    add_pool(google, **a_slice())
    first = group()
    google.send("DELETE", "container", f"{CLUSTER}/nodePools/a")
    add_pool(google, **a_slice())
    assert (first["targetSize"], group()["targetSize"]) == (4, 4)
    assert first["name"] != group()["name"]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        ({"config": {"machineType": "ct6e-standard-3x"}}, 400, "GCE_NOT_FOUND"),
        ({"name": "A"}, 400, "node_pool.name"),
        ({"management": {"autoUpgrade": False}}, 400, "release_channel RAPID"),
        ({"placementPolicy": {"tpuTopology": "2x2"}}, 400, "single-host"),
        ({"placementPolicy": {"tpuTopology": "3x5"}}, 400, "not valid for machine type"),
        ({"placementPolicy": {"policyName": "none"}}, 400, 'Resource policy "none" was not found'),
        ({"autoscaling": {"enabled": True, "maxNodeCount": 8}}, 400, "Maximum node count 8 is not a valid size"),
        ({"autoscaling": {"enabled": True, "minNodeCount": 1, "maxNodeCount": 4}}, 400, "Minimum node count 1"),
        ({"config": {"machineType": "ct6e-standard-4t", "flexStart": True}}, 400, "require autoscaling"),
    ],
)
def test_what_gke_refuses(google: Google, change: dict[str, Any], status: int, text: str) -> None:
    with pytest.raises(RefusedError, match=text) as refusal:
        add_pool(google, **a_slice(**change))
    assert refusal.value.status == status
    assert [each["name"] for each in google.send("GET", "container", f"{CLUSTER}/nodePools")["nodePools"]] == [
        "default-pool"
    ]


def test_a_slice_is_not_resized_and_single_hosts_are(google: Google) -> None:
    add_pool(google, **a_slice())
    with pytest.raises(RefusedError, match="manual resize is not supported") as refusal:
        google.send("POST", "container", f"{CLUSTER}/nodePools/a:setSize", {"nodeCount": 8})
    assert refusal.value.status == 501
    add_pool(google, name="b", initialNodeCount=1, config={"machineType": "ct6e-standard-8t"})
    google.send("POST", "container", f"{CLUSTER}/nodePools/b:setSize", {"nodeCount": 3})
    sizes = {
        each["targetSize"] for each in google.container.groups("my-project", "us-east5-a") if "-b-" in each["name"]
    }
    assert sizes == {3}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (a_slice(hosts=3), "gang mode of 4"),
        (
            a_slice(hosts=16, config={"machineType": "tpu7x-standard-4t"}, placementPolicy={"tpuTopology": "4x4x4"}),
            "policy",
        ),
    ],
)
def test_some_pools_end_in_error_and_stay(google: Google, body: dict[str, Any], text: str) -> None:
    operation = add_pool(google, **body)
    done = google.send("GET", "container", f"projects/my-project/locations/us-east5/operations/{operation['name']}")
    assert operation["status"] == "RUNNING"
    assert text in done["error"]["message"]
    assert pool(google)["status"] == "ERROR"


def test_a_pool_takes_what_an_update_sends(google: Google) -> None:
    add_pool(google, **a_slice())
    body = {
        "labels": {"labels": {"a": "b"}},
        "taints": {"taints": []},
        "diskSizeGb": 200,
        "machineType": "ct6e-standard-8t",
    }
    google.send("PUT", "container", f"{CLUSTER}/nodePools/a", body)
    config = pool(google)["config"]
    assert (config["labels"], config["diskSizeGb"], config["bootDisk"]["sizeGb"]) == ({"a": "b"}, 200, "200")
    assert config["machineType"] == "ct6e-standard-8t"
    assert [taint["key"] for taint in config["taints"]] == ["google.com/tpu"]


def test_an_update_of_a_cluster_is_stored_where_it_belongs(google: Google) -> None:
    update = {
        "desiredReleaseChannel": {"channel": "REGULAR"},
        "desiredIntraNodeVisibilityConfig": {"enabled": True},
        "desiredAddonsConfig": {"gcsFuseCsiDriverConfig": {"enabled": True}},
    }
    google.send("PUT", "container", CLUSTER, {"update": update})
    cluster = google.send("GET", "container", CLUSTER)
    assert cluster["releaseChannel"] == {"channel": "REGULAR"}
    assert cluster["networkConfig"]["enableIntraNodeVisibility"] is True
    assert cluster["addonsConfig"].keys() >= {"gcsFuseCsiDriverConfig", "gcePersistentDiskCsiDriverConfig"}


def test_a_standard_cluster_needs_a_node_and_autopilot_none(google: Google) -> None:
    parent = CLUSTER.rpartition("/")[0]
    with pytest.raises(RefusedError, match="initial_node_count"):
        google.send("POST", "container", parent, {"cluster": {"name": "b"}})
    google.send("POST", "container", parent, {"cluster": {"name": "b", "autopilot": {"enabled": True}}})
    with pytest.raises(RefusedError, match="Autopilot"):
        google.send("GET", "container", f"{parent}/b/nodePools")


def test_what_is_used_is_not_deleted(google: Google) -> None:
    policies = "projects/my-project/regions/us-east5/resourcePolicies"
    body = {"name": "p", "workloadPolicy": {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4"}}
    google.send("POST", "compute", policies, body)
    add_pool(google, **a_slice(16, config={"machineType": "tpu7x-standard-4t"}, placementPolicy={"policyName": "p"}))
    with pytest.raises(RefusedError, match="already being used by 'a'"):
        google.send("DELETE", "compute", f"{policies}/p")
    google.send("DELETE", "container", f"{CLUSTER}/nodePools/a")
    google.send("DELETE", "compute", f"{policies}/p")


def test_a_reservation_has_as_many_hosts_as_a_test_says(google: Google) -> None:
    affinity = {"consumeReservationType": "SPECIFIC_RESERVATION", "values": ["projects/p/reservations/r"]}
    body = a_slice(config={"machineType": "ct6e-standard-4t", "reservationAffinity": affinity})
    google.knobs.reservations = {"r": 3}
    with pytest.raises(RefusedError, match="short of 1 VM count") as refusal:
        add_pool(google, **body)
    assert refusal.value.status == 429
    google.knobs.reservations = {}
    with pytest.raises(RefusedError, match="not found"):
        add_pool(google, **body)
    google.knobs.reservations = {"r": 4}
    add_pool(google, **body)
    assert pool(google)["status"] == "RUNNING"


def test_an_iam_policy_is_changed_with_its_latest_etag_only(google: Google) -> None:
    old = google.send("POST", "cloudresourcemanager", "projects/my-project:getIamPolicy")
    binding = {"role": "roles/viewer", "members": ["user:a@example.com"]}
    policy = {"policy": {**old, "bindings": [binding]}}
    google.send("POST", "cloudresourcemanager", "projects/my-project:setIamPolicy", policy)
    with pytest.raises(RefusedError, match="concurrent"):
        google.send("POST", "cloudresourcemanager", "projects/my-project:setIamPolicy", policy)
    assert google.send("POST", "cloudresourcemanager", "projects/my-project:getIamPolicy")["bindings"] == [binding]
