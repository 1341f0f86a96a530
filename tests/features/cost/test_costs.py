"""What plans, runs and alternatives cost: recomputed from the price file, and every alternative is a valid plan."""

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate import NO_MONEY
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend.alternatives import Alternative
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, costs_of, period_of

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
FACTS = yaml.safe_load((Path(__file__).parents[3] / "catalog" / "prices.yaml").read_text(encoding="utf-8"))
RANK = {"low": 0, "medium": 1, "high": 2}

PRETRAIN = {"tpu": "v6e", "topology": "16x16", "count": 2, "zone": "us-east5-b"}
RESERVED = PRETRAIN | {"capacity": {"reservation": "pool"}}
SMALL = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}


def costs(
    slices: dict[str, Any],
    inventory: Document[Inventory] | None = None,
    *,
    mode: str = "standard",
    runs: dict[str, Any] | None = None,
    region: str = "",
    **more: Any,
) -> Costs:
    zone = next(iter(slices.values())).get("zone", "us-east5-b")
    cluster = {"mode": mode, "location": region or zone.rsplit("-", 1)[0], "slices": slices}
    cluster |= {"runs": runs} if runs else {}
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert not checked.has_errors, checked.findings
    return costs_of([checked], inventory, CATALOG, today=TODAY, **more)


def others(slices: dict[str, Any], inventory: Any = None, key: str = "c/a", **more: Any) -> dict[str, Alternative]:
    return {item.name: item for item in costs(slices, inventory, **more).plans[0].alternatives[key]}


def owned(*reservations: dict[str, Any], quotas: tuple[dict[str, Any], ...] = ()) -> Document[Inventory]:
    entry = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 128}
    content = {"version": 1, "as_of": "2026-11-20", "reservations": [entry | each for each in reservations]}
    return Document(Inventory.model_validate(content | {"quotas": list(quotas)}))


def price(family: str, region: str, model: str) -> tuple[Decimal, int] | None:
    """The price in the file and its confidence: the surest, of these the newest, of these the last."""
    known = [
        (RANK[item.get("by_item", {}).get("usd", item["confidence"])], _day(item["as_of"]), index, item["usd"])
        for index, item in enumerate(FACTS["prices"])
        if (item["family"], item["region"], item["model"]) == (family, region, model) and item["usd"] is not None
    ]
    return (Decimal(str(max(known)[3])), max(known)[0]) if known else None


def _day(as_of: str) -> str:
    return "" if as_of == "unverified" else as_of


def premium(family: str, region: str) -> Decimal | None:
    found = [item["usd"] for item in FACTS["autopilot_premium"] if (item["family"], item["region"]) == (family, region)]
    return Decimal(str(found[0])) if found else None


MODELS = {
    "on-demand": "on_demand",
    "spot": "spot",
    "flex-start": "flex_start",
    "calendar mode": "calendar",
    "1-year commitment": "cud_1y",
    "3-year commitment": "cud_3y",
}
ZONES = {
    "us-east5-b": ("v6e", "4x4", "ct6e", 16),
    "us-east5-a": ("v5p", "2x2x2", "ct5p", 8),
    "us-west4-b": ("v5e", "4x4", "ct5lp", 16),
    "europe-west4-a": ("v6e", "4x4", "ct6e", 16),
    "us-central1-c": ("tpu7x", "2x2x2", "tpu7x", 8),
    "us-central2-b": ("v4", "2x2x2", "ct4p", 8),
    "us-central1-a": ("v5e", "4x4", "ct5lp", 16),
}
CAPACITIES = {
    "on_demand": "on_demand",
    "spot": "spot",
    "flex_start": "flex_start",
    "queued": "on_demand",
    "reservation": "on_demand",
}


