"""Two workloads start on one slice group while GKE creates its node pools: the scheduler keeps their slices apart.

The first Pods of both workloads are there while only one node pool is. Without a rule between their kinds, both start
in it, and neither gets all of its hosts. The model follows this case too (``test_beside_each_other.py``); here the
real scheduler decides.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
from support.control_plane.client import Object
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.testbed import Testbed
from support.kubernetes_model.units import Unit, units_of
from support.workload_plans import HEADS, checked, workload_plan

from pulumi_gke_tpu.features.workloads.manifests import manifests_of

GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2}
HOSTS = 4
KINDS = ("jobset", "leaderworkerset", "raycluster")


@pytest.mark.parametrize(("first", "second"), [(one, other) for one in KINDS for other in KINDS if one != other])
def test_the_second_workload_waits_for_the_second_node_pool(scheduling: Testbed, first: str, second: str) -> None:
    workloads = {name: {"slices": "group", "kind": kind} for name, kind in (("one", first), ("two", second))}
    result = checked(workload_plan({"group": GROUP}, workloads, cpu_pools={"heads": HEADS}))
    (cluster,) = result.fleet.clusters
    objects = [item.object for item in manifests_of(result)[0].manifests if item.concern == "workloads"]
    units = [unit for item in objects for unit in units_of(item) if unit.size]
    one, two = (list(pods_of(unit)) for unit in units)
    early, late = (pool for pool in pools_of(cluster) if pool.chips)
    scheduling.create(*nodes_of([early]), one[0])
    assert scheduling.placements(1)[0].node
    scheduling.create(two[0])
    assert [found.pod for found in scheduling.placements(2) if found.node] == [one[0]["metadata"]["name"]]
    scheduling.create(*nodes_of([late]), *one[1:], *two[1:])
    found = scheduling.placements_on_nodes(2 * HOSTS)
    assert Counter((pod.pod[:3], pod.node.rpartition("-")[0]) for pod in found) == {
        ("one", f"gke-{early.name}"): HOSTS,
        ("two", f"gke-{late.name}"): HOSTS,
    }


def pods_of(unit: Unit) -> Iterator[Object]:
    """The Pods of a slice, as their controller creates them; two templates may belong to one Pod set."""
    specs = [pods for pods in unit.pods if pods.chips for _ in range(pods.count)]
    for number, pods in enumerate(specs):
        metadata = {"name": f"{unit.name.split('/')[1]}-{number}", "labels": dict(pods.labels)}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pods.spec}
