"""Rules about volumes of workloads, and about chips that the TPU DRA driver allocates."""

import datetime
import json
import math
from typing import Any

import pytest
from support.each import each
from support.kubernetes_plans import findings, told, workload
from support.matrix import GENERATIONS, facts
from support.rendered import values_of
from support.workload_plans import checked

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

TODAY = datetime.date(2026, 11, 20)

RUN = "kubernetes.workloads.run"


@pytest.mark.parametrize(
    ("keys", "slices", "expected"),
    [
        ("volumes: {a: {mount: /a}}", "serve", ["TPU716 volumes.a"]),
        ("volumes: {a: {mount: /a, claim: a, empty_dir: true}}", "serve", ["TPU716 volumes.a"]),
        ("volumes: {a: {mount: a, empty_dir: true}}", "serve", ["TPU716 volumes.a.mount"]),
        ("volumes: {a: {mount: '/a:b', empty_dir: true}}", "serve", ["TPU716 volumes.a.mount"]),
        ("volumes: {a: {mount: /a, claim: a}, b: {mount: /a/, claim: b}}", "serve", ["TPU716 volumes.b.mount"]),
        ("volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9}}}", "serve", []),
        (
            "volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9}}}",
            "pretrain",
            ["TPU717 volumes.a.disk.access"],
        ),
        ("volumes: {a: {mount: /a, disk: {type: pd-ssd, size_gib: 9}}}", "serve", ["TPU717 volumes.a.disk.type"]),
        ("volumes: {a: {mount: /a, disk: {type: hyperdisk-ml, size_gib: 9, access: read_only_many}}}", "pretrain", []),
        (
            "volumes: {a: {mount: /a, disk: {type: hyperdisk-balanced, size_gib: 9, access: read_only_many}}}",
            "pretrain",
            ["TPU717 volumes.a.disk.access"],
        ),
    ],
    ids=str,
)
def test_keys_of_a_workload(keys: str, slices: str, expected: list[str], catalog: Catalog) -> None:
    rules = [f"{rule} {RUN}.{path}" for rule, path in (item.split(" ") for item in expected)]
    assert sorted(told(workload(keys, slices), catalog)) == sorted(rules)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("kind: raycluster", ["1 Pod and the head cannot share a disk"]),
        ("kind: rayjob", ["1 Pod and the head cannot share a disk"]),
        ("kind: pathways", ["1 Pod and the head cannot share a disk"]),
        ("kind: leaderworkerset, head: {}", ["1 Pod and the head cannot share a disk"]),
        ("kind: leaderworkerset", []),
        ("kind: raycluster, count: 2", ["2 Pods and the head cannot share a disk"]),
        ("kind: deployment, count: 2", ["2 Pods cannot share a disk"]),
        ("kind: jobset", []),
        ("kind: pathways, pathways: {headless: true}", []),
    ],
    ids=str,
)
def test_a_head_is_on_another_node_than_the_slice(keys: str, expected: list[str], catalog: Catalog) -> None:
    """Both mount the volumes of the workload, and ReadWriteOnce attaches a disk to one node."""
    for access, messages in (("read_write_once", expected), ("read_only_many", [])):
        disk = f"{{type: hyperdisk-ml, size_gib: 9, access: {access}}}"
        text = workload(f"{keys}, volumes: {{a: {{mount: /a, disk: {disk}}}}}", "serve")
        found = [one.message for one in findings(text, catalog) if one.rule == "TPU717"]
        assert [message[: len(part)] for message, part in zip(found, messages, strict=True)] == messages


@pytest.mark.parametrize(
    ("group", "count", "expected"),
    [
        ("zones: [us-east5-a, us-east5-b], count: 4", 4, True),
        ("zones: [us-east5-a, us-east5-b], count: 4", 3, True),
        ("zones: [us-east5-a, us-east5-b], count: 4", 2, False),
        ("zone: us-east5-b, count: 4", 4, False),
        ("zones: [us-east5-b], count: 4", 4, False),
        ("zones: [us-east5-a, us-east5-b], count: {max: 4}", 4, False),
    ],
    ids=str,
)
def test_a_disk_reaches_the_nodes_of_one_zone(group: str, count: int, expected: bool, catalog: Catalog) -> None:
    disk = "disk: {type: hyperdisk-ml, size_gib: 9, access: read_only_many}"
    for volume, reported in ((disk, expected), ("claim: shared", False), ("empty_dir: true", False)):
        keys = f"slices: g, image: a, kind: deployment, count: {count}, volumes: {{w: {{mount: /w, {volume}}}}}"
        text = f"slices: {{g: {{tpu: v6e, topology: 2x2, {group}}}}}\nkubernetes: {{workloads: {{run: {{{keys}}}}}}}"
        found = findings(text, catalog, rules=("TPU325",))
        assert len(found) == reported, volume
        assert all(one.severity is Severity.ERROR and one.path[-1] == "disk" for one in found)


ACCESS = {"read_write_once": "ReadWriteOnce", "read_only_many": "ReadOnlyMany"}

DISKS = sorted(
    {disk for family in facts("disks")["families"].values() for key in ("boot", "attach") for disk in family[key]}
    | {"hyperdisk-balanced-high-availability", "hyperdisk-unknown"}
)

