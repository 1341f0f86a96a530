"""What queues share: the quota along a tree of cohorts, and the namespaces that a queue admits.

The rules compute what a workload can get at most; the model of Kueue, written after its source, decides what it admits.
"""

import itertools
from typing import Any

import pytest
from support.control_plane.testbed import Testbed
from support.kubernetes_model.fleets import node_pools
from support.kubernetes_model.outcomes import outcomes
from support.kubernetes_model.queues import Kueue
from support.kubernetes_model.units import queued_workloads
from support.workload_plans import checked, objects_of, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.cohorts import most_chips
from pulumi_gke_tpu.core.fleet.workloads import kubernetes_objects
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

HOSTS = 8
CHIPS = 4
GROUP = {"tpu": "v6e", "topology": "2x2", "count": HOSTS}
LIMITS = (None, 0, 4)


def plan_of(kubernetes: dict[str, Any], workloads: dict[str, Any], mode: str = "standard") -> dict[str, Any]:
    zone = {"zone": "us-east5-b"} if mode == "standard" else {}
    run = {name: {"slices": "serve", **item} for name, item in workloads.items()}
    return workload_plan({"serve": {**GROUP, **zone}}, run, mode=mode, kubernetes=kubernetes)


def limited(**limits: int | None) -> dict[str, Any]:
    return {key: {"serve": chips} for key, chips in limits.items() if chips is not None}


def tree(lend: int | None, borrow: int | None, up: int | None, down: int | None, shared: int) -> dict[str, Any]:
    """Queues with 8 chips each: two in one cohort, one in another, both in the same parent."""
    return {
        "queues": {
            "own": {"chips": {"serve": 8}, "cohort": "near", **limited(borrow=borrow)},
            "next": {"chips": {"serve": 8}, "cohort": "near", **limited(lend=lend)},
            "far": {"chips": {"serve": 8}, "cohort": "other", **limited(lend=lend)},
        },
        "cohorts": {
            "all": {"chips": {"serve": shared}} if shared else {},
            "near": {"parent": "all", **limited(borrow=down)},
            "other": {"parent": "all", **limited(lend=up)},
        },
    }


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_a_workload_waits_exactly_if_it_needs_more_than_its_queue_can_get(mode: str) -> None:
    wrong = []
    sizes = {f"run-{count}": {"count": count, "queue": "own"} for count in range(1, HOSTS + 1)}
    for limits in itertools.product(LIMITS, LIMITS, LIMITS, LIMITS, (0, 8)):
        plan = plan_of(tree(*limits), sizes, mode)
        (cluster,) = checked(plan).fleet.clusters
        found = kubernetes_objects(cluster)
        assert found is not None
        most = most_chips(found, found.queues[0], found.flavors[0])
        objects = objects_of(plan)
        kueue = Kueue(objects)
        for workload in (one for item in objects for one in queued_workloads(item)):
            chips = CHIPS * int(workload.owner.rpartition("-")[2])
            (admission,) = kueue.admissions([workload])
            if (None not in admission.values()) != (chips <= most):
                wrong.append((limits, chips, most))
    assert wrong == []


@pytest.mark.parametrize(("up", "expected"), [(4, []), (0, ["TPU705"]), (None, [])])
def test_the_rule_counts_what_the_other_cohorts_lend(up: int | None, expected: list[str]) -> None:
    kubernetes = tree(None, None, up, None, 0)
    plan = plan_of(kubernetes, {"run": {"count": 5, "queue": "own"}})
    found = check_plan(parse_plan(plan), read_catalog()).findings
    assert [item.rule for item in found if item.rule in ("TPU704", "TPU705")] == expected


@pytest.mark.parametrize(("lend", "always"), [(None, False), (8, False), (4, True), (0, True)])
def test_a_queue_keeps_what_it_does_not_lend(lend: int | None, always: bool) -> None:
    """The other queue takes all that it can get, before or after."""
    queues = {
        "own": {"chips": {"serve": 8}, "cohort": "all", **limited(lend=lend)},
        "next": {"chips": {"serve": 8}, "cohort": "all"},
    }
    small = {"count": 1, "queue": "own"}
    objects = objects_of(plan_of({"queues": queues}, {"small": small, **tasks("next", 4)}))
    kueue = Kueue(objects)
    workloads = [one for item in objects for one in queued_workloads(item)]
    (name,) = (one.name for one in workloads if one.owner.endswith("/small"))
    admitted = {found[f"default/{name}"] is not None for found in kueue.admissions(workloads)}
    assert admitted == ({True} if always else {True, False})


def tasks(queue: str, number: int) -> dict[str, Any]:
    return {f"task-{one}": {"count": 1, "queue": queue} for one in range(number)}


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("kind", ["job", "jobset", "leaderworkerset", "deployment"])
def test_each_namespace_of_a_queue_and_no_other_is_admitted(kind: str, mode: str) -> None:
    queues = {"team": {"namespaces": ["research", "papers"]}, "open": {"namespace": "other"}}
    workloads = {
        "first": {"queue": "team", "kind": kind},
        "second": {"queue": "team", "kind": kind, "namespace": "papers"},
        "third": {"queue": "open", "kind": kind},
    }
    plan = plan_of({"queues": queues}, workloads, mode)
    assert not check_plan(parse_plan(plan), read_catalog()).has_errors
    (cluster,) = checked(plan).fleet.clusters
    objects = objects_of(plan)
    places = {item["metadata"]["name"]: item["metadata"].get("namespace") for item in objects}
    assert [places[name] for name in workloads] == ["research", "papers", "other"]
    for outcome in outcomes(objects, node_pools(cluster)):
        assert None not in [flavors for _, flavors in outcome.flavors]
    # A workload that somebody else creates: the queue of another namespace does not count, nor one made there.
    (local,) = (one for one in objects if one["kind"] == "LocalQueue" and one["metadata"]["namespace"] == "papers")
    foreign = {**local, "metadata": {**local["metadata"], "namespace": "elsewhere"}}
    moved = [
        {**item, "metadata": {**item["metadata"], "namespace": "elsewhere"}}
        for item in objects
        if item["metadata"]["name"] == "second" and item["kind"] != "Service"
    ]
    others = [item for item in objects if item["metadata"]["name"] not in workloads]
    for outcome in outcomes([*others, foreign, *moved], node_pools(cluster)):
        assert [flavors for _, flavors in outcome.flavors] == [None] * len(outcome.flavors) != []


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_the_server_accepts_every_object(mode: str, bed: Testbed) -> None:
    kubernetes = tree(4, 0, 4, 0, 8)
    kubernetes["queues"]["own"] |= {"weight": 3, "namespaces": ["research", "papers"]}
    kubernetes["cohorts"]["near"]["weight"] = 0
    items = objects_of(plan_of(kubernetes, {"run": {"queue": "own"}}, mode), "queues")
    assert {"Cohort", "ClusterQueue", "LocalQueue"} <= {item["kind"] for item in items}
    assert [(item["kind"], words) for item in items if (words := bed.refusal(item))] == []
