"""Every kind of workload on every shape of the catalog, in both modes and with every capacity mode.

What the objects must contain is computed from the catalog's YAML, without the code that reads it; the Pods are read by
the code of ``gke-tpu check``, which knows nothing of the builders.
"""

import functools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from support.matrix import GENERATIONS, SELECTED, Cell, cells, facts, plan_of
from support.sampling import sample
from support.workload_plans import IMAGE, checked

from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.kinds import pod_templates
from pulumi_gke_tpu.core.objects import ManifestFile, PodTemplate, read_manifests
from pulumi_gke_tpu.core.text.formats.quantity import parse_quantity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

MODES = ("standard", "autopilot")
KINDS = ("job", "jobset", "leaderworkerset", "deployment", "raycluster", "rayjob", "pathways")
SLICES = 1
EXCLUSIVE = ("alpha.jobset.sigs.k8s.io/exclusive-topology", "leaderworkerset.sigs.k8s.io/exclusive-topology")
POOL = "cloud.google.com/gke-nodepool"
COUNT = "cloud.google.com/gke-accelerator-count"
QUEUED = "cloud.google.com/gke-queued"
POLICY = "cloud.google.com/placement-policy-name"
TPU = "google.com/tpu"


def kinds_of(cell: Cell) -> Iterator[str]:
    """The kinds that can use a shape: a Deployment has no slices of several hosts, and v3 no Pathways."""
    yield from (
        kind
        for kind in KINDS
        if not (kind == "deployment" and cell.hosts > 1) and not (kind == "pathways" and cell.generation == "v3")
    )


@functools.cache
def table(generation: str, mode: str) -> tuple[Cell, ...]:
    return tuple(
        sample(cells(generation, mode), 12, lambda cell: (cell.capacity, cell.hosts > 1), of=f"{generation} {mode}")
    )


@functools.cache
def streams(generation: str, mode: str) -> tuple[CheckedPlan, list[bytes]]:
    """A plan with every workload of a generation, and the written objects of each of its clusters."""
    plan = plan_of(list(table(generation, mode)))
    for cell in table(generation, mode):
        cluster = plan["clusters"][cell.zone.rpartition("-")[0]]
        cluster["addons"] = ["ray_operator"]
        workloads = cluster.setdefault("kubernetes", {"workloads": {}})["workloads"]
        for kind in kinds_of(cell):
            workloads[name_of(cell, kind)] = {"slices": cell.key, "kind": kind, "image": IMAGE, "count": SLICES}
    result = checked(plan)
    assert result.findings == ()
    return result, [manifest_stream(cluster.manifests).encode() for cluster in manifests_of(result)]


@functools.cache
def rendered(generation: str, mode: str) -> dict[tuple[str, str], list[Any]]:
    """(key of the cell, kind) -> the objects of the workload, read back from the written YAML."""
    _, written = streams(generation, mode)
    objects: dict[tuple[str, str], list[Any]] = {}
    names = {name_of(cell, kind): (cell.key, kind) for cell in table(generation, mode) for kind in kinds_of(cell)}
    for document in read_manifests((str(index), text) for index, text in enumerate(written)).objects:
        objects.setdefault(names[document.name], []).append(document)
    assert objects.keys() == set(names.values())
    return objects


def name_of(cell: Cell, kind: str) -> str:
    return f"{kind[:4]}-{cell.key}"


def workloads(generation: str, mode: str) -> Iterator[tuple[Cell, str, list[Any]]]:
    objects = rendered(generation, mode)
    for cell in table(generation, mode):
        for kind in kinds_of(cell):
            yield cell, kind, objects[cell.key, kind]


def templates(objects: list[Any]) -> list[PodTemplate]:
    return [template for item in objects for template in pod_templates(item)]


def tpu_templates(objects: list[Any]) -> list[PodTemplate]:
    """The templates of the Pods that request chips."""
    return [template for template in templates(objects) if chips(template)]


def chips(template: PodTemplate) -> Fraction:
    amounts = (container.amount("requests", TPU) for container in template.containers())
    return sum((parse_quantity(amount) or Fraction(0) for amount in amounts), Fraction(0))


every_shape = pytest.mark.parametrize("mode", MODES)
every_generation = pytest.mark.parametrize("generation", GENERATIONS)


