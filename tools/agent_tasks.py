"""Runs the tasks of skills/tasks with an agent and judges the results. Needs gke-tpu in its environment.

An agent is a command that reads the prompt from standard input, and works in the folder in which it is started.
"""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.fleet import Cluster, SliceGroup
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan

ROOT = pathlib.Path(__file__).resolve().parents[1]
TASKS = ROOT / "skills" / "tasks"
SKILL = ROOT / "skills" / "gke-tpu" / "SKILL.md"
_PLAN, _ANSWER = "plan.yaml", "answer.txt"
_PERSONS = ("accept", "acknowledge")
"""Keys that only a person writes."""


def main() -> int:
    """Run the command; 1 if a task is not solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="Run all tasks, each in a new folder, and print the score.")
    run.add_argument("agent", help="the command of the agent, such as 'my-agent --print'")
    run.add_argument("--skill", action="store_true", help="give the agent the skill, as SKILL.md in its folder")
    run.add_argument("--task", action="append", default=[], help="only this task; may be repeated")
    judged = commands.add_parser("judge", help="Judge a folder in which a task was worked on.")
    judged.add_argument("task")
    judged.add_argument("folder", type=pathlib.Path)
    prepared = commands.add_parser("prepare", help="Write the files of a task into a folder, and print its prompt.")
    prepared.add_argument("task")
    prepared.add_argument("folder", type=pathlib.Path)
    commands.add_parser("baseline", help="The floor: an agent without a model, `gke-tpu init` and `validate --fix`.")
    given = parser.parse_args()
    if given.command == "baseline":
        baseline(sys.stdin.read(), pathlib.Path.cwd())
        return 0
    if given.command == "prepare":
        print(prepare(read_task(given.task), given.folder))
        return 0
    if given.command == "judge":
        problems = list(judge(read_task(given.task), given.folder))
        print("\n".join(problems) or "solved")
        return 1 if problems else 0
    return _run(given.agent, given.task or names(), with_skill=given.skill)


def names() -> list[str]:
    """The tasks, in order."""
    return sorted(path.stem for path in TASKS.glob("*.yaml"))


def read_task(name: str) -> Mapping[str, Any]:
    """A task: ``prompt``, the ``files`` that are there, and what it ``wants``."""
    task: Mapping[str, Any] = yaml.safe_load((TASKS / f"{name}.yaml").read_text(encoding="utf-8"))
    return task


def prepare(task: Mapping[str, Any], folder: pathlib.Path, *, with_skill: bool = False) -> str:
    """Write the files of a task, and give its prompt."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in task.get("files", {}).items():
        (folder / name).write_text(content, encoding="utf-8")
    if not with_skill:
        return str(task["prompt"])
    shutil.copy(SKILL, folder / SKILL.name)
    return f"Read {SKILL.name} first. {task['prompt']}"


def judge(task: Mapping[str, Any], folder: pathlib.Path) -> Iterator[str]:
    """Everything that is wrong with the result; nothing if the task is solved."""
    wants, files = task["wants"], task.get("files", {})
    answer = _text(folder / _ANSWER)
    plan = _text(folder / _PLAN)
    for name in wants.get("unchanged", ()):
        if _text(folder / name) != files[name]:
            yield f"{name} was changed"
    for word in wants.get("answer", ()):
        if word not in answer.lower():
            yield f"{_ANSWER} does not say {word}"
    if "asks" in wants:
        if plan:
            yield f"{_PLAN} was written, although the prompt does not decide it"
        if "?" not in answer or not any(word in answer.lower() for word in wants["asks"]):
            yield f"{_ANSWER} asks nothing about {', '.join(wants['asks'])}"
        return
    yield from _judge_plan(wants, plan, files.get(_PLAN, ""), folder)
    if "manifests" in wants:
        yield from _judge_manifests(folder, wants["manifests"])


def _judge_plan(wants: Mapping[str, Any], text: str, before: str, folder: pathlib.Path) -> Iterator[str]:
    if not text:
        yield f"{_PLAN} is missing"
        return
    checked = check_plan(read_plan_content(text.encode(), _PLAN), read_catalog())
    if checked.fleet is None or checked.has_errors:
        yield f"{_PLAN} does not pass `gke-tpu validate`"
        return
    for key in _PERSONS:
        if re.search(rf"^ *{key}:", text, re.MULTILINE) and not re.search(rf"^ *{key}:", before, re.MULTILINE):
            yield f"{_PLAN} has an entry of {key}, which only a person adds"
    groups = [_facts(cluster, group) for cluster, group in checked.fleet.groups()]
    wanted = [{key: value if isinstance(value, list) else str(value) for key, value in each.items()}
              for each in wants.get("groups", groups)]  # fmt: skip
    if len(groups) != len(wanted):
        yield f"{_PLAN} has {len(groups)} slice groups, not {len(wanted)}"
    for each in wanted:
        if not any(all(found.get(key) == value for key, value in each.items()) for found in groups):
            yield f"no slice group is {each}; there are {groups}"
    yield from _judge_clusters(wants, checked.fleet.clusters)
    if "replaced" in wants:
        yield from _judge_change(before, folder, wants["replaced"])


