"""``--organization`` of quota, cost, calendar, report and recommend."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
PLAN = """version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      one: {tpu: v6e, topology: 4x4, zone: us-east5-b}
"""
STANDARDS = "version: 1\nstandards:\n  size: {max: {chips: 8, per: all}, owner: capacity-team}\n"
SLICES = """version: 1
owner: platform
standards:
  tpus: {generations: [v6e], message: ask first}
  places: {zones: ["us-*"]}
  purchase: {capacities: [on_demand, spot, flex_start]}
  size: {max: {hosts: 32}}
  team: {labels: [team]}
  private: {private_nodes: true}
  names: {names: {clusters: "train-*"}}
  sum: {max: {chips: 1, per: all}}
"""
TODAY = ("--today", "2026-11-20")


@pytest.fixture
def files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"plan.yaml": PLAN, "organization.yaml": STANDARDS, "slices.yaml": SLICES}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", [("quota",), ("cost",), ("calendar",), ("report", "-o", "report.html")])
def test_a_broken_standard_is_an_error_beside_the_result(command: tuple[str, ...], gke_tpu: GkeTpu) -> None:
    run = gke_tpu(*command, "plan.yaml", "--organization", "organization.yaml", *TODAY)
    assert (run.code, "TPU925" in run.err, "capacity-team" in run.err) == (1, True, True)
    assert run.out
    again = (*command[:-1], "other.html") if command[0] == "report" else command
    assert gke_tpu(*again, "plan.yaml", *TODAY).code == 0


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["quota", "cost", "calendar"])
def test_without_a_readable_file_there_is_no_result(command: str, gke_tpu: GkeTpu) -> None:
    pathlib.Path("broken.yaml").write_text("version: 1\nstandards: [\n", encoding="utf-8")
    run = gke_tpu(command, "plan.yaml", "--organization", "broken.yaml", *TODAY)
    assert (run.code, run.out, "TPU003" in run.err) == (1, "", True)


@pytest.mark.usefixtures("files")
def test_the_report_shows_broken_standards(gke_tpu: GkeTpu) -> None:
    gke_tpu("report", "plan.yaml", "-o", "report.html", "--organization", "organization.yaml", *TODAY)
    assert "TPU925" in pathlib.Path("report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("files")
def test_a_recommendation_leaves_out_what_the_standards_refuse(gke_tpu: GkeTpu) -> None:
    need = ("recommend", "--chips", "64", "--limit", "10000", *TODAY, "--format", "json")
    every = json.loads(gke_tpu(*need).out)["rows"]
    allowed = json.loads(gke_tpu(*need, "--organization", "slices.yaml").out)["rows"]
    assert {row["generation"] for row in every} > {"v6e"} == {row["generation"] for row in allowed}
    assert any(not row["zone"].startswith("us-") for row in every)
    assert all(row["zone"].startswith("us-") for row in allowed)
    assert allowed
    others = ("team", "private", "names", "sum")
    only = "".join(line for line in SLICES.splitlines(keepends=True) if line.split(":")[0].strip() not in others)
    pathlib.Path("only.yaml").write_text(only, encoding="utf-8")
    assert only != SLICES
    same = json.loads(gke_tpu(*need, "--organization", "only.yaml").out)["rows"]
    assert same == allowed, "labels, networks, names and sums of plans do not concern slices by themselves"


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("v5p", "generation v5p is not allowed; standard `tpus` (owner: platform): ask first (TPU921)"),
        ("europe-west4-a", "zone europe-west4-a is not allowed; standard `places` (owner: platform) (TPU922)"),
    ],
)
def test_why_not_names_the_standard(word: str, reason: str, gke_tpu: GkeTpu) -> None:
    run = gke_tpu("recommend", "--chips", "64", "--organization", "slices.yaml", "--why-not", word, *TODAY)
    assert run.code == 0
    assert reason in run.out


@pytest.mark.usefixtures("files")
def test_a_recommendation_needs_a_readable_file(gke_tpu: GkeTpu) -> None:
    run = gke_tpu("recommend", "--chips", "64", "--organization", "plan.yaml", *TODAY)
    assert (run.code, run.out) == (1, "")
    assert "this is a plan, not an organization file" in run.err
