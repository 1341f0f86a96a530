"""Slices of cubes on the workers of a manager: a copy of a workload asks Kueue for what its original asked for."""

from typing import Any

import pytest
import yaml
from support.control_plane.cubes import Cubes
from support.control_plane.nodes import nodes_of, pools_of
from support.manifests import findings_in
from support.multikueue import clusters_of
from support.slices_of_cubes import plan_of_cubes

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.text.findings import Severity

LEVELS = 3


def plan_of(topology: str, kind: str = "jobset", count: int = 1) -> dict[str, Any]:
    """A manager with a workload, and two workers with cubes in a block of each."""
    plan = plan_of_cubes()
    (cluster,) = plan["clusters"].values()
    workers = {}
    for key, block in (("east", "one"), ("west", "two")):
        group = {**cluster["slices"][block], "node_labels": {}}
        operators = {"jobset": {}, "leaderworkerset": {}, "kueue": {}}
        kubernetes = {"operators": operators, "queues": {"lq": {}}}
        workers[key] = {**cluster, "slices": {"cubes": group}, "kubernetes": kubernetes}
    run = {"slices": "cubes", "topology": topology, "count": count, "image": "train:8", "queue": "lq", "kind": kind}
    hub = {
        "mode": "standard",
        "location": "us-central1",
        "kubernetes": {
            "operators": {"jobset": {}, "leaderworkerset": {}, "kueue": {}},
            "multikueue": {"workers": {"east": {}, "west": {}}},
            "queues": {"lq": {}},
            "workloads": {"run": run},
        },
    }
    return {**plan, "clusters": {"hub": hub, **workers}}


def objects(plan: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [item.object for item in manifests(clusters_of(plan)[key], read_catalog())]


@pytest.mark.parametrize(
    ("topology", "kind", "count", "hosts"),
    [
        ("4x4x4", "jobset", 2, [16, 16]),
        ("4x4x8", "jobset", 1, [32]),
        ("2x2x4", "jobset", 3, [4, 4, 4]),
        ("2x2x1", "jobset", 1, [1]),
    ],
)
def test_a_copy_runs_whole_on_a_worker(topology: str, kind: str, count: int, hosts: list[int]) -> None:
    plan = plan_of(topology, kind, count)
    (workload,) = [item for item in objects(plan, "hub") if item["metadata"]["name"] == "run" and "spec" in item]
    worker = objects(plan, "east")
    nodes = nodes_of(pools_of(clusters_of(plan)["east"]))
    nodes = [node for node in nodes if "google.com/tpu" in node["status"]["allocatable"]]
    for node in nodes:
        labels = node["metadata"]["labels"]
        labels |= {key.replace("-id", "-state"): "HEALTHY" for key in labels if "gke-tpu-partition" in key}
    (outcome,) = Cubes(nodes, worker).submit(workload)
    assert (outcome.state, [len(each) for each in outcome.slices]) == ("runs", hosts), outcome


def test_the_manager_forms_no_slices() -> None:
    """It has the Topology, without which Kueue takes no workload for the flavor, and no check of the controller."""
    hub, east = (objects(plan_of("2x2x2"), key) for key in ("hub", "east"))
    checks = {item["spec"]["controllerName"] for item in hub if item["kind"] == "AdmissionCheck"}
    assert checks == {"kueue.x-k8s.io/multikueue"}
    levels = [item["spec"]["levels"] for found in (hub, east) for item in found if item["kind"] == "Topology"]
    assert levels[0] == levels[1]
    assert len(levels[0]) > LEVELS, "parts of a cube that only the manager asks for"


@pytest.mark.parametrize("key", ["hub", "east"])
def test_check_has_no_findings(key: str) -> None:
    plan = plan_of("4x4x8")
    findings = findings_in(yaml.safe_dump_all(objects(plan, key)), plan=yaml.safe_dump(plan))
    assert [item for item in findings if item.severity is not Severity.NOTE] == []
