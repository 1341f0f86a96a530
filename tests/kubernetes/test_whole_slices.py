"""Two node pools can serve a slice: without something that holds its Pods together, it never forms.

Nodes appear while the Pods of two workloads wait, alternating between the pools, as when GKE creates both pools.
"""

from collections import Counter
from collections.abc import Sequence

import pytest
from support.control_plane.client import Object
from support.control_plane.expansion import RayWebhook, expand, pod_count, sample_pods
from support.control_plane.manifests import (
    ACCELERATOR,
    job,
    jobset,
    leaderworkerset,
    pod_spec,
    raycluster,
    selector,
)
from support.control_plane.nodes import NODE_POOL, nodes_of, pools_of
from support.control_plane.placement import cluster_of, held_together_by, pools_used
from support.control_plane.testbed import Placement, Testbed

HOSTS = 16
CLUSTER = cluster_of({"pretrain": {"tpu": "v6e", "topology": "8x8", "count": 2, "zone": "us-east5-b"}})
POOLS = pools_of(CLUSTER)
SLICES = {"pretrain-0": HOSTS, "pretrain-1": HOSTS}
LABELS = selector("tpu-v6e-slice", "8x8")
TPU = pod_spec(4, LABELS)


def start(
    bed: Testbed, workloads: Sequence[Object], *, ray_webhook: RayWebhook = "adds"
) -> tuple[str, list[Placement]]:
    """Create workloads, then the nodes; what holds the Pods with chips together, and where they are."""
    core = [part for item in workloads for part in expand(item, bed.namespace, ray_webhook=ray_webhook)]
    bed.dry_run(*sample_pods(core))
    bed.create(*core, *nodes_of(POOLS))
    held = {held_together_by(pod["spec"], POOLS) for pod in sample_pods(core) if ACCELERATOR in str(pod)}
    (reason,) = held
    return reason, bed.placements_on_nodes(pod_count(core))


def slices_of(placements: Sequence[Placement], label: str) -> dict[str, Counter[str]]:
    """Pod label -> the pools with the Pods that have it; Pods without it are left out."""
    values = {found.labels[label] for found in placements if label in found.labels}
    return {
        value: pools_used([found for found in placements if found.labels.get(label) == value], POOLS)
        for value in values
    }


JOB, JOBSET_JOB, GROUP = "job-name", "jobset.sigs.k8s.io/job-key", "leaderworkerset.sigs.k8s.io/group-key"
REPLICA = "ray.io/worker-group-replica-name"


@pytest.mark.parametrize(
    ("workloads", "label"),
    [
        ([job("one", TPU, HOSTS), job("two", TPU, HOSTS)], JOB),
        ([jobset(name, TPU, HOSTS, exclusive=False) for name in ("one", "two")], JOBSET_JOB),
        ([jobset("one", TPU, HOSTS, 2, exclusive=False)], JOBSET_JOB),
        ([leaderworkerset("one", TPU, HOSTS, 2, exclusive=False)], GROUP),
        ([raycluster("one", TPU, HOSTS, 2)], REPLICA),
    ],
    ids=["two Jobs", "two JobSets", "two slices of a JobSet", "two slices of a LeaderWorkerSet", "two Ray replicas"],
)
def test_slices_that_start_together_mix_the_hosts_of_both_pools(
    scheduling: Testbed, workloads: list[Object], label: str
) -> None:
    held, placements = start(scheduling, workloads, ray_webhook="absent")
    assert held == ""
    found = slices_of(placements, label)
    assert len(found) == 2
    for pools in found.values():
        assert len(pools) == 2, "by luck, all Pods of a slice are in one pool: a chance of 1 to 300 million"


@pytest.mark.parametrize(
    ("workloads", "label"),
    [
        ([jobset(name, TPU, HOSTS, exclusive=True) for name in ("one", "two")], JOBSET_JOB),
        ([jobset("one", TPU, HOSTS, 2, exclusive=True)], JOBSET_JOB),
        ([leaderworkerset(name, TPU, HOSTS, exclusive=True) for name in ("one", "two")], GROUP),
        ([leaderworkerset("one", TPU, HOSTS, 2, exclusive=True)], GROUP),
        ([raycluster("one", TPU, HOSTS, 2)], REPLICA),
    ],
    ids=["two JobSets", "a JobSet", "two LeaderWorkerSets", "a LeaderWorkerSet", "a RayCluster with the webhook"],
)
def test_exclusive_topology_keeps_each_slice_in_a_pool_of_its_own(
    scheduling: Testbed, workloads: list[Object], label: str
) -> None:
    held, placements = start(scheduling, workloads)
    assert held == "exclusive topology"
    found = slices_of(placements, label)
    assert {next(iter(pools)): pools.total() for pools in found.values()} == SLICES
    assert all(len(pools) == 1 for pools in found.values())


def test_a_pool_selector_keeps_each_slice_in_its_pool(scheduling: Testbed) -> None:
    workloads = [job(name, pod_spec(4, {**LABELS, NODE_POOL: name}), HOSTS) for name in SLICES]
    held, placements = start(scheduling, workloads)
    assert held == "pool selector"
    assert slices_of(placements, JOB) == {name: Counter({name: HOSTS}) for name in SLICES}


def test_exclusive_topology_and_a_leader_without_chips_exclude_each_other(scheduling: Testbed) -> None:
    """The workers follow the leader to its pool, which has no chips."""
    leader = pod_spec(0, {"cloud.google.com/gke-nodepool": "system"})
    item = leaderworkerset("serve", TPU, HOSTS + 1, exclusive=True, leader=leader)
    core = list(expand(item, scheduling.namespace))
    scheduling.create(*nodes_of(POOLS), *[part for part in core if part["kind"] != "StatefulSet"])
    assert scheduling.placements(1)[0].node.startswith("gke-system-")
    scheduling.create(*[part for part in core if part["kind"] == "StatefulSet"])
    workers = [found for found in scheduling.placements(HOSTS + 1) if not found.node]
    assert len(workers) == HOSTS
    assert all("node(s) didn't match pod affinity rules" in found.reason for found in workers)


def test_exclusive_topology_is_exclusive_within_a_pool(scheduling: Testbed) -> None:
    """Three slices and two pools: the third waits, although a half of the second pool would be free."""
    half = [jobset(name, TPU, HOSTS // 2, exclusive=True) for name in ("one", "two", "three")]
    core = [part for item in half for part in expand(item, scheduling.namespace)]
    scheduling.create(*nodes_of(POOLS), *core)
    placements = scheduling.placements(3 * HOSTS // 2)
    waiting = [found for found in placements if not found.node]
    assert len({found.labels[JOBSET_JOB] for found in waiting}) == 1
    assert len(waiting) == HOSTS // 2
    assert all("anti-affinity rules" in found.reason for found in waiting)
