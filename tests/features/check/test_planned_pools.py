"""``gke-tpu check FILE --plan PLAN``: node pools of other tools against those of the plan, in each kind of file."""

import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from support.foreign_files import Made, address, answer, pulumi_state, terraform_plan, terraform_state, urn
from support.plan_edits import document
from support.raw_pools import REGIONAL, changed
from support.written import FORMATS_OF_FINDINGS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.builders.standard import fleet_graph
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.rules import check_plan

Write = Callable[[Iterable[Made]], bytes]
PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    node_service_account: nodes@acme-ml.iam.gserviceaccount.com
    slices:
      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: {reservation: v6e-pretrain}}
"""
WRITERS = {
    terraform_plan: ("placement_policy.tpu_topology", 'tpu_topology = "4x4"', address),
    terraform_state: (
        "placement_policy.tpu_topology",
        'tpu_topology = "4x4"',
        lambda *of: f"module.tpu.{address(*of)}",
    ),
    pulumi_state: ("placementPolicy.tpuTopology", "tpuTopology: 4x4", urn),
    answer: (
        "placementPolicy.tpuTopology",
        "tpuTopology: 4x4",
        lambda token, name: "projects/acme-ml/locations/us-east5/clusters/train/nodePools/pretrain-0",
    ),
}


def planned(**other: Any) -> dict[str, Any]:
    """The node pool of the plan as it is derived, with its cluster by name."""
    text = document(PLAN)
    checked = check_plan(text, read_catalog())
    assert checked.fleet is not None
    assert text.yaml is not None
    (pool,) = [
        item
        for item in fleet_graph(text.yaml.data, checked.fleet, read_catalog()).of_type(NODE_POOL)
        if item.inputs["name"] == "pretrain-0"
    ]
    return {**pool.inputs, "cluster": "train", **other}


def findings(gke_tpu: Any, tmp_path: pathlib.Path, content: bytes, *options: str) -> list[dict[str, Any]]:
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "fleet.json").write_bytes(content)
    run = gke_tpu("check", tmp_path / "fleet.json", "--plan", tmp_path / "plan.yaml", "--format", "json", *options)
    assert "Traceback" not in run.err
    return [each for each in json.loads(run.out)["findings"] if each["rule"].startswith("TPU89")]


def written(write: Write, pool: dict[str, Any]) -> bytes:
    return write([(CLUSTER, "train", {**REGIONAL, "name": "train"}), (NODE_POOL, "main", pool)])


@pytest.mark.parametrize("write", WRITERS)
def test_the_node_pool_of_the_plan_is_the_one_of_the_plan(gke_tpu: Any, write: Write, tmp_path: pathlib.Path) -> None:
    assert findings(gke_tpu, tmp_path, written(write, planned())) == []


@pytest.mark.parametrize("write", WRITERS)
def test_another_topology_is_an_error_at_its_place_in_the_file(
    gke_tpu: Any, write: Write, tmp_path: pathlib.Path
) -> None:
    pool = changed(planned(), {"placementPolicy.tpuTopology": "4x8"})
    content = written(write, pool)
    property_, fix, place = WRITERS[write]
    (found,) = [each for each in findings(gke_tpu, tmp_path, content) if "opology" in each["message"]]
    assert (found["rule"], found["severity"]) == ("TPU891", "error")
    said = f"{property_}: 4x8 here, 4x4 in slice group `train/pretrain` of the plan"
    assert found["message"] == f"{place(NODE_POOL, 'main')}: {said}"
    assert found["fix"] == fix
    line = content.decode().split("\n")[found["line"] - 1]
    assert line[found["column"] - 1 :].startswith('"4x8"')


@pytest.mark.parametrize("format", FORMATS_OF_FINDINGS)
def test_every_format_has_it(gke_tpu: Any, format: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    pool = changed(planned(), {"placementPolicy.tpuTopology": "4x8"})
    (tmp_path / "fleet.json").write_bytes(written(terraform_plan, pool))
    run = gke_tpu("check", tmp_path / "fleet.json", "--plan", tmp_path / "plan.yaml", "--format", format)
    assert run.code == 1
    assert "TPU891" in run.out


@pytest.mark.parametrize("write", WRITERS)
def test_a_node_pool_that_the_plan_does_not_have_is_a_note(gke_tpu: Any, write: Write, tmp_path: pathlib.Path) -> None:
    (found,) = findings(gke_tpu, tmp_path, written(write, planned(name="trial-0")))
    assert (found["rule"], found["severity"]) == ("TPU892", "note")


@pytest.mark.parametrize("write", WRITERS)
def test_a_node_pool_in_another_cluster_is_not_compared(gke_tpu: Any, write: Write, tmp_path: pathlib.Path) -> None:
    if write is answer:  # all its node pools are in one cluster
        return
    assert findings(gke_tpu, tmp_path, written(write, planned(cluster="other"))) == []


def test_a_plan_of_terraform_is_compared_as_it_is_after_the_apply(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    data = json.loads(written(terraform_plan, planned()))
    change = data["resource_changes"][-1]["change"]
    before = json.loads(json.dumps(change["after"]).replace('"4x4"', '"4x8"'))
    change |= {"actions": ["update"], "before": before}
    assert findings(gke_tpu, tmp_path, json.dumps(data).encode()) == []
    change |= {"actions": ["delete"], "before": before, "after": None}
    assert findings(gke_tpu, tmp_path, json.dumps(data).encode()) == []


def test_what_only_the_apply_knows_is_not_reported(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    data = json.loads(written(terraform_plan, changed(planned(), {"placementPolicy.tpuTopology": "4x8"})))
    data["resource_changes"][-1]["change"]["after_unknown"] = {"placement_policy": [{"tpu_topology": True}]}
    assert [
        each for each in findings(gke_tpu, tmp_path, json.dumps(data).encode()) if "opology" in each["message"]
    ] == []


def test_scripts_are_not_shown(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    pool = changed(planned(), {"nodeConfig.metadata": {"startup-script": "TOKEN=hunter2"}})
    found = findings(gke_tpu, tmp_path, written(terraform_plan, pool))
    assert "hunter" not in json.dumps(found)


def test_a_node_pool_without_tpus_is_named_as_one(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    plan = PLAN.replace("  train:\n", "  east:\n    name: train\n")
    plan += "    cpu_pools:\n      head: {machine_type: n2-standard-8, nodes: 3, zones: [us-east5-b]}\n"
    pool = {"name": "head", "cluster": "train", "location": "us-east5", "project": "acme-ml", "nodeCount": 9}
    (tmp_path / "plan.yaml").write_text(plan)
    (tmp_path / "fleet.json").write_bytes(written(terraform_state, pool))
    run = gke_tpu("check", tmp_path / "fleet.json", "--plan", tmp_path / "plan.yaml", "--format", "json")
    (found,) = [each for each in json.loads(run.out)["findings"] if "node_count" in each["message"]]
    assert found["message"].endswith("node_count: 9 here, 3 in node pool `east/cpu_pools/head` of the plan")
    other = changed(planned(), {"placementPolicy.tpuTopology": "4x8"})
    (tmp_path / "fleet.json").write_bytes(written(terraform_state, other))
    run = gke_tpu("check", tmp_path / "fleet.json", "--plan", tmp_path / "plan.yaml", "--format", "json")
    assert "4x4 in slice group `east/pretrain` of the plan" in run.out


def test_a_flag_is_found_by_the_whole_path_of_its_property(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    """Several flags set a property whose name ends with `enabled`."""
    queued = "capacity: queued"
    (tmp_path / "plan.yaml").write_text(PLAN.replace("capacity: {reservation: v6e-pretrain}", queued))
    (tmp_path / "up.sh").write_text(
        "gcloud container clusters create train --location=us-east5 --project=acme-ml\n"
        "gcloud container node-pools create pretrain-0 --cluster=train --location=us-east5 --project=acme-ml"
        " --node-locations=us-east5-b --machine-type=ct6e-standard-4t --tpu-topology=4x4 --num-nodes=0"
        " --no-enable-queued-provisioning\n"
    )
    run = gke_tpu("check", tmp_path / "up.sh", "--plan", tmp_path / "plan.yaml", "--format", "json")
    fixes = [each.get("fix") for each in json.loads(run.out)["findings"] if "queued-provisioning" in each["message"]]
    assert fixes == ["--enable-queued-provisioning"]


def test_the_fix_of_a_configuration_in_json_is_json(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    pool = {"name": "a", "node_count": 3, "placement_policy": [{"type": "COMPACT", "tpu_topology": "4x4"}]}
    pool["node_config"] = [{"machine_type": "ct6e-standard-4t"}]
    cluster = {"name": "c", "location": "us-east5", "min_master_version": "1.24"}
    pool["cluster"] = "${google_container_cluster.c.id}"
    data = {"resource": {"google_container_cluster": {"c": cluster}, "google_container_node_pool": {"a": pool}}}
    (tmp_path / "main.tf.json").write_text(json.dumps(data, indent=2))
    run = gke_tpu("check", tmp_path / "main.tf.json", "--format", "json")
    fixes = {each["rule"]: each.get("fix") for each in json.loads(run.out)["findings"]}
    assert fixes["TPU462"] == '"node_count": 4'
    assert fixes["TPU232"] == '"min_master_version": "1.34"'  # of the cluster that the node pool refers to
