"""Slices of cubes: what the real slice controller and Kueue did with them, and where the scheduler puts their Pods.

The outcomes are those of runs of the real Kueue 0.19.2 and of the slice controller on nodes of two blocks, with three
and two cubes. GKE itself forms slices only on GKE, so that its part is faked: it labels the nodes.
"""

import copy
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.cubes import POOL, SLICE, TOPOLOGY, Cubes, Outcome, activate, pods_of
from support.control_plane.manifests import pod_spec
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.testbed import Testbed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, derive
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()
BLOCKS = {"one": 3, "two": 2}
HOSTS = {"2x2x1": 1, "2x2x2": 2, "2x2x4": 4, "2x4x4": 8, "4x4x4": 16, "4x4x8": 32, "4x8x8": 64}
LABEL = {"kueue.x-k8s.io/queue-name": "lq"}


def cluster_of(workloads: Mapping[str, Any], blocks: Mapping[str, int] = BLOCKS) -> Cluster:
    """A cluster with a group of cubes in each block, and these workloads in a queue of all cubes."""
    slices = {
        name: {
            "tpu": "tpu7x",
            "slicing": "dynamic",
            "count": cubes,
            "zone": "us-central1-c",
            "capacity": {"reservation": {"name": "ironwood", "block": f"block-{name}"}},
            "node_labels": {"block": name},
        }
        for name, cubes in blocks.items()
    }
    named = {key: {"image": "train", **item} for key, item in workloads.items()}
    content = {
        "mode": "standard",
        "location": "us-central1",
        "network": {"create": {"mtu": 8896}},
        "cpu_pools": {"controllers": {"machine_type": "n2-standard-16", "nodes": 1, "zones": ["us-central1-c"]}},
        "slices": slices,
        "kubernetes": {"queues": {"lq": {}}, "workloads": named},
    }
    parsed = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": content}})
    assert parsed.content is not None, parsed.findings
    assert [item for item in check_plan(parsed, CATALOG, None).findings if item.severity.name == "ERROR"] == []
    return derive(parsed.content, CATALOG).clusters[0]


def queues(*, levels: str = "4x4x4", check: bool = True, quota: int = 320) -> list[Object]:
    """The objects of a queue with which slices were formed: a flavor without chips first, and one for all cubes."""
    shapes = [f"cloud.google.com/gke-tpu-partition-{shape}-id" for shape in levels.split()]
    labels = ["cloud.google.com/gce-topology-block", *shapes, "kubernetes.io/hostname"]
    names = [{"name": "slices", "onFlavors": ["cubes"]}] if check else []
    group = {
        "coveredResources": ["google.com/tpu"],
        "flavors": [
            {"name": name, "resources": [{"name": "google.com/tpu", "nominalQuota": chips}]}
            for name, chips in (("cpu", 0), ("cubes", quota))
        ],
    }
    return [
        {"kind": "Topology", "metadata": {"name": "cubes"}, "spec": {"levels": [{"nodeLabel": one} for one in labels]}},
        {"kind": "ResourceFlavor", "metadata": {"name": "cpu"}, "spec": {}},
        {"kind": "ResourceFlavor", "metadata": {"name": "cubes"},
         "spec": {"topologyName": "cubes", "nodeLabels": {"cloud.google.com/gke-tpu-accelerator": "tpu7x"}}},
        {"kind": "AdmissionCheck", "metadata": {"name": "slices"},
         "spec": {"controllerName": "accelerator.gke.io/slice"}},
        {"kind": "ClusterQueue", "metadata": {"name": "cq"},
         "spec": {"resourceGroups": [group], "admissionChecksStrategy": {"admissionChecks": names}}},
    ]  # fmt: skip


def template(topology: str, **selector: str) -> Object:
    pod = pod_spec(4, {"cloud.google.com/gke-tpu-accelerator": "tpu7x", **selector})
    annotations = {"cloud.google.com/gke-tpu-slice-topology": topology} if topology else {}
    return {"metadata": {"annotations": annotations}, "spec": pod}


def job_set(name: str, topology: str, slices: int = 1, pods: int = 0, *, queued: bool = True, **more: Any) -> Object:
    count = pods or HOSTS[topology]
    selector = more.pop("selector", {})
    inner = {"parallelism": count, "completions": count, "template": template(topology, **selector)}
    metadata = {"name": name, "labels": LABEL if queued else {}, "annotations": more}
    jobs = [{"name": "slice", "replicas": slices, "template": {"spec": inner}}]
    return {"kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": jobs}}


