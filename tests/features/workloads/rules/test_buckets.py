"""Rules about buckets as volumes and about service accounts of Pods."""

import datetime
from typing import Any

import pytest
from support.volumes import LUSTRE, SOURCES, volume_plan

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path

TODAY = datetime.date(2026, 11, 20)
OWN = tuple(f"TPU{number}" for number in (242, 281, *range(690, 698), 701, 716))
W = "kubernetes.workloads.w.volumes"
TRAINER: dict[str, Any] = {"service_accounts": {"trainer": {"google": "create"}}}
USES_TRAINER = {"service_account": "trainer"}


def plan(
    volumes: dict[str, Any], mode: str = "standard", kubernetes: dict[str, Any] | None = None, **cluster: Any
) -> dict[str, Any]:
    found = volume_plan({"w": ("jobset", volumes)}, mode, TRAINER if kubernetes is None else kubernetes, w=USES_TRAINER)
    found["clusters"]["c"].update(cluster)
    return found


def findings(data: dict[str, Any], catalog: Catalog) -> list[Finding]:
    document = parse_plan(data)
    assert document.findings == ()
    return [item for item in check_plan(document, catalog, TODAY).findings if item.rule in OWN]


def told(data: dict[str, Any], catalog: Catalog) -> list[str]:
    return [f"{item.rule} {format_path(item.path[2:])}" for item in findings(data, catalog)]


def mounted(source: str) -> dict[str, Any]:
    return {"data": {"mount": "/data", **SOURCES[source]}}


ADDONS = {"bucket": "gcs_fuse", "filestore": "filestore", "lustre": "lustre", "parallelstore": "parallelstore"}
ALWAYS_ON_AUTOPILOT = ("bucket", "parallelstore")


@pytest.mark.parametrize("source", ADDONS)
def test_a_volume_needs_its_add_on(source: str, catalog: Catalog) -> None:
    with_addon = {"addons": [ADDONS[source]]}
    assert told(plan(mounted(source)), catalog) == ["TPU690 addons"]
    assert told(plan(mounted(source), **with_addon), catalog) == []
    missing = [] if source in ALWAYS_ON_AUTOPILOT else ["TPU690 addons"]
    assert told(plan(mounted(source), "autopilot"), catalog) == missing
    (finding,) = findings(plan(mounted(source), addons=["gke_backup"]), catalog)
    assert finding.fix is not None
    assert finding.fix == f"addons: [gke_backup, {ADDONS[source]}]"


def test_add_ons_of_an_existing_cluster_are_not_known(catalog: Catalog) -> None:
    data = plan(mounted("bucket"))
    data["clusters"]["c"] = {
        key: value for key, value in data["clusters"]["c"].items() if key not in ("network", "cpu_pools")
    } | {"existing": "projects/acme-ml/locations/us-east5/clusters/c1"}
    document = parse_plan(data)
    found = [item.rule for item in check_plan(document, catalog, TODAY).findings]
    assert "TPU690" not in found


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_bucket_without_a_service_account(mode: str, catalog: Catalog) -> None:
    data = plan(mounted("bucket"), mode, **({"addons": ["gcs_fuse"]} if mode == "standard" else {}))
    assert told(data, catalog) == []
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"].pop("service_account")
    (finding,) = findings(data, catalog)
    assert (finding.rule, finding.severity) == ("TPU691", Severity.WARNING)
    assert format_path(finding.path[2:]) == f"{W}.data.bucket"
    assert "namespace `default`" in finding.message


def test_file_systems_need_no_service_account(catalog: Catalog) -> None:
    data = plan(mounted("lustre"), addons=["lustre"])
    data["clusters"]["c"]["kubernetes"]["workloads"]["w"].pop("service_account")
    assert told(data, catalog) == []


@pytest.mark.parametrize(("google", "warned"), [("create", True), ("a@p.iam.gserviceaccount.com", True), (None, False)])
def test_a_google_service_account_needs_workload_identity(google: str | None, warned: bool, catalog: Catalog) -> None:
    accounts = {"service_accounts": {"trainer": {"google": google} if google else {}}}
    off = {"security": {"workload_identity": False}}
    assert told(plan({}, kubernetes=accounts, **off), catalog) == (
        ["TPU692 security.workload_identity"] if warned else []
    )
    assert told(plan({}, kubernetes=accounts), catalog) == []


