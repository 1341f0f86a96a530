"""The real scheduler and workloads written by hand: correct ones run on the right nodes, wrong ones nowhere."""

from collections import Counter

import pytest
from support.control_plane.client import Object
from support.control_plane.manifests import (
    TPU_TOLERATION,
    job,
    pod,
    pod_spec,
    priority_class,
    selector,
    with_resources,
)
from support.control_plane.nodes import NODE_POOL, nodes_of, pools_of
from support.control_plane.placement import cluster_of, pools_used
from support.control_plane.testbed import Testbed

ZONE = "us-east5-b"
CLUSTER = cluster_of(
    {
        "pretrain": {"tpu": "v6e", "topology": "4x4", "count": 2, "zone": ZONE},
        "serve": {"tpu": "v6e", "topology": "2x2", "count": 2, "zone": ZONE},
        "sweep": {"tpu": "v6e", "topology": "4x8", "count": 1, "zone": ZONE, "capacity": "spot"},
        "waiting": {"tpu": "v6e", "topology": "8x8", "count": 1, "zone": ZONE, "capacity": "queued"},
        "other": {"tpu": "v5p", "topology": "2x2x2", "count": 1, "zone": "us-east5-a"},
    },
    cpu_pools={"heads": {"machine_type": "n2-highmem-64", "nodes": 1}},
)
POOLS = pools_of(CLUSTER)
V6E = selector("tpu-v6e-slice", "4x4")
GOOD = pod_spec(4, V6E)
MAIN = GOOD["containers"][0]
GPU = {"requests_nvidia.com/gpu": "4", "limits_nvidia.com/gpu": "4"}
QUEUED = {"key": "cloud.google.com/gke-queued", "operator": "Exists"}


def selected(**more: str) -> dict[str, str]:
    return selector("tpu-v6e-slice", "4x4", **more)


def without(spec: Object, key: str) -> Object:
    return {name: value for name, value in spec.items() if name != key}


@pytest.mark.parametrize(
    ("spec", "pods", "pools"),
    [
        (GOOD, 8, {"pretrain-0": 4, "pretrain-1": 4}),
        (pod_spec(4, {**V6E, NODE_POOL: "pretrain-1"}), 4, {"pretrain-1": 4}),
        (pod_spec(4, selector("tpu-v6e-slice", "2x2")), 2, {"serve": 2}),
        (pod_spec(4, selector("tpu-v6e-slice", "4x8", gke_spot="true")), 8, {"sweep-0": 8}),
        (
            pod_spec(4, selector("tpu-v6e-slice", "8x8", gke_queued="true"), tolerations=[TPU_TOLERATION, QUEUED]),
            16,
            {"waiting-0": 16},
        ),
        (pod_spec(4, selector("tpu-v5p-slice", "2x2x2")), 2, {"other-0": 2}),
        (with_resources(pod_spec(), requests_cpu="49", requests_memory="233Gi"), 1, {"heads": 1}),
    ],
)
def test_the_pods_of_a_correct_job_run_in_the_right_pools_one_per_host(
    scheduling: Testbed, spec: Object, pods: int, pools: dict[str, int]
) -> None:
    scheduling.create(*nodes_of(POOLS))
    scheduling.create(job("train", spec, pods))
    assert pools_used(scheduling.placements(pods), POOLS) == Counter(pools)


def test_a_pod_without_chips_runs_on_a_cpu_node(scheduling: Testbed) -> None:
    scheduling.create(*nodes_of(POOLS))
    scheduling.create(job("prepare", pod_spec(), 2))
    assert {found.node.split("-")[1] for found in scheduling.placements(2)} <= {"system", "heads"}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({**GOOD, "nodeSelectr": {}}, 'unknown field "spec.template.spec.nodeSelectr"'),
        (pod_spec(4, selector("tpu v6e", "4x4")), "a valid label must be an empty string or consist of alphanumeric"),
        (with_resources(GOOD, limits_tpu="8"), "must be equal to google.com/tpu limit of 8"),
        (with_resources(GOOD, limits_tpu=None), "Limit must be set for non overcommitable resources"),
        (with_resources(GOOD, requests_tpu="1.5", limits_tpu="1.5"), "must be an integer"),
        (
            pod_spec(4, V6E, tolerations=[{**TPU_TOLERATION, "value": "present"}]),
            "value must be empty when `operator` is",
        ),
        ({**GOOD, "restartPolicy": "Always"}, 'valid values: "OnFailure", "Never"'),
        (
            {
                **GOOD,
                "containers": [{**GOOD["containers"][0], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            },
            'volumeMounts[0].name: Not found: "data"',
        ),
        ({**GOOD, "activeDeadlineSeconds": -1}, "must be between 1 and"),
    ],
)
def test_the_server_refuses_a_wrong_job(bed: Testbed, spec: Object, words: str) -> None:
    assert words in bed.refusal(job("train", spec, 4))


