"""Slices of cubes: what the real slice controller and Kueue did with them, and where the scheduler puts their Pods.

``support/slices_of_cubes.py`` has the cases. GKE itself forms slices only on GKE, so that its part is faked
(``support/control_plane/activator.py``): it reports conditions of Slices and labels the nodes.
"""

import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from support.control_plane.activator import FINALIZER, Activator, slice_object
from support.control_plane.client import Object
from support.control_plane.cubes import SLICE, Cubes, Outcome, pods_of
from support.control_plane.manifests import TOPOLOGY
from support.control_plane.nodes import NODE_POOL, nodes_of, pools_of
from support.control_plane.testbed import Testbed
from support.slices_of_cubes import BLOCKS, CASES, HOSTS, job_set, plan_of_cubes, queues

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, derive
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()


def cluster_of(workloads: Mapping[str, Any], blocks: Mapping[str, int] = BLOCKS) -> Cluster:
    """A cluster with a group of cubes in each block, and these workloads in a queue of all cubes."""
    parsed = parse_plan(plan_of_cubes(workloads, blocks))
    assert parsed.content is not None, parsed.findings
    assert [item for item in check_plan(parsed, CATALOG, None).findings if item.severity.name == "ERROR"] == []
    return derive(parsed.content, CATALOG).clusters[0]


_PARTITION = "cloud.google.com/gke-tpu-partition-4x4x4-id"


def hosts(blocks: Mapping[str, int]) -> list[Object]:
    """The hosts of cubes in these blocks."""
    every = nodes_of(pools_of(cluster_of({}, blocks)))
    return [node for node in every if "google.com/tpu" in node["status"]["allocatable"]]


NODES, FOUR = hosts(BLOCKS), hosts({"one": 4})


@pytest.fixture
def activator(scheduling: Testbed) -> Iterator[Activator]:
    """GKE's part, which dismantles every slice at the end."""
    fake = Activator(scheduling.client)
    yield fake
    for made in fake.slices():
        fake.dismantle(made)


@pytest.mark.parametrize("case", CASES)
def test_the_model_has_the_outcomes_that_were_observed(case: str) -> None:
    cubes, expected = Cubes(copy.deepcopy(NODES), CASES[case].queues), CASES[case].outcomes
    found = [outcome for item in CASES[case].workloads for outcome in cubes.submit(item)]
    assert [one.state for one in found] == [state for state, _ in expected], found
    assert all(reason in one.reason for one, (_, reason) in zip(found, expected, strict=True)), found
    assert whole(found)


def whole(outcomes: list[Outcome]) -> bool:
    """Whether each slice has its hosts, in one block, and no two slices share one."""
    labels = {one["metadata"]["name"]: one["metadata"]["labels"] for one in NODES}
    blocks = {name: found["cloud.google.com/gce-topology-block"] for name, found in labels.items()}
    slices = [(nodes, one.topology) for one in outcomes for nodes in one.slices]
    taken = Counter(node for nodes, _ in slices for node in nodes)
    return max(taken.values(), default=1) == 1 and all(
        len(nodes) == HOSTS[topology] and len({blocks[node] for node in nodes}) == 1 for nodes, topology in slices
    )


def test_a_deleted_slice_is_formed_again_and_that_of_a_deleted_workload_is_not() -> None:
    cubes = Cubes(copy.deepcopy(NODES), queues())
    (first,) = cubes.submit(job_set("a", "4x4x4", 3))
    cubes.release(first, "cq", "cubes", 192)
    (again,) = cubes.submit(job_set("a", "4x4x4", 3))
    assert (again.state, again.slices) == ("runs", first.slices)
    cubes.release(again, "cq", "cubes", 192)
    (other,) = cubes.submit(job_set("b", "4x4x4", 3))
    assert (other.state, other.slices) == ("runs", first.slices)


def test_pods_without_a_queue_run_on_a_slice_that_a_person_made() -> None:
    nodes = copy.deepcopy(NODES)
    for node in nodes[:32]:
        node["metadata"]["labels"] |= {SLICE: "by-hand", TOPOLOGY: "4x4x8"}
    (outcome,) = Cubes(nodes).submit(job_set("a", "4x4x8", queued=False, selector={SLICE: "by-hand"}))
    assert outcome.state == "runs"
    assert sorted(outcome.slices[0]) == sorted(node["metadata"]["name"] for node in nodes[:32])


