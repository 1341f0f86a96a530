"""`check` is silent on what gke-tpu writes for the plans of the recorded outcomes, alone and beside the plan.

``data/recorded_plans.json`` has the plans whose objects the real controllers and the real scheduler got
(``tests/kubernetes/data/outcomes.json``).
"""

import copy
import functools
import itertools
import json
import pathlib
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from support.kubernetes_model.recorded import Case, recorded
from support.workload_plans import checked

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.kinds.manifest import MANAGED
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

PLANS: dict[str, dict[str, Any]] = json.loads(
    (pathlib.Path(__file__).parent / "data" / "recorded_plans.json").read_text(encoding="utf-8")
)
NAMES = {folder: [*names] for folder, names in itertools.groupby(PLANS, key=lambda name: name.partition("/")[0])}
ALONE: Mapping[str, str] = dict.fromkeys(
    (f"pairs/p{number}" for number in ("002", "019", "045", "048", "062")), "TPU742"
)
"""The plans whose heads and workers share a disk that only one node can attach."""
EXPECTED: Mapping[str, str] = {
    **ALONE,
    "shipped/stack-dev-ray": "TPU775",
    "shipped/stack-ironwood-ray": "TPU775",
    "special/s14-zones-and-disk": "TPU326",
}
"""Beside the plan also those without the Ray operator, and with a disk in one of several zones."""
SETS_OF_PODS = "TPU789"
"""A LeaderWorkerSet with a leader of its own on queued capacity, which is not supported."""


@functools.cache
def findings_about(name: str, *, compared: bool) -> frozenset[str]:
    """The rules that report a warning or an error about the objects of a plan."""
    plan = checked(PLANS[name])
    assert plan.fleet is not None
    modes = {cluster.key: cluster.mode for cluster in plan.fleet.clusters}
    found: set[str] = set()
    for cluster in manifests_of(plan):
        text = yaml.safe_dump_all([item.object for item in cluster.manifests]).encode()
        file, mode = ManifestFile("objects.yaml", text), modes[cluster.cluster]
        findings = check_manifests([file], read_catalog(), plan if compared else None, mode)
        found |= {item.rule for item in findings if item.severity is not Severity.NOTE}
    return frozenset(found - {SETS_OF_PODS})


_PLAN = """
version: 1
project: acme-ml
clusters:
  one:
    mode: standard
    location: us-east5
    slices: {{pretrain: {{tpu: v6e, topology: 4x4, zone: us-east5-b, count: {{min: 0, max: 2}}, capacity: {}}}}}
    kubernetes:
      queues: {{team: {{}}}}
      workloads: {{work: {{slices: pretrain, image: i, kind: jobset, count: 2, queue: team}}}}
"""
NOW_QUEUED = "manual/m-old-jobset-now-queued"
NOW_SPOT = "manual/m-old-jobset-now-spot"
AFTER = {NOW_QUEUED: _PLAN.format("queued"), NOW_SPOT: _PLAN.format("spot")}
"""The plans after the change of which the recording has the objects of before."""
ABOUT_PLACES = {
    *("TPU315", "TPU316", "TPU317", "TPU318", "TPU382", "TPU392", "TPU399", "TPU727", "TPU746", "TPU751", "TPU759"),
    *("TPU770", "TPU790", "TPU791", "TPU793", "TPU794", "TPU795", "TPU796"),
}
"""The rules about flavors, queues and nodes. The recording has no other fields of the objects."""
SEEN: Mapping[str, set[str]] = {
    NOW_QUEUED: {"TPU318", "TPU790"},
    NOW_SPOT: {"TPU316", "TPU318"},
}
RECORDED = {name: case for name, case in recorded().items() if name.startswith(("manual", "special"))}
"""Two of them are changed by hand and have no plan."""


def waits(case: Case) -> bool:
    """Whether Kueue or the scheduler left Pods with chips of a queued workload waiting."""
    queued = any(item.flavors is None for item in case.workloads)
    return bool(case.workloads) and (queued or any(item.bound < item.pods for item in case.slices))


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_objects_of_before_are_reported_if_the_plan_shows_why_they_wait(name: str) -> None:
    """Queues of before have flavors without a taint, which gave workloads the slices of others (TPU318)."""
    case, text = RECORDED[name], PLANS.get(name) or yaml.safe_load(AFTER.get(name, ""))
    plan = checked(text) if text else None
    objects = copy.deepcopy([*case.objects])
    for item in objects:
        item["metadata"].setdefault("labels", {}).update(MANAGED)
    key = next((each for each in text["clusters"] if name.endswith(f"-{each}")), None) if text else None
    file = ManifestFile("recorded.yaml", yaml.safe_dump_all(objects).encode())
    found = check_manifests([file], read_catalog(), plan, None, key)
    reported = {item.rule for item in found if item.severity is not Severity.NOTE} & ABOUT_PLACES
    untainted = any(item["kind"] == "ResourceFlavor" and "nodeTaints" not in item["spec"] for item in objects[1:])
    assert reported == SEEN.get(name, {"TPU318"} if untainted and plan is not None else set())
    assert reported or not waits(case)


def test_there_are_plans_of_each_kind() -> None:
    assert {folder: len(names) for folder, names in NAMES.items()} == {
        "pairs": 84,
        "shipped": 25,
        "special": 31,
        "special2": 5,
    }


@pytest.mark.parametrize("folder", NAMES)
@pytest.mark.parametrize("compared", [False, True], ids=["alone", "with the plan"])
def test_what_gke_tpu_writes_has_no_finding(folder: str, compared: bool) -> None:
    found = {name: findings_about(name, compared=compared) for name in NAMES[folder]}
    wrong = {name: sorted(rules) for name, rules in found.items() if rules}
    expected = EXPECTED if compared else ALONE
    assert wrong == {name: [expected[name]] for name in NAMES[folder] if name in expected}
