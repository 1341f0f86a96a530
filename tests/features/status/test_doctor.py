"""``gke-tpu doctor``: what a plan needs and its project does not have, before it is created."""

import json
import pathlib
from collections.abc import Callable

import jsonschema
import pytest
from support.each import each
from support.fixtures.commands import Run
from support.snapshots import (
    PLANS,
    QUOTA,
    Answers,
    as_gke_shows,
    checked_plan,
    healthy,
    quota,
    reservation,
    snapshot_in,
    write,
)

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.features.status.capacity import inventory_data
from pulumi_gke_tpu.features.status.doctor import diagnosed
from pulumi_gke_tpu.features.status.folder import read_capacity
from pulumi_gke_tpu.features.status.model import Check, Diagnosed
from pulumi_gke_tpu.features.status.output.json import doctor_schema

PLAN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
      reserved:
        tpu: v6e
        topology: 4x4
        zone: us-east5-b
        capacity: {reservation: v6e-pretrain}
        node_service_account: nodes@acme-ml.iam.gserviceaccount.com
"""
CHECKED = checked_plan(PLAN)
ROLES = ("roles/container.defaultNodeServiceAccount", "roles/artifactregistry.reader")


def ready() -> Answers:
    """A project that has everything."""
    member = "serviceAccount:nodes@acme-ml.iam.gserviceaccount.com"
    roles = [{"bindings": {"role": role, "members": member}} for role in ROLES]
    return healthy(CHECKED) | {
        "reservations-acme-ml.json": [reservation(16)],
        QUOTA: quota(64),
        "roles-acme-ml.json": roles,
    }


def found_in(folder: pathlib.Path, change: Answers) -> Diagnosed:
    write(folder, ready() | change)
    return diagnosed(CHECKED, snapshot_in(folder, CHECKED))


def test_a_project_that_has_everything_has_no_problem(tmp_path: pathlib.Path) -> None:
    found = found_in(tmp_path, {})
    assert [each for each in found.checks if not each.ok] == []
    assert found.not_read == ()
    assert len(found.checks) >= 3


ELSEWHERE = [{"name": "ct6e-standard-4t", "zone": "x/us-east5-a"}]
OLD = {"channels": [{"channel": "REGULAR", "validVersions": ["1.28.1-gke.1"]}]}


@pytest.mark.parametrize(
    ("change", "what", "says"),
    [
        ({"services-acme-ml.json": []}, "APIs", "container.googleapis.com"),
        ({"machine-types-acme-ml.json": ELSEWHERE}, "machine type", "us-east5-b"),
        ({"roles-acme-ml.json": []}, "account of nodes", "lacks"),
        ({"reservations-acme-ml.json": [reservation(8)]}, "TPU804", "v6e-pretrain"),
        ({"reservations-acme-ml.json": [reservation(16) | {"name": "other"}]}, "TPU801", "v6e-pretrain"),
        ({"reservations-acme-ml.json": []}, "TPU801", "v6e-pretrain"),
        ({QUOTA: quota(16)}, "TPU811", "tpus_per_tpu_family"),
        ({"server-config-train.json": OLD}, "TPU", "1.28"),
    ],
)
def test_missing_items_are_named(tmp_path: pathlib.Path, change: Answers, what: str, says: str) -> None:
    wrong = [each for each in found_in(tmp_path, change).checks if not each.ok]
    assert any(what in each.what and says in f"{each.found} {each.fix}" for each in wrong), wrong


def problems(folder: pathlib.Path, plan: str, change: Answers) -> dict[str, str]:
    """The checks of a plan that fail in a project that has everything but for a change."""
    checked = checked_plan(plan)
    assert not checked.has_errors, checked.findings
    write(folder, healthy(checked) | change)
    found = diagnosed(checked, snapshot_in(folder, checked))
    return {each.what: f"{each.found}. {each.fix}" for each in found.checks if not each.ok}


@each("path", PLANS)
def test_a_fleet_as_its_plan_says_lacks_nothing(path: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    checked = checked_plan(path)
    if checked.fleet is None or checked.has_errors:
        pytest.skip("the plan has errors")
    found = status_in_doctor(tmp_path_factory.mktemp("snapshot"), checked)
    assert found == []


def status_in_doctor(folder: pathlib.Path, checked: CheckedPlan) -> list[Check]:
    """What the checks of the project itself say; reservations and quota are empty in these answers."""
    answers = healthy(checked)
    as_gke_shows(checked, answers)
    write(folder, answers)
    found = diagnosed(checked, snapshot_in(folder, checked))
    return [each for each in found.checks if not each.ok and not each.what.startswith(("TPU", "account of nodes"))]


SHARED = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    network: {network: net, subnetwork: tpu, pods_range: pods, services_range: services}
    slices:
      pretrain: {tpu: v6e, topology: 8x8, zone: us-east5-b, count: 4}
"""
"""Up to 64 hosts and 3 nodes of the system pool."""


