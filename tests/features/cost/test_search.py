"""The search for slices: equal to a search by brute force, and true for any need."""

import dataclasses
import datetime
import functools
import itertools
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from support.sampling import sample

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.catalog.topologies import selectable_rows
from pulumi_gke_tpu.core.estimate import shown_usd
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.text.findings import Severity
from pulumi_gke_tpu.features.capacity.rules.inventory.together import validate_inventory
from pulumi_gke_tpu.features.cost.recommend import search as checked_module
from pulumi_gke_tpu.features.cost.recommend.candidates import Budget, Need, zones_of
from pulumi_gke_tpu.features.cost.recommend.search import (
    SIMILAR_COST,
    Recommendation,
    Row,
    compared_cost,
    cost_of_run,
    emitted_plan,
    recommend,
    run_cost,
)
from pulumi_gke_tpu.features.cost.recommend.why_not import left_out, reasons, shown, why_not

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
FACTS = Path(__file__).parents[3] / "catalog"
MODES = ("on_demand", "spot", "flex_start")


def reasons_of(result: Recommendation) -> dict[str, str]:
    """The generations that are left out, with their reasons."""
    return {item.generation: item.reason for item in left_out(result, CATALOG)}


def found(**need: Any) -> Recommendation:
    return recommend(Need(**need), CATALOG, today=TODAY)


def group_of(row: Row) -> dict[str, Any]:
    return row.option.candidate.group


def checked(group: dict[str, Any], mode: str = "standard", version: str | None = None) -> list[tuple[str, str]]:
    """The findings about a slice group in a cluster of its own."""
    cluster = {"mode": mode, "location": group["zone"].rsplit("-", 1)[0], "slices": {"slices": group}}
    cluster |= {"min_version": version} if version else {}
    plan = {
        "version": 1,
        "project": "acme-ml",
        "clusters": {"c": cluster},
    }
    findings = check_plan(parse_plan(plan), CATALOG, TODAY).findings
    assert not [item for item in findings if item.severity is Severity.ERROR]
    names = {"`c/slices`": "the slices", "`c`": "the cluster"}
    return [
        (item.rule, re.sub("|".join(names), lambda found: names[found[0]], item.message))
        for item in findings
        if "slices" in item.path
    ]


