"""LeaderWorkerSets whose leaders have no chips: affinity holds their workers together, in the real scheduler."""

from collections import Counter

import pytest
from support.control_plane.expansion import expand, pod_count
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.testbed import Testbed
from support.workload_plans import HEADS, TRAIN, checked, objects_of, workload_plan

NAME, GROUP = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"


@pytest.mark.parametrize("counts", [(1, 1, 1), (2, 1), (3,)])
def test_each_group_of_workers_is_in_a_node_pool_of_its_own(scheduling: Testbed, counts: tuple[int, ...]) -> None:
    workloads = {
        f"w{index}": {"slices": "train", "kind": "leaderworkerset", "count": count, "head": {}}
        for index, count in enumerate(counts)
    }
    plan = workload_plan({"train": {**TRAIN, "count": 3}}, workloads, cpu_pools={"heads": HEADS})
    fleet = checked(plan).fleet
    assert fleet is not None
    pools = pools_of(fleet.clusters[0])
    items = objects_of(plan, "workloads")
    core = [part for item in items for part in expand(item, scheduling.namespace)]
    scheduling.create(*nodes_of(pools), *core)
    placements = scheduling.placements(pod_count(core))
    assert [found.reason for found in placements if not found.node] == []
    pool_of = {pool.node_name(number): pool for pool in pools for number in range(pool.nodes)}
    used = Counter((found.labels[NAME], found.labels[GROUP], pool_of[found.node].name) for found in placements)
    workers = {(name, group): pool for (name, group, pool), pods in used.items() if pods == 4}
    leaders = [pool for (_, _, pool), pods in used.items() if pods == 1]
    assert sorted(workers.values()) == ["train-0", "train-1", "train-2"]
    assert leaders == ["heads"] * 3
