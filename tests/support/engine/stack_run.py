"""Runs programs in the real engine: the Automation API with a file backend, and plans and updates as plain data."""

import datetime
import functools
import os
import pathlib
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pulumi import automation
from pulumi.automation._stack import StackInitMode
from support.engine import key_service, language_host
from support.engine.cli_environment import cli_environment
from support.engine.pulumi_cli import PulumiCli
from support.engine.tidy_program import TidyProgram

Program = Callable[[], None]
Tell = Callable[[str], Any]
DELETE_FIRST, CREATE_FIRST = "replace, delete first", "replace, create first"
IMPORT_OPTIONS = ("--protect=true", "--generate-code=false")
"""How docs/adopt.md imports."""


@dataclass(frozen=True)
class Step:
    """One step of the engine for one resource."""

    urn: str
    op: str
    diff: dict[str, str] = field(default_factory=dict)
    """Property path -> kind of difference, as in the events of the engine."""
    new: Any = field(default=None, repr=False, compare=False)
    """The target state in the event of the engine; None if the resource is deleted."""

    @property
    def name(self) -> str:
        return self.urn.split("::", 3)[3]

    @property
    def type(self) -> str:
        return self.urn.split("::")[2].rsplit("$", 1)[-1]


@dataclass(frozen=True)
class Run:
    """A preview or an update. ``error`` is the message of the engine, empty if it succeeded."""

    steps: tuple[Step, ...]
    error: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something, without those of components and providers."""
        idle = ("same", "refresh")
        return tuple(step for step in self.steps if step.op not in idle and step.type.startswith("gcp:"))

    def ops(self) -> dict[str, str]:
        """Type and name -> what is done: create, update, delete, ``replace, delete first`` or the other way round."""
        found: dict[str, list[str]] = {}
        for step in self.changes:
            found.setdefault(f"{step.type.rsplit(':', 1)[1]} {step.name}", []).append(step.op)
        return {name: _one_op(ops) for name, ops in found.items()}

    def of(self, name: str) -> list[Step]:
        return [step for step in self.steps if step.name == name]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


class _TerseStack(automation.Stack):
    """A stack without requests for outputs and history after each run, which take three more processes."""

    options: tuple[str, ...] = ()
    """Given to the command line besides those that the Automation API knows."""

    def outputs(self) -> automation.OutputMap:
        return {}

    def info(self, show_secrets: bool = True) -> automation.UpdateSummary:
        return automation.UpdateSummary("", datetime.datetime.min, "", {}, {}, "")

    def _run_pulumi_cmd_sync(
        self, args: list[str], on_output: Tell | None = None, on_error: Tell | None = None
    ) -> automation.CommandResult:
        return super()._run_pulumi_cmd_sync([*args, *self.options], on_output, on_error)


_NEVER_BEGAN = "Resource monitor has terminated"


class EngineStack:
    """One stack with an inline program that can be exchanged between runs. Stacks in one folder can see each other."""

    def __init__(self, cli: PulumiCli, folder: pathlib.Path, name: str, port: int, project: str = "gke-tpu") -> None:
        work = folder / "work" / project
        work.mkdir(parents=True, exist_ok=True)
        environment = cli_environment(folder, port)
        workspace = automation.LocalWorkspace(
            work_dir=str(work),
            secrets_provider=key_service.URL,
            pulumi_command=_command(cli),
            # The state is written at the end of a run, not after every step.
            env_vars={**environment, "PULUMI_SKIP_CHECKPOINTS": "true", "PATH": os.environ["PATH"]},
            project_settings=automation.ProjectSettings(
                name=project, runtime="python", backend=automation.ProjectBackend(url=environment["PULUMI_BACKEND_URL"])
            ),
        )
        self._stack = _TerseStack(name, workspace, StackInitMode.CREATE)

    def attach(self, provider: str, port: int) -> None:
        """Have the engine use a further provider that listens on a port."""
        variables = self._stack.workspace.env_vars
        variables["PULUMI_DEBUG_PROVIDERS"] += f",{provider}:{port}"

    def preview(self, program: Program, **options: Any) -> Run:
        return self._run(program, lambda run, collect: self._stack.preview(program=run, on_event=collect, **options))

    def up(self, program: Program, **options: Any) -> Run:
        return self._run(program, lambda run, collect: self._stack.up(program=run, on_event=collect, **options))

    def preview_json(self, program: Program, *, streaming: bool, **options: Any) -> str:
        """What ``pulumi preview --json`` writes: a line for each event, or a digest at the end."""
        lines: list[str] = []
        tidy = TidyProgram(program)
        self._stack.workspace.env_vars["PULUMI_ENABLE_STREAMING_JSON_PREVIEW"] = str(streaming).lower()
        self._stack.options = ("--json",)
        try:
            self._stack.preview(program=tidy, on_output=lines.append, **options)
        except automation.CommandError:
            tidy.clear_away()
        finally:
            self._stack.options = ()
        return "".join(f"{line}\n" for line in lines)

    def configure(self, **values: automation.ConfigValue) -> None:
        """Set values in the stack's configuration."""
        self._stack.set_all_config(values)

    def refresh(self, **options: Any) -> Run:
        return self._run(_nothing, lambda run, collect: self._stack.refresh(on_event=collect, **options))

    def destroy(self, **options: Any) -> Run:
        return self._run(_nothing, lambda run, collect: self._stack.destroy(on_event=collect, **options))

    def import_file(self, path: pathlib.Path) -> str:
        """``pulumi import --file``; gives the error, empty if it succeeded."""
        options = ("--yes", "--skip-preview", *IMPORT_OPTIONS)
        variables = self._stack.workspace.env_vars
        if shutil.which("pulumi-language-python") is None:
            bin_folder = pathlib.Path(variables["PULUMI_HOME"]) / "bin"
            bin_folder.mkdir(exist_ok=True)
            language_host.put_on_path(bin_folder)
            variables["PATH"] = os.pathsep.join((str(bin_folder), os.environ["PATH"]))
        try:
            self._stack._run_pulumi_cmd_sync(["import", "--file", str(path), *options])
        except automation.CommandError as failure:
            return _plain_text(str(failure))
        return ""

    def forget(self, *options: str) -> str:
        """``pulumi state delete``; gives the error, empty if it succeeded."""
        return self._change_state("delete", *options)

    def unprotect(self, urn: str) -> str:
        """``pulumi state unprotect``; gives the error, empty if it succeeded."""
        return self._change_state("unprotect", urn)

    def _change_state(self, verb: str, *options: str) -> str:
        try:
            self._stack._run_pulumi_cmd_sync(["state", verb, "--yes", *options])
        except automation.CommandError as failure:
            return _plain_text(str(failure))
        return ""

    def export(self) -> automation.Deployment:
        """The whole state."""
        return self._stack.export_stack()

    def state(self) -> dict[str, dict[str, Any]]:
        """URN -> what the engine keeps, of every gcp resource."""
        deployment = self.export().deployment or {}
        resources = deployment.get("resources", [])
        return {item["urn"]: item for item in resources if item["type"].startswith("gcp:")}

    def _run(self, program: Program, start: Callable[[Program, Callable[[Any], None]], Any]) -> Run:
        """Run the engine, and once more if it ended before the program could register anything.

        About one run in a thousand ends so on a busy machine, for a reason that the engine does not report.
        """
        run = self._run_once(program, start)
        return self._run_once(program, start) if not run.steps and _NEVER_BEGAN in run.error else run

    def _run_once(self, program: Program, start: Callable[[Program, Callable[[Any], None]], Any]) -> Run:
        steps: list[Step] = []
        said: dict[str, list[str]] = {"error": [], "warning": []}

        def collect(event: Any) -> None:
            if event.resource_pre_event is not None:
                steps.append(_step(event.resource_pre_event.metadata))
            if event.diagnostic_event is not None and event.diagnostic_event.severity in said:
                said[event.diagnostic_event.severity].append(_plain_text(event.diagnostic_event.message))

        error, tidy = "", TidyProgram(program)
        try:
            start(tidy, collect)
        except automation.CommandError as failure:
            error = "\n".join(said["error"]) or _plain_text(str(failure))
        if error:
            tidy.clear_away()
        return Run(tuple(steps), error, tuple(said["warning"]))


@functools.cache
def _command(cli: PulumiCli) -> automation.PulumiCommand:
    """The CLI. Asking for its version is a process of its own."""
    return automation.PulumiCommand(root=str(cli.root), skip_version_check=True)


def _one_op(ops: list[str]) -> str:
    if "create-replacement" not in ops:
        return ops[0]
    first = "delete-replaced" in ops and ops.index("delete-replaced") < ops.index("create-replacement")
    return DELETE_FIRST if first else CREATE_FIRST


def _nothing() -> None:
    """The program of runs that need none."""


def _step(metadata: Any) -> Step:
    diff = {path: _word(item.diff_kind) for path, item in (metadata.detailed_diff or {}).items()}
    return Step(metadata.urn, _word(metadata.op), diff, metadata.new)


def _word(value: Any) -> str:
    return str(getattr(value, "value", value))


def _plain_text(text: str) -> str:
    return re.sub(r"<\{%[^%]*%\}>|\x1b\[[0-9;]*m", "", text)