@pytest.mark.parametrize(
    ("bucket", "expected"),
    [
        ({"name": "acme-data"}, []),
        ({"name": "acme.example.com_data"}, []),
        ({"name": "gs://acme-data"}, ["name"]),
        ({"name": "gs://acme-data/a/b"}, ["name"]),
        ({"name": "Acme"}, ["name"]),
        ({"name": ""}, ["name"]),
        ({"name": "acme", "path": "/a"}, ["path"]),
        ({"name": "acme", "path": "a/b/"}, []),
        ({"name": "acme", "path": "/"}, ["path"]),
        ({"name": "acme", "path": "a,b"}, ["path"]),
        ({"name": "acme", "mount_options": ["implicit-dirs", "file-cache:max-size-mb:-1", "uid=1001"]}, []),
        ({"name": "acme", "mount_options": ["--implicit-dirs"]}, ["mount_options[0]"]),
        ({"name": "acme", "mount_options": ["uid=1,gid=2"]}, ["mount_options[0]"]),
        ({"name": "acme", "mount_options": ["implicit-dirs", "key-file=/a"]}, ["mount_options[1]"]),
        ({"name": "acme", "mount_options": ["log-format:json"]}, ["mount_options[0]"]),
        ({"name": "acme", "mount_options": ["only-dir=a"]}, ["mount_options[0]"]),
        ({"name": "acme", "mount_options": [""]}, ["mount_options[0]"]),
    ],
    ids=str,
)
def test_forms_of_buckets(bucket: dict[str, Any], expected: list[str], catalog: Catalog) -> None:
    data = plan({"data": {"mount": "/data", "bucket": bucket}}, addons=["gcs_fuse"])
    assert told(data, catalog) == [f"TPU693 {W}.data.bucket.{key}" for key in expected]


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("gs://acme-data", "name: acme-data"),
        ("gs://acme-data/a/b/", "name: acme-data\npath: a/b"),
        ("Acme", None),
    ],
)
def test_the_fix_of_a_bucket_name(name: str, fix: str | None, catalog: Catalog) -> None:
    (finding,) = findings(plan({"data": {"mount": "/data", "bucket": {"name": name}}}, addons=["gcs_fuse"]), catalog)
    assert (finding.fix or None) == fix


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        ({"bucket": {"name": "acme"}, "empty_dir": True}, ["TPU716 V"]),
        ({"lustre": LUSTRE, "claim": "a"}, ["TPU716 V"]),
        ({"empty_dir": True, "read_only": True}, ["TPU716 V.read_only"]),
        ({"host_path": "cache"}, ["TPU716 V.host_path"]),
        ({"host_path": "/a/../b"}, ["TPU716 V.host_path"]),
        ({"host_path": "/var/tmp"}, []),
    ],
    ids=str,
)
def test_sources_of_volumes(volume: dict[str, Any], expected: list[str], catalog: Catalog) -> None:
    data = plan({"data": {"mount": "/data", **volume}}, addons=["gcs_fuse", "lustre"])
    assert told(data, catalog) == [item.replace("V", f"{W}.data") for item in expected]


def test_autopilot_has_no_folders_of_the_node(catalog: Catalog) -> None:
    assert told(plan(mounted("node"), "autopilot"), catalog) == [f"TPU281 {W}.data.host_path"]


@pytest.mark.parametrize(
    ("accounts", "expected"),
    [
        ({"Trainer": {}}, ["TPU701 kubernetes.service_accounts.Trainer"]),
        ({"trainer": {"google": "alice"}}, ["TPU242 kubernetes.service_accounts.trainer.google"]),
        ({"trainer": {"google": "trainer@acme-ml.iam.gserviceaccount.com"}}, []),
    ],
    ids=str,
)
def test_names_of_service_accounts(accounts: dict[str, Any], expected: list[str], catalog: Catalog) -> None:
    assert told(plan({}, kubernetes={"service_accounts": accounts}), catalog) == expected


def test_the_fix_of_an_email_sets_the_key_of_the_service_account(catalog: Catalog) -> None:
    (finding,) = findings(plan({}, kubernetes={"service_accounts": {"trainer": {"google": "alice"}}}), catalog)
    assert finding.fix == "google: alice@acme-ml.iam.gserviceaccount.com"
