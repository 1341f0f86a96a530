"""What Pods select matches the nodes of their slice group, and of no other.

The nodes are those of ``support/control_plane/nodes.py``, which knows nothing of the code that derives the selectors.
"""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.control_plane.nodes import NODE_POOL, Pool, pools_of
from support.control_plane.placement import CATALOG, cluster_of

from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.fleet.scheduling import Room, head_pool, pod_selector, pod_tolerations, pool_choice, room

NOTHING = Room(Fraction(0), Fraction(0))
COUNT = "cloud.google.com/gke-accelerator-count"
V6E = {"tpu": "v6e", "zone": "us-east5-b"}
ONE_HOST = {**V6E, "topology": "2x4", "chips_per_host": 8}
TWO_HOSTS = {**V6E, "topology": "2x4", "chips_per_host": 4}
TRAIN = {**V6E, "topology": "4x4"}


def accepted(cluster: Cluster, group: SliceGroup) -> set[str]:
    """The node pools whose nodes the Pods of a group accept: by labels, node affinity, taints and chips."""
    selector, choice = pod_selector(cluster, group, CATALOG), pool_choice(cluster, group, CATALOG)
    tolerated = {(item.key, item.effect) for item in pod_tolerations(group, CATALOG)}

    def fits(pool: Pool) -> bool:
        labels = {NODE_POOL: pool.name, **pool.labels}
        hard = {(taint["key"], taint["effect"]) for taint in pool.taints if taint["effect"] != "PreferNoSchedule"}
        return (
            selector.items() <= labels.items()
            and (not choice or pool.name in choice)
            and hard <= tolerated
            and pool.chips >= group.shape.chips_per_host
        )

    return {pool.name for pool in pools_of(cluster) if fits(pool)}


def group_of(cluster: Cluster, name: str) -> SliceGroup:
    (found,) = (group for group in cluster.groups if group.name == name)
    return found


CAPACITIES: list[dict[str, Any]] = [
    {"count": 1},
    {"count": 3},
    {"capacity": "spot", "count": {"max": 2}},
    {"capacity": "flex_start", "count": {"max": 2}},
    {"capacity": {"flex_start": {"queued": True}}, "count": {"max": 1}},
    {"capacity": {"reservation": "ours"}, "count": 2},
]
LABELS: list[dict[str, Any]] = [{}, {"node_labels": {"team": "a"}}, {"node_labels": {"team": "b", "stage": "x"}}]
TAINTS: list[dict[str, Any]] = [
    {},
    {"taints": [{"key": "team", "effect": "NO_SCHEDULE"}]},
    {"taints": [{"key": "soft", "effect": "PREFER_NO_SCHEDULE"}]},
]
SHAPES = [ONE_HOST, TWO_HOSTS, TRAIN, {**V6E, "topology": "2x2"}]
GROUPS = st.builds(
    lambda *parts: {key: value for part in parts for key, value in part.items()},
    st.sampled_from(SHAPES),
    st.sampled_from(CAPACITIES),
    st.sampled_from(LABELS),
    st.sampled_from(TAINTS),
)
AUTOPROVISIONING: list[dict[str, Any]] = [
    {},
    {"autoprovisioning": {"cpu": 1000, "memory_gib": 4000, "tpu": {"v6e": 64}}},
]


@given(groups=st.lists(GROUPS, min_size=1, max_size=4), more=st.sampled_from(AUTOPROVISIONING))
def test_pods_accept_the_nodes_of_their_group_and_no_others(groups: list[dict[str, Any]], more: dict[str, Any]) -> None:
    cluster = cluster_of({f"group-{index}": group for index, group in enumerate(groups)}, **more)
    for group in cluster.groups:
        assert accepted(cluster, group) == {pool.name for pool in group.pools}, group.name


def test_labels_suffice_where_they_differ() -> None:
    cluster = cluster_of({"a": {**TRAIN, "count": 2}, "b": {**TRAIN, "topology": "4x8"}})
    for group in cluster.groups:
        assert NODE_POOL not in pod_selector(cluster, group, CATALOG)
        assert pool_choice(cluster, group, CATALOG) == ()


@pytest.mark.parametrize("spot", [{}, {"capacity": "spot", "count": {"max": 1}}])
def test_both_forms_of_a_topology_select_their_chips_per_host(spot: dict[str, Any]) -> None:
    cluster = cluster_of({"one": ONE_HOST, "two": {**TWO_HOSTS, **spot}})
    assert pod_selector(cluster, group_of(cluster, "one"), CATALOG)[COUNT] == "8"
    assert pod_selector(cluster, group_of(cluster, "two"), CATALOG)[COUNT] == "4"


