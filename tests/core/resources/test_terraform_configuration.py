"""A plan does not say whether an attribute is known after apply, or chosen by the provider: its configuration does."""

import json
from typing import Any

import pytest
from support.foreign_files import POOL, module_plan

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resource_rules.files import check_resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.terraform_configuration import module_of, without_indexes, without_unwritten
from pulumi_gke_tpu.core.resources.values import UNKNOWN

CATALOG = read_catalog()
READER = ResourceReader(CATALOG)
WRONG_SIZE = {**POOL, "initial_node_count": 16}


def rules(plan: bytes) -> set[str]:
    found = READER.read("plan.json", plan)
    assert found is not None
    return {item.rule for item in check_resources(found.found, CATALOG)}


def test_attributes_that_the_provider_chooses_leave_the_verdict_to_the_others() -> None:
    assert "TPU462" in rules(module_plan(WRONG_SIZE))
    assert "TPU462" not in rules(module_plan(POOL))


def test_attributes_that_are_known_after_apply_give_no_verdict_and_the_others_do() -> None:
    written = {"node_count": {"references": ["var.nodes"]}}
    assert "TPU462" not in rules(module_plan(POOL, written))
    assert "TPU462" in rules(module_plan(WRONG_SIZE, written))


def test_a_reference_through_modules_leads_to_the_cluster() -> None:
    assert "TPU205" in rules(module_plan(location="us-west1"))
    assert "TPU205" not in rules(module_plan(location="us-east5"))


def test_a_reference_to_several_instances_leads_to_none() -> None:
    assert "TPU205" not in rules(module_plan(location="us-west1", clusters=2))


@pytest.mark.parametrize(
    ("address", "block", "module"),
    [
        ("google_container_cluster.a", "google_container_cluster.a", ""),
        ("google_container_cluster.a[0]", "google_container_cluster.a", ""),
        ('module.m["a.b"].module.n[1].t.a["]"]', "module.m.module.n.t.a", 'module.m["a.b"].module.n[1].'),
        ('module.m["\\"]."].t.a', "module.m.t.a", 'module.m["\\"]."].'),
    ],
)
def test_parts_of_an_address(address: str, block: str, module: str) -> None:
    assert without_indexes(address) == block
    assert module_of(address) == module


@pytest.mark.parametrize(
    ("unknown", "written", "left"),
    [
        ({"a": True}, {}, {}),
        ({"a": True}, {"a": {}}, {"a": True}),
        ({"block": True}, {}, {"block": True}),
        ({"block": [{"a": True, "b": True}]}, {"block": [{"a": {}}]}, {"block": [{"a": True}]}),
        ({"block": [{"a": True}, {"a": True}]}, {"block": [{}]}, {"block": [{"a": True}, {"a": True}]}),
        ({"list": [True]}, {"list": {}}, {"list": [True]}),
    ],
)
def test_what_stays_unknown(unknown: Any, written: Any, left: Any) -> None:
    assert without_unwritten(unknown, written, {"block"}.__contains__) == left


def test_modules_that_refer_to_each_other_end() -> None:
    plan = json.loads(module_plan())
    gke = plan["configuration"]["root_module"]["module_calls"]["gke"]
    gke["module"]["outputs"]["id"]["expression"]["references"] = ["var.x", "var.x", "google_container_cluster.main"]
    gke["expressions"] = {"x": {"references": ["module.gke.id", "module.gke.id"]}}
    found = READER.read("plan.json", json.dumps(plan).encode())
    assert found is not None
    assert found.found[1].refers_to["cluster"] == ("module.gke.google_container_cluster.main",)


@pytest.mark.parametrize("kind", [[], {}, None, 1])
def test_a_resource_of_the_configuration_can_have_any_type(kind: Any) -> None:
    plan = json.loads(module_plan())
    plan["configuration"]["root_module"]["resources"] = [{"mode": "managed", "type": kind, "name": "a"}]
    assert "TPU462" not in rules(json.dumps(plan).encode())


def test_a_dynamic_block_without_content_leaves_its_blocks_unknown() -> None:
    blocks = 'dynamic "taint" { for_each = ["a"] }'
    text = f'resource "google_container_node_pool" "a" {{\n  node_config {{\n    {blocks}\n  }}\n}}\n'
    found = READER.read("main.tf", text.encode())
    assert found is not None
    assert found.found[0].values.data["nodeConfig"]["taints"] is UNKNOWN
