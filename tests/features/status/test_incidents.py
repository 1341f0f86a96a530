"""Whole snapshots of incidents, with cause and fix first, and of healthy fleets, of which nothing is reported."""

import json
import pathlib
import shutil
from collections.abc import Callable

import pytest
import yaml
from support.fixtures.commands import Run
from support.healthy_cluster import healthy_cluster
from support.live_objects import listed, plural
from support.snapshots import TAKEN, Answers, as_gke_shows, checked_plan, healthy, in_lines, write

ROOT = pathlib.Path(__file__).parents[2] / "data" / "snapshots"
INCIDENTS: dict[str, dict[str, str]] = yaml.safe_load((ROOT / "incidents.yaml").read_text(encoding="utf-8"))
PLAN = ROOT / "plan.yaml"
OF_ANSWERS = ("console-change", "expired-exclusion")
"""What only the comparison with a plan and with times shows."""


def folder(tmp_path: pathlib.Path, name: str) -> pathlib.Path:
    """The whole folder of an incident: that of the healthy fleet, with the answers that differ."""
    shutil.copytree(ROOT / "healthy", tmp_path / name)
    if name != "healthy":
        shutil.copytree(ROOT / name, tmp_path / name, dirs_exist_ok=True)
    return tmp_path / name


def test_every_folder_is_an_incident() -> None:
    assert {path.name for path in ROOT.iterdir() if path.is_dir()} == {*INCIDENTS, "healthy"}
    assert len(INCIDENTS) >= 19


@pytest.mark.parametrize("name", INCIDENTS)
def test_an_incident_has_its_cause_and_way_out_first(
    tmp_path: pathlib.Path, gke_tpu: Callable[..., Run], name: str
) -> None:
    title, page = INCIDENTS[name]["title"], INCIDENTS[name]["page"]
    place = folder(tmp_path, name)
    shown = gke_tpu("status", PLAN, "--snapshot", place)
    assert shown.code == 1
    assert title in " ".join(shown.out.splitlines()[:12]), shown.out
    data = json.loads(gke_tpu("status", PLAN, "--snapshot", place, "--format", "json").out)
    assert data["not_read"] == []
    problems = [*(each for group in data["groups"] for each in group["problems"]), *data["jobs"]]
    if page != "drift":
        assert (problems[0]["page"], bool(problems[0]["fix"])) == (page, True)
        head = shown.out.partition("slices ")[0]
        assert head.index(title[:30]) < head.index("fix:")


@pytest.mark.parametrize("name", [name for name in INCIDENTS if name not in OF_ANSWERS])
def test_check_of_the_folder_reports_the_incident_too(
    tmp_path: pathlib.Path, gke_tpu: Callable[..., Run], name: str
) -> None:
    place = folder(tmp_path, name)
    for options in ((), ("--plan", PLAN)):
        data = json.loads(gke_tpu("check", place, *options, "--format", "json").out)
        about = [each for each in data["findings"] if each["rule"] in ("TPU572", "TPU896") and name in each["file"]]
        assert about or name in UNSEEN, data["findings"]


UNSEEN = ("maintenance",)
"""A label of a node: only the plan tells whether it matters."""


HEAD = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    location: us-east5\n"
GROUPS = "    slices:\n      pretrain: {tpu: v6e, topology: 4x4, zone: us-east5-b}\n"
FLEETS: dict[str, tuple[str, tuple[str, ...], bool]] = {
    "scaled to zero": (
        f"{HEAD}    mode: standard\n    slices:\n"
        "      spot: {tpu: v6e, topology: 4x4, zone: us-east5-b, capacity: spot, min: 0, max: 2}\n",
        ("Job", "JobSet", "Workload", "ProvisioningRequest"),
        False,
    ),
    "suspended jobs": (f"{HEAD}    mode: standard\n{GROUPS}", ("Job", "JobSet", "Workload", "ClusterQueue"), True),
    "Pods that succeeded, and old events": (f"{HEAD}    mode: standard\n{GROUPS}", ("Job", "Pod", "Event"), True),
    "manager of MultiKueue": (
        f"{HEAD}    mode: standard\n{GROUPS}",
        ("Workload", "MultiKueueCluster", "ClusterQueue", "LocalQueue"),
        True,
    ),
    "Autopilot": (
        f"{HEAD}    mode: autopilot\n    slices:\n      pretrain: {{tpu: v6e, topology: 4x4}}\n",
        ("Job", "Pod", "Event", "Deployment"),
        True,
    ),
}
"""The plan, the kinds of objects in all usual states, and whether the nodes are there."""


def fleet(name: str) -> tuple[str, Answers]:
    plan, kinds, has_nodes = FLEETS[name]
    checked = checked_plan(plan)
    assert not checked.has_errors, checked.findings
    answers = healthy(checked)
    as_gke_shows(checked, answers)
    around = [each for each in healthy_cluster() if each["kind"] in kinds]
    for item in around:
        file = f"{plural(item)}-train.jsonl"
        if file in answers:
            answers[file]["items"].append(item)
    if "Pod" not in kinds:
        events = [each for each in answers["events-train.jsonl"]["items"] if each["involvedObject"]["kind"] != "Pod"]
        answers |= {"pods-train.jsonl": listed([]), "events-train.jsonl": listed(events)}
    if not has_nodes:
        answers["nodes-train.jsonl"] = listed([])
    return plan, in_lines(answers) | {"snapshot.json": {"format": 1, "taken": TAKEN}}


@pytest.mark.parametrize("name", FLEETS)
def test_a_healthy_fleet_is_silent(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run], name: str) -> None:
    plan, answers = fleet(name)
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    write(tmp_path / "snapshot", answers)
    shown = gke_tpu("status", tmp_path / "plan.yaml", "--snapshot", tmp_path / "snapshot")
    assert shown.code == 0, shown.out
    for options in ((), ("--plan", tmp_path / "plan.yaml")):
        data = json.loads(gke_tpu("check", tmp_path / "snapshot", *options, "--format", "json").out)
        about = [each for each in data["findings"] if "snapshot" in each["file"]]
        assert [each["message"] for each in about] == []
        assert data["read"]["not_read"] == []


def test_the_healthy_folder_is_silent(tmp_path: pathlib.Path, gke_tpu: Callable[..., Run]) -> None:
    place = folder(tmp_path, "healthy")
    assert gke_tpu("status", PLAN, "--snapshot", place).code == 0
    assert json.loads(gke_tpu("check", place, "--plan", PLAN, "--format", "json").out)["findings"] == []
