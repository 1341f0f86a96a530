"""Workloads beside each other on the slices of one group, in the real scheduler: every slice is whole, in a node pool.

The Pods are those of the operators, created in the order in which the workloads start. Their hosts appear while they
wait, alternating between the node pools.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.expansion import RayWebhook, expand, pod_count, sample_pods
from support.control_plane.nodes import Pool, nodes_of, pools_of
from support.control_plane.testbed import Placement, Testbed
from support.workload_plans import HEADS, TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.kubernetes.fleet import manifests

HOSTS = 4
SLICES = 2
"""Slices of each workload: there are as many node pools as both workloads need."""
KEYS = (
    "jobset.sigs.k8s.io/job-key",
    "leaderworkerset.sigs.k8s.io/group-key",
    "ray.io/worker-group-replica-name",
)
KINDS: dict[str, dict[str, Any]] = {
    "jobset": {"kind": "jobset"},
    "pathways": {"kind": "pathways"},
    "leaderworkerset": {"kind": "leaderworkerset"},
    "leaderworkerset with head": {"kind": "leaderworkerset", "head": {}},
    "raycluster": {"kind": "raycluster"},
    "rayjob": {"kind": "rayjob", "command": ["python3", "x.py"]},
}
MODES = ("standard", "autopilot")
PAIRS = [
    (one, two, MODES[(number + (one > two)) % 2])
    for number, pair in enumerate(itertools.combinations_with_replacement(KINDS, 2))
    for one, two in dict.fromkeys((pair, pair[::-1]))
]
"""Each pair in both orders, the one on Standard and the other on Autopilot; the model of the scheduler
(``test_beside_each_other.py``) tries every order in every mode.
"""


def cluster_with(one: str, two: str, mode: str) -> tuple[Cluster, list[list[Object]]]:
    """A cluster with a workload of each kind on the same slice group, and the objects of each workload."""
    more = {"cpu_pools": {"heads": HEADS | {"max_nodes": 8}}} if mode == "standard" else {}
    group = {**TRAIN, "count": 2 * SLICES} if mode == "standard" else {**TRAIN, "count": {"max": 2 * SLICES}}
    workloads = {
        name: {"slices": "train", "count": SLICES, **KINDS[kind]} for name, kind in (("first", one), ("second", two))
    }
    result = checked(workload_plan({"train": group}, workloads, mode=mode, addons=["ray_operator"], **more))
    assert result.fleet is not None
    cluster = result.fleet.clusters[0]
    found = [item.object for item in manifests(cluster, result.catalog) if item.concern == "workloads"]
    return cluster, [[item for item in found if item["metadata"]["name"].startswith(name)] for name in workloads]


def slices_in(placements: Iterable[Placement], pools: Sequence[Pool]) -> Iterator[tuple[str, Counter[str]]]:
    """Each slice with chips, and the Pods that it has in each pool; an empty pool for those that wait."""
    nodes = {pool.node_name(number): pool.name for pool in pools for number in range(pool.nodes)}
    slices: dict[str, Counter[str]] = {}
    for found in placements:
        if found.chips:
            (name,) = (f"{key}={found.labels[key]}" for key in KEYS if key in found.labels)
            slices.setdefault(name, Counter())[nodes.get(found.node, "")] += 1
    yield from slices.items()


def check_whole(bed: Testbed, one: str, two: str, mode: str, webhook: RayWebhook) -> None:
    cluster, (first, second) = cluster_with(one, two, mode)
    pools = pools_of(cluster, 2 * SLICES)
    core = [part for item in (*first, *second) for part in expand(item, bed.namespace, ray_webhook=webhook)]
    bed.dry_run(*sample_pods(core))
    bed.create(*core, *nodes_of(pools))
    placements = bed.placements_on_nodes(pod_count(core))
    slices = dict(slices_in(placements, pools))
    assert len(slices) == 2 * SLICES
    for name, used in slices.items():
        assert list(used.values()) == [HOSTS], f"{name}: {dict(used)}"
        assert "" not in used, f"{name} waits"
    assert len({next(iter(used)) for used in slices.values()}) == 2 * SLICES, "no two slices share a node pool"


@pytest.mark.parametrize(("one", "two", "mode"), PAIRS)
def test_slices_of_two_workloads_are_whole_in_both_orders(scheduling: Testbed, one: str, two: str, mode: str) -> None:
    check_whole(scheduling, one, two, mode, "absent")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("one", "two"), [("rayjob", "jobset"), ("jobset", "rayjob"), ("rayjob", "raycluster")])
def test_the_webhook_of_ray_adds_its_affinity_to_ours(scheduling: Testbed, one: str, two: str, mode: str) -> None:
    check_whole(scheduling, one, two, mode, "adds")


@pytest.mark.parametrize("mode", MODES)
def test_an_older_webhook_of_ray_holds_slices_of_ray_together(scheduling: Testbed, mode: str) -> None:
    """It replaces our affinity, and with it what keeps them apart from a JobSet."""
    check_whole(scheduling, "rayjob", "raycluster", mode, "replaces")
