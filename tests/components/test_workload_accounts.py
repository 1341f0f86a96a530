"""Google service accounts of workloads: exactly the roles that their buckets need, on these buckets."""

from typing import Any

import pytest
import yaml
from support.plans import ACCOUNT, CLUSTER, MEMBER, fleet
from support.recording import UNKNOWN, Recording

ACCOUNT_MEMBER = "gcp:serviceaccount/iAMMember:IAMMember"
BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
NAME = "east/service_accounts/trainer"
SLICES = {
    "standard": {"train": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}},
    "autopilot": {"train": {"tpu": "v6e", "topology": "4x4"}},
}
READ = {"mount": "/a", "bucket": {"name": "acme-a"}, "read_only": True}
WRITE = {"mount": "/b", "bucket": {"name": "acme-b"}}
VIEWER, USER = "roles/storage.objectViewer", "roles/storage.objectUser"


def plan(
    *volumes: dict[str, Any], mode: str = "standard", google: str | None = "create", **kubernetes: Any
) -> dict[str, Any]:
    """A workload for each mapping of volumes, all with the service account ``trainer``."""
    workloads = {
        f"w{number}": {"slices": "train", "image": "i", "service_account": "trainer", "volumes": items}
        for number, items in enumerate(volumes)
    }
    account = {"google": google} if google else {}
    objects = {"service_accounts": {"trainer": account}, "workloads": workloads, **kubernetes}
    addons = {"addons": ["gcs_fuse"]} if mode == "standard" else {}
    cluster = {"mode": mode, "location": "us-east5", "slices": SLICES[mode], **addons, "kubernetes": objects}
    return {"clusters": {"east": cluster}}


def recorded(*volumes: dict[str, Any], **options: Any) -> Recording:
    return fleet(yaml.safe_dump(plan(*volumes, **options)))


def roles(recording: Recording) -> dict[str, str]:
    """Bucket -> role."""
    grants = recording.of_type(BUCKET_MEMBER)
    assert all(item.inputs["member"] == UNKNOWN for item in grants)
    return {item.inputs["bucket"]: item.inputs["role"] for item in grants}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_account_has_a_role_on_each_bucket_and_none_on_the_project(mode: str) -> None:
    recording = recorded({"a": READ, "b": WRITE, "c": {"mount": "/c", "empty_dir": True}}, mode=mode)
    account = recording.one(ACCOUNT, NAME)
    assert account.inputs == {
        "accountId": account.inputs["accountId"],
        "displayName": "Workloads of GKE cluster east",
        "project": "acme-ml",
    }
    assert roles(recording) == {"acme-a": VIEWER, "acme-b": USER}
    assert not [item for item in recording.of_type(MEMBER) if "service_accounts" in item.name]
    assert all(account.urn in item.request.dependencies for item in recording.of_type(BUCKET_MEMBER))


def test_one_workload_that_writes_decides_the_role_of_a_bucket() -> None:
    writes = {"b": {**READ, "read_only": False}}
    assert roles(recorded({"a": READ}, writes)) == {"acme-a": USER}
    assert roles(recorded(writes, {"a": READ})) == {"acme-a": USER}
    assert roles(recorded({"a": READ}, {"b": READ})) == {"acme-a": VIEWER}


def test_the_kubernetes_service_account_may_act_as_the_account_when_the_pool_exists() -> None:
    recording = recorded({"a": READ})
    grant = recording.one(ACCOUNT_MEMBER)
    email = f"{recording.one(ACCOUNT, NAME).inputs['accountId']}@acme-ml.iam.gserviceaccount.com"
    assert grant.inputs == {
        "serviceAccountId": f"projects/acme-ml/serviceAccounts/{email}",
        "role": "roles/iam.workloadIdentityUser",
        "member": "serviceAccount:acme-ml.svc.id.goog[default/trainer]",
    }
    wanted = {recording.one(ACCOUNT, NAME).urn, recording.one(CLUSTER).urn}
    assert wanted <= set(grant.request.dependencies)


def test_each_namespace_has_its_own_grant() -> None:
    data = plan({"a": READ}, {"a": READ}, queues={"q": {"namespace": "research"}})
    data["clusters"]["east"]["kubernetes"]["workloads"]["w1"]["queue"] = "q"
    found = fleet(yaml.safe_dump(data)).of_type(ACCOUNT_MEMBER)
    assert {item.name: item.inputs["member"] for item in found} == {
        f"{NAME}/{namespace}": f"serviceAccount:acme-ml.svc.id.goog[{namespace}/trainer]"
        for namespace in ("default", "research")
    }


@pytest.mark.parametrize("google", [None, "trainer@acme-ml.iam.gserviceaccount.com"])
def test_existing_accounts_keep_their_roles(google: str | None) -> None:
    recording = recorded({"a": READ}, google=google)
    assert [item.name for item in recording.of_type(ACCOUNT)] == ["east"]
    assert recording.of_type(BUCKET_MEMBER) == recording.of_type(ACCOUNT_MEMBER) == []


def test_an_existing_cluster_has_accounts_too() -> None:
    data = plan({"a": READ})
    cluster = data["clusters"]["east"]
    del cluster["addons"], cluster["location"]
    cluster["existing"] = "projects/acme-ml/locations/us-east5/clusters/shared"
    recording = fleet(yaml.safe_dump(data))
    assert roles(recording) == {"acme-a": VIEWER}
    assert recording.one(ACCOUNT_MEMBER).request.dependencies == [recording.one(ACCOUNT, NAME).urn]


def test_a_renamed_cluster_keeps_the_urns() -> None:
    data = plan({"a": READ})
    data["clusters"]["west"] = {**data["clusters"].pop("east"), "name": "east"}
    data["moved"] = [{"from": "east", "to": "west"}]
    recording = fleet(yaml.safe_dump(data))
    new = NAME.replace("east", "west")
    for kind, name in ((ACCOUNT, ""), (ACCOUNT_MEMBER, "/default"), (BUCKET_MEMBER, "/acme-a")):
        assert f"{NAME}{name}" in str(recording.one(kind, f"{new}{name}").request.aliases)
    assert (
        recording.one(ACCOUNT, new).inputs["accountId"] == recorded({"a": READ}).one(ACCOUNT, NAME).inputs["accountId"]
    )
