"""What the report states about plans, limits, times and sources: its values, before they become a page."""

import dataclasses
import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from pulumi_gke_tpu.core.catalog import Catalog, read_catalog
from pulumi_gke_tpu.core.estimate.cost import Totals, totals_of
from pulumi_gke_tpu.core.estimate.headroom import Headroom, headroom
from pulumi_gke_tpu.core.fleet.checked import CheckedPlan
from pulumi_gke_tpu.core.plan import Document, parse_plan
from pulumi_gke_tpu.core.plan.inventory import Inventory
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.core.schedule.events import calendar_of
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, costs_of
from pulumi_gke_tpu.features.report.drawing import TimeLine, TimeRow, time_line
from pulumi_gke_tpu.features.report.page import ReportBudget, _by_place, _pictures, _tiles, report_html
from pulumi_gke_tpu.features.report.plans import (
    Amount,
    LimitRow,
    PlanPart,
    plan_part,
    quota_rows,
    reservation_rows,
    savings_text,
    sources_of,
)

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
ONE = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
WINDOW = {"start": "2026-01-03T02:00:00Z", "duration": "6h", "days": ["SAT", "SUN"]}
RUN = {"slices": "a", "start": "2026-12-01T08:00:00Z", "duration": "36h"}


@pytest.fixture
def priced(tmp_path: Path) -> Callable[..., Catalog]:
    """The catalog with these prices of v6e in us-east5 instead of its own: a number, or its confidence too."""

    def of(**usd: Any) -> Catalog:
        fact = {"source": ["unverified"], "as_of": "2099-01-01", "family": "ct6e", "region": "us-east5"}
        prices = [fact | {"model": model, "usd": value, "confidence": "high"} for model, value in usd.items()]
        path = tmp_path / "overlay.yaml"
        path.write_text(yaml.safe_dump({"prices": {"prices": prices}}), encoding="utf-8")
        return read_catalog([path])

    return of


def checked(catalog: Catalog = CATALOG, name: str = "", **keys: Any) -> CheckedPlan:
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"a": ONE}} | keys
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
    found = check_plan(dataclasses.replace(document, name=name), catalog, TODAY)
    assert not found.has_errors, found.findings
    return found


def costs(*plans: CheckedPlan, catalog: Catalog = CATALOG) -> Costs:
    return costs_of(plans, None, catalog, today=TODAY, with_alternatives=False)


def totals(*plans: CheckedPlan) -> Totals:
    return totals_of((plan.fleet, plan.cost) for plan in costs(*plans).plans)


def part(plan: CheckedPlan, catalog: Catalog = CATALOG) -> PlanPart:
    (cost,) = costs(plan, catalog=catalog).plans
    (size,) = totals_of([(cost.fleet, cost.cost)]).by_fleet
    return plan_part(cost, size)


def test_a_plan_has_its_size_its_cost_and_its_slice_groups(priced: Callable[..., Catalog]) -> None:
    catalog = priced(on_demand=2, spot=1)
    slices = {"a": ONE | {"count": 2}, "b": ONE | {"topology": "2x2", "capacity": "spot", "min": 1, "max": 3}}
    shown = part(checked(catalog, slices=slices), catalog)
    assert (shown.name, shown.project, shown.size) == ("acme-ml", "acme-ml", "2 slice groups, 36..44 chips")
    assert (shown.hour, shown.month) == (Amount("68.00 .. 76.00"), Amount("49,640 .. 55,480"))
    assert (shown.runs, shown.all_runs) == ((), Amount("unknown"))
    (cluster,) = shown.clusters
    assert (cluster.name, cluster.about) == ("c", "Standard, us-east5, release channel regular")
    first, second = (dataclasses.asdict(row) for row in cluster.rows)
    assert first == {
        "name": "a",
        "shape": "v6e 4x4",
        "slices": "2 slices",
        "place": "us-east5-b",
        "capacity": "on-demand",
        "hosts": "8",
        "machine_type": "ct6e-standard-4t",
        "chips": "32",
        "hour": {"usd": "64.00", "mark": ""},
        "month": {"usd": "46,720", "mark": ""},
        "pools": ("a-0", "a-1"),
    }
    assert (second["slices"], second["capacity"], second["chips"]) == ("1..3 slices", "spot", "4..12")
    assert second["hour"] == {"usd": "4.00 .. 12.00", "mark": ""}


