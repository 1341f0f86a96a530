"""``gke-tpu cost``: formats, periods, and several plans."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.shipped import STACKS

from pulumi_gke_tpu.core.output.schemas import all_schemas

GkeTpu = Callable[..., Any]
DAY = ("--today", "2026-11-20")


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_a_group_has_its_cost_and_its_alternatives_below_it(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("cost", STACKS / "prod", "--for", "10d", *DAY)
    assert run.code == 0
    found = rows(run.out)
    at = found.index(["train-east/pretrain,", "reservation", "1,382.40", "33,177.60", "1,009,152.00", "331,776.00"])
    assert found[at + 2] == ["-", "spot", "718.49", "17,243.75", "524,497.41", "172,437.50"]
    assert ["train-east/ablation,", "flex-start", "unknown", "unknown", "unknown", "unknown"] in found
    assert "total >=1,382.40 >=33,177.60" in " ".join(run.out.split())
    assert "note: no flex-start price of ct5p in us-east5 is known" in run.out
    shared = "on-demand, spot and flex-start: slices leave their reservation, which may have to be paid anyway"
    assert shared in " ".join(run.out.split())


def test_json_follows_its_schema_and_its_total_is_that_of_all_plans(gke_tpu: GkeTpu) -> None:
    shown = json.loads(gke_tpu("cost", STACKS, "--for", "36h", "--format", "json", *DAY).out)
    jsonschema.validate(shown, all_schemas()["cost"]())
    assert [period["name"] for period in shown["periods"]] == ["hour", "day", "month", "36h"]
    for period in ("hour", "36h"):
        known = [plan["total"][period] for plan in shown["plans"] if plan["total"]]
        for bound in ("min", "max"):
            assert abs(float(shown["total"][period][bound]) - sum(float(item[bound]) for item in known)) < 1e-6


def test_the_price_of_a_contract_is_named(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(
        "version: 1\nas_of: 2026-11-20\nreservations:\n  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, "
        "machine_type: ct6e-standard-4t, vms: 128, usd_per_chip_hour: 1.25}\n",
        encoding="utf-8",
    )
    run = gke_tpu("cost", STACKS / "prod", "--inventory", inventory, *DAY)
    assert ["train-east/pretrain,", "reservation", "640.00", "15,360.00", "467,200.00"] in rows(run.out)
    assert "train-east/pretrain: at the contract price of 1.25 USD per chip and hour" in run.out


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_unused_vms_are_beside_all_sums(gke_tpu: GkeTpu, tmp_path: Path, form: str) -> None:
    pool = (
        "{name: v6e-pretrain, project: acme-ml, zone: us-east5-b, machine_type: ct6e-standard-4t, vms: 160, in_use: 2}"
    )
    spare = (
        "{name: spare, project: acme-ml, zone: us-east5-a, machine_type: ct5p-hightpu-4t, vms: 2, usd_per_chip_hour: 1}"
    )
    outputs = []
    for number, entries in enumerate(([pool.replace("160", "130")], [pool, spare])):
        owned = tmp_path / f"owned-{number}.yaml"
        owned.write_text(f"version: 1\nas_of: 2026-11-20\nreservations: [{', '.join(entries)}]\n", encoding="utf-8")
        run = gke_tpu("cost", STACKS / "prod", "--inventory", owned, "--format", form, *DAY)
        assert run.code == 0
        outputs.append(run.out)
    if form == "json":
        used, unused = map(json.loads, outputs)
        jsonschema.validate(unused, all_schemas()["cost"]())
        assert (used["unused_reservations"], used["total"]) == ([], unused["total"])
        assert [
            (item["reservation"], item["vms"], item["usd"]["hour"]["max"]) for item in unused["unused_reservations"]
        ] == [
            ("spare", {"min": 2, "max": 2}, "8.0"),
            ("v6e-pretrain", {"min": 30, "max": 30}, "324.0"),
        ]
        return
    cell = " | " if form == "markdown" else " "
    lines = [" ".join(line.strip("| ").split()) for line in outputs[1].splitlines()]
    for row in (
        ("spare, acme-ml us-east5-a", "2 of 2", "8.00", "192.00", "5,840.00"),
        ("v6e-pretrain, acme-ml us-east5-b", "30 of 160", "324.00", "7,776.00", "236,520.00"),
        ("all unused VMs", "", "332.00", "7,968.00", "242,360.00"),
    ):
        assert " ".join(cell.join(row).split()) in lines
    assert "unused" not in outputs[0]
    totals = [[line for line in out.splitlines() if line.lstrip("| ").startswith("total")] for out in outputs]
    assert totals[0] == totals[1] != []


def test_without_an_inventory_no_vms_are_unused(gke_tpu: GkeTpu) -> None:
    assert json.loads(gke_tpu("cost", STACKS, "--format", "json", *DAY).out)["unused_reservations"] == []


def test_what_is_not_offered_has_its_rule_in_text_and_json_and_on_request(gke_tpu: GkeTpu) -> None:
    inventory = STACKS.parent / "docs" / "examples" / "inventory.yaml"
    arguments = ("cost", STACKS / "prod", "--inventory", inventory, *DAY)
    reason = (
        "quota `preemptible_tpu_v6e` of project acme-ml in us-east5 is 32 chips, but one slice of train-east/pretrain"
    )
    assert f"not offered: flex-start for train-east/pretrain: {reason}" in " ".join(gke_tpu(*arguments).out.split())
    data = json.loads(gke_tpu(*arguments, "--format", "json").out)
    jsonschema.validate(data, all_schemas()["cost"]())
    (absent,) = [item for item in data["plans"][0]["groups"][0]["not_offered"] if item["name"] == "flex-start"]
    assert (absent["kind"], absent["rule"], absent["confidence"]) == ("capacity", "TPU811", "high")
    assert absent["because"].startswith(reason)
    run = gke_tpu(*arguments, "--why-not", "flex-start")
    assert run.code == 0
    assert run.out.startswith(f"train-east/pretrain, flex-start: {reason}")
    assert len(run.out.splitlines()) == 3


def test_a_word_without_a_meaning_and_other_formats_are_usage_errors(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("cost", STACKS / "prod", "--why-not", "whatever", *DAY)
    assert (run.code, run.out) == (2, "")
    assert "Unknown name whatever: name a capacity mode, zone" in run.err
    run = gke_tpu("cost", STACKS / "prod", "--why-not", "spot", "--format", "json", *DAY)
    assert (run.code, "--why-not requires the text format" in run.err) == (2, True)


def test_an_alternative_that_a_standard_forbids_is_not_offered(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    organization = tmp_path / "organization.yaml"
    organization.write_text(
        "version: 1\nstandards: {purchase: {capacities: [spot, reservation, flex_start], owner: a}}\n"
    )
    arguments = ("cost", STACKS / "prod", "--organization", organization, *DAY)
    run = gke_tpu(*arguments)
    assert (run.code, "- on-demand" in run.out) == (0, False)
    forbidden = "capacity mode on_demand is not allowed; standard `purchase` (owner: a) (TPU924)"
    groups = "train-east/pretrain, train-east/sweep and train-east/ablation"
    assert f"not offered: on-demand for {groups}: {forbidden}" in " ".join(run.out.split())
    assert (
        gke_tpu(*arguments, "--why-not", "on-demand").out.splitlines()[0]
        == f"train-east/pretrain, on-demand: {forbidden}"
    )


@pytest.mark.parametrize("duration", ["10", "0d", "-1d", "ten days"])
def test_an_invalid_duration_is_a_usage_error(gke_tpu: GkeTpu, duration: str) -> None:
    run = gke_tpu("cost", STACKS / "prod", "--for", duration)
    assert (run.code, run.out) == (2, "")
    assert f"Invalid duration {duration}" in run.err


def test_a_plan_with_errors_has_no_costs(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    broken = tmp_path / "plan.yaml"
    broken.write_text((STACKS / "prod" / "plan.yaml").read_text(encoding="utf-8").replace("16x16", "16x17"))
    run = gke_tpu("cost", broken)
    assert (run.code, run.out) == (1, "")
    assert "TPU112" in run.err


def test_markdown_has_one_table_for_each_plan(gke_tpu: GkeTpu) -> None:
    shown = gke_tpu("cost", STACKS, "--format", "markdown", *DAY).out
    assert shown.count("| slices, capacity | USD/hour |") == 5  # four plans and the sum
    assert "| all plans | \\>=" in shown


def test_a_preview_with_an_inventory_uses_the_price_of_the_contract(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    contract = STACKS.parent / "docs" / "examples" / "contract.yaml"
    shown = " ".join(gke_tpu("preview", STACKS / "prod", "--prices", "--inventory", contract, *DAY).out.split())
    assert "train-east/pretrain: at the contract price of 1.89 USD per chip-hour (inventory)." in shown
    assert "967.68 USD/h" in shown


RUNS = STACKS.parent / "docs" / "examples" / "runs.yaml"


def test_each_planned_run_has_its_cost_and_its_alternatives(gke_tpu: GkeTpu) -> None:
    found = rows(gke_tpu("cost", RUNS, *DAY).out)
    at = found.index(["train/llama,", "reservation", "1", "of", "train/pretrain", "10", "d", "41,472.00"])
    assert found[at + 2 : at + 4] == [["-", "spot", "21,554.69"], ["-", "flex-start", "at", "most", "7", "d"]]
    assert ["all", "runs", "48,211.20"] in found
    assert "| train/llama, reservation | 1 of train/pretrain | 10 d | 41,472.00 |" in (
        gke_tpu("cost", RUNS, "--format", "markdown", *DAY).out
    )


def test_runs_are_in_the_json_and_not_in_its_totals(gke_tpu: GkeTpu) -> None:
    shown = json.loads(gke_tpu("cost", RUNS, "--format", "json", *DAY).out)
    jsonschema.validate(shown, all_schemas()["cost"]())
    ((plan),) = shown["plans"]
    runs = {run["run"]: run for run in plan["runs"]}
    assert float(runs["train/llama"]["usd"]) == pytest.approx(2.7 * 64 * 240)
    assert runs["train/llama"]["start"] == "2026-12-01T08:00:00Z"
    short = [each for each in runs["train/llama"]["alternatives"] if each["too_short_because"]]
    assert [(each["name"], each["usd"]) for each in short] == [("flex-start", None)]
    assert float(plan["runs_total"]) == pytest.approx(sum(float(run["usd"]) for run in runs.values()))
    assert plan["total"]["hour"]["max"] == shown["total"]["hour"]["max"]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("plan", [STACKS / "prod", RUNS])
def test_the_tables_fit_and_each_note_is_there_once(
    gke_tpu: GkeTpu, monkeypatch: pytest.MonkeyPatch, plan: Path, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = gke_tpu("cost", plan, "--for", "10d", *DAY).out.splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.startswith("slices, capacity") for line in lines)
    notes = " ".join("\n".join(lines).split()).split(" note: ")[1:]
    assert len(set(notes)) == len(notes)
    names = [note.partition(": ")[2] for note in notes if ": " in note]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "group",
    [
        "{tpu: v5p, topology: 2x2x2, zone: europe-west4-b, capacity: {reservation: p5}}",  # an alternative is unknown
        "{tpu: v5p, topology: 2x2x2, zone: europe-west4-b, capacity: flex_start}",
        "{tpu: v6e, topology: 2x2, zone: us-east5-b}",
        "{tpu: v6e, topology: 2x2, zone: us-east5-b}\n      b: {tpu: v5p, topology: 2x2x2, zone: us-east5-a, "
        "capacity: flex_start}",
    ],
)
def test_a_mark_has_its_note_exactly_if_an_amount_has_it(gke_tpu: GkeTpu, tmp_path: Path, group: str) -> None:
    region = "europe-west4" if "europe" in group else "us-east5"
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    network: create\n"
        f"    location: {region}\n    slices:\n      a: {group}\n",
        encoding="utf-8",
    )
    tables, _, notes = gke_tpu("cost", plan, *DAY).out.partition("note: ")
    assert ("? marks" in f"note: {notes}") is bool(re.search(r"\?\d", tables))
    assert (">= marks" in f"note: {notes}") is (">=" in tables)


def test_an_error_about_the_plans_together_is_shown_beside_the_cost(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory.yaml"
    inventory.write_text(
        "version: 1\nas_of: 2026-11-20\nreservations:\n  - {name: v6e-pretrain, project: acme-ml, zone: us-east5-b, "
        "machine_type: ct6e-standard-4t, vms: 1}\n",
        encoding="utf-8",
    )
    run = gke_tpu("cost", STACKS / "prod", "--inventory", inventory, *DAY)
    assert (run.code, "TPU804" in run.err, "train-east/pretrain" in run.out) == (1, True, True)


def test_a_group_with_several_modes_shows_them_and_which_price_it_has(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: us-central1\n    slices:\n"
        "      a: {tpu: v6e, topology: 4x4, zone: us-central1-b, fallback: [spot], max: 3}\n",
        encoding="utf-8",
    )
    run = gke_tpu("cost", plan, *DAY)
    found = [row[:4] for row in rows(run.out)]
    assert ["c/a,", "on-demand,", "then", "spot"] in found
    assert [row[1] for row in found if row[:1] == ["-"]] == ["spot", "flex-start"]
    assert "c/a: at the price of on-demand, the highest known price of its capacity modes" in " ".join(run.out.split())
