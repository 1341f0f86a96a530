"""The objects that ``gke-tpu manifests`` writes besides workloads: queues, classes, disks, priorities, other Pods."""

import copy
import itertools
from typing import Any

import pytest
from support.control_plane.client import Object
from support.control_plane.expansion import expand, pod_count, sample_pods
from support.control_plane.nodes import NODE_POOL, nodes_of, pools_of
from support.control_plane.placement import pools_used, selects
from support.control_plane.testbed import Testbed
from support.matrix import GENERATIONS, cells, facts
from support.rendered import named, values_of
from support.shipped import NAMES, shipped_plan
from support.workload_plans import HEADS, IMAGE, TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.kubernetes.fleet import manifests
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity

pytestmark = pytest.mark.usefixtures("crds")

TPU = "google.com/tpu"
FALLBACKS = ("on_demand", "flex_start", "spot")


def clusters_of(plan: dict[str, Any]) -> list[tuple[Cluster, list[Object]]]:
    """The clusters of a plan with their objects."""
    result = checked(plan)
    assert result.findings == ()
    assert result.fleet is not None
    return [(one, [item.object for item in manifests(one, result.catalog)]) for one in result.fleet.clusters]


def checked_by_server(bed: Testbed, objects: list[Object]) -> dict[str, str]:
    """What the server does not accept, of the objects and of the Pods that follow from them, with its words.

    Priority classes are created, because it looks for that of each Pod.
    """
    bed.create(*[item for item in objects if item["kind"] == "PriorityClass"])
    core = [part for item in objects for part in expand(item, bed.namespace)]
    rest = [item for item in objects if item["kind"] not in ("PriorityClass", "Namespace")]
    every = (*rest, *core, *sample_pods(core))
    return {f"{item['kind']} {item['metadata']['name']}": words for item in every if (words := bed.refusal(item))}


def start(bed: Testbed, objects: list[Object]) -> int:
    """Create what the workloads need and are; the number of their Pods."""
    core = [part for item in objects for part in expand(item, bed.namespace)]
    bed.create(*[item for item in objects if item["kind"] in ("PriorityClass", "Service")], *core)
    return pod_count(core)


# Queues and shipped stacks


def in_use(name: str) -> dict[str, Any]:
    """A shipped stack with a queue for all groups of a cluster, and a workload on each group."""
    plan = {key: value for key, value in shipped_plan(name).items() if key != "today"}
    for cluster in plan["clusters"].values():
        groups = cluster["slices"]
        workloads = {f"run-{key}": {"slices": key, "image": IMAGE, "queue": "team", "kind": "jobset"} for key in groups}
        cluster["kubernetes"] = {"queues": {"team": {}}, "workloads": workloads}
    return plan


@pytest.mark.parametrize("stack", NAMES)
def test_the_server_accepts_every_object_of_a_shipped_stack(bed: Testbed, stack: str) -> None:
    for _, objects in clusters_of(in_use(stack)):
        assert {"ClusterQueue", "LocalQueue", "ResourceFlavor", "JobSet"} <= {item["kind"] for item in objects}
        assert checked_by_server(bed, objects) == {}


@pytest.mark.parametrize("stack", NAMES)
def test_each_flavor_of_a_shipped_stack_has_the_labels_of_the_nodes_of_one_group(stack: str) -> None:
    """Kueue does not look at nodes: it admits workloads to a flavor without nodes, and their Pods stay Pending."""
    for cluster, objects in clusters_of(in_use(stack)):
        (queue,) = named(objects, "ClusterQueue").values()
        (resources,) = queue["spec"]["resourceGroups"]
        quotas = {
            flavor["name"]: {item["name"]: parse_quantity(item["nominalQuota"]) for item in flavor["resources"]}
            for flavor in resources["flavors"]
        }
        assert all(list(quota) == resources["coveredResources"] for quota in quotas.values())
        flavors = named(objects, "ResourceFlavor")
        groups: dict[str, set[str]] = {}
        for group in cluster.groups:
            for pool in pools_of(cluster, 1):
                if pool.name in {own.name for own in group.pools} or pool.name.startswith(f"nap-{group.name}-"):
                    labels = {**pool.labels, NODE_POOL: pool.name}.items()
                    for name, flavor in flavors.items():
                        if flavor["spec"].get("nodeLabels", {}).items() <= labels:
                            groups.setdefault(name, set()).add(group.key)
        with_chips = {name: quota[TPU] for name, quota in quotas.items() if quota[TPU]}
        assert {name: len(groups.get(name, ())) for name in with_chips} == dict.fromkeys(with_chips, 1)
        assert sum(with_chips.values()) == sum(group.chips.maximum for group in cluster.groups)


