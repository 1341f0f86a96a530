"""Recommended slices as text: the need, the table, and the reasons of each row."""

import dataclasses
import datetime
import pathlib
from decimal import Decimal
from typing import Any

import pytest
from support import written
from support.recommended import LOW, among, row

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan.inventory import OwnedReservation
from pulumi_gke_tpu.core.text.findings import Finding, Severity
from pulumi_gke_tpu.features.cost.recommend.candidates import Budget, Need, Slices
from pulumi_gke_tpu.features.cost.recommend.output.document import recommendation_page
from pulumi_gke_tpu.features.cost.recommend.output.json import recommendation_json
from pulumi_gke_tpu.features.cost.recommend.search import ZonePrice, recommend
from pulumi_gke_tpu.features.cost.recommend.why_not import shown

CATALOG = read_catalog()
TODAY = datetime.date(2026, 11, 20)


def text_of(limit: int = 1, width: int = 140, *, details: bool = True, **need: Any) -> str:
    result = shown(recommend(Need(**need), CATALOG, today=TODAY), CATALOG, limit)
    return written.text_of(recommendation_page(result, details=details), width)


@pytest.mark.parametrize(
    ("need", "title"),
    [
        ({"chips": 8}, "8 chips, training, Standard"),
        ({"chips": 1, "mode": "autopilot", "use": "serving"}, "1 chip, serving, Autopilot"),
        ({"hbm_gib": 2000, "near": "us-east5"}, "2,000 GiB of HBM, training, Standard, in us-east5"),
        (
            {"tflops": 5000, "zones": ("us-east5-a", "us-east5-b"), "interruptible": False},
            "5,000 TFLOPS (bf16), training, Standard, in us-east5-a or us-east5-b, not interruptible",
        ),
        (
            {"chips": 8, "run": datetime.timedelta(days=10), "by": datetime.date(2026, 12, 1)},
            "8 chips, training, Standard, for 10 d, from 2026-12-01",
        ),
        (
            {"chips": 8, "generations": ("v5e", "v6e"), "capacities": ("on_demand", "spot"), "version": "1.34"},
            "8 chips, training, Standard, v5e or v6e, on-demand or spot, GKE 1.34",
        ),
        (
            {"chips": 8, "budget": Budget(Decimal(500), "hour")},
            "8 chips, training, Standard, at most 500.00 USD per hour",
        ),
        (
            {"chips": 8, "budget": Budget(Decimal(20000), "run"), "run": datetime.timedelta(days=10)},
            "8 chips, training, Standard, for 10 d, at most 20,000.00 USD per run",
        ),
    ],
)
def test_the_title_states_the_need(need: dict[str, Any], title: str) -> None:
    assert text_of(**need).splitlines()[0] == f"{title} · catalog {CATALOG.about.version}"


@pytest.mark.parametrize(("asked", "kept"), [({"tflops": 400_000}, "bf16 TFLOPS"), ({"hbm_gib": 16_000}, "HBM, GiB")])
def test_in_a_narrow_terminal_only_the_figure_that_is_asked_for_is_a_column(asked: dict[str, int], kept: str) -> None:
    lines = text_of(limit=8, width=100, run=datetime.timedelta(days=10), **asked).splitlines()
    head = next(line for line in lines if line.lstrip().startswith("slices"))
    assert kept in head
    assert ("bf16 TFLOPS" in head) + ("HBM, GiB" in head) == 1
    assert max(map(len, lines)) <= 100


def test_a_run_has_a_column_only_if_it_is_asked_for() -> None:
    need = {"chips": 16, "near": "us-east5", "generations": ("v6e",), "capacities": ("on_demand",)}
    with_run = text_of(**need, run=datetime.timedelta(days=2)).splitlines()
    assert with_run[2].endswith("USD per hour  USD per run")
    assert with_run[3].split()[-2:] == ["43.20", "2,073.60"]
    assert text_of(**need).splitlines()[2].endswith("USD per hour")


def test_a_reason_has_its_rule_and_its_confidence_unless_that_is_high() -> None:
    lines = text_of(chips=4, generations=("tpu7x",), capacities=("spot",)).splitlines()
    assert [line for line in lines if line.startswith("- ")] == [
        "- lowest cost, fewest hosts",
        "- price of 2026-08-24 (confidence medium)",
        "- tpu7x as Spot VMs is available only to projects on a Google allowlist (TPU302) (confidence medium)",
        "- also in us-central1-ai1a (TPU210)",
    ]
    assert "note: spot: Compute Engine can preempt the VMs at any time" in lines


def test_several_slices_and_an_ambiguous_form_are_in_the_name() -> None:
    text = text_of(chips=16, use="serving", generations=("v5e",), zones=("us-west4-a",), limit=50)
    assert "v5e 2x4 × 2 (8 chips per host)" in text
    assert "v5e 4x4  " in text


