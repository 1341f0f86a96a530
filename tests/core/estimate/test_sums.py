"""Totals of slice groups that share a reservation: what can exist at the same time, not the sum of the maxima."""

import datetime
import itertools
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import FleetCost, cost_of
from pulumi_gke_tpu.core.estimate.cost import total_line, totals_of
from pulumi_gke_tpu.core.estimate.holdings import reservation_holdings
from pulumi_gke_tpu.core.estimate.quota import quota_needs
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.estimate.sums import SharedReservation
from pulumi_gke_tpu.core.fleet import Fleet, Range
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan, plans_in_fleet
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan

CATALOG, TODAY = read_catalog(), datetime.date(2026, 11, 20)
CHIPS = {"1x1": 1, "2x2": 4, "2x4": 8, "4x4": 16}
HOSTS = {"1x1": 1, "2x2": 1, "2x4": 1, "4x4": 4}
PRICE = Decimal("2.7")


def group(topology: str, low: int, high: int, **keys: Any) -> dict[str, Any]:
    size = {"count": low} if low == high else {"count": {"min": low, "max": high}}
    form = {"chips_per_host": 8} if topology == "2x4" else {}
    shape = {"tpu": "v6e", "topology": topology, "zone": "us-east5-b", "capacity": {"reservation": "r"}}
    return shape | size | form | keys


def owned(**keys: Any) -> OwnedReservations:
    entry = {"name": "r", "project": "acme-ml", "zone": "us-east5-b", **keys}
    return OwnedReservations.of(
        Inventory.model_validate({"version": 1, "as_of": "2026-11-20", "reservations": [entry]})
    )


def fleet_of(*clusters: list[dict[str, Any]], **plan: Any) -> Fleet:
    fleet = checked_of(*clusters, **plan).fleet
    assert fleet is not None
    return fleet


def checked_of(*clusters: list[dict[str, Any]], **plan: Any) -> CheckedPlan:
    document = parse_plan(
        {
            "version": 1,
            "project": "acme-ml",
            **plan,
            "clusters": {
                f"c{index}": {
                    "mode": "standard",
                    "location": "us-east5",
                    "slices": {f"g{number}": each for number, each in enumerate(groups)},
                }
                for index, groups in enumerate(clusters)
            },
        }
    )
    return check_plan(document, CATALOG, TODAY)


def cost(reservations: OwnedReservations, *clusters: list[dict[str, Any]]) -> FleetCost:
    return cost_of(fleet_of(*clusters), CATALOG, reservations)


SHAPES = [group("1x1", 0, 60), group("2x4", 0, 16), group("2x2", 1, 32), group("4x4", 0, 8)]


def test_many_shapes_that_share_a_reservation_have_its_chips_together() -> None:
    reservations = owned(family="ct6e", chips=160, in_use=4)
    found = cost(reservations, SHAPES)
    assert found.total.chips == Range(4, 156)
    assert found.total.usd is not None
    assert (found.total.usd.minimum, found.total.usd.maximum) == (4 * PRICE, 156 * PRICE)
    assert [item.chips for item in found.groups] == [Range(0, 60), Range(0, 128), Range(4, 128), Range(0, 128)]
    assert found.shared == (SharedReservation(reservations.entries[0], 4, Range(4, 444), 156),)
    assert found.shared[0].text == (
        "reservation r has 156 chips for 4 slice groups with a maximum of 444 together; totals count 156"
    )


@pytest.mark.parametrize(
    ("entry", "groups", "chips"),
    [
        pytest.param({"family": "ct6e", "chips": 444}, SHAPES, Range(4, 444), id="enough"),
        pytest.param({"machine_type": "ct6e-standard-4t", "vms": 9}, SHAPES[2:], Range(4, 36), id="VMs"),
        # 3 chips are left of the reservation, and a slice has 4
        pytest.param({"family": "ct6e", "chips": 11}, [group("2x2", 0, 9)], Range(0, 8), id="whole-slices"),
        # the plan states these sizes, and TPU804 is an error
        pytest.param({"family": "ct6e", "chips": 8}, [group("2x2", 9, 9)], Range(36, 36), id="fixed"),
        pytest.param(
            {"family": "ct6e", "chips": 8}, [group("2x2", 0, 9, fallback=["spot"])], Range(0, 36), id="also-spot"
        ),
        pytest.param({"machine_type": "ct6e-standard-8t", "vms": 1}, SHAPES[2:], Range(4, 256), id="other-machine"),
        pytest.param({"family": "ct6e", "chips": 8, "name": "other"}, SHAPES, Range(4, 444), id="other-reservation"),
    ],
)
def test_only_what_a_reservation_limits_is_limited(entry: Any, groups: Any, chips: Range) -> None:
    found = cost(owned(**entry), groups)
    assert found.total.chips == chips
    asked = sum(item.chips.maximum for item in found.groups)
    assert [item.asked.maximum > item.there for item in found.shared] == [True] * (chips.maximum < asked)


