"""``gke-tpu explain``: items of plans, words, what does not exist, and the exit codes."""

import json
import pathlib
import shlex
import unicodedata
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulumi_gke_tpu.core.output.schemas import all_schemas

ROOT = pathlib.Path(__file__).parents[3]
PROD = ROOT / "stacks" / "prod" / "plan.yaml"
DEV = ROOT / "stacks" / "dev" / "plan.yaml"
IRONWOOD = ROOT / "stacks" / "ironwood" / "plan.yaml"

BROKEN = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      good: {tpu: v6e, topology: 4x4, zone: us-east5-b}
      bad: {tpu: v6e, topology: 4x3, zone: us-east5-b}
"""


@pytest.fixture
def broken(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "plan.yaml"
    path.write_text(BROKEN)
    return path


@pytest.mark.parametrize(("count", "spread"), [(2, "1 node per zone"), (4, "2 nodes per zone")])
def test_a_group_in_two_zones_shows_its_nodes_per_zone(
    gke_tpu: Any, tmp_path: pathlib.Path, count: int, spread: str
) -> None:
    plan = tmp_path / "plan.yaml"
    group = f"{{tpu: v6e, topology: 2x2, zones: [us-east5-a, us-east5-b], count: {count}}}"
    plan.write_text(
        "version: 1\nproject: acme-ml\nclusters:\n  serve:\n    mode: standard\n    location: us-east5\n"
        f"    slices:\n      web: {group}\n",
        encoding="utf-8",
    )
    assert f"; {spread}; " in " ".join(gke_tpu("explain", plan, "serve/web/zones").out.split())


@pytest.mark.parametrize(
    ("plan", "path", "value"),
    [
        (PROD, "train-east/pretrain/machine_type", "ct6e-standard-4t"),
        (PROD, "clusters.train-east.slices.pretrain.topology", "16x16"),
        (PROD, "train-east/pretrain/hosts", "64 hosts per slice"),
        (PROD, "train-east/pretrain/pretrain-1", "pretrain-0, pretrain-1 (64 nodes each)"),
        (PROD, "train-east/pretrain/placement", "COMPACT, topology 16x16"),
        (PROD, "train-east/pretrain/protect", "enabled"),
        (PROD, "train-east/pretrain.quota", "no additional quota"),
        (PROD, "train-east/sweep/autoscaling", "0..8 nodes in all zones together, location policy ANY"),
        (PROD, "train-east/sweep/count", "0..8"),
        (
            PROD,
            "train-east/ablation/autoscaling",
            "0 or 16 nodes in each node pool; per-zone limits, location policy ANY",
        ),
        (PROD, "train-east/ablation/capacity.flex_start", "flex_start for at most 3d"),
        (PROD, "train-east/ablation/minimum_version", "1.33.0-gke.1712000"),
        (PROD, "train-east/pretrain/timeouts", "none"),
        (PROD, "train-east/mode", "standard"),
        (PROD, "train-east/min_version", "1.33.0-gke.1712000"),
        (PROD, "clusters/train-east/private_nodes", "true"),
        (PROD, "train-east/price", "USD per hour"),
        (IRONWOOD, "ironwood/train/placement", "workload policy ironwood-train-4x4x8, topology 4x4x8"),
        (IRONWOOD, "ironwood/serve/placement", "none"),
        (DEV, "dev/notebook/node_pools", "none"),
        (DEV, "dev/notebook/zone", "chosen by GKE"),
        (DEV, "dev/batch/upgrade", "chosen by GKE"),
    ],
)
def test_one_value_is_explained(gke_tpu: Any, plan: pathlib.Path, path: str, value: str) -> None:
    run = gke_tpu("explain", plan, path, "--format", "json", "--today", "2026-11-20")
    assert run.code == 0, run.err
    jsonschema.validate(json.loads(run.out), all_schemas()["explain"]())
    (step,) = json.loads(run.out)["steps"]
    assert value in step["value"]
    assert step["because"]
    assert value in gke_tpu("explain", plan, path, "--today", "2026-11-20").out.replace("\n", " ").replace("  ", "")


def test_a_group_is_explained_from_generation_to_account_with_sources_and_notes(gke_tpu: Any) -> None:
    run = gke_tpu("explain", PROD, "train-east/pretrain", "--sources")
    assert run.code == 0
    assert run.err == ""
    for words in ("generation", "the only machine type of v6e", "service_account", "notes", "sources", "[1]"):
        assert words in run.out
    brief = gke_tpu("explain", PROD, "train-east/pretrain")
    assert len(brief.out.splitlines()) < 60 < len(run.out.splitlines())
    assert "\N{HORIZONTAL ELLIPSIS}" not in brief.out
    for words in ("generation", "the only machine type of v6e", "service_account"):
        assert words in brief.out
    assert "[1]" not in brief.out
    assert f"gke-tpu explain {shlex.quote(str(PROD))} train-east/pretrain --sources" in brief.out
    assert f"gke-tpu explain {shlex.quote(str(PROD))} train-east/pretrain/generation" in brief.out


def test_prices_come_with_their_dates_when_they_are_asked_for(gke_tpu: Any) -> None:
    assert "cud_1y" not in gke_tpu("explain", PROD, "train-east/pretrain").out
    run = gke_tpu("explain", PROD, "train-east/pretrain", "--prices")
    assert "cud_1y: 1.89 (as of 2026-08, confidence medium)" in run.out


def test_a_plan_alone_is_an_overview_of_its_items(gke_tpu: Any) -> None:
    run = gke_tpu("explain", PROD)
    assert run.code == 0
    assert "train-east/sweep" in run.out


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("train-east/pretrian", "pretrain"),
        ("train-west", "train-east"),
        ("clusters.train-east.slices.nope", "train-east/sweep"),
        ("train-east/pretrain/shape", "machine_type"),
        ("train-east/nope", "location"),
        ("[[", "train-east"),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(gke_tpu: Any, path: str, told: str) -> None:
    run = gke_tpu("explain", PROD, path)
    assert (run.code, run.out) == (2, "")
    assert f"  {told}\n" in run.err


def test_a_near_miss_gets_a_suggestion(gke_tpu: Any) -> None:
    assert "Did you mean pretrain?" in gke_tpu("explain", PROD, "train-east/pretrian").err
    assert "Did you mean train-east?" in gke_tpu("explain", PROD, "train-eats").err


def test_of_a_plan_with_errors_what_can_be_is_explained(gke_tpu: Any, broken: pathlib.Path) -> None:
    run = gke_tpu("explain", broken, "train/good/hosts")
    assert run.code == 0
    assert "TPU112" in run.err
    assert "4 hosts per slice" in run.out


def test_what_cannot_be_derived_exits_with_1_and_says_why(gke_tpu: Any, broken: pathlib.Path) -> None:
    run = gke_tpu("explain", broken, "train/bad")
    assert run.code == 1
    assert "TPU112: v6e has no topology 4x3" in run.out
    assert json.loads(gke_tpu("explain", broken, "train/bad", "--format", "json").out)["problem"]


def test_a_group_that_could_not_be_read_is_not_an_item(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(BROKEN.replace("topology: 4x4", "topologie: 4x4, count: {min: x}"))
    assert gke_tpu("explain", path, "train/good").code in (1, 2)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["v5p-128"], "64 chips of v5p"),
        (["v5litepod-16"], "16 chips of v5e"),
        (["v4-8"], "4 chips of v4"),
        (["tpu7x-128"], "64 chips of tpu7x"),
        (
            ["v7x-128"],
            "the number in tpu7x names counts TensorCores, 2 per chip; the Cloud TPU API does not use these names",
        ),
        (["v4-384"], "topology: 4x4x12"),
        (["tpu-v6e-8"], "8 chips of v6e"),
        (["tpu-v5p-slice", "4x4x4"], "16 hosts of ct5p-hightpu-4t"),
        (["TPU_V5P"], "in a plan: v5p"),
        (["v5p-4"], "not a valid v5p slice: no slice has 2 chips"),
        (["v5e-16"], "in the Cloud TPU API: v5litepod-16"),
        (["V5P-128"], "64 chips of v5p"),
        (["v5p-17920"], "8,960 chips; the largest slice on GKE has 6,144 chips"),
        (["ct6e-standard-4t"], "a v6e machine type with 4 chips"),
        (["ct6e-standard-4t-tpu"], "in GKE: ct6e-standard-4t"),
        (["tpu-v6e-slice"], "an accelerator label of v6e"),
        (["tpu-v5p-podslice"], "the correct label is tpu-v5p-slice"),
        (["v6e"], "TPU v6e (Trillium)"),
        (["ironwood"], "in a plan: tpu7x"),
        (["tpu8t"], "GKE does not offer it"),
        (["ct5lp"], "a machine family of v5e"),
        (["v5p:4x4x8"], "32 hosts of ct5p-hightpu-4t"),
        (["v5p", "4x4x8"], "32 hosts of ct5p-hightpu-4t"),
        (["4x4x8", "v5p"], "32 hosts of ct5p-hightpu-4t"),
        (["v6e", "4x3"], "not supported"),
        (["v6e", "2x4"], "chips_per_host: 8      # or 4"),
        (["v6e", "us-east5-b"], "the GKE documentation lists ct6e for this zone"),
        (["v6e", "spot"], "offered"),
        (["2x4"], "v6e Standard"),
        (["us-east5-b"], "the GKE documentation lists ct6e for this zone"),
        (["us-south1-ai1b"], "AI zone"),
        (["us-east5"], "us-east5-b"),
        (["spot"], "quota"),
        (["flex-start"], "in a plan: flex_start"),
        (["queued"], "not offered"),
        (["calendar"], "at most 90 days"),
        (["collections"], "1.31.2-gke.1518000"),
        (["gcs_fuse"], "Cloud Storage FUSE"),
        (["pd-balanced"], "boot disk"),
        (["boot_disk"], "clusters.*.slices.*.boot_disk"),
        (["tpu112"], "Unknown topology"),
    ],
)
def test_words_are_explained(gke_tpu: Any, words: list[str], told: str) -> None:
    run = gke_tpu("explain", *words)
    assert run.code == 0, run.err
    assert told in " ".join(run.out.split()) or told in run.out
    data = json.loads(gke_tpu("explain", *words, "--format", "json").out)
    assert data["format"] == 1
    jsonschema.validate(data, all_schemas()["rule" if words == ["tpu112"] else "explain"]())


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("ct6e-standart-4t", "ct6e-standard-4t"),
        ("us-east5-x", "us-east5-a"),
        ("trilium", "trillium"),
        ("TPU998", "TPU9"),
    ],
)
def test_unknown_words_exit_with_2_and_the_nearest_ones(gke_tpu: Any, word: str, near: str) -> None:
    run = gke_tpu("explain", word)
    assert (run.code, run.out) == (2, "")
    assert near in run.err


def test_nothing_near_is_answered_with_what_can_be_asked(gke_tpu: Any) -> None:
    run = gke_tpu("explain", "§§§§§§")
    assert run.code == 2
    assert "a Cloud TPU name" in run.err


def test_an_existing_file_is_a_plan_whatever_it_is_called(
    gke_tpu: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("v6e").write_text(BROKEN)
    assert "train/good" in gke_tpu("explain", "v6e").out


def test_facts_of_an_overlay_are_explained_too(gke_tpu: Any, tmp_path: pathlib.Path) -> None:
    overlay = tmp_path / "own.yaml"
    overlay.write_text(
        "zones: {families: {ct6e: {documented: {zones: [mars-west1-a], "
        "source: [own], as_of: '2026-11-01', confidence: high}}}}\n"
        "sources: {own: {title: Our own list}}\n"
    )
    run = gke_tpu("explain", "mars-west1-a", "--catalog", overlay)
    assert run.code == 0
    assert "the GKE documentation lists ct6e for this zone" in run.out


ANYTHING = st.text(max_size=60) | st.from_regex(r"[a-z0-9]{1,6}[-:/x.][a-z0-9-]{0,12}", fullmatch=True)


@given(word=ANYTHING, path=ANYTHING)
def test_no_word_and_no_path_causes_a_traceback_or_control_characters(gke_tpu: Any, word: str, path: str) -> None:
    for run in (
        gke_tpu("explain", "--", word),
        gke_tpu("explain", "--", word, path),
        gke_tpu("explain", "--", PROD, path),
    ):
        assert run.code in (0, 1, 2)
        assert "internal error" not in run.err
        kept = (run.out + run.err).replace("\n", "")
        assert not [char for char in kept if unicodedata.category(char)[0] == "C"]
