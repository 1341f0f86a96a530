"""``gke-tpu check`` reports nothing about the classes, queues and disks that ``gke-tpu manifests`` writes."""

from typing import Any, get_args

import pytest
from support.manifests import findings_in
from support.matrix import GENERATIONS, Cell, cells, facts
from support.sampling import sample
from support.workload_plans import HEADS, workload_plan
from support.workload_plans import checked as plan_checked

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.kubernetes import Kind
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of
from pulumi_gke_tpu.features.workloads.text import manifest_stream

FALLBACKS = ("flex_start", "on_demand", "spot")
CHOSEN = "TPU765"
"""Notes an order of capacity modes that Google does not suggest: the order is that of the plan."""


def checked(cell: Cell, group: dict[str, Any]) -> CheckedPlan:
    """A cluster with one group, a queue for it, and a workload with every disk that its hosts attach."""
    attach = facts("disks")["families"][cell.family]["attach"]
    shared = [disk for disk in attach if disk.startswith("pd-") or disk == "hyperdisk-ml"]
    disks = [{"type": disk, "size_gib": 10, "access": "read_only_many"} for disk in shared]
    if cell.hosts == 1:
        disks += [{"type": disk, "size_gib": 10} for disk in attach]
    volumes = {f"disk-{number}": {"mount": f"/{number}", "disk": disk} for number, disk in enumerate(disks)}
    kubernetes = {
        "queues": {"research": {"cohort": "all", "borrow": {cell.key: 4}}},
        "priority_classes": {"urgent": {"value": 10}},
        "workloads": {
            "run": {
                "slices": cell.key,
                "image": "run:1",
                "queue": "research",
                "priority": "urgent",
                "volumes": volumes,
                **({"kind": "jobset"} if cell.capacity == "queued" else {}),
            }
        },
    }
    location = cell.zone.rpartition("-")[0]
    cluster = {"mode": cell.mode, "location": location, "slices": {cell.key: group}, "kubernetes": kubernetes}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
    return check_plan(document, read_catalog(), None, rules=())


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize("generation", GENERATIONS)
def test_nothing_is_reported_about_the_objects_of_any_shape_and_capacity_mode(generation: str, mode: str) -> None:
    reported = []
    for cell in sample(cells(generation, mode), 8, lambda cell: cell.capacity):
        others = [other for other in FALLBACKS if other != cell.capacity]
        groups = [cell.group(), *([cell.group() | {"fallback": others}] if cell.capacity != "queued" else [])]
        for group in groups:
            plan = checked(cell, group)
            (cluster,) = manifests_of(plan)
            text = manifest_stream(cluster.manifests)
            found = check_manifests([ManifestFile("a.yaml", text.encode())], read_catalog(), plan)
            found += findings_in(text, mode="autopilot" if mode == "autopilot" else "standard")
            reported += [(cell.key, item.rule, item.message) for item in found if item.rule != CHOSEN]
    assert reported == []


@pytest.mark.parametrize("alone", [False, True], ids=["with the queue", "workloads only"])
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_nothing_is_reported_about_workloads_on_several_slice_groups(mode: str, alone: bool) -> None:
    """Without their flavors they select no capacity; then the plan has the flavors."""
    host = {"tpu": "v6e", "topology": "2x2", **({"zone": "us-east5-b"} if mode == "standard" else {})}
    ours = {"capacity": {"reservation": "ours"}, **({"node_labels": {"pool": "ours"}} if mode == "standard" else {})}
    slices = {"spot": {**host, "capacity": "spot", "count": {"max": 4}}, "ours": {**host, **ours, "count": 4}}
    workloads = {
        kind: {"slices": "ours", "fallback": ["spot"], "queue": "team", "kind": kind} for kind in get_args(Kind)
    }
    more: dict[str, Any] = {"addons": ["ray_operator"], "cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    if mode == "autopilot":
        workloads = {name: item for name, item in workloads.items() if "ray" not in name}
    plan = plan_checked(workload_plan(slices, workloads, mode=mode, kubernetes={"queues": {"team": {}}}, **more))
    (cluster,) = manifests_of(plan)
    text = manifest_stream([item for item in cluster.manifests if item.concern == "workloads" or not alone])
    found = check_manifests([ManifestFile("a.yaml", text.encode())], read_catalog(), plan)
    assert [(item.rule, item.message) for item in found] == []


@pytest.mark.parametrize("codes", [{"fail": [2]}, {"restart": [42, 43]}], ids=["fail", "restart"])
@pytest.mark.parametrize("kind", ["job", "jobset", "pathways"])
def test_nothing_is_reported_about_the_ends_of_jobs(kind: str, codes: dict[str, Any]) -> None:
    """JobSet rejects names of rules that its schema allows."""
    slices = {"train": {"tpu": "v6e", "topology": "4x4", "count": 2, "zone": "us-east5-b"}}
    ends = {"max_restarts": 1, "exit_codes": codes, "deadline": "2d", "ttl": "1d"}
    plan = workload_plan(
        slices, {"w": {"slices": "train", "kind": kind, "count": 2, **ends}}, cpu_pools={"heads": HEADS}
    )
    (cluster,) = manifests_of(plan_checked(plan))
    assert findings_in(manifest_stream(cluster.manifests)) == ()
