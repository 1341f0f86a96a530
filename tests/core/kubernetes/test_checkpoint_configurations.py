"""CheckpointConfigurations, the volumes of Pods and the role on the bucket, as they follow from a plan."""

import copy
from typing import Any

import pytest
import yaml
from support.plans import CLUSTER, fleet
from support.recording import Recording
from support.volumes import objects_of, pod_templates, volume_plan

BUCKET_MEMBER = "gcp:storage/bucketIAMMember:BucketIAMMember"
FOLDER = {"recent": {"mount": "/recent", "checkpoints": True}}
CHECKPOINTS = {"bucket": "acme-checkpoints", "memory": "60Gi"}
TAINTS = {"team": "NoSchedule", "soft": "PreferNoSchedule"}
SMALL = {"tpu": "v5e", "topology": "4x4", "zone": "us-east5-a"}


def plan(checkpoints: dict[str, Any] | None = None, **groups: dict[str, Any]) -> dict[str, Any]:
    kubernetes = {"checkpoints": {**CHECKPOINTS, **(checkpoints or {})}}
    found = copy.deepcopy(volume_plan({"w": ("jobset", FOLDER)}, kubernetes=kubernetes))
    cluster = found["clusters"]["c"]
    cluster["addons"] = ["gcs_fuse", "high_scale_checkpointing"]
    cluster["slices"].update(groups)
    return found


def configurations(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = [item for item in objects_of(data) if item["kind"] == "CheckpointConfiguration"]
    assert all("namespace" not in item["metadata"] for item in found)
    return {item["metadata"]["name"]: item["spec"] for item in found}


def test_one_configuration_selects_all_nodes_with_one_machine_type() -> None:
    """Two groups with the same machines have one: configurations must not select the same node."""
    (spec,) = configurations(plan()).values()
    options = spec.pop("gcsFuseMountOptions")
    assert spec == {
        "cloudStorageBucketName": "acme-checkpoints",
        "nodeSelector": {"node.kubernetes.io/instance-type": "ct6e-standard-4t"},
        "tolerations": [{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}],
        "inMemoryVolumeSize": "60Gi",
    }
    assert "implicit-dirs" in options


def test_each_machine_type_has_a_configuration_of_its_own() -> None:
    found = configurations(plan(small=SMALL))
    selected = [spec["nodeSelector"]["node.kubernetes.io/instance-type"] for spec in found.values()]
    assert selected == ["ct6e-standard-4t", "ct5lp-hightpu-4t"]
    assert list(found) == [f"checkpoints-{name}" for name in selected]


def test_slices_limits_the_machines() -> None:
    assert list(configurations(plan({"slices": ["many"]}, small=SMALL))) == ["checkpoints-ct6e-standard-4t"]


def test_the_driver_tolerates_the_taints_of_all_of_its_nodes() -> None:
    """Of a group of the plan, and of queued capacity: without them the driver is missing on these nodes."""
    taints = [{"key": key, "value": "a", "effect": effect} for key, effect in TAINTS.items()]
    tainted = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "taints": taints}
    queued = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": {"max": 1}, "capacity": {"queued": True}}
    (spec,) = configurations(plan(tainted=tainted, queued=queued)).values()
    assert [item["key"] for item in spec["tolerations"]] == ["google.com/tpu", "team", "cloud.google.com/gke-queued"]


@pytest.mark.parametrize(("written", "stored"), [("61440Mi", "60Gi"), ("100G", "100G"), ("0.5Ti", "512Gi")])
def test_the_memory_is_written_as_the_server_writes_quantities(written: str, stored: str) -> None:
    (spec,) = configurations(plan({"memory": written})).values()
    assert spec["inMemoryVolumeSize"] == stored


def test_each_pod_mounts_the_folder_from_the_driver() -> None:
    (template,) = (found for item in objects_of(plan()) if item["kind"] == "JobSet" for found in pod_templates(item))
    spec = template["spec"]
    assert spec["volumes"] == [{"name": "recent", "csi": {"driver": "multitier-checkpoint.csi.storage.gke.io"}}]
    assert [item["volumeMounts"] for item in spec["containers"]] == [[{"name": "recent", "mountPath": "/recent"}]]
    assert "annotations" not in template.get("metadata", {})  # GKE adds no container for it


def grants(data: dict[str, Any]) -> Recording:
    return fleet(yaml.safe_dump({"clusters": data["clusters"]}))


def test_the_driver_gets_the_role_on_its_bucket() -> None:
    recording = grants(plan({"project_number": 123456789012}))
    grant = recording.one(BUCKET_MEMBER, "c/checkpoints/acme-checkpoints")
    pool = "projects/123456789012/locations/global/workloadIdentityPools/acme-ml.svc.id.goog"
    subject = "subject/ns/gke-managed-checkpointing/sa/gke-checkpointing-multitier-node"
    assert grant.inputs == {
        "bucket": "acme-checkpoints",
        "role": "roles/storage.objectUser",
        "member": f"principal://iam.googleapis.com/{pool}/{subject}",
    }
    assert recording.one(CLUSTER).urn in grant.request.dependencies


def test_without_the_number_of_the_project_no_role_is_granted() -> None:
    assert grants(plan()).of_type(BUCKET_MEMBER) == []


def test_a_renamed_cluster_keeps_the_grant() -> None:
    data = plan({"project_number": 123456789012})
    clusters = {"west": {**data["clusters"]["c"], "name": "east"}}
    recording = fleet(yaml.safe_dump({"clusters": clusters, "moved": [{"from": "east", "to": "west"}]}))
    grant = recording.one(BUCKET_MEMBER, "west/checkpoints/acme-checkpoints")
    assert "east/checkpoints/acme-checkpoints" in str(grant.request.aliases)