def test_a_group_with_several_capacity_modes_has_them_in_order(priced: Callable[..., Catalog]) -> None:
    group = ONE | {"capacity": "flex_start", "fallback": ["spot"], "max": 2}
    ((row,),) = (cluster.rows for cluster in part(checked(slices={"a": group})).clusters)
    assert row.capacity == "flex-start, then spot"


def test_a_cost_without_an_unknown_part_has_its_mark() -> None:
    group = {"tpu": "v5p", "topology": "2x2x1", "zone": "us-east5-a", "capacity": "flex_start", "max": 1}
    shown = part(checked(slices={"a": ONE, "b": group}))
    assert (shown.hour.mark, shown.month.mark) == ("at least", "at least")
    assert [row.hour for row in shown.clusters[0].rows][1] == Amount("unknown")
    alone = part(checked(slices={"b": group}))
    assert (alone.hour, alone.month) == (Amount("unknown"), Amount("unknown"))


def test_a_price_of_low_confidence_and_a_lower_bound_have_their_marks() -> None:
    doubtful = {"tpu": "tpu7x", "topology": "2x2x1", "zone": "us-central1-c", "capacity": "flex_start", "max": 1}
    ((row,),) = (cluster.rows for cluster in part(checked(location="us-central1", slices={"a": doubtful})).clusters)
    assert (row.hour.mark, row.month.mark) == ("low confidence", "low confidence")
    group = {"tpu": "v5e", "topology": "2x2"}
    ((row,),) = (
        cluster.rows for cluster in part(checked(mode="autopilot", location="us-east1", slices={"a": group})).clusters
    )
    assert row.hour.mark == "at least"


def test_a_run_has_its_group_its_time_and_its_cost(priced: Callable[..., Catalog]) -> None:
    catalog = priced(on_demand=2)
    shown = part(checked(catalog, slices={"a": ONE | {"count": 2}}, runs={"x": RUN}), catalog)
    (run,) = (dataclasses.asdict(run) for run in shown.runs)
    assert run == {
        "name": "c/x",
        "group": "c/a",
        "slices": "2 slices",
        "start": "2026-12-01 08:00",
        "length": "36 h",
        "usd": {"usd": "2,304", "mark": ""},
    }
    assert shown.all_runs == Amount("2,304")


def test_runs_of_unknown_price_make_the_sum_a_lower_bound(priced: Callable[..., Catalog]) -> None:
    catalog = priced(on_demand=2)
    group = {"tpu": "v5p", "topology": "2x2x1", "zone": "us-east5-a", "capacity": "flex_start", "max": 1}
    runs = {"x": RUN, "y": RUN | {"slices": "b"}}
    shown = part(checked(catalog, slices={"a": ONE, "b": group}, runs=runs), catalog)
    assert [run.usd for run in shown.runs] == [Amount("1,152"), Amount("unknown")]
    assert shown.all_runs == Amount("1,152", "at least")


EXCLUSION = {"start": "2026-12-01T00:00:00Z", "end": "2026-12-20T00:00:00Z", "scope": "no_minor_upgrades"}


