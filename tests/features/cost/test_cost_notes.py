"""What cost states about its amounts: marks in JSON, and the note for each kind of price."""

import dataclasses
import datetime
from typing import Any

import pytest
from support.recommended import among, row
from support.written import text_of

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.estimate.prices import PriceList
from pulumi_gke_tpu.core.plan import parse_plan
from pulumi_gke_tpu.core.rules import check_plan
from pulumi_gke_tpu.features.cost.output.document import amount_notes, cost_page
from pulumi_gke_tpu.features.cost.output.json import cost_json
from pulumi_gke_tpu.features.cost.recommend.costs import Costs, costs_of
from pulumi_gke_tpu.features.cost.recommend.why_not import reasons
from pulumi_gke_tpu.features.plan.preview.texts import price_notes

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)
ONE = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b"}
UNPRICED = {"tpu": "v5p", "topology": "2x2x1", "zone": "us-east5-a", "capacity": "flex_start", "max": 1}
RUN = {"slices": "a", "start": "2026-12-01T00:00:00Z", "duration": "10d"}
RESERVED = "at the on-demand price; `usd_per_chip_hour` in the inventory replaces it"
QUEUED = "at the on-demand price; no price of queued capacity is known"


def costs(group: dict[str, Any], run: dict[str, Any] | None = None, **keys: Any) -> Costs:
    cluster = {"mode": "standard", "location": "us-east5", "slices": {"a": group}} | keys
    cluster |= {"runs": {"x": run}} if run else {}
    found = check_plan(parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}}), CATALOG, TODAY)
    assert not found.has_errors, found.findings
    return costs_of([found], None, CATALOG, today=TODAY)


@pytest.mark.parametrize(
    ("group", "note"),
    [
        (ONE, ""),
        (ONE | {"capacity": "spot"}, ""),
        (ONE | {"capacity": {"reservation": "pool"}}, "reservation"),
        (ONE | {"capacity": "queued", "max": 1}, "queued"),
    ],
)
def test_the_on_demand_price_in_place_of_another_one_has_a_note(group: dict[str, Any], note: str) -> None:
    found = [text for text in amount_notes(costs(group)) if "at the on-demand price" in text]
    assert [("queued" if "queued capacity" in text else "reservation") for text in found] == ([note] if note else [])
    assert all(text.startswith("c/a: ") for text in found)


def test_notes_name_the_plan_of_a_group_or_run_where_two_plans_have_one_of_the_same_name() -> None:
    flex = {"tpu": "v6e", "topology": "4x4", "zone": "us-east5-b", "capacity": "flex_start", "max": 1}
    slices = {"a": ONE | {"capacity": {"reservation": "pool"}}, "b": flex}
    found = []
    for name, more in (("dev.yaml", {}), ("prod.yaml", {"only": slices["a"]})):
        runs = {"x": RUN | {"slices": "b"}, **({"y": RUN | {"slices": "b"}} if more else {})}
        cluster = {"mode": "standard", "location": "us-east5", "slices": slices | more, "runs": runs}
        document = parse_plan({"version": 1, "project": "acme-ml", "clusters": {"c": cluster}})
        found.append(check_plan(dataclasses.replace(document, name=name), CATALOG, TODAY))
    notes = list(amount_notes(costs_of(found, None, CATALOG, today=TODAY)))
    assert any(note.startswith("dev.yaml c/a, prod.yaml c/a and c/only: at the on-demand price; ") for note in notes)
    ending = [note.partition(": its nodes end")[0] for note in notes if ": its nodes end" in note]
    assert ending == ["dev.yaml c/x", "prod.yaml c/x", "c/y"]


@pytest.mark.parametrize(
    ("capacity", "duration", "ends"), [("flex_start", "10d", True), ("flex_start", "7d", False), ("spot", "10d", False)]
)
def test_a_run_that_outlasts_its_nodes_has_a_note(capacity: str, duration: str, ends: bool) -> None:
    notes = list(amount_notes(costs(ONE | {"capacity": capacity, "max": 1}, RUN | {"duration": duration})))
    assert ("c/x: its nodes end after 7 d, so it has to continue on new nodes" in notes) is ends


def test_a_known_amount_has_its_price_in_a_note_and_no_lower_bound_in_json() -> None:
    found = costs(ONE, RUN)
    (plan,) = cost_json(found)["plans"]
    assert (plan["groups"][0]["at_least"], plan["runs"][0]["at_least"]) == (False, False)
    (price,) = found.plans[0].cost.prices
    doubt = "" if price.confidence_in("usd") == "high" else f", confidence {price.confidence_in('usd')}"
    assert f"ct6e us-east5 on-demand: {price.usd} USD per chip and hour ({price.as_of}{doubt})" in amount_notes(found)


def test_cost_preview_and_recommendations_show_what_contradicts_a_price() -> None:
    disputed = [price for price in PriceList(CATALOG.prices) if price.conflict]
    assert disputed
    for price in disputed:
        mine = row(at=price)
        (reason,) = [each for each in reasons(mine, among(mine), CATALOG) if price.disagreement in each.text]
        assert not reason.detail
        assert reason.about.startswith(f"{price.family} {price.region}")
    spot = costs(ONE | {"capacity": "spot"})
    (used,) = spot.plans[0].cost.prices
    assert used.disagreement
    assert any(used.disagreement in note for note in amount_notes(spot))
    assert any(used.disagreement in note for note in price_notes(spot.plans[0].cost, ()))
    assert not any("sources disagree" in note for note in amount_notes(costs(ONE)))


def test_an_unknown_amount_has_no_lower_bound_in_json() -> None:
    (plan,) = cost_json(costs(UNPRICED, RUN))["plans"]
    (group,), (run,) = plan["groups"], plan["runs"]
    assert (group["usd"], group["at_least"], run["usd"], run["at_least"]) == (None, False, None, False)


def test_an_amount_without_an_unknown_premium_is_a_lower_bound_in_json() -> None:
    group = {"tpu": "v5e", "topology": "2x2"}
    (plan,) = cost_json(costs(group, RUN, mode="autopilot", location="europe-west4"))["plans"]
    (found,), (run,) = plan["groups"], plan["runs"]
    assert (found["usd"] is None, found["at_least"]) == (False, True)
    assert (run["usd"] is None, run["at_least"]) == (False, True)
    known = {item["name"]: item for item in found["alternatives"] if item["usd"] is not None}
    assert known
    assert not any(item["at_least"] for item in found["alternatives"] if item["usd"] is None)
    assert all(item["at_least"] for item in known.values() if item["kind"] != "zone")


def test_amounts_and_lengths_of_runs_are_aligned_at_the_right_and_left() -> None:
    lines = text_of(cost_page(costs(ONE, RUN))).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("run, capacity"))
    head, first, second = lines[start : start + 3]
    assert head.endswith("USD/run")
    assert len(head) == len(first) == len(second)
    assert head.index("length") == first.index("10 d")
    assert head.index("slices") == first.index("1 of c/a")
