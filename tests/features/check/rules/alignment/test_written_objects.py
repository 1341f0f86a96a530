"""Queues and classes that gke-tpu wrote before a change of the plan; ``test_changed_plans.py`` changes whole plans."""

import copy
from typing import Any

import pytest
import yaml
from support.manifests import findings_in
from support.workload_plans import TRAIN, only, workload_plan
from support.workload_plans import objects_of as objects_in_plan

from pulumi_gke_tpu.core.text.findings import Severity

GROUPS = {
    "main": {**TRAIN, "count": 4},
    "class": {**TRAIN, "topology": "4x8", "capacity": "spot", "fallback": ["flex_start"], "count": {"max": 2}},
}
KUBERNETES = {
    "queues": {
        "q": {"cohort": "all", "chips": {"main": 32}, "lend": {"main": 16}, "weight": 2, "namespaces": ["default", "b"]}
    },
    "cohorts": {"all": {"parent": "top", "chips": {"main": 16}, "borrow": {"main": 8}}, "top": {}},
    "priority_classes": {"high": {"value": 10}},
}
MANAGED = {"labels": {"app.kubernetes.io/managed-by": "gke-tpu"}}
LATER = {"admissionChecks": [{"name": "later"}]}


def plan() -> dict[str, Any]:
    workloads = {"a": {"slices": "main", "kind": "jobset", "queue": "q", "priority": "high"}}
    return workload_plan(GROUPS, workloads, mode="autopilot", kubernetes=KUBERNETES)


def reported(*objects: Any, of: dict[str, Any] | None = None) -> list[str]:
    found = findings_in(yaml.safe_dump_all(objects), plan=yaml.safe_dump(of or plan()))
    return [f"{item.rule}: {item.message}" for item in found if item.rule in ("TPU317", "TPU318")]


def with_value(kind: str, path: list[Any], value: Any) -> Any:
    """The object of a kind that gke-tpu writes, with another value; the flavor that of the group main."""
    every = objects_in_plan(plan())
    objects = [item for item in every if item["metadata"]["name"] not in ("cpu", "top")]
    objects = [item for item in objects if item["metadata"].get("namespace", "default") == "default"]
    found = copy.deepcopy(only(objects, kind))
    data = found
    for step in path[:-1]:
        data = data[step]
    data[path[-1]] = value
    return found


FLAVORS = ["spec", "resourceGroups", 0, "flavors"]
ROWS: dict[str, tuple[str, list[Any], Any, str]] = {
    "a label of a flavor": (
        "ResourceFlavor",
        ["spec", "nodeLabels", "cloud.google.com/gke-tpu-topology"],
        "4x8",
        "gke-tpu-topology 4x4",
    ),
    "one label more": ("ResourceFlavor", ["spec", "nodeLabels", "team"], "a", "no team"),
    "no taint": ("ResourceFlavor", ["spec", "nodeTaints"], [], "the taint `gke-tpu/slice-group=main`"),
    "a flavor less": ("ClusterQueue", ["spec", "resourceGroups"], [], "the flavor `tpu-main`"),
    "more quota": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 0, "nominalQuota"],
        "48",
        "a quota of 32 chips of `tpu-main`",
    ),
    "less quota": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 0, "nominalQuota"],
        "16",
        "a quota of 32 chips of `tpu-main`",
    ),
    "fewer CPUs": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 1, "nominalQuota"],
        "100",
        "a quota of 1440 cpu of `tpu-main`",
    ),
    "less memory": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 2, "nominalQuota"],
        "1Ti",
        "a quota of 5760Gi memory of `tpu-main`",
    ),
    "a queue on hold": ("ClusterQueue", ["spec", "stopPolicy"], "Hold", "no stopPolicy"),
    "a local queue on hold": ("LocalQueue", ["spec", "stopPolicy"], "HoldAndDrain", "no stopPolicy"),
    "less quota of a cohort": (
        "Cohort",
        [*FLAVORS, 0, "resources", 0, "nominalQuota"],
        "8",
        "a quota of 16 chips of `tpu-main`",
    ),
    "a check": ("ClusterQueue", ["spec", "admissionChecksStrategy"], LATER, "no AdmissionCheck"),
    "the cohort": ("ClusterQueue", ["spec", "cohortName"], "other", "the cohort `all`"),
    "more lent": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 0, "lendingLimit"],
        "32",
        "the lendingLimit 16 of `tpu-main`",
    ),
    "a limit of borrowing": (
        "ClusterQueue",
        [*FLAVORS, 1, "resources", 0, "borrowingLimit"],
        "0",
        "no borrowingLimit of `tpu-main`",
    ),
    "the weight": ("ClusterQueue", ["spec", "fairSharing", "weight"], "3", "the weight 2"),
    "no weight": ("ClusterQueue", ["spec", "fairSharing"], {}, "the weight 2"),
    "every namespace": ("ClusterQueue", ["spec", "namespaceSelector"], {}, "the namespaces `default` and `b`"),
    "no namespace": ("ClusterQueue", ["spec", "namespaceSelector"], None, "the namespaces `default` and `b`"),
    "the parent": ("Cohort", ["spec", "parentName"], "other", "the parent `top`"),
    "more quota of a cohort": (
        "Cohort",
        [*FLAVORS, 0, "resources", 0, "nominalQuota"],
        "32",
        "a quota of 16 chips of `tpu-main`",
    ),
    "more borrowed": (
        "Cohort",
        [*FLAVORS, 0, "resources", 0, "borrowingLimit"],
        "16",
        "the borrowingLimit 8 of `tpu-main`",
    ),
    "a weight": ("Cohort", ["spec", "fairSharing"], {"weight": 1}, "no weight"),
    "its ClusterQueue": ("LocalQueue", ["spec", "clusterQueue"], "other", "the ClusterQueue `q`"),
    "the value": ("PriorityClass", ["value"], 11, "the value 10"),
    "preemption": ("PriorityClass", ["preemptionPolicy"], "Never", "the preemptionPolicy PreemptLowerPriority"),
    "the value for Kueue": ("WorkloadPriorityClass", ["value"], 11, "the value 10"),
    "other capacity": ("ComputeClass", ["spec", "priorities", 0, "spot"], False, "another spot in priority 1"),
    "other slices": (
        "ComputeClass",
        ["spec", "priorities", 1, "tpu", "topology"],
        "4x4",
        "another tpu in priority 2",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_what_differs_from_the_plan_is_reported(name: str) -> None:
    kind, path, value, expected = ROWS[name]
    changed = with_value(kind, path, value)
    assert reported(changed) == [
        f"TPU318: {kind} `{changed['metadata']['name']}` is out of date: the plan now has {expected}"
    ]


def test_one_priority_less_is_reported() -> None:
    changed = with_value("ComputeClass", ["spec", "whenUnsatisfiable"], "DoNotScaleUp")
    del changed["spec"]["priorities"][1]
    assert reported(changed) == ["TPU318: ComputeClass `tpu-class` is out of date: the plan now has 2 priorities"]


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("ClusterQueue", [*FLAVORS, 1, "resources", 0, "nominalQuota"], 32),
        ("ClusterQueue", [*FLAVORS, 1, "resources", 1, "nominalQuota"], "9k"),
        ("ClusterQueue", ["spec", "stopPolicy"], "None"),
        ("ClusterQueue", ["spec", "queueingStrategy"], "StrictFIFO"),
        ("ClusterQueue", [*FLAVORS, 1, "resources", 0, "lendingLimit"], 16),
        ("ClusterQueue", [*FLAVORS, 1, "resources", 0, "lendingLimit"], "${LENT}"),
        ("ClusterQueue", ["spec", "fairSharing", "weight"], 2),
        ("ClusterQueue", ["spec", "namespaceSelector"], "${NAMESPACES}"),
        ("ResourceFlavor", ["spec", "nodeLabels"], "${LABELS}"),
        ("ResourceFlavor", ["metadata", "labels"], {}),
        ("PriorityClass", ["description"], "Ours."),
        ("PriorityClass", ["value"], "${VALUE}"),
        ("ComputeClass", ["spec", "nodePoolConfig"], {}),
    ],
)
def test_what_still_works_is_not_reported(kind: str, path: list[Any], value: Any) -> None:
    assert [item for item in reported(with_value(kind, path, value)) if "TPU318" in item] == []


