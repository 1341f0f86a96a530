"""``gke-tpu adopt --check``: a fleet equals its own plan, and each kind of drift is named and gives the exit code 1."""

import copy
import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest
from support.fixtures.commands import Run
from support.fleets import Fleet, adoptions, fleets
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.features.adopt.files import PLAN, files_of
from pulumi_gke_tpu.features.adopt.output.json import drift_schema

Command = Callable[..., Run]
Check = Callable[[Any], Run]
Change = Callable[[Any], object]

BY_NAME = {fleet.name: fleet for fleet in fleets()}


def written_plan(fleet: Fleet, folder: pathlib.Path) -> pathlib.Path:
    (adoption,) = adoptions(fleet)
    path = folder / "plan.yaml"
    path.write_text(files_of(adoption, read_catalog(), "prod")[PLAN], encoding="utf-8")
    return path


def checked(gke_tpu: Command, folder: pathlib.Path, fleet: Fleet, change: Change = lambda data: None) -> Run:
    data = json.loads(fleet.content)
    change(data)
    source = folder / "now.json"
    source.write_text(json.dumps(data), encoding="utf-8")
    return gke_tpu("adopt", source, "--check", written_plan(fleet, folder))


@pytest.mark.parametrize(
    "fleet", sample([fleet for fleet in fleets() if fleet.adopted], 14), ids=lambda fleet: fleet.name
)
def test_a_fleet_equals_its_own_plan(fleet: Fleet, gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    run = checked(gke_tpu, tmp_path, fleet)
    pools = "1 node pool" if fleet.adopted == 1 else f"{fleet.adopted} node pools"
    pools = f"{fleet.clusters} cluster and {pools}" if fleet.clusters else pools
    assert (run.code, run.err) == (0, "")
    assert run.out.startswith(f"{pools} as planned · 0 different\n")
    alone = [left for adoption in adoptions(fleet, slices_only=not fleet.clusters) for left in adoption.alone]
    assert ("Left alone:" in run.out) == bool(alone)


# An answer of GKE


def pool(name: str, **changes: Any) -> Change:
    """Set properties of a node pool; a value of None removes one. Two underscores are a dot."""

    def change(cluster: Any) -> None:
        (found,) = [item for item in cluster["nodePools"] if item["name"] == name]
        for path, value in changes.items():
            target, (*above, last) = found, path.split("__")
            for step in above:
                target = target.setdefault(step, {})
            if value is None:
                target.pop(last)
            else:
                target[last] = value

    return change


def gone(name: str) -> Change:
    def change(cluster: Any) -> None:
        cluster["nodePools"] = [item for item in cluster["nodePools"] if item["name"] != name]

    return change


def another(name: str, like: str, **changes: Any) -> Change:
    def change(cluster: Any) -> None:
        (found,) = [item for item in cluster["nodePools"] if item["name"] == like]
        made = {**copy.deepcopy(found), "name": name, **changes}
        made["selfLink"] = found["selfLink"].replace(f"/{like}", f"/{name}")
        cluster["nodePools"].append(made)

    return change


SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]
TPU_TAINT = {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"}
DRIFTS = {
    "topology": (
        pool("reserved", placementPolicy__tpuTopology="4x8"),
        "reserved: placementPolicy.tpuTopology is 4x8, and 4x4 in the plan",
    ),
    "machine type": (
        pool("reserved", config__machineType="ct6e-standard-8t"),
        "reserved: config.machineType is ct6e-standard-8t, and ct6e-standard-4t in the plan",
    ),
    "zone": (pool("sweep", locations=["us-east5-c"]), "sweep: locations[0] is us-east5-c, and us-east5-a in the plan"),
    "reservation": (
        pool("reserved", config__reservationAffinity__values=["other"]),
        "reserved: config.reservationAffinity.values[0] is other, and v6e-reservation in the plan",
    ),
    "capacity": (pool("sweep", config__spot=False), "sweep: config.spot is false, and true in the plan"),
    "scopes": (pool("reserved", config__oauthScopes=["https://a"]), "reserved: config.oauthScopes"),
    "label": (
        pool("sweep", config__labels={"team": "x"}),
        "sweep: config.labels.team is x, and research in the plan",
    ),
    "upgrades": (
        pool("reserved", management__autoUpgrade=False),
        "reserved: management.autoUpgrade is false, and true in the plan",
    ),
    "limit": (pool("sweep", autoscaling__maxNodeCount=4), "sweep: autoscaling.maxNodeCount is 4, and 3 in the plan"),
    "status": (pool("reserved", status="ERROR"), "reserved: status ERROR"),
    "missing": (gone("sweep"), "Only in the plan:\n- sweep"),
    "additional": (another("more", like="reserved"), "Not in the plan:\n- more"),
    "additional, without TPUs": (
        another("cpu", like="sweep", config={"machineType": "e2-standard-4", "oauthScopes": SCOPES}),
        "Not in the plan:\n- cpu",
    ),
    "additional, of a fixed size": (
        another(
            "cpu",
            like="sweep",
            autoscaling={},
            config={"machineType": "n2-standard-8", "spot": True, "oauthScopes": SCOPES},
        ),
        "Not in the plan:\n- cpu",
    ),
    "taint": (
        pool("reserved", config__taints=[TPU_TAINT, {"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]),
        "reserved: config.taints is [{key: team, value: a, effect: NO_SCHEDULE}], and not set in the plan",
    ),
}


@pytest.mark.parametrize("drift", DRIFTS)
def test_each_kind_of_drift(drift: str, gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    change, text = DRIFTS[drift]
    run = checked(gke_tpu, tmp_path, BY_NAME["gcloud_v6e"], change)
    assert (run.code, run.err) == (1, "")
    assert text in re.sub(r"\n +", " ", run.out)


STAYS = {
    "version of nodes": pool("reserved", version="1.34.9-gke.1"),
    "failed pool": another("failed", like="reserved", status="ERROR"),
    "pool of auto-provisioning": another("nap-1", like="reserved", autoscaling={"autoprovisioned": True}),
    "pool with GPUs": another(
        "gpu",
        like="broken",
        status="RUNNING",
        config={"machineType": "a2-highgpu-1g", "accelerators": [{"acceleratorType": "nvidia-tesla-a100"}]},
    ),
    "taint of GKE": pool("reserved", config__taints=[TPU_TAINT]),
    "order": lambda cluster: cluster["nodePools"].reverse(),
}
"""What does not count: GKE upgrades nodes, and an adoption leaves the rest alone."""


@pytest.mark.parametrize("stays", STAYS)
def test_what_does_not_count_as_drift(stays: str, gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    run = checked(gke_tpu, tmp_path, BY_NAME["gcloud_v6e"], STAYS[stays])
    assert (run.code, run.out.splitlines()[0]) == (0, "1 cluster and 2 node pools as planned · 0 different")


def test_the_title_counts_every_kind(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    def change(cluster: Any) -> None:
        pool("reserved", placementPolicy__tpuTopology="4x8")(cluster)
        another("more", like="sweep")(cluster)
        gone("sweep")(cluster)

    run = checked(gke_tpu, tmp_path, BY_NAME["gcloud_v6e"], change)
    assert (run.code, run.out.splitlines()[0]) == (
        1,
        "1 cluster and 0 node pools as planned · 1 different · 1 missing · 1 not in the plan",
    )


def test_metadata_of_nodes_is_not_shown(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    run = checked(gke_tpu, tmp_path, BY_NAME["gcloud_v6e"], pool("reserved", config__metadata={"startup": "s3cret"}))
    assert "s3cret" not in run.out + run.err


def test_node_pools_of_another_cluster_do_not_count(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    fleet = BY_NAME["gcloud_v6e"]
    plan = written_plan(fleet, tmp_path)
    here = json.loads(fleet.content)
    there = json.loads(json.dumps(here).replace("clusters/training", "clusters/other"))
    there["name"] = "other"
    source = tmp_path / "all.json"
    source.write_text(json.dumps([here, there]), encoding="utf-8")
    run = gke_tpu("adopt", source, "--check", plan)
    assert run.code == 0
    assert "- reserved, sweep and broken: not in a cluster of the plan\n" in run.out


def test_a_pool_that_adoption_left_alone_does_not_count(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    manual = another("manual", like="reserved", management={"autoRepair": True})
    run = checked(gke_tpu, tmp_path, BY_NAME["gcloud_v6e"], manual)
    assert (run.code, "- manual: TPU429" in run.out) == (0, True)


def test_a_plan_that_creates_the_service_account_is_compared(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    fleet = BY_NAME["gcloud_v6e"]
    plan = written_plan(fleet, tmp_path)
    adopted = "    adopted: true\n"
    plan.write_text(plan.read_text().replace(adopted, f"{adopted}    node_service_account: create\n", 1))
    source = tmp_path / "now.json"
    source.write_bytes(fleet.content)
    run = gke_tpu("adopt", source, "--check", plan)
    assert (run.code, run.err) == (1, "")
    assert re.search(r"reserved: config.serviceAccount is default, and\s+gke-training-\w+@my-project.iam", run.out)


def test_json_has_what_the_page_shows(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    fleet = BY_NAME["gcloud_v6e"]
    data = json.loads(fleet.content)
    pool("reserved", placementPolicy__tpuTopology="4x8", config__metadata={"startup": "s3cret"})(data)
    another("more", like="sweep")(data)
    source = tmp_path / "now.json"
    source.write_text(json.dumps(data))
    run = gke_tpu("adopt", source, "--check", written_plan(fleet, tmp_path), "--format", "json")
    found = json.loads(run.out)
    jsonschema.validate(found, drift_schema())
    assert (run.code, found["differs"], "s3cret" in run.out) == (1, True, False)
    assert (found["as_planned"], found["unplanned"]) == (["sweep"], ["more"])
    ((topology,),) = ([item["differences"] for item in found["different"]],)
    assert topology[0] == {"property": "placementPolicy.tpuTopology", "now": "4x8", "planned": "4x4"}


# A state of Terraform, which also has the present number of nodes


def attribute(name: str, **changes: Any) -> Change:
    def change(state: Any) -> None:
        found = [item["values"] for item in state["values"]["root_module"]["resources"]]
        (values,) = [item for item in found if item["name"] == name]
        for key, value in changes.items():
            values[key] = value if not isinstance(value, dict) else [{**values[key][0], **value}]

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (attribute("hosts", node_count=3), "hosts: node_count is 3, and 2 in the plan"),
        (
            attribute("reserved", placement_policy={"tpu_topology": "4x8"}),
            "reserved: placement_policy.tpu_topology is 4x8",
        ),
        (attribute("elastic", autoscaling={"max_node_count": 4}), "elastic: autoscaling.max_node_count is 4, and 2 in"),
    ],
    ids=["count", "topology", "limit"],
)
def test_drift_in_a_state_of_terraform(change: Change, text: str, gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    run = checked(gke_tpu, tmp_path, BY_NAME["terraform_pools"], change)
    assert (run.code, run.err) == (1, "")
    assert text in run.out


def test_an_invalid_plan_is_reported_and_not_compared(gke_tpu: Command, tmp_path: pathlib.Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("version: 1\nproject: acme-ml\nclusters: {training: {mode: standard, slices: {train: {}}}}\n")
    source = tmp_path / "now.json"
    source.write_bytes(BY_NAME["gcloud_v6e"].content)
    run = gke_tpu("adopt", source, "--check", plan)
    assert run.code != 0
    assert "as planned" not in run.out