def test_a_slice_whose_cube_dies_moves_to_another_cube_or_waits() -> None:
    cubes = Cubes(copy.deepcopy(NODES), queues())
    for _ in range(sum(BLOCKS.values())):
        (outcome,) = cubes.submit(job_set("a", "4x4x4"))
        assert outcome.state == "runs", outcome
        (pool,) = {cubes.labels(name)[NODE_POOL] for name in outcome.slices[0]}
        cubes.lose(pool)
        cubes.release(outcome, "cq", "cubes", 64)
    (outcome,) = cubes.submit(job_set("a", "4x4x4"))
    assert (outcome.state, outcome.slices) == ("waits", ())


RUNS = {
    "2x2x2": ({"a": {"topology": "2x2x2", "count": 3}}, {"one": 1}),
    "4x4x4": ({"a": {"topology": "4x4x4", "count": 2}}, {"one": 2}),
    "4x4x8": ({"a": {"topology": "4x4x8", "kind": "jobset"}}, {"one": 3}),
    "4x8x8": ({"a": {"topology": "4x8x8", "kind": "jobset"}}, {"one": 4}),
    "a group": ({"a": {"topology": "4x4x4", "kind": "leaderworkerset"}}, {"one": 2}),
    "two at once": ({"a": {"topology": "4x4x8"}, "b": {"topology": "4x4x4", "kind": "jobset"}}, {"one": 3}),
}


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize("case", RUNS)
def test_the_scheduler_puts_each_slice_on_its_cubes(scheduling: Testbed, activator: Activator, case: str) -> None:
    """Also again after a cube of the first slice has died; a workload waits where no cube is left."""
    workloads, blocks = RUNS[case]
    cluster = cluster_of({key: {"slices": "one", "queue": "lq", **item} for key, item in workloads.items()}, blocks)
    objects = [item.object for item in manifests(cluster, CATALOG)]
    scheduling.dry_run(*(item for item in objects if item["kind"] != "Pod"))
    nodes = nodes_of(pools_of(cluster))
    scheduling.create(*nodes)
    cubes = Cubes([node for node in nodes if "google.com/tpu" in node["status"]["allocatable"]], objects)
    kinds = ("Job", "JobSet", "LeaderWorkerSet")
    created = 0
    for item in (one for one in objects if one["kind"] in kinds):
        for outcome in cubes.submit(item):
            assert outcome.state == "runs", outcome
            created += start(scheduling, activator, cubes, item, outcome)
    placements = scheduling.placements(created)
    by_name = {node["metadata"]["name"]: node for node in scheduling.client.list("v1", "Node", "")}
    slices: dict[str, set[str]] = {}
    for found in placements:
        assert found.node, found.reason
        slices.setdefault(found.labels["slice"], set()).add(by_name[found.node]["metadata"]["labels"][SLICE])
    assert all(len(names) == 1 and min(names).endswith(f"-{name}") for name, names in slices.items()), slices
    assert cubes.submit(job_set("late", "4x8x8"))[0].state == "waits"


def start(bed: Testbed, activator: Activator, cubes: Cubes, item: Object, outcome: Outcome) -> int:
    """Form the slices of a workload and create its Pods; the number of Pods."""
    by_name = {node["metadata"]["name"]: node for node in cubes.nodes}
    for index, names in enumerate(outcome.slices):
        name = f"default-{item['kind'].lower()}-{item['metadata']['name']}-{index}"
        wanted = slice_object(name, outcome.topology, [by_name[one] for one in names])
        bed.create(wanted)
        assert activator.form(wanted) == ["ACTIVATING", "ACTIVE"]
    pods = list(pods_of(item, outcome))
    bed.create(*pods)
    return len(pods)


@pytest.mark.usefixtures("crds")
def test_a_slice_runs_again_on_the_cubes_that_are_left(scheduling: Testbed, activator: Activator) -> None:
    cluster = cluster_of({"a": {"slices": "one", "queue": "lq", "topology": "4x4x4"}}, {"one": 2})
    objects = [item.object for item in manifests(cluster, CATALOG)]
    nodes = nodes_of(pools_of(cluster))
    scheduling.create(*nodes)
    cubes = Cubes([node for node in nodes if "google.com/tpu" in node["status"]["allocatable"]], objects)
    (item,) = (one for one in objects if one["kind"] == "Job")
    used = set()
    for _ in range(2):
        (outcome,) = cubes.submit(item)
        placements = scheduling.placements_on_nodes(start(scheduling, activator, cubes, item, outcome))
        (pool,) = {cubes.labels(found.node)[NODE_POOL] for found in placements}
        used.add(pool)
        for node in [one for one in cubes.nodes if one["metadata"]["labels"][NODE_POOL] == pool]:
            scheduling.client.delete(node)
        for pod in scheduling.pods():
            scheduling.client.delete(pod)
        (formed,) = activator.slices()
        activator.dismantle(formed)
        cubes.lose(pool)
        cubes.release(outcome, "lq", "tpu-one", 64)
    assert len(used) == 2
    assert cubes.submit(item)[0].state == "waits"