@each(
    "zone, mode, capacity, model, least, most",
    [
        (zone, mode, *capacity, *counts)
        for zone in ZONES
        for mode in ("standard", "autopilot")
        for capacity in CAPACITIES.items()
        for counts in ((2, 2), (1, 3), (0, 2))
    ],
)
def test_every_amount_is_chips_times_hours_times_the_price_in_the_file(
    zone: str, mode: str, capacity: str, model: str, least: int, most: int
) -> None:
    """Groups, alternatives, periods, the premium, commitments and sums, by code of the test and the file alone."""
    tpu, topology, family, chips = ZONES[zone]
    group: dict[str, Any] = {"tpu": tpu, "topology": topology, "zone": zone, "count": {"min": least, "max": most}}
    group |= {"capacity": {"reservation": "pool"} if capacity == "reservation" else capacity}
    if capacity in {"flex_start", "queued"} and least:
        least = 0
        group["count"] = {"min": 0, "max": most}
    cluster = {"mode": mode, "location": zone.rsplit("-", 1)[0], "slices": {"a": group}}
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    if checked.has_errors:
        pytest.skip("a rule rejects the plan")
    period = period_of("36h", datetime.timedelta(hours=36))
    result = costs_of([checked], None, CATALOG, today=TODAY, period=period)
    (plan,) = result.plans
    (line,) = plan.cost.groups
    region = zone.rsplit("-", 1)[0]
    known, more = price(family, region, model), premium(family, region) if mode == "autopilot" else None
    base = None if known is None else known[0]
    in_sum = base if known is not None and known[1] else None
    rates = [each for each in (base, more) if each is not None]
    sums = [each for each in (in_sum, more) if each is not None]
    for shown, expected in ((line.whole_usd, rates), (plan.cost.total.usd, sums), (result.total, sums)):
        assert (shown is not None) == bool(expected)
        for period, hours in zip(result.periods, (1, 24, 730, 36), strict=True):
            if shown is not None:
                bounds = period.cost(shown)
                rate = sum(expected, Decimal(0))
                assert (bounds.minimum, bounds.maximum) == (rate * chips * least * hours, rate * chips * most * hours)
    assert plan.cost.total.at_least is (bool(sums) and (len(sums) < 1 + (mode == "autopilot")))
    for item in plan.alternatives["c/a"]:
        if item.kind == "zone":
            place = item.name.rsplit("-", 1)[0]
            theirs, extra = price(family, place, model), premium(family, place) if mode == "autopilot" else None
        else:
            theirs, extra = price(family, region, MODELS[item.name]), more
        assert (item.usd is None) == (theirs is None)
        if theirs is not None and item.usd is not None:
            rate = theirs[0] + (extra or 0)
            assert (item.usd.minimum, item.usd.maximum) == (rate * chips * least, rate * chips * most)
            assert item.confidence == {0: "low", 1: "medium", 2: "high"}[theirs[1]]


def test_the_cases_of_the_recomputation_have_prices_premiums_and_commitments() -> None:
    found = [others({"a": {"tpu": tpu, "topology": shape, "zone": zone}}) for zone, (tpu, shape, *_) in ZONES.items()]
    assert {name for each in found for name, item in each.items() if item.usd is not None} >= set(MODELS) - {
        "on-demand"
    }
    assert any(premium(family, zone.rsplit("-", 1)[0]) for zone, (_, _, family, _) in ZONES.items())


def test_a_contract_replaces_the_price_of_the_reservation_and_not_those_of_alternatives() -> None:
    inventory = owned({"usd_per_chip_hour": 1.25})
    result = costs({"a": RESERVED}, inventory)
    assert result.total is not None
    assert result.total.maximum == Decimal("1.25") * 512
    assert result.plans[0].cost.groups[0].contract == 1.25
    found = others({"a": RESERVED}, inventory)
    assert found["on-demand"].usd == others({"a": PRETRAIN | {"capacity": "spot"}})["on-demand"].usd
    assert found["1-year commitment"].usd is not None
    assert found["1-year commitment"].usd.maximum == Decimal("1.89") * 512


