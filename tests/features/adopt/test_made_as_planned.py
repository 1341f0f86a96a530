"""What `pulumi up` has just made, as the API answers it, has no difference; one changed property is one difference."""

import copy
import json
import pathlib
from typing import Any

import pytest
import yaml
from support.each import each
from support.made import answer_of
from support.matrix import GENERATIONS, cells, plan_of
from support.plan_edits import document
from support.shipped import NAMES, STACKS

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.model import RawResource
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.adopt.adoption import adopt_fleets
from pulumi_gke_tpu.features.adopt.comparison import compare_with_plan
from pulumi_gke_tpu.features.check.planned_pools import check_against_plan

SAMPLE = 7
"""Every seventh cell of the matrix, from one that differs by generation, so that every capacity mode occurs."""
EXAMPLES = [
    path
    for path in sorted((STACKS.parent / "docs" / "examples").glob("*.yaml"))
    if "\nclusters:" in path.read_text(encoding="utf-8") and path.name != "mistakes.yaml"
]
"""The plans but the one that has errors of form."""


def checked(text: str) -> CheckedPlan:
    return check_plan(document(text), read_catalog())


def read(answer: list[dict[str, Any]]) -> tuple[RawResource, ...]:
    found = ResourceReader(read_catalog()).read("made.json", json.dumps(answer).encode())
    return found.found if found is not None else ()


def differences(answer: list[dict[str, Any]], plan: CheckedPlan) -> list[str]:
    """What ``adopt --check`` and ``check --plan`` report, which is the same."""
    found = read(answer)
    compared = compare_with_plan(found, plan)
    reported = list(check_against_plan(found, plan))
    assert len(reported) == sum(len(item.differences) for item in compared.different)
    one = [f"{pool.name}: {item.plain_path}" for pool in compared.different for item in pool.differences]
    one += [f"missing {name}" for name in compared.missing] + [f"unplanned {name}" for name in compared.unplanned]
    return one


OF_ANOTHER_TEAM = {"shared": ["TPU541"]}
"""Findings about a cluster whose other node pools, which another team has created, the answer lacks."""


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_stack_is_made_as_planned(name: str) -> None:
    plan = checked((STACKS / name / "plan.yaml").read_text(encoding="utf-8"))
    assert not plan.has_errors
    answer = answer_of(plan)
    assert differences(answer, plan) == []
    found = check_resources(read(answer), read_catalog())
    assert [item.rule for item in found] == OF_ANOTHER_TEAM.get(name, [])
    assert [item.alone for item in adopt_fleets(read(answer), read_catalog())] in ([], [()])


@each("path", EXAMPLES)
def test_an_example_is_made_as_planned(path: pathlib.Path) -> None:
    plan = checked(path.read_text(encoding="utf-8"))
    if plan.has_errors:
        pytest.skip("The example has errors.")
    assert differences(answer_of(plan), plan) == []


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_matrix_is_made_as_planned(generation: str) -> None:
    plan = checked(yaml.safe_dump(plan_of([*cells(generation, "standard")][GENERATIONS.index(generation) :: SAMPLE])))
    answer = answer_of(plan)
    assert any(cluster["nodePools"] for cluster in answer)
    assert differences(answer, plan) == []


PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    release_channel: regular
    slices:
      pretrain:
        tpu: v6e
        topology: 4x4
        zone: us-east5-b
        capacity: {reservation: ours}
        node_labels: {team: research}
        taints: [{key: team, value: research, effect: NO_SCHEDULE}]
      serve: {tpu: v6e, topology: 2x4, chips_per_host: 8, zone: us-east5-b, count: {min: 0, max: 3}}
"""

CHANGED: dict[str, tuple[str, Any]] = {
    "nodeConfig.machineType": ("config.machineType", "ct6e-standard-8t"),
    "placementPolicy.tpuTopology": ("placementPolicy.tpuTopology", "4x8"),
    "nodeConfig.kubeletConfig.insecureKubeletReadonlyPortEnabled": (
        "config.kubeletConfig.insecureKubeletReadonlyPortEnabled",
        True,
    ),
    "nodeConfig.shieldedInstanceConfig.enableSecureBoot": ("config.shieldedInstanceConfig.enableSecureBoot", True),
    "nodeConfig.workloadMetadataConfig.mode": ("config.workloadMetadataConfig.mode", "GCE_METADATA"),
    "nodeConfig.gvnic.enabled": ("config.gvnic", {}),
    "nodeConfig.serviceAccount": ("config.serviceAccount", "other@acme-ml.iam.gserviceaccount.com"),
    "nodeConfig.reservationAffinity.values": ("config.reservationAffinity.values", ["theirs"]),
    "nodeConfig.labels.team": ("config.labels.team", "serving"),
    "nodeConfig.labels.added": ("config.labels.added", "by hand"),
    "nodeConfig.taints.value": ("config.taints.0.value", "serving"),
    "nodeConfig.taints": (
        "config.taints",
        [
            {"key": "team", "value": "research", "effect": "NO_SCHEDULE"},
            {"key": "by-hand", "value": "yes", "effect": "NO_SCHEDULE"},
        ],
    ),
    "management.autoRepair": ("management", {"autoUpgrade": True}),
    "upgradeSettings.maxUnavailable": ("upgradeSettings.maxUnavailable", 2),
    "nodeLocations": ("locations", ["us-east5-a"]),
}
"""Property that differs -> path in the answer and its value."""


def changed(answer: list[dict[str, Any]], path: str, value: Any) -> list[dict[str, Any]]:
    answer = copy.deepcopy(answer)
    (target,) = [pool for pool in answer[0]["nodePools"] if pool["name"] == "pretrain-0"]
    *above, last = (int(step) if step.isdecimal() else step for step in path.split("."))
    for step in above:
        target = target[step]
    target[last] = value
    return answer


@pytest.mark.parametrize("expected", CHANGED)
def test_one_changed_property_is_the_only_difference(expected: str) -> None:
    plan = checked(PLAN)
    path, value = CHANGED[expected]
    assert differences(changed(answer_of(plan), path, value), plan) == [f"pretrain-0: {expected}"]


ADDED: dict[str, Any] = {
    "config.taints.1": {"key": "google.com/tpu", "value": "present", "effect": "NO_SCHEDULE"},
    "config.labels.goog-gke-accelerator-type": "tpu-v6e-slice",
    "config.resourceLabels.goog-gke-tpu-node-pool-type": "multi-host",
    "config.kubeletConfig.insecureKubeletReadonlyPortEnabled": False,
}
"""What GKE sets itself on TPU nodes: path in the answer and value."""


@pytest.mark.parametrize("path", ADDED)
def test_what_gke_sets_itself_does_not_count(path: str) -> None:
    plan = checked(PLAN)
    assert differences(changed(answer_of(plan), path, ADDED[path]), plan) == []
