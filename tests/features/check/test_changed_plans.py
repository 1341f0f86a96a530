"""`check` compares what gke-tpu wrote for a plan with a changed plan: a finding where it matters, and no other.

Each kind of workload is rendered from a plan on both modes of clusters. Each edit changes this plan; the files of
before are then checked beside it, all of them and those of the workloads alone.
"""

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from support.sampling import sample
from support.workload_plans import HEADS, TRAIN, checked, workload_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.kinds.manifest import Manifest
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

Plan = dict[str, Any]

KINDS: dict[str, dict[str, Any]] = {
    "job": {},
    "jobset": {"count": 2},
    "leaderworkerset": {"count": 2, "port": 80},
    "leaderworkerset with a head": {"kind": "leaderworkerset", "count": 2, "head": {}},
    "deployment": {"count": 2, "port": 80},
    "raycluster": {"count": 2},
    "rayjob": {"count": 2, "command": ["python3", "run.py"]},
    "pathways": {"count": 2, "scratch": "gs://acme/tmp"},
}
MODES = ("standard", "autopilot")
QUEUED = {"flex_start": {"queued": True, "max_run_duration": "1d"}}
SOME = {"min": 0, "max": 4}


def plan_before(kind: str, mode: str) -> Plan:
    """A workload of a kind in a queue, with a priority class, on reserved slices."""
    topology = "2x2" if kind == "deployment" else "4x4"
    count = 1 if kind == "job" else 4
    group = {**TRAIN, "topology": topology, "count": count, "capacity": {"reservation": "ours"}}
    workload = {"kind": kind, "slices": "main", "queue": "q", "priority": "high", **KINDS[kind]}
    kubernetes = {"queues": {"q": {}}, "priority_classes": {"high": {"value": 10}}}
    pools = {"cpu_pools": {"heads": HEADS}} if mode == "standard" else {}
    more = {"addons": ["ray_operator"], **pools}
    return workload_plan({"main": group}, {"a": workload}, mode=mode, kubernetes=kubernetes, **more)


def group_of(plan: Plan) -> dict[str, Any]:
    group: dict[str, Any] = plan["clusters"]["c"]["slices"]["main"]
    return group


def kubernetes_of(plan: Plan) -> dict[str, Any]:
    kubernetes: dict[str, Any] = plan["clusters"]["c"]["kubernetes"]
    return kubernetes


def workload_of(plan: Plan) -> dict[str, Any]:
    workload: dict[str, Any] = kubernetes_of(plan)["workloads"]["a"]
    return workload


def in_group(**keys: Any) -> Callable[[Plan], None]:
    return lambda plan: group_of(plan).update(keys)


def in_workload(**keys: Any) -> Callable[[Plan], None]:
    return lambda plan: workload_of(plan).update(keys)


def other_topology(plan: Plan) -> None:
    group_of(plan)["topology"] = "1x1" if group_of(plan)["topology"] == "2x2" else "4x8"


def fewer_slices(plan: Plan) -> None:
    group_of(plan)["count"] = 1
    workload_of(plan)["count"] = 1


def renamed_queue(plan: Plan) -> None:
    kubernetes_of(plan)["queues"] = {"new": {}}
    workload_of(plan)["queue"] = "new"


def removed_queue(plan: Plan) -> None:
    kubernetes_of(plan)["queues"] = {}
    del workload_of(plan)["queue"]


def removed_priority(plan: Plan) -> None:
    kubernetes_of(plan)["priority_classes"] = {}
    del workload_of(plan)["priority"]


def second_group(plan: Plan) -> None:
    plan["clusters"]["c"]["slices"]["twin"] = {**group_of(plan), "capacity": {"reservation": "other"}}


def other_group(plan: Plan) -> None:
    second_group(plan)
    plan["clusters"]["c"]["slices"]["twin"]["topology"] = "1x1" if group_of(plan)["topology"] == "2x2" else "4x8"


def moved_to_other_group(plan: Plan) -> None:
    other_group(plan)
    workload_of(plan)["slices"] = "twin"


def other_kind(plan: Plan) -> None:
    workload_of(plan)["kind"] = "jobset" if workload_of(plan)["kind"] == "job" else "job"


def other_cpu_pool(plan: Plan) -> None:
    plan["clusters"]["c"]["cpu_pools"] = {"other": HEADS}


SEEN: dict[str, Callable[[Plan], None]] = {
    "topology": other_topology,
    "generation": in_group(tpu="v5e"),
    "fewer slices": fewer_slices,
    "a taint": in_group(taints=[{"key": "team", "value": "a", "effect": "NO_SCHEDULE"}]),
    "fallback": in_group(fallback=["spot"]),
    "queued": in_group(capacity=QUEUED, count=SOME),
    "Spot": in_group(capacity="spot"),
    "flex-start": in_group(capacity={"flex_start": {"max_run_duration": "1d"}}, count=SOME),
    "the name of the queue": renamed_queue,
    "the namespace of the queue": lambda plan: kubernetes_of(plan).update(queues={"q": {"namespace": "team"}}),
    "no queue": removed_queue,
    "no priority class": removed_priority,
    "another slice group": moved_to_other_group,
    "another kind": other_kind,
}
ON_STANDARD: dict[str, Callable[[Plan], None]] = {"a second group with the same labels": second_group}
ON_AUTOPILOT: dict[str, Callable[[Plan], None]] = {
    "on demand": in_group(capacity="on_demand"),
    "another reservation": in_group(capacity={"reservation": "new"}),
}
"""On Standard, the node pool has the reservation, and Pods do not select it."""
HARMLESS: dict[str, Callable[[Plan], None]] = {
    "nothing": lambda _: None,
    "another image": in_workload(image="other"),
    "variables": in_workload(env={"A": "1"}),
    "requests": in_workload(cpu=4, memory="4Gi"),
    "another group": other_group,
    "the size of disks": in_group(boot_disk={"size_gib": 200}),
}
ROWS = [(mode, kind) for mode in MODES for kind in KINDS]
by_row = pytest.mark.parametrize(("mode", "kind"), ROWS)


