"""Preemption by the real scheduler, and the reaction of the real Job controller."""

from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.manifests import job, pod_spec, priority_class, selector
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.placement import cluster_of
from support.control_plane.testbed import Testbed

CLUSTER = cluster_of({"one": {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}})
POOLS = [pool for pool in pools_of(CLUSTER) if pool.chips]
LABELS = selector("tpu-v6e-slice", "4x4")
IGNORE_DISRUPTION = {
    "rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
}


def of_class(name: str, priority: str, **more: Any) -> Object:
    return job(name, pod_spec(4, LABELS, priorityClassName=priority), 4, **more)


@pytest.fixture
def occupied(scheduling: Testbed) -> Testbed:
    """A slice of four hosts, and three classes."""
    classes = (priority_class("low", 100), priority_class("high", 1000), priority_class("patient", 1000, "Never"))
    scheduling.create(*nodes_of(POOLS), *classes)
    return scheduling


def test_a_higher_class_takes_the_hosts_of_a_lower_one(occupied: Testbed) -> None:
    occupied.create(of_class("sweep", "low"))
    assert all(found.node for found in occupied.placements(4))
    occupied.create(of_class("pretrain", "high"))
    bound = occupied.bound_after_preemption("pretrain", 4)
    assert {found.node for found in bound} == {node["metadata"]["name"] for node in nodes_of(POOLS)}


def test_a_class_that_does_not_preempt_waits(occupied: Testbed) -> None:
    occupied.create(of_class("sweep", "low"))
    occupied.placements(4)
    occupied.create(of_class("pretrain", "patient"))
    waiting = [found for found in occupied.placements(8) if not found.node]
    assert [found.pod.startswith("pretrain-") for found in waiting] == [True] * 4
    assert all("not eligible due to preemptionPolicy=Never" in found.reason for found in waiting)


def test_an_equal_class_waits(occupied: Testbed) -> None:
    occupied.create(of_class("sweep", "high"))
    occupied.placements(4)
    occupied.create(of_class("pretrain", "high"))
    waiting = [found for found in occupied.placements(8) if not found.node]
    assert [found.pod.startswith("pretrain-") for found in waiting] == [True] * 4
    assert all("No preemption victims found for incoming pod" in found.reason for found in waiting)


def test_preemption_ends_a_job_without_retries(occupied: Testbed) -> None:
    occupied.create(of_class("sweep", "low"))
    occupied.placements(4)
    occupied.create(of_class("pretrain", "high"))
    occupied.bound_after_preemption("pretrain", 4)
    assert occupied.job_condition("sweep") == "Failed"


def test_a_job_that_ignores_disruption_survives_preemption_and_creates_its_pod_again(scheduling: Testbed) -> None:
    """With one Pod: before it creates Pods again, the controller waits for each of those that ended."""
    cluster = cluster_of({"one": {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b"}})
    classes = (priority_class("low", 100), priority_class("high", 1000))
    scheduling.create(*nodes_of(pool for pool in pools_of(cluster) if pool.chips), *classes)
    labels = selector("tpu-v6e-slice", "2x2")
    sweep = job("sweep", pod_spec(4, labels, priorityClassName="low"), 1, podFailurePolicy=IGNORE_DISRUPTION)
    scheduling.create(sweep)
    scheduling.placements(1)
    scheduling.create(job("pretrain", pod_spec(4, labels, priorityClassName="high"), 1))
    scheduling.bound_after_preemption("pretrain", 1)
    assert scheduling.job_condition("sweep") == ""
    assert [found.pod.split("-")[0] for found in scheduling.placements(2) if not found.node] == ["sweep"]
