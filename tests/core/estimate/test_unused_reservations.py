"""VMs of reservations that no plan uses: how many, what they cost, and that no other amount includes them."""

import dataclasses
import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import Usd
from pulumi_gke_tpu.core.estimate.headroom import UnusedReservation, unused_reservations
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Range
from pulumi_gke_tpu.core.fleet.checked import plans_in_fleet
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
POOL = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 64}
GROUP = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": {"reservation": "pool"}}
FOUR_HOSTS = 4


def unused(*reservations: dict[str, Any], groups: tuple[dict[str, Any], ...] = ()) -> tuple[UnusedReservation, ...]:
    plans = []
    for group in groups:
        cluster = {"mode": "standard", "location": "us-east5", "slices": {"a": group}}
        plans.append(check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG))
    content = {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations)}
    owned = OwnedReservations.of(Inventory.model_validate(content))
    return unused_reservations(plans_in_fleet(plans), owned, CATALOG, TODAY)


def test_a_reservation_that_no_plan_uses_is_unused_as_a_whole() -> None:
    (item,) = unused(POOL)
    assert (item.vms, item.chips, item.unknown) == (Range(64, 64), Range(256, 256), "")
    assert item.price is not None
    assert item.price.model == "on_demand"
    assert item.usd == Usd.of(2.7, Range(256, 256))
    assert item.usd.maximum == Decimal("691.2")


def test_the_price_of_the_contract_replaces_the_on_demand_price() -> None:
    (item,) = unused(POOL | {"usd_per_chip_hour": 1.25})
    assert (item.price, item.usd) == (None, Usd(Decimal(320), Decimal(320)))


@given(st.integers(1, 80), st.integers(0, 80), st.integers(0, 6), st.integers(0, 6))
def test_what_plans_and_others_leave_is_unused(vms: int, in_use: int, low: int, more: int) -> None:
    found = unused(
        POOL | {"vms": vms, "in_use": min(in_use, vms)}, groups=(GROUP | {"min": low, "max": max(low + more, 1)},)
    )
    most = vms - min(in_use, vms) - FOUR_HOSTS * low
    least = vms - min(in_use, vms) - FOUR_HOSTS * max(low + more, 1)
    assert [(item.vms.minimum, item.vms.maximum) for item in found] == ([(max(least, 0), most)] if most > 0 else [])


@pytest.mark.parametrize(
    ("dates", "is_paid"),
    [
        ({}, True),
        ({"from": "2026-11-20"}, True),
        ({"from": "2026-11-21"}, False),
        ({"until": "2026-11-21"}, True),
        ({"until": "2026-11-20"}, False),
    ],
)
def test_a_reservation_costs_nothing_before_it_begins_and_after_it_ends(dates: dict[str, str], is_paid: bool) -> None:
    assert bool(unused(POOL | dates)) == is_paid


def test_an_unknown_machine_type_or_price_stays_unknown() -> None:
    (machine,) = unused(POOL | {"machine_type": "ct9z-standard-4t", "usd_per_chip_hour": 1.0})
    assert (machine.vms, machine.chips, machine.usd) == (Range(64, 64), None, None)
    assert machine.unknown == "the catalog does not have the machine type of reservation pool"
    (price,) = unused(POOL | {"zone": "africa-south1-a"})
    assert (price.chips, price.usd) == (Range(256, 256), None)
    assert price.unknown == "no on-demand price of ct6e in africa-south1 is known"


def test_a_price_of_low_confidence_is_doubtful() -> None:
    (item,) = unused(POOL)
    assert item.price is not None
    assert not item.doubtful
    assert dataclasses.replace(item, price=dataclasses.replace(item.price, confidence="low")).doubtful
