"""``gke-tpu recommend``: formats, options that make no sense, and groups to paste."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.core.output.schemas import all_schemas

GkeTpu = Callable[..., Any]
NEAR = ("--chips", "256", "--near", "europe-west4", "--today", "2026-11-20")


def test_a_row_has_its_slices_place_size_and_cost(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("recommend", *NEAR, "--interruptible", "no")
    assert run.code == 0
    rows = [line.split() for line in run.out.splitlines()]
    assert [
        "4",
        "v6e",
        "16x16",
        "europe-west4-a",
        "on-demand",
        "64",
        "256",
        "8,192",
        "235,008",
        "760.32",
    ] in rows


def test_every_shown_row_has_reasons_and_its_own_advice_stays(gke_tpu: GkeTpu) -> None:
    shown = json.loads(gke_tpu("recommend", *NEAR, "--limit", "1", "--format", "json").out)
    assert shown["rows"][0]["number"] == 1
    assert len(shown["rows"]) < shown["total"]
    assert all(row["reasons"] for row in shown["rows"])
    narrow = json.loads(
        gke_tpu("recommend", "--chips", "256", "--tpu", "v6e,v4", "--limit", "1", "--format", "json").out
    )
    assert [row["follows_advice"] for row in narrow["rows"]].count(True) == 1


@pytest.mark.parametrize(
    ("need", "advice"),
    [
        (("--chips", "4"), "Small training or inference workloads: single-host v4 or v5e"),
        (("--chips", "256"), "Larger training or inference workloads: multi-host v4 or v5e"),
        (("--chips", "9000"), "The largest training or inference workloads: several slices with Pathways"),
    ],
)
def test_each_case_of_the_planning_page_has_a_row_beside_a_newer_generation(
    gke_tpu: GkeTpu, need: tuple[str, ...], advice: str
) -> None:
    """The advice with its page and date, and a newer generation with the numbers that the page does not compare."""
    words = ("recommend", *need, "--limit", "1", "--today", "2026-11-20")
    shown = json.loads(gke_tpu(*words, "--format", "json").out)
    advised = [row for row in shown["rows"] if row["follows_advice"]]
    newer = [row for row in shown["rows"] if row["generation"] in {"v6e", "tpu7x"}]
    page = f"advised by Google's planning page (2025): {advice}"
    assert any(reason["text"] == page for row in advised for reason in row["reasons"])
    for generation in ("v6e", "tpu7x"):
        (row,) = [row for row in newer if row["generation"] == generation][:1]
        text = next(reason["text"] for reason in row["reasons"] if "does not compare" in reason["text"])
        assert text.startswith(f"Google's planning page (2025) is older and does not compare {generation}: it has ")
        assert "times the bf16 TFLOPS at " in text
        assert text.endswith(f"times the cost of row {advised[0]['number']}")
    out = " ".join(gke_tpu(*words).out.split())
    assert out.count(f"{page} (confidence medium)") == 1
    assert "advised by Google's planning page (2025)" in out.partition("note:")[0]
    assert "is older and does not compare v6e" in " ".join(gke_tpu(*words, "--details").out.split())


def test_a_row_before_the_advised_one_states_why(gke_tpu: GkeTpu) -> None:
    words = ("recommend", "--chips", "256", "--tpu", "v6e,v4", "--today", "2026-11-20")
    shown = json.loads(gke_tpu(*words, "--format", "json").out)
    (number,) = [row["number"] for row in shown["rows"] if row["follows_advice"]][:1]
    for row in shown["rows"][: number - 1]:
        (reason,) = [each["text"] for each in row["reasons"] if "ranked before" in each["text"]]
        assert reason == f"ranked before row {number}, which Google's planning page (2025) advises: it costs less"
    assert number > 1
    assert any(note.startswith("Row 1 does not follow Google's planning page") for note in shown["notes"])


def test_a_statement_about_a_capacity_mode_appears_once(gke_tpu: GkeTpu) -> None:
    out = " ".join(gke_tpu("recommend", *NEAR).out.split())
    assert out.count("Compute Engine can preempt the VMs at any time") == 1
    assert out.count("they run for at most 7 d") == 1


def test_a_price_of_low_confidence_has_its_mark(gke_tpu: GkeTpu) -> None:
    out = gke_tpu("recommend", "--chips", "4", "--tpu", "tpu7x", "--capacity", "flex-start").out
    assert " ?24.00" in out
    assert "note: ? marks a price of low confidence" in out
    assert "lowest cost" not in out.split("row 1")[1].split("\n\n")[0]


def test_a_need_in_int8_shows_int8(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("recommend", "--tflops", "1836", "--precision", "int8", "--tpu", "v6e", "--format", "json")
    rows = json.loads(run.out)["rows"]
    assert {row["int8_tops"] for row in rows} == {1836}
    shown = gke_tpu("recommend", "--tflops", "1836", "--precision", "int8", "--format", "markdown").out
    assert "| int8 TOPS |" in shown
    assert "1,836 TOPS (int8)" in shown


def test_json_follows_its_schema(gke_tpu: GkeTpu) -> None:
    shown = json.loads(gke_tpu("recommend", *NEAR, "--run", "10d", "--budget", "200000/run", "--format", "json").out)
    jsonschema.validate(shown, all_schemas()["recommend"]())
    assert shown["need"]["run_seconds"] == 864_000


def test_an_emitted_plan_is_valid(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(gke_tpu("recommend", *NEAR, "--capacity", "on-demand", "--emit", "1").out, encoding="utf-8")
    run = gke_tpu("validate", plan)
    assert (run.code, run.out) == (0, "no findings\n")


def test_a_plan_with_warnings_is_emitted_with_them_as_comments(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    need = ("--chips", "16", "--tpu", "v6e", "--zones", "us-east5-c", "--capacity", "on-demand")
    text = gke_tpu("recommend", *need, "--emit", "1").out
    assert text.startswith("# TPU208: zone us-east5-c is not on the GKE list for v6e")
    plan = tmp_path / "plan.yaml"
    plan.write_text(text, encoding="utf-8")
    found = json.loads(gke_tpu("validate", plan, "--format", "json").out)["findings"]
    assert [finding["rule"] for finding in found] == ["TPU208"]


def test_an_emitted_plan_on_a_calendar_reservation_states_that_it_has_to_be_requested(gke_tpu: GkeTpu) -> None:
    need = ("--chips", "1,024", "--tpu", "v6e", "--near", "us-east5", "--capacity", "reservation", "--run", "3w")
    first, *lines = gke_tpu("recommend", *need, "--emit", "1").out.splitlines()
    assert first == "# Request the reservation in calendar mode first, and write its name for calendar-reservation."
    assert lines[:6] == [
        "version: 1",
        "project: your-project",
        "clusters:",
        "  tpu:",
        "    mode: standard",
        "    location: us-east5",
    ]


INVENTORY = """version: 1
as_of: 2026-11-20
quotas:
  - {project: acme-ml, metric: preemptible_tpu_v6e, region: us-east5, limit: 8}
  - {project: acme-web, metric: preemptible_tpu_v6e, region: us-east5, limit: 64}
