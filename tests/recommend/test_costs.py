"""What plans and their alternatives cost: recomputed from the price file, and every alternative is a valid plan."""

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from pulumi_gke_tpu.catalog import read_catalog
from pulumi_gke_tpu.findings import Severity
from pulumi_gke_tpu.plan import Inventory, parse_plan
from pulumi_gke_tpu.recommend.alternatives import Alternative
from pulumi_gke_tpu.recommend.costs import Costs, costs_of, period_of
from pulumi_gke_tpu.rules import check_plan

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
PRICES = yaml.safe_load((Path(__file__).parents[2] / "catalog" / "prices.yaml").read_text(encoding="utf-8"))["prices"]
RANK = {"low": 0, "medium": 1, "high": 2}

PRETRAIN = {"tpu": "v6e", "topology": "16x16", "count": 2, "zone": "us-east5-b"}
RESERVED = PRETRAIN | {"capacity": {"reservation": "pool"}}


def costs(slices: dict[str, Any], inventory: Inventory | None = None, *, mode: str = "standard", **more: Any) -> Costs:
    zone = next(iter(slices.values())).get("zone", "us-east5-b")
    cluster = {"mode": mode, "location": zone.rsplit("-", 1)[0], "slices": slices}
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert not checked.has_errors, checked.findings
    return costs_of([checked], inventory, CATALOG, today=TODAY, **more)


def others(slices: dict[str, Any], key: str = "c/a", **more: Any) -> dict[str, Alternative]:
    return {item.name: item for item in costs(slices, **more).plans[0].alternatives[key]}


def price(family: str, region: str, model: str) -> Decimal | None:
    known = [
        (RANK[item.get("by_item", {}).get("usd", item["confidence"])], item["as_of"], index, item["usd"])
        for index, item in enumerate(PRICES)
        if (item["family"], item["region"], item["model"]) == (family, region, model) and item["usd"] is not None
    ]
    return Decimal(str(max(known)[3])) if known else None


def test_amounts_are_chips_times_the_price_in_the_file() -> None:
    found = others({"a": RESERVED})
    models = {
        "on-demand": "on_demand",
        "spot": "spot",
        "flex-start": "flex_start",
        "calendar mode": "calendar",
        "1-year commitment": "cud_1y",
        "3-year commitment": "cud_3y",
    }
    assert {name: item.usd for name, item in found.items()} == {
        name: None if (each := price("ct6e", "us-east5", model)) is None else each * 512
        for name, model in models.items()
    }


def test_a_period_multiplies_every_amount_by_its_hours() -> None:
    period = period_of("10d", datetime.timedelta(days=10))
    result = costs({"a": PRETRAIN}, period=period)
    assert [(each.name, each.hours) for each in result.periods] == [
        ("hour", 1),
        ("day", 24),
        ("month", 730),
        ("10d", 240),
    ]
    assert result.total is not None
    assert period.cost(result.total).maximum == Decimal("2.70") * 512 * 240


@pytest.mark.parametrize(
    "slices",
    [
        {"a": RESERVED},
        {"a": PRETRAIN | {"capacity": "spot"}},
        {"a": {"tpu": "v5e", "topology": "2x4", "chips_per_host": 8, "zone": "us-west4-a", "capacity": "flex_start"}},
        {"a": {"tpu": "v5p", "topology": "4x4x4", "zone": "us-east5-a"}},
        {"a": {"tpu": "tpu7x", "topology": "4x4x4", "zone": "us-central1-c"}},
        {"a": {"tpu": "v3", "topology": "2x2", "zone": "us-central1-a"}},
    ],
)
@pytest.mark.parametrize("mode", ["standard", "autopilot"])
def test_every_alternative_is_a_valid_plan_with_the_same_slices(slices: dict[str, Any], mode: str) -> None:
    if mode == "autopilot" and slices["a"]["tpu"] == "v3":
        pytest.skip("Autopilot has no v3")
    result = costs(slices, mode=mode)
    ((_, group),) = result.plans[0].fleet.groups()
    found = [item for item in result.plans[0].alternatives["c/a"] if item.candidate is not None]
    assert found
    for item in found:
        assert item.candidate is not None
        written = item.candidate.group()
        cluster = {"mode": mode, "location": written["zone"].rsplit("-", 1)[0], "slices": {"a": written}}
        plan = {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}
        checked = check_plan(parse_plan(plan), CATALOG, TODAY)
        assert [each for each in checked.findings if each.severity is Severity.ERROR] == []
        assert checked.fleet is not None
        ((_, other),) = checked.fleet.groups()
        assert (other.shape, other.chips.maximum) == (group.shape, group.chips.maximum)


def test_the_cheapest_documented_zone_is_named_only_if_it_is_cheaper() -> None:
    spot = PRETRAIN | {"capacity": "spot"}
    zones = [item for item in others({"a": spot}).values() if item.kind == "zone"]
    ((zone),) = zones
    documented = CATALOG.zones.families["ct6e"].documented.zones
    known = {name: price("ct6e", name.rsplit("-", 1)[0], "spot") for name in documented}
    best = min(each for each in known.values() if each is not None)
    assert known[zone.name] == best
    assert zone.usd == best * 512
    assert [item for item in others({"a": spot | {"zone": zone.name}}).values() if item.kind == "zone"] == []


@pytest.mark.parametrize(
    ("capacity", "name", "gives_up"),
    [
        ("on_demand", "spot", "preempt"),
        ("on_demand", "flex-start", "at most 7 d"),
        ({"reservation": "pool"}, "on-demand", "does not use the reservation"),
        ("on_demand", "1-year commitment", "whole term"),
        ("on_demand", "calendar mode", "at most 90 days"),
    ],
)
def test_each_alternative_states_what_it_gives_up(capacity: Any, name: str, gives_up: str) -> None:
    assert gives_up in "; ".join(others({"a": PRETRAIN | {"capacity": capacity}})[name].gives_up)


def test_a_price_of_low_confidence_is_marked() -> None:
    assert others({"a": PRETRAIN})["3-year commitment"].confidence == "low"


def test_interruptible_capacity_has_no_commitments_and_an_empty_group_no_alternatives() -> None:
    assert {item.kind for item in others({"a": PRETRAIN | {"capacity": "spot"}}).values()} == {"capacity", "zone"}
    assert others({"a": PRETRAIN | {"count": 0}}) == {}


def test_a_contract_in_the_inventory_replaces_the_price_of_the_reservation() -> None:
    entry = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 128}
    inventory = Inventory.model_validate(
        {"version": 1, "as_of": "2026-11-20", "reservations": [entry | {"usd_per_chip_hour": 1.25}]}
    )
    result = costs({"a": RESERVED}, inventory)
    assert result.total is not None
    assert result.total.maximum == Decimal("1.25") * 512
    assert result.plans[0].cost.groups[0].contract == 1.25
