"""What a fleet costs: amounts, ranges, and what stays unknown."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.estimate import NO_MONEY, FleetCost, Usd, cost_of
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Fleet, Range, derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation

CATALOG = read_catalog()

PRETRAIN = {
    "tpu": "v6e",
    "topology": "16x16",
    "count": 2,
    "zone": "us-east5-b",
    "capacity": {"reservation": "v6e-pretrain"},
}
SWEEP = {
    "tpu": "v6e",
    "topology": "2x4",
    "chips_per_host": 8,
    "count": {"min": 0, "max": 8},
    "zone": "us-east5-b",
    "capacity": "spot",
}
# A machine family in a region for which no price was captured.
UNPRICED = {"tpu": "v6e", "topology": "4x4", "zone": "us-east4-a"}


def fleet_of(slices: dict[str, Any], mode: str = "standard", location: str = "us-east5") -> Fleet:
    cluster = {"mode": mode, "location": location, "slices": slices}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train-east": cluster}})
    assert document.content is not None
    fleet = derive(document.content, CATALOG)
    assert len(list(fleet.groups())) == len(slices)
    return fleet


def cost(slices: dict[str, Any], mode: str = "standard", location: str = "us-east5") -> FleetCost:
    return cost_of(fleet_of(slices, mode, location), CATALOG)


def test_a_plan_with_reserved_and_spot_slices() -> None:
    result = cost({"pretrain": PRETRAIN, "sweep": SWEEP})
    reserved, spot = result.modes
    assert (reserved.what, str(reserved.slices), str(reserved.hosts), str(reserved.chips)) == (
        "reservation",
        "2",
        "128",
        "512",
    )
    assert (str(reserved.usd), str(reserved.usd and reserved.usd.per_month)) == ("1,382.40", "1,009,152.00")
    assert (spot.what, str(spot.slices), str(spot.hosts), str(spot.chips)) == ("spot", "0..8", "0..8", "0..64")
    assert (str(spot.usd), str(spot.usd and spot.usd.per_month)) == ("0 .. 89.81", "0 .. 65,562.18")
    assert (str(result.total.slices), str(result.total.hosts), str(result.total.chips)) == (
        "2..10",
        "128..136",
        "512..576",
    )
    assert str(result.total.usd) == "1,382.40 .. 1,472.21"
    assert [(price.usd, price.as_of) for price in result.prices] == [(2.7, "2026-08-10"), (1.4033, "2026-08-07")]
    assert (result.unknown, result.total.at_least, result.premium) == ((), False, None)


def test_amounts_are_exact_until_they_are_shown() -> None:
    spot = cost({"sweep": SWEEP}).total.usd
    assert spot is not None
    assert spot.maximum == Decimal("89.8112")
    assert spot.per_month.maximum == Decimal("65562.176")


@pytest.mark.parametrize(
    ("capacity", "zone", "model", "usd", "stands_in"),
    [
        ("on_demand", "us-east5-b", "on_demand", "43.20", False),
        ("spot", "us-east5-b", "spot", "22.45", False),
        ("flex_start", "us-east5-b", "flex_start", "0 .. 21.60", False),
        ({"flex_start": {"queued": True}}, "us-east5-b", "flex_start", "0 .. 21.60", False),
        ("queued", "us-east5-b", "on_demand", "0 .. 43.20", True),
        ({"reservation": "r"}, "us-east5-b", "on_demand", "43.20", True),
        ("on_demand", "europe-west4-a", "on_demand", "47.52", False),
        ("spot", "us-south1-ai1b", "spot", "21.60", False),
    ],
)
def test_each_capacity_mode_has_its_price(capacity: Any, zone: str, model: str, usd: str, stands_in: bool) -> None:
    group = {"tpu": "v6e", "topology": "4x4", "zone": zone, "capacity": capacity}
    (line,) = cost({"a": group}, location=zone.rsplit("-", 1)[0]).groups
    assert line.price is not None
    assert (line.price.model, str(line.usd), line.at_on_demand_price) == (model, usd, stands_in)


def test_the_price_is_that_of_the_machine_family_not_of_the_generation() -> None:
    groups = {
        "single": {"tpu": "v3", "topology": "2x2", "zone": "europe-west4-a"},
        "multi": {"tpu": "v3", "topology": "4x4", "zone": "europe-west4-a"},
    }
    result = cost(groups, location="europe-west4")
    assert [(group.family, group.price and group.price.usd) for group in result.groups] == [("ct3", 2.2), ("ct3p", 2.0)]


def test_a_group_without_a_zone_costs_what_the_cluster_s_region_costs() -> None:
    (group,) = cost({"a": {"tpu": "v6e", "topology": "2x2"}}, mode="autopilot", location="europe-west4").groups
    assert (group.region, str(group.usd)) == ("europe-west4", "11.88")


def test_a_missing_price_is_unknown_and_marked_in_the_total() -> None:
    result = cost({"pretrain": PRETRAIN, "elsewhere": UNPRICED})
    unpriced = result.groups[1]
    assert (unpriced.usd, unpriced.price) == (None, None)
    assert unpriced.unknown == "no on-demand price of ct6e in us-east4 is known"
    assert (str(result.total.usd), result.total.at_least) == ("1,382.40", True)
    assert result.total.unknown == ("train-east/elsewhere",)
    assert [(line.what, line.at_least, line.usd is None) for line in result.modes] == [
        ("on_demand", False, True),
        ("reservation", False, False),
    ]
    assert result.unknown == (unpriced.unknown,)


def test_without_a_known_price_there_is_no_amount() -> None:
    result = cost({"elsewhere": UNPRICED})
    assert (result.total.usd, result.total.at_least) == (None, False)
    assert result.total.unknown == ("train-east/elsewhere",)


def test_a_published_price_that_was_not_captured_is_reported() -> None:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-south1-a", "capacity": "flex_start"}
    (line,) = cost({"a": group}, location="us-south1").groups
    assert line.usd is None
    assert line.unknown == "the flex-start price of ct6e in us-south1 is published, but the catalog does not have it"


def test_no_slices_cost_nothing_whatever_the_price() -> None:
    result = cost({"none": UNPRICED | {"count": 0}})
    assert (result.total.usd, result.total.unknown, result.unknown) == (NO_MONEY, (), ())


def test_what_gke_s_cost_reports_lack_is_stated_for_tpus_and_for_reserved_v4() -> None:
    """The two limitations of the planning page."""
    reserved_v4 = {"tpu": "v4", "topology": "2x2x1", "zone": "us-central2-b", "capacity": {"reservation": "r"}}
    spot_v4 = reserved_v4 | {"capacity": "spot"}
    (everywhere,) = cost({"sweep": SWEEP}).reporting
    assert everywhere.startswith("GKE usage metering and cost allocation do not contain TPU usage or cost")
    assert cost({"a": spot_v4}, location="us-central2").reporting == (everywhere,)
    both = cost({"a": reserved_v4}, location="us-central2").reporting
    assert both[0] == everywhere
    assert "reserved v4" in both[1]
    assert cost({}).reporting == ()


def test_a_fleet_without_slices_costs_nothing() -> None:
    result = cost({})
    assert (result.modes, result.total.usd, result.total.at_least) == ((), NO_MONEY, False)


def test_the_cluster_fee_is_shown_and_not_in_a_sum() -> None:
    result = cost({})
    assert (list(result.clusters), result.cluster_fee.usd, result.total.usd) == (["train-east"], 0.1, NO_MONEY)


def test_autopilot_s_premium_is_a_line_of_its_own() -> None:
    group = {"tpu": "v5e", "topology": "2x2", "count": {"min": 1, "max": 3}}
    result = cost({"notebook": group}, mode="autopilot", location="us-west4")
    assert str(result.modes[0].usd) == "4.80 .. 14.40"
    assert result.premium is not None
    assert (str(result.premium.chips), str(result.premium.usd)) == ("4..12", "0.60 .. 1.80")
    assert (str(result.total.usd), result.total.at_least) == ("5.40 .. 16.20", False)


def test_an_unknown_premium_makes_the_total_a_lower_bound() -> None:
    result = cost({"notebook": {"tpu": "v6e", "topology": "2x2"}}, mode="autopilot")
    assert result.premium is not None
    assert result.premium.usd is None
    assert (str(result.total.usd), result.total.at_least) == ("10.80", True)
    assert result.unknown == ("the Autopilot premium for ct6e in us-east5 is unknown",)


def test_standard_clusters_pay_no_premium() -> None:
    group = {"tpu": "v5e", "topology": "2x2", "zone": "us-west4-a"}
    assert cost({"notebook": group}, location="us-west4").premium is None


def test_a_tpu_generation_from_an_overlay_is_priced_too(overlaid: Callable[..., Catalog]) -> None:
    price = {"family": "ct6e", "region": "us-east4", "model": "on_demand", "usd": 3.1, "source": ["contract"]}
    catalog = overlaid(
        sources={"contract": {"title": "Our contract"}},
        prices={"prices": [price | {"as_of": "2026-11-01", "confidence": "high"}]},
    )
    assert str(cost_of(fleet_of({"elsewhere": UNPRICED}), catalog).total.usd) == "49.60"


bounds = st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda pair: Range(min(pair), max(pair)))


@given(st.lists(st.tuples(st.decimals("0.0001", "99", places=4), bounds), max_size=6))
def test_sums_do_not_depend_on_order_and_are_exact(parts: list[tuple[Decimal, Range]]) -> None:
    def total(amounts: Iterable[Usd]) -> Usd:
        result = NO_MONEY
        for amount in amounts:
            result = result.plus(amount)
        return result

    amounts = [Usd.of(float(price), chips) for price, chips in parts]
    assert total(amounts) == total(reversed(amounts))
    assert total(amounts).minimum == sum(price * chips.minimum for price, chips in parts)
    assert total(amounts).maximum == sum(price * chips.maximum for price, chips in parts)
    assert total(amounts).minimum <= total(amounts).maximum


def test_a_price_of_low_confidence_is_shown_and_in_no_sum() -> None:
    doubtful = {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c", "capacity": "flex_start"}
    plain = doubtful | {"capacity": "on_demand"}
    result = cost({"a": doubtful, "b": plain}, location="us-central1")
    low, known = result.groups
    assert (low.price and low.price.confidence_in("usd"), str(low.usd)) == ("low", "0 .. 24.00")
    assert (str(result.total.usd), result.total.unknown, result.total.at_least) == (str(known.usd), (low.group,), True)
    assert result.unknown == ("the flex-start price of tpu7x in us-central1 has low confidence, so no sum includes it",)


def _contract(price: float | None, **changes: Any) -> OwnedReservations:
    entry = {"name": "v6e-pretrain", "project": "acme-ml", "zone": "us-east5-b", "vms": 128} | changes
    entry |= {"machine_type": "ct6e-standard-4t"} | ({} if price is None else {"usd_per_chip_hour": price})
    return OwnedReservations((OwnedReservation.model_validate(entry),))


def test_the_price_of_a_contract_replaces_the_on_demand_price_of_reserved_slices() -> None:
    fleet = fleet_of({"pretrain": PRETRAIN, "sweep": SWEEP})
    contract = cost_of(fleet, CATALOG, _contract(1.5))
    pretrain, sweep = contract.groups
    assert (pretrain.contract, pretrain.price, str(pretrain.usd)) == (1.5, None, "768.00")
    assert not pretrain.at_on_demand_price
    assert (sweep.contract, str(sweep.usd)) == (None, "0 .. 89.81")
    assert str(contract.total.usd) == "768.00 .. 857.81"


@pytest.mark.parametrize("owned", [_contract(None), _contract(1.5, name="other"), _contract(1.5, zone="us-east5-a")])
def test_without_the_price_of_a_contract_the_on_demand_price_stays(owned: OwnedReservations) -> None:
    fleet = fleet_of({"pretrain": PRETRAIN})
    assert str(cost_of(fleet, CATALOG, owned).total.usd) == str(cost_of(fleet, CATALOG).total.usd) == "1,382.40"