@pytest.mark.parametrize(
    ("keys", "about", "maintenance"),
    [
        ({}, "Standard, us-east5, release channel regular", ["No maintenance window: GKE can upgrade at any time."]),
        (
            {"maintenance": {"window": WINDOW}},
            "Standard, us-east5, release channel regular",
            ["Window from 02:00 UTC for 6 h (SAT, SUN)."],
        ),
        (
            {"maintenance": {"window": {"start": "2026-01-03T02:30:00Z", "duration": "4h"}}},
            "Standard, us-east5, release channel regular",
            ["Window from 02:30 UTC for 4 h (every day)."],
        ),
        (
            {
                "maintenance": {
                    "window": {"start": WINDOW["start"], "duration": "6h", "recurrence": "FREQ=WEEKLY;BYDAY=SA,SU"}
                }
            },
            "Standard, us-east5, release channel regular",
            ["Window from 02:00 UTC for 6 h (FREQ=WEEKLY;BYDAY=SA,SU)."],
        ),
        (
            {"release_channel": "rapid", "maintenance": {"window": WINDOW, "exclusions": {"freeze": EXCLUSION}}},
            "Standard, us-east5, release channel rapid",
            [
                "Window from 02:00 UTC for 6 h (SAT, SUN).",
                "Exclusion freeze: 2026-12-01 00:00 to 2026-12-20 00:00 UTC, no minor upgrades.",
            ],
        ),
        (
            {"maintenance": {"window": WINDOW, "exclusions": {"freeze": EXCLUSION | {"end": "end_of_support"}}}},
            "Standard, us-east5, release channel regular",
            [
                "Window from 02:00 UTC for 6 h (SAT, SUN).",
                "Exclusion freeze: 2026-12-01 00:00 UTC to the end of support, no minor upgrades.",
            ],
        ),
        (
            {"existing": "projects/acme-ml/locations/us-east5/clusters/train"},
            "Standard, us-east5, exists already",
            ["The maintenance of an existing cluster is not in the plan."],
        ),
        (
            {"mode": "autopilot"},
            "Autopilot, us-east5, release channel regular",
            ["No maintenance window: GKE can upgrade at any time."],
        ),
    ],
)
def test_a_cluster_has_its_settings_and_its_maintenance(
    keys: dict[str, Any], about: str, maintenance: list[str]
) -> None:
    if "existing" in keys:
        keys = keys | {"location": None}
    plan = {key: value for key, value in ({"location": "us-east5"} | keys).items() if value is not None}
    cluster = {"mode": "standard", "slices": {"a": ONE}} | plan
    document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
    found = check_plan(document, CATALOG, TODAY)
    assert not found.has_errors, found.findings
    (shown,) = part(found).clusters
    assert (shown.about, list(shown.maintenance)) == (about, maintenance)


POOL = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 10}
BLOCKS = [{"name": "one", "vms": 4, "sub_blocks": [{"name": "a", "vms": 4}]}]


def used(*plans: CheckedPlan, reservations: Any = (), quotas: Any = ()) -> Headroom:
    content = {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations), "quotas": list(quotas)}
    return headroom(plans, Inventory.model_validate(content), CATALOG)


def cells(row: LimitRow) -> tuple[object, ...]:
    return row.name, row.level, row.used, row.limit, row.other, row.left, row.share, row.state, bool(row.svg)


def test_a_reservation_is_followed_by_its_blocks_and_sub_blocks() -> None:
    reserved = {"reservation": {"name": "pool", "block": "one", "sub_block": "a"}}
    group = ONE | {"capacity": reserved, "min": 0, "max": 1}
    shown = used(checked(slices={"a": group}), reservations=[POOL | {"in_use": 2, "blocks": BLOCKS}])
    rows = reservation_rows(shown)
    assert [cells(row) for row in rows] == [
        ("pool", 0, "0..4", "10", "2", "4..8", "60 %", "free", True),
        ("block one", 1, "0..4", "4", "0", "0..4", "100 %", "full", True),
        ("sub-block a", 2, "0..4", "4", "0", "0..4", "100 %", "full", True),
    ]
    assert {(row.project, row.place) for row in rows} == {("acme-ml", "us-east5-b")}


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (None, ("0..32", "unknown", "", "unknown", "", "unknown", False)),
        (31, ("0..32", "31", "0", "1 too few", "103 %", "over", True)),
        (32, ("0..32", "32", "0", "0..32", "100 %", "full", True)),
        (1_033, ("0..32", "1,033", "0", "1,001..1,033", "3 %", "free", True)),
    ],
)
def test_a_quota_states_whether_the_largest_size_fits(limit: int | None, expected: tuple[object, ...]) -> None:
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": limit}
    plan = checked(slices={"a": ONE | {"capacity": "spot", "min": 0, "max": 2}})
    (row,) = quota_rows(used(plan, quotas=[quota] if limit is not None else []))
    assert cells(row)[2:] == expected
    assert (row.level, row.project, row.place) == (0, "acme-ml", "us-east5")