def admitted(objects: list[Object]) -> list[Object]:
    """The JobSets as Kueue starts them: with the labels and tolerations of the flavor that their selectors allow."""
    flavors = [item["spec"] for item in objects if item["kind"] == "ResourceFlavor"]
    started = copy.deepcopy([item for item in objects if item["kind"] == "JobSet"])
    for spec in (job["template"]["spec"]["template"]["spec"] for item in started for job in _replicated(item)):
        selector = spec["nodeSelector"]
        labels = [flavor.get("nodeLabels", {}) for flavor in flavors if flavor.get("nodeLabels")]
        chosen = next(
            found for found in labels if all(selector.get(key, value) == value for key, value in found.items())
        )
        selector.update(chosen)
    return started


def _replicated(jobset: Object) -> list[Object]:
    jobs: list[Object] = jobset["spec"]["replicatedJobs"]
    return jobs


@pytest.mark.parametrize("stack", NAMES)
def test_the_scheduler_places_every_pod_of_a_shipped_stack(scheduling: Testbed, stack: str) -> None:
    for cluster, objects in clusters_of(in_use(stack)):
        pools = pools_of(cluster, 1)
        scheduling.create(*nodes_of(pools))
        placements = scheduling.placements(start(scheduling, admitted(objects)))
        for group in cluster.groups:
            used = pools_used([one for one in placements if one.pod.startswith(f"run-{group.path[-1]}-")], pools)
            own = {pool.name for pool in group.pools} or {f"nap-{group.name}-0"}
            assert used.keys() <= own
            assert (used.total(), len(used)) == (group.shape.hosts, 1)


# ComputeClasses


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_server_accepts_the_class_of_every_order_of_capacity_modes(
    bed: Testbed, generation: str, mode: str
) -> None:
    """Its schema and its CEL rules."""
    cell = next(cell for cell in cells(generation, mode) if cell.hosts > 1)
    offered = [name for name in FALLBACKS if facts("capacity")["families"][cell.family][name]["offer"] != "no"]
    firsts: dict[str, object] = {"reservation": {"reservation": "ours"}, **{name: name for name in offered}}
    slices: dict[str, Any] = {}
    for first, capacity in firsts.items():
        others = [name for name in offered if name != first]
        orders = [order for count in range(1, len(others) + 1) for order in itertools.permutations(others, count)]
        for number, order in enumerate(orders):
            plain = {key: value for key, value in cell.group().items() if key not in ("count", "node_labels")}
            key = f"{first.replace('_', '')}-{number}"
            slices[key] = {**plain, "count": 1, "capacity": capacity, "fallback": list(order)}
    location = cell.zone.rpartition("-")[0]
    runs = {f"run-{key}": {"slices": key, "kind": "jobset"} for key in slices}
    ((_, objects),) = clusters_of(workload_plan(slices, runs, mode=mode, location=location))
    assert len(named(objects, "ComputeClass")) == len(slices) >= len(firsts)
    assert checked_by_server(bed, objects) == {}


def test_pods_of_a_class_run_on_the_nodes_that_gke_creates_for_it(scheduling: Testbed) -> None:
    slices = {"serve": {**TRAIN, "fallback": ["spot"]}, "other": TRAIN}
    ((cluster, objects),) = clusters_of(workload_plan(slices, {"run": {"slices": "serve", "kind": "jobset"}}))
    pools = pools_of(cluster, 1)
    scheduling.create(*nodes_of(pools))
    placements = scheduling.placements(start(scheduling, objects))
    assert dict(pools_used(placements, pools)) == {"nap-serve-0": 4}


# Disks


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_server_accepts_every_disk_that_a_generation_can_attach(bed: Testbed, generation: str) -> None:
    cell = next(iter(cells(generation, "standard")))
    disks = facts("disks")["families"][cell.family]
    types = [name for name in disks["attach"] if name not in disks.get("confidential_only", ())]
    access = [(name, "read_write_once") for name in types]
    access += [("hyperdisk-ml", "read_only_many")] if "hyperdisk-ml" in types else []
    volumes = {
        f"v{number}": {"mount": f"/v{number}", "disk": {"type": name, "size_gib": 100, "access": mode}}
        for number, (name, mode) in enumerate(access)
    }
    group = {key: value for key, value in cell.group().items() if key != "node_labels"}
    run = {"run": {"slices": "one", "kind": "jobset", "volumes": volumes}}
    ((_, objects),) = clusters_of(workload_plan({"one": group}, run, location=cell.zone.rpartition("-")[0]))
    assert len(named(objects, "StorageClass")) == len(types)
    assert checked_by_server(bed, objects) == {}


# Priorities, and other Pods on TPU hosts

CLASSES = {"low": {"value": 100}, "high": {"value": 1000}}


def contested() -> tuple[Cluster, list[Object]]:
    runs = {f"run-{name}": {"slices": "one", "kind": "jobset", "priority": name} for name in CLASSES}
    ((cluster, objects),) = clusters_of(workload_plan({"one": TRAIN}, runs, kubernetes={"priority_classes": CLASSES}))
    return cluster, objects


