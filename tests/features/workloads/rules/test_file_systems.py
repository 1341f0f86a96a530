"""Rules about Filestore, Managed Lustre and Parallelstore as volumes."""

import datetime
from typing import Any

import pytest
from support.volumes import FILESTORE, LUSTRE, PARALLELSTORE, volume_plan

from pulumi_gke_tpu.core.catalog import Catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity, format_path

TODAY = datetime.date(2026, 11, 20)
OWN = tuple(f"TPU{number}" for number in range(694, 698))
PLANS = {"filestore": FILESTORE, "lustre": LUSTRE, "parallelstore": PARALLELSTORE}


def findings(volumes: dict[str, dict[str, Any]], catalog: Catalog, **cluster: Any) -> list[Finding]:
    """What is reported for workloads, each with its volumes."""
    data = volume_plan({name: ("jobset", items) for name, items in volumes.items()})
    data["clusters"]["c"].update({"addons": list(PLANS), **cluster})
    document = parse_plan(data)
    assert document.findings == ()
    return [item for item in check_plan(document, catalog, TODAY).findings if item.rule in OWN]


def of(source: str, **changes: Any) -> dict[str, Any]:
    return {"mount": f"/{len(str(changes))}", source: {**PLANS[source], **changes}}


def told(found: list[Finding]) -> list[str]:
    return [f"{item.rule} {format_path(item.path[4:])}" for item in found]


@pytest.mark.parametrize("source", PLANS)
@pytest.mark.parametrize(
    ("location", "severity"),
    [("us-east5-b", None), ("us-east5-a", Severity.NOTE), ("us-central1-a", Severity.WARNING)],
)
def test_places(source: str, location: str, severity: Severity | None, catalog: Catalog) -> None:
    found = findings({"w": {"data": of(source, location=location)}}, catalog)
    assert [(item.rule, item.severity) for item in found] == ([("TPU694", severity)] if severity else [])


@pytest.mark.parametrize(("location", "count"), [("us-east5", 0), ("us-central1", 1)])
def test_a_filestore_instance_can_be_regional(location: str, count: int, catalog: Catalog) -> None:
    assert len(findings({"w": {"data": of("filestore", location=location)}}, catalog)) == count


@pytest.mark.parametrize(
    ("network", "count"), [("tpu", 0), ("projects/acme/global/networks/tpu", 0), ("other", 1), (None, 0)]
)
def test_networks(network: str | None, count: int, catalog: Catalog) -> None:
    existing = {"existing": {"network": "tpu", "subnetwork": "a", "pods_range": "p", "services_range": "s"}}
    stated = {"network": network} if network else {}
    found = findings({"w": {"data": of("parallelstore", **stated)}}, catalog, network=existing)
    assert told(found) == ["TPU694 w.volumes.data.parallelstore.network"] * count


@pytest.mark.parametrize("source", PLANS)
def test_two_descriptions_of_one_instance(source: str, catalog: Catalog) -> None:
    address: dict[str, Any] = {"access_points": ["10.9.9.9"]} if source == "parallelstore" else {"ip": "10.9.9.9"}
    one = {"data": of(source)}
    assert findings({"a": one, "b": one}, catalog) == []
    found = findings({"a": one, "b": {"data": of(source, **address, size_gib=5)}}, catalog)
    (key,) = address
    expected = [f"TPU695 b.volumes.data.{source}.{name}" for name in (key, "size_gib")]
    assert sorted(told(found)) == sorted(expected)
    assert all(item.severity is Severity.ERROR for item in found)


def test_instances_in_two_locations_are_two_file_systems(catalog: Catalog) -> None:
    volumes = {"a": of("filestore"), "b": of("filestore", location="us-east5-c", ip="10.4.0.2")}
    assert "TPU695" not in " ".join(told(findings({"w": volumes}, catalog)))


def test_a_pod_cannot_mount_two_lustre_file_systems_of_one_name(catalog: Catalog) -> None:
    other = of("lustre", instance="other", ip="10.1.0.9")
    assert told(findings({"w": {"a": of("lustre"), "b": other}}, catalog)) == ["TPU696 w.volumes.b.lustre.filesystem"]
    assert findings({"w": {"a": of("lustre")}, "v": {"b": other}}, catalog) == []
    assert findings({"w": {"a": of("lustre"), "b": {**of("lustre"), "mount": "/again"}}}, catalog) == []


@pytest.mark.parametrize(
    ("source", "changes", "keys"),
    [
        ("lustre", {"instance": "Scratch"}, ["instance"]),
        ("lustre", {"instance": "a" * 64}, []),
        ("lustre", {"instance": "a" * 65}, ["instance"]),
        ("lustre", {"location": "us-east5"}, ["location"]),
        ("parallelstore", {"location": "us-east5"}, ["location"]),
        ("filestore", {"location": "Ohio"}, ["location"]),
        ("lustre", {"ip": "10.1.0"}, ["ip"]),
        ("filestore", {"ip": "fd00::1"}, ["ip"]),
        ("parallelstore", {"access_points": ["10.3.0.2", "x"]}, ["access_points[1]"]),
        ("filestore", {"share": "/vol1"}, ["share"]),
        ("lustre", {"filesystem": "a b"}, ["filesystem"]),
        ("lustre", {"filesystem": ""}, ["filesystem"]),
    ],
    ids=str,
)
def test_forms(source: str, changes: dict[str, Any], keys: list[str], catalog: Catalog) -> None:
    found = findings({"w": {"data": of(source, **changes)}}, catalog)
    assert told(found) == [f"TPU697 w.volumes.data.{source}.{key}" for key in keys]
