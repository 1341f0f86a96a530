"""Every kind of workload on every shape, as ``gke-tpu manifests`` writes it, in the real server and scheduler.

The server checks the objects of all shapes, and the Jobs and Pods that follow from them. The scheduler places the Pods
of shapes with at most four hosts: larger ones have the same labels and more Pods.
"""

import functools
import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from support.control_plane.client import Object, Refused
from support.control_plane.expansion import expand, pod_count, sample_pods
from support.control_plane.nodes import nodes_of, pools_of
from support.control_plane.placement import held_together_by, pools_used
from support.control_plane.testbed import Testbed
from support.gcp_standin.difference import format_path
from support.kubernetes_standin.difference import differences, pruned
from support.matrix import GENERATIONS, MOST, Cell, cells, plan_of
from support.workload_plans import HEADS, IMAGE, checked

from pulumi_gke_tpu.core.fleet import Cluster
from pulumi_gke_tpu.core.kubernetes.fleet import manifests

pytestmark = pytest.mark.usefixtures("crds")

MODES = ("standard", "autopilot")
CODES = {
    "job": "j",
    "jobset": "s",
    "leaderworkerset": "l",
    "deployment": "d",
    "raycluster": "c",
    "rayjob": "r",
    "pathways": "p",
}
KINDS = tuple(CODES)
MOST_HOSTS = 4
FIRST = 8
"""Objects of each expansion that the server checks: those after them are more Pods of a Ray worker group."""
TOGETHER = ("1", "2")


def kinds_of(cell: Cell) -> Iterator[str]:
    """The kinds that can use a shape: a Deployment has no slices of several hosts, and v3 no Pathways."""
    for kind in KINDS:
        if not (kind == "deployment" and cell.hosts > 1) and not (kind == "pathways" and cell.generation == "v3"):
            yield kind


@dataclass(frozen=True)
class Rendered:
    """A cluster with workloads, and the objects of each workload."""

    cluster: Cluster
    objects: dict[str, list[Object]]
    """Name of the workload -> its objects; those of no workload have an empty name."""


def rendered(
    table: Sequence[Cell], names: Iterable[str], kinds: Sequence[str] = KINDS, *, labeled: bool = False
) -> list[Rendered]:
    """The clusters of a table with as many workloads of each kind on each shape as there are names and slices.

    ``labeled``: whether the nodes of each group have a label of their own, which the plan sets on Standard.
    """
    plan = plan_of(list(table))
    for cell in table:
        cluster = plan["clusters"][cell.zone.rpartition("-")[0]]
        cluster["addons"] = ["ray_operator"]
        if cell.mode == "standard":
            cluster["cpu_pools"] = {"heads": HEADS | {"max_nodes": 200}}
            if not labeled:
                del cluster["slices"][cell.key]["node_labels"]
        workloads = cluster.setdefault("kubernetes", {"workloads": {}})["workloads"]
        for name in list(names)[: MOST[cell.capacity]]:
            for kind in kinds_of(cell):
                if kind in kinds:
                    written = {"slices": cell.key, "kind": kind, "image": IMAGE}
                    workloads[f"{CODES[kind]}{name}-{cell.key}"] = written
    result = checked(plan)
    assert result.findings == ()
    assert result.fleet is not None
    found = []
    for one in result.fleet.clusters:
        objects: dict[str, list[Object]] = {}
        for item in manifests(one, result.catalog):
            name = str(item.path[-1]) if item.concern == "workloads" else ""
            objects.setdefault(name, []).append(item.object)
        found.append(Rendered(one, objects))
    return found


@functools.cache
def table(generation: str, mode: str) -> tuple[Cell, ...]:
    return tuple(cells(generation, mode))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_server_accepts_every_object_and_every_pod(bed: Testbed, generation: str, mode: str) -> None:
    """It also stores each field of the objects as it is sent; otherwise Pulumi would plan a change at every run."""
    refused: dict[str, str] = {}
    for cluster in rendered(table(generation, mode), ["1"]):
        for name, objects in cluster.objects.items():
            core = [part for item in objects for part in itertools.islice(expand(item, bed.namespace), FIRST)]
            for item in different((*objects, *core, *sample_pods(core))):
                words = refusal_or_difference(bed, item) if item in objects else bed.refusal(item)
                if words:
                    refused[f"{name}: {item['kind']}"] = words
    assert refused == {}


def refusal_or_difference(bed: Testbed, item: Object) -> str:
    """Why the server does not store an object, or how what it stores differs from what was sent."""
    try:
        stored = bed.client.create(item, bed.namespace, dry_run=True)
    except Refused as refused:
        return refused.message
    sent = {**item, "metadata": {**item["metadata"], "namespace": stored["metadata"].get("namespace")}}
    return ", ".join(f"{format_path(steps)} {how}" for steps, how in differences(pruned(stored, sent), sent))