def lines(*plans: CheckedPlan, reservations: Any = (), first: str = "2026-11-20", last: str = "2027-01-20") -> TimeLine:
    content = {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations)}
    days = map(datetime.date.fromisoformat, (first, last))
    return time_line(calendar_of(plans, Inventory.model_validate(content), CATALOG, *days))


def rows_of(shown: TimeLine) -> list[tuple[str, ...]]:
    return [(row.symbol, row.title, row.place, row.when, row.remark, row.state) for row in shown.rows]


def test_the_rows_of_the_calendar_have_their_times_places_and_states() -> None:
    maintenance = {"window": WINDOW, "exclusions": {"freeze": EXCLUSION | {"scope": "no_upgrades"}}}
    slices = {"a": ONE | {"capacity": {"reservation": "pool"}}, "b": ONE | {"capacity": "flex_start", "max": 1}}
    runs = {
        "x": RUN | {"start": "2026-12-04T08:00:00Z"},
        "late": RUN | {"start": "2027-01-08T08:00:00Z"},
        "tune": RUN | {"slices": "b"},
    }
    reserved = POOL | {"from": "2026-11-25", "until": "2027-01-30"}
    shown = lines(checked(maintenance=maintenance, slices=slices, runs=runs), reservations=[reserved])
    assert (shown.first, shown.last) == ("2026-11-20", "2027-01-20")
    assert rows_of(shown) == [
        ("", "reservation pool", "acme-ml/us-east5-b", "begins 2026-11-25", "", "reservation"),
        (
            "✓",
            "run tune",
            "c/b",
            "2026-12-01 08:00 to 2026-12-02 20:00",
            "no automatic upgrades of these nodes; flex-start nodes of run tune end 2026-12-08 08:00",
            "exempt",
        ),
        ("✓", "run x", "c/a", "2026-12-04 08:00 to 2026-12-05 20:00", "covered by exclusions", "covered"),
        (
            "✗",
            "run late",
            "c/a",
            "2027-01-08 08:00 to 2027-01-09 20:00",
            "upgrades can interrupt it in 1 window",
            "interrupted",
        ),
        ("", "exclusion freeze", "c", "2026-12-01 00:00 to 2026-12-20 00:00", "no_upgrades", "exclusion"),
        ("", "18 maintenance windows", "c", "first 2026-11-21 02:00, last 2027-01-17 02:00", "6 h each", "window"),
    ]
    assert shown.rows[-1].openings.startswith("2026-11-21 02:00, 2026-11-22 02:00, ")
    assert all(not row.openings for row in shown.rows[:-1])


def test_equal_windows_share_a_row_and_several_plans_are_named() -> None:
    maintenance = {"window": WINDOW}
    plans = [checked(name=name, maintenance=maintenance) for name in ("one.yaml", "two.yaml")]
    assert [row[1:3] for row in rows_of(lines(*plans, last="2026-12-01"))] == [
        ("4 maintenance windows", "c in one.yaml and c in two.yaml")
    ]
    assert [row[1:3] for row in rows_of(lines(plans[0], last="2026-11-21"))] == [("1 maintenance window", "c")]


