"""Autoscaling and disruption budgets, with the real server and the real controllers of Pods and of budgets.

The operator of LeaderWorkerSet is not here: StatefulSets have the Pods of its groups, as it makes them.
"""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.control_plane.client import Refused
from support.control_plane.testbed import Testbed
from support.workload_plans import objects_of, only, workload_plan

pytestmark = pytest.mark.usefixtures("crds")

KINDS = {"deployment": "Deployment", "leaderworkerset": "LeaderWorkerSet"}
SCALED = {"autoscale": {"min": 2, "max": 5, "metric": "queue", "target": 10}}
LWS_NAME = "leaderworkerset.sigs.k8s.io/name"
TOO_MANY_REQUESTS = 429
SLICES, HOSTS = 3, 4


def objects(kind: str, topology: str, **keys: Any) -> list[Any]:
    group = {"tpu": "v6e", "topology": topology, "count": 5, "zone": "us-east5-b"}
    return objects_of(workload_plan({"one": group}, {"w": {"slices": "one", "kind": kind, **keys}}), "workloads")


@pytest.mark.parametrize("kind", KINDS)
def test_applying_the_objects_again_does_not_undo_the_autoscaler(scheduling: Testbed, kind: str) -> None:
    found = only(objects(kind, "2x2", **SCALED), KINDS[kind])
    item = {**found, "metadata": {**found["metadata"], "namespace": scheduling.namespace}}
    applied = scheduling.client.apply(item, "gke-tpu")
    assert applied["spec"]["replicas"] == 1, "the default, until the autoscaler sets the number"
    scheduling.client.patch(applied, {"spec": {"replicas": 4}}, "/scale", manager="autoscaler")
    assert scheduling.client.apply(item, "gke-tpu")["spec"]["replicas"] == 4


@pytest.mark.parametrize("budget", [{"max_unavailable": 1}, {"min_available": SLICES - 1}])
@pytest.mark.parametrize(("kind", "topology"), [("deployment", "2x2"), ("leaderworkerset", "4x4")])
def test_a_second_slice_is_evicted_when_the_first_one_runs_again(
    scheduling: Testbed, kind: str, topology: str, budget: dict[str, int]
) -> None:
    found = objects(kind, topology, count=SLICES, disruption_budget=budget)
    pods = 1 if kind == "deployment" else HOSTS
    scheduling.create(*_controllers(kind, found), only(found, "PodDisruptionBudget"))
    scheduling.wait_for_pods(SLICES * pods)
    first, second, *_ = _by_slice(scheduling, kind)
    _make_ready(scheduling)
    assert _evicted(scheduling, first[0], wait=True)
    assert not _evicted(scheduling, second[0])
    for pod in first[1:]:
        scheduling.client.delete(pod)  # as the operator does when one of its Pods ends
    scheduling.wait_for_pods(SLICES * pods)
    assert not _evicted(scheduling, second[0])
    _make_ready(scheduling)
    assert _evicted(scheduling, second[-1], wait=True)


def _controllers(kind: str, found: list[Any]) -> Iterator[Any]:
    if kind == "deployment":
        yield only(found, "Deployment")
        return
    (label,) = only(found, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items()
    assert label == (LWS_NAME, only(found, "LeaderWorkerSet")["metadata"]["name"])
    yield _stateful_set("w", SLICES, label)
    yield from (_stateful_set(f"w-{index}", HOSTS - 1, label) for index in range(SLICES))


def _stateful_set(name: str, replicas: int, label: tuple[str, str]) -> Any:
    labels = {label[0]: label[1], "of": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "unused"}]}}
    spec = {"podManagementPolicy": "Parallel", "replicas": replicas, "serviceName": "w", "template": template}
    selector = {"matchLabels": {"of": name}}
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name},
        "spec": {**spec, "selector": selector},
    }


def _by_slice(bed: Testbed, kind: str) -> list[list[Any]]:
    pods = sorted(bed.pods(), key=lambda pod: str(pod["metadata"]["name"]))
    if kind == "deployment":
        return [[pod] for pod in pods]
    names = [f"w-{index}" for index in range(SLICES)]
    return [[pod for pod in pods if f"{pod['metadata']['name']}-".startswith(f"{name}-")] for name in names]


def _make_ready(bed: Testbed) -> None:
    """Report what the kubelet reports."""
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    for pod in bed.pods():
        bed.client.patch(pod, ready, "/status")


def _evicted(bed: Testbed, pod: Any, *, wait: bool = False) -> bool:
    """Whether the server evicts a Pod. ``wait``: until the controller of budgets has seen that the Pods are ready."""
    name, end = pod["metadata"]["name"], time.monotonic() + (60 if wait else 0)
    path = f"/api/v1/namespaces/{bed.namespace}/pods/{name}/eviction"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": bed.namespace}}
    while True:
        try:
            bed.client.request("POST", path, {**eviction, "deleteOptions": {"gracePeriodSeconds": 0}})
        except Refused as refused:
            if refused.status != TOO_MANY_REQUESTS:
                raise
            if time.monotonic() > end:
                return False
            time.sleep(0.2)
        else:
            return True
