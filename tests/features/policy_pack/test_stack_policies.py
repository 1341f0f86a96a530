"""Policies about several resources: a pool with its cluster, its policy, and what became of it."""

from typing import Any

import pytest
from support.pack_in_process import CLUSTER, NODE_POOL, RESOURCE_POLICY, UNKNOWN, Made, Pack, Violation

from pulumi_gke_tpu.core.resource_rules.checker import STACK_RULES
from pulumi_gke_tpu.core.rules.engine.rule import Scope
from pulumi_gke_tpu.core.text.yamlfile import parse_yaml

Properties = dict[str, Any]
PACK = Pack()
NODES = {"machineType": "ct6e-standard-4t", "reservationAffinity": {"consumeReservationType": "NO_RESERVATION"}}
SLICE = {
    "cluster": UNKNOWN,
    "nodeLocations": ["us-east5-b"],
    "nodeConfig": NODES,
    "placementPolicy": {"type": "COMPACT", "tpuTopology": "4x4"},
}
REGIONAL = {"name": "train", "location": "us-east5"}


def rules_of(violations: list[Violation]) -> set[str]:
    return {violation.message.splitlines()[1].split()[0] for violation in violations}


def with_cluster(pool: Properties, cluster: Properties, *, linked: bool = True) -> set[str]:
    """The rules that a pool and its cluster break together."""
    home = Made(CLUSTER, cluster, name="train")
    refers_to = {"cluster": (home.urn,)} if linked else {}
    violations = PACK.stack(home, Made(NODE_POOL, pool, name="main", refers_to=refers_to))
    of_cluster = {violation.urn for violation in violations if " minMasterVersion:" in violation.message}
    others = {violation.urn for violation in violations if " minMasterVersion:" not in violation.message}
    assert of_cluster <= {home.urn}
    assert others <= {f"urn:pulumi:dev::test::{NODE_POOL}::main"}
    return rules_of(violations)


WITHOUT_ZONE = {key: value for key, value in SLICE.items() if key != "nodeLocations"}


@pytest.mark.parametrize(
    ("pool", "cluster", "expected"),
    [
        (SLICE, REGIONAL, set()),
        (SLICE, {**REGIONAL, "minMasterVersion": "1.30"}, {"TPU232"}),
        (SLICE, {**REGIONAL, "minMasterVersion": UNKNOWN}, set()),
        ({**SLICE, "version": "1.34.1-gke.1000000"}, {**REGIONAL, "minMasterVersion": "1.30"}, {"TPU239"}),
        ({**SLICE, "version": "1.34.1-gke.1"}, {**REGIONAL, "minMasterVersion": "1.34"}, set()),
        (
            {**SLICE, "version": "1.35.0-gke.100"},
            {**REGIONAL, "minMasterVersion": "1.34", "masterVersion": "1.35.1-gke.1"},
            set(),
        ),
        (
            {**SLICE, "nodeConfig": {**NODES, "flexStart": True}},
            {**REGIONAL, "minMasterVersion": "1.32"},
            {"TPU233"},
        ),
        (SLICE, {**REGIONAL, "location": "europe-west4"}, {"TPU205"}),
        ({**SLICE, "location": "us-east5"}, {**REGIONAL, "location": "europe-west4"}, {"TPU237"}),
        ({**SLICE, "location": "us-east5", "cluster": "train"}, {**REGIONAL, "location": "us-east5-b"}, {"TPU237"}),
        ({**SLICE, "location": "us-east5"}, {**REGIONAL, "location": UNKNOWN}, set()),
        ({**SLICE, "location": UNKNOWN}, {**REGIONAL, "location": "us-east5"}, set()),
        (SLICE, {**REGIONAL, "location": "us-east5-a"}, {"TPU206"}),
        (SLICE, {**REGIONAL, "location": UNKNOWN}, set()),
        (WITHOUT_ZONE, {**REGIONAL, "nodeLocations": ["us-east5-a", "us-east5-b"]}, {"TPU464"}),
        (WITHOUT_ZONE, {**REGIONAL, "nodeLocations": ["us-east5-b"]}, set()),
        (WITHOUT_ZONE, {**REGIONAL, "location": "us-east5-b"}, set()),
        (WITHOUT_ZONE, REGIONAL, {"TPU464"}),
    ],
)
def test_a_pool_and_its_cluster(pool: Properties, cluster: Properties, expected: set[str]) -> None:
    assert with_cluster(pool, cluster) == expected