@pytest.mark.parametrize(
    ("last", "names"),
    [
        ("2026-11-26", ["23 Nov"]),
        ("2027-01-21", ["23 Nov", "30 Nov", "07 Dec", "14 Dec", "21 Dec", "28 Dec", "04 Jan", "11 Jan"]),
        ("2027-01-22", ["Dec 2026", "Jan 2027"]),
        (
            "2027-09-15",
            [
                "Dec 2026",
                "Jan 2027",
                "Feb 2027",
                "Mar 2027",
                "Apr 2027",
                "May 2027",
                "Jun 2027",
                "Jul 2027",
                "Aug 2027",
            ],
        ),
        ("2027-09-16", ["Jan 2027", "Apr 2027", "Jul 2027"]),
    ],
)
def test_the_axis_has_weeks_months_or_quarters(last: str, names: list[str]) -> None:

    shown = lines(checked(), last=last)
    assert re.findall(r"<text[^>]*>([^<]*)</text>", shown.axis) == names


INCLUDED = "the cost per hour includes their slices"
LARGEST = "at the largest size of the plans"


def tiles(
    *plans: CheckedPlan, reservations: Any = (), quotas: Any = (), budget: ReportBudget | None = None
) -> dict[str, tuple[str, str]]:
    found = _tiles(used(*plans, reservations=reservations, quotas=quotas), costs(*plans), budget)
    return {tile.name: (tile.value, tile.about) for tile in found}


def test_the_most_important_figures() -> None:
    plan = checked(slices={"a": ONE | {"count": 2}, "b": ONE | {"capacity": "spot", "min": 0, "max": 2}})
    shown = tiles(plan)
    assert list(shown) == ["Chips", "Slice groups", "USD per hour", "Quota to request"]
    assert shown["Chips"] == ("32..64", "on 8..16 hosts")
    assert shown["Slice groups"] == ("2", "in 1 cluster, 1 plan")
    assert shown["Quota to request"] == ("2", "2 limits unknown")
    both = tiles(plan, checked(name="other.yaml"))
    assert both["Slice groups"] == ("3", "in 2 clusters, 2 plans")


@pytest.mark.parametrize(
    ("limit", "tile"), [(31, ("2", "1 limit too low and 1 limit unknown")), (32, ("1", "1 limit unknown"))]
)
def test_the_quotas_to_request_are_counted(limit: int, tile: tuple[str, str]) -> None:
    quota = {"project": "acme-ml", "metric": "preemptible_tpu_v6e", "region": "us-east5", "limit": limit}
    plan = checked(slices={"a": ONE, "b": ONE | {"capacity": "spot", "min": 0, "max": 2}})
    assert tiles(plan, quotas=[quota])["Quota to request"] == tile


@pytest.mark.parametrize(
    ("reservations", "tile"),
    [
        ([POOL], ("40 %", f"pool, {LARGEST}")),
        ([POOL | {"blocks": BLOCKS}], ("40 %", f"pool, {LARGEST}")),
        ([POOL, POOL | {"name": "full", "in_use": 9}], ("90 %", f"full, {LARGEST}")),
        ([POOL | {"name": "other", "vms": 8}], ("0 %", f"other, {LARGEST}; the size of 1 other is unknown")),
        ([], ("unknown", "the size of 1 reservation is unknown")),
    ],
)
def test_the_fullest_reservation_has_its_use(reservations: list[dict[str, Any]], tile: tuple[str, str]) -> None:
    plan = checked(slices={"a": ONE | {"capacity": {"reservation": "pool"}}})
    assert tiles(plan, reservations=reservations)["Fullest reservation"] == tile


def test_planned_runs_have_a_figure_of_their_own() -> None:
    flex = {"tpu": "v5p", "topology": "2x2x1", "zone": "us-east5-a", "capacity": "flex_start", "max": 1}
    slices = {"a": ONE, "b": flex}
    name = "USD for planned runs"
    known = tiles(checked(slices=slices, runs={"x": RUN}))[name]
    assert (known[0].startswith("at least"), known[1]) == (False, f"1 run, 36 h long; {INCLUDED}")
    both = tiles(checked(slices=slices, runs={"x": RUN, "y": RUN | {"slices": "b"}}))[name]
    assert both == (f"at least {known[0]}", f"2 runs, 36 h long; {INCLUDED}")
    unknown = checked(slices=slices, runs={"y": RUN | {"slices": "b"}})
    assert tiles(unknown)[name] == ("unknown", f"1 run, 36 h long; {INCLUDED}")
    assert tiles(unknown, checked(name="other.yaml", slices=slices, runs={"x": RUN}))[name] == both