@pytest.mark.parametrize(
    ("chips", "entry", "most", "counted", "held"),
    [
        (156, {}, 156, "budget shared has 156 chips", Range(1, 84)),
        (500, {}, 444, "", Range(1, 140)),
        (156, {"family": "ct6e", "chips": 160}, 156, "budget shared has 156 chips", Range(4, 156)),
        (156, {"family": "ct6e", "chips": 160, "in_use": 10}, 150, "reservation r has 150 chips", Range(4, 156)),
    ],
)
def test_many_shapes_have_the_chips_of_their_budget_together(
    chips: int, entry: Any, most: int, counted: str, held: Range
) -> None:
    """Without an inventory too; the reservation counts if it has less."""
    budgets = {"shared": {"chips": chips, "reservation": "r"}}
    fleet, owned_ = fleet_of(SHAPES, budgets=budgets), owned(**entry) if entry else OwnedReservations(())
    found = cost_of(fleet, CATALOG, owned_)
    assert (found.total.chips, found.total.usd and found.total.usd.maximum) == (Range(4, most), most * PRICE)
    assert [item.text.partition(" for ")[0] for item in found.shared] == ([counted] if counted else [])
    (holding,) = reservation_holdings(owned_.uses(plans_in_fleet([checked_of(SHAPES, budgets=budgets)])), owned_)
    assert holding.counted.total == held  # VMs without an inventory: 60 with one chip, and 24 with four


def test_spot_vms_of_a_generation_and_region_have_the_chips_of_their_budget_together() -> None:
    spot = {"capacity": "spot"}
    groups = [group("1x1", 0, 60, **spot), group("2x2", 0, 32, **spot), group("2x4", 0, 16)]
    for region, most in (("us-east5", 40), ("us-central1", 188)):
        budget = {"chips": 40, "spot": "v6e", "region": region}
        fleet = fleet_of(groups, budgets={"idle": budget})
        (need,) = quota_needs(fleet, CATALOG)
        assert (need.chips, cost_of(fleet, CATALOG).total.chips) == (Range(0, most), Range(0, most + 128))


def test_several_clusters_and_plans_share_one_reservation() -> None:
    reservations = owned(family="ct6e", chips=40)
    fleets = [fleet_of([group("2x2", 0, 8)], [group("2x2", 0, 4)]), fleet_of([group("4x4", 1, 2)])]
    costs = [cost_of(fleet, CATALOG, reservations) for fleet in fleets]
    assert [found.total.chips for found in costs] == [Range(0, 40), Range(16, 32)]
    assert [line.chips for line in costs[0].clusters.values()] == [Range(0, 32), Range(0, 16)]
    together = total_line([each for found in costs for each in found.groups])
    assert (together.chips, together.usd and together.usd.maximum) == (Range(16, 40), 40 * PRICE)
    totals = totals_of(zip(fleets, costs, strict=True))
    assert (totals.size.chips, totals.by_place[0][2].chips) == (Range(16, 40), Range(16, 40))
    assert [(item.groups, item.asked.maximum, item.there) for item in totals.shared] == [(3, 80, 40)]


@given(
    st.lists(st.tuples(st.sampled_from(sorted(CHIPS)), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=3),
    st.integers(0, 60),
)
def test_a_total_is_what_some_choice_of_sizes_has(sizes: list[tuple[str, int, int]], chips: int) -> None:
    """Every choice that fits into the reservation is within the totals, and the number of slices is reached."""
    sizes = [(shape, low, more) for shape, low, more in sizes if low + more]
    groups = [group(shape, low, low + more) for shape, low, more in sizes]
    total = cost(owned(family="ct6e", chips=chips), groups).total
    least = sum(low * CHIPS[shape] for shape, low, _ in sizes)
    choices = [
        [(number, shape) for number, (shape, _, _) in zip(numbers, sizes, strict=True)]
        for numbers in itertools.product(*(range(low, low + more + 1) for _, low, more in sizes))
    ]
    fitting = [
        choice for choice in choices if sum(number * CHIPS[shape] for number, shape in choice) <= max(chips, least)
    ]
    assert total.chips.minimum == least
    assert total.slices.maximum == max(sum(number for number, _ in choice) for choice in fitting)
    most_hosts = max(sum(number * HOSTS[shape] for number, shape in choice) for choice in fitting)
    most_chips = max(sum(number * CHIPS[shape] for number, shape in choice) for choice in fitting)
    assert most_hosts <= total.hosts.maximum
    assert most_chips <= total.chips.maximum <= max(chips, least)
    assert total.usd is not None
    assert total.usd.maximum == total.chips.maximum * PRICE