@functools.cache
def facts_in(path: Path) -> Any:
    """A file of the catalog, as it is written."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _price(family: str, region: str, model: str) -> Decimal | None:
    """The price in the file: of the highest confidence, and of those the newest."""
    prices = facts_in(FACTS / "prices.yaml")["prices"]
    known = [
        item
        for item in prices
        if (item["family"], item["region"], item["model"]) == (family, region, model) and item.get("usd") is not None
    ]
    rank = {"low": 0, "medium": 1, "high": 2}
    best = max(
        enumerate(known),
        key=lambda item: (
            rank[item[1].get("by_item", {}).get("usd", item[1]["confidence"])],
            "" if item[1]["as_of"] == "unverified" else item[1]["as_of"],
            item[0],
        ),
        default=None,
    )
    return None if best is None else Decimal(str(best[1]["usd"]))


def _every_plan(chips: int, region: str, use: str) -> Iterator[tuple[str, dict[str, Any], int, dict[str, Any]]]:
    """Every row of the files in every zone and mode: family, machine type, slices, and the slice group."""
    zone_lists = facts_in(FACTS / "zones.yaml")["families"]
    for path in sorted((FACTS / "generations").glob("*.yaml")):
        facts = facts_in(path)
        for topology, machine in (*_listed(facts), *_custom(facts, chips)):
            size = math.prod(map(int, topology.split("x")))
            count = math.ceil(chips / size)
            sizes = {math.prod(map(int, other.split("x"))) for other, _ in (*_listed(facts), *_custom(facts, chips))}
            forms = {each["chips"] for other, each in _listed(facts) if other == topology}
            if count > 1_000 or size > min((each for each in sizes if each >= chips), default=math.inf):
                continue
            if count > 1 and use == "training" and not (facts["multislice"] and size > machine["chips"]):
                continue
            lists = zone_lists.get(machine["family"], {}).values()
            zones = {zone for each in lists if each for zone in each["zones"] if zone.rsplit("-", 1)[0] == region}
            for zone, mode in itertools.product(zones, MODES):
                group: dict[str, Any] = {"tpu": path.stem, "topology": topology, "zone": zone, "capacity": mode}
                group |= {"chips_per_host": machine["chips"]} if len(forms) > 1 else {}
                group |= {"min": 0, "max": count} if mode == "flex_start" else {"count": count}
                yield machine["family"], machine, size * count, group


def _listed(facts: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    rows = ((row, facts["machine_types"][row["machine_type"]]) for row in facts["topologies"]["rows"])
    return [
        (row["topology"], machine)
        for row, machine in rows
        if "standard" in row["modes"]
        and row.get("documented", True)
        and not facts["families"][machine["family"]].get("legacy")
    ]


def _custom(facts: dict[str, Any], chips: int) -> list[tuple[str, dict[str, Any]]]:
    """For each number of slices the smallest sufficient custom topology, in the shape that is closest to a cube."""
    rule = facts.get("custom_topologies")
    if rule is None or "standard" not in rule["modes"]:
        return []
    step, most = rule["multiple_of"], rule["max_chips"]
    sides = range(step, most // step**2 + 1, step)
    shapes: dict[int, list[tuple[int, int, int]]] = {}
    for first, second in itertools.combinations_with_replacement([side for side in sides if side**2 <= most], 2):
        for third in range(second, most // (first * second) + 1, step):
            shapes.setdefault(first * second * third, []).append((first, second, third))
    shapes = {size: found for size, found in shapes.items() if size > rule["above_chips"]}
    listed = {math.prod(map(int, topology.split("x"))) for topology, _ in _listed(facts)}
    wanted = (min((size for size in shapes if size * count >= chips), default=0) for count in range(1, 1_001))
    return [
        ("x".join(map(str, min(shapes[size], key=sum))), facts["machine_types"][rule["machine_type"]])
        for size in dict.fromkeys(wanted)
        if size and size not in listed
    ]


def _is_valid(group: dict[str, Any]) -> bool:
    try:
        checked(group)
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(
    ("chips", "region", "use"),
    [
        (8, "europe-west4", "serving"),
        (64, "europe-west4", "training"),
        (128, "us-east5", "training"),
        (24, "us-central1", "serving"),
        (300, "us-east5", "training"),
        (1_500, "us-central2", "training"),
    ],
)
def test_the_options_are_those_of_a_search_by_brute_force(chips: int, region: str, use: str) -> None:
    """Every row of the files, every zone and mode; each plan is checked alone."""
    expected: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for family, machine, size, group in _every_plan(chips, region, use):
        if _is_valid(group):
            price = _price(family, region, group["capacity"])
            per_host = machine["chips"]
            key = (group["tpu"], group["capacity"], size // per_host, size, per_host)
            expected.setdefault(key, set()).add((group["zone"], None if price is None else price * size))
    actual: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for row in found(chips=chips, near=region, use=use).rows:
        candidate = row.option.candidate
        slices = candidate.slices
        key = (candidate.generation, candidate.capacity, slices.hosts, slices.chips, slices.chips_per_host)
        places = {(candidate.zone, row.option.usd), *((place.zone, place.usd) for place in row.places)}
        actual.setdefault(key, set()).update(places)
    assert actual == expected
    assert actual


V3 = {
    "chips": 13,
    "precision": "bf16",
    "use": "serving",
    "mode": "standard",
    "generations": (),
    "capacities": (),
    "interruptible": False,
}
"""v3 has two machine families, each with zones of its own."""
NEEDS = st.builds(
    dict,
    chips=st.none() | st.integers(1, 3000),
    hbm_gib=st.none() | st.integers(1, 60_000),
    tflops=st.none() | st.integers(1, 500_000),
    precision=st.sampled_from(["bf16", "int8"]),
    use=st.sampled_from(["training", "serving"]),
    version=st.none() | st.sampled_from(["1.31", "1.35"]),
    near=st.none() | st.sampled_from(["us-east5", "us-central1", "europe-west4", "us-central2", "asia-northeast1"]),
    mode=st.sampled_from(["standard", "autopilot"]),
    generations=st.sampled_from([(), (), ("v6e",), ("v5e", "v5p"), ("tpu7x",)]),
    capacities=st.sampled_from([(), (), ("spot",), ("on_demand", "queued")]),
    interruptible=st.booleans(),
    run=st.none() | st.sampled_from([datetime.timedelta(days=3), datetime.timedelta(days=10)]),
    budget=st.none() | st.builds(Budget, st.sampled_from([Decimal(50), Decimal(500)]), st.just("hour")),
).filter(lambda need: need["chips"] or need["hbm_gib"] or need["tflops"])
CALENDAR: dict[str, Any] = {
    **V3,
    "tflops": 1,
    "run": datetime.timedelta(days=3),
}
"""Reservations in calendar mode of several generations in one zone."""


@example(dict.fromkeys(("hbm_gib", "tflops", "version", "near", "run", "budget")) | V3)
@example(CALENDAR | dict.fromkeys(("chips", "hbm_gib", "version", "near", "budget")))
@given(NEEDS)
def test_every_row_meets_the_need_and_its_group_validates(need: dict[str, Any]) -> None:
    result = found(**need)
    for row in result.rows:
        candidate, slices = row.option.candidate, row.option.candidate.slices
        chip = CATALOG.generation(candidate.generation).chip
        rate = chip.bf16_tflops if need["precision"] == "bf16" else chip.int8_tops
        assert slices.chips >= (need["chips"] or 0)
        assert need["hbm_gib"] is None or (chip.hbm_gib or 0) * slices.chips >= need["hbm_gib"]
        assert need["tflops"] is None or (rate or 0) * slices.chips >= need["tflops"]
        assert need["interruptible"] or candidate.capacity != "spot"
        forms = [(each.topology, each.chips_per_host, each.count) for each in (slices, *row.variants)]
        assert len(set(forms)) == len(forms)
        assert need["budget"] is None or (row.option.usd is not None and row.option.usd <= need["budget"].usd)
        remarks = [(item.rule, item.message) for item in row.option.remarks]
        assert checked(group_of(row), need["mode"], need["version"]) == remarks
        named = {rule for rule, _ in remarks}
        for place in row.places:
            there = checked(group_of(row) | {"zone": place.zone}, need["mode"], need["version"])
            assert {rule for rule, _ in there} == {*place.rules}
        for variant in row.variants:
            group = dataclasses.replace(candidate, slices=variant).group
            assert {rule for rule, _ in checked(group, need["mode"], need["version"])} == named


@pytest.mark.parametrize(
    ("zone", "rule"), [("us-central1-a", "TPU313"), ("europe-west4-b", "TPU313"), ("us-south1-a", "TPU314")]
)
def test_another_zone_with_a_warning_has_its_rule(zone: str, rule: str) -> None:
    result = found(chips=16, generations=("v5e",), capacities=("flex_start",), zones=("us-west4-a", zone))
    (row,) = result.rows
    assert [(place.zone, place.rules) for place in row.places] == [(zone, (rule,))]
    (also,) = (each.text for each in reasons(row, result, CATALOG) if each.text.startswith("also in"))
    assert f"{zone} ({rule})" in also


SHAPES = ["2x2", "4x4", "16x16", "4x4x4", "2x2x1", "8x8x12", "4x4x12", "16x16x24", "12x12x12"]


@given(NEEDS)
def test_every_topology_and_machine_type_that_is_left_out_has_a_reason(need: dict[str, Any]) -> None:
    result = found(**need)
    machines = [name for each in CATALOG.generation_names for name in CATALOG.generation(each).machine_types]
    for word in (*SHAPES, *machines):
        offered = {
            row.option.candidate.generation
            for row in result.rows
            for item in (row.option.candidate.slices, *row.variants)
            if word in (item.topology, item.machine_type)
        }
        lines = why_not(word, result, CATALOG)
        assert lines
        assert {line.split()[0] for line in lines if "offered in" in line} == offered
        assert {line.split()[0] for line in lines} >= {
            name for name in CATALOG.generation_names if word in CATALOG.generation(name).machine_types
        }


@given(NEEDS)
def test_reasons_never_name_the_plans_of_the_search(need: dict[str, Any]) -> None:
    result = found(**need)
    texts = [item.reason for item in result.exclusions]
    texts += [remark.message for row in result.rows for remark in row.option.remarks]
    assert [text for text in texts if re.search(r"\bc[0-9]+\b", text)] == []


@given(NEEDS)
def test_every_generation_and_zone_that_is_left_out_has_a_reason(need: dict[str, Any]) -> None:
    result = found(**need)
    offered = {row.option.candidate.generation for row in result.rows}
    zones = {row.option.candidate.zone for row in result.rows} | {
        place.zone for row in result.rows for place in row.places
    }
    every_zone = {zone for family in CATALOG.zones.families for zone in zones_of(CATALOG, family)}
    for word in (*CATALOG.generation_names, *CATALOG.announced, *every_zone):
        lines = why_not(word, result, CATALOG)
        assert lines
        assert (f"{word}: offered in" in lines[0]) == (word in offered | zones), (word, lines)


def _claimed(row: Row, result: Recommendation) -> list[str]:
    return next(iter(reasons(row, result, CATALOG))).text.split(", ")


@given(NEEDS)
def test_a_row_is_the_cheapest_or_smallest_exactly_where_it_claims_to_be(need: dict[str, Any]) -> None:
    result = found(**need)
    options = [row.option for row in result.rows]
    for row in result.rows:
        mine, claimed = row.option, _claimed(row, result)
        cheaper = [
            each
            for each in options
            if mine.usd is not None and each.usd is not None and each.usd < mine.usd and not each.cost.doubtful
        ]
        sure = mine.usd is not None and not mine.cost.doubtful
        assert ("lowest cost" in claimed) is (sure and not cheaper)
        if "lowest cost in zones that GKE lists" in claimed:
            assert cheaper
            assert not any(each.documented >= mine.documented for each in cheaper)
        hosts = mine.candidate.slices.hosts
        smallest = hosts == min(each.candidate.slices.hosts for each in options)
        assert ("fewest hosts" in claimed) is smallest


def test_other_zones_have_their_prices_if_these_differ() -> None:
    result = found(chips=64, generations=("v6e",), capacities=("spot",))
    (row, *_) = [row for row in result.rows if row.places]
    costs = [place.usd for place in row.places]
    known = sorted(cost for cost in costs if cost is not None)
    assert known[0] < known[-1]
    text = reasons(row, result, CATALOG)
    (also,) = [each.text for each in text if each.text.startswith("also in")]
    unknown = ", or an unknown price" if None in costs else ""
    assert also.endswith(f", at {shown_usd(known[0])} to {shown_usd(known[-1])} USD per hour{unknown}")
    same = found(chips=64, near="us-east5", generations=("v6e",), capacities=("on_demand",))
    assert [each.text for each in reasons(same.rows[0], same, CATALOG)][-1] == "also in us-east5-b"


def test_a_capacity_mode_that_the_need_rules_out_is_not_the_main_reason() -> None:
    budget = Budget(usd=Decimal(1000), per="hour")
    result = found(chips=256, interruptible=False, run=datetime.timedelta(days=10), budget=budget)
    texts = reasons_of(result)
    assert texts["v5p"].startswith("the cost exceeds the budget of 1,000.00 USD per hour")
    only_spot = found(chips=256, interruptible=False, capacities=("spot",))
    assert reasons_of(only_spot)["v5p"].startswith("Compute Engine can preempt Spot VMs at any time")


@given(NEEDS)
def test_rows_are_sorted_by_cost_and_slices_and_the_pareto_set_is_marked(need: dict[str, Any]) -> None:
    """Nothing is before what costs over 5 % less; what costs as much or more is behind what has fewer slices."""
    result = found(**need)
    rows = result.rows
    costs = [compared_cost(row.option, result.need) for row in rows]
    measures = [
        (
            Decimal("Infinity") if cost is None else cost,
            row.option.candidate.slices.hosts,
            -row.option.candidate.slices.chips,
            {"spot": 2, "flex_start": 1, "queued": 1}.get(row.option.candidate.capacity, 0),
            not row.option.documented,
        )
        for row, cost in zip(rows, costs, strict=True)
    ]
    assert [not row.option.documented for row in rows] == sorted(not row.option.documented for row in rows)
    for (one, first), (two, second) in itertools.combinations(zip(rows, measures, strict=True), 2):
        if one.option.documented != two.option.documented:
            continue
        fewer = one.option.candidate.slices.count < two.option.candidate.slices.count
        if second[:2] < first[:2]:
            assert need["use"] == "training"
            assert fewer
            assert first[0] <= second[0] * SIMILAR_COST
    if need["use"] == "training" and rows:
        cheapest = [row for row, cost in zip(rows, costs, strict=True) if cost and row.option.documented]
        known = [cost for row, cost in zip(rows, costs, strict=True) if cost and row.option.documented]
        similar = [row for row, cost in zip(cheapest, known, strict=True) if cost <= min(known) * SIMILAR_COST]
        assert [row.option.candidate.slices.count for row in similar] == sorted(
            row.option.candidate.slices.count for row in similar
        )
        assert cheapest[: len(similar)] == similar
    for row, mine in zip(rows, measures, strict=True):
        dominated = any(
            other != mine and all(theirs <= own for theirs, own in zip(other, mine, strict=True)) for other in measures
        )
        assert row.efficient is not dominated


def test_few_large_slices_are_before_many_small_ones_that_cost_little_less() -> None:
    rows = found(chips=1000, generations=("v6e",), capacities=("on_demand",), near="us-east5").rows
    shapes = [(row.option.candidate.slices.topology, row.option.candidate.slices.count) for row in rows]
    assert shapes[:3] == [("16x16", 4), ("4x4", 63), ("2x4", 125)]
    serving = found(chips=1000, use="serving", generations=("v6e",), capacities=("on_demand",), near="us-east5").rows
    costs = [row.option.usd for row in serving if row.option.documented]
    assert costs == sorted(costs, key=lambda usd: usd or Decimal(0))


WEEKS = datetime.timedelta(days=21)


def calendar_rows(**need: Any) -> list[Row]:
    return [row for row in found(**need).rows if row.option.candidate.calendar]


def test_a_run_can_be_on_a_reservation_in_calendar_mode() -> None:
    (row,) = calendar_rows(chips=1024, generations=("v6e",), near="us-east5", run=WEEKS)
    usd = _price("ct6e", "us-east5", "calendar")
    assert usd is not None
    assert row.option.usd == usd * 1024
    assert {row.option.candidate.zone, *(place.zone for place in row.places)} == {"us-east5-a", "us-east5-b"}
    assert (row.option.candidate.mode, group_of(row)["capacity"]) == (
        "calendar mode",
        {"reservation": "calendar-reservation"},
    )
    assert calendar_rows(chips=1024, generations=("v6e",), near="us-east5") == []
    assert calendar_rows(chips=1024, generations=("v6e",), capacities=("spot",), run=WEEKS) == []


def test_less_than_a_day_in_calendar_mode_costs_a_day() -> None:
    need = {"chips": 256, "generations": ("v6e",), "near": "us-east5"}
    runs = [datetime.timedelta(hours=hours) for hours in (6, 24, 48)]
    results = [found(**need, run=run) for run in runs]
    rows = [next(row for row in result.rows if row.option.candidate.calendar) for result in results]
    costs = [run_cost(row.option, result.need) for row, result in zip(rows, results, strict=True)]
    assert rows[0].option.usd is not None
    assert costs == [rows[0].option.usd * hours for hours in (24, 24, 48)]


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        ({"run": datetime.timedelta(days=91)}, "a reservation in calendar mode lasts at most 90 d"),
        (
            {"chips": 300, "run": WEEKS},
            "a reservation in calendar mode has 1, 4, 8, 16, 32, 64, 128, 256, 512 or 1,024",
        ),
        (
            {"near": "us-south1", "run": WEEKS},
            "calendar mode is documented for ct6e only in asia-northeast1-b, us-east5-a and us-east5-b",
        ),
        ({}, "name it with --run"),
        ({"capacities": ("spot",), "run": WEEKS}, "you asked for spot"),
        ({"generations": ("v4",), "run": WEEKS}, "calendar mode is documented for ct4p in no zone"),
        (
            {"generations": ("v5e",), "run": WEEKS},
            "calendar mode is documented for ct5lp only in us-west4-b",
        ),
        (
            {"generations": ("v5e",), "run": WEEKS, "use": "serving"},
            "calendar mode is documented for ct5lp only in us-central1-a",
        ),
        (
            {"generations": ("v5e",), "run": WEEKS, "use": "serving", "near": "us-central1"},
            "a reservation in calendar mode has 1, 4 or 8 chips, and the slices have 256",
        ),
    ],
)
def test_calendar_mode_is_left_out_with_the_reason(need: dict[str, Any], reason: str) -> None:
    lines = why_not("calendar", found(**{"chips": 256, "generations": ("v6e",)} | need), CATALOG)
    assert any(reason in line for line in lines or ()), lines


@pytest.mark.parametrize(
    ("need", "text", "hosts"),
    [
        ({"chips": 4}, "single-host v4 or v5e", "single"),
        ({"chips": 8, "use": "serving"}, "single-host v4 or v5e", "single"),
        ({"chips": 256}, "multi-host v4 or v5e", "multi"),
        ({"chips": 9000}, "several slices with Pathways", "multi"),
    ],
)
def test_the_advice_of_the_planning_page_has_a_row_with_its_date(need: dict[str, Any], text: str, hosts: str) -> None:
    result = found(**need)
    assert text in result.advice.text
    assert result.advice.source == ("plan-tpus",)
    row = next(row for row in result.rows if row.advice is not None)
    assert row.option.candidate.generation in ("v4", "v5e")
    assert (row.option.candidate.slices.hosts_per_slice == 1) == (hosts == "single")
    assert any(row.option.candidate.generation in ("v6e", "tpu7x") for row in result.rows)


def test_generations_that_are_only_announced_are_never_offered() -> None:
    result = found(chips=8)
    assert {row.option.candidate.generation for row in result.rows} <= set(CATALOG.generation_names)
    for name, announced in CATALOG.announced.items():
        assert why_not(name, result, CATALOG) == (f"{name}: {announced.answer} (confidence {announced.confidence})",)


def _owned(*quotas: dict[str, Any], **changes: Any) -> Document[Inventory]:
    entry = {
        "name": "v6e-train",
        "project": "acme-ml",
        "zone": "us-east5-b",
        "machine_type": "ct6e-standard-4t",
        "vms": 64,
    }
    content = {"version": 1, "as_of": "2026-11-20", "reservations": [entry | changes], "quotas": list(quotas)}
    return Document(Inventory.model_validate(content))


def _reserved(inventory: Document[Inventory], **need: Any) -> tuple[list[Row], Recommendation]:
    result = recommend(Need(chips=256, near="us-east5", **need), CATALOG, inventory, today=TODAY)
    return [row for row in result.rows if row.option.candidate.reservation is not None], result


def test_a_reservation_with_enough_vms_is_offered_at_the_price_of_its_contract() -> None:
    (row,), result = _reserved(_owned(usd_per_chip_hour=1.5))
    assert any("`--with PLAN` subtracts it" in note for note in shown(result, CATALOG, 10).notes)
    assert row.option.usd == 256 * Decimal("1.5")
    assert group_of(row)["capacity"] == {"reservation": {"name": "v6e-train", "project": "acme-ml"}}


@pytest.mark.parametrize(
    ("changes", "need", "reason"),
    [
        ({"vms": 63}, {}, "has 63 VMs left, and the slices need 64"),
        ({"in_use": 1}, {}, "has 63 VMs left, and the slices need 64"),
        ({"from": "2026-12-01"}, {}, "begins on 2026-12-01"),
        ({"from": "2026-12-01"}, {"by": datetime.date(2026, 12, 1)}, ""),
        ({"until": "2026-11-29"}, {"run": datetime.timedelta(days=10)}, "ends on 2026-11-29"),
        ({"until": "2026-11-30"}, {"run": datetime.timedelta(days=10)}, ""),
        ({"until": "2026-11-30"}, {"run": datetime.timedelta(days=10, hours=1)}, "ends on 2026-11-30"),
        ({"until": "2026-11-30"}, {"run": datetime.timedelta(days=9, hours=1)}, ""),
        ({"until": "2026-11-20"}, {}, "ends on 2026-11-20"),
        ({"until": "2026-11-20"}, {"run": datetime.timedelta(hours=6)}, "ends on 2026-11-20"),
        ({"until": "2026-11-21"}, {"run": datetime.timedelta(hours=6)}, ""),
        ({"until": "2026-12-01"}, {"by": datetime.date(2026, 12, 1)}, "ends on 2026-12-01"),
        ({"until": "2026-12-01"}, {"run": datetime.timedelta(days=3_000_000)}, "ends on 2026-12-01"),
        ({"machine_type": "ct5p-hightpu-4t"}, {"generations": ("v6e",)}, "no reservation of ct6e-standard-4t there"),
    ],
)
def test_a_reservation_that_does_not_suit_is_left_out_with_the_number(
    changes: dict[str, Any], need: dict[str, Any], reason: str
) -> None:
    rows, result = _reserved(_owned(**changes), **need)
    lines = why_not("reservation", result, CATALOG)
    assert lines is not None
    assert bool(rows) is not bool(reason)
    assert reason in " ".join(lines)


def test_a_run_costs_its_hours() -> None:
    assert cost_of_run(Decimal("2.70"), datetime.timedelta(days=10)) == Decimal("648.00")


def test_a_custom_topology_is_offered_where_no_listed_one_is_as_small() -> None:
    rows = found(chips=300, generations=("v5p",)).rows
    shapes = {row.option.candidate.slices.topology for row in rows if row.option.candidate.slices.count == 1}
    listed = {row.topology for row in selectable_rows(CATALOG.generation("v5p"), "standard")}
    assert shapes - listed == {"4x4x20"}


def _quota(limit: int, metric: str = "tpus_per_tpu_family") -> dict[str, Any]:
    family = {"family": "CT6E"} if metric == "tpus_per_tpu_family" else {}
    return {"project": "acme-ml", "metric": metric, "region": "us-east5", "limit": limit} | family


@pytest.mark.parametrize(
    ("quotas", "offered"),
    [
        ((_quota(64),), {"on_demand", "spot", "flex_start", "reservation"}),
        ((_quota(63),), {"spot", "flex_start", "reservation"}),
        ((_quota(64) | {"in_use": 1},), {"spot", "flex_start", "reservation"}),
        ((_quota(64), _quota(63, "preemptible_tpu_v6e")), {"on_demand", "reservation"}),
    ],
)
def test_a_quota_that_is_too_small_for_all_slices_excludes_a_capacity_mode(
    quotas: tuple[dict[str, Any], ...], offered: set[str]
) -> None:
    """Also where several slices fit one by one: the need is all of them."""
    need = Need(chips=64, zones=("us-east5-b",), generations=("v6e",), project="acme-ml")
    result = recommend(need, CATALOG, _owned(*quotas), today=TODAY)
    assert {row.option.candidate.capacity for row in result.rows} == offered
    for mode in {"on_demand", "spot", "flex_start"} - offered:
        lines = why_not(mode, result, CATALOG) or ()
        assert any("(TPU811)" in line and "64" in line for line in lines)
        assert not any("offered" in line for line in lines)


def test_a_reservation_of_another_project_must_be_shared() -> None:
    need = Need(chips=64, zones=("us-east5-b",), generations=("v6e",), capacities=("reservation",), project="acme-app")
    assert recommend(need, CATALOG, _owned(shared_with=["acme-app"]), today=TODAY).rows
    refused = recommend(need, CATALOG, _owned(shared_with=["acme-web"]), today=TODAY)
    assert refused.rows == ()
    assert any("TPU807" in line for line in why_not("reservation", refused, CATALOG) or ())


def test_the_figure_that_is_unknown_is_named() -> None:
    v4 = dict(why.partition(": ")[::2] for why in (why_not("v3", found(tflops=1, precision="int8"), CATALOG) or ()))
    assert v4 == {"v3": "the catalog does not have its int8 rate"}


def test_one_slice_does_not_follow_the_advice_to_use_several() -> None:
    rows = found(chips=9000, generations=("tpu7x",)).rows
    assert {row.option.candidate.slices.count > 1 for row in rows} == {True, False}
    assert all((row.advice is not None) == (row.option.candidate.slices.count > 1) for row in rows)


def test_each_check_reads_only_what_its_candidate_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all of a large inventory in each check, the search took minutes."""
    sizes: list[tuple[int, int]] = []

    def recorded(plans: Any, inventory: Document[Inventory], *args: Any, **more: Any) -> Any:
        assert inventory.content is not None
        sizes.append((len(inventory.content.reservations), len(inventory.content.quotas)))
        return validate_inventory(plans, inventory, *args, **more)

    monkeypatch.setattr(checked_module, "validate_inventory", recorded)
    owned = _owned(_quota(64), _quota(64) | {"region": "us-west4"})
    need = Need(chips=64, near="us-east5", generations=("v6e",), project="acme-ml")
    assert recommend(need, CATALOG, owned, today=TODAY).rows
    assert set(sizes) == {(0, 1), (1, 1)}