def test_the_server_refuses_an_unknown_priority_class_on_pods_only(bed: Testbed) -> None:
    spec = {**GOOD, "priorityClassName": "urgent"}
    assert bed.refusal(job("train", spec, 4)) == ""
    assert "no PriorityClass with name urgent was found" in bed.refusal(pod("train", spec))


def test_the_server_refuses_a_priority_class_above_the_range_of_users(bed: Testbed) -> None:
    assert bed.refusal(priority_class("highest", 1_000_000_000)) == ""
    assert "maximum allowed value of a user defined priority is 1000000000" in bed.refusal(
        priority_class("higher", 1_000_000_001)
    )


ALL = sum(pool.nodes for pool in POOLS)
CPU_NODES = sum(pool.nodes for pool in POOLS if not pool.chips)
QUEUED_NODES = 16
PLAIN = ALL - QUEUED_NODES


def reason(**nodes: int) -> str:
    words = {
        "tainted": "node(s) had untolerated taint(s)",
        "unmatched": "node(s) didn't match Pod's node affinity/selector",
        "full": "Insufficient google.com/tpu",
    }
    return f"0/{ALL} nodes are available: " + ", ".join(f"{count} {words[name]}" for name, count in nodes.items())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (without(GOOD, "tolerations"), reason(tainted=ALL - CPU_NODES, unmatched=CPU_NODES)),
        (pod_spec(4, selector("tpu-v6e-slice", "4x5")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selector("tpu-v6e-podslice", "4x4")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selector("tpu-v5p-slice", "4x4")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(8, V6E), reason(tainted=QUEUED_NODES, unmatched=PLAIN - 8, full=8)),
        (pod_spec(4, {**V6E, NODE_POOL: "pretrain-2"}), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selected(gke_spot="true")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selected(gke_flex_start="true")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selected(reservation_name="ours")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, selected(gke_accelerator_count="8")), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, {"cloud.google.com/gke-queued": "true"}), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
        (pod_spec(4, {"cloud.google.com/compute-class": "tpu"}), reason(tainted=QUEUED_NODES, unmatched=PLAIN)),
    ],
)
def test_the_scheduler_refuses_a_wrong_selector_toleration_or_number_of_chips(
    scheduling: Testbed, spec: Object, words: str
) -> None:
    scheduling.create(*nodes_of(POOLS))
    scheduling.create(job("train", spec, 1))
    (found,) = scheduling.placements(1)
    assert counts(found.reason) == counts(words), found.reason


def counts(text: str) -> tuple[str, set[str]]:
    """The number of nodes and the reasons, without the message of the scheduler about preemption."""
    head, _, rest = text.partition(": ")
    return head, set(rest.split(". ")[0].split(", "))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (with_resources(GOOD, requests_cpu="180"), "8 Insufficient cpu"),
        (with_resources(GOOD, requests_memory="720Gi"), "8 Insufficient memory"),
        (with_resources(GOOD, requests_tpu=None, limits_tpu=None, **GPU), "8 Insufficient nvidia.com/gpu"),
    ],
)
def test_the_scheduler_refuses_more_than_a_host_has(scheduling: Testbed, spec: Object, words: str) -> None:
    scheduling.create(*nodes_of(POOLS))
    scheduling.create(job("train", spec, 1))
    (found,) = scheduling.placements(1)
    assert words in found.reason


def test_the_scheduler_refuses_a_pod_more_than_there_are_hosts(scheduling: Testbed) -> None:
    scheduling.create(*nodes_of(POOLS))
    scheduling.create(job("train", GOOD, 9))
    waiting = [found.reason for found in scheduling.placements(9) if not found.node]
    assert [counts(words) for words in waiting] == [counts(reason(tainted=QUEUED_NODES, unmatched=PLAIN - 8, full=8))]
