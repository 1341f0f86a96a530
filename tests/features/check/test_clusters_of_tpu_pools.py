"""Clusters that a source shows with every node pool, all of them with TPUs: system Pods have no node."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from support.foreign_files import (
    Made,
    answer,
    pulumi_preview,
    pulumi_state,
    terraform_configuration,
    terraform_plan,
    terraform_state,
)
from support.raw_pools import HOSTS, REGIONAL, SLICE, Properties, changed

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.graph.resource_types import CLUSTER, NODE_POOL
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader

Write = Callable[[Iterable[Made]], bytes]
READER = ResourceReader(read_catalog())
PROGRAMS = (terraform_plan, terraform_state, pulumi_state, pulumi_preview)
WITHOUT_DEFAULT = {**REGIONAL, "removeDefaultNodePool": True, "initialNodeCount": 1}
TAINT = {"key": "dedicated", "value": "batch", "effect": "NO_SCHEDULE"}


def cpu(**config: Any) -> Properties:
    pool = changed(HOSTS, {"nodeConfig.bootDisk": None, "nodeConfig.reservationAffinity": None})
    return {**pool, "name": "cpu", "nodeConfig": {"machineType": "n2-standard-8", **config}}


def provisioned(*kinds: str) -> Properties:
    limits = [{"resourceType": kind, "minimum": 1, "maximum": 64} for kind in kinds]
    return {"clusterAutoscaling": {"enabled": True, "resourceLimits": limits}}


def rules(content: bytes) -> set[str]:
    resources = READER.read("fleet.json", content)
    assert resources is not None
    return {each.rule for each in check_resources(resources.found, read_catalog())}


CASES: dict[str, tuple[Properties, list[Properties], bool]] = {
    "a slice": ({}, [SLICE], True),
    "several": ({}, [SLICE, {**HOSTS, "name": "chat"}], True),
    "tainted CPU nodes": ({}, [SLICE, cpu(taints=[TAINT])], True),
    "no TPU, and all tainted": ({}, [cpu(taints=[TAINT])], True),
    "CPU nodes": ({}, [SLICE, cpu()], False),
    "CPU nodes with a weak taint": ({}, [SLICE, cpu(taints=[{**TAINT, "effect": "PREFER_NO_SCHEDULE"}])], False),
    "GPU nodes": ({}, [SLICE, cpu(guestAccelerators=[{"type": "nvidia-l4", "count": 1}])], False),
    "the default node pool": ({"removeDefaultNodePool": False}, [SLICE], False),
    "auto-provisioning": (provisioned("cpu", "memory"), [SLICE], False),
    "no node pool": ({}, [], False),
}


@pytest.mark.parametrize("write", PROGRAMS)
@pytest.mark.parametrize("name", CASES)
def test_system_pods_need_a_node(write: Write, name: str) -> None:
    cluster, pools, wrong = CASES[name]
    made = [(CLUSTER, "train", {**WITHOUT_DEFAULT, **cluster})]
    made += [(NODE_POOL, f"main-{number}", pool) for number, pool in enumerate(pools)]
    assert ("TPU541" in rules(write(made))) is wrong


@pytest.mark.parametrize("write", [*PROGRAMS, answer])
def test_other_sources_may_have_the_other_node_pools(write: Write) -> None:
    assert "TPU541" not in rules(write([(NODE_POOL, "main", SLICE)]))
    assert "TPU541" not in rules(write([(CLUSTER, "train", REGIONAL), (NODE_POOL, "main", SLICE)]))


def test_a_file_of_a_configuration_may_not_be_the_only_one() -> None:
    made = [(CLUSTER, "train", WITHOUT_DEFAULT), (NODE_POOL, "main", SLICE)]
    assert "TPU541" not in rules(terraform_configuration(made))


@pytest.mark.parametrize("machine", ["ct6e-standard-4t", "n2-standard-8"])
@pytest.mark.parametrize("autopilot", [False, True])
def test_an_answer_shows_a_cluster_with_its_node_pools(machine: str, autopilot: bool) -> None:
    cluster, *pools = json.loads(
        answer([(CLUSTER, "train", REGIONAL), (NODE_POOL, "a", SLICE), (NODE_POOL, "b", cpu())])
    )
    pools[1]["config"]["machineType"] = machine
    cluster |= {"nodePools": pools, "autopilot": {"enabled": autopilot}}
    wrong = machine.startswith("ct6e") and not autopilot
    assert ("TPU541" in rules(json.dumps([cluster]).encode())) is wrong
    assert "TPU541" not in rules(json.dumps(pools).encode())