def test_the_plan_of_the_candidates_has_no_findings_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found outside of the clusters is dropped, so that the plan around the candidates must be valid."""
    outside = []

    def recorded(*args: Any) -> Any:
        result = check_plan(*args)
        outside.extend(item for item in result.findings if item.path[:1] != ("clusters",))
        return result

    monkeypatch.setattr(checked_module, "check_plan", recorded)
    assert found(chips=64, near="us-east5").rows
    assert found(chips=64, near="us-east5", project="acme-ml").rows
    assert outside == []


EMITTED = (
    {"chips": 4},
    {"chips": 1000, "run": WEEKS},
    {"hbm_gib": 9000, "version": "1.35", "project": "acme-ml"},
)


@pytest.mark.parametrize(
    ("mode", "use", "need"),
    sample(itertools.product(("standard", "autopilot"), ("training", "serving"), EMITTED), 4, lambda case: case[0]),
)
def test_every_emitted_plan_validates(mode: str, use: str, need: dict[str, Any]) -> None:
    """Every row: all generations, capacity modes, zones and sizes. The warnings are comments above the plan."""
    result = found(**need, use=use, mode=mode)
    assert result.rows
    for row in result.rows:
        text = emitted_plan(row.option, result.need)
        findings = check_plan(parse_plan(yaml.safe_load(text)), CATALOG, TODAY).findings
        assert [item for item in findings if item.severity is Severity.ERROR] == []
        warned = [item.rule for item in findings if "slices" in item.path]
        assert [line[2:8] for line in text.splitlines() if line.startswith("# TPU")] == warned
