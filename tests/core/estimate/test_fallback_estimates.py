"""Cost, quota and reservations of a group that a ComputeClass serves: the maximum over its modes, never their sum."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_edits import preview

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import cost_of, quota_needs
from pulumi_gke_tpu.core.estimate.reservations import OwnedReservations
from pulumi_gke_tpu.core.fleet import Fleet, derive
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation

CATALOG = read_catalog()
MODES = ("on_demand", "spot", "flex_start")


def fleet_of(mode: str = "standard", **keys: Any) -> Fleet:
    group = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "count": 2, **keys}
    cluster = {"mode": mode, "location": "us-east5", "slices": {"g": group}}
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"train": cluster}})
    assert document.content is not None
    return derive(document.content, CATALOG)


def most(fleet: Fleet) -> float:
    usd = cost_of(fleet, CATALOG).total.usd
    return float(usd.maximum) if usd is not None else 0.0


@given(modes=st.permutations(MODES), size=st.integers(1, 3))
def test_the_cost_is_that_of_the_most_expensive_mode_in_any_order(modes: list[str], size: int) -> None:
    first, *rest = modes[:size]
    alone = [most(fleet_of(capacity=mode, max=2, count=None)) for mode in modes[:size]]
    assert most(fleet_of(capacity=first, fallback=rest)) == max(alone)


@given(modes=st.permutations(MODES))
def test_each_quota_counts_the_group_once(modes: list[str]) -> None:
    first, *rest = modes
    needs = quota_needs(fleet_of(capacity=first, fallback=rest), CATALOG)
    metrics = [need.metric.metric for need in needs if need.metric is not None]
    assert len(metrics) == len(set(metrics)) == 2
    assert [need.groups for need in needs] == [("train/g",)] * 2
    assert {need.chips.maximum for need in needs} == {32}
    assert {need.chips.minimum for need in needs} == {0}


def test_only_the_modes_after_a_reservation_need_quota() -> None:
    (need,) = quota_needs(fleet_of(capacity={"reservation": "r"}, fallback=["on_demand"]), CATALOG)
    assert need.chips.maximum == 32


def test_the_amount_names_the_mode_whose_price_it_uses() -> None:
    (cost,) = cost_of(fleet_of(capacity="spot", fallback=["on_demand"]), CATALOG).groups
    assert (cost.mode, cost.modes) == ("on_demand", ("spot", "on_demand"))


@pytest.mark.parametrize(("contract", "mode"), [(None, "reservation"), (0.1, "spot"), (5, "reservation")])
def test_the_price_of_a_contract_counts_among_the_modes(contract: float | None, mode: str) -> None:
    """Without it the on-demand price stands for that of the reservation, and is the highest."""
    entry = {"name": "r", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 8}
    owned = OwnedReservations((OwnedReservation.model_validate(entry | {"usd_per_chip_hour": contract}),))
    fleet = fleet_of(capacity={"reservation": "r"}, fallback=["spot"])
    (cost,) = cost_of(fleet, CATALOG, owned).groups
    assert (cost.mode, cost.at_on_demand_price, cost.unknown) == (mode, contract is None, "")


def test_an_unknown_price_of_one_mode_makes_the_amount_a_minimum() -> None:
    keys = {"tpu": "v5e", "zone": "us-east5-a", "capacity": "on_demand"}
    known, unknown = (cost_of(fleet_of(**keys, fallback=[mode]), CATALOG) for mode in ("spot", "flex_start"))
    assert (known.total.at_least, unknown.total.at_least) == (False, True)
    assert known.total.usd == unknown.total.usd
    assert unknown.unknown == ("no flex-start price of ct5lp in us-east5 is known",)


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_slices_of_such_a_group_begin_at_none(mode: str) -> None:
    ((_, group),) = fleet_of(mode, fallback=["spot"]).groups()
    assert (str(group.slices), group.pools, group.autoscaled) == ("0..2", (), True)
    assert group.node_selector == {"cloud.google.com/compute-class": "tpu-g"}


@given(count=st.integers(1, 4), mode=st.sampled_from(MODES))
def test_a_group_without_fallback_is_as_before(count: int, mode: str) -> None:
    keys = {"count": count} if mode != "flex_start" else {"max": count, "count": None}
    ((_, without),) = fleet_of(capacity=mode, **keys).groups()
    ((_, empty),) = fleet_of(capacity=mode, fallback=[], **keys).groups()
    assert without.compute_class is None
    assert len(without.pools) == count
    assert {name: getattr(without, name) for name in ("pools", "slices", "node_selector", "policy_name")} == {
        name: getattr(empty, name) for name in ("pools", "slices", "node_selector", "policy_name")
    }


@pytest.mark.parametrize(("keys", "expected"), [("fallback: [spot]", True), ("count: {max: 2}", False)])
def test_slices_that_fall_back_from_a_reservation_wait_for_capacity(keys: str, expected: bool) -> None:
    notes = preview(f"tpu: v6e\ntopology: 4x4\ncapacity: {{reservation: r}}\n{keys}\n").notes
    assert any("10 hours" in note for note in map(str, notes)) is expected
    assert any("a ComputeClass serves the group" in note for note in map(str, notes)) is expected
