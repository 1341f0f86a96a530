"""Affinity between Pods: what holds multi-host slices together, and which Pods have none.

``tests/kubernetes/test_slices_beside_each_other.py`` shows what the real scheduler does with it.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from support.rendered import values_of
from support.workload_plans import HEADS, TRAIN, objects_of, workload_plan

POOL = "cloud.google.com/gke-nodepool"
KEYS = {
    "jobset": "jobset.sigs.k8s.io/job-key",
    "pathways": "jobset.sigs.k8s.io/job-key",
    "leaderworkerset": "leaderworkerset.sigs.k8s.io/group-key",
    "raycluster": "ray.io/worker-group-replica-name",
    "rayjob": "ray.io/worker-group-replica-name",
}
EXCLUSIVE = ("jobset", "pathways", "leaderworkerset")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
MODES = ("standard", "autopilot")


def rendered(kind: str, mode: str = "standard", group: dict[str, Any] | None = None, **workload: Any) -> Any:
    """The object of a workload with two slices."""
    slices = {"train": {**TRAIN, "count": 4, **(group or {})}}
    more = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    written = {"slices": "train", "kind": kind, "count": 2, **workload}
    plan = workload_plan(slices, {"w": written}, mode=mode, addons=["ray_operator"], **more)
    (item,) = (item for item in objects_of(plan, "workloads") if item["kind"] != "Service")
    return item


def affinities(item: Any) -> list[Any]:
    return values_of(item, "affinity")


def terms(affinity: Any) -> Iterator[Any]:
    for kind in ("podAffinity", "podAntiAffinity"):
        yield from affinity.get(kind, {}).get(REQUIRED, [])


def selected(term: Any) -> dict[str, str]:
    return {item["key"]: item["operator"] for item in term["labelSelector"]["matchExpressions"]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KEYS)
def test_a_slice_attracts_its_own_pods_and_repels_all_other_slices(kind: str, mode: str) -> None:
    found = affinities(rendered(kind, mode))
    if mode == "standard" and kind in EXCLUSIVE:
        assert not values_of(found, "podAffinity"), "exclusive topology adds it"
        return
    (affinity,) = found
    (same,) = affinity["podAffinity"][REQUIRED]
    apart, *others = affinity["podAntiAffinity"][REQUIRED]
    assert same["matchLabelKeys"] == apart["mismatchLabelKeys"] == [KEYS[kind]]
    assert {next(iter(selected(other))) for other in others} == set(KEYS.values()) - {KEYS[kind]}
    assert "namespaceSelector" not in same
    assert all(term["namespaceSelector"] == {} for term in (apart, *others)), "slices of every namespace"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KEYS)
def test_every_term_is_about_node_pools_and_names_each_key_once(kind: str, mode: str) -> None:
    """The API server rejects a key that is both in the selector and among the keys to compare."""
    for affinity in affinities(rendered(kind, mode)):
        for term in terms(affinity):
            assert term["topologyKey"] == POOL
            assert not selected(term).keys() & {*term.get("matchLabelKeys", ()), *term.get("mismatchLabelKeys", ())}


def test_an_exclusive_jobset_is_unchanged_because_its_template_cannot_change() -> None:
    for kind in ("jobset", "pathways"):
        assert affinities(rendered(kind)) == []


def test_an_exclusive_leaderworkerset_repels_the_slices_of_other_operators_and_namespaces() -> None:
    """Exclusive topology repels only slices of the same operator in the same namespace."""
    found = affinities(rendered("leaderworkerset", port=8080))
    assert len(found) == 2, "leader and workers"
    for affinity in found:
        assert affinity.keys() == {"podAntiAffinity"}
        own, *others = terms(affinity)
        assert own["mismatchLabelKeys"] == [KEYS["leaderworkerset"]]
        assert {key for term in others for key in selected(term)} == {KEYS["jobset"], KEYS["raycluster"]}
        assert all(term["namespaceSelector"] == {} for term in (own, *others))


@pytest.mark.parametrize("mode", MODES)
def test_a_leader_without_chips_is_not_a_part_of_its_slice(mode: str) -> None:
    template = rendered("leaderworkerset", mode, head={})["spec"]["leaderWorkerTemplate"]
    assert "affinity" not in template["leaderTemplate"]["spec"]
    affinity = template["workerTemplate"]["spec"]["affinity"]
    for term in [term for term in terms(affinity) if KEYS["leaderworkerset"] in str(term)]:
        assert selected(term)["leaderworkerset.sigs.k8s.io/worker-index"] == "NotIn"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", [*KEYS, "job", "deployment"])
def test_single_hosts_need_no_affinity(kind: str, mode: str) -> None:
    assert affinities(rendered(kind, mode, {"topology": "2x2"})) == []


@pytest.mark.parametrize("kind", [*KEYS, "job"])
@pytest.mark.parametrize("group", [{}, {"capacity": "spot"}, {"fallback": ["on_demand"], "capacity": "spot"}])
def test_slices_on_autopilot_are_held_together_in_every_capacity_mode(kind: str, group: dict[str, Any]) -> None:
    (affinity,) = affinities(rendered(kind, "autopilot", {"count": {"max": 2}, **group}))
    assert affinity["podAffinity"]


@pytest.mark.parametrize("kind", ["jobset", "leaderworkerset", "pathways"])
def test_pods_that_autopilot_must_not_evict_have_no_affinity(kind: str) -> None:
    """GKE does not combine extended run time with affinity between Pods."""
    item = rendered(kind, "autopilot", extended_run=True)
    assert affinities(item) == []
    assert "safe-to-evict" in str(item)


@pytest.mark.parametrize("kind", ["raycluster", "rayjob"])
def test_ray_workers_have_affinity_in_any_case_because_the_webhook_adds_it(kind: str) -> None:
    item = rendered(kind, "autopilot", extended_run=True)
    assert affinities(item)
    assert "safe-to-evict" not in str(item)


def test_affinity_of_ray_workers_keeps_the_choice_of_node_pools() -> None:
    groups = {"train": {**TRAIN, "count": 2}, "other": {**TRAIN, "count": 2}}
    plan = workload_plan(groups, {"w": {"slices": "train", "kind": "raycluster"}}, addons=["ray_operator"])
    (affinity,) = affinities(objects_of(plan, "workloads"))
    assert affinity.keys() == {"nodeAffinity", "podAffinity", "podAntiAffinity"}
    assert "train-1" in str(affinity["nodeAffinity"])