def subnetwork(nodes: str, pods: str = "10.64.0.0/11", services: str = "10.96.0.0/20", name: str = "tpu") -> Answers:
    """A subnetwork with its ranges."""
    ranges = [{"rangeName": "pods", "ipCidrRange": pods}, {"rangeName": "services", "ipCidrRange": services}]
    entry = {"name": name, "region": "https://x/regions/us-east5", "network": "https://x/networks/net"}
    return {"subnetworks-acme-ml.json": [{**entry, "ipCidrRange": nodes, "secondaryIpRanges": ranges}]}


@pytest.mark.parametrize(
    ("change", "what", "says"),
    [
        (
            subnetwork("10.0.0.0/26"),
            "addresses of nodes in subnetwork tpu",
            "room for 60 nodes, but the plan has up to 67",
        ),
        (subnetwork("10.0.0.0/26"), "addresses of nodes in subnetwork tpu", "--prefix-length=25"),
        (subnetwork("10.0.0.0/24", "10.64.0.0/18"), "addresses of Pods in range pods", "use up to 17,152"),
        (subnetwork("10.0.0.0/24", services="10.96.0.0/28"), "addresses of Services in range services", "/27"),
        (subnetwork("10.0.0.0/24", name="other"), "subnetwork tpu of project acme-ml", "Set `subnetwork` to other"),
        ({"subnetworks-acme-ml.json": []}, "subnetwork tpu of project acme-ml", "network: create"),
    ],
)
def test_ranges_without_room_are_named(tmp_path: pathlib.Path, change: Answers, what: str, says: str) -> None:
    ((found, told),) = problems(tmp_path, SHARED, change).items()
    assert found.startswith(what)
    assert says in told


def test_ranges_of_the_exact_size_have_room(tmp_path: pathlib.Path) -> None:
    """67 nodes and 4 reserved addresses; 67 blocks of a /24 in a range of 128 of them."""
    assert problems(tmp_path, SHARED, subnetwork("10.0.0.0/25", "10.64.0.0/17")) == {}


def test_clusters_that_share_a_subnetwork_need_room_together(tmp_path: pathlib.Path) -> None:
    second = SHARED[SHARED.index("  train:") :].replace("train:", "more:")
    (told,) = problems(tmp_path, SHARED + second, subnetwork("10.0.0.0/25")).values()
    assert "has room for 124 nodes, but the plan has up to 134" in told


def test_the_subnetwork_of_a_host_project_is_read(tmp_path: pathlib.Path) -> None:
    place = "projects/net-host/regions/us-east5/subnetworks/tpu"
    plan = SHARED.replace(
        "network: net, subnetwork: tpu", f"network: projects/net-host/global/networks/net, subnetwork: {place}"
    )
    content = subnetwork("10.0.0.0/26")["subnetworks-acme-ml.json"]
    (told,) = problems(tmp_path, plan, {"subnetworks-net-host.json": content}).values()
    assert "--project=net-host" in told


CREATED = SHARED.replace(
    "network: {network: net, subnetwork: tpu, pods_range: pods, services_range: services}", "network: create"
)
GONE = {"cluster-train.json": "ERROR: code=404, message=Not found", "node-pools-train.json": "ERROR: code=404"}


WITH_POLICY = CREATED.replace("us-east5-b", "us-central1-c").replace("us-east5", "us-central1")
WITH_POLICY = WITH_POLICY.replace("v6e, topology: 8x8", "tpu7x, topology: 4x4x4")