TWO_BLOCKS = {"one": 2, "two": 1}
WRONG: list[tuple[str, list[int | str], str]] = [
    ("4x4x8", [0], "SliceCreationFailed"),
    ("4x4x8", [0, 0], "SliceCreationFailed"),
    ("4x4x4", ["none"], "SliceCreationFailed"),
    ("4x4x4", [1], "SliceCreationFailed"),
    ("4x4x8", [0, 2], "FAILED"),
]


@pytest.mark.usefixtures("crds")
def test_slices_report_what_gke_does_with_them(scheduling: Testbed, activator: Activator) -> None:
    nodes = hosts(TWO_BLOCKS)
    scheduling.create(*nodes)
    partitions = [*dict.fromkeys(node["metadata"]["labels"][_PARTITION] for node in nodes)]
    own = [node for node in nodes if node["metadata"]["labels"][_PARTITION] == partitions[1]]
    made = slice_object("whole", "4x4x4", own)
    scheduling.create(made)
    assert activator.form(made) == ["ACTIVATING", "ACTIVE"]
    for index, (topology, chosen, reason) in enumerate(WRONG):
        wrong = slice_object(f"wrong-{index}", topology, [])
        wrong["spec"]["partitionIds"] = [one if isinstance(one, str) else partitions[one] for one in chosen]
        scheduling.create(wrong)
        assert activator.form(wrong) == [reason]
    found = activator.slices()
    assert [item["status"]["conditions"][0]["reason"] for item in found] == ["ACTIVE", *(one[2] for one in WRONG)]
    assert all(item["metadata"]["finalizers"] == [FINALIZER] for item in found)
    activator.dismantle(found[0])
    assert not [node for node in scheduling.client.list("v1", "Node", "") if SLICE in node["metadata"]["labels"]]


@pytest.mark.usefixtures("crds")
@pytest.mark.parametrize(
    ("change", "accepted"),
    [
        ({"topology": "4x4x6"}, True),
        ({"topology": "4x4"}, True),
        ({"partitionIds": ["a", "a"]}, True),
        ({"topology": "4x4x8 "}, False),
        ({"topology": "cube"}, False),
        ({"type": "tpu-v6e-slice"}, False),
        ({"partitionIds": []}, False),
        ({"partitions": ["a"]}, False),
    ],
)
def test_the_kind_accepts_what_that_of_gke_accepts(scheduling: Testbed, change: dict[str, Any], accepted: bool) -> None:
    item = slice_object("a", "4x4x8", [])
    item["spec"] |= {"partitionIds": ["a", "b"], **change}
    assert bool(scheduling.refusal(item)) is not accepted


@pytest.mark.parametrize(("topology", "size"), [("2x2x2", 16), ("4x4x4", 128), ("4x4x8", 256), ("4x8x8", 512)])
def test_only_pods_of_a_job_state_the_size_of_their_slice(topology: str, size: int) -> None:
    """In cores, of which a chip has two; JobSet and LeaderWorkerSet let GKE set the environment."""
    kinds = {"job": "Job", "jobset": "JobSet"} | ({"leaderworkerset": "LeaderWorkerSet"} if size <= 128 else {})
    workloads = {key: {"slices": "one", "queue": "lq", "topology": topology, "kind": key} for key in kinds}
    objects = [item.object for item in manifests(cluster_of(workloads, {"one": 4}), CATALOG)]
    for kind in kinds.values():
        (item,) = (one for one in objects if one["kind"] == kind)
        (outcome,) = Cubes(copy.deepcopy(FOUR), objects).submit(item)
        pods = list(pods_of(item, outcome))
        assert len(pods) == HOSTS[topology]
        variables = [one["spec"]["containers"][0].get("env", []) for one in pods]
        stated = {one["value"] for env in variables for one in env if one["name"] == "TPU_ACCELERATOR_TYPE"}
        assert stated == ({f"tpu7x-{size}"} if kind == "Job" else set())