def job(name: str, topology: str) -> Object:
    pods = HOSTS[topology]
    return {"kind": "Job", "metadata": {"name": name, "labels": LABEL},
            "spec": {"parallelism": pods, "template": template(topology)}}  # fmt: skip


def groups(name: str, topology: str, replicas: int = 1) -> Object:
    worker = {"size": HOSTS[topology], "workerTemplate": template(topology)}
    return {"kind": "LeaderWorkerSet", "metadata": {"name": name, "labels": LABEL},
            "spec": {"replicas": replicas, "leaderWorkerTemplate": worker}}  # fmt: skip


NODES = [node for node in nodes_of(pools_of(cluster_of({}))) if "google.com/tpu" in node["status"]["allocatable"]]
PARTS = "4x4x4 2x4x4 2x2x4 2x2x2 2x2x1"
EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology"
RUN = ("runs", "")
THREE_OF_FOUR = "allows to fit only 3 out of 4 slice(s)"
OUTCOMES: dict[str, tuple[list[Object], list[Object], list[tuple[str, str]]]] = {
    "two JobSets": (queues(), [job_set("a", "4x4x4", 2), job_set("b", "4x4x8")], [RUN, RUN]),
    "four cubes over blocks": (queues(), [job_set("a", "4x8x8")], [("waits", THREE_OF_FOUR)]),
    "four slices over blocks": (queues(), [job_set("a", "4x4x4", 4)], [("waits", THREE_OF_FOUR)]),
    "the same as two JobSets": (queues(), [job_set("a", "4x4x4", 2), job_set("b", "4x4x4", 2)], [RUN, RUN]),
    "parts of a cube": (queues(levels=PARTS), [job_set("a", "2x2x2", 3), job_set("b", "2x2x4"), job_set("c", "2x2x1")],
                        [RUN, RUN, RUN]),
    "parts without their level": (queues(), [job_set("a", "2x2x2")],
                                  [("waits", "does not contain the requested level")]),
    "too few Pods for two cubes": (queues(), [job_set("a", "4x4x8", pods=16)],
                                   [("refused", "results in 32 TPUs requested, but must be exactly 64 TPUs")]),
    "too few Pods for a cube": (queues(), [job_set("a", "4x4x4", pods=12)], [("refused", "48 TPUs requested")]),
    "no multiple of 4": (queues(), [job_set("a", "4x4x6", pods=24)], [("refused", "divisible by 4")]),
    "decreasing": (queues(), [job_set("a", "8x4x4", pods=32)], [("refused", "non-decreasing order")]),
    "no part of a cube": (queues(), [job_set("a", "2x4x2", pods=4)], [("refused", "divisible by 4")]),
    "two dimensions": (queues(), [job_set("a", "4x4", pods=4)], [("waits", "supports only TopologyAwareScheduling")]),
    "LeaderWorkerSet on one cube": (queues(), [groups("a", "4x4x4")], [RUN]),
    "LeaderWorkerSet on parts": (queues(levels=PARTS), [groups("a", "2x2x2", 2)], [RUN, RUN]),
    "LeaderWorkerSet on two cubes": (queues(), [groups("a", "4x4x8")],
                                     [("waits", "allows to fit only 16 out of 32 pod(s)")]),
    "Jobs": (queues(), [job("a", "4x4x4"), job("b", "4x4x8")], [RUN, RUN]),
    "topology selected": (queues(), [job_set("a", "4x4x4", selector={TOPOLOGY: "4x4x4"})], [("waits", "0 out of 1")]),
    "slice selected": (queues(), [job_set("a", "4x4x4", selector={SLICE: "a"})], [("waits", "0 out of 1")]),
    "node pool of one cube": (queues(), [job_set("a", "4x4x4", selector={POOL: "one-1"})], [RUN]),
    "exclusive by slice": (queues(), [job_set("a", "4x4x8", **{EXCLUSIVE: SLICE})], [RUN]),
    "exclusive by node pool": (queues(), [job_set("a", "4x4x8", **{EXCLUSIVE: POOL})], [("runs in part", "")]),
    "exclusive by node pool, one cube": (queues(), [job_set("a", "4x4x4", **{EXCLUSIVE: POOL})], [RUN]),
    "quota of one cube": (queues(quota=64), [job_set("a", "4x4x4"), job_set("b", "4x4x4")], [RUN, ("waits", "quota")]),
    "no check": (queues(check=False), [job_set("a", "4x4x4")], [("runs without slice", "")]),
    "no queue": (queues(), [job_set("a", "4x4x8", queued=False)], [("runs without slice", "")]),
    "no annotation": (queues(), [job_set("a", "", pods=16)], [("waits", "supports only TopologyAwareScheduling")]),
}  # fmt: skip
"""The objects of the queue, the workloads, and the outcome of each that was observed."""


