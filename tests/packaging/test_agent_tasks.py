"""The tasks for agents: each has a solution that the judge takes, and nothing less passes."""

import pathlib
import runpy
from collections.abc import Mapping

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "agent_tasks.py"))
NAMES = TOOL["names"]()
OF_ACME = "version: 1\nproject: acme-ml\nclusters:\n  train:\n    mode: standard\n    location: us-east5\n"


def slices(*groups: str, above: str = OF_ACME) -> str:
    return above + "    slices:\n" + "".join(f"      group-{index}: {{{each}}}\n" for index, each in enumerate(groups))


ON_V6E = "tpu: v6e, zone: us-east5-b"
RESERVED = "capacity: {reservation: v6e-pretrain}"
EXISTING = """\
version: 1
project: acme-ml
clusters:
  train:
    mode: standard
    existing: projects/acme-ml/locations/us-east5/clusters/train
    version: "1.34"
    node_service_account: gke-nodes@acme-ml.iam.gserviceaccount.com
"""
AUTOPILOT = OF_ACME.replace("standard", "autopilot").replace("us-east5", "us-central1")
WRITTEN = {
    "01-spot-slice": slices(f"{ON_V6E}, topology: 4x4, capacity: spot"),
    "02-autopilot": slices("tpu: v5e, topology: 2x2, count: 2", above=AUTOPILOT),
    "03-reservation": slices(f"{ON_V6E}, topology: 8x8, count: 2, {RESERVED}"),
    "04-by-chips": slices(f"{ON_V6E}, topology: 16x16, capacity: spot"),
    "05-autoscaled": slices(f"{ON_V6E}, topology: 2x4, chips_per_host: 8, min: 0, max: 6, capacity: spot"),
    "06-existing-cluster": slices(f"{ON_V6E}, topology: 4x4, capacity: spot", above=EXISTING),
    "07-two-groups": slices(f"{ON_V6E}, topology: 8x8, {RESERVED}", f"{ON_V6E}, topology: 2x2, count: 3"),
    "08-flex-start": slices(f"{ON_V6E}, topology: 4x4, capacity: {{flex_start: {{max_run_duration: 72h}}}}"),
}
"""Plans for prompts that have none."""
EDITED = {
    "09-no-such-topology": [("4x3", "4x4")],
    "10-version-as-number": [("1.34", '"1.34"')],
    "11-boot-disk": [("pd-balanced", "hyperdisk-balanced")],
    "12-zone": [("us-central1-b", "us-east5-b")],
    "13-misspelled-keys": [("topolgy", "topology"), ("capacty", "capacity")],
    "14-broken-yaml": [("\t", "    "), ("v6e-pretrain}\n", "v6e-pretrain}}\n")],
    "15-duplicate-taint": [(", {key: team, value: all, effect: NoSchedule}", "")],
    "16-scale": [("count: 2", "count: 4")],
    "17-rename": [
        ("sweep:", "experiments:"),
        ("version: 1", "moved: [{from: train/sweep, to: train/experiments}]\nversion: 1"),
    ],
    "18-protected": [("topology: 4x4", "topology: 8x8")],
}
"""Edits of the plan that is there."""


def solve(name: str, files: Mapping[str, str], folder: pathlib.Path) -> None:
    plan = WRITTEN.get(name) or files.get("plan.yaml", "")
    for old, new in EDITED.get(name, ()):
        assert old in plan
        plan = plan.replace(old, new)
    if plan:
        (folder / "plan.yaml").write_text(plan)
    if name == "18-protected":
        (folder / "answer.txt").write_text("A person adds the entry of acknowledge.\n")
    if name == "19-ask":
        (folder / "answer.txt").write_text("Which capacity: Spot, on demand or a reservation?\n")
    if name == "20-pending-pods":
        edits = (("4x4", "8x8"), ("parallelism: 4", "parallelism: 16"), ("completions: 4", "completions: 16"))
        text = files["training.yaml"]
        for old, new in edits:
            text = text.replace(old, new)
        (folder / "training.yaml").write_text(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_task_can_be_solved_and_doing_nothing_does_not(name: str, tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"](name)
    assert TOOL["prepare"](task, tmp_path) == task["prompt"]
    assert list(TOOL["judge"](task, tmp_path)), "nothing was done"
    solve(name, task.get("files", {}), tmp_path)
    assert list(TOOL["judge"](task, tmp_path)) == []


def test_there_is_a_solution_of_every_task() -> None:
    assert {*WRITTEN, *EDITED, "19-ask", "20-pending-pods"} == set(NAMES)
    assert len(NAMES) == 20


def test_an_entry_that_only_a_person_adds_solves_nothing(tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"]("16-scale")
    text = task["files"]["plan.yaml"].replace("count: 2", "count: 4")
    (tmp_path / "plan.yaml").write_text(f"{text}accept: [{{rule: TPU208, of: train/sweep, reason: x}}]\n")
    assert any("only a person" in problem or "validate" in problem for problem in TOOL["judge"](task, tmp_path))


def test_the_skill_is_given_where_it_is_asked_for(tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"](NAMES[0])
    assert TOOL["prepare"](task, tmp_path, with_skill=True).startswith("Read SKILL.md first. ")
    assert (tmp_path / "SKILL.md").read_text() == (ROOT / "skills" / "gke-tpu" / "SKILL.md").read_text()