def policy(topology: str) -> Answers:
    """A workload policy with the name of the one that is created for the slices."""
    fleet = checked_plan(WITH_POLICY).fleet
    assert fleet is not None
    name = fleet.clusters[0].groups[0].policy_name
    assert name is not None
    place = {"name": name, "region": "https://x/regions/us-central1"}
    return {"policies-acme-ml.json": [{**place, "workloadPolicy": {"acceleratorTopology": topology}}]}


def test_names_that_others_have_are_taken(tmp_path: pathlib.Path) -> None:
    of_others = subnetwork("10.9.0.0/20")["subnetworks-acme-ml.json"][0] | {"network": "https://x/networks/train"}
    assert [*problems(tmp_path / "a", CREATED, GONE | {"subnetworks-acme-ml.json": [of_others]})] == [
        "name of network train"
    ]
    cluster = healthy(checked_plan(SHARED))["cluster-train.json"] | {"autopilot": {"enabled": True}}
    assert [*problems(tmp_path / "b", SHARED, {"cluster-train.json": cluster})] == ["name of cluster train"]
    (told,) = problems(tmp_path / "c", WITH_POLICY, policy("4x4x8")).values()
    assert told.startswith("a policy already has this name, with topology 4x4x8")


def test_names_of_an_earlier_update_are_not_taken(tmp_path: pathlib.Path) -> None:
    """The network and the policy are there, as the plan says, and the cluster could not be created."""
    assert problems(tmp_path, WITH_POLICY, GONE | policy("4x4x4")) == {}


def test_a_reservation_shows_what_others_use_of_it(tmp_path: pathlib.Path) -> None:
    """The slice of the plan itself, which runs already, needs no further room."""
    shared = reservation(16, in_use=16) | {"shareSettings": {"projectMap": {"acme-serve": {}}}}
    found = found_in(tmp_path, {"reservations-acme-ml.json": [shared]})
    assert [each for each in found.checks if not each.ok] == []
    assert [each.found for each in found.checks if each.what == "reservation v6e-pretrain"] == [
        "0 of 16 chips in use outside the plan, shared with acme-serve"
    ]
    full = found_in(tmp_path / "b", {"reservations-acme-ml.json": [shared], "nodes-train.jsonl": {"items": []}})
    assert [each.what.partition(" ")[0] for each in full.checks if not each.ok] == ["TPU804"]


def test_the_name_of_a_failed_node_pool_is_taken(tmp_path: pathlib.Path) -> None:
    pools = healthy(CHECKED)["node-pools-train.json"]
    next(pool for pool in pools if pool["name"] == "pretrain-0")["status"] = "ERROR"
    (wrong,) = [each for each in found_in(tmp_path, {"node-pools-train.json": pools}).checks if not each.ok]
    assert wrong.fix.startswith("gcloud container node-pools delete ")


def test_the_command_says_what_was_not_read(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN, encoding="utf-8")
    write(tmp_path, ready())
    assert gke_tpu("doctor", tmp_path / "plan.yaml", "--snapshot", tmp_path).code == 0
    (tmp_path / "services-acme-ml.json").unlink()
    done = gke_tpu("doctor", tmp_path / "plan.yaml", "--snapshot", tmp_path, "--format", "json")
    assert done.code == 4
    jsonschema.Draft202012Validator(doctor_schema()).validate(json.loads(done.out))
    assert "read.sh did not read it" in done.out


IN_BLOCK = PLAN.replace("reservation: v6e-pretrain", "reservation: {name: v6e-pretrain, block: b-1, sub_block: s-1}")
LINK = "https://www.googleapis.com/compute/v1/projects/acme-ml/zones/us-east5-b/reservations/v6e-pretrain"
BLOCKS = "blocks-acme-ml.us-east5-b.v6e-pretrain.json"
PARTS = "sub-blocks-acme-ml.us-east5-b.v6e-pretrain.b-1.json"


