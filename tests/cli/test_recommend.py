"""``gke-tpu recommend``: formats, options that make no sense, and groups to paste."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pulumi_gke_tpu.render.generated.schemas_index import SCHEMAS

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
    assert [row["number"] for row in shown["rows"]] == [1]
    assert all(row["reasons"] for row in shown["rows"])
    narrow = json.loads(
        gke_tpu("recommend", "--chips", "256", "--tpu", "v6e,v4", "--limit", "1", "--format", "json").out
    )
    assert [row["follows_advice"] for row in narrow["rows"]] == [False, True]


def test_json_follows_its_schema(gke_tpu: GkeTpu) -> None:
    shown = json.loads(gke_tpu("recommend", *NEAR, "--run", "10d", "--budget", "200000/run", "--format", "json").out)
    jsonschema.validate(shown, SCHEMAS["recommend"]())
    assert shown["need"]["run_seconds"] == 864_000


def test_an_emitted_group_is_valid_where_it_is_pasted(gke_tpu: GkeTpu, tmp_path: Path) -> None:
    group = gke_tpu("recommend", *NEAR, "--capacity", "on-demand", "--emit", "1").out
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  c:\n    mode: standard\n    location: europe-west4\n    slices:\n"
        f"      {group}",
        encoding="utf-8",
    )
    run = gke_tpu("validate", plan)
    assert (run.code, run.out) == (0, "no findings\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Name the need: --chips, --hbm or --tflops."),
        (("--chips", "8", "--near", "us-east5-b"), "--near takes a region; for a zone, use --zones us-east5-b."),
        (("--chips", "8", "--near", "us-est5"), "Unknown region with TPUs us-est5. Did you mean us-east5?"),
        (("--chips", "8", "--zones", "us-east5-z"), "Unknown zone with TPUs us-east5-z."),
        (("--chips", "8", "--tpu", "v9"), "Unknown generation v9."),
        (("--chips", "8", "--tpu", "tpu8t"), "GKE does not offer it yet"),
        (("--chips", "8", "--capacity", "spto"), "Unknown capacity mode spto. Did you mean spot?"),
        (("--chips", "8", "--run", "10"), "Invalid duration 10: use a form such as 10d, 6h or 90m."),
        (("--chips", "8", "--budget", "cheap"), "Invalid budget cheap: use a form such as 500/h or 20000/run."),
        (("--chips", "8", "--budget", "5/run"), "A budget per run requires --run."),
        (("--chips", "8", "--gke-version", "new"), "Invalid GKE version new: use a form such as 1.34."),
        (("--chips", "8", "--why-not", "banana"), "Unknown name banana"),
        (("--chips", "8", "--emit", "9999"), "There is no row 9999"),
        (("--chips", "8", "--emit", "1", "--format", "json"), "--why-not and --emit require the text format."),
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
