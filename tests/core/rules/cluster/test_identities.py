"""Rules about the names of projects, service accounts, keys and topics."""

from typing import Any

import pytest
from support.checking import validate
from support.fixtures.checks import Broken, Check

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import Unknown, parse_plan

STANDARD = "mode: standard\nlocation: us-east5\n"

AUTOPILOT = "mode: autopilot\nlocation: us-east5\n"


@pytest.mark.parametrize(
    ("project", "expected"),
    [
        ("acme-ml", []),
        ("a23456", []),
        ("example.com:acme-ml", []),
        ("acme", ["TPU241"]),
        ("a" * 31, ["TPU241"]),
        ("acme-ml-", ["TPU241"]),
        ("Acme-ml", ["TPU241"]),
        ("'123456789012'", ["TPU241"]),
        ("projects/acme-ml", ["TPU241"]),
        ("''", ["TPU241"]),
    ],
)
def test_project_ids_have_their_form(project: str, expected: list[str], broken: Broken) -> None:
    text = f"version: 1\nproject: {project}\nclusters:\n  train: {{mode: standard, location: us-east5}}\n"
    assert broken(text) == expected


@pytest.mark.parametrize(
    ("account", "expected", "fix"),
    [
        ("create", [], ""),
        ("tpu-nodes@acme-ml.iam.gserviceaccount.com", [], ""),
        ("tpu-nodes@acme-ml.example.com.iam.gserviceaccount.com", [], ""),
        ("acme-ml@appspot.gserviceaccount.com", [], ""),
        ("default", ["TPU243"], "node_service_account: create"),
        ("1234-compute@developer.gserviceaccount.com", ["TPU243"], "node_service_account: create"),
        ("alice@example.com", ["TPU242"], "node_service_account: create"),
        ("tpu-nodes", ["TPU242"], "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com"),
        (
            "serviceAccount:tpu-nodes@acme-ml.iam.gserviceaccount.com",
            ["TPU242"],
            "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com",
        ),
        (
            "projects/acme-ml/serviceAccounts/tpu-nodes@acme-ml.iam.gserviceaccount.com",
            ["TPU242"],
            "node_service_account: tpu-nodes@acme-ml.iam.gserviceaccount.com",
        ),
        ("''", ["TPU242"], "node_service_account: create"),
        ("tpu@acme-ml.iam.gserviceaccount.com", [], ""),
        (f"{'a' * 31}@acme-ml.iam.gserviceaccount.com", ["TPU242"], ""),
        (f"{'a' * 30}@acme-ml.iam.gserviceaccount.com", [], ""),
        ("service-1234567890@gcp-sa-tpu.iam.gserviceaccount.com", [], ""),
    ],
)
def test_node_service_accounts_have_the_form_of_emails(
    account: str, expected: list[str], fix: str, check: Check
) -> None:
    key = f"node_service_account: {account}"
    places = (
        f"{STANDARD}{key}\n",
        f"{AUTOPILOT}{key}\n",
        f"{STANDARD}autoprovisioning: {{cpu: 100, memory_gib: 100, {key}}}\n",
        f"{STANDARD}cpu_pools: {{head: {{machine_type: n2-standard-4, max_nodes: 1, {key}}}}}\n",
        f"tpu: v6e\ntopology: 2x2\n{key}\n",
    )
    for text in places:
        findings = check(text)
        assert [finding.rule for finding in findings] == expected
        assert [finding.fix for finding in findings] == ([fix] if expected else [])
        assert all(finding.path[-1] == "node_service_account" for finding in findings)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/secrets", []),
        ("kms_key: projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/s/cryptoKeyVersions/1", ["TPU244"]),
        ("kms_key: gke/secrets", ["TPU244"]),
        ("kms_key: projects/acme-ml/locations/us-central1/keyRings/gke/cryptoKeys/secrets", ["TPU228"]),
        ("kms_key: projects/acme-ml/locations/global/keyRings/gke/cryptoKeys/secrets", ["TPU228"]),
        ("system_pool: {boot_disk_kms_key: gke/disks}", ["TPU244"]),
        ("cpu_pools: {a: {machine_type: n2-standard-8, max_nodes: 1, boot_disk: {kms_key: gke/disks}}}", ["TPU244"]),
        ("slices: {a: {tpu: v6e, chips: 4, zone: us-east5-b, boot_disk: {kms_key: gke/disks}}}", ["TPU244"]),
        ("notifications: projects/acme-ops/topics/upgrades", ["TPU245"]),
        ("notifications: projects/123456789012/topics/upgrades", []),
        ("notifications: projects/acme-ml/topics/google-news", ["TPU245"]),
        ("notifications: projects/acme-ml/topics/upgrades", []),
        ("notifications: projects/acme-ml/topics/-x", ["TPU245"]),
        ("notifications: projects/acme-ml/subscriptions/upgrades", ["TPU245"]),
        ("fleet: acme-fleet", []),
        ("fleet: '123456789012'", []),
        ("fleet: Fleet", ["TPU246"]),
    ],
)
def test_names_of_keys_topics_and_fleets_have_their_forms(keys: str, expected: list[str], broken: Broken) -> None:
    assert broken(STANDARD + keys) == expected


def test_the_fix_removes_the_version_of_a_key(check: Check) -> None:
    name = "projects/acme-ml/locations/us-east5/keyRings/gke/cryptoKeys/s"
    (finding,) = check(STANDARD + f"kms_key: {name}/cryptoKeyVersions/1")
    assert finding.fix == f"kms_key: {name}"


def test_unknown_values_are_not_checked(catalog: Catalog) -> None:
    cluster: dict[str, Any] = {"mode": "standard", "location": "us-east5"}
    for key in ("node_service_account", "kms_key", "notifications", "fleet"):
        cluster[key] = Unknown(output=object())
    cluster["control_plane"] = {"authorized_networks": {"office": Unknown(output=object())}}
    cluster["resource_labels"] = {"team": Unknown(output=object())}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    assert validate(document.content, catalog) == ()