@pytest.mark.parametrize(
    ("budget", "name", "about"),
    [
        (ReportBudget(Decimal(100), "month"), "USD per month", "per hour"),
        (ReportBudget(Decimal(100), "runs"), "USD per hour", "per month"),
        (None, "USD per hour", "per month"),
    ],
)
def test_the_cost_is_first_for_the_time_of_the_budget(budget: ReportBudget | None, name: str, about: str) -> None:
    plan = checked(slices={"a": ONE})
    assert plan.fleet is not None
    found = _tiles(used(plan), costs(plan), budget)
    (tile,) = (each for each in found if each.name in ("USD per hour", "USD per month"))
    assert tile.name == name
    assert about in tile.about


def test_a_bar_is_the_share_of_all_chips() -> None:
    """Beside 48 chips in one zone, 16 in another fill a quarter of the column."""
    slices = {"a": ONE | {"count": 3}, "b": ONE | {"zone": "us-east5-a"}}
    plan = checked(slices=slices)
    assert plan.fleet is not None
    widths = [re.findall(r'width="([0-9.]+)%" height="12"', str(row.svg)) for row in _by_place(totals(plan))]
    assert sorted(widths) == [["25"], ["75"]]


def test_chips_are_listed_by_generation_and_place_and_each_shape_is_drawn_once() -> None:
    slices = {
        "a": ONE | {"count": 2},
        "b": ONE | {"capacity": "spot", "min": 0, "max": 2},
        "c": ONE | {"topology": "2x2"},
    }
    plan = checked(slices=slices)
    assert plan.fleet is not None
    ((place),) = _by_place(totals(plan))
    assert (place.generation, place.place, place.groups, place.hosts, place.chips) == (
        "v6e",
        "us-east5-b",
        "3",
        "9..17",
        "36..68",
    )
    pictures = list(_pictures([group for _, group in plan.fleet.groups()], CATALOG))
    assert [(each.title, each.about, each.groups) for each in pictures] == [
        ("v6e 4x4", "16 chips on 4 hosts (ct6e-standard-4t)", ("c/a: 2 slices", "c/b: 0..2 slices")),
        ("v6e 2x2", "4 chips on 1 host (ct6e-standard-4t)", ("c/c: 1 slice",)),
    ]


def test_each_fact_of_the_report_has_its_sources_date_and_confidence() -> None:
    plan = checked(slices={"a": ONE, "b": ONE | {"count": 2}, "c": ONE | {"capacity": "spot"}})
    calendar = calendar_of([plan], None, CATALOG, TODAY)
    rows = list(sources_of(used(plan), costs(plan), calendar, CATALOG))
    names = [row.fact.partition(":")[0] if row.fact.startswith("Price") else row.fact for row in rows]
    assert names[:6] == [
        "v6e: chip",
        "v6e: topologies",
        "Price of ct6e in us-east5, on-demand",
        "Price of ct6e in us-east5, spot",
        *[f"Quota {item.metric.label}" for item in used(plan).quotas],
    ]
    assert names[-len(calendar.notes) :] == [note.text for note in calendar.notes]
    assert len(set(names)) == len(names)
    chip = CATALOG.generation("v6e").chip
    assert (rows[0].as_of, rows[0].confidence) == (chip.as_of, chip.confidence)
    assert [title for title, _ in rows[0].sources] == [CATALOG.sources[name].title for name in chip.source]
    assert all(link == "" or link.startswith("https://") for row in rows for _, link in row.sources)