def different(items: Iterable[Object]) -> Iterable[Object]:
    """One of those that differ in their metadata only, such as the Pods of a Ray worker group."""
    return {(item["kind"], json.dumps(item.get("spec"), sort_keys=True)): item for item in items}.values()


def small_cells(generation: str, kind: str) -> list[Cell]:
    return [cell for cell in table(generation, "standard") if cell.hosts <= MOST_HOSTS and kind in kinds_of(cell)]


@pytest.mark.parametrize(
    ("generation", "kind", "labeled"),
    [
        *((generation, kind, False) for generation in GENERATIONS for kind in KINDS if small_cells(generation, kind)),
        *(("v6e", kind, True) for kind in KINDS),
    ],
)
def test_on_standard_each_slice_is_in_a_pool_of_its_group_for_a_reason(
    scheduling: Testbed, generation: str, kind: str, *, labeled: bool
) -> None:
    """All shapes and capacity modes of a generation in one cluster, and two workloads on each at the same time."""
    small = small_cells(generation, kind)
    for found in rendered(small, TOGETHER, [kind], labeled=labeled):
        pools = pools_of(found.cluster)
        core = {name: expanded(objects, scheduling) for name, objects in found.objects.items() if name}
        scheduling.create(*nodes_of(pools), *[part for parts in core.values() for part in parts])
        placements = scheduling.placements(pod_count(part for parts in core.values() for part in parts))
        assert [one for one in placements if not one.node] == []
        for name, parts in core.items():
            group = next(group for group in found.cluster.groups if name.endswith(f"-{group.name}"))
            own = {pool.name for pool in group.pools}
            used = pools_used([one for one in placements if one.chips and one.pod.startswith(f"{name}-")], pools)
            assert used.keys() <= own, (name, used)
            assert used.total() == group.shape.hosts
            jobs = [part["spec"] for part in parts if part["kind"] == "Job"]
            assert all(one.get("completions", 1) == one.get("parallelism", 1) for one in jobs), "a Job that never ends"
            if group.shape.multi_host:
                assert len(used) == 1, (name, used)
                reasons = {held_together_by(pod["spec"], pools) for pod in sample_pods(parts) if has_chips(pod)}
                assert reasons <= {"pool selector", "only one pool", "exclusive topology"}, (name, reasons)


def expanded(objects: Iterable[Object], bed: Testbed) -> list[Object]:
    return [part for item in objects for part in expand(item, bed.namespace)] + [
        item for item in objects if item["kind"] == "Service"
    ]


def has_chips(pod: Object) -> bool:
    containers = pod["spec"]["containers"]
    return any("google.com/tpu" in container.get("resources", {}).get("limits", {}) for container in containers)


def autopilot_cells(generation: str, capacity: str) -> list[Cell]:
    """The shapes of a capacity mode; a host with 8 chips can take Pods with 4, so one form of each topology."""
    small: dict[str, Cell] = {}
    for cell in table(generation, "autopilot"):
        if cell.hosts <= MOST_HOSTS and cell.capacity == capacity:
            small.setdefault(cell.topology, cell)
    return list(small.values())


@pytest.mark.parametrize(
    ("generation", "capacity"),
    [
        (generation, capacity)
        for generation in GENERATIONS
        for capacity in MOST
        if autopilot_cells(generation, capacity)
    ],
)
def test_on_autopilot_each_pod_is_on_a_host_of_its_shape(scheduling: Testbed, generation: str, capacity: str) -> None:
    """All kinds on all shapes at the same time, and the nodes that GKE would create for one capacity mode.

    Affinity holds each slice in one node pool. Which nodes GKE creates for which Pods is not tested.
    """
    for found in rendered(autopilot_cells(generation, capacity), ["1"]):
        pools = pools_of(found.cluster, len(KINDS))
        scheduling.create(*nodes_of(pools))
        core = {name: expanded(objects, scheduling) for name, objects in found.objects.items() if name}
        parts = [part for name in core for part in core[name]]
        scheduling.create(*parts)
        placements = scheduling.placements(pod_count(parts))
        assert [one for one in placements if not one.node] == []
        for name in core:
            group = next(group for group in found.cluster.groups if name.endswith(f"-{group.name}"))
            used = pools_used([one for one in placements if one.chips and one.pod.startswith(f"{name}-")], pools)
            assert all(pool.startswith(f"nap-{group.name}-") for pool in used), (name, used)
            assert used.total() == group.shape.hosts
            assert len(used) == 1 or not group.shape.multi_host, (name, used)
