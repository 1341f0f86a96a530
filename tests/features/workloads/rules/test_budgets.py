"""Rules about what Kueue admits to a budget."""

from typing import Any

import pytest
from support.budget_plans import plan_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan

RULES = ("TPU875", "TPU876", "TPU877")


def told(plan: dict[str, Any]) -> list[str]:
    found = check_plan(parse_plan(plan), read_catalog()).findings
    return [f"{item.rule} {'.'.join(map(str, item.path[1:]))}" for item in found if item.rule in RULES]


def with_static(queues: dict[str, Any] | None, topology: str = "2x2", chips: int = 8) -> dict[str, Any]:
    """A cluster that scales up to all chips of a budget, and another one that always has four of them."""
    plan: dict[str, Any] = plan_of({"single": "scales"}, "one")
    plan["clusters"]["c"]["kubernetes"]["queues"]["a"] = {"chips": {"shared": chips}}
    count = 1 if topology == "2x2" else 4
    reserved = {"zone": "us-east5-b", "capacity": {"reservation": "ours"}}
    group = {"tpu": "v6e", "topology": topology, "count": count, **reserved}
    plan["clusters"]["d"] = {"mode": "standard", "location": "us-east5", "slices": {"static": group}}
    if queues is not None:
        plan["clusters"]["d"]["kubernetes"] = {"queues": queues}
    return plan


@pytest.mark.parametrize("topology", ["2x2", "1x1"])
@pytest.mark.parametrize("queues", [None, {"b": {"chips": {"shared": 0}}}])
@pytest.mark.parametrize(("chips", "expected"), [(4, []), (5, ["TPU875 d.slices.static"])])
def test_nodes_of_another_cluster_keep_their_chips(
    queues: dict[str, Any] | None, topology: str, chips: int, expected: list[str]
) -> None:
    found = told(with_static(queues, topology, chips))
    assert [item for item in found if "TPU876" not in item] == expected


def test_one_finding_reports_queues_with_more_chips_than_their_budget() -> None:
    assert [item for item in told(with_static({"b": {"chips": {"shared": 4}}})) if "TPU876" not in item] == [
        "TPU877 shared.chips"
    ]


def test_the_chips_of_every_static_group_count() -> None:
    """Two static groups have one and four chips of eight, so that three are left."""
    for most, expected in ((3, []), (4, ["TPU875 c.slices.host", "TPU875 c.slices.other"])):
        plan = plan_of({"single": "scales", "host": "static"}, "one")
        cluster = plan["clusters"]["c"]
        cluster["slices"]["other"] = {**cluster["slices"]["single"], "topology": "1x1", "count": 1}
        cluster["slices"]["single"]["count"] = {"min": 0, "max": most}
        cluster["kubernetes"]["queues"]["a"] = {"chips": {"shared": 4}}
        assert [item for item in told(plan) if "TPU876" not in item] == expected


@pytest.mark.parametrize(("others", "findings"), [(2, 3), (3, 1), (1200, 1)])
def test_many_static_groups_of_a_budget_are_one_finding(others: int, findings: int) -> None:
    plan = plan_of({"single": "scales", "host": "scales"}, "one")
    cluster = plan["clusters"]["c"]
    static = {**cluster["slices"]["single"], "topology": "1x1", "count": 1}
    cluster["slices"] |= {f"static-{index}": static for index in range(others)}
    cluster["slices"]["host"] = static
    plan["budgets"]["shared"]["chips"] = others + 1
    cluster["kubernetes"]["queues"]["a"] = {"chips": {"shared": others + 1}}
    found = [each for each in check_plan(parse_plan(plan), read_catalog()).findings if each.rule == "TPU875"]
    assert len(found) == findings
    assert found[0].message.endswith("keep chips in the same way") is (findings == 1)
    if findings == 1:
        assert f"; {others:,} other slice groups of the budget" in found[0].message


@pytest.mark.parametrize("wrong", [3, "shared", [], ["shared"], True])
def test_budgets_of_the_wrong_type_are_one_error(wrong: Any) -> None:
    plan = plan_of({"single": "scales", "host": "static"}, "cohort", ("single", "host"))
    sound = {each.rule for each in check_plan(parse_plan(plan), read_catalog()).findings}
    found = check_plan(parse_plan({**plan, "budgets": wrong}), read_catalog()).findings
    assert [each.rule for each in found if each.rule not in sound] == ["TPU022"]


@pytest.mark.parametrize("written", [{"count": {"min": 0, "max": 1}}, {"min": 0, "max": 1}])
def test_the_maximum_is_raised_where_it_is_written(written: dict[str, Any]) -> None:
    plan = plan_of({"single": "scales", "host": "scales"}, "one")
    group = plan["clusters"]["c"]["slices"]["single"]
    del group["count"]
    group |= written
    (finding,) = (each for each in check_plan(parse_plan(plan), read_catalog()).findings if each.rule == "TPU876")
    assert finding.path[-1] == "max"
    assert finding.fix == "max: 8"


def test_a_group_with_a_wrong_shape_has_chips_of_its_budget_too() -> None:
    plan = plan_of({"single": "scales", "host": "scales"}, "one")
    plan["clusters"]["c"]["slices"]["single"]["topology"] = "3x5"
    found = {each.rule for each in check_plan(parse_plan(plan), read_catalog()).findings}
    assert "TPU112" in found
    assert "TPU704" not in found