def of_workload(objects: list[Object], name: str) -> list[Object]:
    return [item for item in objects if item["kind"] == "PriorityClass" or item["metadata"]["name"] == name]


def test_a_workload_of_a_higher_class_preempts_one_of_a_lower_class(scheduling: Testbed) -> None:
    cluster, objects = contested()
    scheduling.create(*nodes_of(pools_of(cluster)))
    scheduling.placements(start(scheduling, of_workload(objects, "run-low")))
    (high,) = [part for item in of_workload(objects, "run-high") for part in expand(item, scheduling.namespace)][1:]
    scheduling.create(high)
    assert len(scheduling.bound_after_preemption("run-high-slice-0", 4)) == 4


def test_the_server_refuses_a_class_above_the_range_of_users(bed: Testbed) -> None:
    for value, words in ((1_000_000_000, ""), (1_000_000_001, "maximum allowed value of a user defined priority")):
        kubernetes = {"priority_classes": {"top": {"value": value}}}
        ((_, objects),) = clusters_of(workload_plan({"one": TRAIN}, {}, kubernetes=kubernetes))
        refusal = bed.refusal(named(objects, "PriorityClass")["top"])
        assert words in refusal
        assert bool(words) == bool(refusal)


def test_the_example_of_other_pods_runs_beside_a_pod_with_chips_because_of_its_toleration(scheduling: Testbed) -> None:
    group = {**TRAIN, "topology": "2x2"}
    ((cluster, objects),) = clusters_of(workload_plan({"one": group}, {"run": {"slices": "one", "kind": "job"}}))
    example = named(objects, "Pod")["example-agent"]
    intolerant = {**example, "metadata": {"name": "intolerant"}}
    intolerant["spec"] = {key: value for key, value in example["spec"].items() if key != "tolerations"}
    scheduling.create(*nodes_of(pool for pool in pools_of(cluster) if pool.chips), intolerant)
    first, second, third = scheduling.placements(start(scheduling, objects) + 1)
    assert (first.pod, second.pod) == ("example-agent", "intolerant")
    assert first.node == third.node == "gke-one-0000"
    assert "1 node(s) had untolerated taint(s)" in second.reason


def test_on_autopilot_no_other_pods_are_written_for_tpu_hosts() -> None:
    group = {"tpu": "v6e", "topology": "2x2"}
    plan = workload_plan({"one": group}, {"run": {"slices": "one", "kind": "job"}}, mode="autopilot")
    ((_, objects),) = clusters_of(plan)
    assert named(objects, "Pod") == {}


# Pathways


def test_the_head_of_pathways_needs_a_large_cpu_pool(scheduling: Testbed) -> None:
    run = {"run": {"slices": "one", "kind": "pathways", "head": {"cpu": "16", "memory": "64Gi"}}}
    ((cluster, objects),) = clusters_of(workload_plan({"one": TRAIN}, run, cpu_pools={"heads": HEADS}))
    pools = pools_of(cluster)
    scheduling.create(*nodes_of(pools))
    placements = scheduling.placements(start(scheduling, [item for item in objects if item["kind"] == "JobSet"]))
    assert [one.node.rpartition("-")[0] for one in placements if not one.chips] == ["gke-heads"]
    assert dict(pools_used([one for one in placements if one.chips], pools)) == {"one-0": 4}
    (head,) = [pod for pod in sample_pods(expand(named(objects, "JobSet")["run"], "x")) if "head-0" in str(pod)][:1]
    assert [pool.name for pool in pools if selects(head["spec"], pool)] == ["heads"]
    assert values_of(head["spec"], TPU) == []


# Collections


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_pods_of_a_collection_run_on_its_nodes_and_not_on_others_that_look_alike(
    scheduling: Testbed, mode: str
) -> None:
    plain = {key: value for key, value in TRAIN.items() if mode == "standard" or key != "zone"}
    collection = {"name": "frontends", "workload": "high_availability"}
    slices = {"serve": {**plain, "collection": collection, "count": 2}, "other": {**plain, "count": 2}}
    run = {"run": {"slices": "serve", "kind": "leaderworkerset", "count": 2}}
    ((cluster, objects),) = clusters_of(workload_plan(slices, run, mode=mode))
    pools = pools_of(cluster, 2)
    scheduling.create(*nodes_of(pools))
    serving = [item for item in objects if item["kind"] == "LeaderWorkerSet"]
    placements = scheduling.placements(start(scheduling, serving))
    names = ("serve-0", "serve-1") if mode == "standard" else ("nap-serve-0", "nap-serve-1")
    assert dict(pools_used(placements, pools)) == dict.fromkeys(names, 4)
