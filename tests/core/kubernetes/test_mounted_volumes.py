"""Buckets, file systems and folders as volumes, in every Pod of every kind of workload."""

from typing import Any

import pytest
from support.rendered import named, values_of
from support.volumes import FILESTORE, KINDS, LUSTRE, PARALLELSTORE, SOURCES, objects_of, pod_templates, volume_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

FUSE = "gcsfuse.csi.storage.gke.io"
UNLIMITED = {f"gke-gcsfuse/{name}-limit": "0" for name in ("cpu", "memory", "ephemeral-storage")}
MOUNTING = {"gke-gcsfuse/volumes": "true"}
MODES = ("standard", "autopilot")
HEADS = {"leaderworkerset with a head": 1, "raycluster": 1, "rayjob": 1, "pathways": 1}


def rendered(source: str, kind: str = "jobset", mode: str = "standard", **more: Any) -> list[dict[str, Any]]:
    return objects_of(volume_plan({"w": (kind, {"data": {"mount": "/data", **SOURCES[source], **more}})}, mode))


def templates(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [template for item in items if item["kind"] != "Service" for template in pod_templates(item)]
    assert found
    return found


def volume_of(template: dict[str, Any]) -> dict[str, Any]:
    (volume,) = template["spec"]["volumes"]
    assert volume.pop("name") == "data"
    found: dict[str, Any] = volume
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_pod_of_a_workload_mounts_the_volume(kind: str, mode: str) -> None:
    found = templates(rendered("folder", kind, mode))
    assert len(found) == 1 + HEADS.get(kind, 0) + (kind == "leaderworkerset with a port")
    for template in found:
        assert volume_of(template)["csi"]["driver"] == FUSE
        wanted = {**MOUNTING, **(UNLIMITED if mode == "standard" else {})}
        assert wanted.items() <= template["metadata"]["annotations"].items()
        assert any(
            {"name": "data", "mountPath": "/data", "readOnly": True} in container["volumeMounts"]
            for container in template["spec"]["containers"]
        )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", ["bucket", "lustre", "parallelstore"])
def test_a_volume_does_not_change_where_pods_run_nor_what_they_request(source: str, kind: str, mode: str) -> None:
    """Volumes, their mounts and annotations are all that differs, so queues and placement are as without volumes."""
    without = objects_of(volume_plan({"w": (kind, {})}, mode))
    added = [item for item in rendered(source, kind, mode) if not item["kind"].startswith("PersistentVolume")]
    assert [bare(item) for item in added] == [bare(item) for item in without]


def bare(item: Any) -> Any:
    """The object without its volumes, and without the metadata of its Pod templates if these have no labels."""
    if isinstance(item, list):
        return [bare(inner) for inner in item]
    if not isinstance(item, dict):
        return item
    found = {key: bare(value) for key, value in item.items() if key not in ("volumes", "volumeMounts")}
    if "containers" in found.get("spec", {}) and "metadata" in found:
        metadata = {key: value for key, value in found["metadata"].items() if key != "annotations"}
        found = {**found, "metadata": metadata} if metadata else {**found}
        if not metadata:
            del found["metadata"]
    return found


@pytest.mark.parametrize(
    ("bucket", "options"),
    [
        ({}, "implicit-dirs"),
        ({"path": "a/b"}, "implicit-dirs,only-dir=a/b"),
        ({"mount_options": ["uid=1001", "gid=1002"]}, "uid=1001,gid=1002"),
        ({"mount_options": ["uid=1001"], "path": "a"}, "uid=1001,only-dir=a"),
        ({"mount_options": []}, None),
    ],
    ids=str,
)
def test_mount_options_of_a_bucket(bucket: dict[str, Any], options: str | None) -> None:
    volume = {"mount": "/data", "bucket": {"name": "acme-data", **bucket}}
    (template,) = templates(objects_of(volume_plan({"w": ("jobset", {"data": volume})})))
    attributes = {"bucketName": "acme-data", **({"mountOptions": options} if options else {})}
    assert volume_of(template) == {"csi": {"driver": FUSE, "volumeAttributes": attributes}}


HANDLES = {
    "filestore": ("filestore.csi.storage.gke.io", "modeInstance/us-east5-b/home/vol1"),
    "lustre": ("lustre.csi.storage.gke.io", "acme-ml/us-east5-b/scratch"),
    "parallelstore": (
        "parallelstore.csi.storage.gke.io",
        "acme-ml/us-east5-b/fast/default-pool/default-container",
    ),
}
ATTRIBUTES = {
    "filestore": {"ip": "10.2.0.2", "volume": "vol1"},
    "lustre": {"ip": "10.1.0.2", "filesystem": "lfs"},
    "parallelstore": {"accessPoints": "10.3.0.2,10.3.0.3"},
}


@pytest.mark.parametrize("source", HANDLES)
def test_a_file_system_is_a_volume_with_a_claim_of_its_own(source: str) -> None:
    items = rendered(source)
    ((name, volume),) = named(items, "PersistentVolume").items()
    ((claim_name, claim),) = named(items, "PersistentVolumeClaim").items()
    driver, handle = HANDLES[source]
    spec = volume["spec"]
    assert spec["csi"] == {"driver": driver, "volumeHandle": handle, "volumeAttributes": ATTRIBUTES[source]}
    assert spec["claimRef"] == {"namespace": "default", "name": claim_name}
    assert claim["spec"]["volumeName"] == name
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"
    assert spec.get("mountOptions") == (["enable-wb-cache"] if source == "parallelstore" else None)
    for one in (spec, claim["spec"]):
        assert (one["accessModes"], one["storageClassName"]) == (["ReadWriteMany"], "")
    assert spec["capacity"] == claim["spec"]["resources"]["requests"]
    (template,) = templates(items)
    assert volume_of(template) == {"persistentVolumeClaim": {"claimName": claim_name}}
    annotations = {"gke-parallelstore/volumes": "true"} if source == "parallelstore" else None
    assert template.get("metadata", {}).get("annotations") == annotations


def test_keys_of_an_instance_in_another_project() -> None:
    other = {**PARALLELSTORE, "project": "acme-storage", "network": "projects/acme/global/networks/tpu"}
    items = objects_of(volume_plan({"w": ("jobset", {"data": {"mount": "/data", "parallelstore": other}})}))
    (volume,) = named(items, "PersistentVolume").values()
    csi = volume["spec"]["csi"]
    assert csi["volumeHandle"] == "acme-storage/us-east5-b/fast/default-pool/default-container"
    assert csi["volumeAttributes"]["network"] == "projects/acme/global/networks/tpu"


def test_two_workloads_of_a_namespace_share_a_claim_and_those_of_another_have_their_own() -> None:
    shared = {"data": {"mount": "/data", "lustre": LUSTRE}, "again": {"mount": "/again", "lustre": LUSTRE}}
    other = {"scratch": {"mount": "/scratch", "lustre": LUSTRE, "read_only": True}}
    queues = {"queues": {"research": {"namespace": "research"}}}
    plan = volume_plan(
        {"a": ("jobset", shared), "b": ("raycluster", other), "c": ("jobset", other)},
        "standard",
        queues,
        c={"queue": "research"},
    )
    items = objects_of(plan)
    claims = [item["metadata"] for item in items if item["kind"] == "PersistentVolumeClaim"]
    assert [item["namespace"] for item in claims] == ["default", "research"]
    assert len({item["name"] for item in claims}) == 1
    volumes = named(items, "PersistentVolume")
    assert [item["spec"]["claimRef"]["namespace"] for item in volumes.values()] == ["default", "research"]
    assert {name.removesuffix(claims[0]["name"]) for name in volumes} == {"default-", "research-"}


@pytest.mark.parametrize(
    ("source", "plan"), [("filestore", FILESTORE), ("lustre", LUSTRE), ("parallelstore", PARALLELSTORE)]
)
def test_a_file_system_with_another_value_has_another_name(source: str, plan: dict[str, Any]) -> None:
    """Neither a volume nor a claim can change, and Pods that use the old ones go on."""
    others: dict[str, Any] = {
        "instance": "other", "location": "us-east5-a", "ip": "10.9.0.1", "share": "vol2", "filesystem": "other",
        "size_gib": 36000, "access_points": ["10.9.0.1"], "mount_options": [],
    }  # fmt: skip
    changed = [plan, *({**plan, key: value} for key, value in others.items() if key in plan)]
    names = [
        name
        for one in changed
        for name in named(
            objects_of(volume_plan({"w": ("jobset", {"data": {"mount": "/data", source: one}})})),
            "PersistentVolumeClaim",
        )
    ]
    assert len(set(names)) == len(changed)


def test_a_folder_of_the_node_is_created() -> None:
    (template,) = templates(rendered("node"))
    assert volume_of(template) == {"hostPath": {"path": "/var/tmp/cache", "type": "DirectoryOrCreate"}}


def test_the_longest_name_of_an_instance_fits() -> None:
    long = {**LUSTRE, "instance": "a" * 63}
    items = objects_of(volume_plan({"w": ("jobset", {"data": {"mount": "/data", "lustre": long}})}))
    (claim,) = named(items, "PersistentVolumeClaim")
    assert len(claim) <= 63


# Service accounts


def accounts_of(google: str | None, **queues: Any) -> list[dict[str, Any]]:
    account = {"service_accounts": {"trainer": {"google": google} if google else {}}, **queues}
    plan = volume_plan(
        {"a": ("jobset", {}), "b": ("raycluster", {})}, "standard", account,
        a={"service_account": "trainer"}, b={"service_account": "trainer", **({"queue": "q"} if queues else {})},
    )  # fmt: skip
    return [item for item in objects_of(plan) if item["kind"] == "ServiceAccount"]


@pytest.mark.parametrize(
    ("google", "email"),
    [
        (None, None),
        ("trainer@acme-ml.iam.gserviceaccount.com", "trainer@acme-ml.iam.gserviceaccount.com"),
        ("create", "gke-trainer-a8641d08@acme-ml.iam.gserviceaccount.com"),
    ],
)
def test_a_service_account_acts_as_a_google_service_account(google: str | None, email: str | None) -> None:
    (account,) = accounts_of(google)
    annotations = {"iam.gke.io/gcp-service-account": email} if email else None
    assert account["metadata"].get("annotations") == annotations
    assert (account["metadata"]["name"], account["metadata"]["namespace"]) == ("trainer", "default")


def test_a_service_account_is_in_the_namespaces_of_its_workloads() -> None:
    found = accounts_of("create", queues={"q": {"namespace": "research"}})
    assert [item["metadata"]["namespace"] for item in found] == ["default", "research"]
    assert len({str(values_of(item, "annotations")) for item in found}) == 1


def test_an_unused_service_account_is_in_the_namespace_of_the_plan() -> None:
    plan = volume_plan({"w": ("job", {})}, "standard", {"namespace": "team", "service_accounts": {"idle": {}}})
    (account,) = (item for item in objects_of(plan) if item["kind"] == "ServiceAccount")
    assert account["metadata"]["namespace"] == "team"


def test_service_accounts_come_before_what_uses_them() -> None:
    plan = volume_plan(
        {"w": ("job", {})}, "standard", {"namespace": "team", "service_accounts": {"trainer": {}}},
        w={"service_account": "trainer"},
    )  # fmt: skip
    kinds = [item["kind"] for item in objects_of(plan)]
    assert kinds[:2] == ["Namespace", "ServiceAccount"]


def test_accounts_of_two_clusters_differ() -> None:
    """Each cluster has its own Google service account, with only the roles that its workloads need."""
    plan = volume_plan({"w": ("job", {})}, "standard", {"service_accounts": {"trainer": {"google": "create"}}})
    cluster = plan["clusters"]["c"]
    plan["clusters"]["d"] = {**cluster, "name": "c2"}
    result = check_plan(parse_plan(plan), read_catalog(), None, rules=())
    assert result.fleet is not None
    found = [
        item.object["metadata"]["annotations"]
        for one in result.fleet.clusters
        for item in manifests(one, read_catalog())
        if item.kind == "ServiceAccount"
    ]
    assert len(found) == 2
    assert found[0] != found[1]
