"""Maintenance of idle hosts in the calendar. Its date is unknown, so it has a list of its own beside the events."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PLAN = """
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    location: us-east5
    slices:
      pretrain: {tpu: v6e, topology: 8x8, zone: us-east5-b, capacity: {reservation: ours}, host_maintenance: HOSTS}
      serve: {tpu: v6e, topology: 2x2, zone: us-east5-b, capacity: {reservation: ours}, best_effort: 1, count: 2}
"""
DAYS = ("--from", "2026-12-01", "--until", "2026-12-02", "--today", "2026-11-20")
IDLE = "{idle: 10m, window: 14d, min_nodes: %d}"


@pytest.mark.parametrize(("least", "stay"), [(1, "1 node stays"), (8, "8 nodes stay")])
def test_the_windows_of_idle_hosts_are_shown(
    gke_tpu: Callable[..., Any], tmp_path: Path, least: int, stay: str
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.replace("HOSTS", f"{{interval: periodic, opportunistic: {IDLE % least}}}"), encoding="utf-8")
    expected = {"plan": str(plan), "group": "train/pretrain", "idle": "10m", "window": "14d", "min_nodes": least}
    data = json.loads(gke_tpu("calendar", plan, *DAYS, "--format", "json").out)
    assert (data["idle_maintenance"], data["events"]) == ([expected], [])
    for form in ("text", "markdown"):
        shown = " ".join(gke_tpu("calendar", plan, *DAYS, "--format", form).out.split())
        assert "in the 14d before the announced date, GKE maintains hosts that are idle for 10m" in shown
        assert f"{stay} available in each node pool" in shown
    texts = [note["text"] for note in data["notes"]]
    plan.write_text(PLAN.replace("HOSTS", "{interval: periodic}"), encoding="utf-8")
    without = json.loads(gke_tpu("calendar", plan, *DAYS, "--format", "json").out)
    assert without["idle_maintenance"] == []
    assert len(texts) == len(without["notes"]) + 1
