"""Runs the tasks of skills/tasks with an agent and judges the results. Needs gke-tpu in its environment.

An agent is a command that reads the prompt from standard input, and works in the folder in which it is started.
"""

import argparse
import contextlib
import copy
import io
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from pulumi_gke_tpu.cli import main as gke_tpu
from pulumi_gke_tpu.core.catalog import read_catalog
from pulumi_gke_tpu.core.plan import read_plan_content
from pulumi_gke_tpu.core.rules import check_plan

ROOT = pathlib.Path(__file__).resolve().parents[1]
TASKS = ROOT / "skills" / "tasks"
SKILL = ROOT / "skills" / "gke-tpu" / "SKILL.md"
_PLAN, _ANSWER = "plan.yaml", "answer.txt"
_PERSONS = ("accept", "acknowledge")
"""Keys that only a person writes."""
_DENIAL = re.compile(
    r"\b(no need|not? need|need not|nothing|no one|without|unnecessary|not (necessary|required))\b"
    r"|\bno \S*acknowledge|n't need"
)
"""A sentence that denies what it names."""


def main() -> int:
    """Run the command; 1 if a task is not solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="Run all tasks, each in a new folder, and print the score.")
    run.add_argument("agent", type=_command, help="the command of the agent, such as 'my-agent --print'")
    run.add_argument("--skill", action="store_true", help="give the agent the skill, as SKILL.md in its folder")
    run.add_argument("--task", action="append", default=[], help="only this task; may be repeated")
    run.add_argument(
        "--timeout", type=float, default=900, metavar="SECONDS",
        help="end the agent after this time, and count the task as not solved (default: %(default)s)",
    )  # fmt: skip
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
    return _run(given.agent, given.task or names(), given.timeout, with_skill=given.skill)


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
    for name in wants.get("unchanged", ()):
        if _text(folder / name) != files[name]:
            yield f"{name} was changed"
    answer = _text(folder / _ANSWER).lower()
    if "asks" in wants:
        if plans := [path.name for path in sorted(folder.rglob("*")) if _is_plan(path)]:
            yield f"{', '.join(plans)} was written, although the prompt does not decide it"
        if "?" not in answer or not any(word in answer for word in wants["asks"]):
            yield f"{_ANSWER} asks nothing about {', '.join(wants['asks'])}"
        return
    if "answer" in wants and not _says(answer, wants["answer"]):
        yield f"{_ANSWER} does not say {', '.join(wants['answer'])}"
    if "manifests" in wants:
        yield from _judge_manifests(folder, wants, files)
    else:
        yield from _judge_plan(wants, files.get(_PLAN, ""), folder)


def _says(answer: str, words: Sequence[str]) -> bool:
    """Whether an answer has all words, and a sentence of the first one that does not deny it."""
    sentences = [each for each in re.split(r"[.;!?]\s|\n", answer) if words[0] in each]
    return all(word in answer for word in words) and any(not _DENIAL.search(each) for each in sentences)


def _is_plan(path: pathlib.Path) -> bool:
    """Whether a file has the clusters of a plan, under whatever name."""
    if path.name in (_ANSWER, SKILL.name) or not path.is_file():
        return False
    return any(isinstance(each, dict) and "clusters" in each for each in _documents(_text(path)))


def _documents(text: str) -> list[Any]:
    try:
        return list(yaml.safe_load_all(text))
    except (yaml.YAMLError, ValueError):
        return []


def _judge_plan(wants: Mapping[str, Any], before: str, folder: pathlib.Path) -> Iterator[str]:
    text = _text(folder / _PLAN)
    if not text:
        yield f"{_PLAN} is missing"
        return
    checked = check_plan(read_plan_content(text.encode(), _PLAN), read_catalog())
    if checked.fleet is None or checked.has_errors:
        yield f"{_PLAN} does not pass `gke-tpu validate`"
        return
    plan, given = yaml.safe_load(text), _documents(before)
    for key in _PERSONS:
        if Counter(_entries(plan, key)) - Counter(_entries(given, key)):
            yield f"{_PLAN} has an entry of {key}, which only a person adds"
    wanted = _wanted(wants, given)
    ours = [plan] if before else list(_renamed(plan, wanted[0]))
    if not any(_is_same(one, other) for one in wanted for other in ours):
        yield f"{_PLAN} is not the plan that is wanted, or differs in more than what was asked for"
    if "replaced" in wants:
        gone = [each["item"] for each in _items(given[0], plan) or () if each["change"] in ("replace", "delete")]
        if len(gone) > wants["replaced"]:
            yield f"the change deletes or replaces {', '.join(gone)}"


def _entries(value: object, name: str) -> Iterator[str]:
    """Each entry of a key, wherever it is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        if key == name:
            yield from (json.dumps(entry, sort_keys=True, default=str) for entry in each or ())
        yield from _entries(each, name)


