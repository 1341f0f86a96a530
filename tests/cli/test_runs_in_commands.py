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
    assert f"after this change of {cause}" in found["TPU631"]
    assert "TPU635" not in found or "gemma" in new
    assert ("maximum number of exclusions" in found["TPU631"]) == (new is MANY)
    assert ("TPU625" if new is MANY else "TPU624") in found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "end: 2026-12-05",
            "end: 2026-12-11",
            "run `llama` after this change of the exclusions: covered by exclusions",
        ),
        (
            "duration: 10d",
            "duration: 3d",
            "run `llama` after this change of the run: no maintenance window during the run",
        ),
        (
            "duration: 6h, days: [SAT, SUN]",
            "duration: 24h, days: [WED]",
            "run `llama` after this change of the window: covered by exclusions",
        ),
        (
            "zone: us-east5-b}",
            "zone: us-east5-b, max: 2, capacity: flex_start}",
            "run `llama` after this change of the capacity: no automatic upgrades of these nodes",
        ),
        (
            "location: us-east5\n",
            "location: us-east5\n    release_channel: none\n",
            "",
        ),
        (
            "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n",
            "      main: {tpu: v6e, topology: 4x4, zone: us-east5-b, upgrade: {auto_upgrade: false}}\n",
            "run `llama` after this change of the upgrade settings: no automatic upgrades of these nodes",
        ),
    ],
)
def test_a_diff_reports_a_change_that_covers_a_run(
    gke_tpu: GkeTpu, folder: Path, old: str, new: str, message: str
) -> None:
    """Until the change, the exclusion ends before the second day of the window in the run."""
    channel = "release_channel: none\n    " if "auto_upgrade" in new else ""
    base = PLAN.replace("end: 2026-12-11", "end: 2026-12-05").replace("location:", f"{channel}location:")
    if "WED" in new:  # the openings on Wednesdays are before the end of the exclusion, but for one
        base = base.replace("duration: 10d", "duration: 6d")
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    assert old in base
    found = rules_of_change(gke_tpu, folder, base.replace(old, new))
    assert found.get("TPU635", "") == message
    assert "TPU631" not in found


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("capacity: flex_start", "capacity: {reservation: r1}", "TPU631"),
        ("capacity: flex_start", "capacity: flex_start, fallback: [on_demand]", "TPU631"),
        ("capacity: flex_start", "capacity: {flex_start: {max_run_duration: 6d}}", ""),
    ],
)
def test_a_changed_capacity_mode_can_expose_a_run(gke_tpu: GkeTpu, folder: Path, old: str, new: str, rule: str) -> None:
    base = PLAN.replace("zone: us-east5-b}", "zone: us-east5-b, max: 2, capacity: flex_start}")
    base = base.replace(EXCLUSION, "        later: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}\n")
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    found = rules_of_change(gke_tpu, folder, base.replace(old, new))
    assert [name for name in found if name in ("TPU631", "TPU635")] == ([rule] if rule else [])
    if rule:
        assert found[rule].endswith("after this change of the capacity")


def test_a_changed_or_new_run_that_is_covered_is_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    found = rules_of_change(gke_tpu, folder, PLAN.replace("duration: 10d", "duration: 9d"))
    assert found["TPU635"] == "run `llama` after this change of the run: covered by exclusions"
    gemma = "gemma: {slices: main, start: 2026-12-02T00:00:00Z, duration: 7d}\n      llama: {slices"
    found = rules_of_change(gke_tpu, folder, PLAN.replace("llama: {slices", gemma))
    assert found["TPU635"] == "run `gemma` after this change of the runs: covered by exclusions"
    unchanged = rules_of_change(gke_tpu, folder, PLAN + "resource_labels: {team: ml}\n")
    assert not {"TPU631", "TPU635"} & unchanged.keys()


@pytest.mark.parametrize(("exclusion", "rule"), [(EXCLUSION, "TPU635"), ("", "TPU631")], ids=["covered", "exposed"])
def test_the_run_of_a_new_cluster_is_reported(gke_tpu: GkeTpu, folder: Path, exclusion: str, rule: str) -> None:
    other = PLAN.replace("  train:\n", "  web:\n").replace("runs:\n      llama", "runs:\n      gemma")
    later = "        later: {start: 2027-02-01T00:00:00Z, end: 2027-02-02T00:00:00Z}\n"
    cluster = other[other.index("  web:") :].replace(EXCLUSION, exclusion or later)
    found = rules_of_change(gke_tpu, folder, PLAN + cluster)
    assert {name for name in found if name in ("TPU631", "TPU635")} == {rule}
    assert "`gemma`" in found[rule]


def test_a_run_that_moves_to_a_new_group_is_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    group = "      next: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
    head = PLAN.replace("    maintenance:", f"{group}    maintenance:").replace("{slices: main", "{slices: next")
    found = rules_of_change(gke_tpu, folder, head)
    assert found["TPU635"] == "run `llama` after this change of the run: covered by exclusions"
    spot = head.replace("zone: us-east5-b}\n    maintenance", "zone: us-east5-b, capacity: spot}\n    maintenance")
    found = rules_of_change(gke_tpu, folder, spot)
    assert found["TPU635"] == "run `llama` after this change of the run and the capacity: covered by exclusions"


def test_runs_of_a_deleted_cluster_are_not_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    other = PLAN.replace("  train:\n", "  web:\n    deletion_protection: false\n")
    base = PLAN + other[other.index("  web:") :]
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    assert not {"TPU631", "TPU635"} & rules_of_change(gke_tpu, folder, PLAN).keys()


def test_a_run_that_ended_before_the_change_is_not_reported(gke_tpu: GkeTpu, folder: Path) -> None:
    (folder / "head.yaml").write_text(PLAN.replace("end: 2026-12-11", "end: 2026-12-05"), encoding="utf-8")
    run = gke_tpu("diff", "base.yaml", "head.yaml", "--format", "json", "--today", "2026-12-12")
    assert not {"TPU631", "TPU635"} & {item["rule"] for item in json.loads(run.out)["findings"]}


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (PLAN, PLAN.replace("end: 2026-12-11", "end: 2026-12-05"), ("TPU624", "TPU631")),
        (PLAN, PLAN.replace(EXCLUSION, MANY), ("TPU625", "TPU631")),
        (PLAN.replace("end: 2026-12-11", "end: 2026-12-05"), PLAN, ("TPU635",)),
    ],
    ids=["interrupted", "impossible", "covered"],
)
def test_the_comment_on_a_pull_request_has_the_state_of_changed_runs(
    gke_tpu: GkeTpu, folder: Path, base: str, head: str, expected: tuple[str, ...]
) -> None:
    (folder / "base.yaml").write_text(base, encoding="utf-8")
    (folder / "head.yaml").write_text(head, encoding="utf-8")
    run = gke_tpu("diff", "base.yaml", "head.yaml", "--format", "json", *TODAY)
    (folder / "diff.json").write_text(run.out, encoding="utf-8")
    comment = gke_tpu("comment", "diff.json", "--print").out
    for rule in expected:
        assert rule in comment, comment
    assert "llama" in comment


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