def block(name: str, *, inside: str = "", count: int = 16, in_use: int = 4, **more: object) -> dict[str, object]:
    kind = "reservationSubBlocks" if inside else "reservationBlocks"
    above = f"{LINK}/reservationBlocks/{inside}" if inside else LINK
    healthy = {"status": "READY", "healthInfo": {"healthStatus": "HEALTHY"}}
    return {"name": name, "selfLink": f"{above}/{kind}/{name}", "count": count, "inUseCount": in_use, **healthy, **more}


def in_blocks(**more: object) -> Answers:
    """A reservation of VMs with two blocks; hosts of the plan use four VMs of the one that it names."""
    instance = {"instanceProperties": {"machineType": "ct6e-standard-4t"}, "count": "32", "inUseCount": "4"}
    named = {"name": "v6e-pretrain", "zone": "https://x/zones/us-east5-b", "selfLink": LINK}
    return {
        "reservations-acme-ml.json": [{**named, "specificReservation": instance}],
        QUOTA: quota(64),
        "roles-acme-ml.json": ready()["roles-acme-ml.json"],
        BLOCKS: [block("b-1"), block("b-2", in_use=0)],
        PARTS: [block("s-1", inside="b-1", **more)],  # type: ignore[arg-type]
    }


NO_HOSTS: Answers = {"nodes-train.jsonl": [], "node-pools-train.json": []}
DEGRADED = {"healthStatus": "DEGRADED", "degradedHostCount": 2}
ONGOING = {"upcomingGroupMaintenance": {"maintenanceStatus": "ONGOING", "windowStartTime": "2026-11-28T20:00:00Z"}}


@pytest.mark.parametrize(
    ("change", "what", "says"),
    [
        (in_blocks(), "", ""),
        (in_blocks(healthInfo=DEGRADED), "sub-block s-1 of reservation v6e-pretrain", "DEGRADED (2 hosts); 4 of 16"),
        (in_blocks(status="INVALID"), "sub-block s-1 of reservation v6e-pretrain", "its state is INVALID"),
        (in_blocks(reservationSubBlockMaintenance=ONGOING), "sub-block s-1", "maintenance since 2026-11-28T20:00:00Z"),
        (in_blocks() | {BLOCKS: [block("b-2")]}, "TPU808", "b-1"),
        (in_blocks() | {PARTS: [block("s-2", inside="b-1")]}, "TPU808", "s-1"),
        (in_blocks(in_use=16), "", ""),  # four of them are hosts of the plan
        (in_blocks(in_use=15) | NO_HOSTS, "TPU809", "sub-block `s-1`"),
        (in_blocks(in_use=13) | {BLOCKS: [block("b-1", in_use=13)]} | NO_HOSTS, "TPU809", "block `b-1`"),
    ],
)
def test_blocks_of_reservations_are_judged(tmp_path: pathlib.Path, change: Answers, what: str, says: str) -> None:
    found = problems(tmp_path, IN_BLOCK, change)
    assert bool(found) is bool(what), found
    assert not what or any(what in key and says in text for key, text in found.items()), found


def test_blocks_are_in_the_inventory_as_they_are(tmp_path: pathlib.Path) -> None:
    write(tmp_path, healthy(checked_plan(IN_BLOCK)) | in_blocks(in_use=15))
    (entry,) = inventory_data(read_capacity(tmp_path, CHECKED.catalog))["reservations"]
    assert entry["blocks"] == [
        {"name": "b-1", "vms": 16, "sub_blocks": [{"name": "s-1", "vms": 16}]},
        {"name": "b-2", "vms": 16},
    ]


def test_blocks_that_no_group_names_may_be_missing(tmp_path: pathlib.Path) -> None:
    refused = "ERROR: (gcloud.compute.reservations.blocks.list) 403: compute.reservationBlocks.list"
    write(tmp_path / "a", ready() | {BLOCKS: refused})
    assert diagnosed(CHECKED, snapshot_in(tmp_path / "a", CHECKED)).not_read == ()
    checked = checked_plan(IN_BLOCK)
    write(tmp_path / "b", healthy(checked) | in_blocks() | {BLOCKS: refused})
    (tmp_path / "b" / BLOCKS).unlink(missing_ok=True)
    (missing,) = diagnosed(checked, snapshot_in(tmp_path / "b", checked)).not_read
    assert missing.what == "the blocks of reservation v6e-pretrain of acme-ml"