"""


def test_the_project_selects_the_quotas_of_the_inventory(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(INVENTORY, encoding="utf-8")
    words = ("recommend", "--chips", "64", "--zones", "us-east5-b", "--capacity", "spot", "--tpu", "v6e")
    asked = (*words, "--inventory", inventory, "--today", "2026-11-20")
    assert gke_tpu(*asked, "--project", "acme-web").code == 0
    assert gke_tpu(*asked, "--project", "acme-ml").code == 1
    several, unknown = gke_tpu(*asked), gke_tpu(*asked, "--project", "acme-wep")
    assert (several.code, unknown.code) == (2, 2)
    assert "has several projects, acme-ml and acme-web: select one with --project" in " ".join(several.err.split())
    assert "Unknown project acme-wep. Did you mean acme-web?" in unknown.err
    inventory.write_text(INVENTORY.rpartition("  - {")[0], encoding="utf-8")
    assert gke_tpu(*asked).code == 1


@pytest.mark.parametrize(
    ("words", "need"),
    [
        (("--chips", "1,024"), {"chips": 1024, "budget_usd": None}),
        (("--chips", "8", "--run", "3w"), {"run_seconds": 21 * 86_400}),
        (("--chips", "8", "--run", "1w2d"), {"run_seconds": 9 * 86_400}),
        (("--chips", "8", "--budget", "500"), {"budget_usd": "500", "budget_per": "hour"}),
        (("--chips", "8", "--run", "1d", "--budget", "1.5M"), {"budget_usd": "1500000", "budget_per": "run"}),
        (("--chips", "8", "--run", "1d", "--budget", "20,000/run"), {"budget_usd": "20000", "budget_per": "run"}),
        (("--chips", "8", "--run", "1d", "--budget", "2.5k/h"), {"budget_usd": "2500", "budget_per": "hour"}),
    ],
)
def test_numbers_are_read_as_people_write_them(gke_tpu: GkeTpu, words: tuple[str, ...], need: dict[str, Any]) -> None:
    """A budget without a unit is for the run if there is one."""
    data = json.loads(gke_tpu("recommend", *words, "--zones", "us-east5-b", "--format", "json").out)
    found = {key: data["need"][key] for key in need}
    assert {key: int(float(value)) if key == "budget_usd" and value else value for key, value in found.items()} == {
        key: int(value) if key == "budget_usd" and value else value for key, value in need.items()
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--chips", "8", "--near", "us-east5", "--zones", "us-west4-a"), "has no zone of --near us-east5"),
        (("--chips", "8", "--emit", "1", "--why-not", "v5p"), "--why-not and --emit exclude each other."),
        (("--chips", "8", "--project", "acme-ml"), "--project requires --inventory."),
        (("--chips", "8", "--by", "2026-11-19", "--today", "2026-11-20"), "--by 2026-11-19 is before today"),
        ((), "Name the need: --chips, --hbm or --tflops."),
        (("--chips", "8", "--near", "us-east5-b"), "--near takes a region; for a zone, use --zones us-east5-b."),
        (("--chips", "8", "--near", "us-est5"), "Unknown region us-est5. Did you mean us-east5?"),
        (("--chips", "8", "--zones", "us-east5-z"), "Unknown zone with TPUs us-east5-z."),
        (("--chips", "8", "--tpu", "v9"), "Unknown generation v9."),
        (("--chips", "8", "--tpu", "tpu8t"), "GKE does not offer it yet"),
        (("--chips", "8", "--capacity", "spto"), "Unknown capacity mode spto. Did you mean spot?"),
        (("--chips", "8", "--run", "10"), "Invalid duration 10: use a form such as 3w, 10d, 6h or 90m."),
        (("--chips", "8", "--budget", "cheap"), "Invalid budget cheap: use a form such as 500/h or 1.5M/run."),
        (("--chips", "8", "--budget", "5/run"), "A budget per run requires --run."),
        (("--chips", "8", "--budget", "1,5M"), "Invalid budget 1,5M: use a form such as 500/h or 1.5M/run."),
        (("--chips", "8", "--budget", "5/day"), "Invalid budget 5/day: use a form such as 500/h or 1.5M/run."),
        (("--chips", "8", "--run", "w"), "Invalid duration w: use a form such as 3w, 10d, 6h or 90m."),
        (("--chips", "8", "--run", "999999999w"), "Invalid duration 999999999w:"),
        (("--chips", "1,02"), "'1,02' is not a valid integer range"),
        (("--chips", "8", "--gke-version", "new"), "Invalid GKE version new: use a form such as 1.34."),
        (("--chips", "8", "--why-not", "banana"), "Unknown name banana"),
        (("--chips", "8", "--emit", "9999"), "There is no row 9999"),
        (("--chips", "8", "--emit", "1", "--format", "json"), "--why-not and --emit require the text format."),
        (("--chips", "8", "--why-not", "v5p", "--format", "json"), "--why-not and --emit require the text format."),
    ],
)
def test_options_that_mean_nothing_are_usage_errors(gke_tpu: GkeTpu, words: tuple[str, ...], message: str) -> None:
    run = gke_tpu("recommend", *words)
    assert (run.code, run.out) == (2, "")
    assert message in " ".join(run.err.split())


def test_without_a_row_the_reasons_stay_and_the_exit_code_is_1(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("recommend", "--chips", "256", "--budget", "1/h", "--tpu", "v6e")
    assert run.code == 1
    assert "No slices meet the need." in run.out
    assert "the cost exceeds the budget of 1.00 USD per hour" in " ".join(run.out.split())


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("v4", "v4: outside europe-west4 (us-central2-b)"),
        ("ironwood", "tpu7x: outside europe-west4"),
        ("us-east5", "us-east5: outside europe-west4"),
        ("us-east5-b", "us-east5-b: outside europe-west4"),
        ("mars-north1", "mars-north1: no source lists TPUs there"),
        ("reservation", "reservation: there is no inventory with reservations"),
        ("4x4x4", "v5p 4x4x4: offered in row"),
        ("ct6e-standard-8t", "v6e ct6e-standard-8t: several slices of one training job use Multislice"),
        ("16x16x16", "v5p 16x16x16: a slice of 256 chips is enough for the need of 256"),
        ("queued", "queued: you asked for on-demand, spot, flex-start or reservation"),
        ("v6e", "v6e: offered in rows"),
    ],
)
def test_why_not(gke_tpu: GkeTpu, word: str, reason: str) -> None:
    run = gke_tpu("recommend", *NEAR, "--why-not", word)
    assert run.code == 0
    assert reason in run.out


def test_the_same_need_has_the_same_output(gke_tpu: GkeTpu) -> None:
    outputs = {gke_tpu("recommend", *NEAR, "--format", form).out for form in ("text", "json", "markdown") * 2}
    assert len(outputs) == 3


def test_queued_capacity_has_no_limit_that_a_fact_sets_and_no_price_of_its_own(gke_tpu: GkeTpu) -> None:
    words = ("recommend", "--chips", "16", "--tpu", "v6e", "--near", "us-east5", "--capacity", "queued,flex-start")
    shown = json.loads(gke_tpu(*words, "--run", "10d", "--format", "json").out)
    assert {row["capacity"] for row in shown["rows"]} == {"queued"}
    texts = [reason["text"] for reason in shown["rows"][0]["reasons"]]
    assert "the price of queued capacity is unknown" in texts
    assert any(text.startswith("on-demand price of 2026") for text in texts)


def test_a_project_that_only_shares_a_reservation_can_be_planned_for(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(
        "version: 1\nas_of: 2026-11-20\nreservations:\n  - {name: pool, project: acme-ml, zone: us-east5-b, "
        "machine_type: ct6e-standard-4t, vms: 64, shared_with: [acme-lab]}\n",
        encoding="utf-8",
    )
    words = ("recommend", "--chips", "16", "--tpu", "v6e", "--capacity", "reservation", "--inventory", inventory)
    assert gke_tpu(*words, "--project", "acme-lab", "--today", "2026-11-20").code == 0
    assert gke_tpu(*words, "--project", "acme-web", "--today", "2026-11-20").code == 2


def test_the_use_of_plans_is_subtracted_and_stated(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    inventory = root / "docs" / "examples" / "quota" / "inventory.yaml"
    plans = root / "docs" / "examples" / "quota" / "plans"
    arguments = ("recommend", "--chips", "64", "--tpu", "v6e", "--inventory", inventory, "--today", "2026-11-20")
    plain = json.loads(gke_tpu(*arguments, "--format", "json").out)
    assert "subtracted" not in plain
    assert any("`--with PLAN` subtracts it" in note for note in plain["notes"])
    run = gke_tpu(*arguments, "--with", plans, "--format", "json")
    data = json.loads(run.out)
    jsonschema.validate(data, all_schemas()["recommend"]())
    assert [(item["kind"], item["name"], item["amount"]) for item in data["subtracted"]] == [
        ("reservation", "v6e-pretrain", 32),
        ("quota", "preemptible_tpu_v6e", 64),
        ("quota", "tpus_per_tpu_family (CT6E)", 48),
    ]
    text = " ".join(gke_tpu(*arguments, "--with", plans).out.split())
    assert "Subtracted for your plans at their largest size: 32 VMs of reservation v6e-pretrain of acme-ml in" in text


def test_plans_to_subtract_require_an_inventory_and_no_errors(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    broken = tmp_path / "plan.yaml"
    broken.write_text("version: 1\nproject: acme-ml\nclusters: {a: {mode: standard}}\n", encoding="utf-8")
    run = gke_tpu("recommend", "--chips", "64", "--with", broken)
    assert (run.code, "--with requires --inventory" in run.err) == (2, True)
    inventory = Path(__file__).parents[3] / "docs" / "examples" / "quota" / "inventory.yaml"
    run = gke_tpu("recommend", "--chips", "64", "--with", broken, "--inventory", inventory)
    assert (run.code, run.out, "TPU" in run.err) == (1, "", True)
