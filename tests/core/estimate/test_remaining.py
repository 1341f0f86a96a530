"""An inventory after plans: what they use counts as use by others, as in ``gke-tpu quota`` at their largest size."""

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate.headroom import headroom
from pulumi_gke_tpu.core.estimate.holdings import Subtracted, remaining
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.cost.recommend.candidates import Need
from pulumi_gke_tpu.features.cost.recommend.search import recommend

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
POOL = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 40}
QUOTA = {"project": "acme-ml", "metric": "tpus_per_tpu_family", "family": "CT6E", "region": "us-east5", "limit": 100}


def owned(**more: Any) -> Document[Inventory]:
    content = {"version": 1, "as_of": "2026-11-20", "reservations": [POOL | {"in_use": 2}], "quotas": [QUOTA]}
    return Document(Inventory.model_validate(content | more))


def plan(least: int, most: int, demanded: int) -> CheckedPlan:
    reserved = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "min": least, "max": most}
    slices: dict[str, Any] = {"a": reserved | {"capacity": {"reservation": "pool"}}}
    slices["b"] = {"tpu": "v6e", "topology": "2x2", "zone": "us-east5-b", "count": demanded}
    cluster = {"mode": "standard", "location": "us-east5", "slices": slices}
    return check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)


@given(st.integers(0, 4), st.integers(1, 5), st.integers(1, 20))
def test_what_is_left_is_what_quota_shows_as_left(least: int, more: int, demanded: int) -> None:
    inventory, plans = owned(), [plan(least, least + more, demanded)]
    rest, subtracted = remaining(inventory, plans_in_fleet(plans), CATALOG)
    shown = headroom(plans, inventory.content, CATALOG)
    assert rest.content is not None
    (reservation,), (quota,) = rest.content.reservations, rest.content.quotas
    assert shown.reservations[0].vms.left is not None
    assert reservation.vms - reservation.in_use == shown.reservations[0].vms.left.minimum
    (used,) = [item for item in shown.quotas if item.entry is not None]
    assert used.chips.left is not None
    assert quota.limit - quota.in_use == used.chips.left.minimum
    assert subtracted == (
        Subtracted("reservation", "pool", "acme-ml", "us-east5-b", 4 * (least + more), "VM"),
        Subtracted("quota", "tpus_per_tpu_family (CT6E)", "acme-ml", "us-east5", 4 * demanded, "chip"),
    )


@pytest.mark.parametrize(("budgets", "used"), [({}, 20), ({"shared": {"chips": 12, "reservation": "pool"}}, 12)])
def test_of_a_reservation_of_chips_the_chips_are_subtracted_up_to_the_budget(budgets: Any, used: int) -> None:
    reserved = {"tpu": "v6e", "zone": "us-east5-b", "capacity": {"reservation": "pool"}}
    slices = {"a": {**reserved, "topology": "2x2", "count": {"max": 3}}, "b": {**reserved, "topology": "1x1"}}
    slices["b"]["count"] = {"max": 8}
    cluster = {"mode": "standard", "location": "us-east5", "slices": slices}
    document = parse_plan({"version": 1, "project": "acme-ml", "budgets": budgets, "clusters": {"c": cluster}})
    pool = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "family": "ct6e", "chips": 40}
    rest, _ = remaining(owned(reservations=[pool]), plans_in_fleet([check_plan(document, CATALOG, TODAY)]), CATALOG)
    assert rest.content is not None
    assert rest.content.reservations[0].in_use == used


def test_without_plans_nothing_is_subtracted() -> None:
    inventory = owned()
    rest, subtracted = remaining(inventory, (), CATALOG)
    assert (rest.content, subtracted) == (inventory.content, ())


def test_slices_are_recommended_on_a_reservation_only_if_the_plans_leave_room() -> None:
    need = Need(chips=64, generations=("v6e",), capacities=("reservation",), project="acme-ml")
    for most, fits in ((5, True), (6, False)):
        rest, _ = remaining(owned(), plans_in_fleet([plan(0, most, 1)]), CATALOG)
        found = recommend(need, CATALOG, rest, today=TODAY)
        assert bool(found.rows) == fits
        if not fits:
            reasons = {item.reason for item in found.exclusions if "pool" in item.reason}
            assert reasons == {"reservation `pool` has 14 VMs left, and the slices need 16"}
