"""Queued capacity for every kind of workload: Kueue requests it for one set of Pods with chips, with their duration.

What Kueue makes of an object is followed by the model of the tests, not by the code that writes it.
"""

from typing import Any, get_args

import pytest
from support.kubernetes_model.units import queued_workloads
from support.workload_plans import HEADS, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.kubernetes import Kind
from pulumi_gke_tpu.core.rules import check_plan

DURATION = "provreq.kueue.x-k8s.io/maxRunDurationSeconds"
QUEUED = {"capacity": {"flex_start": {"queued": True, "max_run_duration": "3h"}}, "count": {"max": 2}}
WAYS: dict[str, dict[str, Any]] = {kind: {"kind": kind} for kind in get_args(Kind)} | {
    "leaderworkerset with a port": {"kind": "leaderworkerset", "port": 80},
    "leaderworkerset with a head": {"kind": "leaderworkerset", "port": 80, "head": {"cpu": 2}},
    "deployment with a port": {"kind": "deployment", "port": 80},
}
MODES = ("standard", "autopilot")


def queued(way: str, topology: str, mode: str) -> dict[str, Any]:
    group = {"tpu": "v6e", "topology": topology, **QUEUED, **({"zone": "us-east5-b"} if mode == "standard" else {})}
    pools = {"cpu_pools": {"heads": HEADS}, "addons": ["ray_operator"]} if mode == "standard" else {}
    work = {"slices": "later", "count": 2, "queue": "team", "command": ["run"], **WAYS[way]}
    return workload_plan({"later": group}, {"w": work}, mode=mode, kubernetes={"queues": {"team": {}}}, **pools)


CASES = [
    (way, topology, mode)
    for way in WAYS
    for topology in ("2x2", "4x4")
    for mode in MODES
    if topology == "2x2" or WAYS[way]["kind"] != "deployment"
]


@pytest.mark.parametrize(("way", "topology", "mode"), CASES)
def test_a_workload_with_several_sets_of_pods_with_chips_is_an_error(way: str, topology: str, mode: str) -> None:
    plan = queued(way, topology, mode)
    admitted = [one for item in objects_of(plan, "workloads") for one in queued_workloads(item)]
    sets = {sum(pods.chips and pods.count > 0 for pods in one.pod_sets) for one in admitted}
    found = {one.rule for one in check_plan(parse_plan(plan), read_catalog()).findings}
    assert ("TPU718" in found) is (sets != {1})


@pytest.mark.parametrize(("way", "topology", "mode"), CASES)
def test_what_kueue_admits_has_the_run_duration(way: str, topology: str, mode: str) -> None:
    """Kueue admits each Pod of a Deployment apart, and copies the annotations of the Pod; else those of the object."""
    (item,) = (one for one in objects_of(queued(way, topology, mode), "workloads") if one["kind"] != "Service")
    places = {"object": item, "pod": item["spec"].get("template", {})}
    found = {place: part.get("metadata", {}).get("annotations", {}).get(DURATION) for place, part in places.items()}
    own, other = ("pod", "object") if item["kind"] == "Deployment" else ("object", "pod")
    assert found == {own: "10800", other: None}
