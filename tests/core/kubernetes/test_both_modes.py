"""One plan in both modes: its objects differ only where GKE requires it. docs/workloads.md lists where."""

from typing import Any

import pytest
from support.workload_plans import objects_of, workload_plan

POOL = "cloud.google.com/gke-nodepool"
EXCLUSIVE = {"alpha.jobset.sigs.k8s.io/exclusive-topology", "leaderworkerset.sigs.k8s.io/exclusive-topology"}
ONLY_STANDARD = {POOL, "cloud.google.com/gke-queued", "cloud.google.com/gke-accelerator-count"}
"""Labels that Autopilot rejects, or that only tell node pools of one cluster apart."""
ONLY_AUTOPILOT = {"cloud.google.com/reservation-name", "cloud.google.com/reservation-affinity"}
"""On Standard, the node pool has the reservation."""
OF_CLASSES = {"shieldedInstanceConfig", "location"}
"""Autopilot always shields nodes, and selects the zone where the plan has none."""
STORAGE = "ephemeral-storage"
"""Autopilot requests it for every Pod, so queues cover it."""
HELD = {"affinity"}
"""Affinity holds slices together where exclusive topology, which selects node pools, does not."""

KINDS = ("job", "jobset", "leaderworkerset", "deployment", "raycluster", "rayjob", "pathways")
CAPACITIES: dict[str, dict[str, Any]] = {
    "on_demand": {"count": 2},
    "spot": {"capacity": "spot", "count": {"max": 2}},
    "reservation": {"capacity": {"reservation": "ours"}, "count": 2},
    "flex_start": {"capacity": "flex_start", "count": {"max": 2}},
    "queued": {"capacity": {"flex_start": {"queued": True}}, "count": {"max": 2}},
    "fallback": {"capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}},
}


def objects(mode: str, kind: str, group: dict[str, Any], **workload: Any) -> list[Any]:
    kubernetes = {"namespace": "research", "queues": {"team": {}}, "priority_classes": {"high": {"value": 5}}}
    slices = {"s": {"tpu": "v6e", **group, **({"zone": "us-east5-b"} if mode == "standard" else {})}}
    more = {"queue": "team", "priority": "high", "grace_period": "1h", **workload}
    plan = workload_plan(slices, {"w": {"slices": "s", "kind": kind, **more}}, mode=mode, kubernetes=kubernetes)
    return [item for item in objects_of(plan) if item["metadata"]["name"] != "example-agent"]


def without_demands(value: Any) -> Any:
    """An object without what the guide lists as a difference."""
    if isinstance(value, list):
        return [without_demands(item) for item in value if STORAGE not in (item, name_in(item))]
    if not isinstance(value, dict):
        return value
    dropped = ONLY_STANDARD | ONLY_AUTOPILOT | EXCLUSIVE | OF_CLASSES | HELD
    kept = {key: without_demands(item) for key, item in value.items() if key not in dropped}
    return {key: item for key, item in kept.items() if not (key in ("annotations", "metadata") and item == {})}


def name_in(item: Any) -> Any:
    return item.get("name") if isinstance(item, dict) else None


@pytest.mark.parametrize("capacity", CAPACITIES)
@pytest.mark.parametrize("kind", KINDS)
def test_the_objects_of_both_modes_differ_only_where_gke_demands_it(kind: str, capacity: str) -> None:
    group = {"topology": "2x2" if kind == "deployment" else "4x4", **CAPACITIES[capacity]}
    standard, autopilot = (without_demands(objects(mode, kind, group, count=2)) for mode in ("standard", "autopilot"))
    assert standard == autopilot


def test_a_job_of_one_slice_is_a_job_on_standard_and_a_jobset_on_autopilot() -> None:
    """The only difference of kind: on Standard the Job selects its node pool, which Autopilot rejects."""
    kinds = [
        [item["kind"] for item in objects(mode, "job", {"topology": "4x4"})][-1] for mode in ("standard", "autopilot")
    ]
    assert kinds == ["Job", "JobSet"]
