"""A change that stops the hosts of a run in progress (TPU637), as ``gke-tpu diff`` reports it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GkeTpu = Callable[..., Any]
PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, count: 2}
      side: {tpu: v6e, topology: 2x2, zone: us-east5-b, count: 2}
    runs:
      llama: {slices: main, start: 2026-12-01T08:00:00Z, duration: 10d}
"""
RUNS = PLAN[PLAN.index("    runs:") :]
MAIN = next(line for line in PLAN.splitlines() if "main:" in line and "tpu" in line)
DURING = "2026-12-05"


@pytest.fixture
def reported(gke_tpu: GkeTpu, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """The findings of TPU637 about a change of the plan on a day."""

    def find(head: str, today: str = DURING, base: str = PLAN) -> list[dict[str, Any]]:
        for name, text in (("base.yaml", base), ("head.yaml", head)):
            (tmp_path / name).write_text(text, encoding="utf-8")
        run = gke_tpu("diff", tmp_path / "base.yaml", tmp_path / "head.yaml", "--format", "json", "--today", today)
        report = json.loads(run.out)
        assert report["plans"]
        assert not report["unclear"]
        return [item for item in report["findings"] if item["rule"] == "TPU637"]

    return find


def changed(old: str, new: str) -> str:
    assert old in PLAN
    return PLAN.replace(old, new)


@pytest.mark.parametrize(
    ("head", "effect", "line"),
    [
        (changed(MAIN, MAIN.replace("count: 2", "count: 1")), "deletes 4 hosts of `train/main`", 12),
        (changed(MAIN, MAIN.replace("4x4", "4x8")), "deletes 8 hosts of `train/main`", 12),
        (changed(f"{MAIN}\n", "").replace(RUNS, ""), "deletes 8 hosts of `train/main`", 5),
        (changed(MAIN, MAIN.replace("4x4", "4x8")).replace(RUNS, ""), "deletes 8 hosts of `train/main`", 9),
    ],
)
def test_a_change_that_stops_hosts_of_a_run_is_reported(
    reported: Callable[..., list[dict[str, Any]]], head: str, effect: str, line: int
) -> None:
    (found,) = reported(head)
    assert found["message"] == f"run `llama` is in progress until 2026-12-11T08:00:00Z, and this change {effect}"
    assert found["severity"] == "warning"
    assert found["line"] == line


@pytest.mark.parametrize(
    "head",
    [
        changed("topology: 2x2, zone: us-east5-b, count: 2", "topology: 2x2, zone: us-east5-b, count: 1"),
        changed(MAIN, MAIN.replace("count: 2", "count: 3")),
        changed("duration: 10d", "duration: 4d"),
    ],
    ids=["other group", "new slice", "run only"],
)
def test_a_change_that_stops_none_of_its_hosts_is_not_reported(
    reported: Callable[..., list[dict[str, Any]]], head: str
) -> None:
    assert reported(head) == []


@pytest.mark.parametrize(
    ("today", "count"),
    [("2026-11-30", 0), ("2026-12-01", 1), ("2026-12-11", 1), ("2026-12-12", 0)],
)
def test_only_runs_in_progress_are_reported(
    reported: Callable[..., list[dict[str, Any]]], today: str, count: int
) -> None:
    assert len(reported(changed(MAIN, MAIN.replace("count: 2", "count: 1")), today)) == count


def test_a_renamed_group_keeps_the_hosts_of_its_run(reported: Callable[..., list[dict[str, Any]]]) -> None:
    head = PLAN.replace("main", "big") + "moved: [{from: train/main, to: train/big}]\n"
    assert reported(head) == []
    assert (
        "of `train/big`"
        in reported(head.replace("big: {tpu: v6e, topology: 4x4", "big: {tpu: v6e, topology: 4x8"))[0]["message"]
    )
