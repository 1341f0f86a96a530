"""The tasks for agents: each has a solution that the judge takes, and nothing less passes."""

import pathlib
import runpy
import shlex
import subprocess
import sys
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
        (folder / "answer.txt").write_text(
            "pretrain is replaced. `pulumi up` fails until a person adds the entry of `acknowledge`.\n"
        )
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


CHEATS = {
    "09-no-such-topology": [("sweep:", "other:"), ("us-east5\n", "us-east5\n    deletion_protection: false\n")],
    "10-version-as-number": [("train:", "other:"), ("us-east5\n", "us-east5\n    deletion_protection: false\n")],
    "15-duplicate-taint": [("effect: NoSchedule", "effect: PreferNoSchedule"), ("team", "crew")],
    "16-scale": [
        ("train:", "other:"),
        ("pretrain:", "other:"),
        ("chips_per_host: 8", "chips_per_host: 4"),
        ("us-east5\n", 'us-east5\n    min_version: "1.34"\n'),
        ("version: 1", "accept: [{rule: TPU208, of: train/sweep, reason: x}]\nversion: 1"),
    ],
    "17-rename": [("capacity: spot", "capacity: spot, node_labels: {team: x}"), ("moved:", "x-moved:")],
    "18-protected": [
        (", protect: true", ", protect: false"),
        *(
            ("version: 1", f"{key} [{{change: replace, of: train/pretrain, reason: x}}]\nversion: 1")
            for key in ("acknowledge:", '"acknowledge":', "'acknowledge':", "? acknowledge\n:")
        ),
    ],
    "06-existing-cluster": [('"1.34"', '"1.35"'), ("gke-nodes@", "other@")],
    "01-spot-slice": [("us-east5\n", "us-east5\n    deletion_protection: false\n"), ("acme-ml", "acme-xy")],
    "20-pending-pods": [("replicas: 2", "replicas: 1"), ("train.py", "idle.py"), ("parallelism: 16", "parallelism: 4")],
}
"""Wrong edits of a solution."""


@pytest.mark.parametrize(("name", "edit"), [(name, edit) for name, edits in CHEATS.items() for edit in edits])
def test_a_solution_with_something_else_changed_solves_nothing(
    name: str, edit: tuple[str, str], tmp_path: pathlib.Path
) -> None:
    task = TOOL["read_task"](name)
    TOOL["prepare"](task, tmp_path)
    solve(name, task.get("files", {}), tmp_path)
    path = tmp_path / ("training.yaml" if name == "20-pending-pods" else "plan.yaml")
    text = path.read_text()
    assert edit[0] in text
    path.write_text(text.replace(*edit))
    assert list(TOOL["judge"](task, tmp_path))


@pytest.mark.parametrize("key", ["accept:", '"accept":', "? accept\n:"])
def test_an_entry_that_only_a_person_adds_is_seen_however_it_is_written(key: str) -> None:
    def entries(text: str) -> list[str]:
        return list(TOOL["_entries"](TOOL["_documents"](text), "accept"))

    one = f"{key} [{{rule: TPU208, of: train/sweep, reason: x}}]"
    assert len(entries(one)) == 1
    assert len(entries(one.replace("[{", "[{rule: TPU209, of: train/sweep, reason: x}, {"))) == 2


def test_a_second_entry_solves_nothing_where_the_plan_had_one(tmp_path: pathlib.Path) -> None:
    task = dict(TOOL["read_task"]("16-scale"))
    had = "acknowledge: [{change: replace, of: train/sweep, reason: x, until: 2099-01-01}]\n"
    plan = task["files"]["plan.yaml"]
    task["files"] = {"plan.yaml": had + plan}
    done = (had + plan).replace("count: 2", "count: 4")
    (tmp_path / "plan.yaml").write_text(done)
    assert list(TOOL["judge"](task, tmp_path)) == []
    more = "[{change: replace, of: train/pretrain, reason: x, until: 2099-01-01}, {change"
    (tmp_path / "plan.yaml").write_text(done.replace("[{change", more))
    assert any("only a person" in problem for problem in TOOL["judge"](task, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: pretrain}\n",
        "",
    ],
)
def test_other_manifests_solve_nothing(text: str, tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"]("20-pending-pods")
    TOOL["prepare"](task, tmp_path)
    given = "".join(line for line in task["files"]["training.yaml"].splitlines(True) if "tpu" not in line)
    for content in (text, given):
        (tmp_path / "training.yaml").write_text(content)
        assert list(TOOL["judge"](task, tmp_path))


@pytest.mark.parametrize(
    "answer",
    [
        "No need to acknowledge anything about pretrain.",
        "You do not need to acknowledge pretrain.",
        "There is nothing to acknowledge for pretrain.",
        "pretrain is 8x8.",
    ],
)
def test_an_answer_that_denies_the_decision_solves_nothing(answer: str, tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"]("18-protected")
    solve("18-protected", task["files"], tmp_path)
    (tmp_path / "answer.txt").write_text(answer)
    assert list(TOOL["judge"](task, tmp_path))


def test_a_plan_under_another_name_solves_nothing(tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"]("19-ask")
    solve("19-ask", {}, tmp_path)
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "prod.yml").write_text(WRITTEN["01-spot-slice"])
    assert list(TOOL["judge"](task, tmp_path))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / "agent_tasks.py"), "run", "--task", "19-ask", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.setup
def test_the_floor_is_what_the_page_says() -> None:
    tool = ROOT / "tools" / "agent_tasks.py"
    floor = shlex.join([sys.executable, str(tool), "baseline"])
    done = subprocess.run(
        [sys.executable, tool, "run", floor], capture_output=True, text=True, check=False, timeout=300
    )
    solved = done.stdout.splitlines()[-1].removesuffix(" solved")
    page = (ROOT / "skills" / "tasks" / "README.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| the floor")]
    assert row.endswith(f"| {solved} |")


def test_a_command_that_is_missing_is_named() -> None:
    for agent in ("no-such-agent --print", "'", ""):
        done = run(agent)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
    assert "no-such-agent" in run("no-such-agent --print").stderr


def test_output_that_is_not_utf_8_is_an_answer() -> None:
    done = run(r"printf 'Spot or on demand? \377'")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 1 solved" in done.stdout


def test_an_agent_that_takes_too_long_is_ended() -> None:
    done = run("sleep 60", "--timeout", "0.2")
    assert done.returncode == 1
    assert "took more than 0.2 s" in done.stdout


def test_the_skill_is_given_where_it_is_asked_for(tmp_path: pathlib.Path) -> None:
    task = TOOL["read_task"](NAMES[0])
    assert TOOL["prepare"](task, tmp_path, with_skill=True).startswith("Read SKILL.md first. ")
    assert (tmp_path / "SKILL.md").read_text() == (ROOT / "skills" / "gke-tpu" / "SKILL.md").read_text()