def _judge_clusters(wants: Mapping[str, Any], clusters: Sequence[Cluster]) -> Iterator[str]:
    if "clusters" in wants and len(clusters) != wants["clusters"]:
        yield f"{_PLAN} has {len(clusters)} clusters"
    if "version" in wants and any(each.version != wants["version"] for each in clusters):
        yield f"the version is not {wants['version']}"
    if "region" in wants and any(not each.location.startswith(wants["region"]) for each in clusters):
        yield f"the region is not {wants['region']}"


def _judge_change(before: str, folder: pathlib.Path, most: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as other:
        old = pathlib.Path(other) / _PLAN
        old.write_text(before, encoding="utf-8")
        shown = _gke_tpu("diff", old, folder / _PLAN, "--format", "json").stdout
    gone = [item["item"] for item in json.loads(shown)["items"] if item["change"] in ("replace", "delete")]
    if len(gone) > most:
        yield f"the change deletes or replaces {', '.join(gone)}"


def _facts(cluster: Cluster, group: SliceGroup) -> dict[str, Any]:
    """What a slice group is, whatever words the plan has for it."""
    capacity, boot = group.plan.capacity, group.plan.boot_disk
    found: dict[str, Any] = {
        "name": str(group.path[-1]),
        "mode": cluster.mode,
        "project": cluster.project,
        "location": cluster.location,
        "tpu": group.shape.generation,
        "topology": str(group.shape.topology),
        "slices": str(group.slices),
        "zone": str(group.zone),
        "capacity": capacity.mode,
    }
    if getattr(cluster.plan, "existing", None):
        found["existing"] = cluster.plan.existing
    if capacity.reservation is not None:
        found["reservation"] = capacity.reservation.name
    if capacity.flex_start is not None and (longest := capacity.flex_start.max_run_duration) is not None:
        found["max_run_hours"] = str(int(longest.total_seconds() // 3600))
    if boot is not None:
        found |= {"boot_disk": str(boot.type or "hyperdisk-balanced"), "boot_disk_gib": str(boot.size_gib)}
    if group.plan.taints:
        found["taints"] = [f"{each.key}={each.value}" for each in group.plan.taints]
    return found


def _judge_manifests(folder: pathlib.Path, name: str) -> Iterator[str]:
    done = _gke_tpu("check", folder / name, "--plan", folder / _PLAN)
    if done.returncode:
        yield f"{name} does not pass `gke-tpu check --plan {_PLAN}`"
    kinds = re.findall(r"^kind: (\w+)", _text(folder / name), re.MULTILINE)
    if not kinds:
        yield f"{name} has no objects any more"


def _gke_tpu(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(pathlib.Path(sys.executable).parent / "gke-tpu"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _text(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _run(agent: str, tasks: list[str], *, with_skill: bool) -> int:
    solved = 0
    for name in tasks:
        task = read_task(name)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            prompt = prepare(task, folder, with_skill=with_skill)
            done = subprocess.run(
                shlex.split(agent), cwd=folder, input=prompt, capture_output=True, text=True, check=False
            )
            answer = folder / _ANSWER
            if not answer.exists():
                answer.write_text(done.stdout, encoding="utf-8")
            problems = list(judge(task, folder))
        solved += not problems
        print(f"{name}: {'solved' if not problems else problems[0]}", flush=True)
    print(f"{solved} of {len(tasks)} solved")
    return 0 if solved == len(tasks) else 1


def baseline(prompt: str, folder: pathlib.Path) -> None:
    """What a script does without a model: init from the words of the prompt, or the fixes that leave no choice."""
    if (folder / _PLAN).exists():
        _gke_tpu("validate", "--fix", folder / _PLAN)
        return
    found = {
        "--project": re.search(r"project (\S+?),", prompt),
        "--location": re.search(r"\b([a-z]+-[a-z]+\d)\b", prompt),
        "--tpu": re.search(r"\b(v\d[ep]?|tpu7x)\b", prompt),
        "--topology": re.search(r"\b(\d+x\d+(?:x\d+)?)\b", prompt),
    }
    options = [word for name, match in found.items() if match for word in (name, match[1])]
    mode = "autopilot" if "Autopilot" in prompt else "standard"
    with tempfile.TemporaryDirectory() as place:
        _gke_tpu("init", f"{place}/new", "--mode", mode, *options)
        if (made := pathlib.Path(place) / "new" / _PLAN).exists():
            shutil.copy(made, folder / _PLAN)


if __name__ == "__main__":
    sys.exit(main())