@pytest.mark.parametrize(
    "kind", ["PriorityClass", "ResourceFlavor", "ClusterQueue", "Cohort", "LocalQueue", "ComputeClass"]
)
def test_a_name_that_the_plan_does_not_have_is_reported(kind: str) -> None:
    old = with_value(kind, ["metadata", "name"], "old")
    assert reported(old) == [f"TPU317: the plan does not have {kind} `old`"]
    assert reported(with_value(kind, ["metadata", "labels"], {"app.kubernetes.io/managed-by": "me"})) == []


def test_a_queue_in_another_namespace_is_reported_with_its_place() -> None:
    moved = with_value("LocalQueue", ["metadata", "namespace"], "team")
    assert reported(moved) == ["TPU317: the plan has LocalQueue `q` in the namespaces `default` and `b`, not in `team`"]


def test_a_workload_that_the_plan_does_not_have_is_a_note() -> None:
    """It may be a copy under another name, and it still runs."""
    copied = with_value("JobSet", ["metadata", "name"], "copy")
    found = [item for item in findings_in(yaml.safe_dump(copied), plan=yaml.safe_dump(plan())) if item.rule == "TPU317"]
    assert [(item.severity, item.message) for item in found] == [
        (Severity.NOTE, "the plan does not have JobSet `copy`")
    ]


@pytest.mark.parametrize("odd", [[], {}, 1, None, "x", [None], [{"name": ["a"]}], {"a": {"b": []}}])
def test_odd_values_cause_no_error(odd: Any) -> None:
    for kind in ("ResourceFlavor", "ClusterQueue", "Cohort", "LocalQueue", "PriorityClass", "ComputeClass"):
        name = "tpu-main" if kind == "ResourceFlavor" else with_value(kind, ["x"], 1)["metadata"]["name"]
        version = with_value(kind, ["x"], 1)["apiVersion"]
        for spec in (odd, {"nodeLabels": odd, "nodeTaints": odd, "resourceGroups": odd, "priorities": odd,
                           "clusterQueue": odd, "admissionChecksStrategy": odd, "cohortName": odd,
                           "parentName": odd, "fairSharing": odd, "namespaceSelector": odd}):  # fmt: skip
            item = {"apiVersion": version, "kind": kind, "metadata": {"name": name, **MANAGED}, "spec": spec}
            reported({**item, "value": odd})
