"""Rules about existing workload policies that plans name, against those of the inventory."""

import datetime
from collections.abc import Callable

import pytest

TODAY = datetime.date(2026, 11, 20)

Found = Callable[..., list[str]]

IRONWOOD = """
mode: standard
location: us-central1
slices:
  big: {tpu: tpu7x, topology: 4x4x4, zone: us-central1-c, %s}
"""

POLICIES = "workload_policies:\n  - {name: %s, project: acme-ml, region: us-central1, topology: %s}\n"


@pytest.mark.parametrize(
    ("name", "topology", "expected"),
    [
        ("cubes", "4x4x4", []),
        ("cubes", "4X4X4", []),
        ("other", "4x4x4", ["TPU839 warning"]),
        ("cubes", "4x4x8", ["TPU840 error"]),
    ],
)
def test_an_existing_policy_is_there_and_has_the_topology(
    listed: Found, name: str, topology: str, expected: list[str]
) -> None:
    named = IRONWOOD % "placement: {workload_policy: cubes}"
    found_now = listed(named, inventory=POLICIES % (name, topology))
    assert [text.partition(":")[0] for text in found_now] == expected


def test_a_policy_that_the_plan_creates_need_not_exist(listed: Found) -> None:
    assert listed(IRONWOOD % "capacity: on_demand", inventory=POLICIES % ("other", "4x4x4")) == []


def test_a_policy_of_the_cluster_need_not_exist_and_must_agree_with_one_that_does(listed: Found) -> None:
    plan = "workload_policies: {cubes: {topology: 4x4x4}}\n" + IRONWOOD % "placement: {workload_policy: cubes}"
    assert listed(plan, inventory=POLICIES % ("other", "4x4x4")) == []
    assert listed(plan, inventory=POLICIES % ("cubes", "4x4x4")) == []
    made, named = listed(plan, inventory=POLICIES % ("cubes", "4x4x8"))
    assert "has topology 4x4x8, but the plan creates it with 4x4x4" in made
    assert "has topology 4x4x8, but the slices have 4x4x4" in named