def _wanted(wants: Mapping[str, Any], given: Sequence[Any]) -> list[Any]:
    """The documents that solve a task: the wanted or the given one, with one of the values at each named path."""
    changes = wants.get("changes", ())
    found = []
    for values in itertools.product(*(each["to"] for each in changes)):
        document = copy.deepcopy(wants["plan"] if "plan" in wants else given[0])
        for change, value in zip(changes, values, strict=True):
            *above, last = change["at"]
            place = document
            for step in above:
                place = place[step]
            if value is None:
                place.pop(last, None)
            else:
                place[last] = value
        found.append(document)
    return found


def _renamed(plan: Any, wanted: Any) -> Iterator[Any]:
    """A plan of one cluster with the names of the wanted one, in each order of its slice groups."""
    [(name, cluster)] = wanted["clusters"].items()
    if len(plan["clusters"]) != 1:
        return
    [ours] = plan["clusters"].values()
    groups = list(ours.get("slices", {}).values())
    if len(groups) != len(cluster["slices"]):
        return
    for names in itertools.permutations(cluster["slices"]):
        yield plan | {"clusters": {name: ours | {"slices": dict(zip(names, groups, strict=True))}}}


def _is_same(wanted: Any, plan: Any) -> bool:
    """Whether a plan says of its cluster what is wanted, and `gke-tpu diff` shows no change."""
    if wanted == plan:
        return True
    for name, cluster in wanted["clusters"].items():
        ours = plan["clusters"].get(name, {})
        if any(ours.get(key) != value for key, value in cluster.items() if key != "slices"):
            return False
    return _items(wanted, plan) == []


def _items(old: object, new: object) -> list[Any] | None:
    """What `gke-tpu diff` shows of two plans; nothing of plans that it cannot compare."""
    with tempfile.TemporaryDirectory() as place:
        sides = [pathlib.Path(place) / name for name in ("old.yaml", "new.yaml")]
        for path, content in zip(sides, (old, new), strict=True):
            path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        shown = _gke_tpu("diff", *sides, "--format", "json")[1]
    try:
        found: list[Any] = json.loads(shown)["items"]
    except (ValueError, KeyError):
        return None
    return found


def _judge_manifests(folder: pathlib.Path, wants: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[str]:
    name = wants["manifests"]
    if _gke_tpu("check", folder / name, "--plan", folder / _PLAN)[0]:
        yield f"{name} does not pass `gke-tpu check --plan {_PLAN}`"
    if _documents(_text(folder / name)) not in [[each] for each in _wanted(wants, _documents(files[name]))]:
        yield f"{name} differs from the given one in more or less than what keeps the Pods pending"


def _gke_tpu(*arguments: object) -> tuple[int, str]:
    """The exit code and the standard output of a command."""
    shown = io.StringIO()
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(io.StringIO()):
            gke_tpu([*map(str, arguments)])
    except SystemExit as end:
        return int(end.code or 0), shown.getvalue()
    return 0, shown.getvalue()


def _text(path: pathlib.Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _run(agent: Sequence[str], tasks: list[str], seconds: float, *, with_skill: bool) -> int:
    solved = 0
    for name in tasks:
        task = read_task(name)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            printed = _ask(agent, folder, prepare(task, folder, with_skill=with_skill), seconds)
            answer = folder / _ANSWER
            if printed is not None and not answer.exists():
                answer.write_text(printed, encoding="utf-8")
            problems = [f"the agent took more than {seconds:g} s"] if printed is None else list(judge(task, folder))
        solved += not problems
        print(f"{name}: {'solved' if not problems else problems[0]}", flush=True)
    print(f"{solved} of {len(tasks)} solved")
    return 0 if solved == len(tasks) else 1


def _ask(agent: Sequence[str], folder: pathlib.Path, prompt: str, seconds: float) -> str | None:
    """What an agent prints; nothing if it and what it started had to be ended."""
    with subprocess.Popen(
        agent, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        encoding="utf-8", errors="replace", start_new_session=True,
    ) as started:  # fmt: skip
        try:
            return started.communicate(prompt, timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            return None


def _command(text: str) -> list[str]:
    """The command of an agent, which exists."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None
    if not words or (found := shutil.which(words[0])) is None:
        raise argparse.ArgumentTypeError(f"no command {words[0] if words else 'is given'}")
    return [str(pathlib.Path(found).absolute()), *words[1:]]


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
