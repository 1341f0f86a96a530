"""Quotas and users of namespaces in the real server."""

from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.testbed import Testbed
from support.workload_plans import TRAIN, objects_of, workload_plan

MEMBERS = {
    "admins": ["group:admins@example.com"],
    "editors": ["user:ada@example.com", "serviceAccount:ci@acme-ml.iam.gserviceaccount.com"],
    "viewers": ["group:finance@example.com"],
}


def access_of(namespaces: dict[str, Any], mode: str = "standard", **kubernetes: Any) -> list[Object]:
    group = TRAIN if mode == "standard" else {"tpu": "v6e", "topology": "4x4"}
    run = {"run": {"slices": "train"}}
    return objects_of(
        workload_plan({"train": group}, run, mode=mode, kubernetes={"namespaces": namespaces, **kubernetes})
    )


def bindings(items: list[Object]) -> dict[str, tuple[str, list[str]]]:
    return {
        item["metadata"]["name"]: (
            item["roleRef"]["name"],
            [f"{one['kind']} {one['name']}" for one in item["subjects"]],
        )
        for item in items
        if item["kind"] == "RoleBinding"
    }


def test_users_have_the_least_role_of_kubernetes() -> None:
    items = access_of({"research": MEMBERS})
    assert bindings(items) == {
        "admins": ("admin", ["Group admins@example.com"]),
        "editors": ("edit", ["User ada@example.com", "User ci@acme-ml.iam.gserviceaccount.com"]),
        "viewers": ("view", ["Group finance@example.com"]),
    }
    assert {item["metadata"]["namespace"] for item in items if item["kind"] == "RoleBinding"} == {"research"}
    kinds = [item["kind"] for item in items]
    assert kinds.index("Namespace") < kinds.index("RoleBinding")


def test_who_creates_workloads_has_the_role_of_kueue_where_there_are_queues() -> None:
    """The roles of Kubernetes do not cover JobSets and Ray clusters."""
    found = bindings(access_of({"research": MEMBERS}, queues={"q": {}}))
    users = ["Group admins@example.com", "User ada@example.com", "User ci@acme-ml.iam.gserviceaccount.com"]
    assert found["jobs"] == ("kueue-batch-user-role", users)
    assert "jobs" not in bindings(access_of({"research": {"viewers": MEMBERS["viewers"]}}, queues={"q": {}}))


def test_a_namespace_without_keys_has_no_more_objects() -> None:
    items = access_of({"research": {}, "default": {"chips": 4}})
    found = [(item["kind"], item["metadata"].get("namespace")) for item in items]
    assert [one for one in found if one[0] in ("Namespace", "ResourceQuota", "RoleBinding")] == [
        ("Namespace", None),
        ("ResourceQuota", "default"),
    ]


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_server_accepts_every_object(mode: str, bed: Testbed) -> None:
    items = access_of({"research": {"chips": 0, **MEMBERS}, "default": MEMBERS}, mode)
    own = [item for item in items if item["kind"] in ("Namespace", "ResourceQuota", "RoleBinding")]
    assert len(own) == 8
    assert [(item["kind"], words) for item in own if (words := bed.refusal(_in(item, bed)))] == []


def _in(item: Object, bed: Testbed) -> Object:
    metadata = item["metadata"]
    return {**item, "metadata": {**metadata, "namespace": bed.namespace}} if "namespace" in metadata else item


def test_the_quota_counts_chips_and_nothing_else(bed: Testbed) -> None:
    (quota,) = (item for item in access_of({"research": {"chips": 8}}) if item["kind"] == "ResourceQuota")
    bed.create(_in(quota, bed))
    path = f"/api/v1/namespaces/{bed.namespace}/resourcequotas/{quota['metadata']['name']}"
    stored = bed.client.request("GET", path)
    hard = stored["spec"]["hard"]
    # The control plane of the tests has no controller that counts.
    bed.client.request("PUT", f"{path}/status", {**stored, "status": {"hard": hard, "used": dict.fromkeys(hard, "0")}})

    def pod(chips: int) -> Object:
        amount = {"google.com/tpu": str(chips)} if chips else {}
        container = {"name": "main", "image": "unused", "resources": {"requests": amount, "limits": amount}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}}

    assert [bed.refusal(pod(chips)) for chips in (0, 4, 8)] == ["", "", ""]
    assert "exceeded quota" in bed.refusal(pod(9))