SHARED = {disk for disk in DISKS if disk.startswith("pd-")} | {"hyperdisk-ml"}


def rows() -> list[tuple[str, str, int]]:
    """Generation, machine type and hosts: the smallest and the largest slice of each machine family."""
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for generation in GENERATIONS:
        content = facts(f"generations/{generation}")
        for row in content["topologies"]["rows"]:
            machine = content["machine_types"][row["machine_type"]]
            if "standard" in row["modes"]:
                chips = math.prod(int(side) for side in row["topology"].split("x"))
                found.setdefault((generation, machine["family"]), []).append(
                    (chips // machine["chips"], f"{row['topology']} {row['machine_type']}")
                )
    return [
        (key[0], row, hosts) for key, items in found.items() for hosts, row in dict.fromkeys((min(items), max(items)))
    ]


def plan(generation: str, row: str, disk: dict[str, Any]) -> dict[str, Any]:
    topology, machine_type = row.split()
    family = facts(f"generations/{generation}")["machine_types"][machine_type]["family"]
    zone = facts("zones")["families"][family]["documented"]["zones"][0]
    group = {"tpu": generation, "topology": topology, "machine_type": machine_type, "zone": zone}
    workload = {"slices": "s", "image": "i", "volumes": {"data": {"mount": "/data", "disk": disk}}}
    cluster = {
        "mode": "standard",
        "location": zone.rpartition("-")[0],
        "slices": {"s": group},
        "kubernetes": {"workloads": {"w": workload}},
    }
    return {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}


@each(
    "generation, row, hosts, disk, access",
    [(*row, disk, access) for row in rows() for disk in DISKS for access in ACCESS],
)
def test_a_disk_is_accepted_exactly_where_it_attaches(
    generation: str, row: str, hosts: int, disk: str, access: str
) -> None:
    machine = facts(f"generations/{generation}")["machine_types"][row.split()[1]]
    known = facts("disks")["families"][machine["family"]]
    attaches = disk in known["attach"] and disk not in known.get("doubtful", [])
    fits = disk in SHARED if access == "read_only_many" else hosts == 1
    data = plan(generation, row, {"type": disk, "size_gib": 100, "access": access})
    found = check_plan(parse_plan(data), read_catalog(), None).findings
    refused = [finding for finding in found if finding.rule == "TPU717"]
    assert bool(refused) == (not (attaches and fits))
    if disk not in known["attach"] and known["confidence"] == "high" and disk not in known.get("contested", []):
        assert [finding.severity for finding in refused] == [Severity.ERROR]
    if refused:
        return
    (cluster,) = manifests_of(checked(data))
    objects = [item.object for item in cluster.manifests]
    zone = data["clusters"]["c"]["slices"]["s"]["zone"]
    assert values_of(objects, "values")[:1] == [[zone]], json.dumps(objects)
    assert values_of(objects, "accessModes")[-1] == [ACCESS[access]]


RULES = ("TPU328", "TPU329", "TPU711")


def plan_with_driver(group: str, workload: str, driver: str = "dynamic_resource_allocation") -> str:
    slices = f"slices: {{g: {{zone: us-east5-b, driver_mode: {driver}, {group}}}}}"
    work = f"workloads: {{run: {{slices: g, image: a, {workload}}}}}"
    return f"min_version: '1.35'\n{slices}\nkubernetes: {{queues: {{team: {{}}}}, {work}}}"


@pytest.mark.parametrize(
    ("group", "workload", "expected"),
    [
        ("tpu: v6e, topology: 2x2", "kind: job", []),
        ("tpu: v6e, topology: 2x2", "queue: team", ["TPU328"]),
        ("tpu: v6e, topology: 4x4", "kind: jobset", ["TPU329"]),
        ("tpu: v6e, topology: 4x4", "queue: team", ["TPU328", "TPU329"]),
        ("tpu: tpu7x, topology: 2x2x1", "containers: 2", ["TPU711"]),
        ("tpu: v6e, topology: 4x4, capacity: queued, count: {max: 1}", "queue: team", ["TPU328", "TPU329"]),
    ],
    ids=str,
)
def test_what_claims_cannot_do_is_a_warning(group: str, workload: str, expected: list[str], catalog: Catalog) -> None:
    found = findings(plan_with_driver(group, workload), catalog, rules=RULES)
    assert sorted(one.rule for one in found) == expected
    assert {one.severity for one in found} <= {Severity.WARNING}
    assert findings(plan_with_driver(group, workload, "device_plugin"), catalog, rules=RULES) == []


def test_queued_capacity_is_not_requested_for_claims(catalog: Catalog) -> None:
    group = "tpu: v6e, topology: 2x2, capacity: queued, count: {max: 1}"
    (found,) = findings(plan_with_driver(group, "queue: team"), catalog, rules=("TPU328",))
    assert "does not request the queued capacity" in found.message


def test_kueue_counts_claims_if_gke_tpu_configures_it(catalog: Catalog) -> None:
    text = plan_with_driver("tpu: v6e, topology: 2x2", "queue: team").replace(
        "queues:", "operators: {kueue: {}}, queues:"
    )
    assert findings(text, catalog, rules=("TPU328",)) == []