@pytest.mark.parametrize("reference", ["train", "projects/acme/locations/us-east5/clusters/train"])
def test_a_cluster_is_found_by_its_name_too(reference: str) -> None:
    pool = {**SLICE, "cluster": reference}
    assert with_cluster(pool, {**REGIONAL, "minMasterVersion": "1.30"}, linked=False) == {"TPU232"}


def test_a_cluster_that_is_not_in_the_program_is_not_guessed() -> None:
    pool = {**SLICE, "cluster": "another"}
    assert with_cluster(pool, {**REGIONAL, "minMasterVersion": "1.30"}, linked=False) == set()


def test_doubts_are_advice() -> None:
    (violation,) = PACK.stack(
        home := Made(CLUSTER, REGIONAL, name="train"),
        Made(NODE_POOL, WITHOUT_ZONE, name="main", refers_to={"cluster": (home.urn,)}),
    )
    assert (violation.policy, violation.level) == ("TPU-doubts-stack", "advisory")


@pytest.mark.parametrize("rule", [rule for rule in STACK_RULES if rule.scope is Scope.STACK], ids=lambda rule: rule.id)
@pytest.mark.parametrize("which", ["failing", "passing"])
def test_the_examples_hold(rule: Any, which: str) -> None:
    example = parse_yaml(getattr(rule, which).encode(), "example").data
    made = [Made(NODE_POOL, example["pool"], name="main", stored=example.get("stored"))]
    if "cluster" in example:
        made.append(Made(CLUSTER, example["cluster"], name="train"))
    if "policy" in example:
        made.append(Made(RESOURCE_POLICY, example["policy"], name="train"))
    assert rules_of(PACK.stack(*made)) == ({rule.id} if which == "failing" else set())


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4"}, set()),
        ({"type": "HIGH_THROUGHPUT", "acceleratorTopology": UNKNOWN}, set()),
        ({"type": "HIGH_THROUGHPUT"}, set()),
        ({"type": "HIGH_THROUGHPUT", "acceleratorTopology": "2x2x2"}, {"TPU165"}),
        ({"type": "HIGH_AVAILABILITY"}, {"TPU165"}),
    ],
)
def test_a_pool_and_its_policy_whose_name_is_not_known_yet(policy: Properties, expected: set[str]) -> None:
    placement = {"type": "", "policyName": UNKNOWN, "tpuTopology": "4x4x4"}
    made = Made(RESOURCE_POLICY, {"name": "p", "workloadPolicy": policy}, name="p")
    pool = {"nodeConfig": {"machineType": "tpu7x-standard-4t"}, "placementPolicy": placement}
    assert rules_of(PACK.stack(made, Made(NODE_POOL, pool, refers_to={"placementPolicy": (made.urn,)}))) == expected


@pytest.mark.parametrize("stored", [{}, {"placementPolicy": UNKNOWN}, {"placementPolicy": {"tpuTopology": UNKNOWN}}])
def test_what_became_of_a_pool_may_not_be_known(stored: Properties) -> None:
    assert PACK.stack(Made(NODE_POOL, SLICE, stored=stored)) == []


@pytest.mark.parametrize(("mode", "expected"), [("PROVISION_ONLY", set()), (UNKNOWN, set()), ("", {"TPU164"})])
def test_only_a_cube_needs_no_topology(mode: object, expected: set[str]) -> None:
    policy = {"type": "HIGH_THROUGHPUT", "acceleratorTopology": "4x4x4", "acceleratorTopologyMode": mode}
    made = Made(RESOURCE_POLICY, {"name": "cubes", "workloadPolicy": policy}, name="cubes")
    placement = {"type": "", "policyName": "cubes"}
    pool = {"nodeConfig": {"machineType": "tpu7x-standard-4t"}, "nodeCount": 16, "placementPolicy": placement}
    found = rules_of(PACK.stack(made, Made(NODE_POOL, pool, refers_to={"placementPolicy": (made.urn,)})))
    assert found & {"TPU164"} == expected