@every_shape
@every_generation
def test_a_slice_has_a_pod_on_each_host(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        found = [(template.pods, template.groups) for template in tpu_templates(objects)]
        pods = sum((count or 0) * (groups or 0) for count, groups in found)
        assert pods == cell.hosts * SLICES, (cell.key, kind, found)


@every_shape
@every_generation
def test_each_pod_requests_all_chips_of_its_host(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        for template in tpu_templates(objects):
            (holder,) = (item for item in template.containers() if item.amount("requests", TPU) is not None)
            amounts = (holder.amount("requests", TPU), holder.amount("limits", TPU))
            assert amounts == (str(cell.machine["chips"]), str(cell.machine["chips"])), (cell.key, kind)


@every_shape
@every_generation
def test_no_pod_requests_more_cpu_or_memory_than_its_host_has(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        for template in tpu_templates(objects):
            (holder,) = template.containers()
            cpu, memory = holder.amount("requests", "cpu"), holder.amount("requests", "memory")
            assert 0 < (parse_quantity(cpu) or 0) < cell.machine["vcpu"], (cell.key, kind)
            assert 0 < (parse_quantity(memory) or 0) < cell.machine["memory_gib"] * 2**30, (cell.key, kind)


def selected(cell: Cell) -> dict[str, str]:
    """What the Pods of a cell must select, whatever else tells the cell from others of its cluster."""
    labels = {"cloud.google.com/gke-tpu-accelerator": cell.label, "cloud.google.com/gke-tpu-topology": cell.topology}
    if cell.mode == "autopilot":
        return labels | SELECTED[cell.capacity]
    by_capacity = {} if cell.capacity == "reservation" else SELECTED[cell.capacity]
    return labels | by_capacity | ({QUEUED: "true"} if cell.capacity == "queued" else {})


@every_shape
@every_generation
def test_pods_select_the_shape_and_its_capacity(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        for template in tpu_templates(objects):
            missing = selected(cell).items() - template.node_selector.items()
            assert not missing, (cell.key, kind)
            further = template.node_selector.keys() - selected(cell).keys()
            assert further <= {POOL, COUNT, POLICY, "cell"}, (cell.key, kind)


@every_generation
def test_slices_with_a_workload_policy_select_it_by_its_name(generation: str) -> None:
    for cell, kind, objects in workloads(generation, "standard"):
        for template in tpu_templates(objects):
            assert (POLICY in template.node_selector) == cell.policy, (cell.key, kind)
            assert "/" not in template.node_selector.get(POLICY, ""), (cell.key, kind)


@every_shape
@every_generation
def test_pods_tolerate_the_taints_of_their_nodes(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        expected = {TPU} | ({QUEUED} if cell.capacity == "queued" else set())
        for template in tpu_templates(objects):
            tolerations = template.spec["tolerations"]
            assert {item["key"] for item in tolerations} == expected, (cell.key, kind)
            assert all(item["operator"] == "Exists" and "value" not in item for item in tolerations), (cell.key, kind)


def holds(template: PodTemplate, objects: list[Any]) -> str:
    """What keeps the Pods of a slice in one node pool: the reason, or nothing."""
    if POOL in template.node_selector:
        return "pool selector"
    annotations = [item.data["metadata"].get("annotations", {}) for item in objects]
    for item in objects:
        jobs = item.data["spec"].get("replicatedJobs", [])
        annotations += [job["template"].get("metadata", {}).get("annotations", {}) for job in jobs]
    if any(found.get(key) == POOL for found in annotations for key in EXCLUSIVE):
        return "exclusive topology"
    affinity = template.spec.get("affinity", {}).get("podAffinity")
    return "affinity" if affinity else ""


@every_generation
def test_something_holds_each_multi_host_slice_together_on_standard(generation: str) -> None:
    for cell, kind, objects in workloads(generation, "standard"):
        if cell.hosts > 1:
            assert all(holds(template, objects) for template in tpu_templates(objects)), (cell.key, kind)


@every_generation
def test_only_affinity_holds_multi_host_slices_together_on_autopilot(generation: str) -> None:
    """Autopilot rejects the names of node pools, which exclusive topology makes Pods select."""
    for cell, kind, objects in workloads(generation, "autopilot"):
        for template in templates(objects):
            assert POOL not in template.node_selector, (cell.key, kind)
            expected = "affinity" if cell.hosts > 1 and chips(template) else ""
            assert holds(template, objects) == expected, (cell.key, kind)


REFUSED_IN_PODS = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "securityContext")
REFUSED_IN_CONTAINERS = ("securityContext", "stdin", "tty")


@every_shape
@every_generation
def test_no_pod_asks_for_what_autopilot_rejects(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        for template in templates(objects):
            assert not set(REFUSED_IN_PODS) & template.spec.keys(), (cell.key, kind)
            assert not any("hostPath" in volume for volume in template.spec.get("volumes", ())), (cell.key, kind)
            for container in template.containers(init=True):
                assert not set(REFUSED_IN_CONTAINERS) & container.data.keys(), (cell.key, kind)
                assert not any("hostPort" in port for port in container.data.get("ports", ())), (cell.key, kind)


@every_shape
@every_generation
def test_gke_sets_the_variables_of_the_slice(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        for template in templates(objects):
            names = [item["name"] for container in template.containers() for item in container.data.get("env", ())]
            assert not [name for name in names if name.startswith(("TPU_WORKER_", "MEGASCALE_"))], (cell.key, kind)


@every_shape
@every_generation
def test_ray_workers_have_the_hosts_of_a_slice(generation: str, mode: str) -> None:
    for cell, kind, objects in workloads(generation, mode):
        if kind in ("raycluster", "rayjob"):
            spec = objects[0].data["spec"]
            groups = spec.get("rayClusterSpec", spec)["workerGroupSpecs"]
            assert [(group["numOfHosts"], group["replicas"]) for group in groups] == [(cell.hosts, SLICES)], cell.key


@every_shape
@every_generation
def test_check_is_silent_on_every_workload(generation: str, mode: str) -> None:
    plan, written = streams(generation, mode)
    files = [ManifestFile(f"{index}.yaml", text) for index, text in enumerate(written)]
    assert check_manifests(files, plan.catalog, plan) == ()


def test_the_shapes_are_those_of_the_catalog() -> None:
    """The tests above look at something: every row of every table, in every mode and with every capacity mode."""
    for generation in GENERATIONS:
        for mode in MODES:
            rows = facts(f"generations/{generation}")["topologies"]["rows"]
            topologies = {row["topology"] for row in rows if mode in row["modes"]}
            assert {cell.topology for cell in cells(generation, mode)} == topologies
    every = [cells(generation, mode) for generation in GENERATIONS for mode in MODES]
    assert sum(len(list(kinds_of(cell))) for found in every for cell in found) > 2_000