def test_the_premium_of_autopilot_is_a_fact_of_the_report() -> None:
    plan = checked(mode="autopilot", location="us-west4", slices={"a": {"tpu": "v5e", "topology": "2x2"}})
    calendar = calendar_of([plan], None, CATALOG, TODAY)
    facts = [row.fact for row in sources_of(used(plan), costs(plan), calendar, CATALOG)]
    (premium,) = [
        item for item in CATALOG.prices.autopilot_premium if (item.family, item.region) == ("ct5lp", "us-west4")
    ]
    assert f"Autopilot premium of ct5lp in us-west4: {premium.usd} USD" in facts


def test_what_is_left_of_a_budget(priced: Callable[..., Catalog]) -> None:
    """A slice costs 32 USD per hour: 23,360 per month."""
    catalog = priced(on_demand=2)

    def about(usd: int, per: Literal["month", "runs"] = "month", **keys: Any) -> str:
        plan = checked(catalog, **keys)
        found = _tiles(used(plan), costs(plan, catalog=catalog), ReportBudget(Decimal(usd), per))
        (tile,) = (tile for tile in found if tile.name.startswith("Budget"))
        return tile.about

    assert about(24_000) == "640.00 left"
    assert about(23_360) == "0 left"
    assert about(23_359) == "✗ exceeded by 1.00"
    assert about(30_000, slices={"a": ONE, "b": ONE | {"min": 0, "max": 1}}) == (
        "✗ exceeded by 16,720, if the slices have their largest size"
    )
    unknown = {"tpu": "v5p", "topology": "2x2x1", "zone": "us-east5-a", "capacity": "flex_start", "max": 1}
    partly = about(24_000, slices={"a": ONE, "b": unknown})
    assert partly == "640.00 left at most, because a part of the cost is unknown"
    assert about(24_000, slices={"b": unknown}) == "the cost is unknown"
    assert about(1_000, "runs", runs={"x": RUN}) == "✗ exceeded by 152.00"
    assert about(1_000, "runs") == "the cost is unknown"


def test_autoscaled_slices_fill_a_reservation_and_no_more() -> None:
    """A slice has 4 of the 12 VMs, of which 2 have another use."""
    group = ONE | {"capacity": {"reservation": "pool"}}
    pool = POOL | {"vms": 12, "in_use": 2}
    for slices, row in {
        (0, 2): ("0..8", "12", "2", "2..10", "83 %", "free"),
        (0, 3): ("0..10, maxima 12", "12", "2", "0..10", "100 %", "full"),
        (3, 3): ("12", "12", "2", "2 too few", "116 %", "over"),
    }.items():
        low, high = slices
        plan = checked(slices={"a": group | ({"min": low, "max": high} if low < high else {"count": low})})
        (shown,) = reservation_rows(used(plan, reservations=[pool]))
        assert (shown.used, shown.limit, shown.other, shown.left, shown.share, shown.state) == row
        assert tiles(plan, reservations=[pool])["Fullest reservation"][0] == row[4]


def test_what_could_be_saved(priced: Callable[..., Catalog]) -> None:
    """A slice costs 32 USD per hour, or 16 as Spot: 11,680 USD less per month."""
    catalog = priced(on_demand=2, spot=1)
    unused = {"name": "pool", "project": "acme-ml", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 5}

    def saved(*reservations: Any, catalog: Catalog = catalog, **group: Any) -> str:
        content = {"version": 1, "as_of": "2026-11-20", "reservations": list(reservations)}
        inventory = Document(Inventory.model_validate(content))
        plan = checked(catalog, slices={"a": ONE | group})
        return savings_text(costs_of([plan], inventory, catalog, today=TODAY))

    other = "11,680 with the cheapest alternatives (spot)"
    left = "29,200 without the unused capacity of reservations"
    assert saved() == f"Possible savings in USD per month: up to {other}."
    assert saved(count=2) == "Possible savings in USD per month: up to 23,360 with the cheapest alternatives (spot)."
    assert saved(unused) == f"Possible savings in USD per month: up to {other}, and {left}."
    assert "spot" not in saved(capacity="spot")
    assert saved(catalog=priced(on_demand=1, spot=2)) == ""
    # who has a reservation pays for it, whether the slices leave it or not
    assert saved(unused | {"vms": 4}, capacity={"reservation": "pool"}) == ""