def test_markdown_has_the_same_table_and_lists() -> None:
    result = shown(recommend(Need(chips=16, near="us-east5"), CATALOG, today=TODAY), CATALOG, 2)
    text = written.markdown_of(recommendation_page(result, details=True))
    assert text.startswith("## Recommended slices")
    assert "| slices | zone | capacity | hosts | chips |" in text
    assert "Row 1, v6e 4x4, flex-start:" in text


DOCUMENTS = pathlib.Path(__file__).parent / "data" / "recommendations"
POOL = OwnedReservation.model_validate(
    {"name": "pool", "project": "acme-infra", "zone": "us-east5-b", "machine_type": "ct6e-standard-4t", "vms": 8}
)
REMARK = Finding(rule="TPU302", path=(), severity=Severity.WARNING, message="only with an allowlist")
TWO_HOSTS = Slices("2x4", "ct6e-standard-4t", 4, 2, ambiguous=True)
ROWS = (
    row(8, mode="spot", remarks=(REMARK,)),
    row(12, mode="reservation", reservation=POOL, contract=0.75),
    dataclasses.replace(row(30, generation="v4", advised=True), efficient=True),
    row(1_234, mode="flex_start", at=LOW, slices=TWO_HOSTS, places=(ZonePrice("us-east5-a", Decimal(1_235)),)),
    row(None, generation="v3", count=1_200, price=None, unknown="no price is known", variants=(TWO_HOSTS,)),
    row(40, generation="tpu7x"),
    row(50, generation="tpu7x"),
)
RUN = {"chips": 16, "run": datetime.timedelta(hours=36), "by": datetime.date(2026, 12, 1)}
SHOWN = {
    "rows": among(*ROWS),
    "run": among(*ROWS[:2], **RUN),
    "advised-first": among(ROWS[2], ROWS[0]),
    "nothing": among(tflops=1_000, precision="int8", use="serving", mode="autopilot", chips=None),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("form", ["txt", "short.txt", "md", "json"])
def test_a_recommendation_as_a_whole(name: str, form: str) -> None:
    """Made of rows of the test. The last row is beyond the limit."""
    result = dataclasses.replace(shown(SHOWN[name], CATALOG, 6), catalog_version="2026-11-20")
    document = {
        "txt": lambda: written.text_of(recommendation_page(result, details=True)),
        "short.txt": lambda: written.text_of(recommendation_page(result)),
        "md": lambda: written.markdown_of(recommendation_page(result, details=True)),
        "json": lambda: f"{written.json_of(recommendation_json(result))}\n",
    }[form]()
    path = DOCUMENTS / f"{name}.{form}"
    assert document == path.read_text(encoding="utf-8"), f"if the new text is right, write it to {path}"


def test_without_details_a_row_has_one_item_and_equal_reasons_are_one() -> None:
    run = datetime.timedelta(days=21)
    text = text_of(8, 100, details=False, chips=1024, near="us-east5", run=run)
    lines = text.splitlines()
    numbers = [line.split()[2] for line in lines if line.startswith("- row ")]
    assert len(set(numbers)) == len(numbers) > 4
    assert [line for line in lines if line.startswith("not offered")] == [
        "not offered: flex-start: flex-start nodes run for at most 7 d",
        "not offered: v3: ct3 has no slices of this size and use",
        "not offered: v4 and tpu7x: outside us-east5",
    ]
    asked = text_of(8, 100, details=False, chips=1024, near="us-east5", run=run, generations=("v6e",))
    assert [line for line in asked.splitlines() if line.startswith("not offered")] == [
        "not offered: flex-start: flex-start nodes run for at most 7 d"
    ]


def test_the_cheapest_is_named_if_nothing_fits_the_budget() -> None:
    need = {"chips": 1024, "generations": ("v6e",), "near": "us-east5", "interruptible": False}
    run = datetime.timedelta(days=21)
    text = text_of(details=False, **need, run=run, budget=Budget(Decimal(15_000), "run"))
    assert (
        "The cheapest exceeds the budget: v6e 16x16 × 4, calendar mode, in us-east5-a costs 975,421.44 USD per run."
    ) in text
    found = recommend(Need(**need, run=run, budget=Budget(Decimal(15_000), "run")), CATALOG, today=TODAY)
    data = recommendation_json(shown(found, CATALOG, 8))
    assert (data["over_budget"]["calendar"], data["over_budget"]["zone"]) == (True, "us-east5-a")
    assert {item["capacity"] for item in data["capacity_left_out"]} >= {"flex-start", "on-demand", "calendar mode"}
    assert recommendation_json(shown(recommend(Need(**need), CATALOG, today=TODAY), CATALOG, 8))["over_budget"] is None
    by_hour = text_of(details=False, **need, budget=Budget(Decimal(1), "hour"))
    assert "costs 1,382.40 USD per hour." in by_hour
