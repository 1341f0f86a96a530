"""Runs JavaScript programs in the real engine, with the plugin on PATH as an installed wheel puts it there."""

import importlib.metadata
import json
import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass
from typing import Any

from support.documents import ROOT, write_files
from support.engine import key_service
from support.engine.cli_environment import cli_environment
from support.engine.engine_cloud import executable
from support.engine.pulumi_cli import PulumiCli

PROGRAMS = pathlib.Path(__file__).parent / "javascript"
PAGE = ROOT / "docs" / "other-languages.md"
"""The page whose programs are run."""
RUN_SECONDS = 300


@dataclass(frozen=True)
class Outcome:
    """What came of a command."""

    error: str
    """The error of the engine; empty if there was none."""
    warnings: str
    outputs: dict[str, Any]
    steps: dict[str, str]
    """Type and name of each resource -> the engine's operation."""
    state: dict[str, dict[str, Any]]
    """Type and name -> what the engine keeps."""
    printed: str
    """Everything that any process printed besides."""

    def ops(self) -> set[str]:
        return set(self.steps.values())

    def of_type(self, token: str) -> list[str]:
        return [where.split(" ", 1)[1] for where in self.steps if where.split(" ", 1)[0].endswith(token)]


class JavaScript:
    """One stack, whose program can be exchanged between runs."""

    def __init__(self, cli: PulumiCli, packages: pathlib.Path, folder: pathlib.Path, gcp_port: int) -> None:
        self.folder = folder / "programs"
        shutil.copytree(PROGRAMS, self.folder)
        write_files(self.folder, PAGE)
        _link(packages, self.folder / "node_modules")
        (self.folder / "gcp").rename(self.folder / "node_modules" / "@pulumi" / "gcp")
        (folder / "plugin").mkdir()
        plugin_on_path(folder / "plugin")
        path = (folder / "plugin", cli.root / "bin", os.environ["PATH"])
        environment = cli_environment(folder, gcp_port)
        self._environment = {
            **environment,
            "PATH": os.pathsep.join(map(str, path)),
            "HOME": environment["PULUMI_HOME"],
            "SECRETS_PROVIDER": key_service.URL,
            "GCP_VERSION": importlib.metadata.version("pulumi-gcp"),
        }

    def change(self, program: str, before: str, after: str) -> None:
        """Change the text of a program for the runs that follow."""
        file = self.folder / f"{program}.js"
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1
        file.write_text(text.replace(before, after), encoding="utf-8")

    def attach(self, provider: str, port: int) -> None:
        """Have the engine use a further provider that listens on a port."""
        self._environment["PULUMI_DEBUG_PROVIDERS"] += f",{provider}:{port}"

    def preview(self, program: str) -> Outcome:
        return self._run(program, "preview")

    def up(self, program: str) -> Outcome:
        return self._run(program, "up")

    def _run(self, program: str, command: str) -> Outcome:
        done = subprocess.run(
            ["node", "run.js", program, command],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=RUN_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        *_, result = done.stdout.splitlines()
        return Outcome(**json.loads(result), printed=done.stderr)


def _link(packages: pathlib.Path, folder: pathlib.Path) -> None:
    """Make a folder of installed packages in which a test can place others."""
    for package in packages.iterdir():
        if package.name.startswith("@"):
            _link(package, folder / package.name)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / package.name).symlink_to(package)


def plugin_on_path(folder: pathlib.Path) -> pathlib.Path:
    """Put the plugin into a folder as a program of its own."""
    return executable(
        folder / "pulumi-resource-gke-tpu", "-c 'from pulumi_gke_tpu.features.plugin import main; main()' \"$@\""
    )