def objects_of(plan: CheckedPlan) -> list[Manifest]:
    assert not plan.has_errors, [item.message for item in plan.findings]
    return [item for cluster in manifests_of(plan) for item in cluster.manifests]


def reported(objects: list[Any], plan: CheckedPlan) -> list[Finding]:
    """The warnings and errors about objects beside a plan."""
    file = ManifestFile("before.yaml", yaml.safe_dump_all(objects).encode())
    return [item for item in check_manifests([file], read_catalog(), plan) if item.severity > Severity.NOTE]


def file_sets(plan: CheckedPlan) -> dict[str, list[Any]]:
    """All objects of a plan, and the workloads alone."""
    objects = objects_of(plan)
    workloads = [item.object for item in objects if item.concern == "workloads"]
    return {"all": [item.object for item in objects], "workloads": workloads}


def changed_by(edit: Callable[[Plan], None], plan: Plan) -> CheckedPlan:
    after = copy.deepcopy(plan)
    edit(after)
    return checked(after)


@by_row
def test_a_change_that_matters_is_seen_in_the_files_of_before(mode: str, kind: str) -> None:
    """Where an edit leads to the same objects, nothing is there to see: kind `job` writes a JobSet for many slices."""
    plan = plan_before(kind, mode)
    before = file_sets(checked(plan))
    silent, seen, wrong = [], 0, {}
    edits = {**SEEN, **(ON_STANDARD if mode == "standard" else ON_AUTOPILOT)}
    tried = sample(edits.items(), 6, of=f"{mode} {kind}")
    for name, edit in tried:
        after = changed_by(edit, plan)
        now = file_sets(after)
        for which, objects in before.items():
            found = reported(objects, after)
            if found and objects == now[which]:
                wrong[name, which] = [f"{item.rule}: {item.message}" for item in found]
            elif objects != now[which]:
                seen += bool(found)
                silent += [] if found else [(name, which)]
    assert (silent, wrong) == ([], {})
    assert seen >= 2 * (len(tried) - 4)


@by_row
def test_a_change_that_does_not_matter_is_not_reported(mode: str, kind: str) -> None:
    plan = plan_before(kind, mode)
    before = file_sets(checked(plan))
    wrong = {
        (name, which): [f"{item.rule}: {item.message}" for item in found]
        for name, edit in HARMLESS.items()
        for after in [changed_by(edit, plan)]
        for which, objects in before.items()
        if (found := reported(objects, after))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("name", "mode"), sample(itertools.product([*SEEN, *ON_STANDARD, *ON_AUTOPILOT], MODES), 12, lambda case: case[1])
)
def test_the_objects_of_the_changed_plan_have_no_finding_about_the_plan(name: str, mode: str) -> None:
    edit = {**SEEN, **ON_STANDARD, **ON_AUTOPILOT}[name]
    for kind in ("jobset", "raycluster"):
        after = changed_by(edit, plan_before(kind, mode))
        for objects in file_sets(after).values():
            assert [f"{item.rule}: {item.message}" for item in reported(objects, after) if item.rule in OWN] == []


OWN = ("TPU316", "TPU317", "TPU318", "TPU790", "TPU791", "TPU796", "TPU399", "TPU751")


@pytest.mark.parametrize("kind", ["leaderworkerset with a head", "raycluster", "rayjob", "pathways"])
def test_a_head_on_a_node_pool_that_the_plan_does_not_have_is_seen(kind: str) -> None:
    plan = plan_before(kind, "standard")
    after = changed_by(other_cpu_pool, plan)
    for objects in file_sets(checked(plan)).values():
        (finding,) = reported(objects, after)
        assert (finding.rule, finding.message.endswith("the plan now has gke-nodepool other")) == ("TPU316", True)


@pytest.mark.parametrize(("form", "other"), [(8, 4), (4, 8)])
def test_the_chips_of_a_host_are_those_of_the_plan(form: int, other: int) -> None:
    plan = plan_before("jobset", "standard")
    group_of(plan).update(topology="2x4", chips_per_host=form)
    before, after = checked(plan), changed_by(in_group(chips_per_host=other), plan)
    for objects in file_sets(before).values():
        assert reported(objects, after)
        assert reported(objects, before) == []


def test_objects_of_others_are_not_compared() -> None:
    """Without the label of gke-tpu, an object of the same name is that of a user."""
    plan = plan_before("jobset", "autopilot")
    objects = [item.object for item in objects_of(checked(plan))]
    for item in objects:
        item["metadata"]["labels"]["app.kubernetes.io/managed-by"] = "Helm"
    for edit in (other_topology, renamed_queue, removed_priority):
        found = {item.rule for item in reported(objects, changed_by(edit, plan))}
        assert not found & {"TPU316", "TPU317", "TPU318"}


def test_a_plan_with_errors_is_not_compared() -> None:
    plan = plan_before("jobset", "autopilot")
    before = file_sets(checked(plan))["all"]
    in_group(tpu="v99")(plan)
    after = check_plan(parse_plan(plan), read_catalog())
    assert after.has_errors
    found = {item.rule for item in reported(before, after)}
    assert not found & {"TPU316", "TPU317", "TPU318"}
