"""Runs jobs of workflow files as GitHub Actions does, step by step; actions of others have small stand-ins.

It knows what the examples use: `run` steps in bash with their variables and working directory, composite actions,
`continue-on-error`, `if: always()`, expressions that are paths such as ``${{ github.event.number }}``, and the files
in which a step leaves outputs, folders for PATH, and a summary. Anything else is an error.
"""

import os
import pathlib
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{ *([\w.-]+) *\}\}")
_STEP_KEYS = {"name", "id", "uses", "with", "run", "env", "shell", "if", "working-directory", "continue-on-error"}
Standin = Callable[["Runner", Mapping[str, str]], None]
"""An action of somebody else: gets the runner and its inputs."""


@dataclass
class Step:
    """What one `run` step did."""

    name: str
    status: int
    out: str
    err: str


@dataclass
class Runner:
    """A machine that runs one job. ``root`` holds the checkout (``workspace``) and what GitHub provides beside it."""

    root: pathlib.Path
    actions: Mapping[str, Standin | pathlib.Path]
    """Each action by ``owner/name``: a stand-in, or the folder of a composite action that is really run."""
    contexts: dict[str, Any]
    environment: dict[str, str]
    steps: list[Step] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for folder in (self.workspace, self.temp):
            folder.mkdir(parents=True)
        self.contexts = {**self.contexts, "runner": {"temp": str(self.temp)}, "steps": {}}

    @property
    def workspace(self) -> pathlib.Path:
        """The checkout."""
        return self.root / "workspace"

    def add_program(self, name: str, text: str) -> None:
        """Put a script on PATH, before all programs with its name."""
        folder = self.root / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
        self.paths.insert(0, str(folder))

    @property
    def temp(self) -> pathlib.Path:
        """RUNNER_TEMP."""
        return self.root / "temp"

    @property
    def summary(self) -> str:
        """What the steps wrote into the job summary."""
        file = self.root / "summary"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def run_job(self, job: Mapping[str, Any]) -> bool:
        """Run every step; gives whether the job succeeded."""
        self.environment.update({key: self._filled(value) for key, value in job.get("env", {}).items()})
        return self._run(job["steps"], self.contexts)

    def _run(self, steps: list[dict[str, Any]], contexts: dict[str, Any]) -> bool:
        going = True
        for step in steps:
            assert set(step) <= _STEP_KEYS, step
            assert step.get("if", "always()") == "always()", step
            if not going and "if" not in step:
                continue
            if not self._step(step, contexts) and not step.get("continue-on-error"):
                going = False
        return going

    def _step(self, step: dict[str, Any], contexts: dict[str, Any]) -> bool:
        if "uses" in step:
            return self._uses(step, contexts)
        output = self.root / f"output-{len(self.steps)}"
        output.touch()
        variables = {key: self._filled(str(value), contexts) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.workspace / self._filled(step.get("working-directory", "."), contexts),
            env={**self._environment(), **variables, "GITHUB_OUTPUT": str(output)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.steps.append(Step(step.get("name", step["run"]), done.returncode, done.stdout, done.stderr))
        added = self.root / "path"
        if added.exists():
            self.paths[:0] = reversed(added.read_text(encoding="utf-8").splitlines())
            added.unlink()
        if "id" in step:
            lines = output.read_text(encoding="utf-8").splitlines()
            contexts["steps"][step["id"]] = {"outputs": dict(line.split("=", 1) for line in lines)}
        return done.returncode == 0

    def _uses(self, step: dict[str, Any], contexts: dict[str, Any]) -> bool:
        action = self.actions[step["uses"].split("@")[0]]
        given = {key: self._filled(str(value), contexts) for key, value in step.get("with", {}).items()}
        if not isinstance(action, pathlib.Path):
            action(self, given)
            return True
        described = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
        assert given.keys() <= described["inputs"].keys(), given
        defaults = {key: self._filled(str(about["default"])) for key, about in described["inputs"].items()}
        inner = {
            **contexts,
            "inputs": {**defaults, **given},
            "steps": {},
            "github": {**contexts["github"], "action_path": str(action)},
        }
        good = self._run(described["runs"]["steps"], inner)
        if "id" in step:
            outputs = {key: self._filled(about["value"], inner) for key, about in described["outputs"].items()}
            contexts["steps"][step["id"]] = {"outputs": outputs}
        return good

    def _environment(self) -> dict[str, str]:
        return {
            **self.environment,
            "PATH": os.pathsep.join([*self.paths, self.environment["PATH"]]),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_PATH": str(self.root / "path"),
            "GITHUB_STEP_SUMMARY": str(self.root / "summary"),
        }

    def _filled(self, text: str, contexts: Mapping[str, Any] | None = None) -> str:
        """The text with the values of its expressions; what does not exist is empty, as on GitHub."""

        def value(match: re.Match[str]) -> str:
            found: Any = self.contexts if contexts is None else contexts
            for part in match[1].split("."):
                found = found.get(part, "") if isinstance(found, Mapping) else ""
            return str(found)

        filled = _EXPRESSION.sub(value, text)
        assert "${{" not in filled, filled
        return filled