@pytest.mark.parametrize("mode", ["standard", "autopilot"])
@pytest.mark.parametrize(
    "group",
    [
        RESERVED,
        PRETRAIN | {"capacity": "spot"},
        SMALL | {"capacity": "queued"},
        SMALL | {"capacity": {"flex_start": {"queued": True}}},
        SMALL | {"capacity": {"flex_start": {"max_run_duration": "2d"}}, "max": 3},
        {"tpu": "v6e", "topology": "2x4", "chips_per_host": 8, "zone": "us-east5-b", "fallback": ["spot"], "count": 2},
        {"tpu": "v5e", "topology": "2x4", "chips_per_host": 8, "zone": "us-west4-a", "capacity": "flex_start"},
        {"tpu": "v5p", "topology": "4x4x4", "zone": "us-east5-a", "count": {"min": 1, "max": 4}},
        {"tpu": "tpu7x", "topology": "4x4x4", "zone": "us-central1-c"},
        {"tpu": "v3", "topology": "2x2", "zone": "us-central1-a"},
        SMALL | {"collection": {"name": "serve"}},
        SMALL | {"indices": [0, 2], "name": "mine", "boot_disk": {"type": "hyperdisk-balanced"}},
        {"tpu": "v6e", "topology": "4x4", "zone": "us-east4-a"},
    ],
    ids=lambda group: " ".join(map(str, group.values())),
)
def test_every_alternative_is_a_valid_plan_with_the_same_slices(group: dict[str, Any], mode: str) -> None:
    cluster = {"mode": mode, "location": group["zone"].rsplit("-", 1)[0], "slices": {"a": group}}
    plan: dict[str, Any] = {"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}
    before = check_plan(parse_plan(plan), CATALOG, TODAY)
    if before.has_errors:
        pytest.skip("a rule rejects the group itself")
    assert before.fleet is not None
    ((_, mine),) = before.fleet.groups()
    inventory = owned({}, {"name": "other", "vms": 256})
    found = [item for item in others({"a": group}, inventory, mode=mode).values() if item.group is not None]
    assert found
    for item in found:
        assert item.group is not None
        place = (item.name if item.kind == "zone" else group["zone"]).rsplit("-", 1)[0]
        there = {"mode": mode, "location": place, "slices": {"a": item.group}}
        checked = check_plan(parse_plan(plan | {"clusters": {"c": there}}), CATALOG, TODAY)
        together = validate_inventory([checked], inventory, CATALOG, today=TODAY)
        assert [each for each in (*checked.findings, *together) if each.severity is Severity.ERROR] == []
        known = {each.rule for each in before.findings}
        for finding in checked.findings:
            if finding.severity is Severity.WARNING and "slices" in finding.path and finding.rule not in known:
                assert any(f"({finding.rule})" in text for text in item.gives_up), finding.message
        assert checked.fleet is not None
        ((_, other),) = checked.fleet.groups()
        assert (other.shape, other.chips.maximum) == (mine.shape, mine.chips.maximum)
        assert (
            other.slices == mine.slices
            or "flex_start" in {*other.capacity_modes, *mine.capacity_modes}
            or not (mine.slices.minimum)
        )


def test_settings_of_a_group_decide_which_alternatives_the_rules_allow() -> None:
    """A minimum version of the cluster and settings of the nodes are part of what is checked."""
    old = {"mode": "standard", "location": "us-east5", "min_version": "1.30", "slices": {"a": SMALL}}
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": old}}), CATALOG, TODAY)
    (plan,) = costs_of([checked], None, CATALOG, today=TODAY).plans
    assert "flex-start" not in {item.name for item in plan.alternatives["c/a"]}
    assert "flex-start" in others({"a": SMALL})


def test_a_quota_of_the_inventory_that_is_too_small_rules_an_alternative_out() -> None:
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": 8}
    assert "spot" in others({"a": SMALL}, owned({}))
    assert "spot" not in others({"a": SMALL}, owned({}, quotas=(quota,)))


@pytest.mark.parametrize(
    ("entry", "offered"),
    [
        ({"vms": 4}, True),
        ({"vms": 3}, False),
        ({"vms": 5, "in_use": 2}, False),
        ({"zone": "us-east5-a"}, False),
        ({"machine_type": "ct6e-standard-8t"}, False),
        ({"from": "2026-12-01"}, False),
        ({"until": "2026-11-20"}, False),
    ],
)
def test_a_reservation_with_room_is_an_alternative_at_its_price(entry: dict[str, Any], offered: bool) -> None:
    found = others({"a": SMALL}, owned(entry | {"usd_per_chip_hour": 0.5}))
    assert ("reservation pool" in found) is offered
    if offered:
        assert found["reservation pool"].usd is not None
        assert found["reservation pool"].usd.maximum == 8


def test_of_several_reservations_the_cheapest_and_then_the_one_that_lasts_longest_is_an_alternative() -> None:
    inventory = owned(
        {"name": "a", "usd_per_chip_hour": 2.0},
        {"name": "b", "usd_per_chip_hour": 1.0, "until": "2027-01-01"},
        {"name": "c", "usd_per_chip_hour": 1.0},
        {"name": "d"},
    )
    assert [name for name in others({"a": SMALL}, inventory) if "reservation" in name] == ["reservation c"]


@pytest.mark.parametrize(
    "cheap",
    [{"vms": 3}, {"zone": "us-east5-a"}, {"machine_type": "ct6e-standard-8t"}, {"until": "2026-11-20"}],
    ids=str,
)
def test_a_reservation_that_does_not_suit_does_not_hide_a_more_expensive_one(cheap: dict[str, Any]) -> None:
    inventory = owned({"usd_per_chip_hour": 0.5} | cheap, {"name": "next", "usd_per_chip_hour": 1.5})
    assert "reservation next" in others({"a": SMALL}, inventory)


@pytest.mark.parametrize(
    ("project", "capacity"),
    [("acme-ml", {"name": "pool"}), ("acme-shared", {"name": "pool", "project": "acme-shared"})],
)
def test_a_reservation_names_its_project_only_if_it_is_another_one(project: str, capacity: dict[str, str]) -> None:
    found = others({"a": SMALL}, owned({"project": project, "shared_with": ["acme-ml"]}))["reservation pool"]
    assert found.group is not None
    assert found.group["capacity"] == {"reservation": capacity}


@pytest.mark.parametrize(
    ("of_group", "project", "offered"),
    [
        ({"name": "mine"}, "acme-ml", {"reservation pool"}),
        ({"name": "pool"}, "acme-ml", set()),
        ({"name": "pool", "project": "acme-ml"}, "acme-ml", set()),
        ({"name": "pool", "project": "acme-shared"}, "acme-ml", {"reservation pool"}),
    ],
)
def test_a_group_has_no_alternative_on_its_own_reservation(
    of_group: dict[str, str], project: str, offered: set[str]
) -> None:
    group = SMALL | {"capacity": {"reservation": of_group}}
    found = others({"a": group}, owned({"project": project}))
    assert {name for name in found if name.startswith("reservation")} == offered


def test_a_reservation_states_its_last_day() -> None:
    ends = others({"a": SMALL}, owned({"until": "2027-01-31"}))["reservation pool"]
    assert (ends.until, ends.gives_up) == (datetime.date(2027, 1, 31), ("the reservation ends on 2027-01-31",))
    stays = others({"a": SMALL}, owned({}))["reservation pool"]
    assert (stays.until, stays.gives_up) == (None, ())


@pytest.mark.parametrize("limit", [15, 16])
def test_a_zone_is_an_alternative_only_if_its_quota_is_large_enough(limit: int) -> None:
    group = SMALL | {"capacity": "spot"}
    ((cheapest),) = [item for item in others({"a": group}).values() if item.kind == "zone"]
    region = cheapest.name.rsplit("-", 1)[0]
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": region, "limit": limit}
    names = [item.name for item in others({"a": group}, owned({}, quotas=(quota,))).values() if item.kind == "zone"]
    assert (cheapest.name in names) is (limit == 16)


def test_the_room_of_a_reservation_is_what_all_plans_leave() -> None:
    both = {"a": SMALL, "b": SMALL | {"capacity": {"reservation": "pool"}}}
    assert "reservation pool" in others(both, owned({"vms": 8}))
    assert "reservation pool" not in others(both, owned({"vms": 7}))


@pytest.mark.parametrize("capacity", ["on_demand", "spot", "flex_start"])
@pytest.mark.parametrize("zone", ["us-east5-b", "us-east4-a", "us-central1-b"])
def test_the_zone_is_the_cheapest_of_all_that_gke_lists(capacity: str, zone: str) -> None:
    group = SMALL | {"capacity": capacity, "zone": zone}
    own = price("ct6e", zone.rsplit("-", 1)[0], capacity)
    known = {
        name: found[0]
        for name in CATALOG.zones.families["ct6e"].documented.zones
        if name != zone and (found := price("ct6e", name.rsplit("-", 1)[0], capacity)) is not None and found[1]
    }
    best = min(known.values())
    zones = [item for item in others({"a": group}).values() if item.kind == "zone"]
    if own is not None and own[0] <= best:
        assert zones == []
    else:
        ((item),) = zones
        assert known[item.name] == best
        assert item.usd is not None
        assert item.usd.maximum == best * 16


def test_a_zone_is_compared_without_the_premium_where_that_of_the_group_is_unknown() -> None:
    """The premium of v5e is known only in us-west4, where the price itself is higher."""
    group = {"tpu": "v5e", "topology": "2x2", "capacity": "spot"}
    (item,) = [
        each for each in others({"a": group}, mode="autopilot", region="europe-west4").values() if each.kind == "zone"
    ]
    base = price("ct5lp", item.name.rsplit("-", 1)[0], "spot")
    assert (premium("ct5lp", "europe-west4"), item.rate.incomplete) == (None, True)
    assert item.usd is not None
    assert base is not None
    assert item.usd.maximum == base[0] * 4 < price("ct5lp", "europe-west4", "spot")[0] * 4  # type: ignore[index]


def test_a_zone_with_an_unknown_premium_is_left_out_if_the_whole_cost_of_the_group_is_known() -> None:
    group = {"tpu": "v5e", "topology": "2x2", "capacity": "spot"}
    found = others({"a": group}, mode="autopilot", region="us-west4")
    assert [item for item in found.values() if item.kind == "zone"] == []


def test_a_cluster_in_another_region_has_the_networks_that_the_group_uses() -> None:
    cluster = {
        "mode": "standard",
        "location": "us-east5",
        "additional_networks": {"data": {"subnet": "10.64.0.0/20"}},
        "slices": {"a": SMALL | {"capacity": "spot", "additional_networks": ["data"]}},
    }
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert not checked.has_errors, checked.findings
    (plan,) = costs_of([checked], None, CATALOG, today=TODAY).plans
    assert [item.name for item in plan.alternatives["c/a"] if item.kind == "zone"] == ["us-central1-b"]


@pytest.mark.parametrize(
    ("group", "name", "gives_up"),
    [
        (PRETRAIN, "spot", "preempt"),
        (PRETRAIN, "flex-start", "at most 7 d"),
        (RESERVED, "on-demand", "leave their reservation"),
        (PRETRAIN, "1-year commitment", "whole term"),
        (PRETRAIN, "calendar mode", "at most 90 days"),
        (SMALL | {"fallback": ["spot"]}, "spot", "no other capacity mode"),
        (SMALL | {"capacity": "spot"}, "us-central1-b", "a cluster in that region"),
    ],
)
def test_each_alternative_states_what_it_gives_up(group: dict[str, Any], name: str, gives_up: str) -> None:
    assert gives_up in "; ".join(others({"a": group})[name].gives_up)


def test_a_price_of_low_confidence_is_marked() -> None:
    assert others({"a": PRETRAIN})["3-year commitment"].confidence == "low"


def test_interruptible_capacity_has_no_commitments_and_an_empty_group_no_alternatives() -> None:
    assert {item.kind for item in others({"a": PRETRAIN | {"capacity": "spot"}}).values()} == {"capacity", "zone"}
    assert others({"a": PRETRAIN | {"count": 0}}) == {}


def run(start: str, duration: str, count: int = 1) -> dict[str, Any]:
    return {"slices": "a", "start": start, "duration": duration, "count": count}


def test_a_run_costs_its_slices_for_its_length_and_nothing_more_in_the_total() -> None:
    two = SMALL | {"count": 2}
    result = costs({"a": two}, runs={"llama": run("2026-12-01T08:00:00Z", "10d")})
    ((llama,), total) = result.plans[0].runs.runs, result.plans[0].runs.total
    assert (llama.run, llama.slices, llama.usd) == ("c/llama", 1, Decimal("2.7") * 16 * 240)
    assert total == llama.usd == result.runs_total
    assert result.total == costs({"a": two}).total


@pytest.mark.parametrize("count", [{"count": 4}, {"max": 4}])
def test_a_run_without_a_count_uses_all_slices_of_its_group(count: dict[str, int]) -> None:
    four = {key: value for key, value in SMALL.items() if key != "count"} | count
    planned = {key: value for key, value in run("2026-12-01T08:00:00Z", "10d").items() if key != "count"}
    ((llama,), total) = (costs({"a": four}, runs={"llama": planned}).plans[0].runs.runs, Decimal("2.7") * 64 * 240)
    assert (llama.slices, llama.usd) == (4, total)


@pytest.mark.parametrize(
    ("group", "known", "at_least", "contract"),
    [
        (SMALL | {"zone": "us-east4-a"}, None, True, None),
        (SMALL | {"capacity": {"reservation": "pool"}}, "0.5", False, 0.5),
        ({"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c", "capacity": "flex_start"}, "6.0", True, None),
    ],
    ids=["unknown", "contract", "low confidence"],
)
def test_the_price_of_a_run_is_that_of_its_group(
    group: dict[str, Any], known: str | None, at_least: bool, contract: float | None
) -> None:
    result = costs({"a": group}, owned({"usd_per_chip_hour": 0.5}), runs={"x": run("2026-12-01T08:00:00Z", "1d")})
    ((found,), costed) = result.plans[0].runs.runs, result.plans[0].runs
    chips = 4 if group["tpu"] == "tpu7x" else 16
    assert found.usd == (None if known is None else Decimal(known) * chips * 24)
    assert (costed.at_least, found.rate.contract) == (at_least, contract)
    assert costed.total == (found.usd if contract else None)


@pytest.mark.parametrize(
    ("duration", "too_short"),
    [
        ("7d", {}),
        ("10d", {"flex-start": "at most 7 d"}),
        ("90d", {"flex-start": "at most 7 d", "reservation short": "ends on 2026-12-15"}),
        (
            "91d",
            {"flex-start": "at most 7 d", "reservation short": "ends on 2026-12-15", "calendar mode": "at most 90 d"},
        ),
    ],
)
def test_an_alternative_that_ends_before_the_run_shows_its_limit(duration: str, too_short: dict[str, str]) -> None:
    inventory = owned({"name": "short", "until": "2026-12-15"})
    result = costs({"a": SMALL}, inventory, runs={"x": run("2026-12-01T08:00:00Z", duration)})
    ((found,),) = (result.plans[0].runs.runs,)
    assert {each.alternative.name: each.too_short for each in found.alternatives if each.too_short} == too_short
    assert all((each.usd is None) == bool(each.too_short) for each in found.alternatives)
    names = {each.alternative.name for each in found.alternatives}
    assert {"spot", "flex-start", "calendar mode", "reservation short"} <= names
    assert not {"1-year commitment", "3-year commitment"} & names


@pytest.mark.parametrize(("start", "fits"), [("2026-12-14T00:00:00Z", True), ("2026-12-14T00:00:01Z", False)])
def test_a_reservation_ends_when_its_last_day_begins(start: str, fits: bool) -> None:
    """As the rule about runs reads it: at which time of the day a reservation ends is unknown."""
    result = costs({"a": SMALL}, owned({"until": "2026-12-15"}), runs={"x": run(start, "1d")})
    (found,) = [each for each in result.plans[0].runs.runs[0].alternatives if "pool" in each.alternative.name]
    assert found.too_short == ("" if fits else "ends on 2026-12-15")


def test_calendar_mode_costs_at_least_a_day() -> None:
    result = costs({"a": SMALL}, runs={"x": run("2026-12-01T08:00:00Z", "6h")})
    ((found,),) = (result.plans[0].runs.runs,)
    by_name = {each.alternative.name: each.usd for each in found.alternatives}
    assert by_name["calendar mode"] == Decimal("1.89") * 16 * 24
    assert by_name["flex-start"] == Decimal("1.35") * 16 * 6


def test_nodes_that_end_before_the_run_are_named() -> None:
    result = costs({"a": SMALL | {"capacity": "flex_start"}}, runs={"x": run("2026-12-01T08:00:00Z", "10d")})
    ((found,),) = (result.plans[0].runs.runs,)
    assert found.ends_after == datetime.timedelta(days=7)


@pytest.mark.parametrize("duration", ["3d", "7d"])
def test_nodes_that_last_as_long_as_the_run_are_not_named(duration: str) -> None:
    group = SMALL | {"capacity": "flex_start"}
    result = costs({"a": group}, runs={"x": run("2026-12-01T08:00:00Z", duration)})
    assert [found.ends_after for found in result.plans[0].runs.runs] == [None]


@pytest.mark.parametrize(
    "wrong", [run("soon", "1d"), run("2026-12-01T08:00:00Z", "1d") | {"slices": "b"}], ids=["time", "slice group"]
)
def test_a_run_that_a_rule_rejects_has_no_cost_and_hides_no_other_one(wrong: dict[str, Any]) -> None:
    right = run("2026-12-01T08:00:00Z", "1d")
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"a": SMALL}, "runs": {"x": wrong, "y": right}}
    checked = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert checked.has_errors
    (plan,) = costs_of([checked], None, CATALOG, today=TODAY).plans
    assert [each.run for each in plan.runs.runs] == ["c/y"]


RUNS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 60), st.integers(1, 4)), min_size=1, max_size=5)


@given(RUNS, st.integers(0, 3))
def test_runs_that_share_slices_are_counted_once(found: list[tuple[int, int, int]], slices: int) -> None:
    """Recomputed hour by hour: at most the slices of the group, at most the sum of the runs."""
    day = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
    planned = {
        f"r{index}": run(f"{day + datetime.timedelta(hours=start):%Y-%m-%dT%H:%M:%SZ}", f"{hours}h", count)
        for index, (start, hours, count) in enumerate(found)
    }
    result = costs({"a": SMALL | {"count": slices}}, runs=planned).plans[0].runs
    used = [
        min(slices, sum(min(count, slices) for start, hours, count in found if start <= hour < start + hours))
        for hour in range(100)
    ]
    assert result.total == sum(used) * 16 * Decimal("2.7")
    assert result.total <= sum((each.usd or Decimal(0) for each in result.runs), Decimal(0))


def test_a_plan_without_slices_costs_nothing() -> None:
    assert costs({"a": SMALL | {"count": 0}}).total == NO_MONEY
