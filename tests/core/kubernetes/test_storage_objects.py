"""Disks of workloads: storage classes in the zones of the slices, and claims."""

from typing import Any

import pytest
import yaml
from support.rendered import AUTOPILOT, STANDARD, cluster_of, named, objects_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.kubernetes.storage import disks

MANAGED = {"app.kubernetes.io/managed-by": "gke-tpu"}
SCRATCH = {"mount": "/scratch", "disk": {"type": "hyperdisk-balanced", "size_gib": 100}}
WEIGHTS = {"mount": "/weights", "disk": {"type": "hyperdisk-ml", "size_gib": 500, "access": "read_only_many"}}


def plan(*workloads: dict[str, Any], zone: str = "zone: us-east5-b", cluster: str = STANDARD, **more: Any) -> str:
    """A cluster with workloads ``w0``, ``w1``, ... that have these volumes."""
    run = {
        f"w{number}": {"slices": "pretrain", "image": "train", "volumes": volumes}
        for number, volumes in enumerate(workloads)
    }
    group = f"tpu: v6e, topology: 4x4, {zone}" if zone else "tpu: v6e, topology: 4x4"
    kubernetes = yaml.safe_dump({"kubernetes": {"workloads": run, **more}}, sort_keys=False)
    return f"{cluster}slices: {{pretrain: {{{group}}}}}\n{kubernetes}"


def rendered(*workloads: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    return objects_of(plan(*workloads, **options), disks)


def test_a_disk_is_a_claim_and_a_class_in_the_zone_of_the_slice() -> None:
    assert rendered({"scratch": SCRATCH}) == [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "tpu-hyperdisk-balanced-us-east5-b", "labels": MANAGED},
            "provisioner": "pd.csi.storage.gke.io",
            "parameters": {"type": "hyperdisk-balanced"},
            "allowVolumeExpansion": True,
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowedTopologies": [
                {"matchLabelExpressions": [{"key": "topology.gke.io/zone", "values": ["us-east5-b"]}]}
            ],
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "w0-scratch", "namespace": "default", "labels": MANAGED},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "tpu-hyperdisk-balanced-us-east5-b",
                "resources": {"requests": {"storage": "100Gi"}},
            },
        },
    ]


def test_a_disk_that_many_nodes_read_is_a_copy_of_a_snapshot() -> None:
    claims = named(rendered({"weights": WEIGHTS}), "PersistentVolumeClaim")
    source, shared = claims.pop("w0-weights-source"), claims.pop("w0-weights")
    assert claims == {}
    common = {
        "storageClassName": "tpu-hyperdisk-ml-us-east5-b",
        "resources": {"requests": {"storage": "500Gi"}},
    }
    assert source["spec"] == {"accessModes": ["ReadWriteOnce"], **common}
    assert shared["spec"] == {
        "accessModes": ["ReadOnlyMany"],
        **common,
        "dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "w0-weights"},
    }


def test_the_source_can_be_written_before_the_copy_is_created() -> None:
    names = [item["metadata"]["name"] for item in rendered({"weights": WEIGHTS})]
    assert names == ["tpu-hyperdisk-ml-us-east5-b", "w0-weights-source", "w0-weights"]


def test_workloads_share_the_class_of_a_type_and_come_after_all_classes() -> None:
    found = rendered({"a": SCRATCH, "b": WEIGHTS}, {"a": SCRATCH})
    assert [(item["kind"], item["metadata"]["name"]) for item in found] == [
        ("StorageClass", "tpu-hyperdisk-balanced-us-east5-b"),
        ("StorageClass", "tpu-hyperdisk-ml-us-east5-b"),
        ("PersistentVolumeClaim", "w0-a"),
        ("PersistentVolumeClaim", "w0-b-source"),
        ("PersistentVolumeClaim", "w0-b"),
        ("PersistentVolumeClaim", "w1-a"),
    ]


@pytest.mark.parametrize("volume", [{"mount": "/a", "claim": "existing"}, {"mount": "/a", "empty_dir": True}])
def test_other_volumes_have_no_objects(volume: dict[str, Any]) -> None:
    assert rendered({"a": volume}) == []


def test_without_a_zone_the_pod_decides() -> None:
    (found,) = named(rendered({"a": SCRATCH}, zone="", cluster=AUTOPILOT), "StorageClass").values()
    assert found["metadata"]["name"] == "tpu-hyperdisk-balanced"
    assert "allowedTopologies" not in found
    assert found["volumeBindingMode"] == "WaitForFirstConsumer"


def test_the_class_of_single_host_slices_allows_all_their_zones() -> None:
    text = plan({"a": SCRATCH}).replace(
        "topology: 4x4, zone: us-east5-b", "topology: 2x2, zones: [us-east5-b, us-east5-a]"
    )
    (found,) = named(objects_of(text, disks), "StorageClass").values()
    assert found["metadata"]["name"] == "tpu-hyperdisk-balanced-us-east5-b-us-east5-a"
    (allowed,) = found["allowedTopologies"]
    assert allowed["matchLabelExpressions"][0]["values"] == ["us-east5-b", "us-east5-a"]


def test_claims_are_in_the_namespace_of_their_workload() -> None:
    """A Pod can use only claims of its own namespace."""
    claims = named(rendered({"a": SCRATCH, "b": WEIGHTS}, namespace="research"), "PersistentVolumeClaim")
    assert {item["metadata"]["namespace"] for item in claims.values()} == {"research"}


def test_claims_follow_the_queue_of_their_workload() -> None:
    text = plan({"a": SCRATCH}, queues={"research": {"namespace": "research"}}).replace(
        "image: train", "image: train\n      queue: research"
    )
    (claim,) = named(objects_of(text, disks), "PersistentVolumeClaim").values()
    assert claim["metadata"]["namespace"] == "research"


def test_each_object_follows_from_the_disk_of_the_plan() -> None:
    objects = kubernetes_objects(cluster_of(plan({"a": SCRATCH})))
    assert objects is not None
    disk = ("clusters", "train", "kubernetes", "workloads", "w0", "volumes", "a", "disk")
    assert [(item.concern, item.path) for item in disks(objects, read_catalog())] == [("storage", disk)] * 2
