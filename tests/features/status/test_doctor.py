"""``gke-tpu doctor``: what a plan needs and its project does not have, before it is created."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from support.fixtures.commands import Run
from support.snapshots import Answers, checked_plan, healthy, snapshot_in, write

from pulumi_gke_tpu.features.status.doctor import diagnosed
from pulumi_gke_tpu.features.status.model import Diagnosed
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


def reservation(chips: int, in_use: int = 0) -> dict[str, Any]:
    """A reservation of chips of v6e."""
    amounts = [[{"accelerator": {"acceleratorCount": count}}] for count in (chips, in_use)]
    whole = {"vmFamily": "VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E", "workloadType": "UNSPECIFIED"}
    whole |= {"reservedResources": amounts[0], "inUseResources": amounts[1]}
    return {"name": "v6e-pretrain", "zone": "https://x/zones/us-east5-b", "aggregateReservation": whole}


def quota(limit: int) -> dict[str, Any]:
    details = {"dimensions": {"region": "us-east5", "tpu_family": "CT6E"}, "details": {"value": str(limit)}}
    return {"metric": "compute.googleapis.com/tpus_per_tpu_family", "dimensionsInfos": [details]}


QUOTA = "quota-acme-ml-TPUS-PER-TPU-FAMILY-per-project-region.json"


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
        ({QUOTA: quota(16)}, "TPU811", "tpus_per_tpu_family"),
        ({"server-config-train.json": OLD}, "TPU", "1.28"),
    ],
)
def test_missing_items_are_named(tmp_path: pathlib.Path, change: Answers, what: str, says: str) -> None:
    wrong = [each for each in found_in(tmp_path, change).checks if not each.ok]
    assert any(what in each.what and says in f"{each.found} {each.fix}" for each in wrong), wrong


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