def test_labels_of_the_plan_come_before_node_pools() -> None:
    cluster = cluster_of(
        {
            "a": {**TRAIN, "count": 2, "node_labels": {"team": "a", "same": "x"}},
            "b": {**TRAIN, "node_labels": {"same": "x"}},
        }
    )
    selector = pod_selector(cluster, group_of(cluster, "a"), CATALOG)
    assert selector["team"] == "a"
    assert not {"same", NODE_POOL} & selector.keys()
    assert pool_choice(cluster, group_of(cluster, "a"), CATALOG) == ()


def test_node_pools_are_the_last_means() -> None:
    cluster = cluster_of({"a": {**TRAIN, "count": 2}, "b": TRAIN})
    assert pool_choice(cluster, group_of(cluster, "a"), CATALOG) == ("a-0", "a-1")
    assert pod_selector(cluster, group_of(cluster, "b"), CATALOG)[NODE_POOL] == "b-0"


def test_auto_provisioned_nodes_could_match_too() -> None:
    limits = {"autoprovisioning": {"cpu": 1000, "memory_gib": 4000, "tpu": {"v6e": 64}}}
    cluster = cluster_of({"a": {**TRAIN, "capacity": {"reservation": "ours"}}}, **limits)
    assert pod_selector(cluster, cluster.groups[0], CATALOG)[NODE_POOL] == "a-0"


def test_nodes_of_a_compute_class_never_match_other_groups() -> None:
    cluster = cluster_of({"a": TRAIN, "b": {**TRAIN, "fallback": ["spot"]}})
    assert NODE_POOL not in pod_selector(cluster, group_of(cluster, "a"), CATALOG)


def test_a_collection_is_selected_by_its_name_and_goal() -> None:
    cluster = cluster_of({"a": {**TRAIN, "collection": {"name": "chat", "workload": "high_throughput"}}})
    selector = pod_selector(cluster, cluster.groups[0], CATALOG)
    assert selector["cloud.google.com/gke-nodepool-group-name"] == "chat"
    assert selector["cloud.google.com/gke-workload-type"] == "HIGH_THROUGHPUT"


@pytest.mark.parametrize(("vcpus", "name"), [(0, "small"), (8, "small"), (9, "large"), (64, "large"), (65, "small")])
def test_a_head_is_in_the_first_pool_that_is_large_enough(vcpus: int, name: str) -> None:
    pools = {key: {"machine_type": f"n2-standard-{size}", "nodes": 1} for key, size in (("small", 8), ("large", 64))}
    pool = head_pool(cluster_of({"a": TRAIN}, cpu_pools=pools), NOTHING, CATALOG, vcpus)
    assert pool is not None
    assert pool.name == name


def test_without_cpu_pools_a_head_selects_none() -> None:
    assert head_pool(cluster_of({"a": TRAIN}), NOTHING, CATALOG, 49) is None


def test_the_chips_of_a_host_are_selected_only_beside_another_form_of_the_same_slice() -> None:
    other = {"tpu": "v5e", "topology": "2x4", "chips_per_host": 4, "zone": "us-east5-a"}

    def selected(**groups: Any) -> list[bool]:
        cluster = cluster_of(groups)
        return [COUNT in pod_selector(cluster, group, CATALOG) for group in cluster.groups]

    assert selected(a=ONE_HOST, b=TWO_HOSTS) == [True, True]
    assert selected(a=ONE_HOST, b=other) == [False, False]
    assert selected(a=ONE_HOST, b=TRAIN) == [False, False]


@pytest.mark.parametrize(
    ("machine_type", "vcpus", "gib"),
    [
        ("e2-standard-4", "3.92", 16 - 1 - 0.8 - 0.8),
        ("n2-standard-32", "31.85", 128 - 1 - 0.8 - 0.8 - 6.72),
        ("n1-standard-1", "0.94", 3.75 * 0.75),
        ("m1-megamem-96", None, None),
        ("custom", None, None),
    ],
)
def test_a_node_leaves_to_pods_what_gke_does_not_reserve(machine_type: str, vcpus: str | None, gib: float) -> None:
    facts = CATALOG.kubernetes.workloads.cpu_nodes
    found = room(machine_type, facts)
    if vcpus is None:
        assert found is None
        return
    assert found is not None
    assert found.cpus == Fraction(vcpus)
    assert float(found.memory) == pytest.approx((gib * 1024 - facts.eviction_mib) * 1024**2)
    more = (Fraction(1, 1000), Fraction(0)), (Fraction(0), Fraction(1))
    assert found.holds(found)
    assert not any(found.holds(Room(found.cpus + cpus, found.memory + memory)) for cpus, memory in more)
