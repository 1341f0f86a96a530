"""`check` is silent on what gke-tpu writes for the plans of the recorded outcomes, alone and beside the plan.

``data/recorded_plans.json`` has the plans whose objects the real controllers and the real scheduler got
(``tests/kubernetes/data/outcomes.json``).
"""

import functools
import itertools
import json
import pathlib
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from support.workload_plans import checked

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.objects import ManifestFile
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.check.manifest_check import check_manifests
from pulumi_gke_tpu.features.workloads.manifests import manifests_of

PLANS: dict[str, dict[str, Any]] = json.loads(
    (pathlib.Path(__file__).parent / "data" / "recorded_plans.json").read_text(encoding="utf-8")
)
NAMES = {folder: [*names] for folder, names in itertools.groupby(PLANS, key=lambda name: name.partition("/")[0])}
EXPECTED: Mapping[str, str] = {
    "shipped/stack-dev-ray": "TPU775",
    "shipped/stack-ironwood-ray": "TPU775",
}
"""The plans without the Ray operator, which their workloads need."""
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
    assert wrong == {name: [EXPECTED[name]] for name in NAMES[folder] if name in EXPECTED and compared}
