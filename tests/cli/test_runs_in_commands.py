"""Planned runs in ``diff``, ``explain`` and ``validate``."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
TODAY = ("--today", "2026-11-20")
PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}
    maintenance:
      window: {start: 2026-01-03T02:00:00Z, duration: 6h, days: [SAT, SUN]}
      exclusions:
        llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}
    runs:
      llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}
"""
MANY = "".join(
    f"        e{day}: {{start: 2027-01-{day:02}T00:00:00Z, end: 2027-01-{day:02}T12:00:00Z, "
    "scope: no_minor_upgrades}\n"
    for day in range(1, 21)
)
EXCLUSION = "        llama: {start: 2026-12-01T08:00:00Z, end: 2026-12-11T08:00:00Z}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(PLAN, encoding="utf-8")
    return tmp_path


def rules_of_change(gke_tpu: GkeTpu, folder: Path, head: str) -> dict[str, str]:
    (folder / "head.yaml").write_text(head, encoding="utf-8")
    run = gke_tpu("diff", "base.yaml", "head.yaml", "--format", "json", *TODAY)
    return {item["rule"]: item["message"] for item in json.loads(run.out)["findings"]}


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("end: 2026-12-11", "end: 2026-12-05", "the exclusions"),
        ("start: 2026-12-01T08:00:00Z, duration: 10d", "start: 2026-12-08T08:00:00Z, duration: 10d", "the run"),
        (EXCLUSION, MANY, "the exclusions"),
        (
            "llama: {slices",
            "gemma: {slices: main, start: 2026-12-19T00:00:00Z, duration: 1d}\n      llama: {slices",
            "the runs",
        ),
    ],
    ids=["exclusion", "run", "impossible", "new run"],
)
def test_a_diff_reports_a_change_that_leaves_a_run_uncovered(
    gke_tpu: GkeTpu, folder: Path, old: str, new: str, cause: str
) -> None:
    assert old in PLAN
    found = rules_of_change(gke_tpu, folder, PLAN.replace(old, new))
    assert found["TPU631"].endswith(f"after this change of {cause}")


def test_a_changed_window_that_opens_during_a_run_is_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    base = PLAN.replace(EXCLUSION, "        later: {start: 2026-12-20T00:00:00Z, end: 2026-12-21T00:00:00Z}\n")
    base = base.replace("start: 2026-12-01T08:00:00Z, duration: 10d", "start: 2026-12-07T08:00:00Z, duration: 2d")
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    assert "TPU631" not in rules_of_change(gke_tpu, folder, base)
    found = rules_of_change(gke_tpu, folder, base.replace("[SAT, SUN]", "[TUE, SUN]"))
    assert found["TPU631"].endswith("after this change of the window")


def test_a_change_that_keeps_a_run_covered_or_exposed_is_not_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    assert "TPU631" not in rules_of_change(gke_tpu, folder, PLAN.replace("duration: 10d", "duration: 4d"))
    exposed = PLAN.replace("end: 2026-12-11", "end: 2026-12-05")
    (folder / "base.yaml").write_text(exposed, encoding="utf-8")
    assert "TPU631" not in rules_of_change(gke_tpu, folder, exposed.replace("duration: 10d", "duration: 9d"))


def test_explain_shows_the_maintenance_and_the_runs_of_a_cluster(gke_tpu: GkeTpu, folder: Path) -> None:
    (folder / "head.yaml").write_text(PLAN.replace("end: 2026-12-11", "end: 2026-12-05"), encoding="utf-8")
    text = " ".join(gke_tpu("explain", "head.yaml", "train.runs", *TODAY).out.split())
    assert "llama on main, 2026-12-01T08:00:00Z to 2026-12-11T08:00:00Z: upgrades can interrupt it in 1 window" in text
    covered = " ".join(gke_tpu("explain", "base.yaml", "train.runs", *TODAY).out.split())
    assert "covered by exclusions" in covered
