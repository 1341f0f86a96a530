"""What is read from a plan and a state of Terraform: values, what is not known, what a configuration certainly sets."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.resources.model import Action, Resources
from pulumi_gke_tpu.core.resources.read import ResourceReader
from pulumi_gke_tpu.core.resources.values import UNKNOWN

READER = ResourceReader(read_catalog())
POOL = {"mode": "managed", "type": "google_container_node_pool", "name": "p"}
SQL = {"mode": "managed", "type": "google_sql_user", "name": "a"}


def read(**members: Any) -> Resources:
    found = READER.read(
        "plan.json", json.dumps({"format_version": "1.2", "terraform_version": "1.9.0"} | members).encode()
    )
    assert found is not None
    return found


def planned(change: Any, written: Mapping[str, Any] | None = None, **entry: Any) -> Any:
    """The only resource of a plan with one change."""
    block = {**POOL, "expressions": written}
    members = {} if written is None else {"configuration": {"root_module": {"resources": [block]}}}
    (found,) = read(resource_changes=[{**POOL, "change": change, **entry}], **members).found
    return found


@pytest.mark.parametrize(
    ("change", "values", "existing"),
    [
        ({"before": None, "after": {"name": "a"}}, {"name": "a"}, None),
        ({"before": {"name": "a"}, "after": None}, {"name": "a"}, {"name": "a"}),
        ({"before": None, "after": None}, {}, None),
        ({"before": 1, "after": []}, {}, None),
        (
            {"before": {"name": "a"}, "after": {"name": "a"}, "before_sensitive": {"name": True}},
            {"name": "a"},
            {"name": UNKNOWN},
        ),
        ({"before": None, "after": {"name": "a"}, "after_sensitive": {"name": True}}, {"name": UNKNOWN}, None),
        ({"before": None, "after": {"name": "a"}, "after_sensitive": False}, {"name": "a"}, None),
        ({"before": None, "after": {}, "after_unknown": {"name": True, "node_count": False}}, {"name": UNKNOWN}, None),
        (
            {
                "before": None,
                "after": {"node_locations": ["a", None]},
                "after_unknown": {"node_locations": [False, True]},
            },
            {"nodeLocations": ["a", UNKNOWN]},
            None,
        ),
        (
            {"before": None, "after": {"node_locations": ["a"]}, "after_unknown": {"node_locations": [False, True]}},
            {"nodeLocations": ["a"]},
            None,
        ),
        (
            {"before": None, "after": {"node_locations": ["a", "b"]}, "after_unknown": {"node_locations": [True]}},
            {"nodeLocations": [UNKNOWN, "b"]},
            None,
        ),
        (
            {"before": None, "after": {"node_locations": None}, "after_unknown": {"node_locations": [True]}},
            {"nodeLocations": UNKNOWN},
            None,
        ),
        (
            {
                "before": None,
                "after": {"name": "a", "node_locations": None},
                "after_unknown": {"node_locations": [False]},
            },
            {"name": "a"},
            None,
        ),
        (
            {
                "before": None,
                "after": {"node_config": [{"machine_type": "m"}]},
                "after_unknown": {"node_config": [{"disk_type": True}]},
            },
            {"nodeConfig": {"machineType": "m", "diskType": UNKNOWN}},
            None,
        ),
    ],
)
def test_values_that_a_plan_hides_or_does_not_know_are_unknown(change: Any, values: Any, existing: Any) -> None:
    found = planned(change)
    before = None if found.before is None else found.before.data
    assert [set_values(each) for each in (found.values.data, before)] == [values, existing]


def set_values(data: Any) -> Any:
    """The properties that are not null."""
    return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data


@pytest.mark.parametrize(
    ("scaling", "left"),
    [
        ({"min_node_count": 1, "max_node_count": 2}, {"minNodeCount": 1, "maxNodeCount": 2}),
        (
            {"min_node_count": 0, "max_node_count": 2, "total_min_node_count": 0, "total_max_node_count": 0},
            {"minNodeCount": 0, "maxNodeCount": 2},
        ),
        (
            {"min_node_count": 0, "max_node_count": 0, "total_min_node_count": 0, "total_max_node_count": 4},
            {"totalMinNodeCount": 0, "totalMaxNodeCount": 4},
        ),
        (
            {"min_node_count": 1, "max_node_count": 0, "total_min_node_count": 0, "total_max_node_count": 4},
            {"minNodeCount": 1, "maxNodeCount": 0, "totalMinNodeCount": 0, "totalMaxNodeCount": 4},
        ),
        (
            {"min_node_count": 0, "max_node_count": 2, "total_max_node_count": 0, "location_policy": "ANY"},
            {"minNodeCount": 0, "maxNodeCount": 2, "locationPolicy": "ANY"},
        ),
        (
            {"min_node_count": None, "max_node_count": None, "total_min_node_count": 0, "total_max_node_count": 0},
            {"totalMinNodeCount": 0, "totalMaxNodeCount": 0},
        ),
    ],
)
def test_limits_of_zero_beside_the_others_are_left_out(scaling: Any, left: Any) -> None:
    found = planned({"before": None, "after": {"autoscaling": [scaling]}})
    assert found.values.data == {"autoscaling": left}


@pytest.mark.parametrize(
    ("before", "after", "written", "certain"),
    [
        (None, {"name": "a", "version": None}, None, {"name"}),
        (None, {"name": "a", "version": None}, {"name": {"constant_value": "a"}}, {"name"}),
        ({"name": "a"}, {"name": "a"}, None, set()),
        ({"name": "a"}, {"name": "a"}, {"name": {"references": ["var.a"]}}, set()),
        ({"name": "a"}, {"name": "a", "version": "1"}, {"name": {"constant_value": "a"}}, {"name"}),
        ({"name": "a"}, {"name": None}, {"name": {"constant_value": "a"}}, set()),
        ({"name": "a"}, {"name": "a"}, {"name": {"constant_value": None}}, set()),
        ({"name": "a"}, {"name": "a"}, {"name": [{}]}, set()),
        ({"name": "a"}, None, {"name": {"constant_value": "a"}}, set()),
        (None, {"initial_node_count": 1}, {}, {"initialNodeCount"}),
    ],
)
def test_what_the_configuration_certainly_sets(before: Any, after: Any, written: Any, certain: set[str]) -> None:
    assert planned({"before": before, "after": after}, written).written == certain


@pytest.mark.parametrize(
    ("change", "entry", "action"),
    [
        ({"actions": ["no-op"]}, {}, Action(("no-op",))),
        ({"actions": "create"}, {}, Action(())),
        ({"actions": ["delete", 1, "create"]}, {"action_reason": "tainted"}, Action(("delete", "create"), "tainted")),
        ({"actions": [], "importing": {"id": "x"}}, {}, Action((), importing="x")),
        ({"actions": [], "importing": {"id": 1}}, {"previous_address": "b.c"}, Action((), previous_address="b.c")),
        ({"actions": [], "importing": "x"}, {"previous_address": 1}, Action(())),
        (
            {
                "actions": [],
                "replace_paths": [["node_config", 0, "machine_type"], ["name"], [0], [], "x", ["placement_policy", 0]],
            },
            {},
            Action((), replace_paths=("name", "nodeConfig.machineType", "placementPolicy")),
        ),
    ],
)
def test_what_a_plan_does_with_a_resource(change: Any, entry: Any, action: Action) -> None:
    assert planned({"before": None, "after": {}} | change, **entry).action == action


def test_resources_have_the_addresses_names_and_providers_of_a_plan() -> None:
    change = {"before": None, "after": {"name": "a", "project": "here"}}
    unnamed = {"before": None, "after": {"name": 1, "project": 1}}
    entries = [
        {
            **POOL,
            "address": "module.m.x",
            "change": change,
            "provider_name": "registry.terraform.io/hashicorp/google-beta",
        },
        {**POOL, "change": unnamed, "provider_name": "registry.terraform.io/hashicorp/other", "deposed": "00ff"},
        {**POOL, "address": "x.y", "change": change, "mode": "data"},
        {**POOL, "address": "x.y", "change": 1},
        {**POOL, "type": 1, "change": change},
        {**SQL, "change": change},
        {**SQL, "type": "aws_instance", "change": change},
        {**SQL, "mode": "data", "change": change},
        1,
    ]
    found = read(resource_changes=entries)
    assert [(each.origin.address, each.name, each.project, each.google_provider) for each in found.found] == [
        ("module.m.x", "a", "here", "google-beta"),
        ("google_container_node_pool.p (deposed object 00ff)", "p", "", ""),
    ]
    assert found.skipped == {"google_sql_user": 1}


def test_a_state_has_the_resources_of_all_modules_without_what_is_secret() -> None:
    def pool(name: str, **more: Any) -> dict[str, Any]:
        return {**POOL, "address": f"x.{name}", "values": {"name": name}, **more}

    child = {"resources": [pool("b")], "child_modules": [{"resources": [pool("c", sensitive_values={"name": True})]}]}
    root = {
        "resources": [
            pool("a"),
            pool("d", mode="data"),
            pool("e", values=1),
            {**SQL, "values": {}},
            {**SQL, "type": "aws_instance", "values": {}},
        ],
        "child_modules": [child],
    }
    found = read(values={"root_module": root})
    assert [(each.origin.address, each.values.data) for each in found.found] == [
        ("x.a", {"name": "a"}),
        ("x.b", {"name": "b"}),
        ("x.c", {"name": UNKNOWN}),
    ]
    assert found.skipped == {"google_container_node_pool": 1, "google_sql_user": 1}