@pytest.mark.parametrize("case", OUTCOMES)
def test_the_model_has_the_outcomes_that_were_observed(case: str) -> None:
    objects, workloads, expected = OUTCOMES[case]
    cubes = Cubes(copy.deepcopy(NODES), objects)
    found = [outcome for item in workloads for outcome in cubes.submit(item)]
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


def test_a_slice_whose_cube_dies_moves_to_another_cube_or_waits() -> None:
    cubes = Cubes(copy.deepcopy(NODES), queues())
    for _ in range(sum(BLOCKS.values())):
        (outcome,) = cubes.submit(job_set("a", "4x4x4"))
        assert outcome.state == "runs", outcome
        (pool,) = {cubes.labels(name)[POOL] for name in outcome.slices[0]}
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
def test_the_scheduler_puts_each_slice_on_its_cubes(scheduling: Testbed, case: str) -> None:
    """Also again after a cube of the first slice has died; a workload waits where no cube is left."""
    workloads, blocks = RUNS[case]
    cluster = cluster_of({key: {"slices": "one", "queue": "lq", **item} for key, item in workloads.items()}, blocks)
    objects = [item.object for item in manifests(cluster, CATALOG)]
    scheduling.dry_run(*(item for item in objects if item["kind"] not in ("Pod", "Slice")))
    nodes = nodes_of(pools_of(cluster))
    scheduling.create(*nodes)
    cubes = Cubes([node for node in nodes if "google.com/tpu" in node["status"]["allocatable"]], objects)
    kinds = ("Job", "JobSet", "LeaderWorkerSet")
    created = 0
    for item in (one for one in objects if one["kind"] in kinds):
        for outcome in cubes.submit(item):
            assert outcome.state == "runs", outcome
            created += start(scheduling, cubes, item, outcome)
    placements = scheduling.placements(created)
    by_name = {node["metadata"]["name"]: node for node in scheduling.client.list("v1", "Node", "")}
    slices: dict[str, set[str]] = {}
    for found in placements:
        assert found.node, found.reason
        slices.setdefault(found.labels["slice"], set()).add(by_name[found.node]["metadata"]["labels"][SLICE])
    assert all(names == {name} for name, names in slices.items()), slices
    assert cubes.submit(job_set("late", "4x8x8"))[0].state == "waits"


def start(bed: Testbed, cubes: Cubes, item: Object, outcome: Outcome) -> int:
    """Form the slices of a workload and create its Pods; the number of Pods."""
    by_name = {node["metadata"]["name"]: node for node in cubes.nodes}
    for index, names in enumerate(outcome.slices):
        activate(bed.client, [by_name[name] for name in names], f"{item['metadata']['name']}-{index}", outcome.topology)
    pods = list(pods_of(item, outcome))
    bed.create(*pods)
    return len(pods)


@pytest.mark.usefixtures("crds")
def test_a_slice_runs_again_on_the_cubes_that_are_left(scheduling: Testbed) -> None:
    cluster = cluster_of({"a": {"slices": "one", "queue": "lq", "topology": "4x4x4"}}, {"one": 2})
    objects = [item.object for item in manifests(cluster, CATALOG)]
    nodes = nodes_of(pools_of(cluster))
    scheduling.create(*nodes)
    cubes = Cubes([node for node in nodes if "google.com/tpu" in node["status"]["allocatable"]], objects)
    (item,) = (one for one in objects if one["kind"] == "Job")
    used = set()
    for _ in range(2):
        (outcome,) = cubes.submit(item)
        placements = scheduling.placements_on_nodes(start(scheduling, cubes, item, outcome))
        (pool,) = {cubes.labels(found.node)[POOL] for found in placements}
        used.add(pool)
        for node in [one for one in cubes.nodes if one["metadata"]["labels"][POOL] == pool]:
            scheduling.client.delete(node)
        for pod in scheduling.pods():
            scheduling.client.delete(pod)
        cubes.lose(pool)
        cubes.release(outcome, "lq", "tpu-one", 64)
    assert len(used) == 2
    assert cubes.submit(item)[0].state == "waits"
