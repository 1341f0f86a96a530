"""The chips of a budget that cubes have all the time."""

from typing import Any

import pytest
from support.edited import plan_data

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import derive
from pulumi_gke_tpu.core.plan import parse_plan


def cubes_plan(budgets: dict[str, Any]) -> dict[str, Any]:
    return {**plan_data("docs/examples/cubes.yaml"), **budgets}


@pytest.mark.parametrize(("reservation", "cubes"), [("ironwood", 5 * 64), ("other", 0)])
def test_cubes_of_a_reservation_count_in_its_budget(reservation: str, cubes: int) -> None:
    plan = parse_plan(cubes_plan({"budgets": {"all": {"chips": 1024, "reservation": reservation}}}))
    assert plan.content is not None, plan.findings
    (budget,) = derive(plan.content, read_catalog()).budgets
    assert budget.cubes == cubes


def test_a_plan_without_budgets_has_none() -> None:
    plan = parse_plan(cubes_plan({}))
    assert plan.content is not None, plan.findings
    assert derive(plan.content, read_catalog()).budgets == ()