def test_the_title_is_that_of_the_caller_or_the_projects() -> None:
    def title(*plans: CheckedPlan, title: str = "") -> str:
        calendar = calendar_of(plans, None, CATALOG, TODAY)
        page = report_html(
            used(*plans), costs(*plans), calendar, findings=(), catalog=CATALOG, today=TODAY, title=title
        )
        return page.partition("<title>")[2].partition("</title>")[0]

    one, two = checked(name="one.yaml"), checked(name="two.yaml")
    assert title(one, two) == "Cloud TPU on GKE: acme-ml, 2026-11-20"
    assert title(one, title="Fleet of 2027") == "Fleet of 2027, 2026-11-20"


def paths_of(row: TimeRow) -> list[tuple[str, str]]:
    return [(name, d) for d, name in re.findall(r'<path d="([^"]*)" class="([^"]*)"', row.svg) if name != "grid"]


def test_each_row_of_the_calendar_is_drawn_on_a_scale_of_hours() -> None:
    """From 20 November; a bar begins and ends at its hours, also where they are outside the shown days."""
    maintenance = {"window": WINDOW, "exclusions": {"freeze": EXCLUSION | {"scope": "no_upgrades"}}}
    slices = {"a": ONE | {"capacity": {"reservation": "pool"}}, "b": ONE | {"capacity": "flex_start", "max": 1}}
    runs = {
        "x": RUN,
        "late": RUN | {"start": "2026-12-25T08:00:00Z", "duration": "2d"},
        "tune": RUN | {"slices": "b", "duration": "6h"},
    }
    plan = checked(maintenance=maintenance, slices=slices, runs=runs)
    dates = {"from": "2026-11-25", "until": "2026-12-28"}
    rows = {row.title: paths_of(row) for row in lines(plan, reservations=[POOL | dates], last="2026-12-26").rows}
    end = 24 * 37
    assert rows["run x"] == [("item clear", "M272 5H308v10H272z")]
    assert rows["run tune"] == [("item exempt", "M272 5H278v10H272z"), ("end", "M440 1v18")]
    # The openings at 2 o'clock on 26 December; that on 27 December is outside.
    assert rows["run late"] == [
        ("item interrupted", f"M848 5H{end}v10H848z"),
        ("opening", f"M866 1H872v18H866zM{end} 1H{end}v18H{end}z"),
    ]
    assert rows["exclusion freeze"] == [("item exclusion", "M264 5H720v10H264z")]
    assert rows["reservation pool"] == [("item reservation", f"M120 5H{end}v10H120z"), ("end", "M120 1v18")]
    ((name, windows),) = rows["11 maintenance windows"]
    assert (name, windows.partition("z")[0], windows.count("z")) == ("item window", "M26 4H32v12H26", 11)


@pytest.mark.parametrize(
    ("dates", "drawn"),
    [
        ({"until": "2026-11-24"}, [("item reservation", "M0 5H120v10H0z"), ("end", "M120 1v18")]),
        (
            {"from": "2026-11-21", "until": "2026-11-24"},
            [("item reservation", "M24 5H120v10H24z"), ("end", "M24 1v18M120 1v18")],
        ),
    ],
)
def test_a_reservation_is_drawn_from_its_begin_or_the_left(dates: dict[str, str], drawn: list[tuple[str, str]]) -> None:
    plan = checked(slices={"a": ONE | {"capacity": {"reservation": "pool"}}})
    (row,) = lines(plan, reservations=[POOL | dates], last="2026-11-30").rows
    assert paths_of(row) == drawn


def test_the_end_of_support_is_a_line_in_the_middle_of_its_row() -> None:
    (row,) = lines(checked(min_version="1.35"), first="2027-04-01", last="2027-04-30").rows
    assert paths_of(row) == [("support_end", "M240 2v16")]
